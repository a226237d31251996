"""What is measured in a round, in which order, and when it is enough."""
import random

import verbsperf_results as results
import verbsperf_stats as stats
import verbsperf_suite as suites

# A point that never gave a result is given up after as many rounds.
HOPELESS = 3


def order_of(seed, number, points, targets):
    """What is measured in one round: points in random order, at each the
    targets, so that what drifts meets all of them alike."""
    source = random.Random(f"{seed} {number}")
    for point in source.sample(points, len(points)):
        for target in source.sample(targets, len(targets)):
            yield point, target


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
