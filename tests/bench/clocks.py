#!/usr/bin/env python3
"""Two hosts of which one has a clock that goes wrong: no run may be lost, and
each must say that the clocks disagree.

usage: clocks.py [--duration SECONDS] [FACTOR...]

Starts two guests of the lab. In one after the other a preloaded library
(tests/host/fast_clock.c) makes the clocks of verbsperf FACTOR times as fast (by
default not at all, then 1.02, 1.2 and 3 times), while all tests run for SECONDS
[5], and a sweep of two of them. The columns: which end is fast, and how much;
the test; what came of it; the bounds of the server's seconds in one of the
client's; and whether the run says that the clocks disagree. A run is wrong if it
fails, if the true ratio is not within its bounds (of all, relative to the guests
as they are), or if what it says is wrong. Exit status: 0, or 1 if a run is wrong.

VERBSPERF in the environment is the program; build/verbsperf otherwise."""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
VERBSPERF = os.path.abspath(os.environ.get("VERBSPERF",
                                           TOP / "build/verbsperf"))
# Beside the program, where the guests see it.
LIBRARY = pathlib.Path(VERBSPERF).with_name("fast_clock.so")
SWEEP = TOP / "scripts/verbsperf-sweep"
# On the network beside that of the RDMA devices.
SERVER = "mgmt2"
# Soft-RoCE on a busy machine: see tests/system/lab.py.
PATIENT = ("--qp-timeout", "18")
TESTS = ("write_lat", "send_lat", "read_lat", "atomic_lat", "write_bw",
         "send_bw", "read_bw", "atomic_bw", "send_bw -c UD -s 512",
         "read_lat --clock monotonic_raw")
SUITE = "write_bw read_lat: --size 4K --duration {} --qp-timeout 18\n"
ROW = "{:<8}{:>5}  {:<33}{:<7}{:>7} ..{:>7}  {}"
SAID = "the clocks of both hosts disagree"
DIFFER = 0.01


def fast(factor):
    """What comes before the command of the end with the fast clock."""
    return ("env", f"LD_PRELOAD={LIBRARY}", f"FAST_CLOCK={factor}")


class Server:
    """In the other guest; END is what comes before its command."""

    def __init__(self, end):
        self.process = subprocess.Popen(
            ["verbsperf-lab-peer", *end, VERBSPERF, "serve", "-p", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"serving on TCP port (\d+)", line)
            if found:
                self.port = found[1]
                return
        sys.exit("the server did not start")

    def close(self):
        self.process.terminate()
        self.process.communicate()


class Table:
    """Prints a row for each run, and counts the wrong ones."""

    def __init__(self):
        self.wrong = 0
        self.usual = None       # bounds of the guests as they are, once known
        print(ROW.format("fast", "by", "test", "status", "ratio", "", "says"))

    def is_right(self, ratio, bounds, said):
        """Is the true RATIO within BOUNDS, and was it SAID if it must be?"""
        low, high = bounds
        if self.usual is None and ratio == 1:
            self.usual = bounds
        least, most = self.usual or (1, 1)
        if low > ratio * most or high < ratio * least:
            return False
        # a bound may be close to where it becomes a doubt
        apart = max(low, 1 / high) > 1 + DIFFER
        return said == (apart or ratio != 1)

    def row(self, end, factor, test, run, bounds):
        ratio = factor if end == "server" else 1 / factor
        said = SAID in run.stdout
        right = not run.returncode and self.is_right(ratio, bounds, said)
        self.wrong += not right
        print(ROW.format(end, f"{factor:g}", test, run.returncode,
                         *(f"{bound:.4f}" for bound in bounds),
                         "they disagree" if said else "nothing")
              + ("" if right else "  WRONG\n" + run.stdout), flush=True)


def bounds_of(text):
    """TEXT is a document, or a line of a sweep, which has one."""
    document = json.loads(text)
    clocks = (document.get("document") or document).get("clocks") or {}
    return clocks.get("server_to_client") or [0, math.inf]


def measure(table, args, end, factor, server):
    prefix = fast(factor) if end == "client" else ()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "json"
        for test in TESTS:
            path.unlink(missing_ok=True)
            run = subprocess.run(
                [*prefix, VERBSPERF, *test.split(), "-p", server.port, "-D",
                 str(args.duration), *PATIENT, f"--json={path}", SERVER],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            text = path.read_text() if path.exists() else "{}"
            table.row(end, factor, test, run, bounds_of(text))


def sweep(table, args, end, factor, server):
    prefix = fast(factor) if end == "client" else ()
    with tempfile.TemporaryDirectory() as folder:
        suite, out, program = (pathlib.Path(folder) / name
                               for name in ("suite", "out", "program"))
        suite.write_text(SUITE.format(args.duration))
        # the time that the sweep itself gives a program is true
        program.write_text(
            f'#!/bin/sh\nexec {" ".join(prefix)} {VERBSPERF} "$@"\n')
        program.chmod(0o755)
        run = subprocess.run(
            ["/usr/bin/python3", SWEEP, "--program", program, "--rounds", "1",
             "-o", out, suite, f"{SERVER}:{server.port}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = out.read_text().splitlines()[1:] if out.exists() else []
    table.row(end, factor, "a sweep of write_bw and read_lat", run,
              bounds_of(lines[0] if lines else "{}"))


def in_the_lab(args):
    table = Table()
    for factor in args.factors:
        for end in ("server", "client")[:2 if factor != 1 else 1]:
            server = Server(fast(factor) if end == "server" else ())
            measure(table, args, end, factor, server)
            sweep(table, args, end, factor, server)
            server.close()
    print(f"{table.wrong} wrong")
    return table.wrong > 0


def start_the_lab(args):
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o",
                    LIBRARY, TOP / "tests/host/fast_clock.c", "-ldl"],
                   check=True)
    return subprocess.run(
        [TOP / "scripts/verbsperf-lab", "--guests", "2", "--cpus", "2",
         "--timeout", "3600", "--env", f"VERBSPERF={VERBSPERF}", "--",
         "/usr/bin/python3", __file__, "--duration", str(args.duration),
         *map(str, args.factors)]).returncode


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--duration", type=float, default=5)
    parser.add_argument("factors", type=float, nargs="*",
                        default=[1, 1.02, 1.2, 3])
    args = parser.parse_args()
    here = "VERBSPERF_LAB" in os.environ
    sys.exit((in_the_lab if here else start_the_lab)(args))


if __name__ == "__main__":
    main()
