"""The command verbsperf-sweep: measures every point of a suite on every
target.

Exit status: 0 all was measured, 1 some of it failed, 2 usage, 3 --until-ci
was not reached or, with --format, a limit was missed; with --against, where all
was measured, that of verbsperf-compare.  SIGINT and SIGTERM end it as they end
others."""
import argparse
import os
from typing import Optional, Sequence

from verbsperf.base.command import (INTERRUPTED, Parser, say, time_limit,
                                    whole, write)
from verbsperf.base.errors import Refused
from verbsperf.documents import jsonfile
from verbsperf.documents.points import label
from verbsperf.forms import reports
from verbsperf.history import file as history
from verbsperf.plan import program, suite, target
from verbsperf.plan.target import Target
from verbsperf.stats import libraries, ranks
from verbsperf.sweep import contents, file as sweepfile, limits, rounds
from verbsperf.sweep.running import Sweep, Wanted, estimate

ROUNDS, MOST_ROUNDS = 10, 30
MISSING = 2     # a library: nothing was measured
FORMS = reports.forms(limits.text, limits.markdown, limits.verdicts)


def confidence(text: str) -> rounds.Goal:
    """Parse 95,2 as 0.95 and 0.02."""
    try:
        level, width = (float(part) / 100 for part in text.split(","))
    except ValueError:
        level = width = 0
    if not (0.5 <= level <= 0.9999 and 0 < width < 1):
        raise argparse.ArgumentTypeError(
            f"'{text}': expected CONFIDENCE,PERCENT like 95,2")
    return rounds.Goal(level, width, MOST_ROUNDS)


def parser() -> Parser:
    """Return the parser of the command line."""
    p = Parser(
        usage="%(prog)s [options] -o FILE SUITE TARGET...\n"
              "       %(prog)s --list SUITE\n"
              "       %(prog)s FILE",
        description="Measure every point of SUITE on every TARGET, in rounds; "
                    "or show what is in FILE.",
        epilog="TARGET: [NAME=]SERVER[:PORT][,option[=value]...] or "
               "[NAME=]loopback[:DEVICE][,...].  SUITE: a file, or one of: "
               + " ".join(suite.shipped()) + ".  Exit status: 0 all "
               "was measured, 1 some measurements failed, 2 usage, 3 "
               "--until-ci was not reached or, with --format, a limit was "
               "missed.  See verbsperf-sweep(1).")
    p.add_argument("suite", metavar="SUITE")
    p.add_argument("targets", nargs="*", metavar="TARGET")
    p.add_argument("-o", "--output", metavar="FILE",
                   help="JSON lines; an interrupted sweep continues there")
    p.add_argument("--resume", action="store_true",
                   help="continue FILE even if it is complete or older "
                        "than 12 hours")
    p.add_argument("--rounds", type=whole(1, 10000), metavar="N",
                   help=f"how often each point is measured [{ROUNDS}]")
    p.add_argument("--until-ci", type=confidence, metavar="CONFIDENCE,PERCENT",
                   help="measure until the median is known to PERCENT at "
                        "CONFIDENCE, such as 95,2")
    p.add_argument("--max-rounds", type=whole(1, 10000), metavar="N",
                   help=f"limit of rounds for --until-ci [{MOST_ROUNDS}]")
    p.add_argument("--seed", type=int, metavar="N",
                   help="seed of the order in each round [random]")
    p.add_argument("--point-timeout", type=time_limit, default=600.0,
                   metavar="SECONDS",
                   help="time limit of one measurement [600]")
    p.add_argument("--program", metavar="PATH",
                   default=os.environ.get("VERBSPERF"),
                   help="the verbsperf to run [VERBSPERF, or beside this "
                        "script, or in PATH]")
    p.add_argument("--format", type=reports.output, metavar="FORM[=FILE]",
                   help="write what became of each point and its limits, to "
                        "FILE once all is measured: " + ", ".join(FORMS))
    p.add_argument("--history", metavar="FILE",
                   help="append the results of all rounds to "
                        "FILE, for verbsperf-plot --history")
    p.add_argument("--against", metavar="TARGET",
                   help="measure TARGET, too, in alternation, and say whether "
                        "the other is as fast: verbsperf-compare")
    p.add_argument("--list", action="store_true",
                   help="list the points and how long a sweep takes, without "
                        "measuring")
    program.add_version(p)
    return p


def check_rounds(options: argparse.Namespace) -> None:
    """Refuse options about rounds that exclude each other."""
    if options.until_ci and options.rounds:
        raise Refused("--rounds and --until-ci exclude each other; the limit "
                      "of --until-ci is --max-rounds")
    if options.max_rounds and not options.until_ci:
        raise Refused("--max-rounds is the limit of --until-ci; without it "
                      "use --rounds")


def show_points(wanted: Wanted) -> None:
    """Print what a sweep would measure, and say how long it takes."""
    write("".join(f"{label(point.key())}\n" for point in wanted.points))
    targets: Sequence[Optional[Target]] = [*wanted.targets] or [None]
    time = rounds.total_seconds(
        (point, where) for where in targets
        for point in [*wanted.points] * wanted.rounds)
    say(f"{len(wanted.points)} points, {wanted.rounds} rounds: "
        + estimate(*time, bool(wanted.goal))
        + ("" if wanted.targets else " at each target"))


def check_arguments(options: argparse.Namespace) -> None:
    """Refuse a command line that lacks something."""
    missing = [name for name, value in (("-o/--output", options.output),
                                        ("TARGET", options.targets))
               if not value and not options.list]
    if missing:
        raise Refused(
            f"missing: {', '.join(missing)}; to measure: -o FILE SUITE "
            "TARGET...; to show results, give a FILE of a sweep, which "
            f"'{options.suite}' is not")


def is_results(options: argparse.Namespace) -> bool:
    """A file of results is all that is named, and no suite."""
    path = options.suite
    return not (options.targets or options.output or options.list) and (
        jsonfile.begins_with_object(path)
        or not os.path.exists(suite.find(path)))


def want(options: argparse.Namespace) -> Wanted:
    """Return what OPTIONS ask to measure, as far as the program allows it."""
    check_rounds(options)
    found = program.examine(
        program.find(options.program, "give its path with --program"),
        max(options.point_timeout, program.ANSWERS_WITHIN))
    targets = target.parse_all(
        [*filter(None, [options.against]), *options.targets], found)
    if options.against and len(targets) != 2:
        raise Refused(f"--against {options.against}: one other TARGET is "
                      f"compared with it, not {len(targets) - 1}")
    points = suite.read(suite.known(options.suite), found, targets)
    timed = [one._replace(times=suite.times_at(one, points[0], found))
             for one in targets]
    goal = options.until_ci
    if options.max_rounds:
        goal = goal._replace(most=options.max_rounds)
    return Wanted(found, points, timed,
                  goal.most if goal else options.rounds or ROUNDS, goal,
                  options.point_timeout)


def sweep(options: argparse.Namespace) -> int:
    """Do what OPTIONS ask for; return the exit status."""
    check_arguments(options)
    if options.format and not options.list:
        options.format.check()
    if options.history and not options.list:
        history.check(options.history)
    if options.against and not options.list:
        libraries.check()
    wanted = want(options)
    if options.against and wanted.rounds < ranks.FEWEST_ROUNDS:
        say(f"--rounds {wanted.rounds}: --against needs "
            f"{ranks.FEWEST_ROUNDS} for a verdict")
    if options.list:
        show_points(wanted)
        return 0
    state = Sweep(wanted, options.output, sweepfile.start(
        options.output, options.suite, options.seed, wanted.program,
        wanted.points, wanted.targets, options.resume))
    if not options.resume:
        state.check_resumed()
    say(state.summary())
    try:
        status = state.run()
    except KeyboardInterrupt:
        state.interrupted()
        return INTERRUPTED
    # what failed belongs into both
    judged = keep_and_judge(options, options.output)
    compared = compare(options, wanted.targets)
    return status or judged or compared


def compare(options: argparse.Namespace, targets: Sequence[Target]) -> int:
    """Compare both TARGETS, if OPTIONS ask for it; return the exit status."""
    if not options.against:
        return 0
    # it needs SciPy, which hosts that only measure can do without
    from verbsperf.commands import compare as comparing  # pylint: disable=C0415
    return comparing.both(options.output, [one.name for one in targets])


def keep_and_judge(options: argparse.Namespace, path: str) -> int:
    """Keep and judge the sweep PATH as OPTIONS ask; return the exit status."""
    if options.history:
        history.append(options.history, history.lines_of(path))
    if options.format is None:
        return 0
    report = limits.report(path)
    options.format.write(FORMS[options.format.form](report))
    return limits.EXIT[report["verdict"]]


def show(options: argparse.Namespace) -> int:
    """Show the file of results that is named; return the exit status."""
    if options.format:
        options.format.check([options.suite])
    if options.format or options.history:
        return keep_and_judge(options, options.suite)
    write(contents.text(options.suite))
    return 0


def main() -> int:
    """Run the command and return its exit status."""
    options = parser().parse_intermixed_args()
    return show(options) if is_results(options) else sweep(options)
