"""Memory windows of a real device: each kind, and that it is closed again."""
import pytest

from documents import measured
from lab import DEVICE, Program, needs_device

pytestmark = [needs_device, pytest.mark.real]


@pytest.mark.parametrize("pattern", ("churn", "hold"))
@pytest.mark.parametrize("kind", ("type1", "type2", "type2-send"))
def test_windows(kind, pattern):
    row, = measured(Program("mw_bind", "-d", DEVICE, "--mw", kind, "-n", 20,
                            "--pattern", pattern, "--warmup", 0,
                            "--json"))["results"]
    parts = {part["name"]: part for part in row["control"]["parts"]}
    assert parts["write"]["samples"] == 20
    refused = parts["refused write"]["samples"]
    assert refused == (20 if pattern == "churn" else 1)
