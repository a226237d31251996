"""What follows from the order of values alone, with nothing supposed about how
they are distributed.

  Mann and Whitney 1947: is one sample larger than the other?  By SciPy
  Hodges and Lehmann 1963: by how much?  The median of all differences, and
      the interval of Moses between two of them
  Conover 1999, 3.2: an interval for the median, between two values
"""
import functools
import math
import statistics
from typing import Optional, Sequence

from verbsperf.stats.libraries import stats

# Of fewer rounds there is no 95% interval by their order alone, since all of
# them are on one side of the median in 6% of cases; and so no interval of any
# kind is shown, no verdict made and no set-up said to be ahead.
FEWEST_ROUNDS = 6

Estimate = tuple[float, Optional[float], Optional[float]]
Interval = tuple[float, float, float]   # a middle, and both ends around it
median = statistics.median      # of one value at least


def trimmed(n: int) -> int:
    """Return how many of N values a trimmed mean leaves out at either end."""
    return max(n // 5, int(n > 2))


def trimmed_mean(values: Sequence[float]) -> float:
    """Return the mean of VALUES without their lowest and highest fifth."""
    drop = trimmed(len(values))
    return statistics.fmean(sorted(values)[drop:len(values) - drop])


def mann_whitney(base: Sequence[float], new: Sequence[float]) -> float:
    """Return the two-sided p that BASE and NEW are of one distribution."""
    return float(stats.mannwhitneyu(base, new).pvalue)


@functools.lru_cache(maxsize=None)
def statistic_counts(n: int, m: int) -> list[int]:
    """Return in how many ways the statistic of N and M values is 0, 1, 2, ...:
    the coefficients of a Gaussian binomial."""
    ways = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            ways[u] -= ways[u - m - i]
        for u in range(i, n * m + 1):
            ways[u] += ways[u - i]
    return ways


def hodges_lehmann(base: Sequence[float], new: Sequence[float],
                   alpha: float) -> Estimate:
    """Estimate how much larger NEW is than BASE: (estimate, low, high). low
    and high are None when there are too few values for an interval."""
    differences = sorted(y - x for y in new for x in base)
    counts = statistic_counts(len(base), len(new))
    left, rank = alpha / 2 * sum(counts), 0
    while counts[rank] <= left:
        left -= counts[rank]
        rank += 1
    if not rank:
        return median(differences), None, None
    return median(differences), differences[rank - 1], differences[-rank]


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
    """Return how far median_interval() reaches, as a share, or None."""
    interval = median_interval(values, confidence)
    if interval is None or interval[0] <= 0:
        return None
    middle, low, high = interval
    return max(high - middle, middle - low) / middle
