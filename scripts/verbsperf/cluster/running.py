"""What verbsperf-cluster does, once the nodes are known: the rounds of each
point, then what is suspect."""
import asyncio
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.agents import fleet
from verbsperf.agents.coordinator import Coordinator
from verbsperf.agents.fleet import Job, Outcome
from verbsperf.base.command import say
from verbsperf.base.progress import Progress
from verbsperf.cluster import limits, rails
from verbsperf.cluster.file import Begun, pair_of
from verbsperf.cluster.view import in_rounds
from verbsperf.documents.jsonfile import Object
from verbsperf.findings import evidence
from verbsperf.findings.inquiry import Inquiry, usual_tolerance
from verbsperf.findings.observed import Measured
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import Pair

# Seconds to start and to end a round, about.
OVERHEAD = 1.0


class Point(NamedTuple):
    """What is measured."""

    words: list[str]    # a test and its options
    seconds: float      # warm-up and measurement
    metric: str         # that pairs are compared by


class Work(NamedTuple):
    """What is to be done."""

    pattern: str
    wanted: patterns.Wanted
    devices: list[str]
    cross: bool
    concurrent: Optional[int]
    points: list[Point]
    probes: list[Pair]
    probe: Optional[Point]
    groups: list[list[str]] = []
    tolerance: Optional[float] = None   # a share of what is usual
    processes: int = 1                  # that measure each pair together

    def rounds(self) -> Iterator[list[Pair]]:
        """Make the rounds."""
        return patterns.rounds_of(
            self.pattern, self.wanted,
            dict.fromkeys(self.wanted.nodes, self.devices), self.cross,
            self.concurrent)

    def of(self, nodes: list[str]) -> "Work":
        """Return what is left of it when only NODES take part."""
        return self._replace(
            wanted=self.wanted._replace(nodes=nodes),
            probes=[pair for pair in self.probes
                    if {pair.client.node, pair.server.node} <= set(nodes)])


class Clustering:
    """Work that is being done."""

    def __init__(self, coordinator: Coordinator, work: Work, file: Begun
                 ) -> None:
        self.coordinator, self.work, self.file = coordinator, work, file
        self.told: set[str] = set()
        count = sum(1 for _ in work.rounds())
        self.progress = Progress(count * len(work.points), OVERHEAD + max(
            point.seconds for point in work.points))
        self.number = 0
        # of each node: what its host is, and which counters rose last
        self.facts: dict[str, Object] = {
            entry["node"]: entry["environment"] for entry in file.entries
            if entry["type"] == "node" and entry.get("environment")}
        self.rose: dict[str, list[Object]] = {}

    async def run_round(self, number: int, index: int, pairs: Sequence[Pair],
                        alone: bool = False) -> Sequence[Outcome]:
        """Run PAIRS as round NUMBER of the point INDEX, and write what came."""
        point, probe = self.work.points[index], self.work.probe
        several = self.work.processes
        jobs = [Job(pair, point.words, point.seconds) for pair in pairs
                for _ in range(several)]
        last = len(jobs)
        if probe is not None and not alone:
            jobs += [Job(pair, probe.words, probe.seconds, True)
                     for pair in self.work.probes]
        done = await fleet.run_round(self.coordinator, jobs)
        of_pairs = done.outcomes[:last]
        outcomes = [*(fleet.Several(of_pairs[first:first + several])
                      for first in range(0, len(of_pairs), several)),
                    *done.outcomes[last:]]
        for outcome in outcomes:
            self.remember(outcome)
            self.file.append(self.entry_of(outcome, number, index, alone))
            self.tell_failure(outcome)
        self.file.append({
            "type": "round", "round": number, "point": index, "alone": alone,
            "pairs": last,
            "added": done.added, "gbps": done.gbps,
            "common_seconds": done.span[1] - done.span[0] if done.span
            else None, "seconds": done.seconds,
            "connecting_seconds": done.connecting,
            "clock_error_seconds": self.coordinator.worst_clock()})
        return outcomes

    def tell_failure(self, outcome: Outcome) -> None:
        """Say once why OUTCOME is none, and of which pair or node."""
        why, pair = outcome.error, outcome.job.pair
        if why and why.partition(":")[0] not in (pair.client.node,
                                                 pair.server.node):
            why = f"{pair.text()}: {why}"
        if why and why not in self.told:
            self.told.add(why)
            self.progress.clear()
            say(why)

    def entry_of(self, outcome: Outcome, number: int, index: int, alone: bool
                 ) -> Object:
        """Return the line of OUTCOME for the file."""
        job = outcome.job
        point = self.work.probe if job.probe else self.work.points[index]
        assert point is not None
        return {"type": "pair", "round": number, "point": index,
                "client": job.pair.client._asdict(),
                "server": job.pair.server._asdict(), "rail": job.pair.rail,
                "probe": job.probe, "alone": alone,
                "metric": point.metric, "value": outcome.value(point.metric),
                "error": outcome.error, "skew_seconds": outcome.skew,
                "overlap": outcome.overlap, "marked": outcome.marked,
                "missed": outcome.missed(),
                "result": outcome.row}

    async def tick(self) -> None:
        """Show every second how far it is."""
        while self.progress.terminal:
            self.progress.show()
            await asyncio.sleep(1)

    async def run(self) -> None:
        """Measure all rounds of all points, and look into what is slow."""
        ticking = asyncio.ensure_future(self.tick())
        try:
            before = {(entry["point"], entry["round"])
                      for entry in self.file.entries
                      if entry["type"] == "round" and not entry["alone"]}
            for index in range(len(self.work.points)):
                await self.run_point(index, before)
                await self.inquire(index)
        finally:
            ticking.cancel()
            self.progress.clear()

    async def run_point(self, index: int, before: set[tuple[int, int]]) -> None:
        """Measure the rounds of the point INDEX that were not BEFORE."""
        if self.work.probes and (index, 0) not in before:
            # first without any load
            self.progress.name("latency without load")
            await self.run_round(0, index, [])
        for number, pairs in enumerate(self.work.rounds(), 1):
            skipped = (index, number) in before
            if not skipped:
                nodes = len(self.coordinator.nodes) - len(
                    self.coordinator.failed())
                self.progress.begin(
                    f"{nodes} nodes, round {self.progress.done + 1} of "
                    f"{self.progress.total}")
                await self.run_round(number, index, pairs)
            self.number = max(self.number, number)
            self.progress.end(skipped)

    async def inquire(self, index: int) -> None:
        """Test again what is suspect at the point INDEX, and say what is."""
        point = self.work.points[index]
        own = in_rounds(self.file.entries, index)
        for one in limits.findings_of(own):
            self.add_finding(index, one)
        if self.work.pattern == rails.PATTERN:
            await self.inquire_of_rails(index, own)
            own = list(filter(rails.is_alone(own), own))
        measured = [Measured(pair_of(entry), entry["value"], entry["round"])
                    for entry in own if entry["value"] is not None]
        if not measured:
            return

        async def measure(pairs: list[Pair]) -> list[Optional[float]]:
            self.number += 1
            self.progress.name("testing again: " + (
                f"{len(pairs)} pairs" if len(pairs) > 3
                else ", ".join(pair.text() for pair in pairs)))
            return [outcome.value(point.metric)
                    for outcome in await self.run_round(self.number, index,
                                                        pairs, True)]

        inquiry = Inquiry(measured, point.metric, measure,
                          self.work.wanted.seed, self.work.groups,
                          self.work.tolerance, point.words[0])
        await inquiry.run()
        for one in inquiry.findings:
            self.add_finding(index, one)
        for note in inquiry.notes:
            self.add_note(index, note, note in inquiry.inconclusive)

    async def inquire_of_rails(self, index: int, entries: list[Object]
                               ) -> None:
        """Test again what is slower beside the other rails of its node, in
        ENTRIES, the pairs of the rounds of the point INDEX; say what is."""
        metric = self.work.points[index].metric
        most = self.work.tolerance or usual_tolerance(metric)
        devices = {name: node.facts.get("devices") or []
                   for name, node in self.coordinator.nodes.items()}
        for some in rails.suspects(rails.rails_of(entries), most):
            self.progress.name("testing again: the rails of "
                               + some[0].pair.client.node)
            again = await self.test_rails(index, some, most)
            for one in rails.findings_of(again, most, devices):
                self.add_finding(index, one)
            for sentence in rails.notes_of(some, again, most):
                self.add_note(index, sentence, False)

    async def test_rails(self, index: int, some: list[rails.Rail], most: float
                         ) -> list[rails.Rail]:
        """Return SOME rails of a node as they are when those that lost more
        than MOST are tested again, in turn together and alone."""
        metric = self.work.points[index].metric
        alone: dict[Pair, list[Optional[float]]] = {
            rail.pair: [] for rail in some if (rail.lost() or 0) > most}
        together: dict[Pair, list[Optional[float]]] = {
            rail.pair: [] for rail in some}
        for _ in range(rails.AGAIN):
            for pairs, values in ((list(together), together),
                                  *(([pair], alone) for pair in alone)):
                self.number += 1
                for pair, one in zip(pairs, await self.run_round(
                        self.number, index, pairs, True)):
                    values[pair].append(one.value(metric))
        return [rail.again(alone[rail.pair], together[rail.pair])
                if rail.pair in alone else rail for rail in some]

    def add_finding(self, index: int, one: Object) -> None:
        """Write the finding ONE of the point INDEX."""
        self.file.append({"type": "finding", "point": index, **one,
                          "beside": self.evidence(one)})

    def add_note(self, index: int, sentence: str, inconclusive: bool) -> None:
        """Write a note on the point INDEX."""
        self.file.append({"type": "note", "point": index,
                          "sentence": sentence, "inconclusive": inconclusive})

    def remember(self, outcome: Outcome) -> None:
        """Keep what explains the result of both ends of OUTCOME."""
        if outcome.row is None or outcome.document is None:
            return
        environment = outcome.document.get("environment") or {}
        for side, end in zip(("client", "server"), outcome.job.pair[:2]):
            self.rose[end.node] = evidence.risen(outcome.row, side)
            if environment.get(side):
                self.facts[end.node] = environment[side]

    def evidence(self, found: Object) -> Object:
        """Return what the NIC and the host of the ends FOUND say."""
        facts = {name: {**evidence.facts_of(node.facts.get("devices") or []),
                        **self.facts.get(name, {})}
                 for name, node in self.coordinator.nodes.items()}
        return evidence.evidence_of([one["node"] for one in found["ends"]],
                                    facts, self.rose)
