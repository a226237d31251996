"""How a server may be called."""
import socket

import pytest

from lab import Program, Server, client, failed, succeeded

QUICK = ("-n", 100, "--warmup", 0)


def has_ipv6():
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="there is no ::1")


@needs_ipv6
def test_brackets_are_taken_off():
    server = Server("--bind", "[::1]")
    succeeded(client("write_bw", "--bind", "[::1]", *QUICK, port=server.port,
                     host="[::1]"))


@pytest.mark.parametrize("text,host", (
    ("node1:18515", "node1"), ("127.0.0.1:18515", "127.0.0.1"),
    ("[::1]:18515", "::1"), ("fe80::1:2:3:18515", "fe80::1:2:3")))
def test_a_port_belongs_to_another_option(text, host):
    failed(client("write_bw", port=1, host=text),
           f"write {host} --port 18515$")
    failed(Program("serve", "--bind", text),
           f"write --bind {host} --port 18515$")
    failed(client("write_bw", "--bind", text, port=1),
           f"write --bind {host} --port 18515$")


@needs_ipv6
def test_a_link_local_address_needs_an_interface():
    for program in (client("write_bw", port=1, host="fe80::1"),
                    client("write_bw", port=1, host="[fe80::1]"),
                    client("write_bw", "--bind", "fe80::1", port=1,
                           host="::1"),
                    Program("serve", "--bind", "fe80::1")):
        failed(program, "through which interface",
               "write (--bind )?fe80::1%[a-zA-Z]")
    failed(client("write_bw", port=1, host="fe80::1%none9"),
           "there is no interface 'none9'")
