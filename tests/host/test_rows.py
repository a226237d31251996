"""What a sweep over sizes shows while it runs."""
import csv
import os
import subprocess
import time

import pytest

from lab import (BINARY, DEVICE, Server, client, deadline, environment, failed,
                 loopback, succeeded)

SWEEP = ("-s", "64,128,256", "-D", 0.5)


class Pipe:
    """What FILE gives, as it comes."""

    def __init__(self, file):
        self.file = file
        self.text = ""
        os.set_blocking(file.fileno(), False)

    def look(self):
        self.text += (self.file.read() or b"").decode()
        return self.text

    def wait_for(self, text, seconds=30):
        """Waits for a line with TEXT; returns when it came."""
        deadline(seconds, lambda: text in self.look(), repr(text))
        return time.monotonic()


@pytest.mark.parametrize("option,before,row", (
    ((), "#bytes", "\n 64 "),
    (("--format", "perftest"), None, "\n 64 "),
    (("--csv",), None, ",fake0,64,")))
def test_a_row_comes_when_its_size_is_done(option, before, row):
    """Through a pipe, the head before the first second is over."""
    program = loopback("write_bw", *SWEEP, *option, stdout=subprocess.PIPE)
    out = Pipe(program.process.stdout)
    head_at = out.wait_for(before) if before else None
    assert row not in out.text
    row_at = out.wait_for(row)
    assert row.replace("64", "128") not in out.text
    assert program.status is None
    assert not before or ("GID" in out.text and row_at - head_at > 0.4)
    assert out.wait_for(row.replace("64", "256")) - row_at > 0.8
    succeeded(program)


def rows(text):
    """The sizes in the first column of a table."""
    words = [line.split() for line in text.splitlines()]
    return [int(line[0]) for line in words if line and line[0].isdigit()]


def test_the_parts_make_the_whole():
    """Head, rows and what is below, each once, in their order."""
    lines = succeeded(loopback("write_bw", "-n", 100, "-s", "64,128",
                               "--min-gbps", "0.001",
                               "--verbose")).out.splitlines()
    # what is said of so short a run depends on how it went
    assert [line.split()[0] for line in lines
            if not line.startswith(" size ")] == \
        ["write_bw:", "client:", "server:", "#bytes", "64", "128",
         "bandwidth:", "limits:"]


def test_a_failed_run_keeps_its_rows(tmp_path):
    server = Server()
    path = tmp_path / "rows.csv"
    program = client("write_bw", *SWEEP, f"--csv={path}", port=server.port)
    deadline(30, lambda: 64 in rows(program.out), "a row")
    server.kill()
    failed(program, "server")
    assert rows(program.out)[0] == 64
    with open(path, newline="") as file:
        first, *_, last = csv.DictReader(file)
    assert first["size"] == "64" and first["failed"] == "false"
    assert first["error"] == ""
    assert last["failed"] == "true" and "server" in last["error"]


def test_the_table_beside_json_is_on_stderr_as_it_comes():
    program = loopback("write_bw", *SWEEP, "--json")
    deadline(30, lambda: 64 in rows(program.err), "a row")
    assert program.status is None and 256 not in rows(program.err)
    succeeded(program)
    assert rows(program.err) == [64, 128, 256]


def test_a_reader_that_takes_nothing_delays_no_size():
    """The table waits for it, the test does not."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    while True:
        try:
            os.write(writer, b"x" * 4096)
        except BlockingIOError:
            break
    os.set_blocking(writer, True)
    server = Server("--once")
    program = client("write_bw", *SWEEP, stdout=writer, port=server.port)
    os.close(writer)
    succeeded(server, 30)
    assert program.status is None and rows(server.out) == [64, 128, 256]
    with open(reader, "rb") as file:
        text = file.read().decode()
    succeeded(program)
    assert rows(text.lstrip("x")) == [64, 128, 256]


def test_servers_do_not_mix_their_tables():
    """One that serves several at once prints each when it is over."""
    server = Server("--parallel", 2)
    programs = [client("write_bw", *SWEEP, port=server.port)
                for _ in range(2)]
    for program in programs:
        succeeded(program)
    deadline(10, lambda: len(rows(server.out)) == 6, "both tables")
    assert rows(server.out) == [64, 128, 256] * 2


def test_a_shell_has_the_values_and_nothing_else(tmp_path):
    """Of a run, and of one that failed before it began."""
    title = "it's $(touch bad) `touch bad`; touch bad"
    script = ('lines=$("$@" --format=keyvalue); eval "$lines"; '
              'echo "$outcome $exit_status $size $title"')
    for more, last in ((("-n", 100), "ok 0 65536 "),
                       (("--min-gbps", "1e6", "-n", 100), "limit 3 65536 "),
                       (("--device", "none"), "failed 1  ")):
        done = subprocess.run(
            ["bash", "-c", script, "bash", BINARY, "write_bw", "-d", DEVICE,
             "--loopback", "--title", title, *map(str, more)],
            cwd=tmp_path, env=environment(), text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        assert done.stdout == f"{last}{title}\n"
    assert not list(tmp_path.iterdir())
