"""Which of several set-ups is ahead at each size, and where that changes, by
the test of verbsperf-compare: all sizes of all tests are one family."""
import itertools
from typing import (Hashable, Iterator, Mapping, NamedTuple, Optional,
                    Sequence, TypeVar)

from verbsperf.base.tables import counted
from verbsperf.documents.points import size_text
from verbsperf.stats import ranks, verdict
from verbsperf.stats.verdict import Judgement, Sample

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


class Lead(NamedTuple):
    """Which set-up is ahead of all others."""

    ahead: Optional[str]
    factor: float               # by which it is
    doubtful: Optional[str]     # which may be, where by chance some would be


class Stretch(NamedTuple):
    """Neighbouring sizes with one set-up ahead, or none."""

    ahead: Optional[str]
    sizes: tuple[int, ...]
    most: float         # by what factor at most
    doubtful: dict[int, str]    # which may be ahead at some of the sizes


def judge(samples: dict[K, Sample]) -> dict[K, Judgement]:
    """Judge SAMPLES by their keys, each for the better and for the worse."""
    return dict(zip(samples, verdict.judge([*samples.values()],
                                           directions=2)))


def lead_of(cell: Cell, best: str, found: Judgement) -> Lead:
    """Return what FOUND, of BEST to the next best in CELL, says."""
    if found.reason == verdict.BETTER:
        return Lead(best, max(found.ratio, 1 / found.ratio), None)
    # the end of its interval that is nearest to no change
    near = found.low if cell.more_is_better else found.high and 1 / found.high
    beyond = near is not None and near > 1 + cell.tolerance
    return Lead(None, 1.0, best if beyond else None)


def leaders(cells: dict[K, Cell]) -> dict[K, Lead]:
    """Return which is ahead of all others in each of CELLS that two set-ups
    have."""
    orders = {key: cell.order() for key, cell in cells.items()
              if len(cell.values) > 1}
    found = judge({key: cells[key].sample(order[1], order[0])
                   for key, order in orders.items()})
    return {key: lead_of(cells[key], orders[key][0], one)
            for key, one in found.items()}


def ratios(cells: dict[K, Cell], base: str) -> dict[tuple[K, str], Judgement]:
    """Return how each set-up is to BASE in each of CELLS that both have."""
    return judge({(key, name): cell.sample(base, name)
                  for key, cell in cells.items() if base in cell.values
                  for name in cell.values if name != base})


def stretches(by_size: Mapping[int, Lead]) -> list[Stretch]:
    """Return which is ahead at which sizes, of leaders BY_SIZE."""
    found = []
    for name, own in itertools.groupby(sorted(by_size.items()),
                                       key=lambda one: one[1].ahead):
        leads = dict(own)
        found.append(Stretch(
            name, tuple(leads), max(one.factor for one in leads.values()),
            {size: one.doubtful for size, one in leads.items()
             if one.doubtful}))
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
        return "at all sizes" if stretch.ahead else "at any size"
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


def doubts(found: Sequence[Stretch], family: int) -> Iterator[str]:
    """Yield which may be ahead at which sizes of FOUND, with an interval of
    which there is one by chance among FAMILY points."""
    at: dict[str, list[str]] = {}
    for one in found:
        for size, name in one.doubtful.items():
            at.setdefault(name, []).append(bytes_text(size))
    for name, sizes in at.items():
        yield (f"{name} perhaps ahead at {', '.join(sizes)}, but not "
               f"significant among {counted(family, 'point')}")


def words(found: Sequence[Stretch]) -> Iterator[str]:
    """Yield what is said of each stretch of FOUND."""
    for i, one in enumerate(found):
        where = span(one, i == 0, i == len(found) - 1)
        if one.ahead is None:
            yield f"no clear difference {where}"
        else:
            yield f"{one.ahead} ahead {where}, {factor_text(one.most)}"


def sentence(found: Sequence[Stretch], family: int) -> str:
    """Say which is ahead where: "ib ahead up to 4K, by up to 3%; ...". FAMILY
    points of all tests were judged."""
    return "; ".join([*words(found), *doubts(found, family)]
                     ) or "not measured by two set-ups"
