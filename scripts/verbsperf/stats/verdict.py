"""What verbsperf-compare decides, and how many rounds or sessions it would
take.

All of it is in logarithms of ratios, and turned so that more is better: a
change of -0.02 is 2% less bandwidth, or 2% more latency.

A regression is worse than the tolerance with all of its 95% interval, and no
accident: of jobs in which nothing changed, 1% have one at any point (Sidak).  A
point is within the tolerance if its interval excludes what is worse.

Rounds of one session share what evening it was.  Where the base has several
sessions, they tell what all points of a session share and what each point does
on its own.  With one on each side the latter is what points differ by more
than their rounds explain, and the former is in the change.

What all points share is seen in the median of their changes, where most did
not change by themselves.  So a change is none either beside all that a session
may share, or beside what this one seems to.
"""
import functools
import math
from typing import Callable, Iterator, Mapping, NamedTuple, Optional, Sequence

from verbsperf.stats import noise, ranks
from verbsperf.stats.libraries import Floats, numpy, special

WITHIN, REGRESSION = "within tolerance", "regression"
INCONCLUSIVE = "inconclusive"
BETTER = "better by more than the tolerance"
# The interval of a point, and the jobs with a false regression.
CONFIDENCE, FALSE_JOBS = 0.95, 0.01
TOO_FEW = "too few rounds"
MOST_ROUNDS, MOST_SESSIONS = 1000, 100
# What is less is 0, a run in which nothing arrived: it has a logarithm.
LEAST = 1e-9
# The share of repetitions that should decide with the rounds it says: 80%.
POWER_Z = 0.84
# Fewer points do not tell how far they go apart between two sessions, nor do
# all of them when many changed: it is no more than this share of the tolerance.
FEWEST_POINTS, MOST_APART = 10, 0.40
# Of more changes some are enough for their spread; each tells of it so much.
MOST_SPREAD, SPREAD_FREEDOM = 1000, 0.8
# Of shifts that a session may have, in the middle of as many equal parts.
PROBABILITIES = tuple((i + 0.5) / 100 for i in range(100))
# The part of false jobs that is given to the shift that all points seem to
# have; the rest is for those in which it would hide that most points changed.
SEEN_PART = 0.8
# Before there are sessions that tell: what all points of one share, as a share
# of the tolerance, with the weight of as many sessions more.
USUAL_SHIFT, USUAL_WEIGHT = 1 / 20, 1
# Of what two sessions share, with that: one degree of freedom is too few.
LEAST_FREEDOM = 1.5


class Sample(NamedTuple):
    """The values of one point; none below 0."""

    base: Mapping[str, Sequence[float]]     # by session
    new: Sequence[float]
    higher_is_better: bool
    tolerance: float        # 0.02 is 2%
    together: bool = False  # both were measured in one session

    def rounds(self) -> int:
        """Return how many rounds the side with fewer has."""
        return min(len(self.new), sum(map(len, self.base.values())))

    def logs(self) -> list[Floats]:
        """Return the sessions of the base, and then what is new, as
        logarithms that are more when better."""
        sign = 1 if self.higher_is_better else -1
        return [sign * numpy.log(numpy.maximum(values, LEAST))
                for values in (*self.base.values(), self.new)]

    def means(self) -> Floats:
        """Return logarithms of the trimmed means of the same."""
        found: Floats = numpy.log(numpy.maximum(LEAST, [
            ranks.trimmed_mean(values)
            for values in (*self.base.values(), self.new)]))
        return found if self.higher_is_better else -found

    def allowed(self) -> tuple[float, float]:
        """Return (loss, gain) that the tolerance allows, both positive."""
        less, more = -math.log1p(-self.tolerance), math.log1p(self.tolerance)
        return (less, more) if self.higher_is_better else (more, less)


class Level(NamedTuple):
    """What is known of each session of a sample, in their order."""

    means: Floats
    variances: Floats   # of these
    freedom: Floats     # degrees of freedom of those


class Judgement(NamedTuple):
    """What came of a Sample.  Ratios are NEW to BASE as measured."""

    verdict: str
    ratio: float
    low: Optional[float]    # of the 95% interval of the ratio
    high: Optional[float]
    p: Optional[float]      # of no change, two-sided
    adjusted: Optional[float]   # the same, Holm's over all points
    more: Optional[int]     # rounds of each side that it still needs
    sessions: Optional[int]     # of the base, if rounds do not help
    reason: Optional[str]   # why it is not known, or a change for the better


class Between(NamedTuple):
    """How much a point changes from the base to another session without a
    reason, as variances with degrees of freedom."""

    shared: float           # of what all points of a session share
    shared_freedom: float
    own: float              # of what each point does on its own
    own_freedom: float
    is_known: bool          # by several sessions
    # the median change of all points, and its variance; None of too few
    seen: Optional[tuple[float, float]] = None

    @functools.lru_cache(maxsize=8)
    def shifts(self) -> Floats:
        """Return what all points may share, all as probable."""
        if not self.shared:
            return numpy.zeros(1)
        return numpy.asarray(math.sqrt(self.shared) * special.stdtrit(
            self.shared_freedom, PROBABILITIES))


class Change(NamedTuple):
    """The change of one point for the better, and how well it is known."""

    estimate: float
    rounds: float       # variance of it by rounds
    freedom: float      # degrees of freedom of that
    between: Between
    sessions: int       # of the base

    def own(self) -> tuple[float, float]:
        """Return (variance, degrees of freedom) of what is the point's own."""
        parts = ((self.rounds, self.freedom),
                 (self.between.own, self.between.own_freedom))
        return self.rounds + self.between.own, satterthwaite(parts)

    def reach(self, more: float = 0.0) -> float:
        """Return how far the interval reaches, or one of MORE deviations."""
        chance, shared = (1 - CONFIDENCE) / 2, 0.0
        variance, freedom = self.rounds, self.freedom
        if self.between.is_known:
            variance, freedom = self.own()
            shared = math.sqrt(self.between.shared) * -float(
                special.stdtrit(self.between.shared_freedom, chance))
        deviation = math.sqrt(variance)
        reach = math.hypot(shared, deviation * float(
            special.stdtrit(freedom, chance)))
        return reach + more * deviation if more else reach

    def ps(self, family: int) -> tuple[float, float]:
        """Return how probable it is that a point, and that any of FAMILY
        points, changes as much in this direction where nothing changed."""
        shifts, seen = self.between.shifts(), self.between.seen
        found = self.chances(shifts, 0.0, family)
        if seen is not None:
            # no farther than a session may shift
            shift = numpy.clip([math.copysign(1, self.estimate) * seen[0]],
                               shifts[0], shifts[-1])
            near = self.chances(shift, seen[1], family)
            found = numpy.minimum(found / (1 - SEEN_PART), near / SEEN_PART)
        alone, any_of_them = numpy.minimum(found, 1.0).tolist()
        return alone, any_of_them

    def chances(self, shifts: Floats, more: float, family: int) -> Floats:
        """Return the same beside SHIFTS, which are as probable, if these are
        known to a variance of MORE."""
        variance, freedom = self.own()
        alone = special.stdtr(freedom, (shifts - abs(self.estimate))
                              / math.sqrt(variance + more))
        any_of_them = 1 - (1 - alone) ** family
        # what is left of 1 is not exact
        small = alone < 1e-9
        any_of_them[small] = family * alone[small]
        return numpy.array([alone.mean(), any_of_them.mean()])

    def after(self, rounds: float, sessions: int) -> "Change":
        """Return it with ROUNDS times as many and SESSIONS of the base."""
        less, old = (1 + 1 / sessions) / (1 + 1 / self.sessions), self.between
        return self._replace(rounds=self.rounds / rounds, between=old._replace(
            shared=old.shared * less, own=old.own * less,
            shared_freedom=old.shared_freedom + sessions - self.sessions))


NOTHING = Between(0.0, noise.MOST_FREEDOM, 0.0, noise.MOST_FREEDOM, False)


def satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """Return the degrees of freedom of the sum of PARTS, (variance, its)."""
    total = sum(variance for variance, _ in parts)
    return total ** 2 / sum(variance ** 2 / freedom
                            for variance, freedom in parts)


def spread_of(values: Floats) -> float:
    """Return the standard deviation of VALUES, if most of them are normal: Qn
    of Rousseeuw and Croux (1993), a quantile of their differences."""
    values = values[::-(-len(values) // MOST_SPREAD)]
    n, half = len(values), len(values) // 2 + 1
    differences = numpy.abs(values - values[:, None])[numpy.triu_indices(n, 1)]
    place = half * (half - 1) // 2 - 1
    return float(numpy.partition(differences, place)[place]
                 * 2.2219 * n / (n + (1.4 if n % 2 else 3.8)))


def apart(values: Floats, by_rounds: float, tolerance: float) -> float:
    """Return by what variance changes VALUES differ more than BY_ROUNDS."""
    if len(values) < FEWEST_POINTS:
        return 0.0
    return min(max(0.0, spread_of(values) ** 2 - by_rounds),
               (MOST_APART * tolerance) ** 2)


def seen_of(values: Floats) -> Optional[tuple[float, float]]:
    """Return (what all changes VALUES seem to share, its variance)."""
    if len(values) < FEWEST_POINTS:
        return None
    return (float(numpy.median(values)),
            math.pi / 2 * spread_of(values) ** 2 / len(values))


def between_of(samples: Sequence[Sample], levels: Sequence[Level],
               tolerance: float) -> Between:
    """Return how the base's sessions of SAMPLES differ, by their LEVELS."""
    names = list(dict.fromkeys(name for one in samples for name in one.base))
    table = numpy.full((len(samples), len(names)), numpy.nan)
    for row, sample, found in zip(table, samples, levels):
        row[[names.index(name) for name in sample.base]] = found.means[:-1]
    table = table[(~numpy.isnan(table)).sum(axis=1) > 1]
    away = table - numpy.nanmean(table, axis=1, keepdims=True)
    shifts = numpy.nanmean(away, axis=0)
    free, left = len(names) - 1, (len(table) - 1) * (len(names) - 1)
    shared = ((USUAL_SHIFT * tolerance) ** 2 * USUAL_WEIGHT
              + numpy.nansum(shifts ** 2)) / (free + USUAL_WEIGHT)
    square = numpy.nansum((away - shifts) ** 2) / max(left, 1)
    by_rounds = numpy.mean([found.variances[:-1].mean() for found in levels])
    return Between(float(shared), max(LEAST_FREEDOM, free),
                   max(0.0, float(square - by_rounds)), max(left, 1), True)


def change_of(means: Floats) -> float:
    """Return the change from the base's MEANS to the last."""
    return float(means[-1] - means[:-1].mean())


def first_change(found: Level) -> Change:
    """Return the change from the base's means FOUND, as rounds tell it."""
    count = len(found.means) - 1
    weights = numpy.array([1 / count ** 2] * count + [1.0])
    parts = found.variances * weights
    return Change(change_of(found.means), float(parts.sum()),
                  satterthwaite([*zip(parts, found.freedom)]), NOTHING, count)


def changes_of(samples: Sequence[Sample]) -> list[Change]:
    """Return the change of each of SAMPLES, which are of one kind."""
    logs = [sample.logs() for sample in samples]
    every = noise.noise_of([one for each in logs for one in each])
    ends = numpy.cumsum([len(each) for each in logs])[:-1]
    levels = [Level(sample.means(), *parts) for sample, *parts in zip(
        samples, *(numpy.split(one, ends) for one in every[:2]))]
    changes = [first_change(found) for found in levels]
    if samples[0].together:
        return changes
    tolerance = samples[0].tolerance
    values = numpy.array([change.estimate for change in changes])
    seen = seen_of(values)
    if any(change.sessions > 1 for change in changes):
        between = between_of(samples, levels, tolerance)
        return [change._replace(between=between._replace(
            shared=between.shared * (1 + 1 / change.sessions),
            own=between.own * (1 + 1 / change.sessions), seen=seen))
            for change in changes]
    by_rounds = float(numpy.mean([one.rounds for one in changes]))
    own = apart(values, by_rounds, tolerance)
    between = Between((MOST_APART * tolerance) ** 2, noise.MOST_FREEDOM, own,
                      SPREAD_FREEDOM * len(changes), False, seen)
    return [change._replace(between=between) for change in changes]


def decide(change: Change, adjusted: float, loss: float, gain: float
           ) -> tuple[str, Optional[str]]:
    """Return (verdict, reason) of one point, see verbsperf-compare(1)."""
    reach = change.reach()
    if change.estimate + reach < -loss:
        if adjusted < FALSE_JOBS:
            return REGRESSION, None
        return INCONCLUSIVE, (f"worse, but perhaps by chance: p is not below "
                              f"{FALSE_JOBS:g}")
    if change.estimate - reach < -loss:
        return INCONCLUSIVE, "the interval reaches across the tolerance"
    if change.estimate - reach > gain and adjusted < FALSE_JOBS:
        return WITHIN, BETTER
    return WITHIN, None


def would_decide(change: Change, loss: float, family: int) -> bool:
    """As much noise probably lets the estimate of CHANGE be judged."""
    reach = change.reach(POWER_Z)
    if change.estimate >= -loss:
        return change.estimate - reach >= -loss
    worse = change.estimate + POWER_Z * math.sqrt(change.own()[0])
    return (change.estimate + reach < -loss and worse < 0
            and change._replace(estimate=worse).ps(family)[1] < FALSE_JOBS)


def first(low: int, high: int, holds: Callable[[int], bool]) -> Optional[int]:
    """Return the first from LOW to HIGH for which it HOLDS, as then it does
    for all that follow; None when there is none."""
    if not holds(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def needed(sample: Sample, change: Change, family: int
           ) -> tuple[Optional[int], Optional[int]]:
    """Return how many (rounds of each side, sessions of the base) more
    probably decide; the latter when no rounds do, and None when neither."""
    loss, have = sample.allowed()[0], sample.rounds()
    count = change.sessions
    more = first(1, max(1, MOST_ROUNDS - have), lambda more: would_decide(
        change.after(1 + more / have, count), loss, family))
    if more or sample.together or not change.between.is_known:
        return more or MOST_ROUNDS, None
    return None, first(1, MOST_SESSIONS, lambda more: would_decide(
        change.after((count + more) / count, count + more), loss, family))


def as_measured(sample: Sample, change: Change) -> tuple[float, float, float]:
    """Return (estimate, low, high) of CHANGE as ratios of NEW to BASE."""
    sign, reach = 1 if sample.higher_is_better else -1, change.reach()
    middle = math.exp(sign * change.estimate)
    return middle, middle * math.exp(-reach), middle * math.exp(reach)


def judged(sample: Sample, change: Change, family: int) -> Judgement:
    """Return the Judgement of SAMPLE, one of FAMILY, of its CHANGE."""
    p, adjusted = change.ps(family)
    verdict, reason = decide(change, adjusted, *sample.allowed())
    more, sessions = None, None
    if verdict == INCONCLUSIVE:
        more, sessions = needed(sample, change, family)
    return Judgement(verdict, *as_measured(sample, change), p,
                     adjusted, more, sessions, reason)


def too_few(sample: Sample) -> Judgement:
    """Return the Judgement of SAMPLE, whose rounds are too few for one."""
    have, change = sample.rounds(), change_of(sample.means())
    return Judgement(INCONCLUSIVE, math.exp(
        change if sample.higher_is_better else -change), None, None, None,
        None, ranks.FEWEST_ROUNDS - have, None,
        f"{TOO_FEW}, {have} of at least {ranks.FEWEST_ROUNDS}")


def kind_of(sample: Sample) -> tuple[bool, float, bool]:
    """Return what samples have alike that are of one kind."""
    return sample.higher_is_better, sample.tolerance, sample.together


def judge(samples: Sequence[Sample], directions: int = 1) -> list[Judgement]:
    """Judge SAMPLES, in their order, each kind by its own noise; those with
    too few rounds are inconclusive.  Changes in both DIRECTIONS may be
    meant."""
    enough = [i for i, one in enumerate(samples)
              if one.rounds() >= ranks.FEWEST_ROUNDS]
    found: dict[int, Change] = {}
    for kind in set(map(kind_of, (samples[i] for i in enough))):
        own = [i for i in enough if kind_of(samples[i]) == kind]
        found.update(zip(own, changes_of([samples[i] for i in own])))
    return [judged(sample, found[i], directions * len(found)) if i in found
            else too_few(sample) for i, sample in enumerate(samples)]


def remarks(sample: Sample) -> Iterator[str]:
    """Yield what there is to say of the values of SAMPLE."""
    every = [*sample.base.values(), sample.new]
    rounds = sum(map(len, every))
    different = sum(len(set(values)) for values in every)
    if sample.rounds() < ranks.FEWEST_ROUNDS:
        return
    if all(len(set(values)) == 1 for values in every):
        yield "no spread: all rounds of a session have the same value"
    elif different <= rounds / 2:
        yield f"ties: {different} different values in {rounds} rounds"


def needed_text(rounds: Optional[int], sessions: Optional[int],
                reason: str = "") -> str:
    """Say how many more ROUNDS of each side or SESSIONS of BASE decide; before
    the fewest, which REASON says, nothing tells."""
    if reason.startswith(TOO_FEW):
        return f"{rounds} more allow{'s' if rounds == 1 else ''} a verdict"
    if sessions:
        words = ("sessions of BASE decide" if sessions > 1
                 else "session of BASE decides")
        return f"about {sessions} more {words}"
    if rounds is None:
        return "no more rounds decide: measure both in alternation"
    if rounds > 500:
        return "over 500 more rounds decide"
    words = "rounds decide" if rounds > 1 else "round decides"
    return f"about {rounds} more {words}"
