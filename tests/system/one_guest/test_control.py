"""Tests of the control path, which need no other end, on a real device."""
import re
import subprocess

import pytest

from documents import measured
from lab import (BINARY, DEVICE, Program, needs_device, needs_lab, succeeded)

pytestmark = needs_device

TESTS = ("reg_mr", "create_qp", "create_cq", "create_ah", "qp_setup",
         "post_poll")


def run(test, *args, **popen):
    return Program(test, "-d", DEVICE, "--warmup", 0, *args, **popen)


def control_of(test, *args):
    row, = measured(run(test, "--json", *args))["results"]
    return row["control"]


def resources():
    """How many objects of each kind the device has."""
    text = subprocess.run(("rdma", "resource", "show", DEVICE), check=True,
                          capture_output=True, text=True).stdout
    return {name: int(n) for name, n in re.findall(
        r"\b(pd|cq|qp|mr|ctx|srq) (\d+)", text)}


@needs_lab
def test_each_and_nothing_is_left():
    before = resources()
    for test in TESTS:
        control = control_of(test, "-n", 50)
        parts = sum(one["mean"] for one in control["parts"])
        # a busy machine does other things between two operations
        assert 0.5 < parts * 1000 / control["time"]["wall_ns"] <= 1.02, test
    assert resources() == before


@needs_lab
def test_held_up_to_the_limit_of_locked_memory():
    before = resources()
    program = run("reg_mr", "--pattern", "hold", "-s", "64K", "-n", 1000,
                  "--json", argv0=("prlimit", "--memlock=1048576", "setpriv",
                                   "--bounding-set=-ipc_lock,-sys_resource",
                                   "--inh-caps=-ipc_lock,-sys_resource",
                                   BINARY))
    control = measured(program)["results"][0]["control"]
    assert control["limit"]["code"] == "ENOMEM"
    assert control["most"] == 16
    assert "1048576" in control["limit"]["advice"]
    assert resources() == before
