"""The statistics against scipy and published examples."""
import itertools
import math
import random
import statistics

import pytest
import scipy.stats

from verbsperf.stats import ranks as stats

# Hollander and Wolfe, Nonparametric Statistical Methods, example 4.1:
# permeability of the human chorioamnion, at term and at 12 to 26 weeks.
AT_TERM = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
EARLIER = [1.15, 0.88, 0.90, 0.74, 1.21]


def samples(n, m, digits=None, seed=0):
    source = random.Random(f"{n} {m} {seed}")
    values = [source.gauss(0, 1) for _ in range(n + m)]
    if digits is not None:
        values = [round(value, digits) for value in values]
    return values[:n], values[n:]


def test_published_mann_whitney():
    # R's documentation of wilcox.test has 0.1272 of this, one-sided
    assert stats.mann_whitney(AT_TERM, EARLIER) == pytest.approx(0.2544,
                                                                 abs=5e-5)
    # scipy's documentation of mannwhitneyu: age of diagnosis, exact
    assert stats.mann_whitney([19, 22, 16, 29, 24], [20, 11, 17, 12]) \
        == pytest.approx(1 / 9)


def test_published_hodges_lehmann():
    # examples 4.3 and 4.4: -0.305, and the 96% interval (-0.76, 0.15)
    assert stats.hodges_lehmann(AT_TERM, EARLIER) == pytest.approx(
        (-0.305, -0.76, 0.15))
    counts = stats.sum_counts(tuple(range(15)), 10)
    outside = sum(counts[45:45 + stats.interval_rank(10, 5)])
    assert 1 - 2 * outside / math.comb(15, 10) == pytest.approx(0.96, abs=5e-4)


def test_published_holm():
    # as Holm's procedure is usually shown, and R's p.adjust has it
    assert stats.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx(
        [0.03, 0.06, 0.06, 0.02])
    assert stats.holm([]) == []


@pytest.mark.parametrize("n, m", [(1, 1), (3, 4), (5, 7), (10, 10), (12, 30),
                                  (30, 30)])
def test_exact_p_is_scipys(n, m):
    for seed in range(10):
        base, new = samples(n, m, seed=seed)
        wanted = scipy.stats.mannwhitneyu(base, new, method="exact").pvalue
        assert stats.mann_whitney(base, new) == pytest.approx(wanted)


def test_p_of_ties_counts_every_way():
    for seed in range(5):
        base, new = samples(4, 6, digits=0, seed=seed)
        ranks = scipy.stats.rankdata(base + new)
        seen = sum(ranks[:4])
        sums = [sum(ranks[i] for i in chosen)
                for chosen in itertools.combinations(range(10), 4)]
        low = sum(one <= seen for one in sums) / len(sums)
        high = sum(one >= seen for one in sums) / len(sums)
        assert stats.mann_whitney(base, new) == pytest.approx(
            min(1, 2 * min(low, high)))


@pytest.mark.parametrize("digits", [None, 1])
def test_many_values_are_scipys_approximation(digits):
    base, new = samples(40, 50, digits)
    wanted = scipy.stats.mannwhitneyu(base, new, method="asymptotic").pvalue
    assert stats.mann_whitney(base, new) == pytest.approx(wanted)


def test_all_alike_is_no_difference():
    assert stats.mann_whitney([1] * 5, [1] * 5) == 1
    assert stats.mann_whitney([1] * 50, [1] * 50) == 1
    assert stats.hodges_lehmann([1] * 5, [1] * 5) == (0, 0, 0)


def test_interval_and_p_say_the_same():
    """0 is within the interval exactly when p is above 5%."""
    for n, m, seed in itertools.product((4, 6, 10), (5, 10), range(20)):
        base, new = samples(n, m, seed=seed)
        shifted = [value + seed / 10 for value in new]
        _, low, high = stats.hodges_lehmann(base, shifted)
        inside = low <= 0 <= high
        assert inside == (stats.mann_whitney(base, shifted) > 0.05)


def test_interval_of_few():
    assert stats.hodges_lehmann([1, 2, 3], [4, 5, 6]) == (3, None, None)
    assert stats.interval_rank(4, 4) == 1
    assert stats.smallest_p(4, 4) == pytest.approx(2 / 70)


def test_interval_rank_of_many_is_near_the_exact():
    exact = stats.interval_rank(30, 30)
    z = scipy.stats.norm.ppf(0.975)
    assert exact == pytest.approx(450 - z * math.sqrt(900 * 61 / 12), abs=2)
    assert stats.interval_rank(31, 30) >= exact


def test_median_interval_is_of_the_binomial():
    # ranks for 95%: Conover, table of the quantile test; [1, 6] of 6
    wanted = {6: (1, 6), 8: (1, 8), 9: (2, 8), 12: (3, 10), 20: (6, 15),
              30: (10, 21)}
    for n, ranks in wanted.items():
        values = list(range(1, n + 1))
        assert stats.median_interval(values) == (statistics.median(values),
                                                 *ranks)
        below = scipy.stats.binom.cdf(ranks[0] - 1, n, 0.5)
        assert 2 * below <= 0.05 < 2 * scipy.stats.binom.cdf(ranks[0], n, 0.5)
    assert stats.median_interval([1, 2, 3, 4, 5]) is None


def test_half_width():
    assert stats.half_width([98, 99, 100, 100, 101, 103]) \
        == pytest.approx(0.03)
    assert stats.half_width([1] * 5) is None
    assert stats.half_width([0] * 6) is None
