"""Every combination of operation, transport, metric, direction, waiting and
number of queue pairs: those that exist, verified, and those that do not.

They come from the program's own tables (tests/system/cells.c).  Some are
measured on a real device, the rest on the fake NIC.
"""

import json
import os
import subprocess

import pytest

from documents import measured
from lab import PATIENT, Program, beside, failed, loopback, needs_device

# What must exist, said a second time: a rule that refuses too much would
# otherwise only make this file shorter.
TRANSPORTS = {"send": ("RC", "UC", "UD", "XRC"), "write": ("RC", "UC", "XRC"),
              "read": ("RC", "XRC"), "atomic": ("RC", "XRC")}


def walk():
    """Each line of the table; none where it was not built."""
    program = beside("cells")
    if not os.path.exists(program):
        return []
    lines = subprocess.run([program], stdout=subprocess.PIPE, check=True,
                           timeout=30).stdout.splitlines()
    return [json.loads(line) for line in lines]


def name_of(cell):
    words = cell["argv"][:cell["argv"].index("--size")]
    return " ".join(word for word in words if word != "--transport")


CELLS = walk()


def is_real(cell):
    """Immediate data over UC, everything else over RC and UD.  Of a direction
    two of eight, which differ in each choice; of latency, whose number of
    queue pairs is one, two of four."""
    imm, events, many = cell["imm"], cell["events"], cell["qps"] > 1
    if imm != (cell["transport"] == "UC"):
        return False
    if "lat" in cell["test"]:
        return imm == events
    return {"uni": imm == events == many, "bi": imm != events == many,
            "reversed": imm == many != events}[cell["direction"]]


def each(exists):
    """Neither Soft-RoCE nor the fake NIC moves data over XRC:
    tests/unit/test_verified_runs has those cells."""
    cells = [cell for cell in CELLS if cell["exists"] == exists
             and not (exists and cell["transport"] == "XRC")]
    return pytest.mark.parametrize("cell", [
        pytest.param(cell, id=name_of(cell), marks=(
            pytest.mark.real if exists and is_real(cell) else
            pytest.mark.data)) for cell in cells])


def should_exist(cell):
    operation, metric = cell["test"].split("_")
    if cell["transport"] not in TRANSPORTS[operation]:
        return False
    if metric == "bw":
        return True
    plain_write = operation == "write" and not cell["imm"]
    return (cell["direction"] == "uni" and cell["qps"] == 1
            and not (cell["events"] and plain_write))


def test_what_exists_is_what_is_meant():
    assert CELLS, f"make builds {beside('cells')}"
    assert [name_of(cell) for cell in CELLS if cell["exists"]] == [
        name_of(cell) for cell in CELLS if should_exist(cell)]


def check_counts(cell, row):
    """As many as asked for came, each way; where none can be lost."""
    asked = cell["iterations"] * cell["qps"]
    reliable = cell["transport"] in ("RC", "XRC")
    if row["latency"]:
        lost = row["latency"]["lost"]
        assert lost is None if reliable else 0 <= lost <= asked
        assert row["iterations"] + (lost or 0) == asked
        return
    for way in row["directions"] or [row]:
        counts = way["bandwidth"]
        assert counts["sent"] == asked
        if not cell["counted"]:
            assert counts["received"] is None
            assert way["iterations"] == asked
            continue
        assert 0 < way["iterations"] <= asked
        assert counts["received"] == way["iterations"]
        assert counts["sent"] == counts["received"] + counts["lost"]
        assert not reliable or counts["lost"] == 0


@needs_device
@each(exists=True)
def test_cell_is_measured_and_verified(cell):
    document = measured(loopback(*cell["argv"], *PATIENT, "--json"))
    test, parameters = document["test"], document["parameters"]
    assert test["name"] == cell["test"]
    assert test["transport"] == cell["transport"]
    assert test["direction"] == ("bi" if cell["direction"] == "bi" else "uni")
    assert parameters["reversed"] == (cell["direction"] == "reversed")
    assert parameters["events"] == cell["events"]
    assert parameters["imm"] == cell["imm"]
    for row in document["results"]:
        assert row["verified"] is True
        assert row["qps"] == cell["qps"]
        check_counts(cell, row)


@each(exists=False)
def test_cell_that_does_not_exist_is_refused(cell):
    program = Program(*cell["argv"], "--loopback")
    line = failed(program, status=2)
    # behind it may be which other test takes it
    assert line.startswith(f"verbsperf: error: {cell['why']}")
    assert program.out == "" and program.err == line + "\n"
