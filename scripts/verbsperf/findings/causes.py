"""What makes pairs slow, and the smallest set of causes that explains which.

A cause is all that one set of ends has with another: of a node with all, of a
rack with all others, of two racks.  A pair that has several is as slow as the
worst.  Causes are chosen one after the other, each time the one that explains
most; none that a pair contradicts, which is not slow although it has the cause.
Nodes that are slow with the same others are a group, where groups are not
given."""
import collections
import itertools
import math
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from verbsperf.findings.observed import ANY, Observed
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats.libraries import Floats, Integers, Mask, numpy

Ends = frozenset[End]

BOTH, SENDS, RECEIVES = "both", "sends", "receives"
LEAST_SPREAD = 5e-4     # measurements do not repeat better
APART = 4.0             # deviations between two clusters of rates
FEW = 6                 # of so few values the spread is a guess
ALIKE = 4.0             # deviations by which nodes of a group differ
NEAREST = 1.6           # how much nearer than others the nearest is by chance
LESS = 5.0              # evidence that a suspect does not need
SOME = 3                # as many causes are said by themselves


class Cause(NamedTuple):
    """All pairs of an end of ENDS with one of OTHERS, in a direction."""

    kind: str
    ends: Ends
    others: Optional[Ends] = None       # None: with all
    way: str = BOTH                     # what ENDS do
    pairs: frozenset[tuple[End, End]] = frozenset()     # only these, if any

    def covers(self, pair: Pair) -> bool:
        """PAIR has this cause."""
        if self.pairs:
            return pair[:2] in self.pairs
        return any(one in self.ends and (self.others is None
                                         or other in self.others)
                   for way, one, other in ((SENDS, *pair[:2]),
                                           (RECEIVES, pair[1], pair[0]))
                   if self.way in (BOTH, way))

    def touches(self, pair: Pair) -> bool:
        """PAIR has this cause in either direction."""
        return self.covers(pair) or self.covers(pair.turned())


class Chosen(NamedTuple):
    """A cause, which observations have it, and how slow they are."""

    cause: Cause
    mask: Mask
    level: float
    gain: float     # how much it explains


def clusters(values: Floats) -> tuple[int, float, float]:
    """Divide the ordered VALUES in two; return (how many are lower, how far
    the halves are apart, how much each spreads)."""
    n = len(values)
    ranks = numpy.arange(1, n)
    sums, squares = numpy.cumsum(values), numpy.cumsum(values ** 2)
    low = sums[:-1] / ranks
    high = (sums[-1] - sums[:-1]) / (n - ranks)
    k = int(numpy.argmax(ranks * (n - ranks) * (high - low) ** 2)) + 1
    within = (squares[-1] - k * low[k - 1] ** 2
              - (n - k) * high[k - 1] ** 2) / max(1, n - 2)
    return k, float(high[k - 1] - low[k - 1]), math.sqrt(max(0.0, within))


def usual_of(values: Floats, least: float) -> tuple[float, float]:
    """Return (the middle, the spread) of the fastest cluster of VALUES: the
    slower one may be the larger."""
    order, spread = numpy.sort(values), 0.0
    while len(order) >= FEW or len(order) == len(values) > 1:
        k, apart, within = clusters(order)
        if apart < max(least, APART * max(within, LEAST_SPREAD)):
            break
        order, spread = order[k:], within
    middle = middle_of(order)
    own = 1.4826 * middle_of(numpy.abs(order - middle))
    return middle, max(own, spread if len(order) < FEW else 0.0, LEAST_SPREAD)


def middle_of(values: Floats) -> float:
    """Return the middle one of VALUES, sooner than numpy does."""
    order = numpy.sort(values)
    return float(order[len(order) // 2] + order[(len(order) - 1) // 2]) / 2


class Table:
    """What was observed, against what is usual: as logarithms, the slower the
    less.  Those of one sort are compared with each other."""

    def __init__(self, observed: Sequence[Observed], least: float,
                 healthy: Optional[Mask] = None) -> None:
        self.pairs, self.least = [one.pair for one in observed], least
        self.ends = sorted({end for pair in self.pairs for end in pair[:2]})
        place = {end: i for i, end in enumerate(self.ends)}
        self.sides = numpy.array([[place[a], place[b]]
                                  for a, b, _ in self.pairs]).T
        self.sorts = numpy.array([one.sort for one in observed])
        self.slowness = numpy.array([one.value for one in observed])
        self.spread = numpy.empty(len(observed))
        self.masks: dict[Cause, Mask] = {}
        for sort in set(self.sorts):
            own = self.sorts == sort
            known = own if healthy is None else own & healthy
            middle, self.spread[own] = usual_of(
                self.slowness[known if known.any() else own], least)
            self.slowness[own] -= middle

    def mask(self, cause: Cause) -> Mask:
        """Say which observations have CAUSE."""
        if cause not in self.masks:
            self.masks[cause] = numpy.array(
                [cause.covers(pair) for pair in self.pairs]
            ) if cause.pairs else self.mask_of(cause)
        return self.masks[cause]

    def mask_of(self, cause: Cause) -> Mask:
        """Find out the same, sooner than cause.covers() does."""
        one, other = (numpy.array([some is None or end in some
                                   for end in self.ends])
                      for some in (cause.ends, cause.others))
        client, server = self.sides
        found = numpy.zeros(len(self.pairs), dtype=bool)
        if cause.way != RECEIVES:
            found |= one[client] & other[server]
        if cause.way != SENDS:
            found |= one[server] & other[client]
        return found

    def respread(self, chosen: Sequence[Chosen]) -> None:
        """Take the spread from what CHOSEN leave, but for single pairs."""
        left = self.slowness - self.fitted(chosen)
        known = numpy.ones(len(left), dtype=bool)
        for one in chosen:
            known[one.mask] &= one.mask.sum() >= SOME
        for sort in set(self.sorts[known]):
            own = self.sorts == sort
            self.spread[own] = max(LEAST_SPREAD, 1.4826 * middle_of(
                numpy.abs(left[own & known])))

    def fitted(self, chosen: Sequence[Chosen]) -> Floats:
        """Return how slow the observations are by CHOSEN."""
        found = numpy.zeros(len(self.pairs))
        for one in chosen:
            found[one.mask] = numpy.minimum(found[one.mask], one.level)
        return found


class Search:
    """Looks for the causes of what is slow in TABLE, SUSPECTED ones first."""

    def __init__(self, table: Table, groups: Sequence[Ends], everyone: Ends,
                 suspected: Sequence[Cause] = ()) -> None:
        self.table, self.groups, self.everyone = table, groups, everyone
        self.suspected = suspected
        count = 3 * len(table.ends) + len(table.pairs)
        # of as many candidates one explains so much by chance
        self.chance = 2 * math.log(count + 1) + 7
        # what several pairs have in common is tested again before it is said
        self.enough = self.chance - (0 if suspected else LESS)
        self.fit([])

    def fit(self, chosen: Sequence[Chosen]) -> None:
        """See what CHOSEN leave to explain."""
        table = self.table
        self.fitted = table.fitted(chosen)
        self.left = table.slowness - self.fitted
        # what is slow by itself, of each observation
        self.limit = -numpy.maximum(table.least,
                                    math.sqrt(self.chance) * table.spread)
        self.open = (self.fitted == 0) | (self.left < 1.5 * self.limit)

    def run(self) -> list[Chosen]:
        """Return the causes, found again when it is known what is chance."""
        chosen = self.choose()
        if chosen:
            self.table.respread(chosen)
            chosen = self.choose()
        return chosen

    def choose(self) -> list[Chosen]:
        """Choose causes until what is left is chance; single pairs last."""
        chosen: list[Chosen] = []
        for candidates in (self.wide, self.single):
            while True:
                self.fit(chosen)
                best = max(filter(None, map(self.rate, candidates())),
                           key=lambda one: one.gain, default=None)
                if best is None:
                    break
                chosen.append(best)
        for one in reversed(chosen[:]):
            others = [other for other in chosen if other is not one]
            if self.is_idle(one, others):
                chosen = others
        return chosen

    def is_idle(self, one: Chosen, others: Sequence[Chosen]) -> bool:
        """All that ONE explains OTHERS explain, too."""
        fitted = self.table.fitted(others)
        return bool((fitted[one.mask] < 0.8 * one.level).all())

    def rate(self, cause: Cause) -> Optional[Chosen]:
        """Return what CAUSE explains; None if it is chance, or contradicted."""
        table = self.table
        mask = table.mask(cause)
        open_ = mask & self.open
        if not open_.any():
            return None
        level = middle_of(table.slowness[open_])
        if level > -0.8 * table.least:
            return None
        above = table.slowness[mask] - level
        wrong = above > numpy.maximum(-level / 2, 4 * table.spread[mask])
        if wrong.mean() > (0.25 if cause.pairs else 0.02):
            return None
        with_it = table.slowness[open_] - numpy.minimum(self.fitted[open_],
                                                        level)
        # what is slower still than by one deviation says no more for it
        spread = table.spread[open_]
        gains = numpy.minimum(self.left[open_] ** 2 - with_it ** 2,
                              level ** 2 - 2 * level * spread) / spread ** 2
        enough, common = self.chance, gains
        if cause.kind != "path":
            enough = self.enough
            # the only one that is slow by itself says nothing for the others
            alone = self.left[open_] < self.limit[open_]
            if alone.sum() == 1 < len(gains):
                common = gains[~alone]
        return Chosen(cause, mask, level, float(gains.sum())) if (
            common.mean() * len(gains) >= enough) else None

    def single(self) -> Iterator[Cause]:
        """Yield pairs that are slow by themselves."""
        for pair in sorted({self.table.pairs[i][:2] for i in
                            numpy.flatnonzero(self.left < self.limit)}):
            if ANY not in pair:
                yield from ways("path", frozenset(pair[:1]),
                                frozenset(pair[1:]))

    def wide(self) -> Iterator[Cause]:
        """Yield what several pairs have in common that are slow on average."""
        yield from self.suspected
        ends, (client, server) = self.table.ends, self.table.sides
        n = len(ends)
        for way, numbers in ((SENDS, [client]), (RECEIVES, [server]),
                             (BOTH, [client, server])):
            for i in self.slow_on_average(numbers, n):
                cause = Cause("node", frozenset((ends[i],)), None, way)
                if ends[i] != ANY and self.has_partners(cause):
                    yield cause
        yield from self.of_groups()
        devices = {end.device for end in ends if end != ANY}
        for device in sorted(devices) if len(devices) > 1 else ():
            yield Cause("rail", frozenset(end for end in ends
                                          if end.device == device))

    def has_partners(self, cause: Cause) -> bool:
        """More than one pair says that it is a node: its port, or two."""
        sides = self.table.sides[:, self.table.mask(cause)]
        others = {self.table.ends[i] for i in sides.flat} - cause.ends
        return len(others) > 1 or ANY in others

    def slow_on_average(self, numbers: Sequence[Integers], n: int) -> list[int]:
        """Return which of N sets are slow on the average beyond what is
        fitted; NUMBERS say in which sets an observation is, -1 in none."""
        total, count = numpy.zeros(n), numpy.zeros(n)
        for number in numbers:
            known = self.open & (number >= 0)
            total += numpy.bincount(number[known], self.left[known], n)
            count += numpy.bincount(number[known], minlength=n)
        return [int(i) for i in numpy.flatnonzero((count > 0) & (
            total < -0.4 * self.table.least * count))]

    def of_groups(self) -> Iterator[Cause]:
        """Yield groups: with all, inside, with all others, with each other."""
        n = len(self.groups)
        for one in self.groups:
            if one < self.everyone:
                rest = self.everyone - one
                yield from ways("nodes", one, None)
                if len({end.node for end in one}) > 2:
                    yield Cause("group", one, one)
                if len(one) < len(rest):
                    yield from ways("uplink", one, rest)
        place = {end: i for i, some in enumerate(self.groups) for end in some}
        a, b = numpy.array([place.get(end, -1) for end in self.table.ends]
                           )[self.table.sides]
        pair = numpy.where((a == b) | (numpy.minimum(a, b) < 0), -1,
                           numpy.minimum(a, b) * n + numpy.maximum(a, b))
        for number in self.slow_on_average([pair], n * n) if n else ():
            yield from ways("trunk", self.groups[number // n],
                            self.groups[number % n])


def ways(kind: str, ends: Ends, others: Optional[Ends]) -> Iterator[Cause]:
    """Yield a cause in one direction, and in both: of two that explain the
    same the one that says less is first."""
    for way in (SENDS, RECEIVES, BOTH):
        yield Cause(kind, ends, others, way)


def groups_of(table: Table) -> list[Ends]:
    """Find nodes that are slow with the same others."""
    nodes = sorted({end.node for end in table.ends} - {ANY.node})
    place = {node: i for i, node in enumerate(nodes)}
    n = len(nodes)
    total, count = numpy.zeros((n, n)), numpy.zeros((n, n))
    real = [i for i, pair in enumerate(table.pairs) if ANY not in pair[:2]]
    clients, servers = ([place[end.node] for end in ends] for ends in zip(*(
        table.pairs[i][:2] for i in real)))
    for where in (clients, servers), (servers, clients):
        numpy.add.at(total, where, table.slowness[real])
        numpy.add.at(count, where, 1)
    known = (count > 0).astype(float)
    mean = numpy.where(count > 0, total / numpy.maximum(count, 1), 0.0)
    common = known @ known.T
    square = (mean ** 2) @ known.T
    distance = square + square.T - 2 * mean @ mean.T
    # each has one at least that is alike, whose distance says what chance is
    each = numpy.where((common >= SOME) & ~numpy.eye(n, dtype=bool),
                       distance / numpy.maximum(common, 1), numpy.inf)
    chance = max(2 * middle_of(table.spread) ** 2,
                 NEAREST * middle_of(each.min(axis=1, initial=1.0)))
    slow = table.slowness[table.slowness < -numpy.maximum(
        table.least, ALIKE * table.spread)]
    mild = float(numpy.quantile(slow, 0.75)) if len(slow) else 0.0
    excess = each - (table.least / 2) ** 2 - numpy.maximum(
        chance * (1 + ALIKE * numpy.sqrt(2 / numpy.maximum(common, 1))),
        mild ** 2 / 2 / numpy.maximum(common, 1))
    found: list[list[int]] = []
    for i in range(n):
        best = min(found, key=lambda some: float(excess[i, some].mean()),
                   default=None)
        if best is not None and excess[i, best].mean() < 0:
            best.append(i)
        else:
            found.append([i])
    return [frozenset(end for end in table.ends if end.node in {
        nodes[i] for i in some}) for some in found if len(some) > 1]


def cover(pairs: Iterable[tuple[End, End]]) -> list[End]:
    """Return few ends that all PAIRS have, those of most pairs first."""
    left, found = set(pairs), []
    while left:
        count = collections.Counter(itertools.chain.from_iterable(left))
        found.append(max(count, key=lambda end: (count[end], end)))
        left = {pair for pair in left if found[-1] not in pair}
    return found


def folded(chosen: Sequence[Chosen], table: Table, given: bool) -> list[Cause]:
    """Return the causes CHOSEN, where many single paths are one: all slow
    paths of a node, or of some.  A path is also between groups that were not
    GIVEN but found."""
    kinds = ("path",) if given else ("path", "trunk")
    paths = [one for one in chosen if one.cause.kind in kinds]
    if len(paths) <= SOME:
        return [one.cause for one in chosen]
    pairs = frozenset((pair.client, pair.server) for one in paths
                      for pair in itertools.compress(table.pairs, one.mask))
    ends, every = cover(pairs), {*itertools.chain.from_iterable(pairs)}
    if len(every) <= 2 * len(ends):
        # both sides are as few
        ends = sorted(every)
    return [one.cause for one in chosen if one.cause.kind not in kinds] + [
        Cause("paths", frozenset(ends), None, BOTH, pairs)]
