"""The statistics of verbsperf-sweep and verbsperf-compare.

Nothing here supposes that values are normal: a run's result is taken as one
value, and what is said follows from the order of values alone.

  Mann and Whitney 1947: is one sample larger than the other?  Exact, also
      with ties: all ways to deal out the ranks are counted
  Hodges and Lehmann 1963: by how much?  The median of all differences, and
      the interval of Moses between two of them
  Holm 1979: many tests at once
  Conover 1999, 3.2: an interval for the median, between two values
"""
import bisect
import functools
import math
import statistics
from typing import List, Optional, Sequence, Tuple

ALPHA = 0.05
# Counting every way takes long beyond that many pairs of values, where the
# normal approximation is as good.
EXACT_PAIRS = 900
NORMAL = statistics.NormalDist()

Interval = Tuple[float, float, float]   # a middle, and both ends around it
Estimate = Tuple[float, Optional[float], Optional[float]]


def median(values: Sequence[float]) -> float:
    """Return the median of VALUES; there is one at least."""
    return statistics.median(values)


def midranks_doubled(values: Sequence[float]) -> List[int]:
    """Return twice the rank of each of VALUES, from 0; ties share the mean."""
    order = sorted(values)
    return [bisect.bisect_left(order, value)
            + bisect.bisect_right(order, value) - 1 for value in values]


@functools.lru_cache(maxsize=64)
def sum_counts(ranks: Tuple[int, ...], n: int) -> List[int]:
    """In how many ways N of the whole numbers RANKS have each sum.

    One polynomial for each number of ranks taken, as one long integer with a
    field for each sum: adding a rank to all sums is a shift."""
    field = math.comb(len(ranks), n).bit_length() // 8 + 1
    taken = [1] + [0] * n
    for i, rank in enumerate(ranks):
        for k in range(min(i + 1, n), 0, -1):
            taken[k] += taken[k - 1] << (8 * field * rank)
    most = sum(sorted(ranks)[len(ranks) - n:])
    data = taken[n].to_bytes((most + 1) * field, "little")
    return [int.from_bytes(data[i:i + field], "little")
            for i in range(0, len(data), field)]


def exact_p(ranks: Sequence[int], n: int, seen: int) -> float:
    """Return the two-sided p of the sum SEEN of N of RANKS drawn at random."""
    counts = sum_counts(tuple(sorted(ranks)), n)
    low = sum(counts[:seen + 1])
    high = sum(counts[seen:])
    return min(1.0, 2 * min(low, high) / math.comb(len(ranks), n))


def normal_p(ranks: Sequence[int], n: int, seen: int) -> float:
    """Return the same by the normal approximation, corrected for ties and
    steps."""
    total = len(ranks)
    mean = sum(ranks) / total
    spread = sum((rank - mean) ** 2 for rank in ranks) / (total - 1)
    variance = n * (total - n) / total * spread
    if not variance:
        return 1.0
    # of doubled ranks a step is two
    distance = max(0.0, abs(seen - n * mean) - 1)
    return min(1.0, 2 * NORMAL.cdf(-distance / math.sqrt(variance)))


def mann_whitney(base: Sequence[float], new: Sequence[float]) -> float:
    """Return the two-sided p that values of BASE and NEW come from one
    distribution."""
    ranks = midranks_doubled([*base, *new])
    seen = sum(ranks[:len(base)])
    exact = len(base) * len(new) <= EXACT_PAIRS
    return (exact_p if exact else normal_p)(ranks, len(base), seen)


def rough_p(base: Sequence[float], new: Sequence[float]) -> float:
    """Return about the same, at once: more than it is where it is small and
    there are few values."""
    ranks = midranks_doubled([*base, *new])
    return normal_p(ranks, len(base), sum(ranks[:len(base)]))


def smallest_p(n: int, m: int) -> float:
    """Return the smallest p that N and M values can have."""
    return min(1.0, 2 / math.comb(n + m, n))


@functools.lru_cache(maxsize=None)
def interval_rank(n: int, m: int, alpha: float = ALPHA) -> int:
    """Return from which of the N x M ordered differences, counted from 1 and
    from both ends, the interval reaches; 0 when there are too few."""
    if n * m > EXACT_PAIRS:
        z = NORMAL.inv_cdf(1 - alpha / 2)
        half = z * math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(n * m / 2 - half))
    counts = sum_counts(tuple(range(n + m)), n)
    least = n * (n - 1) // 2
    below, rank, ways = 0, 0, math.comb(n + m, n)
    while 2 * (below + counts[least + rank]) <= alpha * ways:
        below += counts[least + rank]
        rank += 1
    return rank


def hodges_lehmann(base: Sequence[float], new: Sequence[float],
                   alpha: float = ALPHA) -> Estimate:
    """Estimate how much larger NEW is than BASE: (estimate, low, high). low
    and high are None when there are too few values for an interval."""
    differences = sorted(y - x for y in new for x in base)
    estimate = median(differences)
    rank = interval_rank(len(base), len(new), alpha)
    if not rank:
        return estimate, None, None
    return estimate, differences[rank - 1], differences[-rank]


def holm(ps: Sequence[float]) -> List[float]:
    """Adjust each of PS for how many there are."""
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    adjusted, worst = [0.0] * len(ps), 0.0
    for place, i in enumerate(order):
        worst = max(worst, min(1.0, (len(ps) - place) * ps[i]))
        adjusted[i] = worst
    return adjusted


def median_interval(values: Sequence[float], confidence: float = 0.95
                    ) -> Optional[Interval]:
    """Return (median, low, high), where the true median is within low and high
    with CONFIDENCE or more; None when there are too few values."""
    n, order = len(values), sorted(values)
    allowed = (1 - confidence) / 2 * 2 ** n
    below, rank = 0, 0
    while rank < n // 2 and below + math.comb(n, rank) <= allowed:
        below += math.comb(n, rank)
        rank += 1
    if not rank:
        return None
    return median(order), order[rank - 1], order[-rank]


def half_width(values: Sequence[float], confidence: float = 0.95
               ) -> Optional[float]:
    """Return how far median_interval() reaches, as a share of the median, or
    None."""
    interval = median_interval(values, confidence)
    if interval is None or interval[0] <= 0:
        return None
    middle, low, high = interval
    return max(high - middle, middle - low) / middle
