"""What is compared of the rounds: what pairs reached, or where they share
ports, what the ports carried and how the pairs divided it.

In an incast, an outcast and an all-to-all a pair gets a part of what a port
carries.  So ports are compared with those of the other nodes, by what all their
pairs reach together; and pairs by their share, which is what they reach to the
middle one of their port."""
import math
import statistics
from typing import Iterable, Mapping, NamedTuple, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats import ranks

FEWEST_PORTS = 3        # that are compared with each other
ANY = End("*", "")      # whoever a port has to do with
# Kinds of observations, each of which is compared with its own.
PAIR, OUT, IN = 0, 1, 2

ALPHA = 0.0025          # that chance says so of a suspect
MOST_VALUES = 40             # values are compared with as many

# The speeds of pairs of a round.
Speeds = dict[Pair, float]


class Measured(NamedTuple):
    """What a pair reached in a round."""

    pair: Pair
    value: float
    round: int = 0


class Observed(NamedTuple):
    """A pair, or a port, which has ANY end at its other side."""

    pair: Pair
    value: float        # the logarithm of its speed
    sort: int = PAIR


def speed_of(value: float, metric: str) -> float:
    """Return VALUE of METRIC as a speed: more is better."""
    if METRICS[metric].is_rate:
        return value
    return 1 / value if value > 0 else 0.0


def logarithm(speed: float) -> float:
    """Return the logarithm of SPEED; of none at all, that of very little."""
    return math.log(max(speed, 1e-12))


def by_port(speeds: Speeds) -> dict[tuple[int, End], list[float]]:
    """Return {(direction, end): what its pairs reached} of a round."""
    found: dict[tuple[int, End], list[float]] = {}
    for pair, speed in speeds.items():
        found.setdefault((OUT, pair.client), []).append(speed)
        found.setdefault((IN, pair.server), []).append(speed)
    return found


def are_shared(rounds: Iterable[Speeds]) -> bool:
    """Some pairs of ROUNDS share a port."""
    return any(len(own) > 1 for speeds in rounds
               for own in by_port(speeds).values())


def shares_of(speeds: Speeds) -> Speeds:
    """Return what the pairs of a round reached, to the middle one of their
    slower port; without those that have both ports for themselves."""
    middles = {port: statistics.median(own)
               for port, own in by_port(speeds).items() if len(own) > 1}
    found = {}
    for pair, speed in speeds.items():
        own = [middles[port] for port in ((OUT, pair.client),
                                          (IN, pair.server))
               if port in middles]
        if own and min(own) > 0:
            found[pair] = speed / min(own)
    return found


def most_pairs(rounds: Iterable[Speeds]) -> dict[int, int]:
    """Return {direction: how many pairs a port has at most}."""
    found = {OUT: 0, IN: 0}
    for speeds in rounds:
        for (way, _), own in by_port(speeds).items():
            found[way] = max(found[way], len(own))
    return found


def loads_of(rounds: Iterable[Speeds], most: Mapping[int, int], metric: str
             ) -> list[Observed]:
    """Return what ports carried that had about as many pairs as the MOST, in
    each round; a latency is that of the middle pair."""
    return [Observed(Pair(end, ANY) if way == OUT else Pair(ANY, end),
                     logarithm(sum(own) if METRICS[metric].is_rate
                               else statistics.median(own)), way)
            for speeds in rounds for (way, end), own in by_port(speeds).items()
            if len(own) >= max(2, most[way] / 2)]


def too_few(loads: Sequence[Observed]) -> set[Pair]:
    """Return the ports of LOADS that have too few others to compare with."""
    ports = [{one.pair for one in loads if one.sort == way}
             for way in (OUT, IN)]
    return {port for own in ports if len(own) < FEWEST_PORTS for port in own}


def observed_of(rounds: Iterable[Speeds], metric: str,
                most: Mapping[int, int]) -> list[Observed]:
    """Return what is compared of ROUNDS, with MOST pairs of a port."""
    rounds = list(rounds)
    if not are_shared(rounds):
        return [Observed(pair, logarithm(speed), PAIR)
                for speeds in rounds for pair, speed in speeds.items()]
    return [*loads_of(rounds, most, metric), *(
        Observed(pair, logarithm(share), PAIR)
        for speeds in rounds for pair, share in shares_of(speeds).items())]


class Comparison(NamedTuple):
    """What tests say of a cause."""

    ratio: float        # of speeds, to those of others
    low: float
    high: float
    p: float            # that others are as slow
    tests: int
    others: int
    spread: float       # of others

    def is_sure(self, least: float) -> bool:
        """It is slower by more than LEAST, a logarithm, and not by chance."""
        return self.p <= ALPHA and math.log(self.ratio) <= -least

    def is_clear(self, least: float) -> bool:
        """It is not slower by more than LEAST: its interval excludes that."""
        return self.low > math.exp(-least)


def spread_of(values: Sequence[float]) -> float:
    """Return the standard deviation of VALUES, if most of them are normal."""
    usual = ranks.median(values)
    return 1.4826 * ranks.median([abs(one - usual) for one in values])


def compared(own: Sequence[float], others: Sequence[float]) -> Comparison:
    """Compare logarithms of speeds; of very many some are enough."""
    own, others = (some[::-(-len(some) // MOST_VALUES)]
                   for some in (own, others))
    middle, low, high = ranks.hodges_lehmann(others, own, ALPHA)
    return Comparison(
        math.exp(middle), 0.0 if low is None else math.exp(low),
        math.inf if high is None else math.exp(high),
        ranks.mann_whitney(others, own), len(own), len(others),
        spread_of(others))
