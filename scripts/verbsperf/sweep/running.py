"""A running sweep: rounds of measurements, and what is said of them."""
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.command import say
from verbsperf.base.errors import Refused
from verbsperf.base.progress import Progress
from verbsperf.base.tables import counted, duration
from verbsperf.documents import results
from verbsperf.documents.formats import Place
from verbsperf.documents.points import label
from verbsperf.documents.results import Record
from verbsperf.plan.program import Program
from verbsperf.plan.suite import Planned
from verbsperf.plan.target import Target
from verbsperf.sweep import file, limits, measure, rounds
from verbsperf.sweep.rounds import Goal, Measurement


# After as many measurements it is known how long one takes here.
LEARNED = 4
# As much longer than was announced, it is said.
LONGER = 1.3


class Wanted(NamedTuple):
    """What a sweep is to measure."""

    program: Program
    points: Sequence[Planned]
    targets: Sequence[Target]
    rounds: int             # at most so many with a goal
    goal: Optional[Goal]
    limit: float            # seconds that one measurement may take


def estimate(seconds: float, unknown: int, at_most: bool) -> str:
    """Say how long a sweep takes: SECONDS, and the time of UNKNOWN
    measurements with --iterations. With AT_MOST it may be done earlier."""
    text = f"{'at most' if at_most else 'about'} {duration(seconds)}"
    if not unknown:
        return text
    more = f"{counted(unknown, 'measurement')} with --iterations"
    return f"{text} and {more}" if seconds else more


class Sweep:
    """A running sweep, in the file PATH."""

    def __init__(self, wanted: Wanted, path: str, begun: file.Begun) -> None:
        self.wanted, self.path, self.begun = wanted, path, begun
        # what failed is measured anew
        self.records = [r for r in begun.records if r.row]
        self.before = len(self.records)
        self.failed_before = len(begun.records) - self.before
        self.done = {(r.target, r.round, r.point) for r in self.records}
        self.told: set[Any] = set()
        # seconds and measurements of unknown time, of all and of those done
        self.announced = rounds.total_seconds(self.all_left())
        self.expected = 0.0
        self.progress = Progress(
            sum(1 for _ in self.all_left()),
            about="at most" if wanted.goal else "about")

    def failed(self) -> list[Record]:
        """Return the records without a result."""
        return [r for r in self.records if r.row is None]

    def measure(self, number: int, point: Planned, target: Target) -> None:
        """Measure POINT once at TARGET, write the result, and remember it."""
        self.progress.begin(f"{target.name} {label(point.key())}: "
                            f"{self.place()}, round {number}")
        entry = measure.entry_of(number, point, target, self.wanted.program,
                                 self.wanted.limit)
        record = results.sweep_record(Place(self.path, 0), entry)
        self.begun.lines.append(entry)
        self.records.append(record)
        self.progress.end()
        self.expected += rounds.seconds(point, target) or 0.0
        self.correct()
        self.tell(record)

    def correct(self) -> None:
        """Say how long it takes, once that is seen, if what was announced did
        not say: set-up and end of a run depend on hosts and devices."""
        progress, (seconds, unknown) = self.progress, self.announced
        if progress.measured != LEARNED or progress.done == progress.total:
            return
        each, expected = (one / LEARNED
                          for one in (progress.spent, self.expected))
        if not unknown and each < LONGER * expected:
            return
        left = (each * (progress.total - progress.done) if unknown
                else (seconds - self.expected) * each / expected)
        than = "" if unknown else f", and not {expected:.1f} s"
        progress.clear()
        say(f"a measurement takes {each:.1f} s here{than}: {progress.about} "
            f"{duration(left)} left")

    def place(self) -> str:
        """Return how many measurements are done, of those there will be."""
        return (f"{len(self.records)} of "
                f"{self.before + self.progress.total}")

    def tell(self, record: Record) -> None:
        """Say the first time that a target fails or a point misses a limit."""
        name = f"{record.target}: {label(results.point_of(record))}"
        if record.row is None:
            self.once((record.target, record.error),
                      f"{name} failed: {record.error}"
                      + results.advice_of(record))
        apart = results.clocks_apart(record)
        if apart:
            self.once((record.target, "clocks"), f"{record.target}: {apart}")
        for one in results.limits_missed(record):
            self.once((name, one["name"], one.get("counter")),
                      f"{name}: limit not met: {limits.asked_text(one)}: "
                      + limits.seen_text(one, one.get("seen")))

    def once(self, key: Any, sentence: str) -> None:
        """Say SENTENCE, unless something was said with KEY."""
        if key not in self.told:
            self.told.add(key)
            self.progress.clear()
            say(sentence)

    def needed(self, number: int) -> Sequence[Planned]:
        """Return the points that need a round."""
        wanted = self.wanted
        if not wanted.goal:
            return wanted.points
        return rounds.unknown(
            wanted.points, wanted.targets,
            [r for r in self.records if r.round < number], wanted.goal, False)

    def left(self, number: int) -> Iterator[Measurement]:
        """Yield what is left to measure of a round."""
        points = self.needed(number)
        for point, target in rounds.order_of(
                self.begun.header["seed"], number, points,
                self.wanted.targets):
            if (target.name, number, point.key()) not in self.done:
                yield point, target

    def all_left(self) -> Iterator[Measurement]:
        """Yield what is left to measure of all rounds."""
        for number in range(1, self.wanted.rounds + 1):
            yield from self.left(number)

    def round(self, number: int) -> bool:
        """Measure what is left of one round; False when no point needs it."""
        if not self.needed(number):
            return False
        left = list(self.left(number))
        for point, target in left:
            self.measure(number, point, target)
        self.progress.clear()
        if left:
            say(f"round {number}: {self.place()}, {len(self.failed())} failed,"
                f" {self.progress.left(0)}")
        return True

    def hopeless(self) -> Optional[str]:
        """Return why nothing was measured, if each target has one cause."""
        causes = {(r.target, results.failure_of(r)) for r in self.failed()}
        if (len(self.failed()) == len(self.records)
                and len(causes) == len(self.wanted.targets)):
            return "; ".join(f"{name}: {error}"
                             for name, error in sorted(causes))
        return None

    def run(self) -> int:
        """Measure all rounds; return the exit status."""
        for number in range(1, self.wanted.rounds + 1):
            if not self.round(number):
                break
            why = self.hopeless()
            if why and number < self.wanted.rounds:
                say(f"no more rounds after {number}, in which every "
                    f"measurement failed: {why}")
                break
        return self.finish()

    def interrupted(self) -> None:
        """Say how far it came."""
        self.progress.clear()
        say(f"interrupted; {self.counts()}; {file.GOES_ON}")

    def counts(self) -> str:
        """Return how many were measured, and how many failed."""
        failed = len(self.failed())
        return f"{len(self.records) - failed} measured, {failed} failed"

    def finish(self) -> int:
        """Say what came of it; the exit status."""
        missed = sum(bool(results.limits_missed(r)) for r in self.records)
        say(self.counts() + (f", {missed} miss a limit" if missed else "")
            + f": {self.path}"
            + (f" ({self.before} of them measured before)"
               if self.before else ""))
        return 1 if self.failed() else self.finish_goal()

    def finish_goal(self) -> int:
        """Say which points are not known well enough; the exit status."""
        points, goal = self.wanted.points, self.wanted.goal
        short = goal and rounds.unknown(points, self.wanted.targets,
                                        self.records, goal)
        if not short or not goal:
            return 0
        say(f"{len(short)} of {len(points)} points are not known to "
            f"{goal.width * 100:g}% after {goal.most} rounds, such as "
            f"{label(short[0].key())}")
        return 3

    def summary(self) -> str:
        """Return what the sweep is going to do, and how long that takes."""
        most = "at most " if self.wanted.goal else ""
        words = [counted(len(self.wanted.points), "point"),
                 counted(len(self.wanted.targets), "target"),
                 most + counted(self.wanted.rounds, "round"),
                 f"seed {self.begun.header['seed']}"]
        before = "".join(f"; {n} {word}" for n, word in (
            (self.before, "measured before"),
            (self.failed_before, "failed before, measured again now")) if n)
        return f"{', '.join(words)}{before}; " + estimate(
            *self.announced, bool(self.wanted.goal))

    def check_resumed(self) -> None:
        """Refuse a file that is complete, or old, without --resume."""
        if not self.before:
            return
        if not any(True for _ in self.all_left()):
            raise Refused(
                f"{self.path}: nothing is left to measure, all {self.before} "
                "measurements are in it since "
                f"{self.begun.header.get('started')}; give another FILE with "
                "-o to measure again, or --resume if that is intended")
        if self.begun.age > file.GOES_ON_WITHIN:
            raise Refused(
                f"{self.path}: its last measurement was "
                f"{duration(self.begun.age)} ago; --resume continues it, "
                "another FILE with -o starts again")
