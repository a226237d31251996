"""A comparison as people and programs read it: text, Markdown, cases and
gauges."""
import math
from typing import Iterator, Optional

from verbsperf.base import foreign
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import (counted, interval, number, percent, table,
                                   unit)
from verbsperf.compare.comparison import LIKELY
from verbsperf.documents.jsonfile import Object
from verbsperf.forms.cases import (FAILED, PASSED, UNDECIDED, Case, Gauge,
                                   Ran, Verdicts, labels_of, summary,
                                   value_gauge, verdict_gauges)
from verbsperf.stats.verdict import (FALSE_JOBS, INCONCLUSIVE, LEAST,
                                     REGRESSION, WITHIN, needed_text)

HEADING = ("point", "metric", "base", "new", "change", "95% interval", "p",
           "verdict")
STATES = {REGRESSION: FAILED, INCONCLUSIVE: UNDECIDED, WITHIN: PASSED}
# Of a percentage, after the point.
MOST_DIGITS = 4


def digits_of(point: Object) -> int:
    """Return how many digits tell change, interval and tolerance apart."""
    tolerance = point["tolerance_percent"] / 100
    edges = {1 - tolerance, 1 + tolerance}
    ratios = {point[name] for name in ("ratio", "low", "high")} - {None}
    away = [one for one in ratios
            if not any(math.isclose(one, edge) for edge in edges)]
    every = {round(one, 9) for one in [*away, *edges]}
    for digits in range(1, MOST_DIGITS):
        if len({percent(one, digits) for one in every}) == len(every):
            return digits
    return MOST_DIGITS


def p_text(p: Optional[float]) -> str:
    """Return a probability, no more exact than is useful."""
    if p is None:
        return "-"
    text = f"{p:.4f}"
    if p < 0.0001:
        return "<0.0001"
    # what counts as no accident does not look like the limit of that
    return f"<{text}" if p < FALSE_JOBS <= float(text) else text


def verdict(point: Object) -> str:
    """Return the verdict of POINT, its reason and what it would take."""
    words = [point["verdict"]]
    if point["reason"]:
        words.append(point["reason"])
    if point["verdict"] == INCONCLUSIVE and point["reason"]:
        words.append(needed_text(point["more_rounds"],
                                 point["more_sessions"], point["reason"]))
    words.extend(point["notes"])
    return ": ".join(words[:2]) + "".join(f"; {w}" for w in words[2:])


def cells(point: Object) -> tuple[str, ...]:
    """One line of a table."""
    digits = digits_of(point)
    return (point["label"], unit(point["metric"]), number(point["base"]),
            number(point["new"]), percent(point["ratio"], digits),
            interval(point["low"], point["high"], digits),
            p_text(point["p_adjusted"]), verdict(point))


def heading(report: Object) -> Iterator[str]:
    """Yield what is compared, a line for each side, and the tolerance."""
    for side in ("base", "new"):
        entry = report[side]
        target = f", target {entry['target']}" if entry["target"] else ""
        sessions = entry["sessions"]
        of_each = f"{sessions} sessions of " if sessions > 1 else ""
        yield (f"{side}: {entry['file']}{target}, {of_each}"
               + counted(entry["rounds"], "round"))
    yield "tolerance: " + tolerance(report)


def tolerance(report: Object) -> str:
    """Say how much worse each metric may be."""
    limits = report["tolerance_percent"]
    names = sorted({p["metric"] for p in report["points"]})
    units = {kind: [unit(name) for name in names
                    if METRICS[name].is_rate == (kind == "bandwidth")]
             for kind in limits}
    return " and ".join(f"{limits[kind]:g}% of {', '.join(some)}"
                        for kind, some in units.items() if some)


def definition(report: Object) -> str:
    """Say what the columns mean."""
    sessions: int = report["base"]["sessions"]
    base = (f"base: geometric mean of the trimmed means of {sessions} sessions"
            "; new: trimmed mean" if sessions > 1 else
            "base, new: trimmed means")
    words = f"{base}; change: new to base"
    if report["family"]:
        words += ("; 95% interval: of the change, by the spread of rounds"
                  + " and sessions" * (sessions > 1)
                  + f"; p: that {any_point(report['family'])} differs as much "
                  "where nothing changed")
    return words


def any_point(family: int) -> str:
    """Say of which of FAMILY points p is the probability."""
    return "the point" if family == 1 else f"any of {family} points (Sidak)"


def tendency(report: Object) -> str:
    """Say what is likely where REPORT has no answer: a large loss that may be
    chance is not the same as none."""
    found: dict[str, list[Object]] = {}
    for point in report["points"]:
        found.setdefault(point["likely"], []).append(point)
    for word in LIKELY[:2]:
        if word in found:
            worst = max(found[word], key=lambda one: abs(math.log(
                max(one["ratio"], LEAST))))
            p = worst["p_adjusted"]
            known = "" if p is None else f" (p {p_text(p)})"
            more = len(found[word]) - 1
            return (f"{word}: {worst['label']} {percent(worst['ratio'], 1)}"
                    f"{known}" + f", and {more} more" * bool(more))
    return (f"{LIKELY[2]}: none is seen slower by more than the tolerance"
            if LIKELY[2] in found else "")


def headline(report: Object) -> str:
    """Return the verdict of REPORT in a line, with what is likely."""
    likely = (tendency(report) if report["verdict"] == INCONCLUSIVE else "")
    return "; ".join(filter(None, (summary(report), likely)))


def text(report: Object) -> str:
    """Return the table for people."""
    out = [*heading(report),
           *table(HEADING, [cells(point) for point in report["points"]],
                  left=(0, 1, len(HEADING) - 1)),
           *(f"note: {note}" for note in report["notes"]),
           definition(report), headline(report)]
    return "".join(f" {foreign.terminal(line)}\n" for line in out)


def markdown(report: Object) -> str:
    """Return a table for a review comment; verdicts other than ok are bold."""
    out = [f"**{foreign.markdown(headline(report))}**", ""]
    out += [f"- {foreign.markdown(line)}" for line in heading(report)]
    out += [f"- note: {foreign.markdown(note)}" for note in report["notes"]]
    out += ["", "| " + " | ".join(HEADING) + " |",
            "|---|---|---:|---:|---:|---:|---:|---|"]
    for point in report["points"]:
        line = [foreign.markdown(cell) for cell in cells(point)]
        if point["verdict"] != WITHIN:
            line[-1] = f"**{line[-1]}**"
        out.append("| " + " | ".join(line) + " |")
    return "\n".join(out + ["", definition(report)]) + "\n"


def case_of(point: Object) -> Case:
    """Return the case of POINT of a comparison."""
    target = point["target"] or ""
    name, metric, base, new, percents, between, p, words = cells(point)
    return Case(
        target, point["point"]["test"],
        name.removeprefix(f"{target}: " if target else ""),
        STATES[point["verdict"]], point["verdict"],
        f"{metric} {base} in base, {new} in new, change {percents} "
        f"(95% interval {between}, p {p}): {words}", Ran(**point["ran"]))


def gauges_of(point: Object) -> list[Gauge]:
    """Return what there is to keep of POINT of a comparison."""
    labels = labels_of(point["target"] or "", point["point"])
    found = [value_gauge(point["metric"], point[side],
                         {**labels, "side": side})
             for side in ("base", "new") if point[side] is not None]
    labels["metric"] = point["metric"]
    named: tuple[tuple[str, str], ...] = (
        ("ratio", "ratio"), ("low", "ratio_low"), ("high", "ratio_high"),
        ("p_adjusted", "p_value"))
    found += [Gauge(f"verbsperf_compare_{name}", labels, point[key])
              for key, name in named if point[key] is not None]
    return found + verdict_gauges("verbsperf_compare_verdict", list(STATES),
                                  point["verdict"], labels)


def verdicts(report: Object) -> Verdicts:
    """Return what programs read of REPORT, a comparison."""
    return Verdicts(
        "verbsperf-compare", headline(report),
        [case_of(point) for point in report["points"]],
        [gauge for point in report["points"]
         for gauge in gauges_of(point)], markdown(report))
