"""What is slow where pairs share their nodes, or the links between switches.

In an incast, an outcast and an all-to-all a pair gets a part of what a port
carries.  So ports are compared, by what all their pairs reach together, with
those of the other nodes; and pairs by their share, which is what they reach to
the middle one of their port.  In a ring and in a bisection pairs have a port
for themselves, and are compared as they are.

A suspect is tested alone, and held against other pairs that are alone.  When it
is as fast as they are, its round is repeated: what is slow again is so under
this load only."""
import statistics
from typing import (Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple)

from verbsperf.findings.inquiry import Inquiry, finding, ratio_text
from verbsperf.findings.usual import (ENOUGH, RATES, Speeds, Usual, speed_of,
                                      suspects_of, upper_median, usual_among)
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import End, Pair

FEWEST_PORTS = 3        # that are compared with each other
MOST_AGAIN = 16         # rounds that are repeated
TOGETHER = 3            # as many that are slow have a finding each


class Port(NamedTuple):
    """One direction of an end."""

    end: End
    sends: bool


def by_port(speeds: Speeds) -> Dict[Port, List[float]]:
    """Return {port: what its pairs reached} of a round."""
    found: Dict[Port, List[float]] = {}
    for pair, speed in speeds.items():
        found.setdefault(Port(pair.client, True), []).append(speed)
        found.setdefault(Port(pair.server, False), []).append(speed)
    return found


def shares_of(speeds: Speeds) -> Speeds:
    """Return what the pairs of a round reached, to the middle one of their
    slower port; without those that have both ports for themselves."""
    middles = {port: statistics.median(own)
               for port, own in by_port(speeds).items() if len(own) > 1}
    found = {}
    for pair, speed in speeds.items():
        own = [middles[port] for port in (Port(pair.client, True),
                                          Port(pair.server, False))
               if port in middles]
        if own and min(own) > 0:
            found[pair] = speed / min(own)
    return found


class Loaded(Inquiry):
    """Suspects of a pattern whose pairs share ports, or links."""

    # Of the rail that is looked at: how many pairs a port has at most that
    # sends, or receives; what such ports usually carry, which carried less,
    # and what was slow in the rounds and is not alone.
    most: Dict[bool, int]
    ports: Dict[bool, Usual]
    low: Set[Port]
    passed_ends: List[End]
    passed_pairs: List[Pair]

    def comparable(self, rounds: Dict[int, Speeds]) -> Speeds:
        """Return the shares of pairs; their speeds where none shares a
        port."""
        found: Speeds = {}
        for speeds in rounds.values():
            found.update(shares_of(speeds))
        return found or super().comparable(rounds)

    def rail_speed(self, rail: int) -> float:
        """Return what pairs of RAIL usually reached in the rounds."""
        return upper_median(super().comparable(self.rounds[rail]).values())

    def is_shared(self, rail: int) -> bool:
        """Pairs of RAIL share ports."""
        return any(map(shares_of, self.rounds[rail].values()))

    def load(self, own: Sequence[float]) -> float:
        """Return what a port carries whose pairs reach OWN."""
        return sum(own) if self.metric in RATES else statistics.median(own)

    def loads_of(self, rounds: Iterable[Speeds]) -> Dict[Port, float]:
        """Return what each port usually carried in ROUNDS, of those in which
        it had about as many pairs as a port has at most."""
        found: Dict[Port, List[float]] = {}
        for speeds in rounds:
            for port, own in by_port(speeds).items():
                if len(own) >= max(2, self.most[port.sends] / 2):
                    found.setdefault(port, []).append(self.load(own))
        return {port: statistics.median(own) for port, own in found.items()}

    def suspects(self, rail: int) -> Tuple[List[End], List[Pair]]:
        """Return the ends of which a port carried less than others, or many
        pairs had less than their share; and pairs by themselves."""
        self.low, self.ports = set(), {}
        self.passed_ends, self.passed_pairs = [], []
        self.compare_ports(rail)
        ends = sorted({port.end for port in self.low})
        left = {pair: speed for pair, speed in self.by_rail[rail].items()
                if not set(ends) & set(pair[:2])}
        more, pairs = suspects_of(self.slow_pairs(rail) & left.keys(), left)
        return ends + more, pairs

    def compare_ports(self, rail: int) -> None:
        """Compare what the ports of RAIL carried when several pairs shared
        them."""
        rounds = self.rounds[rail].values()
        self.most = {sends: max(len(own) for speeds in rounds
                                for port, own in by_port(speeds).items()
                                if port.sends == sends)
                     for sends in (True, False)}
        loads = self.loads_of(rounds)
        for sends in (True, False):
            own = {port: load for port, load in loads.items()
                   if port.sends == sends}
            if len(own) >= FEWEST_PORTS:
                usual = usual_among(list(own.values()), self.metric)
                self.ports[sends] = usual
                self.low |= {port for port, load in own.items()
                             if load < usual.limit}
            elif own:
                self.notes.append(
                    f"{', '.join(port.end.text() for port in sorted(own))}: "
                    "not compared by what it carried in its turn: fewer than "
                    f"{FEWEST_PORTS} nodes had one")

    async def is_prepared(self, rail: int, ends: Sequence[End],
                          pairs: Sequence[Pair]) -> bool:
        """Measure alone what pairs reach that nothing is known against."""
        slow = self.slow_pairs(rail)
        fast = sorted(pair for pair in self.by_rail[rail] if pair not in slow
                      and not set(ends) & set(pair[:2]))
        apart = {end for pair in pairs for end in pair[:2]}
        best = [pair for pair in fast if not apart & set(pair[:2])] or fast
        speeds = [await self.speed(pair) for pair in self.source.sample(
            best, min(ENOUGH, len(best)))]
        good = [speed for speed in speeds if speed is not None]
        if not good:
            named = [*(end.text() for end in ends),
                     *(pair.text() for pair in pairs)]
            self.notes.append(
                f"{', '.join(named[:3])}: slow in the rounds, and there are no"
                " others to compare with")
            return False
        self.alone[rail] = usual_among(good, self.metric)
        return True

    async def test(self, rail: int, ends: Sequence[End],
                   pairs: Sequence[Pair]) -> None:
        """Test suspects alone, and what is fast then in its round again."""
        await super().test(rail, ends, pairs)
        if self.passed_ends or self.passed_pairs:
            await self.look_again(rail)

    def pass_end(self, end: End) -> None:
        """END was slow in the rounds, and is not alone."""
        self.passed_ends.append(end)

    def pass_pair(self, pair: Pair) -> None:
        """PAIR was slow in its round, and is not alone."""
        self.passed_pairs.append(pair)

    def rounds_with(self, rail: int) -> List[int]:
        """Return the rounds in which what is fast alone was slow."""
        slow, numbers = self.slow_pairs(rail), []
        for number, speeds in sorted(self.rounds[rail].items()):
            ports = by_port(speeds)
            if (any(len(ports.get(port, ())) > 1 for port in self.low
                    if port.end in self.passed_ends)
                    or slow & speeds.keys() & set(self.passed_pairs)
                    or any(set(pair[:2]) & set(self.passed_ends)
                           for pair in slow & speeds.keys())):
                numbers.append(number)
        return numbers[:MOST_AGAIN]

    async def look_again(self, rail: int) -> None:
        """Repeat the rounds of what is fast alone, on all rails, and say what
        is slow in them again."""
        again: Dict[int, Speeds] = {}
        for number in self.rounds_with(rail):
            pairs = [pair for rounds in self.rounds.values()
                     for pair in rounds.get(number, ())]
            again[number] = {
                pair: speed_of(value, self.metric)
                for pair, value in zip(pairs, await self.measure(pairs))
                if pair.rail == rail and value is not None}
        shares = self.comparable(again)
        if self.is_shared(rail):
            self.judge_ports(self.loads_of(again.values()))
        for end in self.passed_ends:
            if not {Port(end, True), Port(end, False)} & self.low:
                self.judge_shares(end, shares, rail)
        self.judge_pairs(shares, rail)

    def judge_ports(self, loads: Dict[Port, float]) -> None:
        """Say which ports that are fast alone carry little again; LOADS is
        what they carried when their rounds were repeated."""
        found: Dict[End, List[Port]] = {}
        for port in sorted(self.low):
            if (port.end in self.passed_ends and port in loads
                    and loads[port] < self.ports[port.sends].limit):
                found.setdefault(port.end, []).append(port)
        for end in {port.end for port in self.low} & set(self.passed_ends):
            if end not in found:
                super().pass_end(end)
        groups = [[end] for end in found] if len(found) <= TOGETHER else [
            list(found)]
        for ends in groups:
            ports = [port for end in ends for port in found[end]]
            ratio = statistics.median(
                loads[port] / self.ports[port.sends].speed for port in ports)
            words = " and ".join(
                f"when it sends to {self.most[True]} at once" if sends else
                f"when {self.most[False]} send to it at once"
                for sends in sorted({port.sends for port in ports},
                                    reverse=True))
            self.say_congestion(
                ends, ratio, f"{ratio_text(ratio, self.metric)} {words}",
                "pause frames (PFC), ECN and the buffers of its switch port"
                if len(ends) == 1 else "what they share: their switch, its "
                "links to others, and its settings", words)

    def judge_shares(self, end: End, shares: Speeds, rail: int) -> None:
        """Say whether END, which is fast alone, had slow pairs again."""
        slow = self.slow_pairs(rail)
        own = [share for pair, share in shares.items()
               if pair in slow and end in pair[:2]]
        usual = self.usual[rail]
        if not own or statistics.median(own) >= usual.limit:
            super().pass_end(end)
            return
        ratio = statistics.median(own) / usual.speed
        if self.is_shared(rail):
            words = "where it shares a port with others"
            look = "how its switch divides a port, and ECN"
        else:
            words = "when it sends and receives at once"
            look = "its PCIe link and memory, and pause frames (PFC)"
        self.say_congestion([end], ratio, f"{ratio_text(ratio, self.metric)} "
                            f"{words}", look, words)

    def judge_pairs(self, shares: Speeds, rail: int) -> None:
        """Say which pairs, which are fast alone, were slow again."""
        usual = self.usual[rail]
        again = [pair for pair in self.passed_pairs
                 if shares.get(pair, usual.limit) < usual.limit]
        for pair in self.passed_pairs:
            if pair not in again or self.is_shared(rail):
                super().pass_pair(pair)
        if not again or self.is_shared(rail):
            return
        ratio = statistics.median(shares[pair] for pair in again) / usual.speed
        said = ", ".join(pair.text() for pair in again[:TOGETHER])
        if len(again) > TOGETHER:
            said = (f"{len(again)} pairs of "
                    + " with ".join(nodesets.fold(sorted({
                        pair[:2][side].node for pair in again}))
                        for side in (0, 1)))
        self.findings.append(finding(
            "congestion", [end for pair in again for end in pair[:2]], ratio,
            f"{said}: {ratio_text(ratio, self.metric)} beside the other pairs,"
            " in 2 of 2 rounds, and as fast as others alone: look at the links"
            " between their switches, and how traffic is spread over them",
            paths=[[pair.client.node, pair.server.node] for pair in again]))

    def say_congestion(self, ends: Sequence[End], ratio: float, what: str,
                       look: str, direction: str) -> None:
        """Say that ENDS are slow under this load, and not alone."""
        named = (ends[0].text() if len(ends) == 1 else
                 nodesets.fold(sorted({end.node for end in ends})))
        self.findings.append(finding(
            "congestion", ends, ratio, f"{named}: {what}, in 2 of 2 rounds, "
            f"and as fast as others alone: look at {look}",
            direction=direction))
