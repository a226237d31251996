"""--format=perftest beside perftest itself, both on the fake NIC: the same
lines, the same blanks, whatever the numbers."""
import os
import re
import shutil
import socket
import subprocess
import time

import pytest

from conftest import HERE

VERBSPERF = os.environ.get("VERBSPERF")
BENCH = HERE.parent / "bench"
RULE = "-" * 87

pytestmark = pytest.mark.skipif(
    not VERBSPERF or not shutil.which("ib_write_bw"),
    reason="needs perftest, and VERBSPERF in the environment")


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """With a NIC that completes each message after 2 us."""
    library = tmp_path_factory.mktemp("fake") / "fake_nic.so"
    sources = [BENCH / f"fake_{part}.c" for part in ("nic", "path", "time")]
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-fno-tree-slp-vectorize",
                    "-shared", "-fPIC", "-o", library, *sources], check=True)
    return {**os.environ, "LD_PRELOAD": str(library), "FAKE_DELAY": "2000"}


def run(environment, *words):
    """What the command prints."""
    return subprocess.run(words, env=environment, text=True, check=True,
                          timeout=60, capture_output=True).stdout


def wait_for_listener(port, process):
    """Until somebody listens on PORT; a connection would be taken for one."""
    end = time.monotonic() + 30
    wanted = f":{port:04X} "
    while process.poll() is None and time.monotonic() < end:
        with open("/proc/net/tcp") as file:
            if any(wanted in line and " 0A " in line for line in file):
                return
        time.sleep(0.05)
    raise subprocess.SubprocessError("perftest does not listen")


def perftest(environment, test, options):
    """What its client prints; it may fail where this program would not."""
    for _ in range(3):
        try:
            return try_perftest(environment, test, options)
        except subprocess.SubprocessError:
            pass
    return pytest.skip("perftest does not run here")


def try_perftest(environment, test, options):
    """The same, once."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [f"ib_{test}", "-p", str(port), *options]
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        try:
            wait_for_listener(port, server)
            return run(environment, *words, "127.0.0.1")
        finally:
            server.kill()


def lines_of(text):
    """From the rule above the title on, with the addresses of one QP."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.endswith(" Test"))
    kept, seen = [], set()
    for line in lines[start - 1:]:
        word = line.split()[0]
        if word in ("local", "remote"):
            skip = word in seen
            seen.add(word)
        elif word != "GID:":
            skip = False
        if not skip:
            kept.append(line)
    return kept


# What stands in a cell: a dash is what was not measured.
CELL = r"(\d[\d.]*|nan|(?<=[ \t])-(?= ))"


def fields(line):
    """Each number of LINE with the blanks after it, and all between."""
    line = re.sub(r" (QPN|OUT|RKey) .*", "", line)
    line = re.sub(r"\b(ON|OFF)\b", "OFF", line)
    numbers = re.findall(CELL + "( *)", line)
    return ([(len(n), len(blanks)) for n, blanks in numbers],
            re.sub(CELL + " *", "#", line))


def gaps(digits, blanks):
    """The blanks after a number by how wide it is made, if it is not wider."""
    return {(width, blanks - max(0, width - digits)) for width in (0, 7, 10)}


def check_alike(mine, theirs):
    """A number may have other digits."""
    numbers, rest = fields(mine)
    others, wanted = fields(theirs)
    assert rest == wanted
    for one, other in zip(numbers, others, strict=True):
        assert gaps(*one) & gaps(*other), (mine, theirs)


@pytest.mark.parametrize("test, options", [
    ("write_bw", "-n 100 -s 2"), ("write_bw", "-n 100 -s 2 -b"),
    ("write_bw", "-n 100 -s 8 -q 2 -l 4 --report_gbits"),
    ("read_bw", "-D 1 -s 2"),
    ("atomic_bw", "-n 100 -A CMP_AND_SWAP"),
    ("read_lat", "-n 100 -s 2"), ("read_lat", "-D 1 -s 64"),
    ("atomic_lat", "-n 100"),
])
def test_lines_are_those_of_perftest(environment, test, options):
    mine = lines_of(run(environment, VERBSPERF, test, "--loopback",
                        "--format=perftest", *options.split()))
    theirs = lines_of(perftest(environment, test, options.split()))
    assert RULE in mine and len(mine) == len(theirs), (mine, theirs)
    for one, other in zip(mine, theirs):
        check_alike(one, other)
