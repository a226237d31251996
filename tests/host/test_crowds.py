"""Many clients, or what looks like it, and the honest ones among them."""
import contextlib
import os
import resource
import signal
import time

import pytest

import wire
from lab import Server, client, deadline, failed, succeeded
from wire import FakeClient

QUICK = ("-n", 100, "--warmup", 0)
WITHIN = 30
# Of one whose --timeout is the longest.
PATIENT_PLAN = wire.plan(parameters={5: 3600 * wire.SECOND})
SHARE = 32          # of one address, of the places for those that wait


class Crowd:
    """Connections of which each says STEPS and nothing more."""

    def __init__(self, server, n, *steps, host="127.0.0.1"):
        self.peers = []
        for _ in range(n):
            peer = FakeClient(server.port, source=host, PLAN=PATIENT_PLAN)
            with contextlib.suppress(OSError):
                for step in steps:
                    peer.send(step, peer.payload(step))
            self.peers.append(peer)

    def answers(self):
        """By their error codes, those that were turned away."""
        codes = []
        for peer in self.peers:
            peer.sock.settimeout(0.01)
            with contextlib.suppress(OSError, EOFError):
                while True:
                    _, name, payload = peer.receive()
                    if name == "REFUSE":
                        codes.append(wire.read_strings(payload)[1])
        return codes

    def leave(self):
        for peer in self.peers:
            peer.close()


def crowd_behind_one(server, n):
    """N clients behind one that has the turn: if it still waited for its turn
    when they come, it would take one of their places, and free it again."""
    first = FakeClient(server.port, PLAN=PATIENT_PLAN)
    first.play("HELLO", "PLAN")
    crowd = Crowd(server, n, "HELLO", "PLAN")
    crowd.peers.append(first)
    return crowd


def honest(server, *args, host="127.0.0.1"):
    return client("write_bw", *QUICK, "--timeout", 30, "--bind", host, *args,
                  port=server.port)


@pytest.mark.parametrize("steps", ((), ("HELLO",), ("HELLO", "PLAN")))
@pytest.mark.parametrize("host", ("127.0.0.1", "127.0.0.2"))
def test_crowd_of_one_address(steps, host):
    """131 were enough to fill the server's places."""
    server = Server("--idle-timeout", 3)
    crowd = Crowd(server, 131, *steps)
    succeeded(honest(server, "--wait=60", host=host), WITHIN)
    assert server.status is None
    crowd.leave()


def test_one_address_gets_its_share_of_the_places():
    server = Server("--idle-timeout", 60)
    crowd = crowd_behind_one(server, 40)
    deadline(WITHIN, lambda: server.err.count("too many clients from this")
             == 40 - SHARE, "refusals")
    assert crowd.answers() == ["EAGAIN"] * (40 - SHARE)
    failed(honest(server), "the server: too many clients from this address "
           "are already waiting for this server; try again later, or use "
           "--wait")
    # another address has all the others
    program = honest(server, host="127.0.0.2")
    program.wait_for("waiting: 3")


@pytest.fixture
def full():
    """A server, and a crowd that leaves its address no place."""
    server = Server("--idle-timeout", 60)
    crowd = crowd_behind_one(server, SHARE + 1)
    server.wait_for("too many clients from this address", WITHIN)
    yield server, crowd
    crowd.leave()


def test_full_server_is_tried_again(full):
    server, crowd = full
    program = honest(server, "--wait=60")
    program.wait_for("too many clients from this address .*trying again")
    assert program.status is None
    crowd.leave()
    succeeded(program, WITHIN)


def test_full_server_is_tried_again_for_so_long(full):
    start = time.monotonic()
    failed(honest(full[0], "--wait=3"), "too many clients from this address")
    assert 1 < time.monotonic() - start < 10


def test_trying_again_is_interrupted(full):
    program = honest(full[0], "--wait=60")
    program.wait_for("trying again")
    program.send(signal.SIGINT)
    program.wait(WITHIN)
    assert "interrupted by SIGINT" in program.err


def test_hello_alone_is_no_turn():
    server = Server("--idle-timeout", 60)
    peer = FakeClient(server.port)
    peer.play("HELLO")
    succeeded(honest(server), WITHIN)
    peer.send("PLAN", wire.plan())
    peer.expect("ACCEPT")


def test_silent_client_does_not_wait_for_ever():
    server = Server("--idle-timeout", 2)
    first = client("write_bw", "-D", 30, port=server.port)
    first.wait_for_traffic()
    peer = FakeClient(server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan())
    start = time.monotonic()
    assert "said nothing for 2 s while it waited" in peer.expect_error(
        "REFUSE")[2]
    assert 1.5 < time.monotonic() - start < 10
    assert first.status is None


def test_client_that_answers_waits_for_long():
    server = Server("--idle-timeout", 2)
    first = client("write_bw", "-D", 60, port=server.port)
    first.wait_for_traffic()
    second = client("write_bw", *QUICK, "--timeout", 1, port=server.port)
    second.wait_for("waiting: 1 client is ahead")
    time.sleep(6)
    assert second.status is None
    first.send(signal.SIGINT)
    succeeded(second, WITHIN)


def test_client_that_waits_says_only_that_it_lives():
    server = Server()
    first = client("write_bw", "-D", 60, port=server.port)
    first.wait_for_traffic()
    peer = FakeClient(server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan())
    peer.send("READY", wire.ready())
    assert peer.expect_error("REFUSE")[2] == (
        "the client's message does not fit this run")


def test_places_that_change_fast_are_no_flood():
    """A client hears of many others that go, and takes that for life."""
    server = Server("--idle-timeout", 60)
    first = client("write_bw", "-D", 60, port=server.port)
    first.wait_for_traffic()
    crowd = Crowd(server, SHARE, "HELLO", "PLAN", host="127.0.0.2")
    deadline(WITHIN, lambda: server.err.count("this is fakehost") == SHARE,
             "a crowd")
    program = honest(server)
    program.wait_for("waiting: ")
    for peer in crowd.peers:
        peer.close()
        time.sleep(0.02)
    program.wait_for("waiting: 1 client is")
    first.send(signal.SIGINT)
    succeeded(program, WITHIN)


def limit(kind, n):
    return lambda: resource.setrlimit(kind, (n, n))


@pytest.mark.parametrize("steps", ((), ("HELLO",)))
def test_few_descriptors_are_for_clients(steps):
    """100 connections that say nothing have more than the server can open."""
    server = Server(preexec_fn=limit(resource.RLIMIT_NOFILE, 40))
    succeeded(honest(server), WITHIN)
    crowd = Crowd(server, 100, *steps)
    for _ in range(3):
        succeeded(honest(server), WITHIN)
    assert not server.errors, str(server)
    # what is left is for what the server needs besides
    assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 36
    crowd.leave()
    succeeded(honest(server), WITHIN)
    assert server.status is None


def test_few_descriptors_are_freed_again():
    server = Server("--idle-timeout", 2,
                    preexec_fn=limit(resource.RLIMIT_NOFILE, 40))
    succeeded(honest(server), WITHIN)
    deadline(WITHIN, lambda: not server.children(), "the end of a child")
    folder = f"/proc/{server.process.pid}/fd"
    before = sorted(os.listdir(folder))
    Crowd(server, 100).leave()
    deadline(WITHIN, lambda: not server.children(), "the end of children")
    succeeded(honest(server), WITHIN)
    deadline(WITHIN, lambda: sorted(os.listdir(folder)) == before,
             "as many descriptors as before")


def test_turn_has_a_limit_without_max_duration():
    """The client says how long its plan takes: 10 minutes more are allowed."""
    server = Server("--idle-timeout", 60)
    first = client("write_bw", "-n", 10 ** 9, "--warmup", 0, port=server.port)
    first.wait_for_traffic()
    child, = server.children()
    with open(f"/proc/{child}/timers") as file:
        timers = file.read()
    assert "signal: 14/" in timers, timers
