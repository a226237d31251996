"""Verdicts as programs read them: a case for each point that was judged, and
gauges of what was measured there.

verbsperf-compare and verbsperf-sweep make these of their reports, and reports
writes them in the forms that others define."""
from typing import Dict, List, NamedTuple, Sequence, Tuple

from verbsperf import tables, verdict
from verbsperf.jsonfile import Object
from verbsperf.points import option_text

# What became of a case, whatever it is called.
PASSED, FAILED, UNDECIDED, BROKEN = "passed", "failed", "undecided", "broken"

Labels = Dict[str, str]


class Case(NamedTuple):
    """What is said of one point, or of one limit there."""

    suite: str      # what it is a part of, as a target
    kind: str       # the test of verbsperf
    name: str
    state: str      # PASSED, FAILED, UNDECIDED or BROKEN
    verdict: str    # in the words of the command
    text: str       # a sentence, with the figures


class Gauge(NamedTuple):
    """One figure, in the unit that its name says."""

    name: str
    labels: Labels
    value: float


class Verdicts(NamedTuple):
    """All that a form shows."""

    command: str
    summary: str
    cases: List[Case]
    gauges: List[Gauge]
    page: str           # the same in Markdown


# Metrics as gauges: their name, and what makes its unit of ours.
RATES = {"gbps": ("verbsperf_bandwidth_bytes_per_second", 1e9 / 8),
         "peak_gbps": ("verbsperf_bandwidth_bytes_per_second", 1e9 / 8),
         "mib_per_s": ("verbsperf_bandwidth_bytes_per_second", 2.0 ** 20),
         "mpps": ("verbsperf_messages_per_second", 1e6)}
TIMES = "verbsperf_latency_seconds", 1e-6
STATES = {verdict.REGRESSION: FAILED, verdict.INCONCLUSIVE: UNDECIDED,
          verdict.IMPROVEMENT: PASSED, verdict.OK: PASSED}


def labels_of(target: str, point: Object) -> Labels:
    """Return the labels of POINT, as a report has it, at TARGET."""
    return {"target": target, "test": point["test"],
            "transport": point["transport"], "size": str(point["size"]),
            "qps": str(point["qps"]),
            "options": ",".join(option_text(name, value) for name, value
                                in sorted(point["options"].items()))}


def value_gauge(metric: str, value: float, labels: Labels) -> Gauge:
    """Return VALUE of METRIC as a gauge."""
    name, factor = RATES.get(metric, TIMES)
    return Gauge(name, {**labels, "metric": metric}, value * factor)


def verdict_gauges(name: str, words: Sequence[str], found: str,
                   labels: Labels) -> List[Gauge]:
    """Return a gauge for each of WORDS, of which the one FOUND is 1."""
    return [Gauge(name, {**labels, "verdict": word}, float(word == found))
            for word in words]


def comparison_text(point: Object) -> str:
    """Say what POINT of a comparison is."""
    _, unit, base, new, change, interval, p, words = tables.cells(point)
    return (f"{unit} {base} in base, {new} in new, change {change} "
            f"(95% interval {interval}, p {p}): {words}")


def comparison_case(point: Object) -> Case:
    """Return the case of POINT of a comparison."""
    target = point["target"] or ""
    name = point["label"].removeprefix(f"{target}: " if target else "")
    return Case(target, point["point"]["test"], name, STATES[point["verdict"]],
                point["verdict"], comparison_text(point))


def comparison_gauges(point: Object) -> List[Gauge]:
    """Return what there is to keep of POINT of a comparison."""
    labels = labels_of(point["target"] or "", point["point"])
    found = [value_gauge(point["metric"], point[side],
                         {**labels, "side": side})
             for side in ("base", "new") if point[side] is not None]
    labels["metric"] = point["metric"]
    named: Tuple[Tuple[str, str], ...] = (
        ("ratio", "ratio"), ("low", "ratio_low"), ("high", "ratio_high"),
        ("p_adjusted", "p_value"))
    found += [Gauge(f"verbsperf_compare_{name}", labels, point[key])
              for key, name in named if point[key] is not None]
    return found + verdict_gauges("verbsperf_compare_verdict", list(STATES),
                                  point["verdict"], labels)


def of_comparison(report: Object) -> Verdicts:
    """Return what programs read of REPORT, a comparison."""
    return Verdicts(
        "verbsperf-compare", tables.summary(report),
        [comparison_case(point) for point in report["points"]],
        [gauge for point in report["points"]
         for gauge in comparison_gauges(point)], tables.markdown(report))
