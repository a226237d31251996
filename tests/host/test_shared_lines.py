"""Lines of JSON that several processes write to one pipe or file."""
import fcntl
import json
import os
import signal
import threading
import time

import pytest

from lab import Server, client, deadline, loopback, succeeded

F_SETPIPE_SZ = 1031
SIZES = "1,2,3,4,5,6,7,8,16,32,64,128"
# lines of one thread are shorter than a pipe's page, those of 32 are not
SHORT = ("write_bw", "-n", 100, "--warmup", 0, "-s", SIZES)
LONG = (*SHORT, "-q", 32, "--threads", 32, "--reversed")
WITHIN = 30


class Reader(threading.Thread):
    """Reads SIZE bytes, pauses, and so on, once it is told to begin."""

    def __init__(self, size, pause, room=0):
        super().__init__(daemon=True)
        self.fd, self.writer = os.pipe()
        if room:
            fcntl.fcntl(self.writer, F_SETPIPE_SZ, room)
        self.size = size
        self.pause = pause
        self.data = b""

    def run(self):
        while part := os.read(self.fd, self.size):
            self.data += part
            time.sleep(self.pause)
        os.close(self.fd)

    def server(self, *args):
        server = Server("--json-lines", *args, stdout=self.writer)
        os.close(self.writer)
        return server

    def lines(self):
        """Of all that came, each parsed."""
        return [json.loads(line) for line in self.data.splitlines()]


def run_clients(server, n, args):
    programs = [client(*args, "--timeout", 30, port=server.port)
                for _ in range(n)]
    for program in programs:
        succeeded(program)


def stop(server, reader):
    deadline(WITHIN, lambda: not server.children(), "the end of reports")
    server.send(signal.SIGTERM)
    server.wait(WITHIN)
    reader.join(WITHIN)


def count(lines, kind):
    return sum(line["type"] == kind for line in lines)


@pytest.mark.parametrize("parallel", (1, 4))
@pytest.mark.parametrize("args,size,pause", (
    (LONG, 3000, .0005), (SHORT, 4096, .005)), ids=("long", "short"))
@pytest.mark.parametrize("room", (0, 4096), ids=("usual", "small"))
def test_lines_are_whole(parallel, args, size, pause, room):
    reader = Reader(size, pause, room)
    server = reader.server("--parallel", parallel)
    reader.start()
    for _ in range(2):
        run_clients(server, 4, args)
    stop(server, reader)
    lines = reader.lines()
    assert count(lines, "start") == count(lines, "end") == 8
    assert count(lines, "result") == 8 * 12
    assert not server.errors, str(server)


@pytest.mark.parametrize("args", (LONG, SHORT), ids=("long", "short"))
def test_a_reader_that_does_not_read_stops_nobody(args):
    """It has 10 s at the end; what it gets at last is whole nevertheless."""
    reader = Reader(65536, 0, 4096)
    server = reader.server("--parallel", 4)
    start = time.monotonic()
    run_clients(server, 8, args)
    assert time.monotonic() - start < 10
    server.wait_for("its reader read nothing for 10 s", WITHIN)
    reader.start()
    stop(server, reader)
    assert reader.lines()


def test_a_reader_that_is_gone_is_noticed():
    reader = Reader(65536, 0, 4096)
    server = reader.server()
    run_clients(server, 1, LONG)
    os.close(reader.fd)
    server.wait_for("cannot write to stdout: Broken pipe", 5)


def in_file(path):
    """The lines there, each parsed."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_second_run_leaves_the_lines_of_the_first(tmp_path):
    """As long as that one runs; afterwards the file is its own."""
    path = tmp_path / "lines"
    option = f"--json-lines={path}"
    first = loopback("write_bw", "-n", 10**12, "--interval", .1,
                     "--warmup", 0, option)
    deadline(WITHIN, lambda: path.exists() and "interval" in path.read_text(),
             "lines")
    second = succeeded(loopback(*SHORT, option))
    assert "another process" in second.err
    lines = in_file(path)
    assert [count(lines, kind) for kind in ("start", "result", "end")] == [
        2, 12, 1]
    first.send(signal.SIGINT)
    first.wait(WITHIN)
    lines = in_file(path)
    assert count(lines, "end") == 2
    third = succeeded(loopback(*SHORT, option))
    assert "another process" not in third.err
    lines = in_file(path)
    assert [count(lines, kind) for kind in ("start", "result", "end")] == [
        1, 12, 1]
