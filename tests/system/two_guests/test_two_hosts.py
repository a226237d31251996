"""Two hosts: the six tests between them, the path, and what breaks it.

The client is here, the server in the other guest. TCP runs over the RoCE
network (10.0.0.x) or the management network (10.0.1.x).
"""

import re
import time

import pytest

from documents import measured, parse
from hosts import MANAGEMENT, ROCE, ROCE6, RemoteServer
from lab import (PATIENT, QUICK, SOON, TESTS, client, complained, failed,
                 succeeded)

LONG = ("-D", 60, "--warmup", 0, "-s", 1024, "--timeout", 3)
# what ends a run without its path: whoever notices first
GONE = ("RETRY_EXC|LOC_QP_OP|said nothing|nothing completed|PORT_ERR|closed|"
        "lost|timed out|unreachable")


def under_way(test, server, host=MANAGEMENT, *args):
    program = client(test, *LONG, *args, port=server.port, host=host)
    program.wait_for_traffic()
    time.sleep(0.5)
    return program


@pytest.mark.parametrize("test", TESTS)
def test_measures_between_hosts(remote, test):
    program = client(test, "--json", "-D", 0.5, *PATIENT, port=remote.port,
                     host=ROCE)
    document = measured(program)
    assert document["client"]["hostname"] != document["server"]["hostname"]
    assert document["client"]["gid"] != document["server"]["gid"]
    assert document["results"][0]["iterations"] > 1


@pytest.mark.parametrize("host,gids", (
    (ROCE, ["::ffff:10.0.0.1", "::ffff:10.0.0.2"]),
    (MANAGEMENT, ["::ffff:10.0.0.1", "::ffff:10.0.0.2"]),
    (ROCE6, ["fd00::1", "fd00::2"])))
def test_gids_are_on_the_network_of_the_device(remote, host, gids):
    document = measured(client("write_bw", "--json", *QUICK,
                               port=remote.port, host=host))
    assert [document[end]["gid"] for end in ("client", "server")] == gids


@pytest.mark.parametrize("index,prefix", ((0, "fe80:"), (2, "fd00:")))
def test_gid_given_decides_for_both(remote, index, prefix):
    document = measured(client("write_bw", "--json", *QUICK, "-x", index,
                               port=remote.port, host=MANAGEMENT))
    for end in ("client", "server"):
        assert document[end]["gid"].startswith(prefix)


@pytest.mark.parametrize("test", ("write_bw", "send_bw", "read_bw"))
def test_many_queue_pairs_and_sizes(remote, test):
    document = measured(client(test, "--json", "-n", 20, "-q", 8, "-s",
                               "1,64,4K", *PATIENT, port=remote.port,
                               host=ROCE))
    assert [row["iterations"] for row in document["results"]] == [160] * 3


def test_much_outstanding_on_a_slow_link(remote):
    """README's example, without any other option: what all queue pairs have
    outstanding takes this link longer than it may on a fast one."""
    document = measured(client("write_bw", "-s", "64K", "-q", 16, "-D", 3,
                               "--json", port=remote.port, host=ROCE), 120)
    assert document["parameters"]["qp-timeout"] == 18


def test_loss_of_some_packets_is_survived(lossy, remote):
    lossy(2)
    document = measured(client("send_bw", "--json", "-n", 300, "-s", 1024,
                               port=remote.port, host=MANAGEMENT))
    bandwidth = document["results"][0]["bandwidth"]
    assert bandwidth["sent"] == bandwidth["received"]


def test_network_of_both_connections_cut(lossy, fresh, tmp_path):
    path = tmp_path / "result.json"
    program = under_way("write_bw", fresh, ROCE, f"--json={path}")
    lossy(100)
    failed(program, GONE, seconds=SOON)
    fresh.wait_for("error: ", seconds=SOON)
    complained(fresh, GONE)
    document = parse(path.read_text())
    row, = document["results"]
    assert row["failed"] and 0 < row["seconds"] < SOON
    assert document["error"]["stage"] == "traffic"


def test_host_that_is_not_there_is_named():
    start = time.monotonic()
    program = client("write_bw", "--timeout", 2, port=18515, host="10.0.1.77")
    line = failed(program, "10.0.1.77", seconds=SOON)
    assert time.monotonic() - start < SOON
    assert re.search("timed out|No route|unreachable", line, re.I)


def test_server_on_two_hosts_reports_the_same(tmp_path):
    server = RemoteServer("--once", "--json")
    one = measured(client("send_lat", "--json", *QUICK, port=server.port,
                          host=ROCE))
    other = parse(succeeded(server).out)
    for document in (one, other):
        # each by its own clock
        assert document["results"][0].pop("opened")
    for key in ("test", "results", "client", "server", "clock"):
        assert one[key] == other[key], key
