"""Provoke every fault that verbsperf --inject knows between two real ends, and
compare what they report with what is expected.

usage: verbsperf-selftest SERVER [options]
       verbsperf-selftest --loopback [options]

SERVER must run 'verbsperf serve --allow-inject'.  Options of verbsperf (-d, -x,
-p, ...) are passed on.  Exit status: 0 all was as expected, 1 it was not, 2
usage."""

import argparse
import re
import textwrap
import time
from typing import NamedTuple, Optional, Sequence

from verbsperf.base.command import Parser, write
from verbsperf.base.errors import Refused
from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.plan import program as programs

# Before the options of a case: few messages, none of them before the others.
FEW = ["-n", "20", "--warmup", "0"]
# A clean run after so many cases.
CLEAN_EVERY = 10
CLEAN = ["write_bw", "-n", "10", "--warmup", "0", "-s", "64"]
# A case that takes longer hangs.
PATIENCE = 60
ENDS = ("requester", "responder")
COLUMNS = ("case", *ENDS, "s", "verdict")
WIDTH = 100

# A row of "verbsperf faults", by the names of its columns.
Case = dict[str, str]


class Ran(NamedTuple):
    """How a run of verbsperf ended."""

    status: Optional[int]       # None: it hung
    document: Optional[Object]  # None: it wrote none
    seconds: float


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    p = Parser(
        description=(__doc__ or "").split("\n\n", maxsplit=1)[0],
        epilog=(__doc__ or "").split("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("server", nargs="?", help="host that runs the server")
    p.add_argument("--loopback", action="store_true",
                   help="run both ends on this host")
    p.add_argument("--only", metavar="CASES",
                   help="comma-separated list of cases [all]")
    p.add_argument("--verbsperf", metavar="PATH",
                   help="program to test [beside this one, or on PATH]")
    programs.add_version(p)
    return p


def read_arguments() -> argparse.Namespace:
    """Read the command line; "others" has the options for verbsperf."""
    arguments, others = parser().parse_known_args()
    # what follows an option of verbsperf may have been taken for the server
    if arguments.loopback and arguments.server:
        others.append(arguments.server)
    if not arguments.loopback and not arguments.server:
        raise Refused("expected SERVER or --loopback; see --help")
    arguments.others = others
    arguments.end = ["--loopback" if arguments.loopback else arguments.server]
    return arguments


def read_cases(program: str) -> list[Case]:
    """Read the cases that PROGRAM knows."""
    text, complaint, status = programs.run(
        [program, "faults"], programs.ANSWERS_WITHIN, programs.ANSWERS_SOON)
    if status != 0:
        raise Refused(f"{program} faults: "
                      + programs.sentence_of(complaint, status), 1)
    names, *rows = [line.split("\t") for line in text.splitlines()] or [[]]
    if not rows or not {"case", "options", "test", *ENDS} <= set(names):
        raise Refused(f"{program} faults: it lists no cases to run", 1)
    return [dict(zip(names, row)) for row in rows]


def command(case: Case) -> list[str]:
    """Return the test and options of CASE, without the ends."""
    size = [] if case["test"].startswith("atomic") else ["-s", "64"]
    return [case["test"], *FEW, *size, *case["options"].split(),
            "--inject", case["case"], "--json"]


def shorten(code: str) -> str:
    """Remove what all codes of verbs begin with from CODE."""
    return re.sub("^IBV_(WC_)?", "", code)


def views(document: Object) -> tuple[str, str]:
    """Return what the requester itself saw, and what the responder saw."""
    error = document["error"]
    if not error:
        return "ok", "ok"
    peer = error["peer"]
    responder = shorten(peer["code"]) if peer else "-"
    if peer and error["message"].startswith("the server: "):
        return "-", responder
    return shorten(error["code"]), responder


def run(program: str, arguments: argparse.Namespace, words: Sequence[str]
        ) -> Ran:
    """Run PROGRAM with WORDS between the ends of ARGUMENTS."""
    start = time.monotonic()
    done = programs.run(
        [program, *words, *arguments.others, *arguments.end], PATIENCE)
    document, _ = results.read_document(done.stdout)
    return Ran(done.status, document, time.monotonic() - start)


def judge(case: Case, ran: Ran) -> str:
    """Return "as expected", or in a word what is wrong."""
    if ran.status is None:
        return "HANGS"
    if ran.document is None:
        return f"NO REPORT, status {ran.status}"
    seen = views(ran.document)
    if (ran.status == 0) != (seen[0] == "ok"):
        return f"STATUS {ran.status}"
    for end, got in zip(ENDS, seen):
        if got not in case[end].split("|"):
            return f"UNEXPECTED {end}"
    return "as expected"


def serves_still(program: str, arguments: argparse.Namespace) -> bool:
    """A run without a fault succeeds: both ends survived the faults."""
    ran = run(program, arguments, [*CLEAN, "--json"])
    return ran.status == 0 and ran.document is not None


def layout_of(cases: Sequence[Case]) -> str:
    """Return how a row is written, before the results are known."""
    widths = [max(len(text) for text in (
        name, *(text for case in cases
                for text in case.get(name, "").split("|"))))
              for name in COLUMNS[:3]]
    return "".join(f"{{:{width}}}  " for width in widths) + "{:>5}  {}\n"


def print_expectation(case: Case) -> None:
    """Print what CASE expects, below a row that shows something else."""
    ends = [" or ".join(case[end].split("|")) for end in ENDS]
    write(textwrap.fill(f"{case['what']}; expected at the requester {ends[0]}, "
                        f"at the responder {ends[1]}", WIDTH,
                        initial_indent="    ", subsequent_indent="    ")
          + "\n")


def describe(end: Object) -> str:
    """Describe END of a document."""
    return (f"{end['hostname']}: {end['device']} port {end['port']}, "
            f"{end['link_layer']}, firmware {end['firmware'] or 'unknown'}")


def print_ends(document: Optional[Object]) -> None:
    """Print both ends, as far as DOCUMENT knows them."""
    if not document:
        return
    write(f"client {describe(document['client'])}\n")
    if document["server"]["device"]:
        write(f"server {describe(document['server'])}\n")


def choose(cases: list[Case], only: Optional[str]) -> list[Case]:
    """Return those of CASES that ONLY names."""
    if only is None:
        return cases
    known = {case["case"]: case for case in cases}
    unknown = [name for name in only.split(",") if name not in known]
    if unknown:
        raise Refused(f"--only {only}: no such case: {', '.join(unknown)}; "
                      "'verbsperf faults' lists them")
    return [known[name] for name in only.split(",")]


def try_cases(program: str, arguments: argparse.Namespace, cases: list[Case]
              ) -> tuple[int, Optional[Object]]:
    """Try CASES; return how many went wrong, and the last document."""
    layout, last, wrong = layout_of(cases), None, 0
    write(layout.format(*COLUMNS))
    for number, case in enumerate(cases, 1):
        ran = run(program, arguments, command(case))
        if ran.document and "--allow-inject" in str(ran.document["error"]):
            raise Refused("the server does not allow faults: start it with "
                          "--allow-inject", 1)
        last = ran.document or last
        verdict = judge(case, ran)
        fine = verdict == "as expected"
        if not fine or number % CLEAN_EVERY == 0 or number == len(cases):
            if not serves_still(program, arguments):
                verdict, fine = "NO NEXT CLIENT", False
        seen = views(ran.document) if ran.document else ("?", "?")
        # at once, since all cases together take minutes
        write(layout.format(case["case"], *seen, f"{ran.seconds:.1f}", verdict))
        if not fine:
            print_expectation(case)
        wrong += not fine
    return wrong, last


def main() -> int:
    """Run the command and return its exit status."""
    arguments = read_arguments()
    program = programs.find(arguments.verbsperf,
                            "give its path with --verbsperf")
    cases = choose(read_cases(program), arguments.only)
    if not serves_still(program, arguments):
        raise Refused("a run without a fault already fails: try " + " ".join(
            [program, *CLEAN, *arguments.others, *arguments.end]), 1)
    wrong, last = try_cases(program, arguments, cases)
    print_ends(last)
    write(f"{len(cases) - wrong} as expected, {wrong} not\n")
    return 1 if wrong else 0
