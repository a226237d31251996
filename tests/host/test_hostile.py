"""Peers that flood, drip, fall silent or pretend to be busy."""
import json
import os
import signal
import socket
import struct
import threading
import time

import pytest

import wire
from lab import Server, client, deadline, failed, serves, succeeded
from wire import FakeClient, FakeServer

# An end that keeps a deadline of a second or two is done by then.
SOON = 10
QUICK = ("-n", 100, "--warmup", 0)
STEPS = ("HELLO", "PLAN", "ENDPOINT", "READY", "START")
SIGN = wire.frame("ALIVE")


class Flood(threading.Thread):
    """Sends SIGN over SOCK for ever: every PAUSE seconds, or without one."""

    def __init__(self, sock, sign=SIGN, pause=0):
        super().__init__(daemon=True)
        self.sock = sock
        self.sign = sign if pause else sign * 1000
        self.pause = pause
        self.start()

    def run(self):
        try:
            while True:
                self.sock.sendall(self.sign)
                time.sleep(self.pause)
        except OSError:
            pass


def is_closed(sock):
    """The other end has closed SOCK; what it sent before is thrown away."""
    sock.settimeout(0.01)
    try:
        while sock.recv(65536):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


def ends(sock, seconds=SOON):
    deadline(seconds, lambda: is_closed(sock), "the end of a connection")


@pytest.mark.parametrize("n", range(len(STEPS) + 1))
@pytest.mark.parametrize("kind", ("ALIVE", "WAIT"))
def test_a_client_that_floods(kind, n):
    server = Server("--idle-timeout", 2)
    peer = FakeClient(server.port)
    peer.play(*STEPS[:n])
    sign = SIGN if kind == "ALIVE" else wire.frame("WAIT", b"\0\0\0\1")
    Flood(peer.sock, sign)
    ends(peer.sock)
    serves(server)


@pytest.mark.parametrize("args", (
    ("write_bw", "--reversed", "-q", 64, "-t", 16384),
    ("write_bw", "--reversed", "-q", 1000, "-t", 512),
    ("send_bw", "-q", 64, "-r", 16384)))
def test_queues_are_memory_too(args):
    """These took up to 524 MiB of a server that was to give 16."""
    server = Server("--max-memory", "16M")
    failed(client(*args, "-s", 64, port=server.port),
           r"needs \d{8,} bytes of memory, \d+ for messages and \d{8,} for "
           r"queue pairs and their queues: this server allows 16777216 "
           r"\(--max-memory\)",
           "a smaller --tx-depth, --rx-depth")
    serves(server)


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
def test_a_server_under_flood_is_stopped(number):
    server = Server("--idle-timeout", 60, "--parallel", 4)
    peers = [FakeClient(server.port) for _ in range(4)]
    for n, peer in enumerate(peers):
        peer.play(*STEPS[:n])
        Flood(peer.sock, pause=0.2)
    server.send(number)
    server.wait(SOON)
    assert server.status in (0, 128 + number, -number), str(server)


def test_a_turn_ends_without_progress():
    """Signs of life do not stand for a PLAN."""
    server = Server("--idle-timeout", 2)
    peer = FakeClient(server.port)
    peer.play("HELLO")
    Flood(peer.sock, pause=0.5)
    ends(peer.sock)
    serves(server)


def test_many_queue_pairs_and_silence():
    """The time for 16,384 of them is not for one that does nothing."""
    server = Server("--idle-timeout", 2)
    peer = FakeClient(server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan(parameters={6: 16384, 5: wire.SECOND}))
    peer.expect("ACCEPT")
    ends(peer.sock, 60)
    server.wait_for("said nothing in time: waited for ENDPOINT")


def floods_client(sign, *steps, pause=0.0, test="write_bw", options=QUICK):
    """A client of a server that plays STEPS and floods then."""
    fake = FakeServer()
    program = client(test, *options, "--timeout", 2, port=fake.port)
    peer = fake.accept()
    fake.play(*steps)
    Flood(peer.sock, sign, pause)
    return program


@pytest.mark.parametrize("n", range(len(FakeServer.STEPS) + 1))
@pytest.mark.parametrize("kind", ("ALIVE", "WAIT"))
def test_a_server_that_floods(kind, n):
    sign = SIGN if kind == "ALIVE" else wire.frame("WAIT", b"\0\0\0\1")
    program = floods_client(sign, *FakeServer.STEPS[:n],
                            options=("-D", 60))
    failed(program, "the server sent|speaks|makes no sense|does not fit",
           seconds=SOON)


@pytest.mark.parametrize("n", range(2, len(FakeServer.STEPS)))
def test_interrupting_a_client_that_gets_signs_of_life(n):
    program = floods_client(SIGN, *FakeServer.STEPS[:n], pause=0.2)
    time.sleep(1)
    assert program.status is None
    program.send(signal.SIGINT)
    program.wait(SOON)
    assert "interrupted by SIGINT" in program.err


def test_interrupting_a_client_that_waits():
    program = floods_client(wire.frame("WAIT", b"\0\0\0\1"), "HELLO",
                            pause=0.2)
    program.wait_for("waiting: 1 client")
    time.sleep(3)
    assert program.status is None
    program.send(signal.SIGINT)
    program.wait(SOON)


def test_hello_is_due_at_once():
    """However many queue pairs there are to be."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        start = time.monotonic()
        program = client("write_bw", "-q", 1024, "--timeout", 1,
                         port=mute.getsockname()[1])
        failed(program, "said nothing in time: waited for HELLO")
        assert time.monotonic() - start < 3


def slow(ms):
    """To be given to a program whose registrations take that long."""
    return {"env": {**os.environ, "FAKE_REG_MS": str(ms),
                    "LD_PRELOAD": os.environ["VERBSPERF_PRELOAD"]}}


@pytest.mark.parametrize("client_ms,server_ms", ((5000, 0), (0, 5000),
                                                 (5000, 5000)))
def test_registrations_that_last(client_ms, server_ms):
    """More than twice as long as an end waits for one that is silent."""
    server = Server("--idle-timeout", 2, **slow(server_ms))
    program = client("write_bw", *QUICK, "--timeout", 1, port=server.port,
                     **slow(client_ms))
    succeeded(program)


def test_interrupting_while_memory_is_registered():
    server = Server()
    program = client("write_bw", *QUICK, port=server.port, **slow(4000))
    server.wait_for("this is")
    time.sleep(0.5)
    program.send(signal.SIGINT)
    program.wait(SOON)
    assert program.status == -signal.SIGINT, str(program)
    assert "interrupted by SIGINT" in program.err
    server.wait_for("the client: interrupted by SIGINT")
    serves(server)


@pytest.mark.parametrize("n", (0, 5, 11))
def test_part_of_a_frame_does_not_stop_the_clock(n):
    """N bytes of ALIVE, the rest five seconds later: a window of a second is
    one."""
    fake = FakeServer()
    program = client("write_bw", "-D", 1, "--warmup", 0, "--json",
                     "--timeout", 20, port=fake.port)
    peer = fake.accept()
    fake.play(*FakeServer.STEPS)
    peer.sock.sendall(SIGN[:n])
    time.sleep(5)
    peer.sock.sendall(SIGN[n:])
    peer.expect("SENT")
    posted = struct.unpack(">Q", peer.expect("DONE")[:8])[0]
    peer.send("DONE", wire.done(0, 0, 0, 0, method=0))
    peer.expect("BYE")
    peer.send("BYE")
    program.wait()
    assert program.status == 0, str(program)
    row = json.loads(program.out)["results"][0]
    assert 0.9 < row["seconds"] < 1.3
    assert row["iterations"] <= posted


def test_a_window_that_did_not_end():
    """The client stands still for six seconds of its one: what it measured is
    a result, with a doubt."""
    server = Server()
    program = client("write_bw", "-D", 1, "--warmup", 0, "--json", "--verbose",
                     "--timeout", 20, port=server.port)
    program.wait_for_traffic()
    program.send(signal.SIGSTOP)
    time.sleep(6)
    program.send(signal.SIGCONT)
    succeeded(program)
    row = json.loads(program.out)["results"][0]
    assert row["failed"] is False and row["seconds"] > 6
    assert "s instead of 1 s: look at what held it up" in program.err


@pytest.mark.parametrize("options, seconds", [
    (("-D", 1, "--warmup", 0), 8), (("-D", 0.5, "--warmup", 0.5, "-b"), 8)])
def test_a_server_that_only_lives(options, seconds):
    """It holds a client for four times what its options add up to."""
    fake = FakeServer()
    way = () if "-b" in options else ("--reversed",)
    program = client("write_bw", *options, *way, "--timeout", 1,
                     port=fake.port)
    peer = fake.accept()
    fake.play(*FakeServer.STEPS)
    Flood(peer.sock, pause=0.3)
    start = time.monotonic()
    failed(program, "the server is alive, but has not said within "
           f"{seconds} s that it sent everything; use a longer --timeout")
    assert time.monotonic() - start < seconds + SOON


@pytest.mark.parametrize("test, options, n, waited", (
    ("write_bw", ("-D", 1), 5, "is alive but did not send DONE within 1 s"),
    ("send_bw", ("-n", 100), 5, "is alive but did not send DONE within 1 s"),
    ("write_lat", ("-D", 1), 5, "nothing completed for 1 s"),
    ("connect", ("-D", 60), 2, "waited for ENDPOINT")))
def test_a_server_that_lives_and_does_nothing(test, options, n, waited):
    """It holds a client for no longer than its --duration and --timeout."""
    fake = FakeServer()
    program = client(test, *options, "--warmup", 0, "--timeout", 1,
                     port=fake.port)
    peer = fake.accept()
    fake.play(*FakeServer.STEPS[:n])
    Flood(peer.sock, pause=0.3)
    failed(program, waited, seconds=2 + SOON)


def test_a_client_that_only_lives(server):
    """Signs of life are not traffic: its turn is over with its time."""
    assert server.status is None
    peer = FakeClient(server.port)
    peer.play(*STEPS)
    Flood(peer.sock, pause=0.5)
    time.sleep(2)
    peer.close()
    serves(server)
