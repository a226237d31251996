"""verbsperf-sweep and verbsperf-compare on real verbs."""

import json
import os
import sys

import pytest

import schemas
from lab import BINARY, DEVICE, Program, needs_device

pytestmark = needs_device
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../../scripts")
# Paced, so that a busy machine reaches the same rate every time.
SUITE = "write_bw: --size 4K --duration 0.4 --warmup 0.1 --qp-timeout 18\n"
ROUNDS = 6


def script(name, *arguments):
    """Runs it to its end; Python alone takes seconds to start in the lab."""
    return Program(*arguments, argv0=(sys.executable, os.path.join(
        SCRIPTS, name))).wait(200)


def sweep(path, port, rounds):
    """The lines of a sweep of two targets, of which the second is slower."""
    suite = path.with_suffix(".suite")
    suite.write_text(SUITE)
    targets = [f"{name}=127.0.0.1:{port},device={DEVICE},rate={rate}"
               for name, rate in (("base", "4mbps"), ("slow", "2mbps"))]
    program = script("verbsperf-sweep", "--program", BINARY, "--rounds",
                     rounds, "-o", path, suite, *targets)
    assert program.status == 0, program
    lines = [schemas.load(line, "verbsperf-sweep-1")
             for line in path.read_text().splitlines()]
    assert len(lines) == 1 + 2 * rounds
    return lines


def test_a_real_device_is_in_the_lines(server, tmp_path):
    marks = sweep(tmp_path / "out", server.port, 1)[1]["fingerprint"]
    assert marks["client device"] == marks["server device"] == DEVICE
    assert marks["kernel"] == os.uname().release


@pytest.mark.data
def test_slow_target_is_named(server, tmp_path):
    sweep(tmp_path / "out", server.port, ROUNDS)
    program = script("verbsperf-compare", "--json", "--force",
                     "--bandwidth-tolerance", 25, "--targets", "base,slow",
                     tmp_path / "out")
    assert program.status == 1
    assert json.loads(program.out)["verdict"] == "regression"
