"""Measure every point of a suite on every target.  See verbsperf-sweep(1).

Exit status: 0 all was measured, 1 some of it failed, 2 usage, 3 --until-ci
was not reached."""
import argparse
import os
import signal
import sys

from verbsperf import contents
from verbsperf import formats
from verbsperf import jsonfile
from verbsperf import measure
from verbsperf import points as naming
from verbsperf import program as programs
from verbsperf import progress
from verbsperf import results
from verbsperf import rounds
from verbsperf import suite as suites
from verbsperf import sweepfile
from verbsperf.errors import ResultsError

# Beside the package, in the source as where it is installed.
SUITES = os.path.join(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))), "suites")
ROUNDS, MOST_ROUNDS = 10, 30


def rounds_number(text):
    """A number of rounds."""
    if not text.isdigit() or not 1 <= int(text) <= 10000:
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 to 10000")
    return int(text)


def confidence(text):
    """(0.95, 0.02) of 95,2."""
    try:
        level, width = (float(part) / 100 for part in text.split(","))
    except ValueError:
        level = width = 0
    if not (0.5 <= level <= 0.9999 and 0 < width < 1):
        raise argparse.ArgumentTypeError(
            f"'{text}': expected CONFIDENCE,PERCENT like 95,2")
    return level, width


def seconds(text):
    """A time limit."""
    value = float(text)
    if not 1 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 to 86400")
    return value


def parser():
    """The options."""
    p = argparse.ArgumentParser(
        prog="verbsperf-sweep", allow_abbrev=False,
        usage="%(prog)s [options] -o FILE SUITE TARGET...\n"
              "       %(prog)s --list SUITE\n"
              "       %(prog)s FILE",
        description="Measure every point of SUITE on every TARGET, in rounds; "
                    "or show what is in FILE.",
        epilog="TARGET: [NAME=]SERVER[:PORT][,option[=value]...] or "
               "[NAME=]loopback[:DEVICE][,...].  SUITE: a file, or one of: "
               + " ".join(suites.shipped(SUITES)) + ".  Exit status: 0 all "
               "was measured, 1 some of it failed, 2 usage, 3 --until-ci was "
               "not reached.  See verbsperf-sweep(1).")
    p.add_argument("suite", metavar="SUITE")
    p.add_argument("targets", nargs="*", metavar="TARGET")
    p.add_argument("-o", "--output", metavar="FILE",
                   help="JSON lines; an interrupted sweep goes on there")
    p.add_argument("--resume", action="store_true",
                   help="go on in FILE also when it is complete, or older "
                        "than 12 hours")
    p.add_argument("--rounds", type=rounds_number, metavar="N",
                   help=f"how often each point is measured [{ROUNDS}]")
    p.add_argument("--until-ci", type=confidence, metavar="CONFIDENCE,PERCENT",
                   help="until the median is known that well: 95,2")
    p.add_argument("--max-rounds", type=rounds_number, metavar="N",
                   help=f"most rounds of --until-ci [{MOST_ROUNDS}]")
    p.add_argument("--seed", type=int, metavar="N",
                   help="of the order within each round [random]")
    p.add_argument("--point-timeout", type=seconds, default=600.0,
                   metavar="SECONDS",
                   help="longest that one measurement may take [600]")
    p.add_argument("--program", metavar="PATH",
                   default=os.environ.get("VERBSPERF"),
                   help="the verbsperf to run [VERBSPERF, or beside this "
                        "script, or in PATH]")
    p.add_argument("--list", action="store_true",
                   help="show the points and how long a sweep of them takes, "
                        "and measure nothing")
    return p


def find_program(path):
    """The verbsperf to run."""
    found = programs.find(path)
    if not found:
        raise suites.SuiteError(f"there is no program {path or 'verbsperf'}; "
                                "--program says where verbsperf is")
    return suites.examine(found)


class Sweep:
    """A sweep under way."""

    def __init__(self, options, program, points, targets):
        self.options, self.program = options, program
        self.points, self.targets = points, targets
        self.fd, self.header, records, self.age = sweepfile.start(
            options, program, points, targets)
        # what failed is measured anew
        self.records = [r for r in records if r.row]
        self.before = len(self.records)
        self.failed_before = len(records) - self.before
        self.done = {(r.target, r.round, r.point) for r in self.records}
        self.told = set()
        self.goal = options.until_ci
        self.rounds = most_rounds(options)
        self.show = progress.make_progress(
            self.rounds * len(points) * len(targets), bool(self.goal))

    def failed(self):
        """The records without a result."""
        return [r for r in self.records if r.row is None]

    def measure(self, number, point, target):
        """One point once: measured, written, and remembered."""
        limit = self.options.point_timeout
        outcome = measure.run(measure.command_of(
            point, target, self.program), limit)
        entry = measure.entry_of(number, point, target, outcome, limit)
        sweepfile.append(self.fd, self.options.output, entry)
        record = results.sweep_record(
            formats.Place(self.options.output, 0), entry)
        self.records.append(record)
        self.tell(record)
        self.show[0](len(self.records), number,
                     f"{target.name} {naming.label(record.point)}")

    def tell(self, record):
        """A failure, the first time that a target has it; likewise a limit
        that a point does not meet."""
        name = f"{record.target}: {naming.label(record.point)}"
        if record.row is None:
            self.once((record.target, record.error),
                      f"{name} failed: {record.error}")
        for one in results.limits_missed(record):
            self.once((name, one["name"]), f"{name}: " + missed_text(one))

    def once(self, key, sentence):
        """SENTENCE, unless there was one with KEY."""
        if key not in self.told:
            self.told.add(key)
            self.show[1]()
            progress.say(sentence)

    def needed(self, number):
        """The points that need a round."""
        if not self.goal:
            return self.points
        before = [r for r in self.records if r.round < number]
        return rounds.unknown(self.points, self.targets, before, self.goal)

    def left(self, number, points):
        """(point, target) of what is left to measure of a round."""
        for point, target in rounds.order_of(
                self.header["seed"], number, points, self.targets):
            if (target.name, number, suites.key_of(point)) not in self.done:
                yield point, target

    def is_complete(self):
        """True when there is nothing to measure."""
        return not any(
            any(self.left(number, self.needed(number)))
            for number in range(1, self.rounds + 1))

    def round(self, number):
        """What is left of one round; False when no point needs it."""
        points = self.needed(number)
        for point, target in self.left(number, points):
            self.measure(number, point, target)
        if points:
            self.show[2](len(self.records), number, len(self.failed()))
        return bool(points)

    def hopeless(self):
        """Why nothing at all was measured, when each target has one cause."""
        causes = {(r.target, r.error) for r in self.failed()}
        if (len(self.failed()) == len(self.records)
                and len(causes) == len(self.targets)):
            return "; ".join(f"{name}: {error}"
                             for name, error in sorted(causes))
        return None

    def run(self):
        """All rounds; the exit status."""
        for number in range(1, self.rounds + 1):
            if not self.round(number):
                break
            why = self.hopeless()
            if why and number < self.rounds:
                progress.say(f"no more rounds after {number}, in which every "
                             f"measurement failed: {why}")
                break
        return self.finish()

    def counts(self):
        """How many were measured, and how many failed."""
        failed = len(self.failed())
        return f"{len(self.records) - failed} measured, {failed} failed"

    def finish(self):
        """Say what came of it; the exit status."""
        failed = len(self.failed())
        missed = sum(bool(results.limits_missed(r)) for r in self.records)
        progress.say(self.counts()
                     + (f", {missed} miss a limit" if missed else "")
                     + f": {self.options.output}"
                     + (f" ({self.before} of them measured before)"
                        if self.before else ""))
        if failed:
            return 1
        short = self.goal and rounds.unknown(
            self.points, self.targets, self.records, self.goal)
        if short:
            progress.say(f"{len(short)} of {len(self.points)} points are not "
                         f"known to {self.goal[1] * 100:g}% after "
                         f"{self.rounds} rounds, such as "
                         + naming.label(suites.key_of(short[0])))
            return 3
        return 0


def missed_text(one):
    """What a limit that was not met asked for, and what was seen."""
    seen = one.get("seen")
    text = (one.get("reason") or "it could not be judged" if seen is None
            else f"{seen:g} {one.get('unit')}")
    return f"limit not met: --{one['name']} {one.get('asked')}: {text}"


def summary(state):
    """What the sweep is going to do, and how long that takes."""
    words = [(len(state.points), "point"), (len(state.targets), "target"),
             (state.rounds, "round")]
    counts = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in words]
    if state.goal:
        counts[2] = "at most " + counts[2]
    before = "".join(f"; {n} {word}" for n, word in (
        (state.before, "measured before"),
        (state.failed_before, "failed before, measured anew now")) if n)
    left = [one for number in range(1, state.rounds + 1)
            for one in state.left(number, state.needed(number))]
    return (", ".join(counts) + f", seed {state.header['seed']}"
            + f"{before}; "
            + progress.estimate(*rounds.total_seconds(left), state.goal))


def check_resumed(state):
    """Something is measured, or --resume says that it need not be."""
    path, before = state.options.output, state.before
    if state.options.resume or not before:
        return
    if state.is_complete():
        raise sweepfile.FileError(
            f"{path}: nothing is left to measure, all {before} measurements "
            f"are in it since {state.header['started']}; name another FILE "
            "with -o to measure anew, or say --resume if that is meant")
    if state.age > sweepfile.GOES_ON_WITHIN:
        raise sweepfile.FileError(
            f"{path}: its last measurement is of "
            f"{progress.duration(state.age)} ago; --resume goes on with it, "
            "another FILE with -o begins anew")


def check_rounds(options):
    """The options about rounds make sense together."""
    if options.until_ci and options.rounds:
        raise suites.SuiteError("--rounds and --until-ci exclude each other; "
                                "the limit of --until-ci is --max-rounds")
    if options.max_rounds and not options.until_ci:
        raise suites.SuiteError("--max-rounds is the limit of --until-ci; "
                                "without it say --rounds")


def show_points(options, points, targets):
    """What a sweep would measure, and for how long."""
    for point in points:
        print(naming.label(suites.key_of(point)))
    number = most_rounds(options)
    time = rounds.total_seconds(
        (point, target) for target in targets or [None]
        for point in points * number)
    where = "" if targets else " at each target"
    progress.say(f"{len(points)} points, {number} rounds: "
                 + progress.estimate(*time, options.until_ci) + where)


def most_rounds(options):
    """How many rounds there are, or are at most."""
    if options.until_ci:
        return options.max_rounds or MOST_ROUNDS
    return options.rounds or ROUNDS


def check_arguments(options):
    """Nothing is missing for a sweep, or for what is done instead."""
    missing = [name for name, value in (("-o/--output", options.output),
                                        ("TARGET", options.targets))
               if not value and not options.list]
    if missing:
        raise suites.SuiteError(
            f"missing: {', '.join(missing)}; to measure: -o FILE SUITE "
            "TARGET...; without all of them a FILE of results is shown, and "
            f"'{options.suite}' is none")


def is_results(options):
    """True when a file of results is all that is named, and no suite."""
    path = options.suite
    return not (options.targets or options.output or options.list) and (
        jsonfile.begins_with_object(path)
        or not os.path.exists(suites.find_suite(path, SUITES)))


def show_file(path):
    """What is in the file PATH."""
    sys.stdout.write(contents.text(path))
    return 0


def sweep(options):
    """All of it; the exit status."""
    if is_results(options):
        return show_file(options.suite)
    check_arguments(options)
    check_rounds(options)
    program = find_program(options.program)
    targets = suites.parse_targets(options.targets, program)
    path = suites.find_suite(options.suite, SUITES)
    points = suites.read_points(path, program, targets)
    if options.list:
        show_points(options, points, targets)
        return 0
    state = Sweep(options, program, points, targets)
    check_resumed(state)
    progress.say(summary(state))
    try:
        return state.run()
    except KeyboardInterrupt:
        state.show[1]()
        progress.say(f"interrupted; {state.counts()}, and "
                     + sweepfile.GOES_ON)
        return 130


def stop(_number, _frame):
    """SIGTERM ends a sweep as ^C does."""
    raise KeyboardInterrupt


def main():
    """The exit status."""
    signal.signal(signal.SIGTERM, stop)
    p = parser()
    p.error = lambda sentence: complain(sentence + "; see --help", 2)
    options = p.parse_args()
    try:
        return sweep(options)
    except (suites.SuiteError, ResultsError) as error:
        return complain(error, 2)
    except sweepfile.FileError as error:
        return complain(error, error.status)
    except KeyboardInterrupt:
        return 130


def complain(sentence, status):
    """One line, and the end."""
    print(f"verbsperf-sweep: error: {sentence}", file=sys.stderr)
    sys.exit(status)
