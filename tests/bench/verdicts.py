#!/usr/bin/env python3
"""How often verbsperf-compare, its --nics and verbsperf-sweep --until-ci are
right, on results whose truth is simulated.

jobs: each line is TIMES jobs of 110 points in which nothing changed, and as
many in which one point lost the tolerance (2%) and 3 times the noise.  Each
session of all points is shifted by chance ("shift", "own" for each point), and
a round depends on the one before it ("lag 1", the noise is that of all rounds
together).  "false" is the share of the former that have a regression (promised:
1%), "found" of the latter that have one there (95%).  "bound" is how many a
judge finds at most who knows all variances, but that of the shift only from the
sessions of the base, and calls no more than 1% of the former a regression;
where it is below 95%, the promise cannot be kept, and "needs" is the loss that
the same judge finds in 95%.
"found" is farthest below it at 3% noise with lag 0.5: he knows all variances,
and 110 points do not tell that they differ by less than a sixth of their
rounds' noise, nor exactly the shift of their session.
setups: TIMES reports of two set-ups that are alike, of 20 sizes; "ahead" is the
share in which one is ahead somewhere (promised: 1%).
until-ci: TIMES points, measured until 95,2; "covered" is the share whose true
median is within 2% of the measured one if it is said to be known (95%)."""
import argparse
import pathlib
import sys
from unittest import mock

import numpy
from scipy.optimize import brentq
from scipy.stats import chi2, norm, t

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "scripts"))

from verbsperf.base.metrics import COMPARED  # noqa: E402
from verbsperf.nics import ranking  # noqa: E402
from verbsperf.stats import ranks, verdict  # noqa: E402
from verbsperf.sweep import rounds as until  # noqa: E402

POINTS, ROUNDS, TOLERANCE = 110, 10, 0.02
#        noise, shift, own, lag 1, sessions of the base, rounds
CELLS = (*((noise, shift, 0, lag, 1, ROUNDS)
           for noise in (0.002, 0.005, 0.01, 0.03)
           for shift in (0, 0.0025, 0.005) for lag in (0, 0.3, 0.5)),
         *((noise, 0, 0.005, lag, 1, ROUNDS)
           for noise in (0.002, 0.01) for lag in (0, 0.5)),
         (0.01, 0, 0, 0.7, 1, ROUNDS), (0.01, 0, 0, 0, 1, 6),
         *((noise, 0.0025, 0.0025, lag, sessions, ROUNDS)
           for noise in (0.002, 0.01) for lag in (0, 0.5)
           for sessions in (3, 5)))
SIZES, SETUPS = 20, ((6, 0.01), (6, 0.03), (10, 0.01), (10, 0.03))


def depending(source, shape, lag):
    """Normal values of SHAPE, each of which depends on the one before."""
    values = source.normal(size=shape)
    for i in range(1, shape[-1]):
        values[..., i] = (lag * values[..., i - 1]
                          + (1 - lag ** 2) ** 0.5 * values[..., i])
    return values


def session(source, cell, points):
    """The values of all points in one session of CELL."""
    noise, shift, own, lag, _, rounds = cell
    return 100 * numpy.exp(shift * source.normal()
                           + own * source.normal(size=(points, 1))
                           + noise * depending(source, (points, rounds), lag))


def job(source, cell, loss=0.0, points=POINTS):
    """Samples of which the first loses LOSS."""
    base = [session(source, cell, points) for _ in range(cell[4])]
    new = session(source, cell, points)
    new[0] *= 1 - loss
    return [verdict.Sample({str(i): one[point] for i, one in enumerate(base)},
                           new[point], True, TOLERANCE)
            for point in range(points)]


def regressions(samples):
    """Which of SAMPLES are regressions.  What the others need would take most
    of the time."""
    with mock.patch.object(verdict, "needed", return_value=(None, None)):
        return [one.verdict == verdict.REGRESSION
                for one in verdict.judge(samples)]


def ideal(cell):
    """What share of losses a judge finds, as a function of the loss, who knows
    all but the variance of the shift."""
    noise, shift, own, lag, sessions, rounds = cell
    away = numpy.arange(1, rounds)
    more = 1 + 2 * ((1 - away / rounds) * lag ** away).sum()
    both = 1 + 1 / sessions
    by_rounds = noise * (both * more / rounds) ** 0.5
    alone = (by_rounds ** 2 + both * own ** 2) ** 0.5
    shared = shift * both ** 0.5
    parts = (numpy.arange(1000) + .5) / 1000
    shifts = shared * norm.ppf(parts)

    def false(limit):
        return (1 - norm.cdf((limit - shifts) / alone) ** POINTS).mean()
    limit = brentq(lambda limit: false(limit) - 0.01, 0, 1)
    reach = norm.ppf(0.975) * by_rounds
    if sessions > 1:
        free = sessions - 1
        seen = shared * (chi2.ppf(parts, free) / free) ** 0.5
        reach = numpy.hypot(norm.ppf(0.975) * alone, t.ppf(0.975, free) * seen)
    limits = numpy.maximum(limit, reach - numpy.log1p(-TOLERANCE))
    spread = numpy.hypot(alone, shared)
    return lambda loss: norm.cdf((-numpy.log1p(-loss) - limits) / spread).mean()


def jobs(times, seed, first):
    """A line for each cell from the FIRST; True when a promise is broken."""
    broken = False
    print("noise  shift    own  lag 1  sessions  rounds"
          "   false   found   bound   needs", flush=True)
    for cell in CELLS[first - 1:]:
        source = numpy.random.RandomState([seed, *(
            int(1e4 * one) for one in cell)])
        loss = TOLERANCE + 3 * cell[0]
        false = sum(any(regressions(job(source, cell)))
                    for _ in range(times)) / times
        found = sum(regressions(job(source, cell, loss))[0]
                    for _ in range(times)) / times
        best = ideal(cell)
        bound = best(loss)
        needs = brentq(lambda loss: best(loss) - 0.95, 0, 0.5)
        print("{:5.1%} {:6.2%} {:6.2%} {:6.1f} {:9} {:7}".format(*cell)
              + f" {false:7.1%} {found:7.1%} {bound:7.1%} {needs:7.2%}",
              flush=True)
        broken |= false > 0.01 + 2 / times or (bound > 0.97 and found < 0.95)
    return broken


def ahead_somewhere(source, rounds, noise):
    """True when one of two set-ups that are alike is ahead at some size."""
    cells = {size: ranking.Cell(
        {name: [*(50 * numpy.exp(source.normal(0, noise, rounds)))]
         for name in "ab"}, True, TOLERANCE, True) for size in range(SIZES)}
    return any(one.ahead for one in ranking.leaders(cells).values())


def setups(times, seed, _):
    """A line for each case; True when a promise is broken."""
    broken = False
    print("rounds  noise   ahead")
    for rounds, noise in SETUPS:
        source = numpy.random.RandomState([seed, rounds, int(1e3 * noise)])
        ahead = sum(ahead_somewhere(source, rounds, noise)
                    for _ in range(times)) / times
        print(f"{rounds:6} {noise:6.0%} {ahead:7.1%}", flush=True)
        broken |= ahead > 0.01 + 2 / times
    return broken


def measured_until(source, noise, most):
    """(rounds, median, known) of a point that is measured until 95,2."""
    values = [100 * numpy.exp(source.normal(0, noise)) for _ in range(most)]
    goal = until.Goal(0.95, 0.02, most)
    for look in until.looks(most):
        if until.is_near(values[:look], look, goal):
            return look, ranks.median(values[:look]), True
    return most, ranks.median(values), False


def until_ci(times, seed, _):
    """A line for each case; True when a promise is broken."""
    broken = False
    print(f"({COMPARED['bandwidth']})  noise  most   known  rounds  covered")
    for noise, most in ((0.01, 30), (0.02, 30), (0.05, 30), (0.05, 200),
                        (0.1, 1000)):
        source = numpy.random.RandomState([seed, most, int(1e3 * noise)])
        found = [measured_until(source, noise, most) for _ in range(times)]
        known = [abs(one[1] / 100 - 1) <= 0.02 for one in found if one[2]]
        covered = numpy.mean(known) if known else 1
        print(f"        {noise:6.0%} {most:5} {len(known) / times:7.1%} "
              f"{numpy.mean([one[0] for one in found]):7.1f} {covered:8.1%}",
              flush=True)
        broken |= len(known) > times / 10 and covered < 0.95
    return broken


def main():
    """The tables that are asked for; 1 when a promise is broken."""
    parts = {"jobs": (jobs, 200), "setups": (setups, 1000),
             "until-ci": (until_ci, 2000)}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", nargs="?", choices=parts)
    parser.add_argument("times", nargs="?", type=int)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("first", nargs="?", type=int, default=1,
                        help="line of jobs to begin with (1)")
    asked = parser.parse_args()
    return int(any([run(asked.times or times, asked.seed, asked.first)
                    for name, (run, times) in parts.items()
                    if asked.part in (None, name)]))


if __name__ == "__main__":
    sys.exit(main())
