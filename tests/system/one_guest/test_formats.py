"""CSV: where it goes, and what is in it."""

import csv

import pytest

from documents import csv_rows, measured
from lab import QUICK, failed, loopback, needs_device, succeeded

pytestmark = needs_device

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


def test_failure_before_anything(tmp_path):
    path = tmp_path / "rows"
    failed(loopback("write_bw", "-t", 65536, "-Q", 1, f"--csv={path}"),
           "--tx-depth")
    assert csv_rows(path) == []
    assert path.read_text().startswith("started,")


def test_files_that_cannot_be_written(tmp_path):
    program = loopback("write_bw", *QUICK, f"--csv={tmp_path}/none/x")
    failed(program, "none/x: No such file")
    assert program.out == ""
    program = loopback("write_bw", *QUICK, "--csv=/dev/full")
    failed(program, "/dev/full: No space left")
    assert "#bytes" in program.out


def test_two_on_stdout():
    failed(loopback("write_bw", "--csv", "--json"), "--json and --csv",
           "stdout", status=2)
