"""Connections to a server over a real device, one after the other."""
import pytest

from documents import measured
from lab import DEVICE, Program, needs_device

pytestmark = [needs_device, pytest.mark.needs_data]


@pytest.mark.parametrize("pattern", ("churn", "hold"))
def test_connections(pattern):
    row, = measured(Program("connect", "-d", DEVICE, "--loopback", "-n", 20,
                            "--pattern", pattern, "--warmup", 0,
                            "--json"))["results"]
    parts = row["control"]["parts"]
    assert [part["name"] for part in parts] == [
        "create", "exchange", "server", "modify", "first message", "destroy",
        "disconnect"]
    assert all(part["samples"] == 20 for part in parts)
    whole = sum(part["mean"] for part in parts[:5])
    assert whole == pytest.approx(row["latency"]["mean"], rel=0.02)
