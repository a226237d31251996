"""The server: serve, --once, TEST without a server, and finding it."""

import os
import signal
import time

import pytest

from lab import (BINARY, DEVICE, QUICK, SOON, Program, Server, client, failed,
                 free_port, interrupted, needs_device, serves, succeeded)

pytestmark = [needs_device, pytest.mark.dialogue]


def test_serves_one_client_after_another(server):
    for test in ("write_bw", "read_lat", "send_bw"):
        succeeded(client(test, *QUICK, port=server.port))
    server.wait_for_output("#bytes", 3)
    assert server.status is None and not server.errors


def test_once_serves_one_and_ends():
    server = Server("--once")
    succeeded(client("write_bw", *QUICK, port=server.port))
    assert "#bytes" in succeeded(server).out


def test_test_without_a_server_serves_one_client():
    server = Server(command="write_bw")
    succeeded(client("write_bw", *QUICK, port=server.port))
    assert "write_bw:" in succeeded(server).out


def test_one_shot_server_is_given_the_clients_options_in_vain():
    server = Server("-s", 64, "-n", 5, command="write_bw")
    server.wait_for("warning: --size, --iterations")
    succeeded(client("read_bw", *QUICK, port=server.port))
    succeeded(server)


def test_link_named_after_perftest_does_its_test(tmp_path):
    link = tmp_path / "ib_write_bw"
    link.symlink_to(BINARY)
    port = free_port()
    common = ["-d", DEVICE, "-p", port]
    server = Program(*common, argv0=[str(link)])
    server.wait_for("serving on TCP port")
    program = succeeded(Program(*common, "-n", 10, "-u", 18, "127.0.0.1",
                                argv0=[str(link)]))
    assert "RDMA_Write BW Test" in program.out
    assert "* Waiting for client" in succeeded(server).out


def test_client_waits_for_a_server_that_comes_later():
    port = free_port()
    program = client("write_bw", *QUICK, "--wait", port=port)
    time.sleep(1)
    assert program.status is None
    server = Program("serve", "--once", "-d", DEVICE, "-p", port)
    succeeded(program)
    succeeded(server)


def test_waiting_ends():
    start = time.monotonic()
    program = client("write_bw", "--wait=1", port=free_port())
    failed(program, "Connection refused", seconds=SOON)
    assert time.monotonic() - start >= 0.9


@pytest.mark.parametrize("host,texts", (
    ("127.0.0.1", ["127.0.0.1", "Connection refused", "serve"]),
    ("::1", ["::1", "Connection refused"]),
    ("no.such.host.invalid", ["no.such.host.invalid"])))
def test_server_that_is_not_there_is_named(host, texts):
    port = free_port()
    line = failed(client("write_bw", port=port, host=host), *texts)
    assert str(port) in line or "address" in line


def test_port_in_use_is_named(server):
    failed(Program("serve", "-d", DEVICE, "-p", server.port),
           f"port {server.port}", "in use")


@pytest.mark.parametrize("address,host", (
    ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
    ("localhost", "localhost")))
def test_server_listens_where_bound(address, host):
    server = Server("--bind", address)
    succeeded(client("write_bw", *QUICK, port=server.port, host=host))


def test_server_bound_elsewhere_is_not_found():
    server = Server("--bind", "127.0.0.1")
    failed(client("write_bw", port=server.port, host="::1"), "refused")


def test_client_binds_its_address(server):
    succeeded(client("write_bw", *QUICK, "--bind", "127.0.0.9",
                     port=server.port))
    server.wait_for("127.0.0.9")


def test_address_of_another_machine_cannot_be_bound(server):
    failed(client("write_bw", "--bind", "192.0.2.1", port=server.port),
           "--bind 192.0.2.1")
    failed(Program("serve", "-d", DEVICE, "--bind", "192.0.2.1"),
           "192.0.2.1")
    serves(server)


def test_clients_queue_for_the_server(server):
    programs = [client("write_bw", *QUICK, port=server.port)
                for _ in range(4)]
    for program in programs:
        succeeded(program)


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_idle_server_stops_when_told(server, number):
    server.send(number)
    succeeded(server, seconds=SOON)


@pytest.mark.parametrize("args", (("--once",),))
def test_server_of_one_client_that_never_came_failed(args):
    server = Server(*args)
    server.send(signal.SIGINT)
    interrupted(server, signal.SIGINT, seconds=SOON)


def test_server_keeps_no_descriptor_of_a_client(server):
    folder = f"/proc/{server.process.pid}/fd"
    serves(server)
    time.sleep(0.3)
    before = len(os.listdir(folder))
    for _ in range(3):
        serves(server)
    time.sleep(0.3)
    assert len(os.listdir(folder)) <= before
