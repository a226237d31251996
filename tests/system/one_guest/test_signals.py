"""Interrupted, killed and stopped, at either end and at every stage."""

import fcntl
import os
import re
import signal
import time

import pytest

from documents import measured, parse
from lab import (PATIENCE, QUICK, SOON, Program, Server, client, complained,
                 complained_and_serves, deadline, failed, free_port,
                 interrupted, loopback, needs_device, serves, succeeded)
from wire import FakeServer

pytestmark = [needs_device, pytest.mark.dialogue]

LONG = ("-D", 60, "--warmup", 0, "-s", 64)
NAMES = {signal.SIGINT: "SIGINT", signal.SIGTERM: "SIGTERM"}
OPS = ("write_bw", "send_bw", "write_lat", "send_lat", "read_lat")
# each operation, and either signal for some
INTERRUPTIONS = [*zip(OPS, [signal.SIGINT] * 5),
                 ("write_bw", signal.SIGTERM), ("send_lat", signal.SIGTERM)]


def under_way(test, server, *args):
    """A client of SERVER whose traffic runs."""
    program = client(test, *LONG, *args, port=server.port)
    program.wait_for_traffic()
    time.sleep(0.3)
    return program


@pytest.mark.parametrize("test,number", INTERRUPTIONS)
def test_interrupted_client_tells_the_server(server, test, number):
    program = under_way(test, server)
    program.send(number)
    interrupted(program, number, seconds=SOON)
    complained_and_serves(server, "the client", NAMES[number])


@pytest.mark.parametrize("test,number", INTERRUPTIONS)
def test_interrupted_server_tells_the_client(server, test, number):
    program = under_way(test, server)
    server.send(number)
    failed(program, "the server", NAMES[number], seconds=SOON)
    failed(server, "interrupted by " + NAMES[number], status=0, seconds=SOON)


@pytest.mark.parametrize("test", OPS)
def test_killed_client_is_noticed(server, test):
    program = under_way(test, server)
    program.send(signal.SIGKILL)
    complained_and_serves(server, "the client", "closed|lost")


@pytest.mark.parametrize("test", OPS)
def test_killed_server_is_noticed(server, test):
    program = under_way(test, server)
    server.send(signal.SIGKILL)
    failed(program, "the server|RETRY_EXC", seconds=SOON)


@pytest.mark.parametrize("test", ("write_bw", "send_bw", "write_lat"))
def test_stopped_server_is_given_up(server, test):
    program = under_way(test, server, "--timeout", 2)
    child, = server.children()
    os.kill(child, signal.SIGSTOP)
    failed(program, "nothing", "2 s|in time|completed", seconds=SOON)
    os.kill(child, signal.SIGCONT)
    complained_and_serves(server, "the client")


@pytest.mark.real
@pytest.mark.parametrize("test", ("write_bw", "send_lat"))
def test_stopped_client_is_given_up(server, test):
    program = under_way(test, server, "--timeout", 2)
    program.send(signal.SIGSTOP)
    server.wait_for("error: the client said nothing", seconds=SOON)
    program.send(signal.SIGCONT)
    failed(program, "the server", "nothing", seconds=SOON)
    complained_and_serves(server, "the client said nothing for 2 s")


@pytest.mark.real
@pytest.mark.parametrize("test", ("write_bw", "write_lat"))
def test_interrupted_run_reports_what_it_measured(test, tmp_path):
    path = tmp_path / "result.json"
    program = loopback(test, *LONG, f"--json={path}")
    program.wait_for_traffic()
    time.sleep(1)
    program.send(signal.SIGINT)
    interrupted(program, signal.SIGINT, seconds=SOON)
    row, = parse(path.read_text())["results"]
    assert row["failed"] and row["iterations"] > 0
    assert 0.5 < row["seconds"] < SOON
    assert "failed" in program.out


def test_sizes_before_the_failure_are_reported(server, tmp_path):
    path = tmp_path / "result.json"
    program = client("write_bw", "-s", "64,128,256", "-D", 1.5, "--warmup",
                     0, f"--json={path}", port=server.port)
    program.wait_for_traffic()
    time.sleep(2.3)
    program.send(signal.SIGINT)
    interrupted(program, signal.SIGINT, seconds=SOON)
    document = parse(path.read_text())
    assert [(row["size"], row["failed"]) for row in document["results"]] \
        == [(64, False), (128, True)]
    assert document["error"]["stage"] == "traffic"
    lines = program.out.splitlines()
    assert [line.split()[-1] == "failed" for line in lines
            if line.split()[:1] in (["64"], ["128"])] == [False, True]
    complained_and_serves(server, "interrupted")
    server.wait_for_output(" 64 ")


def test_control_c_reaches_both_ends_of_a_loopback():
    program = loopback("write_bw", *LONG)
    program.wait_for_traffic()
    os.killpg(program.process.pid, signal.SIGINT)
    interrupted(program, signal.SIGINT, seconds=SOON)


@pytest.mark.parametrize("number", NAMES)
def test_client_that_waits_for_a_server_can_be_interrupted(number):
    program = client("write_bw", "--wait=300", port=free_port())
    program.wait_for("waiting for 127.0.0.1 ")
    program.send(number)
    interrupted(program, number, seconds=SOON)


def test_client_that_waits_for_an_answer_tells_the_server():
    fake = FakeServer()
    program = client("write_bw", port=fake.port)
    fake.accept().expect("HELLO")
    program.send(signal.SIGINT)
    interrupted(program, signal.SIGINT, seconds=SOON)
    assert "interrupted" in fake.peer.expect_error("ABORT")[2]
    fake.close()


def test_server_that_waits_for_a_client_to_speak_can_be_interrupted():
    server = Server("--verbose")
    program = Program("-c", "import socket,time;"
                      f"s=socket.create_connection(('127.0.0.1',{server.port}"
                      "));time.sleep(60)", argv0=["/usr/bin/python3"])
    del program
    server.wait_for("client at")
    server.send(signal.SIGTERM)
    failed(server, "interrupted by SIGTERM", status=0, seconds=SOON)


@pytest.mark.parametrize("end", ("client", "server"))
def test_killed_at_every_moment(server, end):
    """Four kills at four moments: no hang, and at most one line at the other."""
    for i in range(4):
        server = server if server.status is None else Server()
        seen = len(server.errors)
        program = client("send_bw", "-D", 0.1, "--warmup", 0, "-q", 4,
                         "--timeout", 3, port=server.port)
        time.sleep(0.02 + 0.12 * i)
        (program if end == "client" else server).send(signal.SIGKILL)
        if end == "server":
            program.wait()
            assert program.status == 0 or complained(program)
        else:
            serves(server)
            assert len(server.errors) - seen <= 1


def test_interrupted_bandwidth_is_not_overstated(shared_server):
    """The window of a failed row ends where its last messages did."""
    whole = measured(client("write_bw", "--json", "-s", 64, "-D", 1,
                            port=shared_server.port))
    rate = whole["results"][0]["bandwidth"]["mpps"]
    for wait in (0.05, 0.15, 0.25):
        program = client("write_bw", "--json", "-s", 64, "-D", 20,
                         port=shared_server.port)
        program.wait_for_traffic()
        time.sleep(0.2 + wait)      # the warm-up, and a little more
        program.send(signal.SIGINT)
        interrupted(program, signal.SIGINT, seconds=SOON)
        for row in parse(program.out)["results"]:
            assert row["failed"]
            assert row["bandwidth"]["mpps"] < 5 * rate


def test_samples_into_a_pipe_are_refused(tmp_path, shared_server):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    failed(client("read_lat", "-n", 10, f"--samples={path}",
                  port=shared_server.port), str(path), "give a file",
           seconds=SOON)


def test_a_reader_that_pauses_delays_nothing(tmp_path, shared_server):
    """Live rows are left out where nobody takes them."""
    path = tmp_path / "result.json"
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    program = client("write_bw", f"--json={path}", "-s", 64, "-D", 3,
                     "--interval", 0.01, port=shared_server.port,
                     stderr=write)
    program.wait()
    os.close(read)
    os.close(write)
    assert program.status == 0
    assert 2.5 < parse(path.read_text())["results"][0]["seconds"] < SOON


def takes_signals(program):
    """SIGINT is not blocked."""
    with open(f"/proc/{program.process.pid}/status") as file:
        blocked = re.search(r"SigBlk:\s*(\w+)", file.read())[1]
    return not int(blocked, 16) & 1 << signal.SIGINT - 1


def test_a_report_that_blocks_can_be_interrupted(server):
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"x" * 4096)
    program = client("write_bw", *QUICK, port=server.port, stdout=write)
    # a signal that comes before would end the run, and the report still wait
    deadline(PATIENCE, lambda: len(server.out.splitlines()) > 3,
             f"the report of {server}")
    deadline(PATIENCE, lambda: takes_signals(program),
             f"the report of {program}")
    program.send(signal.SIGINT)
    program.wait(SOON)
    os.close(read)
    os.close(write)


def test_report_into_a_pipe_waits_for_its_reader(tmp_path, shared_server):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    program = client("write_bw", *QUICK, f"--json={path}",
                     port=shared_server.port)
    time.sleep(1)
    document = parse(path.read_text())
    assert succeeded(program)
    assert document["error"] is None


def test_report_into_a_pipe_that_nobody_reads_fails(tmp_path, shared_server):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    failed(client("write_bw", *QUICK, f"--json={path}",
                  port=shared_server.port), str(path), "nobody reads it")
