"""A server whose output nobody reads serves on."""
import contextlib
import fcntl
import os
import re
import signal
import socket
import time

import pytest

from lab import (DEVICE, Program, Server, client, deadline, succeeded)

QUICK = ("-n", 100, "--warmup", 0)
F_SETPIPE_SZ = 1031
WITHIN = 20         # seconds, for a client that is served at once


class Pipe:
    """The smallest there is; full from the start, if that is wanted."""

    def __init__(self, full=False):
        self.reader, self.writer = os.pipe()
        fcntl.fcntl(self.writer, F_SETPIPE_SZ, 4096)
        self.padding = 0
        self.data = b""
        if full:
            os.set_blocking(self.writer, False)
            while True:
                try:
                    self.padding += os.write(self.writer, b"x" * 4096)
                except BlockingIOError:
                    break
            os.set_blocking(self.writer, True)

    def read(self, *texts, seconds=0):
        """What comes until all TEXTS are there, and for SECONDS at least."""
        os.set_blocking(self.reader, False)
        start = time.monotonic()
        while True:
            with contextlib.suppress(BlockingIOError):
                self.data += os.read(self.reader, 65536)
            passed = time.monotonic() - start
            if passed >= seconds and all(text in self.text for text in texts):
                return self.text
            assert passed < seconds + WITHIN, self.text
            time.sleep(0.01)

    @property
    def text(self):
        return self.data[self.padding:].decode()

    def forget(self):
        self.read(seconds=0.2)
        self.padding = len(self.data)

    def close(self):
        for fd in self.reader, self.writer:
            os.close(fd)


@pytest.fixture(params=(False, True), ids=("empty", "full"))
def pipe(request):
    pipe = Pipe(request.param)
    yield pipe
    pipe.close()


def served(server, n):
    for _ in range(n):
        succeeded(client("write_bw", *QUICK, port=server.port), WITHIN)




def start(*args, **popen):
    """A server that writes its port to a descriptor of its own."""
    read, write = os.pipe()
    program = Program("serve", "-d", DEVICE, "-p", 0, "--ready-fd", write,
                      *args, pass_fds=[write], **popen)
    os.close(write)
    with os.fdopen(read) as file:
        program.port = int(file.read())
    return program


def test_report_waits_for_its_reader_and_the_turn_does_not(pipe):
    server = Server(stdout=pipe.writer)
    served(server, 12)
    deadline(WITHIN, server.children, "reports that wait")
    deadline(WITHIN, lambda: pipe.read() and not server.children(),
             "the end of children")
    assert pipe.read().count("#bytes") == 12
    served(server, 1)


def test_reports_do_not_mix():
    pipe = Pipe()
    server = Server("--parallel", 4, "--verbose", stdout=pipe.writer)
    programs = [client("write_bw", *QUICK, "--timeout", 20, port=server.port)
                for _ in range(8)]
    for program in programs:
        succeeded(program)
    deadline(WITHIN, lambda: pipe.read() and not server.children(),
             "the end of children")
    tables = pipe.read().split("write_bw:")[1:]
    assert len(tables) == 8
    for table in tables:
        for text in "client: ", "server: ", "#bytes", "bandwidth: ", "clock ":
            assert table.count(text) == 1, table
    pipe.close()


def test_full_stderr_stops_nobody(pipe):
    server = start(stderr=pipe.writer)
    served(server, 3)
    # more than the pipe takes, and not so many that the rest is left out
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", server.port)) as sock:
            sock.sendall(b"?")
    served(server, 3)
    pipe.forget()
    served(server, 1)
    assert re.match(r"verbsperf server: warning: \d+ lines could not be written "
                    "here\nverbsperf server: ", pipe.read(" this is "))


def test_full_stderr_and_refused_clients(pipe):
    """As many lines as clients, from the process that listens."""
    server = start("--allow", "127.0.0.2", stderr=pipe.writer)
    for _ in range(60):
        with socket.create_connection(("127.0.0.1", server.port)) as sock:
            sock.settimeout(WITHIN)
            while sock.recv(4096):
                pass
    succeeded(client("write_bw", *QUICK, "--bind", "127.0.0.2",
                     port=server.port), WITHIN)
    pipe.forget()
    succeeded(client("write_bw", *QUICK, "--bind", "127.0.0.2",
                     port=server.port), WITHIN)
    pipe.read("lines could not be written here", " this is ")


def test_nothing_is_read_at_all(pipe):
    """Both streams in one pipe, as in "verbsperf serve 2>&1 | less"."""
    server = start(stdout=pipe.writer, stderr=pipe.writer)
    served(server, 5)
    deadline(WITHIN, lambda: pipe.read() and not server.children(),
             "the end of children")
    assert pipe.read().count("#bytes") == 5
    server.send(signal.SIGTERM)
    server.wait(WITHIN)


def test_stopped_server_ends_though_nobody_reads(pipe):
    server = start(stdout=pipe.writer, stderr=pipe.writer)
    served(server, 5)
    server.send(signal.SIGTERM)
    server.wait(30)
    assert server.status == 0


def test_report_of_one_client_waits_for_its_reader():
    pipe = Pipe(full=True)
    server = start("--once", stdout=pipe.writer)
    served(server, 1)
    time.sleep(1)
    assert server.status is None
    pipe.read("#bytes")
    succeeded(server)
    pipe.close()
