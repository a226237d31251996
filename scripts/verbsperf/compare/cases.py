"""What programs read of a comparison: its cases and gauges."""
from typing import List, Tuple

from verbsperf.compare import view
from verbsperf.documents.jsonfile import Object
from verbsperf.forms.cases import (FAILED, PASSED, UNDECIDED, Case, Gauge,
                                   Verdicts, labels_of, summary,
                                   value_gauge, verdict_gauges)
from verbsperf.stats import verdict

STATES = {verdict.REGRESSION: FAILED, verdict.INCONCLUSIVE: UNDECIDED,
          verdict.WITHIN: PASSED}


def text_of(point: Object) -> str:
    """Say what POINT of a comparison is."""
    (_, unit, base, new, change, interval, p,
     words) = view.cells(point)
    return (f"{unit} {base} in base, {new} in new, change {change} "
            f"(95% interval {interval}, p {p}): {words}")


def case_of(point: Object) -> Case:
    """Return the case of POINT of a comparison."""
    target = point["target"] or ""
    name = point["label"].removeprefix(f"{target}: " if target else "")
    return Case(target, point["point"]["test"], name, STATES[point["verdict"]],
                point["verdict"], text_of(point))


def gauges_of(point: Object) -> List[Gauge]:
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


def verdicts(report: Object) -> Verdicts:
    """Return what programs read of REPORT, a comparison."""
    return Verdicts(
        "verbsperf-compare", summary(report),
        [case_of(point) for point in report["points"]],
        [gauge for point in report["points"]
         for gauge in gauges_of(point)], view.markdown(report))
