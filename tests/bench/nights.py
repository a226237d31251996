#!/usr/bin/env python3
"""How soon verbsperf-plot --history sees a step, on histories whose truth is
simulated.

usage: nights.py [HISTORIES [SEED]]

Each line is that many histories of 60 nights without a step, and as many with a
loss of 3% since night 40.  "false" is the share of the former that have a mark
after the last night, "ever" that had one after some night.  Of the latter,
"within 3" and so on is the share in which so many nights with the loss were
enough, "placed" the share whose mark is within 3 nights of the step after the
last night, and "other" the share with any other mark.

A night is the median of 10 rounds.  With "rounds" the noise of 1% is that of
each round, as in verdicts.py; with "nights" it is that of the median itself,
which three nights then hardly tell: 3 values of 43."""
import math
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "scripts"))

from verbsperf.history import steps  # noqa: E402

NIGHTS, STEP, LOSS, NOISE, ROUNDS = 60, 40, 0.03, 0.01, 10
TOLERANCE = 0.02
DAYS = (3, 4, 5)


def rounds(source):
    """The noise of one night."""
    return statistics.median(source.gauss(0, NOISE) for _ in range(ROUNDS))


def nights(source):
    """The same when all rounds of a night share it."""
    return source.gauss(0, NOISE)


def one_sided(source):
    """Only ever slower."""
    return -NOISE * source.expovariate(1)


def outliers(source):
    """One night in twenty is much slower."""
    return source.gauss(0, NOISE / 2) - 0.1 * (source.random() < 0.05)


CASES = (rounds, nights, one_sided, outliers)


def history(source, noise, loss):
    """The bandwidth of each night."""
    return [92 * math.exp(noise(source)) * (1 - loss * (night >= STEP))
            for night in range(NIGHTS)]


def found(values):
    """(steps after the last night, those after any night)."""
    series = steps.Series([math.log(value) for value in values], True,
                          TOLERANCE)
    walk, ever = steps.Walk(series), []
    for end in range(1, len(values) + 1):
        walk.review(end)
        before = len(walk.steps)
        walk.look(end)
        ever += [(one.night, night) for one, night in walk.steps[before:]]
    return [one.night for one, _ in walk.steps], ever


def delay(ever):
    """How many nights with the loss it took, of the steps EVER found."""
    return min((night - STEP + 1 for step, night in ever
                if abs(step - STEP) <= 3), default=math.inf)


def figures(noise, histories, seed):
    """What the columns of one line are."""
    source = random.Random(f"{seed} {noise.__name__}")
    without = [found(history(source, noise, 0)) for _ in range(histories)]
    with_loss = [found(history(source, noise, LOSS))
                 for _ in range(histories)]
    delays = [delay(ever) for _, ever in with_loss]
    near = [[abs(step - STEP) <= 3 for step in last] for last, _ in with_loss]
    return {"false": sum(bool(last) for last, _ in without),
            "ever": sum(bool(ever) for _, ever in without),
            **{f"within {n}": sum(one <= n for one in delays) for n in DAYS},
            "placed": sum(any(one) for one in near),
            "other": sum(not all(one) or len(one) > 1 for one in near)}


def main():
    """A line for each case; 1 when a promise is broken."""
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    broken = False
    for noise in CASES:
        line = figures(noise, histories, seed)
        if noise is CASES[0]:
            print(f"{'noise':10}" + "".join(f"{name:>10}" for name in line))
        print(f"{noise.__name__:10}" + "".join(
            f"{value / histories:10.1%}" for value in line.values()),
            flush=True)
        broken |= noise is rounds and (
            line["false"] > 0 or line["within 3"] < histories)
    return broken


if __name__ == "__main__":
    sys.exit(main())
