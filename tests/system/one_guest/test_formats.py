"""CSV, JSON lines and perftest's table: where they go, and what is in them."""

import csv
import fcntl
import os
import subprocess

import pytest

from documents import csv_rows, lines_of, measured, parse
from lab import (PATIENT, QUICK, Program, Server, client, deadline, failed,
                 loopback, needs_device, succeeded)

pytestmark = [needs_device, pytest.mark.data]

BANDWIDTH = ("write_bw", *PATIENT, "-s", "4K")


def check_same(row, document, number):
    """A row of CSV has the values of the document."""
    result = document["results"][number]
    for column, value in (("started", document["started"]),
                          ("test", document["test"]["name"]),
                          ("size", result["size"]),
                          ("iterations", result["iterations"])):
        assert row[column] == str(value)
    for part in ("bandwidth", "latency"):
        unit = "_us" if part == "latency" else ""
        for key, value in (result[part] or {}).items():
            text = row.get(f"{part}_{key}{unit}", row.get(f"{part}_{key}"))
            if isinstance(value, float):
                assert float(text) == value
            elif value is None:
                assert not text     # no such column, or empty


@pytest.mark.parametrize("arguments", (
    ("write_bw", "-b"), ("write_lat",), ("send_bw", "-c", "UD"),
    ("read_lat", "--percentiles", "50,99.99"), ("send_lat", "-c", "UD")))
def test_csv_has_the_values_of_the_document(arguments, tmp_path):
    path = tmp_path / "rows.csv"
    document = measured(loopback(*arguments, *QUICK, "-s", "64,1K", "--json",
                                 f"--csv={path}", "--title", 'a,"b"'))
    rows = csv_rows(path)
    assert len(rows) == 2
    for number, row in enumerate(rows):
        assert row["title"] == 'a,"b"' and row["failed"] == "false"
        check_same(row, document, number)


def test_csv_of_all_sizes_to_stdout():
    program = succeeded(loopback("send_bw", "-c", "UD", "-a", *QUICK, "--csv"))
    rows = list(csv.DictReader(program.out.splitlines()))
    assert [int(row["size"]) for row in rows] \
        == [2 ** power for power in range(1, len(rows) + 1)]
    assert len(rows) >= 8
    assert "#bytes" in program.err


def test_lines_come_while_the_test_runs():
    program = loopback(*BANDWIDTH, "-D", 2, "--interval", 0.2, "--json-lines")
    deadline(30, lambda: '"interval":{' in program.out, "an interval")
    assert program.status is None
    assert '"type":"result"' not in program.out
    succeeded(program)
    assert "#bytes" in program.err and "#bytes" not in program.out
    lines = lines_of(program.out)
    assert len(lines) >= 4
    assert lines[-1]["error"] is None
    result = lines[-2]["result"]
    parts = [line["interval"] for line in lines[1:-2]]
    assert sum(part["iterations"] for part in parts) == result["iterations"]
    assert all(line["counted"] == "completed" and line["from"] == "client"
               for line in lines[1:-2])


def test_lines_have_all_of_the_document(tmp_path):
    path = tmp_path / "lines"
    document = measured(loopback(*BANDWIDTH, "-D", 0.5, "-b", "--json",
                                 f"--json-lines={path}"))
    lines = lines_of(path.read_text())
    assert [line["result"] for line in lines if line["type"] == "result"] \
        == document["results"]
    for key in ("tool", "started", "test", "parameters", "client", "server"):
        assert lines[0][key] == document[key], key
    for key in ("clock", "setup_seconds", "preflight", "error"):
        assert lines[-1][key] == document[key], key


def test_lines_of_both_ends_of_datagrams(tmp_path):
    """The one counts what it sends, the other what comes."""
    path = tmp_path / "lines"
    server = Server("--once", f"--json-lines={path}")
    program = succeeded(client(
        "send_bw", "-c", "UD", "-s", 1024, "-D", 1, "--interval", 0.2,
        "--json-lines", port=server.port))
    succeeded(server)
    for text, counted in ((program.out, "sent"), (path.read_text(),
                                                  "received")):
        lines = lines_of(text)
        parts = [line for line in lines if line["type"] == "interval"]
        assert {line["counted"] for line in parts} == {counted}
        assert {line["from"] for line in parts} == {"client"}
        assert lines[-2]["result"]["bandwidth"]["lost"] is not None


def test_server_keeps_the_lines_of_all_its_clients(tmp_path):
    path = tmp_path / "lines"
    path.write_text("of yesterday\n")
    server = Server(f"--json-lines={path}")
    for number, test in enumerate(("write_bw", "write_lat"), 1):
        succeeded(client(test, *QUICK, port=server.port))
        deadline(30, lambda: path.read_text().count("\n") == 3 * number,
                 "three lines for each")
    text = path.read_text().splitlines(keepends=True)
    assert [lines_of("".join(part))[0]["test"]["name"]
            for part in (text[:3], text[3:])] == ["write_bw", "write_lat"]


def test_failure_half_way(tmp_path):
    """The server dies: what was measured until then is in all of them."""
    paths = {name: tmp_path / name for name in ("json", "json-lines", "csv")}
    server = Server()
    program = client("send_bw", *PATIENT, "-s", "4K", "-D", 20, "--interval",
                     0.2, *(f"--{name}={path}" for name, path in
                            paths.items()), port=server.port)
    deadline(30, lambda: paths["json-lines"].exists() and '"interval":{' in
             paths["json-lines"].read_text(), "an interval")
    server.kill()
    failed(program, "server")
    document = parse(paths["json"].read_text())
    lines = lines_of(paths["json-lines"].read_text())
    row, = csv_rows(paths["csv"])
    message = document["error"]["message"]
    assert lines[-1]["error"]["message"] == row["error"] == message
    assert lines[-2]["result"] == document["results"][0]
    assert row["failed"] == "true" and lines[-2]["result"]["failed"]


def test_failure_before_anything(tmp_path):
    paths = tmp_path / "lines", tmp_path / "rows"
    program = loopback("write_bw", "-t", 65536, "-Q", 1,
                       f"--json-lines={paths[0]}", f"--csv={paths[1]}")
    failed(program, "--tx-depth")
    line, = lines_of(paths[0].read_text())
    assert "--tx-depth" in line["error"]["message"]
    assert csv_rows(paths[1]) == []
    assert paths[1].read_text().startswith("started,")


def test_reader_that_goes_away():
    """The test ends as it would, with the table; and says so."""
    program = loopback(*BANDWIDTH, "-D", 1, "--interval", 0.1, "--json-lines",
                       stdout=subprocess.PIPE)
    assert b'"type":"start"' in program.process.stdout.readline()
    program.process.stdout.close()
    failed(program, "to stdout: Broken pipe")
    assert "#bytes" in program.err


@pytest.mark.dialogue
def test_reader_that_does_not_read():
    """It holds up neither the test nor, for long, its end."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    program = loopback("write_bw", *QUICK, "-s", "64,128,256,512",
                       "--json-lines", stdout=writer)
    os.close(writer)
    failed(program, "its reader read nothing for 10 s", seconds=60)
    os.close(reader)
    assert "#bytes" in program.err


@pytest.mark.parametrize("option", ("--json-lines", "--csv"))
def test_files_that_cannot_be_written(option, tmp_path):
    program = loopback("write_bw", *QUICK, f"{option}={tmp_path}/none/x")
    failed(program, "none/x: No such file")
    assert program.out == ""
    program = loopback("write_bw", *QUICK, f"{option}=/dev/full")
    failed(program, "/dev/full: No space left")
    assert "#bytes" in program.out


def test_two_on_stdout():
    failed(loopback("write_bw", "--csv", "--json"), "--json and --csv",
           "stdout", status=2)


def test_perftest():
    """Blank for blank it is compared in tests/scripts/test_perftest.py."""
    for test in ("write_bw", "send_lat"):
        out = succeeded(loopback(test, "-n", 20, "--warmup", 0, "-s", 64,
                                 "--format", "perftest")).out.splitlines()
        assert set(out[0]) == {"-"} and out[-1] == out[0]
        values = out[-2].split()
        assert values[:2] == ["64", "20"]
        assert all(float(value) >= 0 for value in values)
        assert " Connection type : RC\t\tUsing SRQ      : OFF" in out


def test_perftest_by_time():
    out = succeeded(loopback("read_lat", "-D", 0.2, "--format",
                             "perftest")).out.splitlines()
    assert out[-3] == (" #bytes        #iterations       t_avg[usec]    "
                       "tps average")
    size, iterations, mean, rate = out[-2].split()
    assert int(size) == 2 and int(iterations) > 0
    assert 0.5 < float(mean) * float(rate) / 1e6 < 1.01


def test_checks_have_no_other_table():
    program = Program("write_bw", "--check", "--loopback", "--format",
                      "perftest")
    assert "max_qp_wr" in succeeded(program).out
