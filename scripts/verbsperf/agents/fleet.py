"""A round on many nodes: all its pairs connect and warm up, then their windows
open together, and what they reach together is added up.

Rates are added only over the time in which all of them were measured.  The
round's time is the middle of what its pairs had; a pair that has less than
MOST_APART of its own window in it is marked, and not added."""
import asyncio
import datetime
import statistics
import time
from typing import Collection, NamedTuple, Optional, Sequence

from verbsperf.agents.agent import CLIENT, SERVER
from verbsperf.agents.coordinator import Coordinator, Node, NodeFailed, Process
from verbsperf.documents import formats, results
from verbsperf.documents.jsonfile import Object
from verbsperf.pairs.patterns import End, Pair
from verbsperf.plan.program import sentence_of

HOLD = 300              # seconds that a warm pair waits for the others
LISTENS_WITHIN = 30.0   # seconds for a server to be there
WARM_WITHIN = 60.0      # seconds to connect, besides the warm-up
ENDS_WITHIN = 60.0      # seconds to end, besides the time measured
PARTING = 15.0          # seconds for a server to end after its client
MOST_APART = 0.9        # of a window must lie in the round's

Span = tuple[float, float]


class Job(NamedTuple):
    """What one pair measures in a round."""

    pair: Pair
    words: list[str]    # the test and its options
    seconds: float      # warm-up and measurement
    probe: bool = False


class Outcome:
    """What came of a job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.document: Optional[Object] = None
        self.row: Optional[Object] = None
        self.error: Optional[str] = None
        self.opened: Optional[float] = None  # by this host's clock
        self.skew: Optional[float] = None    # seconds after the middle one
        self.overlap: Optional[float] = None

    @property
    def marked(self) -> bool:
        """It was not measured at the same time as the others."""
        return self.row is not None and (
            self.overlap is None or self.overlap < MOST_APART)

    def value(self, metric: str) -> Optional[float]:
        """Return its METRIC, such as gbps or p50."""
        return results.metric(self.row, metric) if self.row else None

    def missed(self) -> list[Object]:
        """Return the limits of the user's that it did not meet."""
        limits = self.document["limits"] if self.document else None
        return [one for one in limits or () if not one["met"]]

    def span(self) -> Optional[Span]:
        """Return the time that it measured in."""
        seconds = self.row.get("seconds") if self.row else None
        return None if seconds is None or self.opened is None else (
            self.opened, self.opened + seconds)


class Several(Outcome):
    """What came of processes that measured the same pair together, by the one
    of them that did worst; what they reached is added."""

    def __init__(self, parts: Sequence[Outcome]) -> None:
        worst = min(parts, key=lambda one: (one.error is None,
                                            one.overlap or 0.0))
        super().__init__(worst.job)
        self.document, self.row = worst.document, worst.row
        self.error, self.opened = worst.error, worst.opened
        self.skew, self.overlap = worst.skew, worst.overlap
        self.parts = parts

    def value(self, metric: str) -> Optional[float]:
        """Return the sum of their METRIC, a rate unless there is only one."""
        values = [one.value(metric) for one in self.parts]
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    def missed(self) -> list[Object]:
        """Return the limits that any of them did not meet."""
        return [limit for one in self.parts for limit in one.missed()]


class Round(NamedTuple):
    """What came of a round."""

    outcomes: Sequence[Outcome]
    span: Optional[Span]        # in which all that is added was measured
    gbps: Optional[float]       # all pairs together
    added: int                  # pairs that are in it
    seconds: float              # from the first start to the last end
    connecting: float           # of them until all were warm


def address_of(node: Node) -> str:
    """Return where others find NODE: its name when it is on this host."""
    if node.address.startswith(("127.", "::1")):
        return node.name
    return node.address


def time_of(text: object) -> Optional[float]:
    """Return the time that TEXT of a document says."""
    try:
        return datetime.datetime.fromisoformat(
            str(text).replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return None


class Running(Outcome):
    """A running job, and then what came of it."""

    def __init__(self, coordinator: Coordinator, job: Job) -> None:
        super().__init__(job)
        self.coordinator = coordinator
        self.client: Optional[Process] = None
        self.server: Optional[Process] = None

    def node(self, name: str) -> Node:
        """Return the node NAME, if it takes part."""
        node = self.coordinator.nodes.get(name)
        if node is None or node.failure is not None:
            why = node.failure if node else "it did not connect"
            raise NodeFailed(f"{name}: {why}")
        return node

    def start(self, end: End, words: Sequence[str], *address: str) -> Process:
        """Start verbsperf with WORDS at END; a client has an ADDRESS."""
        device = [f"--device={end.device}"] if end.device else []
        return self.node(end.node).start(next(self.coordinator.numbers),
                                         [*words, *device, *address])

    async def stage(self, what: str, process: Optional[Process], event: str,
                    seconds: float) -> Optional[Object]:
        """Wait for EVENT of PROCESS; say why it does not come."""
        if process is None or self.error:
            return None
        try:
            found = await process.wait(event, seconds)
            if found is None:
                end = process.events["ended"].result()
                self.fail(sentence_of(end["stderr"], end["status"]))
            return found
        except NodeFailed as error:
            self.fail(str(error))
        except asyncio.TimeoutError:
            self.fail(f"{what} took longer than {seconds:g} s")
        return None

    def fail(self, why: str) -> None:
        """The job has failed, and this is the first that is known of it."""
        self.error = self.error or why

    async def connect(self) -> None:
        """Start both ends, and wait until they are warm."""
        pair = self.job.pair
        try:
            self.server = self.start(pair.server, SERVER)
            there = await self.stage(
                f"starting the server on {pair.server.node}", self.server,
                "listening", LISTENS_WITHIN)
            if there is None:
                return
            self.client = self.start(pair.client, [
                *self.job.words, f"--port={there['port']}", *CLIENT,
                f"--hold={HOLD}"], address_of(self.node(pair.server.node)))
        except NodeFailed as error:
            self.fail(str(error))
            return
        await self.stage("connecting and warming up", self.client, "warm",
                         WARM_WITHIN + self.job.seconds)

    async def finish(self) -> None:
        """Wait for the end of both ends."""
        end = await self.stage("measuring", self.client, "ended",
                               self.job.seconds + ENDS_WITHIN)
        if end is not None:
            self.read(end)
        if self.error:
            self.kill()
        if self.server is not None:
            try:
                await self.server.wait("ended", PARTING)
            except NodeFailed as error:
                # why the client failed, if it did
                self.error = self.error and str(error)
                self.kill()
            except asyncio.TimeoutError:
                self.kill()

    def read(self, end: Object) -> None:
        """Take the result from the END of the client."""
        document, wrong, rows = None, None, []
        if end["status"] not in (0, 3):
            wrong = sentence_of(end["stderr"], end["status"])
        elif end["lost"]:
            wrong = ("verbsperf wrote more than its agent can send; "
                     "--interval makes it less")
        else:
            document, wrong = results.read_document(end["stdout"])
        if document is not None:
            rows = [row for row in document["results"] if results.usable(row)]
            if len(rows) != 1:
                wrong = f"{len(rows)} rows of results, not one"
            elif not formats.is_optional_amount(rows[0].get("seconds")):
                wrong = "the result does not say how long it was measured"
        if wrong is not None:
            self.fail(wrong)
            return
        self.document, self.row = document, rows[0]
        opened = time_of(rows[0].get("opened")) or end.get("opened")
        if opened is not None:
            clock = self.coordinator.nodes[self.job.pair.client.node].clock
            self.opened = opened - (clock.offset() or 0)

    def kill(self) -> None:
        """End what may still run."""
        for process, end in ((self.client, self.job.pair.client),
                             (self.server, self.job.pair.server)):
            node = self.coordinator.nodes.get(end.node)
            if process and node and process.number in node.processes:
                node.say(type="kill", ids=[process.number])


def overlap_of(one: Span, other: Span) -> float:
    """Return how much of ONE lies in OTHER, from 0 to 1."""
    length = one[1] - one[0]
    common = min(one[1], other[1]) - max(one[0], other[0])
    return max(0.0, common) / length if length > 0 else 0.0


def rate_within(outcome: Outcome, span: Span) -> Optional[float]:
    """Return the Gb/s of OUTCOME within SPAN, by its intervals if any."""
    assert outcome.row is not None and outcome.opened is not None
    intervals = outcome.row.get("intervals")
    if not intervals:
        return results.metric(outcome.row, "gbps")
    bits = seconds = 0.0
    for one in intervals:
        start = outcome.opened + one["start"]
        part = min(span[1], start + one["seconds"]) - max(span[0], start)
        if part > 0 and one["gbps"] is not None:
            bits += part * one["gbps"]
            seconds += part
    return bits / seconds if seconds else None


def middle_of(spans: Collection[Span]) -> Span:
    """Return the time of a round whose pairs measured in SPANS."""
    start = statistics.median(one[0] for one in spans)
    length = statistics.median(one[1] - one[0] for one in spans)
    return start, start + length


def add_up(outcomes: Sequence[Outcome]
           ) -> tuple[Optional[Span], Optional[float], int]:
    """Mark what was not measured together; return (the time in which the rest
    was, its Gb/s, how many pairs are in it)."""
    spans = {one: span for one in outcomes for span in (one.span(),) if span}
    if not spans:
        return None, None, 0
    middle = middle_of(spans.values())
    for one, span in spans.items():
        one.skew, one.overlap = span[0] - middle[0], overlap_of(span, middle)
    together = [one for one in spans if not one.marked]
    common = (max((spans[one][0] for one in together), default=0.0),
              min((spans[one][1] for one in together), default=0.0))
    if common[1] <= common[0]:
        return None, None, 0
    rates = [rate for rate in (rate_within(one, common) for one in together
                               if not one.job.probe) if rate is not None]
    return common, sum(rates) if rates else None, len(rates)


async def open_windows(coordinator: Coordinator, warm: Sequence[Running]
                       ) -> None:
    """Open the windows of WARM, with one line to each of their agents."""
    for name, own in results.grouped(
            warm, lambda one: one.job.pair.client.node).items():
        coordinator.nodes[name].say(type="open", ids=[
            one.client.number for one in own if one.client])
    await coordinator.flush()


async def run_round(coordinator: Coordinator, jobs: Sequence[Job]) -> Round:
    """Run JOBS at the same time."""
    start = time.monotonic()
    running = [Running(coordinator, job) for job in jobs]
    coordinator.ask_time(coordinator.nodes.values())
    await asyncio.gather(*(one.connect() for one in running))
    connecting = time.monotonic() - start
    await open_windows(coordinator, [
        one for one in running if one.client and not one.error])
    await asyncio.gather(*(one.finish() for one in running))
    return Round(running, *add_up(running), time.monotonic() - start,
                 connecting)
