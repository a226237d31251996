"""What verbsperf-cluster does, once the nodes are known: the rounds of each
point, then what is suspect."""
import asyncio
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set

from verbsperf.agents import fleet
from verbsperf.agents.coordinator import Coordinator
from verbsperf.agents.fleet import Job, Outcome
from verbsperf.base.command import say
from verbsperf.base.progress import Progress
from verbsperf.cluster import file as clusterfile
from verbsperf.cluster.file import Begun, end_json
from verbsperf.documents.jsonfile import Object
from verbsperf.findings import evidence
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import Pair

# Seconds to start and to end a round, about.
OVERHEAD = 1.0


class Point(NamedTuple):
    """What is measured: a test and its options."""

    label: str
    words: List[str]
    seconds: float      # warm-up and measurement
    metric: str         # that pairs are compared by


class Work(NamedTuple):
    """What is to be done."""

    pattern: str
    wanted: patterns.Wanted
    devices: Dict[str, List[str]]
    cross: bool
    concurrent: Optional[int]
    points: List[Point]
    probes: List[Pair]
    probe: Optional[Point]
    groups: List[List[str]] = []
    tolerance: Optional[float] = None   # a share of what is usual

    def rounds(self) -> Iterator[List[Pair]]:
        """Make the rounds."""
        return patterns.rounds_of(self.pattern, self.wanted, self.devices,
                                  self.cross, self.concurrent)


class Clustering:
    """Work that is being done."""

    def __init__(self, coordinator: Coordinator, work: Work, file: Begun
                 ) -> None:
        self.coordinator, self.work, self.file = coordinator, work, file
        self.told: Set[str] = set()
        count = sum(1 for _ in work.rounds())
        self.progress = Progress(count * len(work.points), OVERHEAD + max(
            point.seconds for point in work.points))
        self.number = 0
        # of each node: what its host is, and which counters rose last
        self.facts: Dict[str, Object] = {
            entry["node"]: entry["environment"] for entry in file.entries
            if entry["type"] == "node" and entry.get("environment")}
        self.rose: Dict[str, List[Object]] = {}

    def tell_failure(self, why: str) -> None:
        """Say once why something failed."""
        if why not in self.told:
            self.told.add(why)
            self.progress.clear()
            say(why)

    def jobs_of(self, pairs: Sequence[Pair], point: Point) -> List[Job]:
        """Return what a round of PAIRS runs, with the probes."""
        jobs = [Job(pair, point.words, point.seconds) for pair in pairs]
        probe = self.work.probe
        if probe is not None:
            jobs += [Job(pair, probe.words, probe.seconds, True)
                     for pair in self.work.probes]
        return jobs

    async def run_round(self, number: int, index: int, jobs: Sequence[Job],
                        alone: bool = False) -> List[Outcome]:
        """Run JOBS as round NUMBER of the point INDEX; write what came."""
        done = await fleet.run_round(self.coordinator, jobs)
        for outcome in done.outcomes:
            self.remember(outcome)
            self.file.append(self.entry_of(outcome, number, index, alone))
            if outcome.error:
                self.tell_failure(self.failure_of(outcome))
        self.file.append({
            "type": "round", "round": number, "point": index, "alone": alone,
            "pairs": sum(not job.probe for job in jobs),
            "added": done.added, "gbps": done.gbps,
            "common_seconds": done.span[1] - done.span[0] if done.span
            else None, "seconds": done.seconds,
            "connecting_seconds": done.connecting,
            "clock_error_seconds": self.coordinator.worst_clock()})
        return done.outcomes

    @staticmethod
    def failure_of(outcome: Outcome) -> str:
        """Say what failed, with the pair unless it is a node's failure."""
        pair, error = outcome.job.pair, outcome.error or ""
        if error.partition(":")[0] in (pair.client.node, pair.server.node):
            return error
        return f"{pair.text()}: {error}"

    def entry_of(self, outcome: Outcome, number: int, index: int, alone: bool
                 ) -> Object:
        """Return the line of OUTCOME for the file."""
        job = outcome.job
        point = self.work.probe if job.probe else self.work.points[index]
        assert point is not None
        return {"type": "pair", "round": number, "point": index,
                "client": end_json(job.pair.client),
                "server": end_json(job.pair.server), "rail": job.pair.rail,
                "probe": job.probe, "alone": alone,
                "metric": point.metric, "value": outcome.value(point.metric),
                "error": outcome.error, "skew_seconds": outcome.skew,
                "overlap": outcome.overlap, "marked": outcome.marked,
                "result": outcome.row}

    def done_rounds(self) -> Set["tuple[int, int]"]:
        """Return the rounds that are in the file already."""
        return {(entry["point"], entry["round"]) for entry in self.file.entries
                if entry["type"] == "round" and not entry["alone"]}

    async def tick(self) -> None:
        """Show every second how far it is."""
        while self.progress.terminal:
            self.progress.show()
            await asyncio.sleep(1)

    async def run(self) -> None:
        """Measure all rounds of all points, and look into what is slow."""
        ticking = asyncio.ensure_future(self.tick())
        try:
            before = self.done_rounds()
            for index, point in enumerate(self.work.points):
                await self.run_point(index, point, before)
        finally:
            ticking.cancel()
            self.progress.clear()

    async def run_point(self, index: int, point: Point,
                        before: "Set[tuple[int, int]]") -> None:
        """Measure the rounds of the point INDEX that were not BEFORE, and look
        into what is slow."""
        if self.work.probes and (index, 0) not in before:
            # first without any load
            self.progress.name("latency without load")
            await self.run_round(0, index, self.jobs_of([], point))
        for number, pairs in enumerate(self.work.rounds(), 1):
            skipped = (index, number) in before
            if not skipped:
                self.progress.begin(
                    f"{self.taking_part()} nodes, round "
                    f"{self.progress.done + 1} of {self.progress.total}")
                await self.run_round(number, index,
                                     self.jobs_of(pairs, point))
            self.number = max(self.number, number)
            self.progress.end(skipped)
        await self.inquire(index, point)

    def taking_part(self) -> int:
        """Count the nodes that have not failed."""
        return len(self.coordinator.nodes) - len(self.coordinator.failed())

    def measured(self, index: int) -> List["tuple[Pair, float, int]"]:
        """Return what the rounds of the point INDEX gave, with the round."""
        return [(clusterfile.pair_of(entry), entry["value"], entry["round"])
                for entry in self.file.entries
                if entry["type"] == "pair" and entry["point"] == index
                and not (entry["alone"] or entry["probe"])
                and entry["value"] is not None]

    async def inquire(self, index: int, point: Point) -> None:
        """Test again what is suspect at the point INDEX, and say what is."""
        # SciPy takes long to load, and what is only shown does not need it
        from verbsperf.findings.inquiry import Inquiry  # pylint: disable=C0415
        from verbsperf.findings.observed import (  # pylint: disable=C0415
            Measured)
        measured = [Measured(*one) for one in self.measured(index)]
        if not measured:
            return

        async def measure(pairs: List[Pair]) -> List[Optional[float]]:
            self.number += 1
            self.progress.name("testing again: " + (
                f"{len(pairs)} pairs" if len(pairs) > 3
                else ", ".join(pair.text() for pair in pairs)))
            outcomes = await self.run_round(
                self.number, index,
                [Job(pair, point.words, point.seconds) for pair in pairs],
                True)
            return [outcome.value(point.metric) for outcome in outcomes]

        inquiry = Inquiry(measured, point.metric, measure,
                          self.work.wanted.seed, self.work.groups,
                          self.work.tolerance, point.words[0])
        await inquiry.run()
        for one in inquiry.findings:
            self.file.append({"type": "finding", "point": index, **one,
                              "beside": self.evidence(one)})
        for note in inquiry.notes:
            self.file.append({"type": "note", "point": index,
                              "sentence": note})

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
