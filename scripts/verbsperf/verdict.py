"""What verbsperf-compare decides, and how many rounds it would take.

All of it is in logarithms of ratios, and turned so that more is better: a
change of -0.02 is 2% less bandwidth, or 2% more latency.
"""
import math
import typing

from verbsperf import stats

OK, REGRESSION = "ok", "regression"
IMPROVEMENT, INCONCLUSIVE = "improvement", "inconclusive"
# No verdict is made of fewer values of either side, however clear.
FEWEST_ROUNDS = 5
MOST_ROUNDS = 1000
# What is less is 0, a run in which nothing arrived: it has a logarithm.
LEAST = 1e-9
# The share of repetitions that should decide with the rounds it says: 80%.
POWER_Z = stats.NORMAL.inv_cdf(0.8)


class Sample(typing.NamedTuple):
    """The values of one point; none below 0."""

    base: list
    new: list
    higher_is_better: bool
    tolerance: float  # 0.02 is 2%
    lacking: str = None  # a sentence, where rounds have no value


class Judgement(typing.NamedTuple):
    """What came of a Sample.  Ratios are NEW to BASE as measured."""

    verdict: str
    ratio: float
    low: float       # of the 95% interval of the ratio, or None
    high: float
    p: float         # Mann-Whitney's, two-sided
    adjusted: float  # the same, Holm's over all points
    more: int        # rounds that it needs still; None when it is decided
    reason: str      # why it is not known, or why a change is none; or None


class Change(typing.NamedTuple):
    """The change for the better, and the interval or None."""

    estimate: float
    low: float
    high: float


def change_of(sample):
    """Hodges' and Lehmann's estimate, of logarithms."""
    base, new = ([math.log(max(value, LEAST)) for value in values]
                 for values in (sample.base, sample.new))
    if not sample.higher_is_better:
        base, new = new, base
    return Change(*stats.hodges_lehmann(base, new))


def allowed(sample):
    """(loss, gain) that the tolerance allows, both positive."""
    worse, better = math.log1p(-sample.tolerance), math.log1p(sample.tolerance)
    if sample.higher_is_better:
        return -worse, better
    return better, -worse


def decide(change, adjusted, loss, gain):
    """(verdict, reason) of one point, see verbsperf-compare(1)."""
    sure = adjusted < stats.ALPHA
    if sure and change.estimate < -loss:
        return REGRESSION, None
    if sure and change.estimate > gain:
        return IMPROVEMENT, None
    if change.estimate < -loss:
        return INCONCLUSIVE, "beyond the tolerance, but maybe by chance"
    # known well enough: such a loss would have been seen
    if (change.low is not None
            and change.low >= min(change.estimate, 0) - loss):
        return OK, "within the tolerance" if sure else None
    return INCONCLUSIVE, "the interval reaches beyond the tolerance"


def too_few(sample, verdict, family):
    """A reason to be inconclusive whatever the values are, or None."""
    have, needed = min(len(sample.base), len(sample.new)), FEWEST_ROUNDS
    points = ""
    if verdict == INCONCLUSIVE:
        needed = fewest_rounds(family)
        points = f" for {family} points" if family > 1 else ""
    if have >= needed:
        return None
    if sample.lacking:
        return f"{sample.lacking}, at least {needed} are needed{points}"
    return f"too few rounds, {have} of at least {needed}{points}"


def fewest_rounds(family):
    """Rounds of each from which on Holm can be convinced, of FAMILY tests."""
    n = FEWEST_ROUNDS
    while stats.smallest_p(n, n) * family >= stats.ALPHA:
        n += 1
    return n


def rounds_for_proof(sample, p, family):
    """Rounds of each after which such a loss is probably significant."""
    if (max(sample.base) < min(sample.new)
            or max(sample.new) < min(sample.base)):
        return 0
    seen = stats.NORMAL.inv_cdf(1 - min(p, 0.999) / 2)
    needed = stats.NORMAL.inv_cdf(1 - stats.ALPHA / (2 * family)) + POWER_Z
    return min(len(sample.base), len(sample.new)) * (needed / seen) ** 2


def rounds_for_interval(sample, change, loss):
    """Rounds of each after which the interval is probably narrow enough."""
    if change.low is None:
        return 0
    room = loss + max(change.estimate, 0)
    if not room:
        return math.inf
    z = stats.NORMAL.inv_cdf(1 - stats.ALPHA / 2)
    half = (change.estimate - change.low) * (1 + POWER_Z / z)
    return min(len(sample.base), len(sample.new)) * (half / room) ** 2


def more_rounds(sample, change, p, family):
    """How many more rounds of each it probably takes to decide."""
    loss, _ = allowed(sample)
    if change.estimate < -loss:
        total = rounds_for_proof(sample, p, family)
    else:
        total = rounds_for_interval(sample, change, loss)
    total = min(max(total, fewest_rounds(family)), MOST_ROUNDS)
    have = min(len(sample.base), len(sample.new))
    return max(1, math.ceil(total) - have)


def judge_one(sample, change, p, adjusted, family):
    """The Judgement of one point of a matrix of FAMILY points."""
    verdict, reason = decide(change, adjusted, *allowed(sample))
    few = too_few(sample, verdict, family)
    if few:
        verdict, reason = INCONCLUSIVE, few
    ends = [change.estimate, change.low, change.high]
    if not sample.higher_is_better:
        ends = [None if end is None else -end
                for end in (change.estimate, change.high, change.low)]
    ratios = [None if end is None else math.exp(end) for end in ends]
    more = None
    if verdict == INCONCLUSIVE:
        more = more_rounds(sample, change, p, family)
    return Judgement(verdict, *ratios, p, adjusted, more, reason)


def judge(samples):
    """The Judgements of SAMPLES, in their order."""
    ps = [stats.mann_whitney(sample.base, sample.new) for sample in samples]
    return [judge_one(sample, change_of(sample), p, adjusted, len(samples))
            for sample, p, adjusted in zip(samples, ps, stats.holm(ps))]
