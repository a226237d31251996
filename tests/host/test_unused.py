"""Connections on which nothing is said: those that lose a client's race, or a
port scanner's.  They are no clients."""
import socket
import struct

import pytest

from lab import (Program, Server, DEVICE, client, complained, failed,
                 succeeded)

QUICK = ("-n", 100, "--warmup", 0)
# a server for one client, as it is called
SERVERS = {"serve": {"command": "serve", "args": ("--once",)},
           "test": {"command": "write_bw", "args": ()},
           "several": {"command": "serve", "args": ()}}


def leave(port, how):
    """Connects to PORT and closes, without a word."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        if how == "reset":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))


@pytest.mark.parametrize("how", ("close", "reset"))
@pytest.mark.parametrize("kind", SERVERS)
def test_nothing_is_said_of_them(kind, how):
    server = Server(*SERVERS[kind]["args"], command=SERVERS[kind]["command"])
    for _ in range(5):
        leave(server.port, how)
    succeeded(client("write_bw", *QUICK, port=server.port))
    if kind == "several":
        server.process.terminate()
    succeeded(server)
    assert "closed" not in server.err, str(server)
    assert server.err.count("\n") == 2, str(server)


def test_verbose_says_it():
    server = Server("--verbose")
    leave(server.port, "close")
    server.wait_for("client at 127.0.0.1")
    server.wait_for("before it sent anything")
    assert not server.errors


def test_one_that_said_something_is_said():
    server = Server("--once")
    with socket.create_connection(("127.0.0.1", server.port)) as sock:
        sock.sendall(b"V")
    complained(server, "closed the connection inside a frame")
    succeeded(client("write_bw", *QUICK, port=server.port))
    server.wait()
    assert server.status == 0, str(server)


@pytest.mark.parametrize("words", (("serve",), ("write_bw", "-n", 100)))
def test_nobody_came_in_time(words):
    """A job that waits for this server goes on."""
    server = Program(*words, "-d", DEVICE, "-p", 0, "--once=0.3")
    failed(server, "error: no client", "0.3 s", "--once")


def test_who_says_nothing_has_not_come_in_time():
    server = Server("--once=1.5")
    with socket.create_connection(("127.0.0.1", server.port)):
        server.wait()
    assert server.status == 1 and "error: no client" in server.err, str(server)


def test_who_comes_in_time_is_served():
    server = Server("--once=60")
    succeeded(client("write_bw", *QUICK, port=server.port))
    succeeded(server)
