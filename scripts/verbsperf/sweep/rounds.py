"""What is measured in a round, in which order, and when it is enough."""
import random
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.metrics import COMPARED, kind_of
from verbsperf.documents import results
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record
from verbsperf.plan.suite import Planned
from verbsperf.plan.target import Target
from verbsperf.stats import ranks

# A point that never gave a result is given up after as many rounds.
HOPELESS = 3
# Seconds to start, to connect and to end, about.
OVERHEAD = 0.3

# Fewer rounds have no interval of as much confidence as each look needs.
FIRST_LOOK = 8


class Goal(NamedTuple):
    """How well medians shall be known."""

    level: float    # the confidence
    width: float    # to either side, as a share of the median
    most: int       # rounds


# A target is not known yet when none was named.
Measurement = tuple[Planned, Target]


def order_of(seed: int, number: int, points: Sequence[Planned],
             targets: Sequence[Target]) -> Iterator[Measurement]:
    """Yield what one round measures: the points in random order, and the
    targets in random order at each, so that a drift affects all targets
    alike."""
    source = random.Random(f"{seed} {number}")
    for point in source.sample(points, len(points)):
        for target in source.sample(targets, len(targets)):
            yield point, target


def seconds(point: Planned, target: Optional[Target]) -> Optional[float]:
    """Estimate the time of POINT at TARGET; None if that is not known."""
    times = {**point.times, **(target.times if target else {})}
    if times["iterations"] is not None:
        return None
    return float(OVERHEAD + times["duration"] + times["warmup"])


def total_seconds(measurements: Iterable[tuple[Planned, Optional[Target]]]
                  ) -> tuple[float, int]:
    """Return (seconds of all MEASUREMENTS, how many are not known)."""
    every = [seconds(point, target) for point, target in measurements]
    return sum(one or 0 for one in every), every.count(None)


def metric_of(point: Point) -> str:
    """Return the metric of POINT that is watched and compared."""
    return COMPARED[kind_of(point.test)]


def looks(most: int) -> list[int]:
    """Return after which rounds of MOST it is asked what is known: whoever
    looks after each round, and stops when it is well, is wrong more often."""
    found = [most]
    while found[-1] * 2 // 3 >= FIRST_LOOK:
        found.append(found[-1] * 2 // 3)
    return found[::-1]


def is_near(values: Sequence[float], look: int, goal: Goal) -> bool:
    """Return True when the median of VALUES reaches GOAL at a LOOK after so
    many rounds: all looks together have the confidence.  A 0 tells
    nothing."""
    every = looks(goal.most)
    half = ranks.half_width(values, 1 - (1 - goal.level) / len(every))
    return look in every and half is not None and half <= goal.width


def is_known(point: Point, records: Sequence[Record], done: int, goal: Goal
             ) -> bool:
    """The median of RECORDS reached GOAL at a look of the DONE rounds."""
    return any(is_near(results.values_of(
        [one for one in records if one.round <= look], metric_of(point)),
        look, goal) for look in looks(goal.most) if look <= done)


def is_hopeless(point: Point, records: Sequence[Record]) -> bool:
    """Return True when RECORDS of POINT at one target never gave a value."""
    return len(records) >= HOPELESS and not any(
        results.values_of(records, metric_of(point)))


def unknown(points: Iterable[Planned], targets: Sequence[Target],
            records: Sequence[Record], goal: Goal, hopeless: bool = True
            ) -> list[Planned]:
    """Return the POINTS that do not reach GOAL, the HOPELESS if asked for."""
    own: dict[tuple[str, Optional[Point]], list[Record]] = results.grouped(
        records, lambda record: (record.target, record.point))
    done = max((record.round for record in records), default=0)

    def lacks(point: Point, target: str) -> bool:
        found = own.get((target, point), [])
        return not is_known(point, found, done, goal) and (
            hopeless or not is_hopeless(point, found))
    return [point for point in points
            if any(lacks(point.key(), target.name) for target in targets)]
