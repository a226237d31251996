#!/usr/bin/env python3
"""System calls of an operation of the control path, as verbsperf tells them and
as strace sees them: verbsperf-lab --cpus 1 -- /usr/bin/python3 calls.py

strace counts those of a short and of a longer run; what the longer one has more
belongs to its operations.  Only poll(2) may be there more often: under strace
either end comes later to what the other waits for.  VERBSPERF is the program to
run.  The exit status is 1 if the two differ elsewhere."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from programs import table

PROGRAM = os.environ.get("VERBSPERF") or str(
    pathlib.Path(__file__).resolve().parents[2] / "build/verbsperf")
DEVICE = os.environ.get("VERBSPERF_LAB_DEVICE", "rxe0")
SHORT, LONG = 20, 60
NEAR = ("reg_mr", "reg_mr -s 1M", "create_qp", "create_qp -c UD", "create_cq",
        "create_ah", "qp_setup", "qp_setup -c UC", "qp_setup -c UD",
        "post_poll", "mw_bind", "mw_bind --mw type1")
FAR = ("connect", "connect --rdma-cm")
PATIENCE = 120


def command(test, count, far):
    """The words of a run of COUNT operations; FAR has its server's port."""
    words = [*test.split(), "-d", DEVICE, "-n", str(count), "--warmup", "0"]
    return [*words, "-p", far, "127.0.0.1"] if far else words


def run(words):
    return subprocess.run(words, check=True, capture_output=True, text=True,
                          timeout=PATIENCE).stdout


def told(test, far):
    """Calls of an operation by name, as the document has them."""
    document = json.loads(run([PROGRAM, *command(test, LONG, far), "--json"]))
    return document["results"][0]["control"]["system_calls"]["names"]


def traced(test, count, names, far):
    """How often strace sees each of NAMES in a run."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        run(["strace", "-f", "-c", "-o", file.name, "-e",
             f"trace={','.join(names)}", PROGRAM, *command(test, count, far)])
        # % time, seconds, usecs/call, calls, perhaps errors, name
        lines = [line.split() for line in file]
    return {line[-1]: int(line[3]) for line in lines
            if line and line[-1] in names}


def seen(test, names, far):
    """Calls of an operation by name, as strace counts them."""
    few, many = (traced(test, n, names, far) for n in (SHORT, LONG))
    return {name: (many.get(name, 0) - few.get(name, 0)) / (LONG - SHORT)
            for name in names}


def other(ours, theirs):
    """Of THEIRS, what is not as in OURS."""
    return {name: number for name, number in theirs.items()
            if number != ours[name] and not (
                name == "poll" and ours[name] < number < ours[name] + 1)}


def words(calls):
    return ", ".join(f"{name} {number:g}" for name, number in sorted(
        calls.items(), key=lambda call: (-call[1], call[0])))


def main():
    argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter).parse_args()
    serve = [PROGRAM, "serve", "-d", DEVICE, "-p", "0"]
    rows, differ = [], 0
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        try:
            port = next(found[1] for line in server.stderr for found in [
                re.search(r"serving on TCP port (\d+)", line)] if found)
            for test in NEAR + FAR:
                far = port if test in FAR else None
                ours = told(test, far)
                wrong = other(ours, seen(test, ours, far))
                differ += bool(wrong)
                rows.append([test, words(wrong) or "the same", words(ours)])
        finally:
            server.terminate()
    table(["", "strace sees", "calls of an operation"], rows)
    print(f"{len(rows) - differ} of {len(rows)} tests tell what strace sees")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
