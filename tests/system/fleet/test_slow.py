"""tc tbf slows a node, a rail of it, or a rail of all: it is named, and nothing
else.  And what an incast does to the latency of others."""
import pytest

import guests
from conftest import LONG, Cluster
from test_patterns import BOTH

N = len(guests.NODES)
RAILS = "rxe[0-1]"


@pytest.fixture
def slow():
    """Call it with a guest and its interface."""
    done = []

    def begin(number, netdev):
        guests.slow_down(number, netdev)
        done.append((number, netdev))

    yield begin
    for one in done:
        guests.speed_up(*one)


@pytest.fixture(scope="module")
def rails(ssh):
    """A second Soft-RoCE device, rxe1 on eth2, which is in the network of the
    first: each interface reaches the other's addresses, and answers for its
    own only."""
    guests.on_all("""
        n=$VERBSPERF_LAB_GUEST
        sysctl -qw net.ipv4.conf.all.arp_ignore=1
        ip link set eth2 up
        ip addr add 10.0.2.$n/24 dev eth2
        ip addr add fd02::$n/64 dev eth2 nodad
        ip route add 10.0.2.0/24 dev eth0 src 10.0.0.$n metric 500
        ip route add 10.0.0.0/24 dev eth2 src 10.0.2.$n metric 500
        ip route add fd02::/64 dev eth0 src fd00::$n metric 5000
        ip route add fd00::/64 dev eth2 src fd02::$n metric 5000
        rdma link add rxe1 type rxe netdev eth2
        """)
    yield RAILS
    guests.on_all("rdma link delete rxe1; ip link set eth2 down; "
                  "ip addr flush dev eth2; "
                  "ip route del 10.0.2.0/24 dev eth0; "
                  "ip route del fd02::/64 dev eth0")


@BOTH
def test_slow_node(how, slow, nothing_left):
    slow(2, "eth0")
    run = Cluster(how, "--pattern", "all-pairs")
    out = run.end(3)
    found, = run.lines("finding")
    assert found["kind"] in ("node", "unsteady")
    assert found["ends"] == [{"node": "mgmt2", "device": ""}]
    assert "mgmt2: " in out and "; 1 finding" in out


def test_rails(rails, nothing_left):
    run = Cluster("ssh", "--devices", rails, "--pattern", "all-pairs")
    out = run.end(0)
    pairs = run.lines("pair")
    assert sorted({one["rail"] for one in pairs}) == [0, 1]
    for one in pairs:
        assert one["error"] is None
        assert (one["client"]["device"] == one["server"]["device"]
                == f"rxe{one['rail']}")
        # it is measured on the device that it is said to be
        assert one["result"]
    assert ", rxe0, Gb/s" in out and ", rxe1, Gb/s" in out


def test_cross_rails(rails, nothing_left):
    run = Cluster("ssh", "--devices", rails, "--cross-rails", "--pattern",
                  "pairs")
    run.end(0)
    pairs = [one for one in run.lines("pair") if not one["alone"]]
    assert sorted((one["client"]["device"], one["server"]["device"])
                  for one in pairs) == [("rxe0", "rxe0"), ("rxe0", "rxe1"),
                                        ("rxe1", "rxe0"), ("rxe1", "rxe1")]
    assert all(one["error"] is None for one in pairs)


def test_slow_rail_of_a_node(rails, slow, nothing_left):
    slow(2, "eth2")
    run = Cluster("ssh", "--devices", rails, "--pattern", "all-pairs")
    out = run.end(3)
    found, = run.lines("finding")
    assert found["ends"] == [{"node": "mgmt2", "device": "rxe1"}]
    assert "mgmt2 rxe1: " in out


def test_slow_rail_alone_and_together(rails, slow, nothing_left):
    slow(2, "eth2")
    run = Cluster("ssh", "--devices", rails, "--rails")
    out = run.end(3)
    found, = run.lines("finding")
    assert found["ends"] == [{"node": "mgmt2", "device": "rxe1"}]
    assert "mgmt2 rxe1: " in out and "together   lost" in out


def test_slow_rail_of_all(rails, slow, nothing_left):
    for number in guests.NUMBERS:
        slow(number, "eth2")
    run = Cluster("ssh", "--devices", rails, "--pattern", "all-pairs")
    out = run.end(3)
    found, = run.lines("finding")
    assert found["kind"] == "rail"
    assert "rxe1" in found["sentence"] and "rxe1" in out


@BOTH
def test_probe(how, nothing_left):
    """The load is as much as the guests can, and all of it goes to the node
    that the probe goes to."""
    run = Cluster(how, "--pattern", "incast", "--target", "mgmt1", "--probe",
                  "mgmt2:mgmt1", traffic=("write_bw", "--size", "1K",
                                          "--tx-depth", "8", "--qp-timeout",
                                          "18", "--duration", "12"))
    out = run.end(0, 2, 3, seconds=2 * LONG)
    line, = (line for line in out.splitlines() if "latency of" in line)
    assert "mgmt2 - mgmt1: alone p50 " in line and "under load p50" in line
    probes = {one["round"]: one["result"]["latency"]
              for one in run.lines("pair") if one["probe"]}
    assert set(probes) == {0, 1}
    assert probes[1]["p50"] > probes[0]["p50"]
    assert probes[1]["p99"] > probes[0]["p99"]
    assert [one["pairs"] for one in run.rounds()] == [0, N - 1]
