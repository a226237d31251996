"""A terminal that goes away."""
import json
import signal
import time

import pytest

from lab import (Server, client, complained, failed, interrupted, loopback,
                 serves)

SOON = 10


def under_way(program):
    program.wait_for_traffic()
    time.sleep(0.3)
    return program


def ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_a_hangup_of_both_ends_is_reported(tmp_path):
    path = tmp_path / "json"
    program = under_way(loopback("write_bw", "-D", 60, f"--json={path}"))
    program.send(signal.SIGHUP)
    interrupted(program, signal.SIGHUP, seconds=SOON)
    error = json.loads(path.read_text())["error"]
    assert error["message"] == "interrupted by SIGHUP"
    assert error["code"] == "ECANCELED"


def test_a_hangup_of_a_client_is_told_to_the_server(server):
    program = under_way(client("write_bw", "-D", 60, port=server.port))
    program.send(signal.SIGHUP)
    interrupted(program, signal.SIGHUP, seconds=SOON)
    complained(server, "the client: interrupted by SIGHUP")
    server.forget()
    serves(server)


def test_a_hangup_of_a_server_is_told_to_the_client(server):
    program = under_way(client("write_bw", "-D", 60, port=server.port))
    server.send(signal.SIGHUP)
    failed(program, "the server: interrupted by SIGHUP", seconds=SOON)
    failed(server, "interrupted by SIGHUP", status=0, seconds=SOON)


def test_a_hangup_may_be_said_twice(tmp_path):
    """By the kernel and by the shell, to both ends."""
    path = tmp_path / "json"
    program = under_way(loopback("write_bw", "-D", 60, f"--json={path}"))
    for _ in range(20):
        program.send(signal.SIGHUP)
        time.sleep(0.001)
    interrupted(program, signal.SIGHUP, seconds=SOON)
    assert json.loads(path.read_text())["error"]


@pytest.mark.parametrize("at_server", (False, True))
def test_a_hangup_is_ignored_under_nohup(at_server):
    server = Server(preexec_fn=ignored)
    program = under_way(client("write_bw", "-D", 3, port=server.port,
                               preexec_fn=ignored))
    (server if at_server else program).send(signal.SIGHUP)
    program.wait()
    assert program.status == 0, str(program)
    assert not server.errors and server.status is None, str(server)
    serves(server)
