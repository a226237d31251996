"""A server that has nothing to do costs nothing."""
import os
import shutil
import signal
import socket
import time

import pytest

import bad_clients
from lab import (BINARY, Program, Server, client, deadline, free_port,
                 succeeded)

QUICK = ("-n", 100, "--warmup", 0)
WATCHED = 3         # seconds
MOST = 0.02         # of them


def cpu_of(pid):
    """The CPU time of the process PID, without its children, in seconds."""
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


def check_idle(server, seconds=WATCHED):
    before = cpu_of(server.process.pid)
    time.sleep(seconds)
    spent = cpu_of(server.process.pid) - before
    assert spent <= MOST * seconds / WATCHED, f"{spent:.3f} s of CPU"


def wait_for_children(server, n):
    deadline(30, lambda: len(server.children()) == n, f"{n} children")


def nobody(_server):
    pass


def one_client(server):
    succeeded(client("write_bw", *QUICK, port=server.port))


def killed_client(server):
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    program.kill()


def killed_child(server):
    """The server's own process for a client."""
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    os.kill(server.children()[0], signal.SIGKILL)
    program.wait()


def bad(server):
    crowd = bad_clients.Crowd(server.port)
    crowd.come(0, 100)
    crowd.leave()


@pytest.mark.parametrize("history", (nobody, one_client, killed_client,
                                     killed_child, bad))
def test_after(server, history):
    history(server)
    wait_for_children(server, 0)
    check_idle(server)


def test_while_a_client_is_served(server):
    one_client(server)
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    check_idle(server)


def test_while_a_client_waits(server):
    one_client(server)
    client("write_bw", "-D", 60, port=server.port).wait_for_traffic()
    client("write_bw", *QUICK, port=server.port).wait_for("waiting: 1")
    check_idle(server)


def test_while_somebody_says_nothing(server):
    one_client(server)
    with socket.create_connection(("127.0.0.1", server.port)):
        wait_for_children(server, 1)
        check_idle(server)


def test_before_the_only_client_of_perftest(tmp_path):
    name = tmp_path / "ib_write_bw"
    name.symlink_to(os.path.abspath(shutil.which(BINARY) or BINARY))
    server = Program("-p", free_port(), argv0=(name,))
    deadline(30, lambda: "Waiting for client" in server.out, str(server))
    check_idle(server)


def test_with_a_limit_of_time():
    server = Server("--max-duration", "30s")
    one_client(server)
    client("write_bw", "-D", 10, port=server.port).wait_for_traffic()
    check_idle(server)
