"""Where a series of nights changed: since which of them it is faster or slower
than before.

It goes through the nights as they came, and asks each night whether the median
of the last ones is another than of those before: by more than the tolerance,
and by more than nights differ by chance, which depend on the night before.  A
step that was found is asked for again each night after, with more nights on its
later side, and dropped when it was chance."""
import math
from typing import NamedTuple, Optional, Sequence

from verbsperf.stats import noise, ranks, verdict
from verbsperf.stats.libraries import numpy, special
from verbsperf.stats.verdict import Sample

# No step is made of fewer nights of either side.
FEWEST_NIGHTS = 3
# As many of either side are looked at: a step that is older was found before,
# and what was half a year ago does not tell what is usual.
MOST_BEFORE, MOST_SINCE = 60, 30
# How much nights differ is told by the last of as many of one level.
TELLING = (60, 40, 25, 15, 10, 6)
# A night is at least as much like the one before; few nights cannot tell.
DEPENDENCE = 0.5
# Of 120 nights about so many look at other nights than the one before did: all
# of them together have a step by chance as often as a job a false regression.
LOOKS = 20
# By how many nights a step may turn out to be earlier or later.
NEAR = 3
# Of the nights since a new step so many may be like those before.
MOST_UNLIKE = 0.2


class Step(NamedTuple):
    """A lasting change, of nights that are counted from 0."""

    night: int              # the first of those that are different
    found: int              # the night that showed it
    is_better: bool
    ratio: float            # of these nights to those before, as measured
    low: float              # of the 95% interval of the ratio
    high: float


class Series(NamedTuple):
    """The value of each night, as logarithms that are more when better."""

    values: Sequence[float]
    higher_is_better: bool
    tolerance: float        # 0.02 is 2%

    def around(self, start: int, night: int, end: int
               ) -> tuple[Sequence[float], Sequence[float]]:
        """Return nights from START before NIGHT, and those since before END."""
        return (self.values[max(start, night - MOST_BEFORE):night],
                self.values[night:min(end, night + MOST_SINCE)])


class Usual(NamedTuple):
    """How much nights of one level differ."""

    variance: float     # of the median of nights, times how many they are
    freedom: float      # degrees of freedom of that

    def deviation(self, nights: int, others: int) -> float:
        """Return that of the difference between two medians."""
        return math.sqrt(self.variance * (1 / nights + 1 / others))


class Judged(NamedTuple):
    """A night that may be a step, and what it would be."""

    night: int
    estimate: float     # of the change for the better
    reach: float        # of its 95% interval, to either side
    weight: float       # how much better two levels fit than one


# A step, and the night that showed it.
Found = tuple[Judged, int]


def unlike(values: Sequence[float]) -> float:
    """Return how far VALUES are from their median, in all."""
    middle = ranks.median(values)
    return math.fsum(abs(value - middle) for value in values)


def usual_of(values: Sequence[float]) -> Optional[Usual]:
    """Return how much VALUES of one level differ; None of too few."""
    n = next((n for n in TELLING if n <= len(values)), None)
    if n is None:
        return None
    expected, last = noise.normal(n), numpy.array([values[-n:]])
    # less the standard deviation of what so few nights tell
    like = max(DEPENDENCE, float(numpy.interp(numpy.nan_to_num(
        noise.lag_of(last)[0]), expected.lag, noise.DEPENDENCES)) - n ** -0.5)
    factor, freedom = (float(numpy.interp(like, noise.DEPENDENCES, curve))
                       for curve in (expected.median, expected.freedom))
    raw = max(float(noise.raw_variance(last)[0]) * n,
              2 * noise.LEAST_NOISE ** 2)
    return Usual(raw * factor, freedom)


def agree(since: Sequence[float], middle: float, change: float) -> bool:
    """Most of the nights SINCE show the CHANGE from MIDDLE."""
    near = sum(abs(value - middle) < abs(change) / 2 for value in since)
    return near <= len(since) * MOST_UNLIKE


def judged_at(series: Series, start: int, night: int, end: int,
              known: Optional[Usual]) -> Optional[Judged]:
    """Return what NIGHT is as the first of those that differ from the ones
    since START, until before END; None when it is no step.  Nights of earlier
    levels are KNOWN to differ so."""
    before, since = series.around(start, night, end)
    loss, gain = Sample({}, (), series.higher_is_better,
                        series.tolerance).allowed()
    change = ranks.median(since) - ranks.median(before)
    # most nights are like those before, which is seen at once
    if -loss <= change <= gain:
        return None
    usual = usual_of(before) or known
    if usual is None:
        return None
    deviation = usual.deviation(len(before), len(since))
    if LOOKS * special.stdtr(usual.freedom, -abs(change) / deviation) \
            >= verdict.FALSE_JOBS:
        return None
    reach = -deviation * special.stdtrit(
        usual.freedom, (1 - verdict.CONFIDENCE) / 2)
    return Judged(night, change, float(reach), unlike([*before, *since])
                  - unlike(before) - unlike(since))


def best_of(series: Series, steps: Sequence[Found], nights: Sequence[int],
            end: int) -> Optional[Judged]:
    """Return the step at one of NIGHTS, before END, that explains most."""
    edges = [0, *(step.night for step, _ in steps)]
    levels = [series.values[first:last]
              for first, last in zip(edges, edges[1:])]
    known = usual_of(max(levels, key=len)) if levels else None
    found = [one for one in (
        judged_at(series, edges[-1], night, end, known) for night in nights
        if min(night - edges[-1], end - night) >= FEWEST_NIGHTS) if one]
    return max(found, key=lambda one: one.weight) if found else None


def reviewed(series: Series, steps: Sequence[Found], end: int) -> list[Found]:
    """Return STEPS, of which the last is judged again with all nights until
    before END; it is dropped, and then the one before, when it is none."""
    left = list(steps)
    while left:
        old, found = left.pop()
        again = best_of(series, left, range(old.night - NEAR,
                                            old.night + NEAR + 1), end)
        if again:
            return [*left, (again, found)]
    return left


def known_after(series: Series, steps: Sequence[Found], end: int
                ) -> list[Found]:
    """Return the steps that are known before END, of STEPS one night ago."""
    known = reviewed(series, steps, end)
    start = known[-1][0].night if known else 0
    new = best_of(series, known, range(max(start, end - MOST_SINCE), end), end)
    if new and agree(series.values[new.night:end], ranks.median(
            series.around(start, new.night, end)[0]), new.estimate):
        known.append((new, end - 1))
    return known


def as_measured(series: Series, one: Judged, found: int) -> Step:
    """Return ONE, found in the night FOUND, with ratios as measured."""
    ratio = math.exp(one.estimate if series.higher_is_better else -one.estimate)
    return Step(one.night, found, one.estimate > 0, ratio,
                ratio * math.exp(-one.reach), ratio * math.exp(one.reach))


def steps_of(values: Sequence[float], higher_is_better: bool,
             tolerance: float) -> list[Step]:
    """Return the steps of VALUES, one for each night; none below 0."""
    sign = 1 if higher_is_better else -1
    series = Series([sign * math.log(max(value, verdict.LEAST))
                     for value in values], higher_is_better, tolerance)
    steps: list[Found] = []
    for end in range(1, len(values) + 1):
        steps = known_after(series, steps, end)
    return [as_measured(series, one, found) for one, found in steps]
