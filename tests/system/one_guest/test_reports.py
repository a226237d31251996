"""The table and the JSON: where they go, and that both ends agree."""

import os
import re

import pytest

from documents import measured, parse
from lab import (DEVICE, PATIENCE, QUICK, Program, Server, client,
                 complained, deadline,
                 failed, free_port, loopback, needs_device, serves, succeeded)
from wire import FakeClient

pytestmark = [needs_device, pytest.mark.data]

HEADINGS = {
    "bw": ["#bytes", "#iterations", "BW peak[Gb/s]", "BW average[Gb/s]",
           "+-95%[Gb/s]", "BW average[MiB/s]", "MsgRate[Mpps]"],
    "lat": ["#bytes", "#iterations", "t_min[us]", "t_max[us]",
            "t_typical[us]", "t_avg[us]", "t_stdev[us]", "99%[us]",
            "99.9%[us]"],
}


def table_of(text):
    """Headings and rows as they are printed."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if "#bytes" in line)
    rows = []
    for line in lines[start + 1:]:
        if not re.match(r" +\d", line):
            break
        rows.append(line)
    return lines[start], rows


@pytest.mark.parametrize("test", ("send_bw", "read_lat"))
def test_headings_name_their_units(test):
    heading, _ = table_of(succeeded(loopback(test, *QUICK)).out)
    for name in HEADINGS[test.split("_")[1]]:
        assert name in heading


@pytest.mark.parametrize("test", ("write_bw", "write_lat"))
def test_columns_are_aligned(test):
    sizes = "1,64,4K,64K"
    out = succeeded(loopback(test, "-n", 20, "--warmup", 0, "-s", sizes)).out
    heading, rows = table_of(out)
    ends = [match.end() for match in re.finditer(r"(BW )?\S+", heading)][1:]
    assert len(rows) == 4
    for row in rows:
        assert [m.end() for m in re.finditer(r"\S+", row)][1:] == ends


def test_table_has_the_figures_of_the_document(tmp_path):
    path = tmp_path / "result.json"
    program = succeeded(loopback("write_bw", *QUICK, "-s", "64,4K",
                                 f"--json={path}"))
    document = parse(path.read_text())
    _, rows = table_of(program.out)
    for text, row in zip(rows, document["results"]):
        size, iterations, peak, gbps, half, mib, mpps = text.split()
        assert int(size) == row["size"]
        assert int(iterations) == row["iterations"]
        assert (peak, half) == ("-", "-")   # too short for intervals
        for shown, key in ((gbps, "gbps"), (mib, "mib_per_s"),
                           (mpps, "mpps")):
            decimals = len(shown.split(".")[1])
            assert abs(float(shown) - row["bandwidth"][key]) \
                <= 0.51 * 10 ** -decimals


def test_what_was_not_measured_is_a_dash():
    _, rows = table_of(succeeded(loopback("write_lat", "-n", 4, "--warmup",
                                          0)).out)
    values = rows[0].split()
    assert values[4] == "-"     # the median of four
    assert values[-2:] == ["-", "-"]
    assert "-" not in values[:4]


def test_percentiles_take_the_place_of_the_usual():
    out = succeeded(loopback("read_lat", "-n", 40, "--warmup", 0,
                             "--percentiles", "50,90.5,99.9999")).out
    heading, rows = table_of(out)
    assert heading.split()[-3:] == ["50%[us]", "90.5%[us]", "99.9999%[us]"]
    assert " 99%[us]" not in heading
    values = rows[0].split()
    assert values[-3] == values[4] and values[-1] == "-"


def test_histogram_is_drawn_below_the_table():
    out = succeeded(loopback("write_lat", "-D", 0.3, "--histogram")).out
    chart = out.split("histogram of size 2:\n")[1].splitlines()
    ranges = [line.split() for line in chart[1:] if line[-1] != ":"]
    assert all((int(words[2]) > 0) == (len(words) == 4) for words in ranges)
    _, rows = table_of(out)
    assert sum(int(words[2]) for words in ranges) == int(rows[0].split()[1])


def test_peak_and_confidence_are_explained():
    out = succeeded(loopback("write_bw", "-D", 3, "-s", 64, "--verbose")).out
    _, rows = table_of(out)
    assert "-" not in rows[0].split()
    n, length = re.search(r"peak: best of (\d+) intervals of (\S+) s",
                          out).groups()
    assert 10 <= int(n) <= 31
    assert 0.09 < float(length) < 0.4


def test_one_sample_has_no_deviation():
    program = loopback("read_lat", "-n", 1, "--warmup", 0, "--json")
    row = measured(program)["results"][0]
    assert row["latency"]["stddev"] is None
    assert row["latency"]["min"] == row["latency"]["max"]


def test_table_tells_what_was_used():
    out = succeeded(loopback("read_bw", *QUICK, "-q", 2, "-o", 3,
                             "--verbose")).out
    for text in ("read_bw", "RC", "2 QPs", "MTU", "outstanding reads 3",
                 "client:", "server:", "GID", "clock"):
        assert text in out


def test_json_to_stdout_moves_the_table_to_stderr():
    program = loopback("write_bw", *QUICK, "--json")
    measured(program)
    assert "#bytes" in program.err and "#bytes" not in program.out


def test_json_to_a_file_leaves_the_table_on_stdout(tmp_path):
    path = tmp_path / "result.json"
    program = succeeded(loopback("write_lat", *QUICK, f"--json={path}"))
    assert "#bytes" in program.out and program.err == ""
    assert parse(path.read_text())["error"] is None


def test_json_replaces_what_was_in_the_file(tmp_path):
    path = tmp_path / "result.json"
    path.write_text("x" * 100000)
    succeeded(loopback("write_lat", *QUICK, f"--json={path}"))
    parse(path.read_text())


@pytest.mark.parametrize("test", ("write_lat", "send_lat", "read_lat",
                                  "send_bw"))
def test_both_ends_report_the_same(test, tmp_path):
    path = tmp_path / "server.json"
    server = Server("--once", f"--json={path}")
    program = client(test, "--json", *QUICK, "-s", "64,4K", port=server.port)
    one = measured(program)
    succeeded(server)
    assert table_of(program.err) == table_of(server.out)
    other = parse(path.read_text())
    for row in (*one["results"], *other["results"]):
        # by the clock of the end that wrote it, and of what that end sent
        assert row.pop("opened")
        row.pop("drain_seconds")
    for key in ("test", "results", "client", "server", "clock"):
        assert one[key] == other[key], key


def test_started_is_when_the_run_began():
    first = measured(loopback("write_bw", *QUICK, "--json"))["started"]
    second = measured(loopback("write_bw", *QUICK, "--json"))["started"]
    assert first < second


def test_failure_is_in_the_document():
    program = loopback("write_bw", "--json", "-t", 65536, "-Q", 1)
    failed(program, "--tx-depth")
    document = parse(program.out)
    assert document["results"] == []
    assert "--tx-depth" in document["error"]["message"]
    assert document["client"]["device"]


def test_failure_before_anything_is_known_is_a_document():
    program = loopback("write_bw", "-d", "none0", "--json")
    failed(program, "none0")
    document = parse(program.out)
    assert document["error"]["code"] == "ENODEV"
    assert document["server"]["device"] is None
    assert document["client"]["hostname"]


def test_server_writes_documents_too(tmp_path):
    path = tmp_path / "server.json"
    server = Server(f"--json={path}", "--title", "rack 1")
    serves(server)
    server.wait_for("with verbsperf")
    deadline(PATIENCE,
             lambda: path.exists() and path.read_text().endswith("}\n"),
             str(path))
    assert parse(path.read_text())["title"] == "rack 1"


def test_a_plan_that_is_none_has_no_report(tmp_path):
    """And does not use up --once."""
    path = tmp_path / "server.json"
    server = Server("--once", f"--json={path}")
    peer = FakeClient(server.port)
    peer.play("HELLO")
    peer.send("PLAN", b"no plan")
    peer.expect_error("REFUSE")
    complained(server, "the other end's test does not fit this run")
    assert server.status is None
    assert not path.exists() or not path.read_text()
    serves(server)
    server.wait()
    assert parse(path.read_text())["test"]["name"] == "write_bw"


@pytest.mark.parametrize("path,cause", (
    ("/nonexistent/x.json", "No such file or directory"),
    ("/", "Is a directory")))
def test_json_that_cannot_be_opened_fails_before_the_run(path, cause):
    program = loopback("write_bw", *QUICK, f"--json={path}")
    failed(program, f"{path}.*{cause}")
    assert program.out == ""


def test_json_that_cannot_be_written_leaves_the_table():
    program = loopback("write_bw", *QUICK, "--json=/dev/full")
    failed(program, "/dev/full.*No space left")
    assert "#bytes" in program.out


@pytest.mark.parametrize("args", ((), ("--json",)))
def test_full_stdout_fails(args):
    with open("/dev/full", "w") as full:
        failed(loopback("write_bw", *QUICK, *args, stdout=full), "stdout",
               "No space left")


@pytest.mark.parametrize("closed", ((1,), (0, 1)))
def test_closed_stdout_fails(closed):
    def close():
        for descriptor in closed:
            os.close(descriptor)
    failed(loopback("write_bw", *QUICK, stdin=None, stdout=None,
                    preexec_fn=close), "stdout")


def test_server_without_standard_files_serves():
    def close():
        for descriptor in range(3):
            os.close(descriptor)
    port = free_port()
    Program("serve", "--once", "-d", DEVICE, "-p", port, stdin=None,
            stdout=None, stderr=None, preexec_fn=close)
    succeeded(client("write_bw", *QUICK, "--wait", port=port))
