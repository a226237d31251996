"""Which nodes, paths, groups and rails are slow, from what pairs reached.

What explains the rounds is suspect.  It is tested again: pairs that have the
cause and pairs that have none in turn, each alone.  What these tests show is
explained in the same way, and said when it is more than chance and more than
the tolerance.  A suspect that is not slow alone has its rounds repeated, and
may be slow in them only."""
import itertools
import math
import random
from typing import Awaitable, Callable, Iterator, Optional, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.results import grouped
from verbsperf.findings import words
from verbsperf.findings.causes import (SOME, Cause, Chosen, Ends, Search,
                                       Table, folded, groups_of, ways)
from verbsperf.findings.observed import (ALPHA, ANY, IN, OUT, PAIR, Comparison,
                                         Measured, Observed, Speeds,
                                         are_shared, compared, logarithm,
                                         most_pairs, observed_of, speed_of,
                                         spread_of, too_few)
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats import ranks
from verbsperf.stats.libraries import Mask, numpy

# Beyond so much of what is usual something is slow.
RATE_TOLERANCE, TIME_TOLERANCE = 0.03, 0.10
SWEEPS = 3              # through all suspects before anything is said, at least
FEWEST_TESTS = 36       # may be made, and more after many rounds
UNFAIR = 0.2            # by which parts of a port differ by chance
AGAIN = 12              # rounds may be repeated
CERTAIN = 1e-4          # chance, and no more rounds are needed

# Runs pairs at the same time; returns the value of each.
Measure = Callable[[list[Pair]], Awaitable[list[Optional[float]]]]


def usual_tolerance(metric: str) -> float:
    """Return by which share METRIC may be slower."""
    return RATE_TOLERANCE if METRICS[metric].is_rate else TIME_TOLERANCE


class Inquiry:
    """Suspects of one point of measurement, and what becomes of them."""

    def __init__(self, measured: Sequence[Measured], metric: str,
                 measure: Measure, seed: int = 0,
                 groups: Sequence[Sequence[str]] = (),
                 tolerance: Optional[float] = None, test: str = "") -> None:
        self.metric, self.measure = metric, measure
        self.source = random.Random(seed)
        self.words = words.Words(metric, test)
        usual = usual_tolerance(metric)
        self.least = -math.log(1 - (usual if tolerance is None else tolerance))
        self.rounds: dict[int, Speeds] = {}
        for one in measured:
            self.rounds.setdefault(one.round, {})[one.pair] = speed_of(
                one.value, metric)
        self.pairs = sorted({one.pair for one in measured})
        self.everyone = frozenset(end for pair in self.pairs
                                  for end in pair[:2])
        self.groups = [one for one in (frozenset(
            end for end in self.everyone if end.node in set(nodes))
            for nodes in groups) if len(one) > 1]
        self.most = most_pairs(self.rounds.values())
        # a node sends and receives in one round
        self.duplex = any({pair.client.node for pair in speeds}
                          & {pair.server.node for pair in speeds}
                          for speeds in self.rounds.values())
        self.carried: list[Cause] = []      # suspects, by what ports carried
        self.tests: list[Observed] = []     # made alone
        self.findings: list[Object] = []
        self.notes: list[str] = []
        # those of them that leave open whether something is slow
        self.inconclusive: list[str] = []

    async def run(self) -> None:
        """Find suspects, and test them again."""
        if len(self.pairs) == 1:
            self.notes.append(f"{self.pairs[0].text()}: the only pair, so that"
                              " there is nothing to compare it with")
            return
        observed = observed_of(self.rounds.values(), self.metric, self.most)
        few = too_few(observed)
        if few:
            nodes = sorted(end.text() for port in few for end in port[:2]
                           if end != ANY)
            self.notes.append(f"{', '.join(nodes)}: not compared by what it "
                              "carried in its turn: fewer than 3 nodes had "
                              "one")
        compared_ones = [one for one in observed if one.pair not in few]
        suspects = self.suspects(compared_ones)
        if suspects:
            await self.examine(suspects)
        else:
            self.note_spread(compared_ones)

    def leave_open(self, sentence: str) -> None:
        """Note the SENTENCE that leaves open whether something is slow."""
        self.notes.append(sentence)
        self.inconclusive.append(sentence)

    def allowed(self, sort: int) -> float:
        """Return how much less is none of observations of this SORT."""
        shared = sort == PAIR and are_shared(self.rounds.values())
        return max(UNFAIR if shared else 0.0, self.least)

    def note_spread(self, observed: Sequence[Observed]) -> None:
        """Note when what was OBSERVED differs so much that something slow would
        not stand out."""
        for sort, some in grouped(observed, lambda one: one.sort).items():
            spread = spread_of([one.value for one in some])
            if spread > self.allowed(sort):
                self.leave_open(self.words.scattered(
                    sort == PAIR, spread, self.allowed(sort)))

    def suspects(self, observed: Sequence[Observed]) -> list[Cause]:
        """Return what explains what was OBSERVED: first what ports carried,
        where they are shared, then what pairs reached of ports that are not
        suspect."""
        found: list[Cause] = []
        for sorts in (OUT, IN), (PAIR,):
            some = [one for one in observed if one.sort in sorts and not any(
                cause.touches(one.pair) for cause in found)]
            if not some:
                continue
            table = Table(some, self.allowed(sorts[0]))
            given = bool(self.groups)
            if not given and PAIR in sorts:
                self.groups = groups_of(table)
            found += folded(Search(table, self.groups, self.everyone).run(),
                            table, given)
            if PAIR not in sorts:
                self.carried = found[:]
        return found

    async def examine(self, suspects: list[Cause]) -> None:
        """Test SUSPECTS again, and say what they are."""
        most = max(FEWEST_TESTS, 2 * len(self.rounds))
        some = self.affordable(suspects, most)
        plans = {cause: self.plan(cause, suspects) for cause in some}
        chosen: list[Chosen] = []
        for sweep in range(most):
            open_ = [one for one in some if sweep < SWEEPS
                     or not self.is_decided(one, chosen)]
            before = len(self.tests)
            for cause in open_:
                for pair in next(plans[cause])[2 * (cause != open_[0]):]:
                    await self.test(pair)
            chosen = self.explain(some)
            if not before < len(self.tests) < most:
                break
        unsteady = {one.ends: found for one in some
                    for found in (self.unsteady(one, chosen),) if found}
        self.findings += unsteady.values()
        chosen = [one for one in chosen if one.cause.kind != "path" or not any(
            ends & (one.cause.ends | (one.cause.others or frozenset()))
            for ends in unsteady)]
        self.say(chosen)
        doubtful = [one for one in some if one.ends not in unsteady
                    and not self.explaining(one, chosen)]
        if doubtful:
            await self.look_again(doubtful, suspects,
                                  [one.cause for one in chosen])

    def affordable(self, suspects: Sequence[Cause], most: int) -> list[Cause]:
        """Return SUSPECTS that MOST tests are enough for; note the others."""
        some: list[Cause] = []
        cost = 2
        for cause in suspects:
            cost += 4 if self.sides(cause) else 2
            if not some or SWEEPS * cost <= most:
                some.append(cause)
        if len(some) < len(suspects):
            left = [one for one in suspects if one not in some]
            note = (f"{len(left)} more were slow in the rounds, and not tested"
                    " again: " + "; ".join(map(self.words.where, left)))
            if all(map(self.may_be_farther, left)):
                self.notes.append(note)
            else:
                self.leave_open(note)
        return some

    async def test(self, pair: Pair) -> None:
        """Measure PAIR alone."""
        value, = await self.measure([pair])
        if value is not None:
            self.tests.append(Observed(pair, logarithm(speed_of(
                value, self.metric))))

    def plan(self, cause: Cause, suspects: Sequence[Cause]
             ) -> Iterator[list[Pair]]:
        """Yield what a sweep measures of CAUSE: a pair that has it, one that
        has not although an end is the same, and one that has nothing, each in
        both directions."""
        apart = [one for one in suspects if one != cause]

        def is_free(pair: Pair) -> bool:
            return not any(one.touches(pair) for one in apart)

        own = [pair for pair in self.pairs if cause.touches(pair)]
        own = self.spread_over([pair for pair in own if is_free(pair)] or own,
                               cause)
        contrasts = [one for one in (self.contrasts(cause, side, is_free)
                                     for side in self.sides(cause)) if one]
        rest = [pair for pair in self.pairs if is_free(pair)
                and not cause.touches(pair) and not (
                    len(cause.ends) == 1 and cause.ends & set(pair[:2]))]
        self.source.shuffle(rest)
        for sweep in itertools.count():
            some = [pairs[sweep % len(pairs)] for pairs in (rest, own) if pairs]
            if contrasts:
                pairs = contrasts[sweep % len(contrasts)]
                some.append(pairs[sweep // len(contrasts) % len(pairs)])
            yield [way for pair in some for way in (pair, pair.turned())]

    def spread_over(self, pairs: list[Pair], cause: Cause) -> list[Pair]:
        """Order PAIRS by chance, those first that have other ends than those
        before; the few of a CAUSE of some pairs come again and again."""
        self.source.shuffle(pairs)
        seen: set[End] = set()
        first = []
        for pair in pairs:
            own = set(pair[:2]) & (cause.ends if len(cause.ends) > 1
                                   else set(pair[:2]) - cause.ends)
            if not own <= seen:
                first.append(pair)
                seen |= own
        few = cause.pairs and len(cause.ends) == 1
        return first[:SWEEPS] if few else first + [
            pair for pair in pairs if pair not in first]

    @staticmethod
    def sides(cause: Cause) -> list[Ends]:
        """Return both sides of a CAUSE, or nodes slow with others only."""
        return [one for one in (cause.ends, cause.others)
                if one and (cause.others or len(cause.ends) > 1
                            and not cause.pairs)]

    def contrasts(self, cause: Cause, side: Ends,
                  is_free: Callable[[Pair], bool]) -> list[Pair]:
        """Return pairs of one SIDE of CAUSE that do not have it."""
        rails = {end: pair.rail for pair in self.pairs for end in pair[:2]}
        both = cause.ends | (cause.others or frozenset())
        found = [pair for one in sorted(side) for other in sorted(
            self.everyone) for pair in (Pair(one, other, rails[one]),)
            if one.node != other.node and rails[one] == rails[other]
            and is_free(pair) and (not cause.touches(pair)
                                   or cause.others is None and other in side)]
        away = [pair for pair in found if pair.server not in both]
        self.source.shuffle(found)
        self.source.shuffle(away)
        return away + [pair for pair in found if pair.server in both]

    def explain(self, suspects: Sequence[Cause]) -> list[Chosen]:
        """Return what explains the tests that were made."""
        if not self.tests:
            return []
        table = Table(self.tests, self.least, numpy.array([
            not any(one.covers(test.pair) for one in suspects)
            for test in self.tests]))
        found = Search(table, self.groups, self.everyone, [
            way for one in suspects for way in (
                [one] if one.pairs or one.kind in ("rail", "group")
                else ways(one.kind, one.ends, one.others))]).run()
        tested = numpy.array([any(one.touches(test.pair) for one in suspects)
                              for test in self.tests])
        # what only tests of others show by chance was not suspect
        return [one for one in found if tested[one.mask].mean() >= 0.25]

    def explaining(self, cause: Cause, chosen: Sequence[Chosen]
                   ) -> list[Chosen]:
        """Return those of CHOSEN that explain a test of CAUSE."""
        mask = self.mask_of(cause)
        return [one for one in chosen if (one.mask & mask).any()]

    def weigh(self, mask: Mask, chosen: Sequence[Chosen] = ()
              ) -> Optional[Comparison]:
        """Compare tests of MASK with those that no CHOSEN cause explains; not
        those that another explains, if there are some."""
        explained = numpy.zeros(len(self.tests), dtype=bool)
        for one in chosen:
            if one.mask is not mask:
                explained |= one.mask
        alone = mask & ~explained
        values = numpy.array([test.value for test in self.tests])
        own = values[alone if alone.any() else mask].tolist()
        others = values[~(mask | explained)].tolist()
        return compared(own, others) if own and others else None

    def mask_of(self, cause: Cause) -> Mask:
        """Say which tests have CAUSE, in either direction."""
        return numpy.array([cause.touches(test.pair)
                            for test in self.tests], dtype=bool)

    def is_decided(self, cause: Cause, chosen: Sequence[Chosen]) -> bool:
        """More tests of CAUSE would change nothing."""
        own = self.explaining(cause, chosen)
        unsteady = self.unsteady(cause, chosen)
        if unsteady and unsteady["slow"] >= SWEEPS:
            return True
        if own:
            return all(seen is not None and seen.is_sure(self.least)
                       for seen in (self.weigh(one.mask, chosen)
                                    for one in own))
        seen = self.weigh(self.mask_of(cause), chosen)
        return (seen is not None and seen.is_clear(self.least)
                and self.would_show(cause))

    def would_show(self, cause: Cause) -> bool:
        """A node would have been slow in its tests, if it was as often as in
        the rounds."""
        if cause.kind != "paths" or len(cause.ends) > 1:
            return True
        every = sum(not cause.ends.isdisjoint(pair[:2])
                    for pair in self.pairs)
        return (1 - len(cause.pairs) / every) ** int(
            self.mask_of(cause).sum()) < ALPHA

    def may_be_farther(self, cause: Cause) -> bool:
        """CAUSE is of nodes that may have a longer latency without a fault."""
        return (not METRICS[self.metric].is_rate
                and cause.kind in ("uplink", "trunk"))

    def note(self, name: str, cause: Cause, seen: Optional[Comparison] = None
             ) -> None:
        """Note by NAME what CAUSE is, which was SEEN so."""
        sentence = self.words.note(name, cause, seen)
        if name in words.OPEN:
            self.leave_open(sentence)
        else:
            self.notes.append(sentence)

    def say(self, chosen: Sequence[Chosen]) -> None:
        """Say what of CHOSEN is more than chance, and what is not."""
        for cause, mask, *_ in chosen:
            seen = self.weigh(mask, chosen)
            if seen is None:
                self.note("incomparable", cause)
            elif not seen.is_sure(self.least):
                self.note("inconclusive", cause, seen)
            elif self.may_be_farther(cause):
                self.note("farther", cause, seen)
            else:
                self.findings.append(self.words.slow(cause, seen, [
                    test.pair for test in itertools.compress(self.tests,
                                                             mask)]))

    def unsteady(self, cause: Cause, chosen: Sequence[Chosen]
                 ) -> Optional[Object]:
        """Return the finding that some tests of CAUSE were slow, and others
        were not, unless CHOSEN say which.  Of a node any test may be slow, so
        that many single paths are no explanation."""
        is_path, paths = cause.kind == "path", self.explaining(cause, chosen)
        own, others = ([i for i, test in enumerate(self.tests)
                        if (cause.touches(test.pair) if is_path else
                            not cause.ends.isdisjoint(test.pair[:2])) == has]
                       for has in (True, False))
        if (len(cause.ends) > 1 or min(len(own), len(others)) < 2 * SWEEPS
                or any(is_path or one.cause.kind != "path" for one in paths)):
            return None
        values = [test.value for test in self.tests]
        usual = ranks.median([values[i] for i in others])
        limit = usual - max(self.least, 3 * (usual - min(
            values[i] for i in others)))
        slow = [i for i in own if values[i] < limit]
        left = [i for i in slow if len(paths) > SOME
                or not any(one.mask[i] for one in paths)]
        fast = [values[i] for i in own if values[i] >= limit]
        # the others are as fast as those of others
        if len(left) < 2 or not fast or (ranks.median(fast)
                                         < usual - self.least / 2):
            return None
        return self.words.unsteady(
            cause, math.exp(min(values[i] for i in slow) - usual), len(slow),
            len(own), len(others))

    async def look_again(self, doubtful: Sequence[Cause],
                         suspects: Sequence[Cause], known: Sequence[Cause]
                         ) -> None:
        """Repeat rounds in which the DOUBTFUL causes were slow, and others;
        KNOWN causes were seen in tests alone."""
        count = {number: sum(
            any(cause.covers(one.pair) and (
                one.sort == PAIR or cause in self.carried)
                for cause in doubtful)
            for one in observed_of([speeds], self.metric, self.most))
            for number, speeds in self.rounds.items() if len(speeds) > 1}
        order = sorted(count, key=lambda number: -count[number])
        slow = [number for number in order if count[number]]
        # each round may have some of it: then those that have least
        turns = [slow, [number for number in order if not count[number]]
                 or order[::-1]]
        seen: list[Observed] = []
        for again in range(AGAIN if slow else 0):
            numbers = turns[again % 2]
            pairs = list(self.rounds[numbers[again // 2 % len(numbers)]])
            seen += observed_of([{
                pair: speed_of(value, self.metric) for pair, value
                in zip(pairs, await self.measure(pairs))
                if value is not None}], self.metric, self.most)
            if again >= SWEEPS and all(
                    loaded is None or loaded.p <= CERTAIN
                    or loaded.is_clear(self.least) for loaded in (
                        self.loaded(cause, suspects, known, seen)
                        for cause in doubtful)):
                break
        for cause in doubtful:
            self.say_doubtful(cause, self.loaded(cause, suspects, known,
                                                 seen))

    def loaded(self, cause: Cause, suspects: Sequence[Cause],
               known: Sequence[Cause], seen: Sequence[Observed]
               ) -> Optional[Comparison]:
        """Compare what was SEEN of CAUSE in repeated rounds with what has no
        suspect: what ports carried, or what pairs reached."""
        sorts = (OUT, IN) if cause in self.carried else (PAIR,)
        values: dict[bool, list[float]] = {True: [], False: []}
        for sort in sorts:
            some = [one for one in seen if one.sort == sort]
            free = [one.value for one in some if not any(
                other.covers(one.pair) for other in suspects)]
            if free:
                usual = ranks.median(free)
                values[False] += [value - usual for value in free]
                values[True] += [one.value - usual for one in some
                                 if cause.covers(one.pair) and not any(
                                     other.covers(one.pair)
                                     for other in known)]
        return compared(values[True], values[False]) if all(
            values.values()) else None

    def say_doubtful(self, cause: Cause, again: Optional[Comparison]) -> None:
        """Say what CAUSE is that is not slow alone, and AGAIN in rounds."""
        alone = self.weigh(self.mask_of(cause))
        if alone is None:
            self.note("incomparable", cause)
        elif alone.is_sure(self.least):
            self.findings.append(self.words.slow(cause, alone, [
                test.pair for test in self.tests
                if cause.touches(test.pair)]))
        elif again and again.is_sure(self.least):
            # what may be slow alone, too, is not said to be so by the load
            self.findings.append(self.words.repeated(
                cause, again, alone, None if math.log(alone.ratio)
                <= -self.least else self.words.load_of(
                    cause, self.most, self.duplex)))
        elif alone.is_clear(self.least):
            sort = IN if cause in self.carried else PAIR
            if again is None or again.is_clear(self.allowed(sort)):
                self.note("cleared", cause, alone)
            else:
                self.note("unrepeated", cause, again)
        else:
            self.note("inconclusive", cause, alone)
