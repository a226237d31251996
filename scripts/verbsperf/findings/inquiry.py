"""Which node, path or rail is slow, from what pairs reached.

What is slower than usual is suspect, and is tested again, alone and with other
partners, before anything is said."""
import random
import statistics
from typing import (Awaitable, Callable, Dict, Iterable, List, Optional,
                    Sequence, Set, Tuple)

from verbsperf.documents.jsonfile import Object
from verbsperf.findings.trial import Trial, directions_of
from verbsperf.findings.usual import (LEAST, RATES, Measured, Speeds, Usual,
                                      scores_of, speed_of, suspects_of,
                                      upper_median, usual_of)
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import End, Pair

PARTNERS = 5            # that a suspect end is tested with
ELSEWHERE = 3           # that an end of a slow pair is tested with, at most
MOST_SUSPECTS = 16      # ends, and as many paths, that are tested again

# Runs pairs at the same time; returns the value of each.
Measure = Callable[[List[Pair]], Awaitable[List[Optional[float]]]]


def ratio_text(ratio: float, metric: str) -> str:
    """Say what a speed RATIO to the usual one means for METRIC."""
    if metric in RATES:
        return f"{ratio * 100:.0f}% of the median"
    if not ratio:
        return "no answer"
    return f"a latency of {1 / ratio:.2g} times the median"


def finding(kind: str, ends: Sequence[End], ratio: Optional[float],
            sentence: str, **more: object) -> Object:
    """Return a finding as the file has it."""
    return {"kind": kind, "ends": [
        {"node": end.node, "device": end.device} for end in ends],
        "ratio": ratio, "sentence": sentence, **more}


def reversed_pair(pair: Pair) -> Pair:
    """Return PAIR in the other direction."""
    return Pair(pair.server, pair.client, pair.rail)


class Inquiry:
    """Suspects of one point of measurement, and what becomes of them."""

    def __init__(self, measured: Sequence[Measured], metric: str,
                 measure: Measure, seed: int = 0) -> None:
        self.metric, self.measure = metric, measure
        self.source = random.Random(seed)
        # the speeds by rail and round, and those that are compared
        self.rounds: Dict[int, Dict[int, Speeds]] = {}
        for one in measured:
            self.rounds.setdefault(one.pair.rail, {}).setdefault(
                one.round, {})[one.pair] = speed_of(one.value, metric)
        self.by_rail = {rail: self.comparable(rounds)
                        for rail, rounds in self.rounds.items()}
        self.usual = {rail: usual_of(speeds, metric)
                      for rail, speeds in self.by_rail.items()}
        self.scores = {rail: scores_of(speeds)
                       for rail, speeds in self.by_rail.items()}
        # what a pair reaches that is measured alone
        self.alone = dict(self.usual)
        self.findings: List[Object] = []
        self.notes: List[str] = []
        self.suspected: Dict[int, Set[End]] = {}
        self.paths: Dict[int, Set[Pair]] = {}
        self.tested: Set[End] = set()
        self.cleared: Set[End] = set()

    def comparable(self, rounds: Dict[int, Speeds]) -> Speeds:
        """Return the speeds of ROUNDS that are compared with each other."""
        return {pair: speed for speeds in rounds.values()
                for pair, speed in speeds.items()}

    async def run(self) -> None:
        """Find suspects, and test them again."""
        await self.look_at_rails()
        every = [pair for speeds in self.by_rail.values() for pair in speeds]
        if len(every) == 1:
            self.notes.append(f"{every[0].text()}: the only pair, so that "
                              "there is nothing to compare it with")
        for rail in sorted(self.by_rail):
            ends, pairs = self.suspects(rail)
            self.suspected[rail], self.paths[rail] = set(ends), set(pairs)
            if (ends or pairs) and await self.is_prepared(rail, ends, pairs):
                await self.test(rail, ends, pairs)

    def slow_pairs(self, rail: int) -> Set[Pair]:
        """Return the pairs of RAIL that were slow in the rounds."""
        limit = self.usual[rail].limit
        return {pair for pair, speed in self.by_rail[rail].items()
                if speed < limit}

    def suspects(self, rail: int) -> Tuple[List[End], List[Pair]]:
        """Return the ends, and the pairs by themselves, that are suspect."""
        return suspects_of(self.slow_pairs(rail), self.by_rail[rail])

    async def is_prepared(self, _rail: int, _ends: Sequence[End],
                          _pairs: Sequence[Pair]) -> bool:
        """Measure what is needed to judge suspects; return False when that is
        not possible."""
        return True

    async def test(self, rail: int, ends: Sequence[End],
                   pairs: Sequence[Pair]) -> None:
        """Test the suspect ENDS and PAIRS of RAIL again."""
        for end in ends[:MOST_SUSPECTS]:
            await self.test_end(end, rail)
        self.note_more("nodes", [end.text() for end in ends[MOST_SUSPECTS:]])
        await self.test_paths(pairs, rail)

    def note_more(self, kind: str, left: Sequence[str]) -> None:
        """Say of which of KIND too many were slow to test what is LEFT."""
        if left:
            self.notes.append(f"{len(left)} more {kind} were slow, and not "
                              f"tested again: {left[0]}"
                              + (", ..." * (len(left) > 1)))

    def pass_end(self, end: End) -> None:
        """END was slow in the rounds, and is not alone."""
        self.notes.append(
            f"{end.text()}: slow in the rounds, and not when it was tested"
            " again alone: something passed, or pairs share a path")

    def pass_pair(self, pair: Pair) -> None:
        """PAIR was slow in its round, and is not alone."""
        self.notes.append(
            f"{pair.text()}: slow in its round, and not when it was tested"
            " again alone: something passed, or pairs share a path")

    async def speed(self, pair: Pair) -> Optional[float]:
        """Measure PAIR alone."""
        value, = await self.measure([pair])
        return None if value is None else speed_of(value, self.metric)

    async def try_both(self, trial: Trial, one: End, other: End, rail: int
                       ) -> None:
        """Add what ONE and OTHER reach, in both directions, to TRIAL."""
        pair = Pair(one, other, rail)
        for sends, way in ((True, pair), (False, reversed_pair(pair))):
            speed = await self.speed(way)
            if speed is not None:
                trial.speeds[sends].append(speed)
                trial.partners.add(other)

    def partners(self, end: End, rail: int, but: Iterable[End], number: int
                 ) -> List[End]:
        """Choose NUMBER ends of RAIL to test END with: those that nothing is
        known against, or that were fast with another partner; then those that
        are slow with another node only."""
        paths, limit = self.paths[rail], self.usual[rail].limit
        apart = {one for pair in paths for one in pair[:2]} - self.cleared
        mine = {one for pair in paths if end in pair[:2] for one in pair[:2]}
        fast = sorted(
            one for one, score in self.scores[rail].items()
            if one not in {end, *but} and (
                one in self.cleared or one not in self.suspected[rail]
                and score >= limit))
        best = [one for one in fast if one not in apart]
        chosen = self.source.sample(best, min(number, len(best)))
        rest = [one for one in fast if one in apart - mine]
        return chosen + self.source.sample(
            rest, min(number - len(chosen), len(rest)))

    async def test_end(self, end: End, rail: int) -> Optional[bool]:
        """Test END with other partners; say what is wrong with it. Returns
        None when there is nobody to test it with."""
        if end in self.tested:
            return any(end == End(**one) for found in self.findings
                       for one in found["ends"])
        self.tested.add(end)
        usual, trial = self.alone[rail], Trial()
        partners = self.partners(end, rail, (), PARTNERS)
        for again in range(2):
            for other in partners:
                await self.try_both(trial, end, other, rail)
            slow = trial.slow(usual.limit, True) + trial.slow(usual.limit,
                                                              False)
            if slow > 1 or again:
                break
        if not trial.count():
            self.notes.append(f"{end.text()}: slow, and there was no other "
                              "node to test it with")
            return None
        return self.judge_end(end, trial, slow, usual)

    def judge_end(self, end: End, trial: Trial, slow: int, usual: Usual
                  ) -> bool:
        """Say what TRIAL, with SLOW results, says of END."""
        if slow < 2:
            self.pass_end(end)
            return False
        where = directions_of(trial, usual)
        ratio = trial.middle(usual.limit, where) / usual.speed
        n = len(trial.partners)
        more = {"tested": trial.count(), "slow": slow, "direction": where}
        if where is None:
            self.findings.append(finding(
                "unsteady", [end], ratio, f"{end.text()}: slow in {slow} of "
                f"{trial.count()} tests, down to "
                f"{ratio_text(ratio, self.metric)}, and not in the others: "
                "look for other work on the node, and errors of its link",
                **more))
        else:
            self.findings.append(finding(
                "node", [end], ratio,
                f"{end.text()}: {ratio_text(ratio, self.metric)} {where} with "
                f"{n} of {n} partners: look at the node's port, cable, PCIe",
                **more))
        return True

    async def test_paths(self, pairs: Sequence[Pair], rail: int) -> None:
        """Test PAIRS again alone, and their ends with others; say what is
        left."""
        bad: List[Tuple[Pair, float, str]] = []
        some = self.some_of(pairs)
        for pair in some:
            found = await self.test_path(pair, rail)
            if found is not None:
                bad.append((pair, *found))
        # those that were not tested are like those that were
        if len(bad) > 3 and 2 * len(bad) > len(some):
            self.findings.append(self.many_paths(bad, pairs))
            return
        self.note_more("paths", [pair.text() for pair in pairs
                                 if pair not in some])
        if len(bad) > 3:
            self.findings.append(self.many_paths(
                bad, [pair for pair, _, _ in bad]))
            return
        for pair, ratio, where in bad:
            self.findings.append(finding(
                "path", pair[:2], ratio,
                f"{pair.text()} only: {ratio_text(ratio, self.metric)} "
                f"{where}, and both are fast with others: look at the path "
                "between them"))

    async def test_path(self, pair: Pair, rail: int
                        ) -> Optional[Tuple[float, str]]:
        """Return (ratio, in which direction) when PAIR is slow by itself."""
        usual, trial = self.alone[rail], Trial()
        for _ in range(2):
            await self.try_both(trial, *pair[:2], rail)
        where = directions_of(trial, usual)
        if where is None:
            self.pass_pair(pair)
            return None
        ratio = trial.middle(usual.limit, where) / usual.speed
        if not self.partners(pair.client, rail, pair[:2], 1):
            self.notes.append(f"{pair.text()}: which of both is slow is "
                              "not known without another node")
        # first both: whichever is fast is a partner for the other
        for end in [end for end in pair[:2]
                    if await self.is_slow_elsewhere(end, pair, rail)]:
            if await self.test_end(end, rail):
                return None
        where = where.replace("it sends", f"{pair.client.node} sends").replace(
            "it receives", f"{pair.server.node} sends")
        return ratio, where

    async def is_slow_elsewhere(self, end: End, pair: Pair, rail: int
                                ) -> bool:
        """Test END of PAIR with other partners, until it is fast with one: it
        may have more than one slow path."""
        usual, trial, slow = self.alone[rail], Trial(), False
        for other in self.partners(end, rail, pair[:2], ELSEWHERE):
            await self.try_both(trial, end, other, rail)
            slow = any(own and trial.slow(usual.limit, way) == len(own)
                       for way, own in trial.speeds.items())
            if trial.count() and not slow:
                self.cleared.add(end)
                break
        return slow

    def some_of(self, pairs: Sequence[Pair]) -> List[Pair]:
        """Choose those of PAIRS that are tested again: not the first ones,
        which have the same nodes."""
        return sorted(self.source.sample(list(pairs), min(MOST_SUSPECTS,
                                                          len(pairs))))

    def many_paths(self, bad: Sequence[Tuple[Pair, float, str]],
                   slow: Sequence[Pair]) -> Object:
        """Say in one sentence what the SLOW paths, of which those that are BAD
        were tested, have in common."""
        left = set(slow)
        common: List[End] = []
        while left:
            count: Dict[End, int] = {}
            for pair in left:
                for end in pair[:2]:
                    count[end] = count.get(end, 0) + 1
            common.append(max(count, key=lambda end: (count[end], end)))
            left = {pair for pair in left if common[-1] not in pair[:2]}
        ratio = statistics.median(ratio for _, ratio, _ in bad)
        nodes = nodesets.fold(sorted({end.node for end in common}))
        return finding(
            "paths", sorted(common), ratio,
            f"{len(slow)} paths of {nodes}: {ratio_text(ratio, self.metric)}, and "
            "their ends are fast with others: look at the links between their "
            "switches", paths=[[pair.client.node, pair.server.node]
                               for pair, _, _ in bad])

    async def look_at_rails(self) -> None:
        """Compare the rails with each other, and test slow ones again, beside
        the fastest."""
        speeds = {rail: self.rail_speed(rail) for rail in self.by_rail}
        best = upper_median(speeds.values())
        least = 1 - LEAST.get(self.metric, 0.1)
        slow = [rail for rail, speed in sorted(speeds.items())
                if speed < least * best]
        if not slow:
            return
        usual = await self.alone_on(max(speeds, key=lambda rail: (
            speeds[rail], -rail)))
        for rail in slow:
            found = await self.alone_on(rail)
            if found and usual and found < least * usual:
                self.findings.append(self.slow_rail(rail, found / usual))

    def rail_speed(self, rail: int) -> float:
        """Return what pairs of RAIL usually reached in the rounds."""
        return self.usual[rail].speed

    async def alone_on(self, rail: int) -> Optional[float]:
        """Return the middle of what some pairs of RAIL reach alone."""
        pairs = sorted(self.by_rail[rail])
        some = self.source.sample(pairs, min(PARTNERS, len(pairs)))
        found = [speed for speed in [await self.speed(pair) for pair in some]
                 if speed is not None]
        return statistics.median(found) if found else None

    def slow_rail(self, rail: int, ratio: float) -> Object:
        """Return the finding that RAIL reaches RATIO of the others."""
        device = next(iter(self.by_rail[rail])).client.device
        return finding(
            "rail", [End("*", device)], ratio,
            f"rail {rail} ({device}): {ratio_text(ratio, self.metric)} of the "
            "other rails, on all nodes: look at its switches and their "
            "settings", rail=rail)
