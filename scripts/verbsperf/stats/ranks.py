"""What follows from the order of values alone, with nothing supposed about how
they are distributed (Conover 1999, 3.2)."""
import math
import statistics
from typing import Optional, Sequence, Tuple

Interval = Tuple[float, float, float]   # a middle, and both ends around it


def median(values: Sequence[float]) -> float:
    """Return the median of VALUES; there is one at least."""
    return statistics.median(values)


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
