"""Which of several set-ups is ahead at each size, and where that changes, by
the test of verbsperf-compare: all sizes of all tests are one family."""
import itertools
from typing import (Hashable, Iterator, Mapping, NamedTuple, Optional,
                    Sequence, TypeVar)

from verbsperf.documents.points import size_text
from verbsperf.stats import ranks, verdict
from verbsperf.stats.verdict import Judgement, Sample

# Rounds of each set-up for an interval of their ratio.
FEWEST_ROUNDS = 3

K = TypeVar("K", bound=Hashable)


class Cell(NamedTuple):
    """What set-ups have of one metric at one size."""

    values: dict[str, list[float]]  # by set-up, those that have any
    more_is_better: bool
    tolerance: float                # 0.02 is 2%
    together: bool                  # all were measured in one session

    def sample(self, base: str, other: str) -> Sample:
        """Return what there is to judge of OTHER to BASE."""
        return Sample({"": self.values[base]}, self.values[other],
                      self.more_is_better, self.tolerance, self.together)

    def order(self) -> list[str]:
        """Return the set-ups, the best first."""
        return sorted(self.values, reverse=self.more_is_better,
                      key=lambda name: ranks.trimmed_mean(
                          self.values[name]))


class Stretch(NamedTuple):
    """Neighbouring sizes with one set-up ahead, or none."""

    ahead: Optional[str]
    sizes: tuple[int, ...]
    most: float         # by what factor at most


def judge(samples: dict[K, Sample]) -> dict[K, Judgement]:
    """Judge SAMPLES by their keys, each for the better and for the worse."""
    return dict(zip(samples, verdict.judge([*samples.values()], FEWEST_ROUNDS,
                                           directions=2)))


def leaders(cells: dict[K, Cell]) -> dict[K, tuple[Optional[str], float]]:
    """Return (which is ahead of all others or None, by what factor) of each of
    CELLS that two set-ups have."""
    orders = {key: cell.order() for key, cell in cells.items()
              if len(cell.values) > 1}
    found = judge({key: cells[key].sample(order[1], order[0])
                   for key, order in orders.items()})
    return {key: (orders[key][0], max(one.ratio, 1 / one.ratio))
            if one.reason == verdict.BETTER else (None, 1.0)
            for key, one in found.items()}


def ratios(cells: dict[K, Cell], base: str) -> dict[tuple[K, str], Judgement]:
    """Return how each set-up is to BASE in each of CELLS that both have."""
    return judge({(key, name): cell.sample(base, name)
                  for key, cell in cells.items() if base in cell.values
                  for name in cell.values if name != base})


def stretches(by_size: Mapping[int, tuple[Optional[str], float]]
              ) -> list[Stretch]:
    """Return which is ahead at which sizes, of leaders BY_SIZE."""
    found = []
    for name, own in itertools.groupby(sorted(by_size.items()),
                                       key=lambda one: one[1][0]):
        sizes, factors = zip(*((size, factor) for size, (_, factor) in own))
        found.append(Stretch(name, sizes, max(factors)))
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
