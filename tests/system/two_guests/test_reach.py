"""Over UC and UD nobody is sent messages who did not show that it receives
them: a client that names another host's address, and those that name their own.
"""

import contextlib
import socket
import struct
import time

import pytest

import wire
from documents import measured, row_of
from hosts import MANAGEMENT, NETDEV, RemoteServer, here, there
from lab import SOON, client, complained, failed

each = pytest.mark.parametrize

# A host of the server's network that never asked for anything. It is nobody's;
# what is sent there comes here, to be counted.
ANOTHER = "10.0.0.77"
GID_INDEX, ROCE_V2 = 1, 2
# of a PLAN
DURATION, TRANSPORT, BOTH, REVERSED = 3, 19, 20, 21
UC, UD = 1, 2
MOST_PACKETS = 10


@pytest.fixture
def another(capture):
    with open(f"/sys/class/net/{NETDEV}/address") as file:
        mac = file.read().strip()
    there(f"ip neigh replace {ANOTHER} lladdr {mac} dev {NETDEV} "
          "nud permanent")
    yield lambda: [p for p in capture.packets() if not p.here]
    there(f"ip neigh del {ANOTHER} dev {NETDEV}")


def until_ready(port, operation, metric, parameters, address=ANOTHER):
    """A client that names ADDRESS as its own, until both ends are ready."""
    gids = [(GID_INDEX, ROCE_V2,
             bytes(10) + b"\xff\xff" + socket.inet_aton(address))]
    peer = wire.FakeClient(port, host=MANAGEMENT)
    parameters = {2: 0, DURATION: 3 * wire.SECOND, **parameters}
    peer.send("HELLO", wire.hello())
    peer.expect("HELLO")
    peer.send("PLAN", wire.plan(operation, metric=metric, gids=gids,
                                parameters=parameters))
    peer.expect("ACCEPT")
    peer.send("ENDPOINT", wire.endpoint(GID_INDEX, GID_INDEX, gids=gids))
    peer.expect("ENDPOINT")
    peer.send("READY", wire.ready(transport=parameters[TRANSPORT]))
    peer.expect("READY")
    return peer


def say_again(peer):
    for _ in range(100):
        peer.send("AGAIN")


def guess(peer):
    peer.send("REACHED", bytes(16))


def go_on(_peer):
    """As if there had been nothing to prove."""


MISDEEDS = {
    say_again: "asked for more than 10 packets at GID ::ffff:" + ANOTHER,
    guess: "did not return the challenge sent to GID ::ffff:" + ANOTHER,
    go_on: "the client's answer does not fit this run"}
TESTS = (("send", "bandwidth", {TRANSPORT: UD, REVERSED: 1}),
         ("send", "bandwidth", {TRANSPORT: UD, BOTH: 1}),
         ("send", "latency", {TRANSPORT: UD}),
         ("send", "bandwidth", {TRANSPORT: UC, REVERSED: 1}),
         ("write", "bandwidth", {TRANSPORT: UC, REVERSED: 1}),
         ("write", "bandwidth", {TRANSPORT: UC, BOTH: 1}))


# Each way of sending for who asks for most, and one of either transport.
@each("test, misdeed", [
    pytest.param(test, misdeed,
                 id=f"{test[0]} {test[1]} {test[2]} {misdeed.__name__}")
    for misdeed in MISDEEDS
    for test in TESTS[::1 if misdeed is say_again else 4]])
def test_another_host_is_sent_a_few_packets(remote, another, test, misdeed):
    peer = until_ready(remote.port, *test)
    # the server may have had enough before all is sent
    with contextlib.suppress(AssertionError, EOFError, ConnectionError):
        misdeed(peer)
        peer.send("START", struct.pack(">Q", 64))
        peer.expect("START")
        time.sleep(1)
    # who fails at once may have withdrawn the first
    assert (misdeed is say_again) <= len(another()) <= MOST_PACKETS
    remote.wait_for(MISDEEDS[misdeed], seconds=SOON)
    remote.forget()
    peer.close()


@each("address", ("10.0.0.255", "239.1.2.3", "255.255.255.255"))
@each("transport", (UC, UD))
def test_many_hosts_are_sent_nothing(remote, capture, transport, address):
    with contextlib.suppress(AssertionError):
        until_ready(remote.port, "send", "bandwidth",
                    {TRANSPORT: transport, REVERSED: 1}, address)
    remote.wait_for("multicast or broadcast|cannot move QP|cannot make an address handle",
                    seconds=SOON)
    remote.forget()
    assert not [p for p in capture.packets() if not p.here]


# Of the ways in which messages go that are not answered; the others are those
# of one_guest/test_cells.py and tests/host/test_data.py.
HONEST = ("send_bw -c UD", "write_bw -c UC --imm", "write_bw -c UC --reversed",
          "send_bw -c UC -b --srq -q 4", "send_bw -c UD -q 4 --threads 2 -e",
          "send_bw -c UD --rate 500pps", "send_lat -c UD --verify",
          "write_lat -c UC")


@each("line", HONEST)
def test_who_is_there_is_sent_everything(remote, line):
    test, *words = line.split()
    measured(client(test, "--json", *words, "-n", 50, "-s", 64, "--warmup", 0,
                    port=remote.port, host=MANAGEMENT))


@each("words", (("send_bw", "-c", "UD"), ("write_lat", "-c", "UC"),
                ("send_bw", "-c", "UC", "-b")), ids=" ".join)
def test_packets_lost_are_sent_again(lossy, remote, words):
    lossy(40)
    row_of(client(words[0], "--json", *words[1:], "-n", 50, "-s", 64,
                  "--warmup", 0, port=remote.port, host=MANAGEMENT))


@each("way,says", (
    ((), "the server: none of 10 packets that the client sent to GID "
     "::ffff:10.0.0.2 arrived"),
    (("--reversed",), "none of 10 packets that the server sent to GID "
     "::ffff:10.0.0.1 arrived")))
def test_no_packet_arrives(neighbours, way, says):
    server = RemoteServer()
    sender = there if way else here
    sender(f"tc qdisc add dev {NETDEV} root netem loss 100%")
    try:
        program = client("send_bw", "-c", "UD", *way, "-n", 50,
                         port=server.port, host=MANAGEMENT)
        line = failed(program, says, seconds=SOON)
    finally:
        sender(f"tc qdisc del dev {NETDEV} root")
    assert "UDP port 4791" in program.err, line
    complained(server, "none of 10 packets")
