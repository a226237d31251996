"""A server to leave running: turns, limits, and clients that are none."""

import os
import re
import signal
import socket
import subprocess
import time

import pytest

import wire
from bad_clients import Crowd, Possessions
from lab import (DEVICE, PATIENCE, PATIENT, QUICK, Program, Server, client,
                 complained, deadline, failed, loopback, needs_device,
                 needs_lab, serves, succeeded)
from wire import FakeClient

pytestmark = [needs_device, pytest.mark.dialogue]

NAMES = {signal.SIGINT: "SIGINT", signal.SIGTERM: "SIGTERM"}
LONG = ("-D", 60, "--warmup", 0, "-s", 64)


def under_way(server, *args):
    program = client("write_bw", *LONG, *args, port=server.port)
    program.wait_for_traffic()
    return program


def waiting(server, before, *args):
    """A client that was told to wait for BEFORE others."""
    program = client("write_bw", *QUICK, *args, port=server.port)
    program.wait_for(f"waiting: {before} client")
    return program


def test_clients_are_told_their_place(server):
    first = under_way(server)
    second = waiting(server, 1)
    third = waiting(server, 2)
    assert "waiting: 1 client is ahead of this one" in second.err
    assert "waiting: 2 clients are ahead of this one" in third.err
    first.send(signal.SIGINT)
    succeeded(second)
    succeeded(third)
    assert third.err.count("waiting: 1 client is") <= 1


def test_waits_longer_than_its_timeout(server):
    first = under_way(server)
    second = waiting(server, 1, "--timeout", 1)
    time.sleep(3)
    assert second.status is None
    first.send(signal.SIGINT)
    succeeded(second)


def test_silence_ends_waiting():
    server = Server()
    under_way(server)
    second = waiting(server, 1, "--timeout", 2)
    for child in server.children():
        os.kill(child, signal.SIGSTOP)
    failed(second, "the server said nothing in time")


@pytest.mark.parametrize("number,text", (
    (signal.SIGINT, "the client: interrupted by SIGINT"),
    (signal.SIGKILL, "the client closed the connection while it waited")))
def test_who_goes_leaves_the_queue(server, number, text):
    first = under_way(server)
    second = waiting(server, 1)
    third = waiting(server, 2)
    second.send(number)
    server.wait_for(text)
    third.wait_for("waiting: 1 client is")
    first.send(signal.SIGINT)
    succeeded(third)


def test_several_are_served_at_once():
    server = Server("--parallel", 3)
    first = [under_way(server) for _ in range(3)]
    last = waiting(server, 1)
    first[1].send(signal.SIGINT)
    succeeded(last)
    assert first[0].status is None and first[2].status is None


def test_a_queue_of_many():
    server = Server("--parallel", 3)
    programs = [client("write_bw", *QUICK, "--timeout", 60, port=server.port)
                for _ in range(12)]
    for program in programs:
        succeeded(program, seconds=120)
    server.wait_for_output("#bytes", 12)


def test_each_connection_is_named():
    server = Server("--verbose")
    program = client("write_bw", *QUICK, port=server.port)
    succeeded(program)
    port = re.search(r"client at (127\.0\.0\.1 port \d+)", server.err)[1]
    assert re.search(port + ": this is .+, with verbsperf ", server.err)


def test_once_is_not_used_up_by_a_stranger():
    server = Server("--once", "--verbose")
    with socket.create_connection(("127.0.0.1", server.port)):
        pass
    with socket.create_connection(("127.0.0.1", server.port)) as sock:
        sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
    server.wait_for("closed the connection")
    server.wait_for("not verbsperf")
    program = under_way(server, "--timeout", 20)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port)).close()
    program.send(signal.SIGINT)
    server.wait()
    assert server.status == 1, str(server)


def test_once_has_no_turn_for_a_second():
    server = Server("--once")
    peers = [FakeClient(server.port) for _ in range(2)]
    peers[0].play("HELLO", "PLAN")
    peers[1].play("HELLO")
    peers[1].send("PLAN", wire.plan())
    assert "another came first" in peers[1].expect_error("REFUSE")[2]
    for peer in peers:
        peer.close()
    assert server.wait().status == 1


@pytest.mark.parametrize("number", NAMES)
def test_stop_is_told_to_all(number):
    server = Server("--parallel", 2)
    programs = [under_way(server, "--reversed") for _ in range(2)]
    programs.append(waiting(server, 1))
    os.killpg(server.process.pid, number)   # as ^C in a terminal does
    for program in programs:
        failed(program, "the server: interrupted by " + NAMES[number])
    assert server.wait().status == 0
    assert len(server.errors) == 3
    assert server.out.count("failed") == 2


def test_second_signal_ends_all_at_once(server):
    program = under_way(server)
    for child in server.children():
        os.kill(child, signal.SIGSTOP)
    server.send(signal.SIGTERM)
    time.sleep(0.5)
    assert server.status is None
    server.send(signal.SIGTERM)
    server.wait(5)
    failed(program, "server")


def lives(pid):
    """Also a process without a parent may stay as a zombie for a while."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "XZ"
    except OSError:
        return False


def test_killed_server_leaves_no_process(server):
    program = under_way(server)
    children = server.children()
    assert children
    server.send(signal.SIGKILL)
    failed(program, "the server|RETRY_EXC")
    deadline(PATIENCE, lambda: not any(map(lives, children)),
             "the end of children")


def test_killed_process_of_a_client_is_told(server):
    program = under_way(server)
    second = waiting(server, 1)
    os.kill(min(server.children()), signal.SIGKILL)
    failed(program, "server|RETRY_EXC")
    server.wait_for("warning: the process of the client at .* signal 9")
    succeeded(second)
    assert server.status is None


LIMITS = (
    ("--max-qps", 2, ("-q", 3), ("--qps 3", "allows 2")),
    ("--max-duration", 3, ("-D", 2, "-s", "1,2"), ("4.4 s", "allows 3 s")),
    ("--max-memory", "1M", ("-s", "2M"), ("2097152", "allows 1048576")))


@pytest.mark.parametrize("option,value,args,texts", LIMITS,
                         ids=[row[0] for row in LIMITS])
def test_limit_is_named_at_both_ends(option, value, args, texts):
    server = Server(option, value)
    texts = (*texts, option)
    failed(client("write_bw", *args, port=server.port), *texts)
    complained(server, *texts)
    serves(server)


@pytest.mark.parametrize("test", ("write_bw", "send_lat"))
def test_time_is_limited_by_the_servers_clock(test):
    server = Server("--max-duration", 2)
    program = client(test, "-n", 10 ** 9, "--warmup", 0, "-s", 64,
                     port=server.port)
    text = "longer than the 2 s .* \\(--max-duration\\)"
    failed(program, "the server: ", text)
    complained(server, text)
    serves(server)


def test_time_of_a_client_that_dawdles_is_limited():
    server = Server("--max-duration", 2, "--idle-timeout", 60)
    wire.PARAMETERS[3] = wire.SECOND // 10
    try:
        peer = FakeClient(server.port)
        peer.play("HELLO", "PLAN")
        assert "--max-duration" in peer.expect_error("ABORT")[2]
    finally:
        wire.PARAMETERS[3] = wire.SECOND
    serves(server)


def test_process_that_is_stuck_is_killed():
    """It cannot end itself when its time is over."""
    server = Server("--max-duration", 2)
    program = client("write_bw", "-n", 10 ** 9, "--warmup", 0, "-s", 64, "-e",
                     port=server.port)
    program.wait_for_traffic()
    stuck, = server.children()
    os.kill(stuck, signal.SIGSTOP)
    second = waiting(server, 1)
    server.wait_for("warning: killed the process .* within 2 s .*--max-duration")
    failed(program, "server|RETRY_EXC|completed")
    succeeded(second)
    assert not lives(stuck)
    assert server.status is None


@pytest.mark.parametrize("steps", (0, 1, 2, 5))
def test_silence_is_limited(steps):
    """Whatever timeout the client asks for."""
    server = Server("--idle-timeout", 2, "--timeout", 60)
    wire.PARAMETERS[5] = 3600 * wire.SECOND
    try:
        peer = FakeClient(server.port)
        peer.play(*FakeClient.STEPS[:steps])
    finally:
        wire.PARAMETERS[5] = 5 * wire.SECOND
    assert "said nothing" in peer.expect_error(
        "ABORT" if steps > 1 else "REFUSE")[2]
    serves(server)


@pytest.mark.parametrize("allow,host,comes", (
    ("127.0.0.0/8", "127.0.0.1", True), ("127.0.0.0/8", "::1", False),
    ("::1", "::1", True), ("::/0", "127.0.0.1", False),
    ("10.0.0.0/8,192.0.2.1", "127.0.0.1", False)))
def test_only_some_may_come(allow, host, comes):
    server = Server("--allow", allow)
    program = client("write_bw", *QUICK, port=server.port, host=host)
    if comes:
        succeeded(program)
    else:
        texts = ("accepts no clients from " + re.escape(host), "--allow")
        failed(program, "the server: ", *texts)
        complained(server, *texts)


def test_port_is_written_where_wanted():
    read, write = os.pipe()
    server = Program("serve", "-d", DEVICE, "-p", 0, "--ready-fd", write,
                     pass_fds=[write])
    os.close(write)
    with os.fdopen(read) as file:
        server.port = int(file.read())
    serves(server)
    assert f"serving on TCP port {server.port} " in server.err


@pytest.mark.parametrize("flags", (None, os.O_RDONLY))
def test_port_cannot_be_written_there(flags):
    fds = [] if flags is None else [os.open("/dev/null", flags)]
    number = fds[0] if fds else 77
    program = Program("serve", "-d", DEVICE, "--ready-fd", number,
                      pass_fds=fds)
    failed(program, f"--ready-fd {number}: is not open", status=2)


def rdma_objects():
    """How many QPs, MRs and other objects the kernel has, by kind."""
    done = subprocess.run(["rdma", "resource", "show"], check=True,
                          capture_output=True, text=True)
    return dict(re.findall(r"(\w+) (\d+)", done.stdout))


@needs_lab
def test_bad_clients_leave_nothing_behind():
    """tests/system/bad_clients.py has 10,000, without real queue pairs."""
    server = Server("--idle-timeout", 2)
    serves(server)
    before = Possessions(server.process.pid)
    objects = rdma_objects()
    crowd = Crowd(server.port)
    for first in range(0, 200, 100):
        crowd.come(first, first + 100)
        serves(server)
    crowd.flood(100)
    succeeded(client("write_bw", *QUICK, "--timeout", 30, port=server.port),
              60)
    crowd.leave()
    Possessions(server.process.pid).check(before)
    assert rdma_objects() == objects
    serves(server)
    assert server.status is None


@needs_lab
def test_clients_that_leave_anywhere_leave_nothing_behind():
    server = Server("--idle-timeout", 2)
    serves(server)
    before = Possessions(server.process.pid)
    objects = rdma_objects()
    for steps in range(len(FakeClient.STEPS)):
        peer = FakeClient(server.port)
        peer.play(*FakeClient.STEPS[:steps])
        peer.close()
    Possessions(server.process.pid).check(before)
    assert rdma_objects() == objects


def test_loopback_has_no_idle_timeout():
    succeeded(loopback("write_bw", "-D", 3, "--idle-timeout", 2, *PATIENT))
