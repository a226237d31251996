"""What a script sees of both ends under perftest's names."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket

import pytest

from lab import (BINARY, DEVICE, Program, beside, client, deadline, environment,
                 failed, succeeded)

NAMES = [f"ib_{operation}_{metric}" for operation in (
    "send", "write", "read", "atomic") for metric in ("bw", "lat")]
WAITING = "* Waiting for client to connect... *\n"
RULE = "-" * 87 + "\n"


@pytest.fixture
def start(tmp_path):
    """Starts one of perftest's programs."""
    for name in NAMES:
        (tmp_path / name).symlink_to(os.path.abspath(
            shutil.which(BINARY) or BINARY))

    def begin(name, *args, **popen):
        return Program("-d", DEVICE, *args, argv0=(str(tmp_path / name),),
                       **popen)
    return begin


@pytest.fixture
def serve(start):
    """Starts a server; returns it and its port."""
    def begin(name, *args, **popen):
        server = start(name, "-p", 0, *args, **popen)
        return server, server.wait_for(r"serving on TCP port (\d+)")[1]
    return begin


@pytest.fixture
def pair(start, serve):
    """Runs both ends; returns the server and the client."""
    def run(name, *args):
        server, port = serve(name, *args)
        program = start(name, "-p", port, *args, "127.0.0.1")
        return server, program
    return run


def table(program):
    """The cells below the headings."""
    below = program.out[re.search(r"^ #bytes.*$", program.out, re.M).end():]
    return [line.split() for line in below.splitlines()
            if re.match(r" \d", line)]


def measured(run):
    return [succeeded(end) for end in run]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [
    (), ("-n", 5), ("-D", 1), ("--report_gbits", "-s", 64)])
def test_a_good_run(data, pair, name, options):
    if "lat" in name and "--report_gbits" in options:
        options = ("-s", 64)
    for end in measured(pair(name, *options)):
        assert not re.search("error|fail", end.out + end.err, re.I)
        assert "lat" not in name or "BW" not in end.out + end.err
        (row,) = table(end)
        assert len(row) == (5 if "bw" in name else
                            4 if "-D" in options else 9)
        assert all(float(cell) >= 0 for cell in row), end.out
        assert len([line for line in end.err.splitlines()
                    if "uncertain" in line or "needs" in line]) <= 1
        assert end.out.endswith(RULE)
        # a script takes the first line that has the size for the row
        named = [line.split() for line in end.out.splitlines()
                 if "65536" in line]
        assert named == [row] * (row[0] == "65536")


ADDRESS = (r" {} address: LID 0000 QPN (0x[0-9a-f]+) PSN (0x[0-9a-f]+)"
           r"{}\n GID: (?:\d\d\d?:){{15}}\d\d\n")
KEYS = r" RKey (0x[0-9a-f]{6,8}) VAddr (0x[0-9a-f]{14})"


@pytest.mark.parametrize("name, more", [
    ("ib_send_bw", ""), ("ib_write_bw", KEYS), ("ib_write_lat", KEYS),
    ("ib_read_bw", " OUT 0x10" + KEYS), ("ib_atomic_bw", ""),
])
def test_addresses(data, pair, name, more):
    """What one end calls local the other calls remote."""
    qps = () if "lat" in name else ("-q", 3)
    server, program = measured(pair(name, *qps, "-n", 10))
    found = [[re.findall(ADDRESS.format(which, more), end.out)
              for which in ("local", "remote")] for end in (server, program)]
    assert found[0] == found[1][::-1]
    assert len(set(found[0][0] + found[0][1])) == (2 if "lat" in name else 6)


@pytest.mark.parametrize("options, moderation, depth", [
    (("-s", 1024, "-Q", 10), 10, 128), (("-s", 1024, "-n", 20), 20, 20),
    (("-s", 1024, "-t", 50), 50, 50), ((), 16, 128),
    (("-s", 1024, "-l", 4), 4, 128),
])
def test_the_head_says_what_is_in_effect(pair, options, moderation, depth):
    server, program = measured(pair("ib_write_bw", *options))
    for end in server, program:
        assert f" CQ Moderation   : {moderation}\n" in end.out
    assert f" TX depth        : {depth}\n" in program.out
    assert "TX depth" not in server.out


@pytest.mark.parametrize("name, what", [
    ("ib_write_bw", "bandwidth"), ("ib_send_bw", "bandwidth"),
    ("ib_read_bw", "message_rate"), ("ib_write_lat", "latency"),
    ("ib_read_lat", "latency")])
def test_one_number_at_either_end(data, pair, name, what):
    for end in measured(pair(name, "-n", 100, f"--output={what}")):
        assert re.fullmatch(r"\d+\.\d{6}\n", end.out)


@pytest.mark.parametrize("name, options, key", [
    ("ib_write_bw", (), "BW_average"), ("ib_write_bw", ("-b",), "BW_peak"),
    ("ib_write_lat", (), "percentile_99.9"),
    ("ib_read_lat", ("-D", 1), "tps_average"),
    ("ib_read_lat", ("--output=latency",), "avg_lat"),
])
def test_json_has_one_number_a_line(data, pair, tmp_path, name, options, key):
    path = tmp_path / "out.json"
    measured(pair(name, *options, "--out_json", f"--out_json_file={path}"))
    text = path.read_text()
    assert all(isinstance(value, (int, float))
               for value in json.loads(text)["results"].values())
    assert len(re.findall(rf'^ *"{key}": [0-9.]+,?$', text, re.M)) == 1
    assert all(line.count('": ') <= 1 for line in text.splitlines())


def test_the_samples_stand_before_their_row(pair):
    _, program = measured(pair("ib_read_lat", "-n", 20, "-H"))
    heading = r" #bytes #iterations [^\n]*\n"
    assert re.search(heading + r"#, usec\n(\d+, [\d.e-]+\n){20}" + RULE +
                     heading + " 2       20 ", program.out)


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_runs_until_stopped(pair, end, number):
    """With a row of the ordinary table a second, through a pipe."""
    ends = pair("ib_write_bw", "--run_infinitely", "-D", 1)
    deadline(30, lambda: " #bytes" in ends[1].out and len(table(ends[1])) > 1,
             "two rows")
    ends[end].send(number)
    measured(ends)
    assert ends[1].out.endswith(RULE)
    for row in table(ends[1]):
        assert row[0] == "65536" and len(row) == 5
        # of these there is none better than another
        assert row[2] == row[3] and float(row[4]) > 0
    assert not table(ends[0])


def test_it_runs_until_nobody_reads(start, serve):
    """As in a pipe to head."""
    server, port = serve("ib_write_bw", "--run_infinitely", "-D", 1)
    reader, writer = os.pipe()
    program = start("ib_write_bw", "--run_infinitely", "-D", 1, "-p", port,
                    "127.0.0.1", stdout=writer)
    os.close(writer)
    with os.fdopen(reader) as lines:
        next(line for line in lines if line.startswith(" 65536 "))
    failed(program, "cannot write to stdout: Broken pipe")
    succeeded(server)


@pytest.mark.parametrize("name", ("ib_write_bw", "ib_read_lat"))
def test_a_json_that_cannot_be_written_costs_no_row(data, pair, name):
    """As in a pod, whose root is read-only."""
    ends = measured(pair(name, "-n", 50, "--out_json",
                         "--out_json_file=/proc/self/out.json"))
    assert len(table(ends[1])) == 1
    for end in ends:
        assert end.err.count("cannot write /proc/self/out.json") == 1
        assert not re.search("error|fail", end.out + end.err, re.I)


def test_a_client_of_our_own_tells_what_it_cannot_write(serve):
    """Before anything is measured; and this server ends, as perftest's."""
    server, port = serve("ib_write_bw")
    failed(client("write_bw", "--json=/proc/self/out", port=port),
           "cannot write /proc/self/out")
    failed(server, "the client: cannot write /proc/self/out")


def test_there_is_no_latency_without_an_end(start):
    failed(start("ib_write_lat", "--run_infinitely", "host"), "bandwidth")


def reads_from_a_pipe(begin, *args):
    """The program and what it writes there first."""
    reader, writer = os.pipe()
    program, port = begin(*args, stdout=writer)
    os.close(writer)
    return program, port, os.fdopen(reader)


def test_a_server_says_at_once_that_it_waits(start, serve):
    """A script starts the client when it has read that."""
    server, port, lines = reads_from_a_pipe(serve, "ib_write_bw")
    with lines:
        assert WAITING in iter(lines.readline, "")
        succeeded(start("ib_write_bw", "-p", port, "127.0.0.1"))
        succeeded(server)
        assert len(re.findall(r"^ 65536 ", lines.read(), re.M)) == 1


def test_a_server_that_cannot_listen_waits_for_nobody(start):
    """It says why, once, and no head of a table."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = start("ib_write_bw", "--bind_source_ip", "127.0.0.1",
                       "-p", taken.getsockname()[1])
        failed(server, "in use")
    assert server.out == ""
    assert len(server.errors) == 1


@pytest.mark.parametrize("words", (("serve",),
                                   ("serve", "--format", "perftest")))
def test_a_stopped_server_says_no_error(words):
    """Nor what only perftest's names say before there is a client."""
    server = Program(*words, "-p", 0)
    server.wait_for(r"serving on TCP port")
    server.send(signal.SIGTERM)
    server.wait()
    assert not server.errors and server.out == ""



@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_ends_that_nobody_reads(start, number):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, bytes(4096)):
            pass
    os.set_blocking(writer, True)
    server = start("ib_write_bw", "-p", 0, stdout=writer)
    server.wait_for("serving on TCP port")
    server.send(number)
    assert server.wait().status == -number, str(server)
    os.close(reader)
    os.close(writer)


def test_a_server_ends_after_a_client_that_failed(pair):
    """At what its device lacks, before any traffic."""
    server, program = pair("ib_write_bw", "-c", "XRC")
    failed(program, "XRC")
    failed(server, "XRC")


def test_a_server_ends_after_a_client_that_died(pair):
    server, program = pair("ib_write_bw", "-D", 60)
    program.wait_for_traffic()
    program.kill()
    failed(server, "client")


def test_a_server_ends_after_another_test(start, serve):
    """The client decides which, as told here on stderr."""
    server, port = serve("ib_write_bw")
    succeeded(start("ib_read_bw", "-p", port, "127.0.0.1"))
    server.wait()
    assert server.status == 0 and "RDMA_Read BW Test" in server.out


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.0\r\n\r\n"])
def test_who_says_nothing_is_no_client(start, serve, said):
    server, port = serve("ib_write_bw")
    with socket.create_connection(("127.0.0.1", int(port))) as other:
        other.sendall(said)
    if said:
        server.wait_for("error: ")
        server.forget()
    succeeded(start("ib_write_bw", "-p", port, "127.0.0.1"))
    succeeded(server)


@pytest.mark.parametrize("option", ["--use_cuda", "--use_rocm"])
def test_memory_of_a_gpu_is_said(start, serve, option):
    """By the end that has it, above its table, and without the size."""
    folder = os.path.join(os.path.dirname(beside("")), "..", "standin")
    if not os.path.exists(os.path.join(folder, "libcuda.so.1")):
        pytest.skip("no stand-in for a GPU's libraries is built")
    server, port = serve("ib_write_bw")
    program = start("ib_write_bw", "-p", port, f"{option}=0", "127.0.0.1",
                    env={**environment(), "LD_LIBRARY_PATH": folder})
    succeeded(program)
    succeeded(server)
    assert re.match(r"allocated 0x10000 bytes of GPU buffer at 0x[0-9a-f]+\n",
                    program.out)
    assert "GPU" not in server.out


def test_no_server(start):
    """--wait is none of perftest's."""
    failed(start("ib_write_bw", "-p", 1, "127.0.0.1"), "Connection refused; "
           "start the server there first, with the same --port$")


@pytest.mark.parametrize("name", NAMES)
def test_help_probed_by_scripts(start, name):
    program = start(name, "--help").wait()
    assert program.status == 1
    for option in ("--use_cuda=", "--use_cuda_dmabuf", "--report_gbits",
                   "--run_infinitely", "--out_json", "-F, --CPU-freq"):
        assert option in program.out


def test_version(start):
    program = start("ib_write_bw", "--version").wait()
    assert program.status == 1 and program.out.startswith("Version: 6.06\n")
