"""What verbsperf-compare decides, and how many rounds it would take.

All of it is in logarithms of ratios, and turned so that more is better: a
change of -0.02 is 2% less bandwidth, or 2% more latency.
"""
import math
from typing import List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.stats import ranks

OK, REGRESSION = "ok", "regression"
IMPROVEMENT, INCONCLUSIVE = "improvement", "inconclusive"
# No verdict is made of fewer values of either side, however clear.
FEWEST_ROUNDS = 5
MOST_ROUNDS = 1000
# What is less is 0, a run in which nothing arrived: it has a logarithm.
LEAST = 1e-9
# The share of repetitions that should decide with the rounds it says: 80%.
POWER_Z = ranks.NORMAL.inv_cdf(0.8)


class Sample(NamedTuple):
    """The values of one point; none below 0."""

    base: Sequence[float]
    new: Sequence[float]
    higher_is_better: bool
    tolerance: float  # 0.02 is 2%
    lacking: Optional[str] = None  # a sentence, where rounds have no value

    def rounds(self) -> int:
        """Return how many rounds both sides have."""
        return min(len(self.base), len(self.new))


class Judgement(NamedTuple):
    """What came of a Sample.  Ratios are NEW to BASE as measured."""

    verdict: str
    ratio: float
    low: Optional[float]    # of the 95% interval of the ratio
    high: Optional[float]
    p: float                # Mann-Whitney's, two-sided
    adjusted: float         # the same, Holm's over all points
    more: Optional[int]     # rounds that it still needs to be decided
    reason: Optional[str]   # why it is not known, or why a change is none


class Change(NamedTuple):
    """The change for the better, and its interval when it is known."""

    estimate: float
    low: Optional[float]
    high: Optional[float]


def change_of(sample: Sample) -> Change:
    """Estimate the change by Hodges and Lehmann, in logarithms."""
    base, new = ([math.log(max(value, LEAST)) for value in values]
                 for values in (sample.base, sample.new))
    if not sample.higher_is_better:
        base, new = new, base
    return Change(*ranks.hodges_lehmann(base, new))


def allowed(sample: Sample) -> Tuple[float, float]:
    """Return (loss, gain) that the tolerance allows, both positive."""
    worse, better = math.log1p(-sample.tolerance), math.log1p(sample.tolerance)
    if sample.higher_is_better:
        return -worse, better
    return better, -worse


def decide(change: Change, adjusted: float, loss: float, gain: float
           ) -> Tuple[str, Optional[str]]:
    """Return (verdict, reason) of one point, see verbsperf-compare(1)."""
    sure = adjusted < ranks.ALPHA
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


def too_few(sample: Sample, verdict: str, family: int) -> Optional[str]:
    """Return a reason to be inconclusive whatever the values are, or None."""
    have, needed = sample.rounds(), FEWEST_ROUNDS
    points = ""
    if verdict == INCONCLUSIVE:
        needed = fewest_rounds(family)
        points = f" for {family} points" if family > 1 else ""
    if have >= needed:
        return None
    if sample.lacking:
        return f"{sample.lacking}, at least {needed} are needed{points}"
    return f"too few rounds, {have} of at least {needed}{points}"


def fewest_rounds(family: int) -> int:
    """Return how many rounds of each side Holm's method needs for FAMILY
    tests."""
    n = FEWEST_ROUNDS
    while ranks.smallest_p(n, n) * family >= ranks.ALPHA:
        n += 1
    return n


def rounds_for_proof(sample: Sample, p: float, family: int) -> float:
    """Return after how many rounds of each side the loss is probably
    significant."""
    if (max(sample.base) < min(sample.new)
            or max(sample.new) < min(sample.base)):
        return 0
    seen = ranks.NORMAL.inv_cdf(1 - min(p, 0.999) / 2)
    needed = ranks.NORMAL.inv_cdf(1 - ranks.ALPHA / (2 * family)) + POWER_Z
    return float(sample.rounds() * (needed / seen) ** 2)


def rounds_for_interval(sample: Sample, change: Change, loss: float) -> float:
    """Return after how many rounds of each side the interval is probably
    narrow enough."""
    if change.low is None:
        return 0
    room = loss + max(change.estimate, 0)
    if not room:
        return math.inf
    z = ranks.NORMAL.inv_cdf(1 - ranks.ALPHA / 2)
    half = (change.estimate - change.low) * (1 + POWER_Z / z)
    return float(sample.rounds() * (half / room) ** 2)


def more_rounds(sample: Sample, change: Change, p: float, family: int) -> int:
    """Return how many more rounds of each it probably takes to decide."""
    loss, _ = allowed(sample)
    if change.estimate < -loss:
        total = rounds_for_proof(sample, p, family)
    else:
        total = rounds_for_interval(sample, change, loss)
    total = min(max(total, fewest_rounds(family)), MOST_ROUNDS)
    return max(1, math.ceil(total) - sample.rounds())


def as_measured(sample: Sample, change: Change) -> Change:
    """Return CHANGE as ratios of NEW to BASE, whichever is better."""
    low, high, sign = change.low, change.high, 1
    if not sample.higher_is_better:
        low, high, sign = high, low, -1
    return Change(math.exp(sign * change.estimate),
                  None if low is None else math.exp(sign * low),
                  None if high is None else math.exp(sign * high))


def judge_one(sample: Sample, p: float, adjusted: float, family: int
              ) -> Judgement:
    """Return the Judgement of one point of a matrix of FAMILY points."""
    change = change_of(sample)
    verdict, reason = decide(change, adjusted, *allowed(sample))
    few = too_few(sample, verdict, family)
    if few:
        verdict, reason = INCONCLUSIVE, few
    more = None
    if verdict == INCONCLUSIVE:
        more = more_rounds(sample, change, p, family)
    return Judgement(verdict, *as_measured(sample, change), p, adjusted, more,
                     reason)


def judge(samples: Sequence[Sample]) -> List[Judgement]:
    """Judge SAMPLES, in their order."""
    ps = [ranks.mann_whitney(sample.base, sample.new) for sample in samples]
    return [judge_one(sample, p, adjusted, len(samples))
            for sample, p, adjusted in zip(samples, ps, ranks.holm(ps))]


def rounds_text(more: int) -> str:
    """Say how many more rounds are needed, as far as that is known."""
    if more > 500:
        return "over 500 more rounds"
    return f"about {more} more round" + ("s" if more > 1 else "")
