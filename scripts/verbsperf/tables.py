"""A comparison as text, Markdown and JSON."""
import json
import math
from typing import Collection, Iterator, List, Optional, Sequence, Tuple

from verbsperf.jsonfile import Object

HEADING = ("point", "metric", "base", "new", "change", "95% interval", "p",
           "verdict")
# No measurements differ as much but by one that is 0.
MOST_RATIO = 1e6
# Of a percentage, after the point.
MOST_DIGITS = 4
UNITS = {"gbps": "Gb/s", "mpps": "Mpps", "mib_per_s": "MiB/s",
         "peak_gbps": "peak Gb/s"}


def printable(text: str) -> str:
    """Return TEXT, which another host may have sent, without what a terminal
    would obey or cannot show."""
    return "".join(one if one.isprintable() else "?" for one in text)


def unit(metric: str) -> str:
    """Return METRIC for people, with its unit."""
    if metric in UNITS:
        return UNITS[metric]
    return metric.replace("_", ".") + " us"


def number(value: Optional[float]) -> str:
    """Return VALUE with four significant digits; no small value is shown as
    0."""
    if value is None:
        return "-"
    text = f"{value:#.4g}"
    if "e" in text and abs(value) >= 1:
        return f"{value:.0f}"
    return text.rstrip(".")


def percent(ratio: Optional[float], digits: int) -> str:
    """Return how much RATIO is above or below 1, with DIGITS after the
    point."""
    if ratio is None:
        return "-"
    if ratio > MOST_RATIO:
        return "from 0"
    change = (ratio - 1) * 100
    if abs(change) >= 1000:
        return f"{change:+.0f}%"
    text = f"{change:+.{digits}f}%"
    return text.replace("-", "+") if not float(text[:-1]) else text


def digits_of(point: Object) -> int:
    """Return how many digits tell change, interval and tolerance of POINT
    apart in the table, where they differ."""
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
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def interval(low: Optional[float], high: Optional[float], digits: int) -> str:
    """Return the interval of a ratio as text."""
    if low is None:
        return "-"
    return f"{percent(low, digits)} .. {percent(high, digits)}"


def verdict(point: Object) -> str:
    """Return the verdict of POINT, its reason and what it would take."""
    words = [point["verdict"]]
    if point["reason"]:
        words.append(point["reason"])
    if point["more_rounds"]:
        words.append(f"{rounds(point['more_rounds'])} needed")
    words.extend(point["notes"])
    return ": ".join(words[:2]) + "".join(f"; {w}" for w in words[2:])


def rounds(more: int) -> str:
    """Say how many more rounds are needed, as far as that is known."""
    if more > 500:
        return "over 500 more rounds"
    return f"about {more} more round" + ("s" if more > 1 else "")


def cells(point: Object) -> Tuple[str, ...]:
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
        yield (f"{side}: {entry['file']}{target}, {entry['rounds']} round"
               + ("s" if entry["rounds"] != 1 else ""))
    yield "tolerance: " + tolerance(report)


def tolerance(report: Object) -> str:
    """Say how much worse each metric may be."""
    limits = report["tolerance_percent"]
    names = sorted({p["metric"] for p in report["points"]})
    rate = [unit(name) for name in names if name in UNITS]
    time = [unit(name) for name in names if name not in UNITS]
    words = [f"{limits[kind]:g}% of {', '.join(units)}" for kind, units in (
        ("bandwidth", rate), ("latency", time)) if units]
    return " and ".join(words)


def summary(report: Object) -> str:
    """Count the verdicts."""
    return f"{report['verdict']}: " + ", ".join(
        f"{n} {name}" for name, n in report["counts"].items() if n)


def definition(report: Object) -> str:
    """Say what the columns mean."""
    return ("base, new: medians; change: Hodges-Lehmann ratio of new to base;"
            f" p: Mann-Whitney, Holm's of {report['family']}")


def table(names: Sequence[str], rows: Sequence[Sequence[str]],
          left: Collection[int]) -> List[str]:
    """Return lines with columns called NAMES. The columns LEFT have words,
    which are aligned on the left."""
    rows = [list(map(printable, row)) for row in (names, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows]


def text(report: Object) -> str:
    """Return the table for people."""
    out = [*heading(report),
           *table(HEADING, [cells(point) for point in report["points"]],
                  left=(0, 1, len(HEADING) - 1)),
           *(f"note: {note}" for note in report["notes"]),
           definition(report), summary(report)]
    return "".join(f" {printable(line)}\n" for line in out)


def escape(cell: str) -> str:
    """Escape what would end a cell, or begin an emphasis."""
    cell = printable(cell)
    for letter in "\\|*_<`":
        cell = cell.replace(letter, "\\" + letter)
    return cell


def markdown(report: Object) -> str:
    """Return a table for a review comment; verdicts other than ok are bold."""
    out = [f"**{summary(report)}**", ""]
    out += [f"- {escape(line)}" for line in heading(report)]
    out += [f"- note: {escape(note)}" for note in report["notes"]]
    out += ["", "| " + " | ".join(HEADING) + " |",
            "|---|---|---:|---:|---:|---:|---:|---|"]
    for point in report["points"]:
        line = [escape(cell) for cell in cells(point)]
        if point["verdict"] != "ok":
            line[-1] = f"**{line[-1]}**"
        out.append("| " + " | ".join(line) + " |")
    return "\n".join(out + ["", definition(report)]) + "\n"


def as_json(report: Object) -> str:
    """Return the report, points as in a sweep."""
    return json.dumps(report, indent=2) + "\n"
