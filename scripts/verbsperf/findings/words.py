"""What is said of a cause: where it is, how slow, and where to look.

A sentence has only what was measured: how many tests there were, what they
reached to others, and between which bounds that is."""
import math
from typing import Collection, Mapping, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.documents.jsonfile import Object
from verbsperf.findings.causes import BOTH, RECEIVES, SENDS, Cause
from verbsperf.findings.observed import IN, OUT, Comparison
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import End, Pair

LOOK = {
    "node": "the node's port, cable, PCIe",
    "nodes": "what these nodes have in common",
    "path": "the path between them",
    "paths": "the links between their switches",
    "group": "their switch",
    "uplink": "the links of their switch to others",
    "trunk": "the links between their switches",
    "rail": "its switches and their settings",
}


def percent(ratio: float) -> str:
    """Return RATIO in percent, with more digits near 100."""
    return f"{ratio * 100:.{1 if 0.9 < ratio < 1.1 else 0}f}"


def names_of(ends: Collection[End]) -> str:
    """Return the names of ENDS as a set, with their device if it is one."""
    devices = {end.device for end in ends}
    nodes = nodesets.fold(sorted({end.node for end in ends}))
    return f"{nodes} {devices.pop()}" if len(devices) == 1 and devices != {
        ""} else nodes


class Words:
    """Sentences about a test and its METRIC."""

    def __init__(self, metric: str, test: str) -> None:
        self.is_rate = METRICS[metric].is_rate
        reads = test.startswith("read")
        # what the end does that the cause is at, as a client or a server
        self.ways = {BOTH: "in both directions",
                     SENDS: "when it reads" if reads else "when it sends",
                     RECEIVES: "when it is read" if reads
                     else "when it receives"}

    def ratio(self, seen: Comparison) -> str:
        """Say what SEEN says of the speed."""
        bounds = 0.0 < seen.low and seen.high < math.inf
        if self.is_rate:
            return f"{percent(seen.ratio)}%" + (
                f" ({percent(seen.low)}-{percent(seen.high)}%)" * bounds
            ) + " of the median"
        if seen.ratio <= 1e-9:
            return "no answer"
        said = f"a latency of {1 / seen.ratio:.2g} times the median"
        return said + (f" ({1 / seen.high:.2g}-{1 / seen.low:.2g})"
                       if bounds else "")

    def where(self, cause: Cause) -> str:
        """Say where CAUSE is."""
        ends = names_of(cause.ends)
        if cause.kind == "path":
            one, other = sorted(cause.ends) + sorted(cause.others or [])
            return Pair(one, other).text()
        if cause.kind == "paths":
            return f"{counted(len(cause.pairs), 'path')} of {ends}"
        if cause.kind == "trunk":
            return f"between {ends} and {names_of(cause.others or ())}"
        if cause.kind == "uplink":
            return f"between {ends} and all others"
        if cause.kind == "group":
            return f"among {ends}"
        if cause.kind == "rail":
            return f"all of {sorted(cause.ends)[0].device}"
        return ends

    def direction(self, cause: Cause) -> str:
        """Say in which direction CAUSE is slow."""
        if cause.pairs:
            return "as they were measured"
        if cause.way == BOTH or cause.kind in ("node", "nodes"):
            return self.ways[cause.way]
        a, b = (names_of(cause.ends), names_of(cause.others or ()))
        return f"from {a} to {b}" if cause.way == SENDS else f"from {b} to {a}"

    def finding(self, kind: str, cause: Cause, ratio: float, sentence: str,
                **more: object) -> Object:
        """Return a finding as the file has it."""
        ends = sorted(cause.ends)
        if cause.kind in ("path", "trunk"):
            ends += sorted(cause.others or ())
        elif cause.kind == "rail":
            ends = [End("*", ends[0].device)]
        return {"kind": kind, "ends": [end._asdict() for end in ends],
                "ratio": ratio, "sentence": sentence, **more}

    def slow(self, cause: Cause, seen: Comparison, own: Sequence[Pair]
             ) -> Object:
        """Return the finding of CAUSE, which its OWN tests show."""
        what = (f"{self.where(cause)}{' only' * (cause.kind == 'path')}: "
                f"{self.ratio(seen)} {self.direction(cause)}, "
                f"in {counted(seen.tests, 'test')} alone")
        if cause.kind in ("node", "nodes"):
            partners = {end for pair in own for end in pair[:2]} - cause.ends
            what += f" with {counted(len(partners), 'partner')}"
        elif cause.kind == "paths":
            tested = {pair[:2] for pair in own}
            what += f", {len(cause.pairs - tested)} not tested"
        return self.finding(
            cause.kind, cause, seen.ratio,
            f"{what}; {counted(seen.others, 'test')} of others differ by "
            f"{seen.spread * 100:.2g}%: look at {LOOK[cause.kind]}",
            tested=seen.tests, direction=self.direction(cause),
            **({"paths": sorted([end.node for end in pair]
                                for pair in cause.pairs)}
               if cause.pairs else {}))

    def unsteady(self, cause: Cause, ratio: float, slow: int, own: int,
                 others: int) -> Object:
        """Return the finding that CAUSE is slow now and then."""
        down = (f"{ratio * 100:.0f}% of the median" if self.is_rate
                else f"{1 / ratio:.2g} times the median latency")
        return self.finding(
            "unsteady", cause, ratio, f"{names_of(cause.ends)}: slow in {slow}"
            f" of {own} tests alone, down to {down}, and none of {others} "
            "tests of others: look for other work on the node, and errors of its "
            "link", tested=own, slow=slow, direction=None)

    def congestion(self, cause: Cause, again: Comparison,
                   alone: Comparison, most: Mapping[int, int]) -> Object:
        """Return the finding that CAUSE is slow under this load only."""
        if max(most.values()) > 1:
            load = {SENDS: f"when it sends to {most[OUT]} at once",
                    RECEIVES: f"when {most[IN]} send to it at once"}.get(
                        cause.way, "where it shares a port with others")
            look = "pause frames (PFC), ECN and the buffers of its switch port"
        elif cause.kind == "node" and cause.way == BOTH:
            load = "when it sends and receives at once"
            look = "its PCIe link and memory, and pause frames (PFC)"
        else:
            load = "beside the other pairs"
            look = ("the links between their switches, and how traffic is "
                    "spread over them")
        return self.finding(
            "congestion", cause, again.ratio, f"{self.where(cause)}: "
            f"{self.ratio(again)} {load}, in {again.tests} measurements of "
            f"repeated rounds; {self.ratio(alone)} alone: look at {look}",
            direction=load)

    def farther(self, cause: Cause, seen: Comparison) -> str:
        """Say that the latency of CAUSE is longer, which is no fault where a
        switch is in between."""
        return (f"{self.where(cause)}: {self.ratio(seen)}, as where more "
                "switches are in between")

    def cleared(self, cause: Cause, seen: Comparison) -> str:
        """Say that CAUSE is not slow."""
        return (f"{self.where(cause)}: slow in the rounds, not slow when "
                f"repeated alone: {self.ratio(seen)}")

    def inconclusive(self, cause: Cause, seen: Comparison) -> str:
        """Say that tests of CAUSE do not decide."""
        return (f"{self.where(cause)}: slow in the rounds; alone inconclusive:"
                f" {self.ratio(seen)} in {counted(seen.tests, 'test')}")

    def incomparable(self, cause: Cause) -> str:
        """Say that nothing is known to compare CAUSE with."""
        return (f"{self.where(cause)}: slow in the rounds, and there are no "
                "others to compare with")
