"""Tests of the control path, which need no other end, on a real device."""
import re
import shutil
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
        # a call is in the kernel, or writes a doorbell there
        assert control["system_calls"]["per_operation"] >= 1, test
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


@needs_lab
@pytest.mark.skipif(not shutil.which("strace"), reason="no strace")
def test_as_many_system_calls_as_strace_sees():
    def seen(n):
        """What strace counts of each name in a run of N."""
        program = run("create_cq", "-n", n, argv0=(
            "strace", "-f", "-c", "-e", "trace=ioctl,mmap,munmap", BINARY))
        # % time, seconds, usecs/call, calls, perhaps errors, name
        lines = [line.split() for line in succeeded(program).err.splitlines()]
        return {line[-1]: int(line[3]) for line in lines
                if line and line[-1] in ("ioctl", "mmap", "munmap")}

    told = control_of("create_cq", "-n", 50)["system_calls"]["names"]
    few, many = seen(20), seen(70)
    assert {name: (many[name] - few[name]) / 50 for name in told} == told
