"""What is measured in a round, in which order, and when it is enough."""
import random
import re

from verbsperf import results
from verbsperf import stats
from verbsperf import suite as suites

# A point that never gave a result is given up after as many rounds.
HOPELESS = 3
# Seconds that verbsperf measures, and warms up, when it is not told.
DURATION, WARMUP = 1.0, 0.2
# Seconds to start, to connect and to end, about.
OVERHEAD = 0.3
UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "m": 60.0, "h": 3600.0}
TIME = re.compile(r"(\d+\.?\d*|\.\d+)([a-z]*)")


def order_of(seed, number, points, targets):
    """What is measured in one round: points in random order, at each the
    targets, so that what drifts meets all of them alike."""
    source = random.Random(f"{seed} {number}")
    for point in source.sample(points, len(points)):
        for target in source.sample(targets, len(targets)):
            yield point, target


def seconds_of(text):
    """A time as verbsperf reads it; 0 when it is none."""
    match = TIME.fullmatch(text)
    return float(match[1]) * UNITS.get(match[2], 0) if match else 0


def seconds(point, target):
    """About how long one measurement of POINT takes at TARGET, or None: it
    depends on how fast that is."""
    options = {**point["options"], **(target.options if target else {})}
    if "iterations" in options:
        return None
    asked = [seconds_of(options[name]) if name in options else default
             for name, default in (("duration", DURATION),
                                   ("warmup", WARMUP))]
    return OVERHEAD + sum(asked)


def total_seconds(measurements):
    """(how long MEASUREMENTS, of point and target, take together; how many of
    them it is not known of)."""
    every = [seconds(point, target) for point, target in measurements]
    return sum(one or 0 for one in every), every.count(None)


def metric_of(point):
    """What --until-ci watches, and verbsperf-compare compares."""
    return "p99" if point["test"].endswith("_lat") else "gbps"


def is_known(point, records, level, width):
    """The median of RECORDS, of POINT at one target, is known well enough,
    or never will be."""
    values = [results.metric(record.row, metric_of(point))
              for record in records if record.row]
    values = [value for value in values if value is not None]
    if len(records) >= HOPELESS and not any(values):
        return True
    half = stats.half_width(values, level) if values else None
    return half is not None and half <= width


def unknown(points, targets, records, goal):
    """Those of POINTS that need another round to reach GOAL: a confidence
    and a width, at each target."""
    own = {}
    for record in records:
        own.setdefault((record.target, record.point), []).append(record)
    return [point for point in points
            if not all(is_known(point, own.get((target.name,
                                                suites.key_of(point)), []),
                                *goal) for target in targets)]
