"""Verdicts as programs read them: a case for each point that was judged, and
gauges of what was measured there.

verbsperf-compare and verbsperf-sweep make these of their reports, and reports
writes them in the forms that others define."""
from typing import NamedTuple, Optional, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import option_text

# What became of a case, whatever it is called.
PASSED, FAILED, UNDECIDED, BROKEN = "passed", "failed", "undecided", "broken"

Labels = dict[str, str]


class Ran(NamedTuple):
    """When and where a case was measured, as far as that is known."""

    started: Optional[str] = None   # RFC 3339, in UTC
    hostname: Optional[str] = None  # of the client
    seconds: Optional[float] = None     # of all rounds


class Case(NamedTuple):
    """What is said of one point, or of one limit there."""

    suite: str      # what it is a part of, as a target
    kind: str       # the test of verbsperf
    name: str
    state: str      # PASSED, FAILED, UNDECIDED or BROKEN
    verdict: str    # in the words of the command
    text: str       # a sentence, with the figures
    ran: Ran = Ran()


class Gauge(NamedTuple):
    """One figure, in the unit that its name says."""

    name: str
    labels: Labels
    value: float


class Verdicts(NamedTuple):
    """All that a form shows."""

    command: str
    summary: str
    cases: list[Case]
    gauges: list[Gauge]
    page: str           # the same in Markdown


def labels_of(target: str, point: Object) -> Labels:
    """Return the labels of POINT, as a report has it, at TARGET."""
    return {"target": target, "test": point["test"],
            **{name: "" if point[name] is None else str(point[name])
               for name in ("transport", "size", "qps")},
            "options": ",".join(option_text(name, value) for name, value
                                in sorted(point["options"].items()))}


def value_gauge(metric: str, value: float, labels: Labels) -> Gauge:
    """Return VALUE of METRIC as a gauge."""
    one = METRICS[metric]
    return Gauge(one.gauge, {**labels, "metric": metric}, value * one.factor)


def verdict_gauges(name: str, words: Sequence[str], found: str,
                   labels: Labels) -> list[Gauge]:
    """Return a gauge for each of WORDS, of which the one FOUND is 1."""
    return [Gauge(name, {**labels, "verdict": word}, float(word == found))
            for word in words]


def summary(report: Object) -> str:
    """Say how many points have the verdict of all, and count the others."""
    counts = dict(report["counts"])
    n, total = counts.pop(report["verdict"]), sum(report["counts"].values())
    share = f"{n} of " if n != total else ""
    return ", ".join([
        f"{report['verdict']}: {share}{counted(total, 'point')}",
        *(f"{other} {name}" for name, other in counts.items() if other)])
