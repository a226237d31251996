"""Verdicts on simulated results, whose truth is known."""
import math
import random

import pytest

from verbsperf.stats import verdict
from verbsperf.stats.verdict import Sample, judge


def matrix(source, points, rounds, noise, losses=0, loss=0.03):
    """POINTS samples, LOSSES of them of a new version that is slower."""
    def values(factor):
        return [100 * factor * math.exp(source.gauss(0, noise))
                for _ in range(rounds)]
    return [Sample(values(1), values(1 - loss if i < losses else 1), True,
                   0.02) for i in range(points)]


def verdicts_of(samples):
    return [judgement.verdict for judgement in judge(samples)]


def test_identical_gives_no_false_alarm():
    """1,000 comparisons of 20 points: fewer than 5% name any of them."""
    source = random.Random(20)
    alarms = undecided = 0
    for _ in range(1000):
        found = verdicts_of(matrix(source, 20, 10, 0.01))
        alarms += any(v in ("regression", "improvement") for v in found)
        undecided += "inconclusive" in found
    assert alarms < 50 and undecided < 50


def test_noise_beyond_the_tolerance_gives_no_false_alarm():
    """It is Holm that holds then, as the tolerance does not."""
    source = random.Random(21)
    alarms = sum(any(v in ("regression", "improvement") for v in
                     verdicts_of(matrix(source, 20, 10, 0.2)))
                 for _ in range(300))
    assert alarms < 0.07 * 300


@pytest.mark.parametrize("points", [1, 20])
def test_true_loss_is_found(points):
    """3% with 1% noise and 10 rounds, at one of the points: over 95%."""
    source = random.Random(points)
    found = [verdicts_of(matrix(source, points, 10, 0.01, losses=1))
             for _ in range(300)]
    assert sum(one[0] == "regression" for one in found) > 0.95 * 300
    assert not any("regression" in one[1:] for one in found)


def test_rounds_that_are_said_are_enough():
    """With so many more, most are decided."""
    source = random.Random(3)
    decided = tried = 0
    for noise, losses in ((0.03, 0), (0.06, 20)):
        first = judge(matrix(source, 20, 6, noise, losses, 0.08))
        for judgement in first:
            if judgement.more is None:
                continue
            again = matrix(source, 20, 6 + judgement.more, noise, losses, 0.08)
            tried += 20
            decided += 20 - verdicts_of(again).count("inconclusive")
    assert tried > 100 and decided > 0.7 * tried


STEADY = [100, 100.1, 100.2, 99.9, 99.8, 100.3]


def shifted(factor):
    return [value * factor for value in STEADY]


@pytest.mark.parametrize("factor, higher, wanted", [
    (0.97, True, "regression"), (1.03, True, "improvement"),
    (0.99, True, "ok"), (1.01, True, "ok"),
    (1.03, False, "regression"), (0.97, False, "improvement"),
    (1.01, False, "ok"), (0.99, False, "ok")])
def test_direction_and_tolerance(factor, higher, wanted):
    got = judge([Sample(STEADY, shifted(factor), higher, 0.02)])[0]
    assert got.verdict == wanted and got.more is None
    assert got.ratio == pytest.approx(factor, rel=1e-3)
    assert got.low < got.ratio < got.high


def test_few_rounds_are_inconclusive():
    got = judge([Sample([100, 101, 102], [50, 51, 52], True, 0.02)])[0]
    assert (got.verdict, got.more, got.low) == ("inconclusive", 2, None)


def test_holm_needs_more_rounds_of_more_points():
    """5 rounds show nothing in a matrix of 20, however large; 6 do."""
    assert [verdict.fewest_rounds(n) for n in (1, 6, 20, 200)] == [5, 5, 6, 8]
    for n, wanted, more in ((5, "inconclusive", 1), (6, "regression", None)):
        lost = Sample(STEADY[:n], shifted(0.5)[:n], True, 0.02)
        got = judge([lost] * 20)
        assert {j.verdict for j in got} == {wanted}
        assert {j.more for j in got} == {more}


def test_a_wide_interval_is_inconclusive():
    base = [90, 95, 100, 105, 110, 98]
    got = judge([Sample(base, base, True, 0.02)])[0]
    assert got.verdict == "inconclusive" and got.more > 20
    assert judge([Sample(base, base, True, 0.30)])[0].verdict == "ok"


def test_no_tolerance_never_ends():
    """No change at all cannot be shown; the number stays a number."""
    got = judge([Sample(STEADY, STEADY, True, 0)])[0]
    assert got.verdict == "inconclusive"
    assert got.more == verdict.MOST_ROUNDS - 6
