"""Provoke every fault that verbsperf --inject knows between two real ends, and
compare what they say of it with what is expected.

usage: verbsperf-selftest SERVER [options]
       verbsperf-selftest --loopback [options]

On SERVER 'verbsperf serve' must run.  Options of verbsperf (-d, -x, -p, ...)
are handed on.  Exit status: 0 all was as expected, 1 it was not, 2 usage."""

import argparse
import json
import subprocess
import sys
import textwrap
import time

from verbsperf import program as programs

# Before the options of a case: few messages, none of them before the others.
FEW = ["-n", "20", "--warmup", "0"]
# A clean run after so many cases.
CLEAN_EVERY = 10
CLEAN = ["write_bw", "-n", "10", "--warmup", "0", "-s", "64"]
# A case that takes longer hangs.
PATIENCE = 60
COLUMNS = ("case", "requester", "responder", "s", "verdict")
WIDTH = 100


def read_arguments():
    parser = argparse.ArgumentParser(
        prog="verbsperf-selftest", description=__doc__.split("\n\n")[0],
        epilog=__doc__.split("\n\n")[2], allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", nargs="?", help="host that serves")
    parser.add_argument("--loopback", action="store_true",
                        help="both ends here")
    parser.add_argument("--only", metavar="CASES",
                        help="these, with commas between")
    parser.add_argument("--verbsperf", metavar="PATH",
                        help="the program [beside this one, or on PATH]")
    arguments, others = parser.parse_known_args()
    # what follows an option of verbsperf may have been taken for the server
    if arguments.loopback and arguments.server:
        others.append(arguments.server)
    if not arguments.loopback and not arguments.server:
        parser.error("a SERVER, or --loopback, is needed")
    arguments.end = (["--loopback"] if arguments.loopback
                     else [arguments.server])
    arguments.others = others
    return arguments


def find_program(path):
    """The one that is named, or beside this one, or on PATH."""
    found = programs.find(path)
    if not found:
        sys.exit("verbsperf-selftest: there is no verbsperf: --verbsperf PATH")
    return found


def read_cases(program):
    """The cases as the program has them: a dictionary of each."""
    text = subprocess.run([program, "faults"], stdout=subprocess.PIPE,
                          text=True, check=True).stdout
    names, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(names, row)) for row in rows]


def command(case):
    """Test and options of CASE, without the ends."""
    size = [] if case["test"].startswith("atomic") else ["-s", "64"]
    return [case["test"], *FEW, *size, *case["options"].split(),
            "--inject", case["case"], "--json"]


def shorten(code):
    for prefix in ("IBV_WC_", "IBV_"):
        if code.startswith(prefix):
            return code[len(prefix):]
    return code


def views(document):
    """What went wrong at the requester by itself, and at the responder."""
    error = document["error"]
    if not error:
        return "ok", "ok"
    peer = error["peer"]
    responder = shorten(peer["code"]) if peer else "-"
    if peer and error["message"].startswith("the server: "):
        return "-", responder
    return shorten(error["code"]), responder


def run(program, arguments, words):
    """Status, document and seconds of one run; None for what there is not."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            [program, *words, *arguments.others, *arguments.end],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            timeout=PATIENCE, check=False)
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, text = None, b""
    seconds = time.monotonic() - start
    try:
        return status, json.loads(text), seconds
    except ValueError:
        return status, None, seconds


def judge(case, status, seen):
    """In a word what is wrong; "as expected" when nothing is."""
    if status is None:
        return "HANGS"
    if seen is None:
        return f"NO REPORT, status {status}"
    if (status == 0) != (seen[0] == "ok"):
        return f"STATUS {status}"
    for end, got in zip(("requester", "responder"), seen):
        if got not in case[end].split("|"):
            return f"UNEXPECTED {end}"
    return "as expected"


def try_case(program, arguments, case):
    status, document, seconds = run(program, arguments, command(case))
    if document and "--allow-inject" in str(document["error"]):
        sys.exit("verbsperf-selftest: the server takes no faults: start it "
                 "with --allow-inject")
    seen = views(document) if document else None
    verdict = judge(case, status, seen)
    row = (case["case"], *(seen or ("?", "?")), f"{seconds:.1f}", verdict)
    return row, document, verdict == "as expected"


def serves_still(program, arguments):
    """A run without a fault does well: the ends have survived the others."""
    status, document, _ = run(program, arguments, [*CLEAN, "--json"])
    return status == 0 and document is not None


def choose_widths(cases):
    """Of the columns, before what is seen in them is known."""
    def longest(heading, texts):
        return max(len(text) for text in [heading, *texts])
    codes = [[code for case in cases for code in case[end].split("|")]
             for end in ("requester", "responder")]
    return (longest(COLUMNS[0], [case["case"] for case in cases]),
            longest(COLUMNS[1], codes[0]), longest(COLUMNS[2], codes[1]), 5)


def print_row(row, widths):
    """At once, for all cases together take minutes."""
    cells = [cell.ljust(width) for cell, width in zip(row, widths)]
    cells[3] = row[3].rjust(widths[3])
    print("  ".join([*cells, row[4]]), flush=True)


def print_expectation(case):
    """Below a row in which something else was seen."""
    ends = [" or ".join(case[end].split("|"))
            for end in ("requester", "responder")]
    print(textwrap.fill(f"{case['what']}; expected at the requester {ends[0]}, "
                        f"at the responder {ends[1]}", WIDTH,
                        initial_indent="    ", subsequent_indent="    "),
          flush=True)


def describe(end):
    return (f"{end['hostname']}: {end['device']} port {end['port']}, "
            f"{end['link_layer']}, firmware {end['firmware'] or 'unknown'}")


def print_ends(document):
    if not document:
        return
    print(f"client {describe(document['client'])}")
    if document["server"]["device"]:
        print(f"server {describe(document['server'])}")


def choose(cases, only):
    if not only:
        return cases
    known = {case["case"]: case for case in cases}
    unknown = [name for name in only.split(",") if name not in known]
    if unknown:
        print(f"verbsperf-selftest: no such case: {', '.join(unknown)}",
              file=sys.stderr)
        sys.exit(2)
    return [known[name] for name in only.split(",")]


def main():
    arguments = read_arguments()
    program = find_program(arguments.verbsperf)
    cases = choose(read_cases(program), arguments.only)
    widths, last, wrong = choose_widths(cases), None, 0
    if not serves_still(program, arguments):
        sys.exit("verbsperf-selftest: a run without a fault fails already: "
                 f"try {program} {' '.join(CLEAN + arguments.others)} "
                 f"{arguments.end[0]}")
    print_row(COLUMNS, widths)
    for number, case in enumerate(cases, 1):
        row, document, fine = try_case(program, arguments, case)
        last = document or last
        if not fine or number % CLEAN_EVERY == 0 or number == len(cases):
            if not serves_still(program, arguments):
                row, fine = row[:-1] + ("NO NEXT CLIENT",), False
        print_row(row, widths)
        if not fine:
            print_expectation(case)
        wrong += not fine
    print_ends(last)
    print(f"{len(cases) - wrong} as expected, {wrong} not")
    return 1 if wrong else 0
