"""The statistics against scipy, and on rounds whose truth is simulated."""
import statistics

import numpy
import pytest
import scipy.special
import scipy.stats

from verbsperf.stats import noise, ranks as stats

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


def rounds(points, n, lag=0.0, scale=0.01, seed=1):
    """N normal rounds of each of POINTS, which depend on the one before."""
    source = numpy.random.RandomState(seed)
    values = source.normal(size=(points, n))
    for i in range(1, n):
        values[:, i] = (lag * values[:, i - 1]
                        + (1 - lag ** 2) ** 0.5 * values[:, i])
    return scale * values


@pytest.mark.parametrize("n, lag", [(5, 0), (10, 0), (10, 0.5), (20, 0.3)])
def test_the_variance_of_a_mean_is_found(n, lag):
    """With the dependence of rounds, which is found, too."""
    samples = rounds(2000, n, lag)
    found = noise.noise_of(list(samples))
    assert found.dependence == pytest.approx(lag, abs=0.05)
    for made, middle in ((found.variances, stats.trimmed_mean),
                         (found.medians, numpy.median)):
        true = numpy.var([middle(one) for one in samples])
        assert made.mean() == pytest.approx(true, rel=0.12)


def test_a_trimmed_mean():
    """A fifth at either end does not count, nor one of three."""
    for n, wanted in ((1, 0), (2, 0.5), (3, 1), (5, 14 / 3), (9, 20),
                      (10, 139 / 6)):
        values = [(n - i - 1) ** 2 for i in range(n)]
        assert stats.trimmed_mean(values) == wanted


def test_points_of_one_noise_tell_it_together():
    found = noise.noise_of(list(rounds(200, 10)))
    assert found.freedom.min() > 25
    assert found.variances.std() < 0.3 * found.variances.mean()


def test_points_of_other_noise_keep_theirs():
    samples = [*rounds(50, 10), *rounds(50, 10, scale=0.1)]
    found = noise.noise_of(samples)
    assert found.freedom.max() < 20
    assert found.variances[50:].mean() > 30 * found.variances[:50].mean()


def test_one_bad_round_in_ten_does_not_count():
    good = rounds(1, 10)
    bad = good.copy()
    bad[0, 3] = -5
    assert noise.raw_variance(bad)[0] < 4 * noise.raw_variance(good)[0]
    bad[0, 4] = -6
    assert noise.raw_variance(bad)[0] > 100 * noise.raw_variance(good)[0]


def test_clusters_count():
    """The median of rounds at two places is hardly known."""
    two = numpy.array([[0.0, 1.0] * 5])
    true = numpy.median(numpy.random.RandomState(1).randint(
        0, 2, (4000, 10)), axis=1).var()
    found = noise.noise_of(list(two)).variances[0]
    assert found > true / 2


def test_no_spread_is_a_little():
    found = noise.noise_of([numpy.full(10, 3.0)] * 4)
    assert 0 < found.variances.max() < noise.LEAST_NOISE ** 2
    assert found.dependence == 0


def test_few_rounds_do_not_tell_how_they_depend():
    assert noise.noise_of(list(rounds(40, 4, 0.9))).dependence == 0


def test_what_moderation_makes():
    """Of variances as alike as chance makes them, one; Smyth 2004."""
    freedom = numpy.full(4000, 8.0)
    chi = numpy.random.RandomState(2).chisquare(8, 4000) / 8
    expected = (numpy.full(4000, scipy.special.digamma(4) - numpy.log(4)),
                numpy.full(4000, scipy.special.polygamma(1, 4)))
    same, total = noise.moderated(chi, freedom, expected)
    assert same.std() < 0.05 and same.mean() == pytest.approx(1, rel=0.03)
    true = 4 / numpy.random.RandomState(3).chisquare(4, 4000)
    _, total = noise.moderated(chi * true, freedom, expected)
    assert total[0] == pytest.approx(8 + 4, rel=0.1)
    assert noise.moderated(chi[:2], freedom[:2], expected)[1][0] == 8


def test_a_tenth_is_pulled_in():
    for n, drop in ((5, 0), (6, 1), (10, 1), (19, 1), (20, 2), (30, 3)):
        found = noise.winsorized(numpy.arange(float(n)))
        assert (found.min(), found.max()) == (drop, n - 1 - drop)


def test_the_spread_tells_where_there_are_no_clusters():
    values = numpy.arange(10.0)
    spread = values.clip(1, 8).var(ddof=1)
    assert noise.raw_variance(values) == pytest.approx(spread * 2 / 10)


def test_how_a_round_depends_is_between_normal_ones():
    """What is expected of more dependence is more, and starts below 0."""
    for n in (5, 10, 30):
        found = noise.normal(n)
        assert found.lag[0] == pytest.approx(-1 / n, abs=0.03)
        assert (numpy.diff(found.lag) > 0).all()
        assert (numpy.diff(found.factor) > 0).all()
    assert noise.normal(30).lag[5] == pytest.approx(0.39, abs=0.03)


def test_weights_of_a_median():
    """Of all ways to draw three of three values (Maritz and Jarrett)."""
    assert noise.order_weights(3) == pytest.approx([7 / 27, 13 / 27, 7 / 27])
    assert noise.order_weights(10).sum() == pytest.approx(1)
