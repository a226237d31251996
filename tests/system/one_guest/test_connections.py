"""Connections to a server over a real device, one after the other."""
import pytest

from documents import measured
from lab import DEVICE, Program, Server, client, needs_device, succeeded

pytestmark = [needs_device, pytest.mark.real]


# The parts of a connection, and those of its end.
BY_TCP = (["create", "exchange", "server", "modify", "first message"],
          ["destroy", "disconnect"])
BY_MANAGER = (["address", "route", "create", "connect", "server", "modify",
               "first message"], ["disconnect", "destroy"])


@pytest.mark.parametrize("pattern", ("churn", "hold"))
@pytest.mark.parametrize("names,options", (
    (BY_TCP, ()), (BY_MANAGER, ("--rdma-cm",))))
def test_connections(names, options, pattern):
    row, = measured(Program("connect", "-d", DEVICE, "--loopback", "-n", 20,
                            "--pattern", pattern, "--warmup", 0, *options,
                            "--json"))["results"]
    parts = row["control"]["parts"]
    assert [part["name"] for part in parts] == names[0] + names[1]
    assert all(part["samples"] == 20 for part in parts)
    whole = sum(part["mean"] for part in parts[:len(names[0])])
    assert whole == pytest.approx(row["latency"]["mean"], rel=0.02)


@pytest.mark.parametrize("options", ((), ("--rdma-cm",)))
def test_the_servers_report(options):
    server = Server("--once", "--json")
    succeeded(client("connect", "-n", 20, "--warmup", 0, *options,
                     port=server.port))
    row, = measured(server)["results"]
    assert row["iterations"] >= 20 and row["control"]["most"] == 1
