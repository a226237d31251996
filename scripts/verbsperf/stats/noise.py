"""How far the trimmed mean of a few rounds, or their median, is from the true
one.

The variance is estimated from the rounds: from their winsorized variance, so
that one bad round in ten does not count, or where the rounds fall into
clusters, from the estimate of Maritz and Jarrett (1978).  What that is of
normal rounds that depend on the round before is found by simulation, with a
fixed seed.  Two things that a few rounds hardly tell are taken from all points
together, which were measured in the same rounds: how much a round depends on
the one before (lag 1), and what is usual for a variance (Smyth 2004)."""
import functools
from typing import NamedTuple, Sequence

from verbsperf.stats import ranks
from verbsperf.stats.libraries import Floats, Integers, numpy, special

# What a lag-1 dependence may be.
DEPENDENCES = tuple(i / 10 for i in range(10))
# No measurement repeats itself better.
LEAST_NOISE = 1e-4
# As many values are drawn for each dependence, in 400 samples at least.
DRAWN, FEWEST_SAMPLES = 100000, 400
# Fewer rounds do not tell how one depends on another.
FEWEST_DEPENDENT = 5
# As good as the normal distribution.
MOST_FREEDOM = 1e6


class Normal(NamedTuple):
    """What is expected of N normal rounds, by DEPENDENCES."""

    lag: Floats         # what lag_of() finds
    factor: Floats      # variance of the mean, by what raw_variance() finds
    median: Floats      # the same of the median
    freedom: Floats     # degrees of freedom of that
    logs: Floats        # mean of its logarithm, where its own mean is 1
    spread: Floats      # variance of its logarithm


class Noise(NamedTuple):
    """What is known about the trimmed mean of each of several samples."""

    variances: Floats
    freedom: Floats
    dependence: float   # of a round on the one before, of all samples
    medians: Floats     # variances of these


def winsorized(samples: Floats) -> Floats:
    """Return sorted SAMPLES, with the outermost tenth pulled in."""
    n = samples.shape[-1]
    drop = max(1, n // 10) if n > 5 else 0
    found: Floats = numpy.clip(samples, samples[..., [drop]],
                               samples[..., [n - 1 - drop]])
    return found


@functools.lru_cache(maxsize=None)
def order_weights(n: int) -> Floats:
    """Return the weight of each of N ordered values in their median."""
    half = (n + 1) / 2
    reached: Floats = special.betainc(half, half, numpy.arange(n + 1) / n)
    return numpy.diff(reached)


def raw_variance(samples: Floats) -> Floats:
    """Return about the variance of the median of each of SAMPLES."""
    ordered = numpy.sort(samples, axis=-1)
    n = samples.shape[-1]
    weights = order_weights(n)
    ordered = winsorized(ordered)
    clusters = (ordered ** 2) @ weights - (ordered @ weights) ** 2
    spread = ordered.var(axis=-1, ddof=1)
    return numpy.maximum(spread * 2 / n, clusters / 2)


def lag_of(samples: Floats) -> Floats:
    """Return how much each round of SAMPLES is like the one before, from -1 to
    1; not a number of a sample without spread."""
    ordered = winsorized(numpy.sort(samples, axis=-1))
    away = samples.clip(ordered[..., [0]], ordered[..., [-1]])
    away = away - away.mean(axis=-1, keepdims=True)
    square = (away ** 2).sum(axis=-1)
    product = (away[..., 1:] * away[..., :-1]).sum(axis=-1)
    found: Floats = numpy.divide(
        product, square, out=numpy.full_like(square, numpy.nan),
        where=square > 0)
    return found


def moments(values: Floats) -> tuple[float, float]:
    """Return (mean, variance) of VALUES."""
    return float(values.mean()), float(values.var())


@functools.lru_cache(maxsize=None)
def normal(n: int) -> Normal:
    """Return what is expected of N normal rounds."""
    count = max(FEWEST_SAMPLES, DRAWN // n)
    drawn = numpy.random.RandomState(n).normal(size=(n, count))
    if n < count / 2:   # without what these have in common by chance
        drawn = count ** 0.5 * numpy.linalg.qr(drawn.T)[0].T
    found, drop = [], ranks.trimmed(n)
    for dependence in DEPENDENCES:
        rounds = drawn.copy()
        for i in range(1, n):
            rounds[i] = (dependence * rounds[i - 1]
                         + (1 - dependence ** 2) ** 0.5 * drawn[i])
        raw = raw_variance(rounds.T)
        found.append((lag_of(rounds.T).mean(),
                      numpy.sort(rounds, axis=0)[drop:n - drop].mean(
                          axis=0).var() / raw.mean(),
                      numpy.median(rounds, axis=0).var() / raw.mean(),
                      2 * raw.mean() ** 2 / raw.var(),
                      *moments(numpy.log(raw / raw.mean()))))
    return Normal(*numpy.array(found).T)


def dependence_of(lags: Floats, counts: Integers) -> float:
    """Return how much a round depends on the one before, where LAGS were found
    in samples of COUNTS rounds, corrected for what few rounds hide."""
    telling = (counts >= FEWEST_DEPENDENT) & ~numpy.isnan(lags)
    if not telling.any():
        return 0.0
    weights = counts[telling]
    expected = numpy.average([normal(n).lag for n in weights], axis=0,
                             weights=weights)
    return float(numpy.interp(numpy.average(lags[telling], weights=weights),
                              expected, DEPENDENCES))


def freedom_between(excess: float) -> float:
    """Return the degrees of freedom of what is usual, where logarithms of
    variances differ by EXCESS more than by chance: trigamma(half of it)."""
    low, high = 1e-3, MOST_FREEDOM / 2
    if excess <= special.polygamma(1, high):
        return MOST_FREEDOM
    for _ in range(60):
        middle = (low * high) ** 0.5
        if special.polygamma(1, middle) > excess:
            low = middle
        else:
            high = middle
    return 2 * low


def moderated(variances: Floats, freedom: Floats, expected: tuple[Floats,
                                                                  Floats]
              ) -> tuple[Floats, Floats]:
    """Return VARIANCES, each moved towards what is usual of them, and the
    degrees of freedom they have then.  Of one noise their logarithms have the
    EXPECTED means and variances."""
    if len(variances) < 3:
        return variances, freedom
    mean, spread = moments(numpy.log(variances) - expected[0])
    # a difference that chance makes of so few is none
    alike = float(expected[1].mean()) * (1 + (2 / len(variances)) ** 0.5)
    more = min(freedom_between(spread - alike), freedom.sum())
    usual = numpy.exp(mean + special.digamma(more / 2) - numpy.log(more / 2))
    total = freedom + more
    return (freedom * variances + more * usual) / total, total


def noise_of(samples: Sequence[Floats]) -> Noise:
    """Return the noise of SAMPLES, logarithms of rounds."""
    counts = numpy.array(list(map(len, samples)))
    raw, lags = numpy.empty((2, len(samples)))
    for n in set(counts):
        alike = numpy.array([one for one in samples if len(one) == n])
        raw[counts == n], lags[counts == n] = raw_variance(alike), lag_of(alike)
    dependence = dependence_of(lags, counts)
    curves = numpy.empty((5, len(samples)))
    for n in set(counts):
        curves[:, counts == n] = [[numpy.interp(dependence, DEPENDENCES, curve)]
                                  for curve in normal(n)[1:]]
    factor, median, freedom, *expected = curves
    # of one round, so that samples of any length are alike
    single = factor * numpy.maximum(raw * counts, 2 * LEAST_NOISE ** 2)
    single, freedom = moderated(single, freedom, (expected[0], expected[1]))
    single /= counts
    return Noise(single, freedom, dependence, single * median / factor)
