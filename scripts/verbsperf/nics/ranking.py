"""Which of several set-ups is ahead at each size, and where that changes."""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.documents.points import size_text
from verbsperf.stats import ranks

# What is less is 0: it has a logarithm.
LEAST = 1e-9


class Ratio(NamedTuple):
    """How much larger one sample is than another, with its 95% interval when
    that is known."""

    ratio: float
    low: Optional[float]
    high: Optional[float]

    def is_clear(self, tolerance: float) -> bool:
        """Return True when it is no accident, and more than TOLERANCE."""
        if abs(self.ratio - 1) <= tolerance:
            return False
        return (self.low is None or self.high is None
                or self.low > 1 or self.high < 1)


class Stretch(NamedTuple):
    """Neighbouring sizes with one set-up ahead, or none."""

    ahead: Optional[str]
    sizes: Tuple[int, ...]
    most: float         # by what factor at most

    def grown(self, size: int, factor: float) -> "Stretch":
        """Return it with SIZE as well."""
        return self._replace(sizes=(*self.sizes, size),
                             most=max(self.most, factor))


def ratio_of(base: Sequence[float], other: Sequence[float]) -> Optional[Ratio]:
    """Estimate OTHER to BASE by Hodges and Lehmann, or return None when one
    has no values."""
    if not base or not other:
        return None
    logs = [[math.log(max(value, LEAST)) for value in values]
            for values in (base, other)]
    ratio, low, high = ranks.hodges_lehmann(logs[0], logs[1])
    if low is None or high is None:
        return Ratio(math.exp(ratio), None, None)
    return Ratio(math.exp(ratio), math.exp(low), math.exp(high))


def leader(values: Dict[str, List[float]], more_is_better: bool,
           tolerance: float) -> Tuple[Optional[str], float]:
    """Return (which is ahead of all others or None, by what factor), of VALUES
    by set-up."""
    order = sorted((name for name in values if values[name]),
                   key=lambda name: ranks.median(values[name]),
                   reverse=more_is_better)
    if len(order) < 2:
        return None, 1.0
    found = ratio_of(values[order[1]], values[order[0]])
    assert found is not None
    # in two clusters of rounds medians and ratios may contradict each other
    if not found.is_clear(tolerance) or (found.ratio > 1) != more_is_better:
        return None, 1.0
    return order[0], max(found.ratio, 1 / found.ratio)


def stretches(by_size: Dict[int, Dict[str, List[float]]],
              more_is_better: bool, tolerance: float) -> List[Stretch]:
    """Return which is ahead at which sizes, of values by size and set-up."""
    found: List[Stretch] = []
    for size, values in sorted(by_size.items()):
        if sum(1 for one in values.values() if one) < 2:
            continue
        name, factor = leader(values, more_is_better, tolerance)
        if found and found[-1].ahead == name:
            found[-1] = found[-1].grown(size, factor)
        else:
            found.append(Stretch(name, (size,), factor))
    return found


def bytes_text(size: int) -> str:
    """Return SIZE with its unit, for a sentence."""
    text = size_text(size)
    if text[-1] in "KMG":
        return f"{text[:-1]} {text[-1]}iB"
    return f"{text} byte" + ("" if size == 1 else "s")


def span(stretch: Stretch, is_first: bool, is_last: bool) -> str:
    """Say at which sizes STRETCH is."""
    low, high = (bytes_text(stretch.sizes[i]) for i in (0, -1))
    if len(stretch.sizes) == 1:
        return f"at {low}"
    if is_first and is_last:
        return "at all sizes"
    if is_first:
        return f"up to {high}"
    if is_last:
        return f"from {low}"
    return f"from {low} to {high}"


def factor_text(factor: float) -> str:
    """Say by how much at most."""
    if factor >= 2:
        return f"by a factor of up to {factor:.3g}"
    return f"by up to {100 * (factor - 1):.3g}%"


def words(found: Sequence[Stretch]) -> Iterator[str]:
    """Yield what is said of each stretch of FOUND."""
    for i, one in enumerate(found):
        where = span(one, i == 0, i == len(found) - 1)
        if one.ahead is None:
            yield f"no clear difference {where}"
        else:
            yield f"{one.ahead} ahead {where}, {factor_text(one.most)}"


def sentence(found: Sequence[Stretch]) -> str:
    """Say which is ahead where: "ib ahead up to 4K, by up to 3%; ..."."""
    return "; ".join(words(found)) or "not measured by two set-ups"
