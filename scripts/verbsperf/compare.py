"""The command verbsperf-compare: is NEW as fast as BASE?

Exit status: 0 as fast or faster, 1 slower, 2 no answer."""
import argparse
import os
import sys

from verbsperf import comparison, sides, tables, verdict
from verbsperf.command import Parser, complain
from verbsperf.comparison import RATES, TIMES
from verbsperf.errors import Refused

NAME = "verbsperf-compare"
EXIT = {verdict.REGRESSION: 1, verdict.INCONCLUSIVE: 2,
        verdict.IMPROVEMENT: 0, verdict.OK: 0}


def percentage(text: str) -> float:
    """Parse a tolerance, such as 2 or 2%."""
    value = float(text.removesuffix("%"))
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected 0 or more, below 100")
    return value


def metric_name(text: str) -> str:
    """Parse the name of a metric; 99.9 and p99.9 mean p99_9."""
    name = text.lower().replace(".", "_")
    name = "p" + name if name[:1].isdigit() else name
    if name not in RATES + TIMES:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected one of {', '.join(RATES + TIMES)}")
    return name


def parser() -> Parser:
    """Return the parser of the command line."""
    p = Parser(
        prog=NAME, allow_abbrev=False,
        usage="%(prog)s [options] BASE[:TARGET] NEW[:TARGET]\n"
              "       %(prog)s [options] [--targets A,B] SWEEP",
        description="Is NEW as fast as BASE, at every point that both have?",
        epilog="Exit status: 0 as fast or faster, 1 slower somewhere, 2 no "
               "answer.  See verbsperf-compare(1).")
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="documents of verbsperf --json, or a sweep")
    p.add_argument("--targets", metavar="A,B",
                   help="compare these two targets of one sweep, with A as "
                        "the base")
    p.add_argument("--metric", action="append", type=metric_name, default=[],
                   metavar="NAME",
                   help="metrics to compare [gbps, p99]: one for bandwidth"
                        f" ({', '.join(RATES)}), one for latency"
                        f" ({', '.join(TIMES)})")
    p.add_argument("--bandwidth-tolerance", type=percentage, default=2.0,
                   metavar="PERCENT",
                   help="loss of bandwidth that does not matter [2]")
    p.add_argument("--latency-tolerance", type=percentage, default=5.0,
                   metavar="PERCENT",
                   help="increase of latency that does not matter [5]")
    p.add_argument("--force", action="store_true",
                   help="compare even if devices, MTU, ... differ")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--json", dest="form", action="store_const",
                      const=tables.as_json, default=tables.text,
                      help="write JSON instead of a table")
    form.add_argument("--markdown", dest="form", action="store_const",
                      const=tables.markdown,
                      help="write a table for a review comment")
    return p


def question_of(options: argparse.Namespace) -> comparison.Question:
    """Return what OPTIONS ask to compare."""
    metrics = {"bandwidth": "gbps", "latency": "p99"}
    for name in options.metric:
        metrics["bandwidth" if name in RATES else "latency"] = name
    return comparison.Question(
        metrics, {"bandwidth": options.bandwidth_tolerance,
                  "latency": options.latency_tolerance})


def write(text: str) -> None:
    """Write TEXT to stdout, and fail unless all of it was written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        complain(NAME, f"cannot write to stdout: {error.strerror}")


def main() -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args()
    try:
        report = comparison.compare(
            *sides.choose(options.files, options.targets),
            question_of(options), options.force)
    except Refused as error:
        complain(NAME, error)
    write(options.form(report))
    return EXIT[report["verdict"]]
