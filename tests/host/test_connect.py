"""Servers with several addresses, of which not all can be reached."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest

from lab import (DEVICE, Program, Server, client, failed, free_port,
                 interrupted, succeeded)

QUICK = ("-n", 100, "--warmup", 0)
SOURCE = pathlib.Path(__file__).with_name("fake_hosts.c")
# seconds: a quarter of one until the next address is tried, and the run
SOON = 3


def has_ipv6():
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="there is no ::1")


@pytest.fixture(scope="module")
def fake_hosts(tmp_path_factory):
    path = tmp_path_factory.mktemp("fake_hosts") / "fake_hosts.so"
    subprocess.run(["gcc", "-std=gnu11", "-shared", "-fPIC", "-o", path,
                    SOURCE], check=True)
    return path


@pytest.fixture
def host(fake_hosts, monkeypatch):
    """Gives the host "many" its addresses."""
    monkeypatch.setenv("VERBSPERF_PRELOAD",
                       f"{os.environ['VERBSPERF_PRELOAD']} {fake_hosts}")

    def know(*addresses):
        monkeypatch.setenv("FAKE_HOST", "many=" + ",".join(addresses))
    return know


@contextlib.contextmanager
def black_hole(address, port):
    """A port that drops every SYN: its queue of connections is full."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(family))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        listener.listen(0)
        for _ in range(3):
            filler = stack.enter_context(socket.socket(family))
            filler.setblocking(False)
            filler.connect_ex((address, port))
        time.sleep(0.05)
        yield


def timed(program, **seconds):
    start = time.monotonic()
    succeeded(program, **seconds)
    return time.monotonic() - start


def on_one_address():
    return Server("--bind", "127.0.0.1")


@pytest.mark.parametrize("lost", (
    ("127.0.0.2",),
    ("127.0.0.2", "127.0.0.3", "127.0.0.4"),
    pytest.param(("::1",), marks=needs_ipv6)))
def test_addresses_that_drop_all_cost_a_quarter_of_a_second_each(host, lost):
    server = on_one_address()
    host(*lost, "127.0.0.1")
    with contextlib.ExitStack() as stack:
        for address in lost:
            stack.enter_context(black_hole(address, server.port))
        took = timed(client("write_bw", *QUICK, port=server.port,
                            host="many"))
    # the two clocks are not the same
    assert 0.24 * len(lost) <= took < 0.25 * len(lost) + SOON


def test_an_address_that_refuses_costs_nothing(host):
    server = on_one_address()
    host(*(f"127.0.0.{i}" for i in range(20, 60)), "127.0.0.1")
    took = timed(client("write_bw", *QUICK, port=server.port, host="many"))
    assert took < SOON


def test_all_addresses_have_a_part_of_a_short_timeout(host):
    """One each quarter of a second would leave the last ones out."""
    server = on_one_address()
    lost = [f"127.0.0.{i}" for i in range(20, 30)]
    host(*lost, "127.0.0.1")
    with contextlib.ExitStack() as stack:
        for address in lost:
            stack.enter_context(black_hole(address, server.port))
        took = timed(client("write_bw", *QUICK, "--timeout", 2,
                            port=server.port, host="many"))
    assert took < 2 + SOON


def test_a_server_that_comes_late_beside_an_address_that_drops_all(host):
    port = free_port()
    host("127.0.0.2", "127.0.0.1")
    with black_hole("127.0.0.2", port):
        program = client("write_bw", "--wait=30", *QUICK, port=port,
                         host="many")
        program.wait_for("waiting for many port")
        Program("serve", "-d", "fake0", "-p", port, "--bind", "127.0.0.1")
        assert timed(program) < 2 + SOON


def test_one_address_at_a_time_where_the_server_may_be_perftest(host):
    """A perftest serves the first connection, also one that is closed."""
    server = on_one_address()
    host("127.0.0.2", "127.0.0.1")
    with black_hole("127.0.0.2", server.port):
        took = timed(client("write_bw", *QUICK, "--peer", "perftest",
                            "--timeout", 2, port=server.port, host="many"))
    assert 0.95 <= took < 2 + SOON


@needs_ipv6
def test_only_addresses_of_the_family_of_bind(host):
    server = on_one_address()
    host("::1", "127.0.0.1")
    program = client("write_bw", "--bind", "127.0.0.1", *QUICK,
                     port=server.port, host="many")
    assert timed(program) < SOON
    host("::1")
    failed(client("write_bw", "--bind", "127.0.0.1", port=server.port,
                  host="many"),
           "many port .* only IPv6 addresses, "
           "and --bind 127.0.0.1 has only IPv4 addresses",
           "leave --bind out")


def test_each_cause_is_named_with_its_addresses(host, monkeypatch):
    port = free_port()
    monkeypatch.setenv("FAKE_UNREACHABLE", "127.0.0.9")
    host("127.0.0.2", "127.0.0.9", "127.0.0.1", "127.0.0.5")
    with black_hole("127.0.0.2", port):
        failed(client("write_bw", "--timeout", 1, port=port, host="many"),
               f"cannot connect to many port {port}: "
               "127.0.0.2: Connection timed out; "
               "127.0.0.9: No route to host; "
               "127.0.0.1, 127.0.0.5: Connection refused; check that "
               "'verbsperf serve' runs there")


def test_what_drops_all_may_be_a_firewall():
    port = free_port()
    with black_hole("127.0.0.2", port):
        line = failed(client("write_bw", "--timeout", 1, port=port,
                             host="127.0.0.2"),
                      f"127.0.0.2 port {port}: Connection timed out",
                      "firewall")
    assert "verbsperf serve" not in line


def test_what_has_no_route_may_be_a_firewall(host, monkeypatch):
    monkeypatch.setenv("FAKE_UNREACHABLE", "127.0.0.9")
    host("127.0.0.9")
    line = failed(client("write_bw", port=free_port(), host="many"),
                  "127.0.0.9: No route to host", "firewall", "route")
    assert "verbsperf serve" not in line


def test_what_refuses_may_have_no_server():
    failed(client("write_bw", port=free_port()),
           "Connection refused", "check that 'verbsperf serve' runs there")


@pytest.fixture
def slow_host(host, monkeypatch):
    """The host "many", of which a name server tells after so many seconds."""
    def know(seconds):
        host("127.0.0.1")
        monkeypatch.setenv("FAKE_HOST_MS", str(int(seconds * 1000)))
    return know


def test_a_name_server_that_is_slow(slow_host):
    server = on_one_address()
    slow_host(1)
    assert timed(client("write_bw", *QUICK, "--timeout", 5, port=server.port,
                        host="many")) > 0.9


def test_a_name_server_that_does_not_answer(slow_host):
    slow_host(60)
    start = time.monotonic()
    program = client("write_bw", "--timeout", 1, "--json", port=1, host="many")
    failed(program, "cannot find the address of 'many': no name server "
           "answered within 1 s; .*/etc/resolv.conf")
    assert time.monotonic() - start < 1 + SOON
    assert json.loads(program.out)["error"]["code"] == "ETIMEDOUT"


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_interrupting_while_a_name_server_does_not_answer(slow_host, number):
    slow_host(60)
    program = client("write_bw", "--json", port=1, host="many")
    time.sleep(0.5)
    program.send(number)
    interrupted(program, number, seconds=SOON)
    assert json.loads(program.out)["error"]["code"] == "ECANCELED"


def test_stopping_a_server_while_a_name_server_does_not_answer(slow_host):
    slow_host(60)
    program = Program("serve", "-d", "fake0", "-p", 0, "--bind", "many")
    time.sleep(0.5)
    program.send(signal.SIGTERM)
    interrupted(program, signal.SIGTERM, seconds=SOON)


@pytest.mark.parametrize("address", ("224.0.0.1", "255.255.255.255"))
def test_an_address_of_many_hosts_is_not_bound(address):
    failed(Program("serve", "-d", "fake0", "--bind", address, "-p", 0),
           f"cannot listen on {address} .*give an address of this machine")
    failed(client("write_bw", "--bind", address, port=1),
           f"--bind {address}: .*give an address of this machine")


@needs_ipv6
def test_brackets_are_taken_off():
    server = Server("--bind", "[::1]")
    succeeded(client("write_bw", "--bind", "[::1]", *QUICK, port=server.port,
                     host="[::1]"))


@pytest.mark.parametrize("text,host", (
    ("node1:18515", "node1"), ("127.0.0.1:18515", "127.0.0.1"),
    ("[::1]:18515", "::1"), ("fe80::1:2:3:18515", "fe80::1:2:3")))
def test_a_port_of_this_end_is_an_option(text, host):
    for program in (Program("serve", "--bind", text),
                    client("write_bw", "--bind", text, port=1)):
        failed(program, f"write --bind {host} --port 18515$")


def test_a_port_behind_the_server(server):
    for text in f"127.0.0.1:{server.port}", f"localhost:{server.port}":
        succeeded(Program("write_bw", "-d", DEVICE, *QUICK, text))
    failed(client("write_bw", port=1, host="node1:2"),
           "--port 1 and port 2 of server node1 differ; give one of them",
           status=2)
    failed(client("write_bw", port=1, host="fe80::1:2:3:18515"),
           r"a port is not part of an address; write \[fe80::1:2:3\]:18515",
           status=2)


@needs_ipv6
def test_a_link_local_address_needs_an_interface():
    for program in (client("write_bw", port=1, host="fe80::1"),
                    client("write_bw", port=1, host="[fe80::1]"),
                    client("write_bw", "--bind", "fe80::1", port=1,
                           host="::1"),
                    Program("serve", "--bind", "fe80::1")):
        failed(program, "needs an interface",
               "write (--bind )?fe80::1%[a-zA-Z]")
    failed(client("write_bw", port=1, host="fe80::1%none9"),
           "there is no interface 'none9'")


@needs_ipv6
@pytest.mark.parametrize("only", ("127.0.0.1", "::1"))
def test_the_path_is_not_that_of_the_address_that_answers(host, only):
    """The other address refuses; -4 and -6 leave it out."""
    server = Server("--bind", only)
    host("::1", "127.0.0.1")
    program = client("write_bw", "--json", *QUICK, port=server.port,
                     host="many")
    succeeded(program)
    document = json.loads(program.out)
    assert document["client"]["gid"] == "::ffff:127.0.0.1"
    own, other = ("-4", "-6") if only == "127.0.0.1" else ("-6", "-4")
    failed(client("write_bw", *QUICK, other, port=server.port, host="many"),
           "Connection refused")
    program = client("write_bw", *QUICK, own, port=server.port, host="many")
    if own == "-4":
        succeeded(program)
    else:   # it is reached, and this NIC has no such GID
        failed(program, "--ipv6: no GID")
