"""What is said of a cause: where it is, how slow, and where to look.

A sentence has only what was measured: how many tests there were, what they
reached to others, and between which bounds that is."""
import math
from typing import Collection, Mapping, Optional, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.documents.jsonfile import Object
from verbsperf.findings.causes import BOTH, RECEIVES, SENDS, Cause
from verbsperf.findings.observed import IN, OUT, Comparison
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import End, Pair

# Of each kind of cause: where it is, and what to look at.
KINDS = {
    "node": ("{ends}", "the node's port, cable, PCIe"),
    "nodes": ("{ends}", "what these nodes have in common"),
    "path": ("{path}", "the path between them"),
    "paths": ("{paths} of {ends}", "the links between their switches"),
    "group": ("among {ends}", "their switch"),
    "uplink": ("between {ends} and all others",
               "the links of their switch to others"),
    "trunk": ("between {ends} and {others}",
              "the links between their switches"),
    "rail": ("all of {device}", "its switches and their settings"),
}
# What is no finding, and why not.
NOTES = {
    # which is no fault, where the latency is longer
    "farther": "{where}: {ratio}, as where more switches are in between",
    "cleared": "{where}: slow in the rounds, not slow when repeated alone: "
               "{ratio}",
    "inconclusive": "{where}: slow in the rounds; alone inconclusive: {ratio} "
                    "in {tests}",
    "unrepeated": "{where}: slow in the rounds; not slow alone, and "
                  "inconclusive in repeated rounds: {ratio} in {tests}",
    "incomparable": "{where}: slow in the rounds, and there are no others to "
                    "compare with",
}
# Those that leave open whether something is slow.
OPEN = ("inconclusive", "unrepeated", "incomparable")


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
        every = sorted(cause.ends) + sorted(cause.others or ())
        return KINDS[cause.kind][0].format(
            ends=names_of(cause.ends), others=names_of(cause.others or ()),
            path=Pair(every[0], every[-1]).text(),
            paths=counted(len(cause.pairs), "path"), device=every[0].device)

    def note(self, name: str, cause: Cause, seen: Optional[Comparison] = None
             ) -> str:
        """Return the note of NAME about CAUSE, which was SEEN so."""
        return NOTES[name].format(
            where=self.where(cause), ratio=seen and self.ratio(seen),
            tests=seen and counted(seen.tests, "test"))

    def scattered(self, are_pairs: bool, spread: float, least: float) -> str:
        """Say that pairs, or what ports carried, differ by SPREAD from each
        other, which hides what is slower by LEAST, both logarithms."""
        return (f"{'pairs' if are_pairs else 'ports'} differ by "
                f"{100 * spread:.2g}%, so that one that is slower by "
                f"{100 * (1 - math.exp(-least)):.2g}% does not stand out")

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
            f"{seen.spread * 100:.2g}%: look at {KINDS[cause.kind][1]}",
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
            "tests of others: look for other work on the node, and errors of "
            "its link", tested=own, slow=slow, direction=None)

    def load_of(self, cause: Cause, most: Mapping[int, int], duplex: bool
                ) -> tuple[str, str]:
        """Say under which load CAUSE is slow, and what to look at."""
        if max(most.values()) > 1:
            return {SENDS: f"when it sends to {most[OUT]} at once",
                    RECEIVES: f"when {most[IN]} send to it at once"}.get(
                        cause.way, "where it shares a port with others"), (
                "pause frames (PFC), ECN and the buffers of its switch port")
        if duplex and cause.kind == "node" and cause.way == BOTH:
            return ("when it sends and receives at once",
                    "its PCIe link and memory, and pause frames (PFC)")
        return ("beside the other pairs", "the links between their switches, "
                "and how traffic is spread over them")

    def repeated(self, cause: Cause, again: Comparison, alone: Comparison,
                 load: Optional[tuple[str, str]]) -> Object:
        """Return the finding that CAUSE is slow in repeated rounds: by LOAD, or
        None where it may be ALONE, too."""
        kind = "congestion" if load else cause.kind
        when, look = load or (self.direction(cause), KINDS[cause.kind][1])
        return self.finding(
            kind, cause, again.ratio, f"{self.where(cause)}: "
            f"{self.ratio(again)} {when}, in {again.tests} measurements of "
            f"repeated rounds; {self.ratio(alone)} alone: look at {look}",
            direction=when)
