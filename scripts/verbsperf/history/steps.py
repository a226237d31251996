"""Where a series of nights changed: since which of them it is faster or slower
than before, by the test of verbsperf-compare.

It goes through the nights as they came, and asks each night whether the last
ones differ from those before.  A step that was found is asked for again each
night after, with more nights on its later side, and dropped when it was
chance."""
import math
from typing import List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.stats import ranks, verdict
from verbsperf.stats.verdict import Change, Sample

# No step is made of fewer nights of either side.
FEWEST_NIGHTS = 3
# As many of either side are looked at: a step that is older was found before,
# and what was half a year ago does not tell what is usual.
MOST_BEFORE, MOST_SINCE = 60, 30
# Of so many looks at the same nights one may be wrong as often as one
# comparison: p is as many times as large.
LOOKS = 10
# By how many nights a step may turn out to be earlier or later.
NEAR = 3


class Step(NamedTuple):
    """A lasting change, of nights that are counted from 0."""

    night: int              # the first of those that are different
    found: int              # the night that showed it
    verdict: str            # verdict.REGRESSION or IMPROVEMENT
    ratio: float            # of these nights to those before, as measured
    low: Optional[float]    # of the 95% interval of the ratio
    high: Optional[float]


class Series(NamedTuple):
    """The value of each night, as logarithms that are more when better."""

    values: Sequence[float]
    higher_is_better: bool
    tolerance: float        # 0.02 is 2%

    def around(self, start: int, night: int, end: int
               ) -> Tuple[Sequence[float], Sequence[float]]:
        """Return the nights from START before NIGHT, and those since until
        before END, as many as are looked at."""
        return (self.values[max(start, night - MOST_BEFORE):night],
                self.values[night:min(end, night + MOST_SINCE)])


class Judged(NamedTuple):
    """A night that may be a step, and what it would be."""

    night: int
    verdict: str
    change: Change
    weight: float   # how much better two levels fit than one


def unlike(values: Sequence[float]) -> float:
    """Return how far VALUES are from their median, in all."""
    middle = ranks.median(values)
    return math.fsum(abs(value - middle) for value in values)


def p_of(before: Sequence[float], since: Sequence[float]) -> float:
    """Return p of the test, for as many looks; roughly, which is at once, where
    that decides."""
    rough = ranks.rough_p(before, since)
    if ranks.ALPHA / LOOKS <= rough <= ranks.ALPHA:
        rough = ranks.mann_whitney(before, since)
    return min(1.0, rough * LOOKS)


def judged_at(series: Series, start: int, night: int, end: int
              ) -> Optional[Judged]:
    """Return what NIGHT is as the first of those that differ from the ones
    since START, until before END; None when it is no step."""
    before, since = series.around(start, night, end)
    loss, gain = verdict.allowed(Sample(
        before, since, series.higher_is_better, series.tolerance))
    # most nights are like those before, which is seen at once
    rough = ranks.median(since) - ranks.median(before)
    if -loss / 2 < rough < gain / 2:
        return None
    change = Change(*ranks.hodges_lehmann(before, since))
    found, _ = verdict.decide(change, p_of(before, since), loss, gain)
    if found not in (verdict.REGRESSION, verdict.IMPROVEMENT):
        return None
    return Judged(night, found, change, unlike([*before, *since])
                  - unlike(before) - unlike(since))


def best_of(series: Series, start: int, nights: Sequence[int], end: int
            ) -> Optional[Judged]:
    """Return the step at one of NIGHTS that explains most; None without
    one."""
    found = [one for one in (
        judged_at(series, start, night, end) for night in nights
        if night - start >= FEWEST_NIGHTS and end - night >= FEWEST_NIGHTS)
        if one]
    return max(found, key=lambda one: one.weight) if found else None


class Walk:
    """The steps that are known after each night."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.steps: List[Tuple[Judged, int]] = []   # and the night it was found

    def start(self, back: int) -> int:
        """Return where the level begins, BACK steps ago."""
        return self.steps[-1 - back][0].night if len(
            self.steps) > back else 0

    def review(self, end: int) -> None:
        """Judge the last step again, with all nights until before END; drop
        it, and then the one before, when it is none."""
        while self.steps:
            old, found = self.steps.pop()
            near = range(old.night - NEAR, old.night + NEAR + 1)
            again = best_of(self.series, self.start(0), near, end)
            if again:
                self.steps.append((again, found))
                return

    def look(self, end: int) -> None:
        """Look for a step among the nights before END."""
        start = self.start(0)
        new = best_of(self.series, start, range(
            max(start, end - MOST_SINCE), end), end)
        if new:
            self.steps.append((new, end - 1))

    def nights(self) -> None:
        """Go through all nights."""
        for end in range(1, len(self.series.values) + 1):
            self.review(end)
            self.look(end)


def as_measured(series: Series, one: Judged, found: int) -> Step:
    """Return ONE, found in the night FOUND, with ratios as measured."""
    sign = 1 if series.higher_is_better else -1
    ends = [None if end is None else math.exp(sign * end)
            for end in (one.change.low, one.change.high)][::sign]
    return Step(one.night, found, one.verdict,
                math.exp(sign * one.change.estimate), ends[0], ends[1])


def steps_of(values: Sequence[float], higher_is_better: bool,
             tolerance: float) -> List[Step]:
    """Return the steps of VALUES, one for each night; none below 0."""
    sign = 1 if higher_is_better else -1
    series = Series([sign * math.log(max(value, verdict.LEAST))
                     for value in values], higher_is_better, tolerance)
    walk = Walk(series)
    walk.nights()
    return [as_measured(series, one, found) for one, found in walk.steps]
