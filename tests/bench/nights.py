#!/usr/bin/env python3
"""How soon verbsperf-plot --history sees a step, on histories whose truth is
simulated.

Each line is that many histories of 120 nights without a step, and as many of 60
with a loss of 3% since night 40.  "false" is the share of the former that have a mark
after the last night, "ever" that had one after some night.  Of the latter,
"within 3" and so on is the share in which so many nights with the loss were
enough, "placed" the share whose mark is within 3 nights of the step after the
last night, and "other" the share with any other mark.  "dip" is the share of
histories with a loss of 6% for three nights that have a mark there, and "slope"
with one that comes in three nights.  Of "rounds" and "nights" each night
depends on the one before by 0.5, of the others by nothing.

A night is the median of 10 rounds.  With "rounds" the noise of 1% is that of
each round, as in verdicts.py; with "nights" it is that of the median itself,
which three nights then hardly tell: 3 values of 43."""
import argparse
import math
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "scripts"))

from verbsperf.history import steps  # noqa: E402

QUIET, NIGHTS, STEP, LOSS, NOISE, ROUNDS = 120, 60, 40, 0.03, 0.01, 10
LAG = 0.5
TOLERANCE = 0.02
DAYS = (3, 4, 5)


def rounds(source):
    """The noise of one night."""
    return statistics.median(source.gauss(0, NOISE) for _ in range(ROUNDS))


def lag_0(source):
    """The same, of nights that do not depend on each other."""
    return rounds(source)


def nights(source):
    """The same when all rounds of a night share it."""
    return source.gauss(0, NOISE)


def one_sided(source):
    """Only ever slower."""
    return -NOISE * source.expovariate(1)


def outliers(source):
    """One night in twenty is much slower."""
    return source.gauss(0, NOISE / 2) - 0.1 * (source.random() < 0.05)


CASES = (rounds, lag_0, nights, one_sided, outliers)


def history(source, noise, count, losses):
    """The bandwidth of each of COUNT nights, of which some have LOSSES."""
    lag, last, values = LAG * (noise in (rounds, nights)), noise(source), []
    for night in range(count):
        last = lag * last + (1 - lag ** 2) ** 0.5 * noise(source)
        values.append(92 * math.exp(last) * (1 - losses.get(night, 0)))
    return values


def after(first, *losses):
    """LOSSES of nights from FIRST on, the last of which stays."""
    return {night: losses[min(night - first, len(losses) - 1)]
            for night in range(first, NIGHTS)}


def found(values):
    """(steps after the last night, those after any night)."""
    series = steps.Series([math.log(value) for value in values], True,
                          TOLERANCE)
    known, ever = [], []
    for end in range(1, len(values) + 1):
        known = steps.known_after(series, known, end)
        ever += [(one.night, night) for one, night in known
                 if night == end - 1]
    return [one.night for one, _ in known], ever


def delay(ever):
    """How many nights with the loss it took, of the steps EVER found."""
    return min((night - STEP + 1 for step, night in ever
                if abs(step - STEP) <= 3), default=math.inf)


def figures(noise, histories, seed):
    """What the columns of one line are."""
    source = random.Random(f"{seed} {noise.__name__}")

    def several(count, losses):
        return [found(history(source, noise, count, losses))
                for _ in range(histories)]
    without = several(QUIET, {})
    with_loss = several(NIGHTS, after(STEP, LOSS))
    dips = several(NIGHTS, dict.fromkeys(range(STEP, STEP + 3), 0.06))
    slopes = several(NIGHTS, after(STEP, 0.02, 0.04, 0.06))
    delays = [delay(ever) for _, ever in with_loss]
    near = [[abs(step - STEP) <= 3 for step in last] for last, _ in with_loss]
    return {"false": sum(bool(last) for last, _ in without),
            "ever": sum(bool(ever) for _, ever in without),
            **{f"within {n}": sum(one <= n for one in delays) for n in DAYS},
            "placed": sum(any(one) for one in near),
            "other": sum(not all(one) or len(one) > 1 for one in near),
            "dip": sum(STEP in last for last, _ in dips),
            "slope": sum(delay(ever) <= 6 for _, ever in slopes)}


def main():
    """A line for each case; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("histories", nargs="?", type=int, default=100)
    parser.add_argument("seed", nargs="?", default="1")
    asked = parser.parse_args()
    histories, seed, broken = asked.histories, asked.seed, False
    for noise in CASES:
        line = figures(noise, histories, seed)
        if noise is CASES[0]:
            print(f"{'noise':10}" + "".join(f"{name:>10}" for name in line))
        print(f"{noise.__name__:10}" + "".join(
            f"{value / histories:10.1%}" for value in line.values()),
            flush=True)
        broken |= noise is rounds and (
            line["false"] > 0.01 * histories
            or line["within 3"] < 0.95 * histories)
    return broken


if __name__ == "__main__":
    sys.exit(main())
