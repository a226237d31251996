"""What pairs usually reach, and which are suspect because they are slower.

Values become speeds, so that more is better for latency, too.  What a healthy
pair reaches is the median over ends that are about as fast as most; how much
pairs differ is the MAD around it (scipy), so that neither a slow node nor what
it does to its partners moves them."""
import statistics
from typing import Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from scipy.stats import median_abs_deviation

from verbsperf.pairs.patterns import End, Pair

# Beyond so many of the population's deviations a speed is suspect, and only
# when it is lower by as much, of which an ordinary network is capable.
DEVIATIONS = 5.0
LEAST = {"gbps": 0.10, "p50": 0.25}
RATES = ("gbps", "mpps")
MOST = 0.5              # whatever the deviations, half the speed is slow
ENOUGH = 6              # healthy pairs say how much pairs differ; fewer do not
ALIKE = 0.9             # of the usual speed has an end that is healthy
# The speeds of pairs.
Speeds = Dict[Pair, float]


class Measured(NamedTuple):
    """What a pair reached in a round."""

    pair: Pair
    value: float
    round: int = 0


class Usual(NamedTuple):
    """What pairs of one rail usually reach."""

    speed: float
    limit: float        # what is slower is suspect
    spread: float       # the deviation, of the speed


def speed_of(value: float, metric: str) -> float:
    """Return VALUE of METRIC as a speed: more is better."""
    if metric in RATES:
        return value
    return 1 / value if value > 0 else 0.0


def upper_median(values: Iterable[float]) -> float:
    """Return the median of the faster half of VALUES."""
    order = sorted(values)
    return statistics.median(order[len(order) // 2:])


def speeds_by_end(speeds: Speeds) -> Dict[End, List[float]]:
    """Return {end: the speeds of its pairs}."""
    found: Dict[End, List[float]] = {}
    for pair, speed in speeds.items():
        found.setdefault(pair.client, []).append(speed)
        found.setdefault(pair.server, []).append(speed)
    return found


def scores_of(speeds: Speeds) -> Dict[End, float]:
    """Return {end: how fast it is with its better partners}."""
    return {end: upper_median(own)
            for end, own in speeds_by_end(speeds).items()}


def usual_among(good: Sequence[float], metric: str) -> Usual:
    """Return what is usual among GOOD speeds, none of which is suspect."""
    middle, spread = statistics.median(good), 0.0
    if len(good) >= 3 and middle > 0:
        spread = float(median_abs_deviation(good, scale="normal")) / middle
    least = LEAST.get(metric, 0.1) * (1 if len(good) >= ENOUGH else 2)
    below = min(MOST, max(least, DEVIATIONS * spread))
    return Usual(middle, middle * (1 - below), spread)


def usual_of(speeds: Speeds, metric: str) -> Usual:
    """Return what is usual among SPEEDS."""
    scores = scores_of(speeds)
    middle = upper_median(scores.values())
    good = [speed for pair, speed in speeds.items()
            if min(scores[pair.client], scores[pair.server]) >= ALIKE * middle]
    return usual_among(good or [middle], metric)


def suspects_of(slow: Set[Pair], speeds: Speeds
                ) -> Tuple[List[End], List[Pair]]:
    """Divide the SLOW pairs: ends that many of them have, and pairs that are
    slow by themselves."""
    total = {end: len(own) for end, own in speeds_by_end(speeds).items()}
    ends: List[End] = []
    left = set(slow)
    while left:
        count: Dict[End, int] = {}
        for pair in left:
            for end in pair[:2]:
                count[end] = count.get(end, 0) + 1
        worst = max(count, key=lambda end: (
            count[end] / total[end], count[end], end))
        share = count[worst] / total[worst]
        if not (count[worst] >= 2 and share >= 0.5
                or count[worst] >= 3 and share >= 0.15):
            break
        ends.append(worst)
        left = {pair for pair in left if worst not in pair[:2]}
    return ends, sorted(left)
