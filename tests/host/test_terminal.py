"""Both ends on one terminal: whose each line is."""
import os
import pty

import pytest

from lab import Server, client, loopback, succeeded

QUICK = ("-n", 100, "--warmup", 0)


@pytest.fixture
def terminal():
    """What programs write there."""
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


def lines_of(master):
    os.set_blocking(master, False)
    text = b""
    try:
        while True:
            text += os.read(master, 65536)
    except BlockingIOError:
        return text.decode().replace("\r", "").splitlines()


@pytest.mark.parametrize("words", (("serve",), ("serve", "--once"),
                                   ("write_bw",)))
def test_a_servers_lines_have_its_name(terminal, words):
    master, slave = terminal
    server = Server(*words[1:], command=words[0], stdout=slave)
    succeeded(client("write_bw", *QUICK, port=server.port))
    if words == ("serve",):
        server.process.terminate()
    succeeded(server)
    lines = lines_of(master)
    assert len(lines) >= 5
    assert all(line.startswith("server: ") for line in lines), lines
    assert all(line.startswith("verbsperf server: ")
               for line in server.err.splitlines()), server


def test_a_clients_lines_are_as_in_a_file(terminal):
    master, slave = terminal
    program = succeeded(loopback("write_bw", *QUICK, stdout=slave))
    lines = lines_of(master)
    assert lines[0].startswith(" write_bw: ") and "server" not in program.err
    assert sum("server: " in line for line in lines) == 1, lines


def test_a_servers_table_in_a_file_is_a_clients():
    server = Server("--once")
    program = succeeded(client("write_bw", *QUICK, port=server.port))
    succeeded(server)
    assert program.out.splitlines()[:4] == server.out.splitlines()[:4]


@pytest.mark.parametrize("words", (("--format=perftest",),
                                   ("--format=bandwidth",)))
def test_what_scripts_read_is_as_it_was(terminal, words):
    master, slave = terminal
    server = Server("--once", *words, stdout=slave)
    succeeded(client("write_bw", *QUICK, port=server.port))
    succeeded(server)
    assert not any("server:" in line for line in lines_of(master))
