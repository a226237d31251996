"""Verdicts on simulated results, whose truth is known: the simulations of
tests/bench/verdicts.py, short."""
import math
import pathlib
import re
import sys

import numpy
import pytest

from verbsperf.plot import curves
from verbsperf.stats import ranks, verdict
from verbsperf.stats.verdict import Sample, judge

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "tests/bench"))
import verdicts as bench  # noqa: E402

# How documents say how many rounds something needs.
NUMBERS = re.compile(r"(?:at\s+least|fewer\s+than|for)\s+(\w+)\s+(?:rounds|"
                     r"values)\b", re.IGNORECASE)
STEADY = [100, 100.1, 100.2, 99.9, 99.8, 100.3]


def verdicts_of(samples):
    return [judgement.verdict for judgement in judge(samples)]


def sample(base, new, higher=True, tolerance=0.02, together=True):
    return Sample({"": base}, new, higher, tolerance, together)


def shifted(factor, n=6):
    return [value * factor for value in STEADY[:n]]


@pytest.mark.parametrize("noise, shift, own, lag", [
    (0.01, 0, 0, 0.7), (0.01, 0.005, 0, 0.5), (0.002, 0, 0.005, 0.5),
    (0.03, 0, 0.005, 0.5)])
def test_a_job_in_which_nothing_changed(noise, shift, own, lag):
    """Has no regression, whatever rounds and points share; 1 of 100 may."""
    source = numpy.random.RandomState(7)
    cell = noise, shift, own, lag, 1, 10
    assert sum(any(bench.regressions(bench.job(source, cell)))
               for _ in range(20)) <= 1


@pytest.mark.parametrize("noise, rounds", [(0.002, 10), (0.03, 10), (0.01, 6)])
def test_a_loss_is_found_among_110_points(noise, rounds):
    source = numpy.random.RandomState(8)
    cell = noise, 0, 0, 0, 1, rounds
    found = [bench.regressions(bench.job(source, cell, 0.02 + 4 * noise))
             for _ in range(10)]
    assert all(one[0] for one in found)
    assert not any(any(one[1:]) for one in found)


def test_a_regression_is_worse_than_the_tolerance():
    """A loss of 1.5% of which all are sure is within 2%."""
    source = numpy.random.RandomState(9)
    found = verdicts_of(bench.job(source, (0.002, 0, 0, 0, 1, 10), 0.015))
    assert found[0] == "within tolerance"


def test_within_tolerance_excludes_what_is_worse():
    """A true loss of 3% is never called within 2%."""
    source, found = numpy.random.RandomState(10), []
    for noise in (0.005, 0.01, 0.03):
        found += verdicts_of([sample(
            [*(100 * numpy.exp(source.normal(0, noise, 10)))],
            [*(97 * numpy.exp(source.normal(0, noise, 10)))])
            for _ in range(200)])
    assert found.count("within tolerance") <= 6


def sessions(shift, own, count, loss=0.05, noise=0.002):
    cell = noise, shift, own, 0, count, 10
    return judge(bench.job(numpy.random.RandomState(11), cell, loss, 20))


def test_sessions_of_the_base_widen_the_interval():
    """By what all points of a session share, and by what each does."""
    def width(found):
        return numpy.mean([one.high - one.low for one in found])
    steady = width(sessions(0, 0, 5))
    assert width(sessions(0.01, 0, 5)) > 3 * steady
    assert width(sessions(0, 0.01, 5)) > 3 * steady
    assert sessions(0, 0, 5)[0].verdict == "regression"
    # two sessions tell little of how much they differ
    assert width(sessions(0.003, 0, 2)) > width(sessions(0.003, 0, 8))


def test_a_base_of_sessions_is_their_mean():
    base = {"a": [100] * 6, "b": [104] * 6}
    found, = judge([Sample(base, [100] * 6, True, 0.02)])
    assert found.ratio == pytest.approx((100 / 104) ** 0.5)


def test_points_that_miss_in_a_session():
    every = [Sample({"a": STEADY, "b": shifted(1.01)}, STEADY, True, 0.05),
             Sample({"b": STEADY}, shifted(0.8), True, 0.05)]
    assert verdicts_of(every)[1] == "regression"


def test_more_sessions_are_said_where_rounds_do_not_help():
    found = sessions(0.01, 0, 3, 0.03)[0]
    assert (found.verdict, found.more) == ("inconclusive", None)
    assert "in alternation" in verdict.needed_text(None, None)
    assert verdict.needed_text(None, 4).startswith("about 4 more sessions")
    assert verdict.needed_text(None, 1) == (
        "about 1 more session of BASE decides")
    some = sessions(0.004, 0, 3, 0.045)[0]
    assert (some.verdict, some.more) == ("inconclusive", None)
    assert 1 <= some.sessions < 30


def test_rounds_that_are_said_are_enough():
    """With so many more, most are decided."""
    source, decided, tried = numpy.random.RandomState(12), 0, 0
    cell = 0.02, 0, 0, 0, 1, 6
    for one in judge(bench.job(source, cell, 0, 24)):
        if one.more and one.more < 100:
            # of few numbers: what is normal of each is simulated first
            rounds = math.ceil((6 + one.more) / 20) * 20
            again = bench.job(source, (*cell[:5], rounds), 1 - one.ratio, 8)
            tried += 1
            decided += verdicts_of(again)[0] != "inconclusive"
    assert tried > 6 and decided >= 0.5 * tried


@pytest.mark.parametrize("factor, higher, wanted, reason", [
    (0.97, True, "regression", None), (1.03, False, "regression", None),
    (1.03, True, "within tolerance", verdict.BETTER),
    (0.97, False, "within tolerance", verdict.BETTER),
    (0.99, True, "within tolerance", None),
    (1.01, False, "within tolerance", None)])
def test_direction_and_tolerance(factor, higher, wanted, reason):
    got, = judge([sample(STEADY, shifted(factor), higher)])
    assert (got.verdict, got.reason, got.more) == (wanted, reason, None)
    assert got.ratio == pytest.approx(factor, rel=1e-6)
    assert got.low < got.ratio < got.high


def test_the_ratio_is_that_of_the_trimmed_means():
    base, new = [1, 40, 40, 60, 60, 99], [30, 30, 30, 90, 90, 90]
    assert judge([sample(base, new)])[0].ratio == pytest.approx(60 / 50)


def test_few_rounds_are_inconclusive():
    got, = judge([sample([100, 101, 102], [50, 51, 52])])
    assert (got.verdict, got.more, got.low) == ("inconclusive", 3, None)
    assert got.reason == "too few rounds, 3 of at least 6"


def test_the_fewest_rounds_are_the_same_everywhere():
    """For a verdict, an interval by noise and one by order alone; and the
    documents say so, wherever they say how many."""
    few = ranks.FEWEST_ROUNDS
    for n in (few - 1, few):
        enough = n == few
        assert bool(ranks.median_interval(STEADY[:n])) == enough
        assert bool(curves.intervals_of({1: STEADY[:n]})) == enough
        got, = judge([sample(STEADY[:n], shifted(0.5, n))])
        assert (got.low is not None) == enough
        assert (got.verdict == "regression") == enough
    said = {}
    for path in [*TOP.glob("doc/*.md"), *TOP.glob("man/*.in")]:
        said[path.name] = NUMBERS.findall(path.read_text())
    assert {"roce-infiniband.md", "verbsperf-compare.1.in",
            "verbsperf-plot.1.in", "verbsperf-sweep.1.in"} <= {
                name for name, found in said.items() if found}
    assert {number for found in said.values() for number in found} == {
        str(few)}


def test_two_clusters_are_no_verdict():
    """However the medians of a few rounds fall."""
    base = [100, 90, 100, 90, 100, 90, 100, 90, 100, 100]
    new = [90, 100, 90, 100, 90, 100, 90, 100, 90, 90]
    assert judge([sample(base, new)])[0].verdict == "inconclusive"


def test_a_wide_interval_is_inconclusive():
    base = [90, 95, 100, 105, 110, 98]
    got, = judge([sample(base, base)])
    assert got.verdict == "inconclusive" and got.more > 20
    assert verdicts_of([sample(base, base, tolerance=0.5)]) \
        == ["within tolerance"]


def test_no_tolerance_never_ends():
    """No change at all cannot be shown; the number stays a number."""
    got, = judge([sample(STEADY, STEADY, tolerance=0)])
    assert (got.verdict, got.more) == ("inconclusive", verdict.MOST_ROUNDS)
    assert verdict.needed_text(got.more, None).startswith("over 500")


def test_nothing_arrived():
    assert verdicts_of([sample(STEADY, [0.0] * 6)]) == ["regression"]
    assert verdicts_of([sample([0.0] * 6, [0.0] * 6)]) == ["within tolerance"]


def test_what_is_said_of_rounds():
    assert [verdict.needed_text(n, None) for n in (1, 2, 501)] == [
        "about 1 more round decides", "about 2 more rounds decide",
        "over 500 more rounds decide"]
    assert [verdict.needed_text(n, None, "too few rounds") for n in (1, 2)] \
        == ["1 more allows a verdict", "2 more allow a verdict"]


def test_what_is_said_of_values():
    def said(base, new):
        return " ".join(verdict.remarks(sample(base, new)))
    assert said([1, 2] * 3, [1, 2] * 3) == "ties: 4 different values in 12 " \
        "rounds"
    assert said(STEADY, STEADY) == said(STEADY, shifted(1.1)) == ""
    assert said([1] * 6, [2] * 6) == "no spread: all rounds of a session " \
        "have the same value"
    assert said([1], [1]) == ""


def test_two_alike_set_ups_are_not_ahead():
    source = numpy.random.RandomState(13)
    assert sum(bench.ahead_somewhere(source, *case)
               for case in bench.SETUPS for _ in range(10)) <= 2


def test_until_ci_keeps_its_promise():
    source = numpy.random.RandomState(14)
    for noise, most in ((0.02, 30), (0.05, 200)):
        found = [bench.measured_until(source, noise, most)
                 for _ in range(100)]
        good = [abs(one[1] / 100 - 1) < 0.02 for one in found if one[2]]
        assert len(good) > 70 and sum(good) >= 0.95 * len(good)


def test_how_sessions_differ():
    """By hand: two sessions of three points, apart by 2, 4 and 0%."""
    levels = [verdict.Level(numpy.array([0, apart, 0]), numpy.full(3, 1e-5),
                            numpy.full(3, 9.0)) for apart in (0.02, 0.04, 0)]
    samples = [Sample({"a": [], "b": []}, [], True, 0.02)] * 3
    found = verdict.between_of(samples, levels, 0.02)
    assert found.shared == pytest.approx((0.001 ** 2 + 2 * 0.01 ** 2) / 2)
    assert found.own == pytest.approx(4 * 0.01 ** 2 / 2 - 1e-5)
    assert (found.shared_freedom, found.own_freedom) == (1.5, 2)


def test_the_sum_of_variances_has_their_freedom():
    assert verdict.satterthwaite([(1, 5), (1, 5)]) == pytest.approx(10)
    assert verdict.satterthwaite([(1, 5), (0, 99)]) == pytest.approx(5)
    assert verdict.satterthwaite([(3, 9), (4, 16)]) == pytest.approx(49 / 2)


def test_the_first_that_holds():
    assert verdict.first(1, 100, lambda n: n >= 1) == 1
    assert verdict.first(1, 100, lambda n: n >= 37) == 37
    assert verdict.first(1, 100, lambda n: n >= 100) == 100
    assert verdict.first(1, 100, lambda n: False) is None


def test_the_fewest_rounds_are_said():
    for factor in (0.85, 0.9, 1.05):
        base = [90, 95, 100, 105, 110, 98]
        one = sample(base, [value * factor for value in base])
        change, = verdict.changes_of([one])
        more, _ = verdict.needed(one, change, 1)
        loss, _ = one.allowed()
        assert verdict.would_decide(change.after(1 + more / 6, 1), loss, 1)
        assert not verdict.would_decide(
            change.after(1 + (more - 1) / 6, 1), loss, 1)
    near, = verdict.changes_of([sample(STEADY, shifted(0.9853))])
    known = sample(STEADY, shifted(0.9853))
    assert verdict.needed(known, near, 1)[0] in (1, 2)


def test_how_far_values_spread():
    """A third that is far away counts less than twice."""
    source = numpy.random.RandomState(15)
    for n in (10, 11, 200, 5000):
        values = source.normal(7, 3, n)
        assert verdict.spread_of(values) == pytest.approx(3, rel=5 / n ** 0.5)
    values[:1500] += 100
    assert verdict.spread_of(values) < 6


def test_points_that_go_apart():
    """Of ten points at least, beyond what rounds explain."""
    ten = numpy.arange(10) / 1000
    spread = verdict.spread_of(ten)
    # of 45 differences the 15th is 2, as there are 9 of 1 and 8 of 2
    assert spread == pytest.approx(0.002 * 2.2219 * 10 / 13.8)
    assert verdict.apart(ten[:9], 1e-6, 0.02) == 0
    assert verdict.apart(ten, 1e-6, 0.02) == pytest.approx(spread ** 2 - 1e-6)
    assert verdict.apart(9 * ten, 1e-6, 0.02) \
        == pytest.approx((0.4 * 0.02) ** 2)
    assert verdict.apart(0 * ten, 1e-6, 0.02) == 0


def test_what_all_points_seem_to_share():
    """Is told by ten points at least, of which one does not count."""
    ten = numpy.arange(10) / 1000
    assert verdict.seen_of(ten[:9]) is None
    for values in ten, numpy.array([*ten[:9], 5]):
        shared, variance = verdict.seen_of(values)
        assert shared == pytest.approx(0.0045)
        assert variance == pytest.approx(
            math.pi / 2 * verdict.spread_of(ten) ** 2 / 10, rel=0.6)


def ps(estimate, seen, family=100):
    between = verdict.Between(0.008 ** 2, 1e6, 0.0, 1e6, False, seen)
    return verdict.Change(estimate, 0.004 ** 2, 1e6, between, 1).ps(family)[1]


def test_a_change_beside_what_all_points_share():
    """One point that loses 2.5% alone did so; where all seem to, the session
    may have, but not where all lost more than any session takes; and a loss
    where all gained is the less by chance."""
    assert ps(-0.025, (0.0, 0.0)) < 0.01 < ps(-0.025, None)
    assert ps(-0.025, (-0.02, 0.0)) > 0.1
    assert ps(0.025, (0.0, 0.0)) < 0.01 < ps(0.025, (0.02, 0.0))
    assert ps(-0.06, (-0.06, 0.0)) < 0.01
    assert ps(-0.025, (0.02, 0.0)) < 1e-6 * ps(-0.025, (0.0, 0.0))
    # what is not known so well tells less
    assert ps(-0.025, (0.0, 0.008 ** 2)) > 0.01


def test_a_loss_of_all_points_is_found():
    source = numpy.random.RandomState(13)
    base, new = (bench.session(source, (0.002, 0, 0, 0, 1, 10), 20)
                 for _ in range(2))
    assert set(verdicts_of([sample(one, 0.96 * other, together=False)
                            for one, other in zip(base, new)])) \
        == {"regression"}
