"""What is measured in a round, in which order, and when it is enough."""
import random
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from verbsperf.documents import results
from verbsperf.documents.points import Point, is_bandwidth
from verbsperf.documents.results import Record
from verbsperf.plan.suite import Planned
from verbsperf.plan.target import Target
from verbsperf.stats import ranks

# A point that never gave a result is given up after as many rounds.
HOPELESS = 3
# Seconds to start, to connect and to end, about.
OVERHEAD = 0.3

Goal = Tuple[float, float]  # a confidence, and how wide its interval may be
# A target is not known yet when none was named.
Measurement = Tuple[Planned, Target]


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
    """Estimate how long one measurement of POINT takes at TARGET, or return
    None when that depends on how fast it is."""
    times = {**point.times, **(target.times if target else {})}
    if times["iterations"] is not None:
        return None
    return float(OVERHEAD + times["duration"] + times["warmup"])


def total_seconds(measurements: Iterable[Tuple[Planned, Optional[Target]]]
                  ) -> Tuple[float, int]:
    """Return the time of all MEASUREMENTS, and the number of those whose time
    is not known."""
    every = [seconds(point, target) for point, target in measurements]
    return sum(one or 0 for one in every), every.count(None)


def metric_of(point: Point) -> str:
    """Return the metric of POINT that --until-ci watches and verbsperf-compare
    compares."""
    return "gbps" if is_bandwidth(point) else "p99"


def is_known(point: Point, records: Sequence[Record], goal: Goal) -> bool:
    """Return True when the median of RECORDS, of POINT at one target, is known
    well enough or never will be."""
    level, width = goal
    values = results.values_of(records, metric_of(point))
    if len(records) >= HOPELESS and not any(values):
        return True
    half = ranks.half_width(values, level) if values else None
    return half is not None and half <= width


def unknown(points: Iterable[Planned], targets: Sequence[Target],
            records: Iterable[Record], goal: Goal) -> List[Planned]:
    """Return those of POINTS that need another round to reach GOAL at each
    target."""
    own: Dict[Tuple[str, Optional[Point]], List[Record]] = results.grouped(
        records, lambda record: (record.target, record.point))
    return [point for point in points
            if not all(is_known(point.key(),
                                own.get((target.name, point.key()), []), goal)
                       for target in targets)]
