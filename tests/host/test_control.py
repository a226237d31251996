"""Tests of the control path on a NIC that does nothing: what they report, and
what the other commands make of it."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from documents import csv_rows, lines_of, measured, parse
from lab import (BINARY, DEVICE, Program, Server, deadline, environment,
                 failed, interrupted, serves, succeeded)

SCRIPTS = __file__.rsplit("/", 3)[0] + "/scripts"
TESTS = ("reg_mr", "create_qp", "create_cq", "create_ah", "qp_setup")


def run(test, *args, **popen):
    return Program(test, "-d", DEVICE, "--warmup", 0, *args, **popen)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("pattern", ("churn", "hold"))
def test_documents(test, pattern):
    document = measured(run(test, "--pattern", pattern, "-n", 50,
                            "--threads", 2, "--json"))
    row, = document["results"]
    assert row["iterations"] == 100
    assert row["control"]["pattern"] == pattern
    assert document["test"]["name"] == test
    assert document["client"]["device"] == DEVICE
    assert document["server"]["device"] is None


def test_calls_of_the_data_path():
    row, = measured(run("post_poll", "-n", 100, "-s", 256,
                        "--json"))["results"]
    parts = {one["name"]: one for one in row["control"]["parts"]}
    assert list(parts) == ["poll_empty", "post", "wait", "poll"]
    assert [name for name, one in parts.items() if one["in_latency"]] == [
        "post", "poll"]
    failed(run("post_poll", "--pattern=hold"),
           "--pattern: not for post_poll", status=2)


def test_lines_and_csv(tmp_path):
    path = tmp_path / "csv"
    lines = lines_of(succeeded(run(
        "reg_mr", "-s", "4K,8K", "-D", 0.5, "--interval", 0.1,
        "--json-lines", f"--csv={path}")).out)
    assert [line["type"] for line in lines].count("result") == 2
    intervals = [line["interval"] for line in lines
                 if line["type"] == "interval"]
    assert intervals
    assert all(one["gbps"] is None and one["mib_per_s"] is None
               and one["mpps"] > 0 for one in intervals)
    rows = csv_rows(path)
    assert [row["size"] for row in rows] == ["4096", "8192"]
    assert rows[0]["control_part_2"] == "deregister"
    assert float(rows[0]["control_pinned_gb_per_s"]) > 0


@pytest.mark.parametrize("pattern", ("churn", "hold"))
def test_connections(pattern):
    document = measured(run("connect", "--loopback", "--pattern", pattern,
                            "-n", 50, "--json"))
    row, = document["results"]
    assert row["control"]["most"] == (1 if pattern == "churn" else 50)
    assert document["server"]["device"] == DEVICE
    parts = row["control"]["parts"]
    whole = sum(part["mean"] for part in parts[:5])
    assert whole == pytest.approx(row["latency"]["mean"], rel=0.02)


def test_server_allows_so_many_connections():
    server = Server("--max-qps", 30)
    row, = measured(run("connect", "-p", server.port, "--pattern", "hold",
                        "-n", 50, "--json", "127.0.0.1"))["results"]
    assert row["control"]["most"] == 30
    assert "--max-qps" in row["control"]["limit"]["message"]
    serves(server)


def test_connections_are_memory_too():
    """8,000 queue pairs of one client took 137 MB of a server that was to give
    a megabyte."""
    server = Server("--max-memory", "1M")
    row, = measured(run("connect", "-p", server.port, "--pattern", "hold",
                        "-n", 8000, "--json", "127.0.0.1"))["results"]
    limit = row["control"]["limit"]
    assert 20 < row["control"]["most"] < 1048576 / 16384
    assert limit["code"] == "ENOMEM"
    assert "--max-memory" in limit["message"]
    serves(server)


def test_windows_that_the_device_lacks():
    for kind, number in (("type1", 1), ("type2", 2), ("type2-send", 2)):
        failed(run("mw_bind", "--mw", kind, "-n", 5), f"--mw {kind}: fake0 "
               f"has no memory windows of type {number}")


def test_limits():
    program = run("reg_mr", "-n", 1000, "--max-p50", "0.000001")
    program.wait(30)
    assert program.status == 3
    assert "us at size 4096\n" in program.err
    succeeded(run("reg_mr", "-n", 1000, "--max-p50", 1e6))


@pytest.mark.parametrize("pattern", ("churn", "hold"))
def test_interrupted(pattern):
    program = run("reg_mr", "--pattern", pattern, "-D", 60, "--json")
    program.wait_for_traffic(thread="worker")
    program.send(signal.SIGINT)
    interrupted(program, signal.SIGINT)
    document = json.loads(program.out)
    assert document["error"]["code"] == "ECANCELED"
    assert document["results"][0]["failed"]


@pytest.mark.parametrize("pattern", ("churn", "hold"))
def test_interrupted_while_the_server_is_silent(pattern):
    server = Server()
    program = run("connect", "-p", server.port, "--pattern", pattern,
                  "-D", 60, "--timeout", 40, "--interval", 0.1,
                  "--json-lines", "127.0.0.1")
    deadline(20, lambda: re.search(r'"iterations":[1-9]', program.out),
             "some connections")
    child, = server.children()
    os.kill(child, signal.SIGSTOP)
    began = time.monotonic()
    program.send(signal.SIGINT)
    interrupted(program, signal.SIGINT)
    assert time.monotonic() - began < 10
    assert "t_min" in program.err
    os.kill(child, signal.SIGCONT)
    serves(server)


def script(name, *args, folder):
    return subprocess.run(
        [sys.executable, f"{SCRIPTS}/{name}", *map(str, args)], cwd=folder,
        capture_output=True, text=True, timeout=120, check=False,
        env={**(environment() or {}), "VERBSPERF": BINARY})


def test_swept_and_compared(tmp_path):
    (tmp_path / "suite").write_text(
        "defaults: --iterations 500 --warmup 0\n"
        "reg_mr: --size 4K,64K --pattern churn,hold\n")
    done = script("verbsperf-sweep", "--rounds", 2, "-o", "sweep", "suite",
                  f"a=loopback:{DEVICE}", f"b=loopback:{DEVICE}",
                  folder=tmp_path)
    assert done.returncode == 0, done.stderr
    done = script("verbsperf-compare", "--metric", "p50", "sweep",
                  folder=tmp_path)
    assert "reg_mr 4K" in done.stdout and "pattern=hold" in done.stdout
    assert "Traceback" not in done.stderr
    done = script("verbsperf-sweep", "-o", "other", "suite", "node1",
                  folder=tmp_path)
    assert done.returncode == 2
    assert "suite:2: reg_mr has no server" in done.stderr


@pytest.mark.parametrize("pattern, most", (("churn", 1), ("hold", 30)))
def test_a_server_reports_connections(data, tmp_path, pattern, most):
    """With those of the warm-up, and those in which calls are counted."""
    there = tmp_path / "there.json"
    server = Server("--once", f"--json={there}")
    here = measured(run("connect", "--pattern", pattern, "-n", 30, "--json",
                        "-p", server.port, "127.0.0.1"))
    succeeded(server)
    row, = parse(there.read_text())["results"]
    assert here["results"][0]["iterations"] == 30 <= row["iterations"] <= 50
    assert row["control"]["pattern"] == pattern
    assert row["control"]["most"] == most and not row["failed"]
    assert [part["name"] for part in row["control"]["parts"]] == ["server"]
    assert 0 < row["latency"]["min"] <= row["latency"]["p50"]
    head, *_, figures, rate, _ = server.out.splitlines()
    assert head == f" connect: {pattern}, 1 thread"
    assert figures.split()[0] == str(row["iterations"])
    assert re.match(r" +rate: \d+ operations a second$", rate)
    assert "an operation:" not in server.out


def test_a_server_reports_connections_until_the_client_dies(data):
    server = Server("--once", "--json")
    client = run("connect", "-D", 60, "--interval", 0.1, "--json-lines", "-p",
                 server.port, "127.0.0.1")
    deadline(30, lambda: '"type":"interval"' in client.out, "nothing")
    client.process.send_signal(signal.SIGKILL)
    server.wait()
    row, = json.loads(server.out)["results"]
    assert server.status == 1 and row["failed"] and row["iterations"] > 0
