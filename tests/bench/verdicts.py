#!/usr/bin/env python3
"""How often verbsperf-compare is right, on results whose truth is simulated.

usage: verdicts.py [COMPARISONS [SEED]]

Each line is 1,000 comparisons of a matrix of 20 points, of rounds that spread
in one way.  "false" is the share of comparisons that call any point that did
not change a regression (promised: below 5%), "better" an improvement, "found"
the share of points that lost 3% and are called a regression (promised: above
95% with 1% of normal noise), "open" the share of comparisons with an
inconclusive point."""
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "scripts"))

from verbsperf.stats import verdict as verdicts  # noqa: E402

POINTS = 20


def normal(source, noise):
    """The usual supposition."""
    return source.gauss(0, noise)


def one_sided(source, noise):
    """Only ever slower, now and then much."""
    return -noise * source.expovariate(1)


def two_levels(source, noise):
    """One of two places, as of threads or memory."""
    return source.choice((0, -3 * noise)) + source.gauss(0, noise / 4)


def heavy(source, noise):
    """Without a mean (Cauchy), but that no run is 1000 times as fast."""
    value = noise * math.tan(math.pi * (source.random() - 0.5))
    return max(-7, min(7, value))


#        rounds of base, new; spread, noise, loss, points that lose, step
CASES = ((10, 10, normal, 0.01, 0.00, 0, 0),
         (10, 10, normal, 0.01, 0.03, 1, 0),
         (10, 10, normal, 0.01, 0.03, 5, 0),
         (10, 10, normal, 0.05, 0.00, 0, 0),
         (10, 10, normal, 0.05, 0.00, 0, 4),
         (6, 30, normal, 0.05, 0.00, 0, 0),
         (10, 10, one_sided, 0.05, 0.00, 0, 0),
         (10, 10, two_levels, 0.03, 0.00, 0, 0),
         (10, 10, heavy, 0.01, 0.00, 0, 0),
         (10, 10, one_sided, 0.01, 0.03, 1, 0),
         (10, 10, normal, 0.01, 0.01, 20, 0))


def values(source, case, n, factor):
    """N rounds of one point, rounded to STEP where it makes ties."""
    spread, noise, step = case[2], case[3], case[6]
    found = [100 * factor * math.exp(spread(source, noise)) for _ in range(n)]
    return [max(step, round(v / step) * step) for v in found] if step \
        else found


def compare_once(source, case):
    """(false alarm, false improvement, points found, inconclusive)."""
    base, new, _, _, loss, lost, _ = case
    samples = [verdicts.Sample(
        values(source, case, base, 1),
        values(source, case, new, 1 - loss if i < lost else 1), True, 0.02)
        for i in range(POINTS)]
    found = [judgement.verdict for judgement in verdicts.judge(samples)]
    return (verdicts.REGRESSION in found[lost:],
            verdicts.IMPROVEMENT in found[lost:],
            found[:lost].count(verdicts.REGRESSION),
            verdicts.INCONCLUSIVE in found)


def main():
    """A line for each case; 1 when a promise is broken."""
    comparisons = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    broken = False
    print("rounds  spread       noise  loss  of  step"
          "   false  better   found    open")
    for case in CASES:
        source = random.Random(f"{seed} {case[:2]} {case[3:]}")
        results = [compare_once(source, case) for _ in range(comparisons)]
        false, better, found, undecided = (sum(column) / comparisons
                                           for column in zip(*results))
        base, new, spread, noise, loss, lost, step = case
        share = f"{found / lost:7.1%}" if lost else "      -"
        print(f"{base:2} v {new:<2} {spread.__name__:11} {noise:6.0%} "
              f"{loss:5.0%} {lost:3} {step:5} {false:7.1%} {better:7.1%} "
              f"{share} {undecided:7.1%}", flush=True)
        broken |= false >= 0.05 or (loss == 0.03 and spread is normal
                                    and found / lost <= 0.95)
    return broken


if __name__ == "__main__":
    sys.exit(main())
