"""Ours on one host and perftest on the other, in either role.  PERFTEST names
the folder of perftest; without it nothing runs, as perftest does not trust the
clock of a busy host."""
import os

import pytest

from hosts import MANAGEMENT, RemoteServer, there
from lab import DEVICE, Program, client, deadline, free_port, gid_of_ipv4

FOLDER = os.environ.get("PERFTEST")
pytestmark = pytest.mark.skipif(not FOLDER, reason="needs PERFTEST")
SOON = 60
# -u 18: a guest may stand still for a while
SMALL = ("-n", 300, "-s", 1024, "-u", 18)
TESTS = ("write_bw", "send_bw", "read_bw", "write_lat", "send_lat")


def words(options):
    return " ".join(map(str, options))


def serve_perftest(test):
    """Perftest's client here, and our server there."""
    gid = gid_of_ipv4()
    server = RemoteServer("--once", "-x", gid, "--perftest",
                          f"{test} {words(SMALL)}")
    theirs = Program("-d", DEVICE, "-x", gid, "-p", server.port, *SMALL,
                     MANAGEMENT, argv0=(f"{FOLDER}/ib_{test}",))
    return theirs, server


def measure_perftest(test):
    """Our client here, and perftest's server there."""
    gid, port = gid_of_ipv4(), free_port()
    server = Program("-d", DEVICE, "-x", gid, "-p", port, *SMALL,
                     argv0=("verbsperf-lab-peer", f"{FOLDER}/ib_{test}"))
    deadline(SOON, lambda: f":{port:04X} 00000000:0000 0A" in
             there("cat /proc/net/tcp"), server)
    return client(test, "--peer", "perftest", "-x", gid, "-n", 300, "-s", 1024,
                  "--qp-timeout", 18, port=port, host=MANAGEMENT), server


@pytest.mark.parametrize("begin", (serve_perftest, measure_perftest))
def test_five_tests(neighbours, begin):
    for test in TESTS:
        # a busy host makes perftest's clock doubtful
        for _ in range(3):
            one, other = begin(test)
            one.wait(SOON)
            other.wait(SOON)
            if "Can't produce a report" not in one.err + other.err:
                break
        assert one.status == 0 and other.status == 0, f"{one}\n{other}"
