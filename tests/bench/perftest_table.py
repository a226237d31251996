#!/usr/bin/python3
"""verbsperf at one end and perftest at the other: what both ends say.

Each test in either role, with the options that change how both ends talk.  It
takes two guests of the lab; the server is in this one:

    scripts/verbsperf-lab --guests 2 --timeout 5000 -- \\
        /usr/bin/env VERBSPERF=$PWD/build/verbsperf \\
        tests/bench/perftest_table.py [--perftest FOLDER] [--only TEXT]

A cell that fails is tried with perftest at both ends, too.
"""
import argparse
import math
import os
import pathlib
import re
import shutil
import subprocess
import time

from programs import PORTS, listening

VERBSPERF = os.environ.get("VERBSPERF", "verbsperf")
HERE = "10.0.1.1"
# perftest has no time-out of its own.
LONGEST = 400
# GID 1 is the IPv4 address; -u 18: a guest may stand still for a while, but one
# packet that is lost must be sent again before ours gives up, after 10 s.
COMMON = ["-d", "rxe0", "-x", "1", "-u", "18", "-F"]
# It carries some 5 MiB/s here, hence fewer messages where each queue pair has
# its own number, and of each of 23 sizes.
ALL, COUNTED = "-a -n 5", "-n 1000"
OURS, THEIRS = "verbsperf", "perftest"
MIXED = [(OURS, THEIRS), (THEIRS, OURS)]
SAME = [(OURS, OURS), (THEIRS, THEIRS)]
HEADING = ["test", "options", "client", "server", "rc", "rc", "sizes",
           "count", "client's", "sizes", "count", "server's", "unit", ""]
WIDTHS = [10, 16, 9, 9, 4, 4, 5, 5, 9, 5, 5, 9, 5, 0]


def options_of(operation, metric):
    """What both ends are given; perftest has no sizes of atomics."""
    yield from ("", COUNTED, "-D 2")
    if operation != "atomic":
        yield ALL
    if metric == "bw":
        yield "-q 4 -n 250"
        yield f"-b {COUNTED}"
    if operation in ("write", "send"):
        yield f"-c UC {COUNTED}"
    if operation == "send":
        yield f"-c UD {COUNTED}"
        yield f"-c UD {COUNTED} -a"


def cases():
    for metric in ("bw", "lat"):
        for operation in ("write", "read", "send", "atomic"):
            for options in options_of(operation, metric):
                for ends in MIXED + (SAME if options == COUNTED else []):
                    yield f"{operation}_{metric}", options, ends


def program(who, test, folder):
    """The words that start it, under perftest's name."""
    if who == THEIRS:
        return [shutil.which(f"ib_{test}", path=folder)]
    return ["bash", "-c", f'exec -a ib_{test} {VERBSPERF} "$@"', "ib"]


def start(words):
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)


def finish(process, seconds):
    """Its exit status, and what it said."""
    try:
        out, _ = process.communicate(timeout=seconds)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        process.kill()
        return "late", process.communicate()[0]


def run_once(test, options, ends, folder):
    """Both ends of one run, the client's first."""
    port = next(PORTS)
    words = COMMON + options.split() + ["-p", str(port)]
    server = start(program(ends[1], test, folder) + words)
    give_up = time.monotonic() + 60
    while not listening(port) and time.monotonic() < give_up:
        time.sleep(0.1)
    client = start(["verbsperf-lab-peer", *program(ends[0], test, folder),
                    *words, HERE])
    return finish(client, LONGEST), finish(server, 30)


def rows(out):
    return [line.split() for line in out.splitlines()
            if re.match(r" \d", line)]


def figures(test, out):
    """How many sizes there are, and of the last one: the count, and the average
    bandwidth, or the median latency; by time perftest prints the mean."""
    found = rows(out)
    if not found:
        return None
    last = found[-1]
    at = 3 if test.endswith("_bw") else 4 if len(last) > 4 else 2
    return len(found), int(last[1]), float(last[at])


def distrusted(test, out):
    """perftest does not trust its clock, which a busy host does to it: -F lets
    it go on with a second of 0 ticks."""
    found = figures(test, out)
    return "reported a rate of 0" in out or (found is not None and (
        not math.isfinite(found[2]) or
        not any(map(float, rows(out)[-1][2:]))))


def run(test, options, ends, folder):
    """Both ends, again where perftest does not trust its clock."""
    for _ in range(3):
        both = run_once(test, options, ends, folder)
        if not any(distrusted(test, out) for _, out in both):
            break
    return both


def differ(test, options, ours, theirs):
    """Whether the last figures are further apart than what each end counts.

    One end tells the other what it measured (write, read, atomic; in both
    directions sends, too, unless by time): they are equal, but for rounding.
    Otherwise each end measures by its own clock, from its own first message to
    its own last one: what receives counts from when the first one of N has
    come, which is 1/(N-1) more, and a ping-pong is one round trip longer at one
    end.  By time each end chooses its own window, of which perftest leaves out
    both edges.
    """
    if not ours or not theirs:
        return False
    timed = "-D" in options
    told = test.endswith("_bw") and (
        not test.startswith("send") or ("-b" in options and not timed))
    most = 0.02 if told else 0.3 if timed else 0.15 + 1 / (theirs[1] - 1)
    counts = 0 if told else ours[1] if timed else 1
    return not (abs(ours[1] - theirs[1]) <= counts and
                abs(ours[2] - theirs[2]) <=
                most * max(ours[2], theirs[2]) + 0.02)


def cell(case, both):
    """A row of the table."""
    test, options, ends = case
    got = [figures(test, out) for _, out in both]
    remark = ""
    if any(status for status, _ in both):
        remark = "fails"
    elif not got[0]:
        remark = "no row"
    elif differ(test, options, *got):
        remark = "differ"
    return [test, options or "default", *ends, *(rc for rc, _ in both),
            *(got[0] or "---"), *(got[1] or "---"),
            "MiB/s" if test.endswith("_bw") else "us", remark]


def complaint(both):
    """The last words of both ends, which did not both do well."""
    for name, (_, out) in zip(("client", "server"), both):
        last = [line.strip() for line in out.splitlines()
                if re.search(r"\w", line)][-3:]
        yield f"# {name}: {' | '.join(last)}"


def say(words):
    print("  ".join(str(word).ljust(width) for word, width
                    in zip(words, WIDTHS)).rstrip(), flush=True)


def try_case(case, folder):
    """Runs and prints it; True: it went well."""
    both = run(*case, folder)
    row = cell(case, both)
    say(row)
    if row[-1]:
        print(*complaint(both), sep="\n", flush=True)
    return row[-1] != "fails"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perftest", type=pathlib.Path, metavar="FOLDER",
                        help="of ib_write_bw ...; else the one in PATH")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="cases whose test and options match TEXT, a "
                        "regular expression")
    args = parser.parse_args()
    say(HEADING)
    for case in cases():
        test, options, ends = case
        if re.search(args.only, f"{test} {options}"):
            if not try_case(case, args.perftest) and OURS in ends:
                try_case((test, options, SAME[1]), args.perftest)


main()
