"""What became of a sweep, as a verdict: which points were measured, and which
of the user's limits they met.

A limit is missed where any round missed it."""
from typing import Iterable, Iterator, Optional, Sequence

from verbsperf.base import foreign, tables
from verbsperf.documents import points, results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, label
from verbsperf.documents.results import Record
from verbsperf.forms import cases
from verbsperf.stats import ranks
from verbsperf.sweep import contents

SCHEMA = "verbsperf-limits/1"
FAILED, MISSED, MET, MEASURED = "failed", "missed", "met", "measured"
# The worst first.
ORDER = (FAILED, MISSED, MET, MEASURED)
STATES = {FAILED: cases.BROKEN, MISSED: cases.FAILED, MET: cases.PASSED,
          MEASURED: cases.PASSED}
# The exit status of a sweep; what failed is said by 1, as without limits.
EXIT = {FAILED: 1, MISSED: 3, MET: 0, MEASURED: 0}

Key = tuple[str, Point]


def plain(value: float) -> str:
    """Return VALUE with six digits, and with all that it has before the point
    where a power of ten would be harder to read."""
    return f"{value:.0f}" if 999999.5 <= abs(value) < 1e12 else f"{value:g}"


def asked_text(one: Object) -> str:
    """Return the limit ONE as an option and, of a percentage, what it is."""
    counter, asked = one.get("counter"), one.get("asked")
    value = "-" if asked is None else plain(asked)
    if one.get("percent") is not None:
        known = "" if asked is None else f" ({value} {one.get('unit')})"
        value = f"{one['percent']:g}%{known}"
    return f"--{one['name']} " + (f"{counter}={value}" if counter else value)


def seen_text(one: Object, seen: Optional[float]) -> str:
    """Say what was SEEN where the limit ONE applies."""
    if seen is None:
        return one.get("reason") or "it could not be judged"
    where = (f"at the {one.get('end')}" if one.get("counter")
             else one.get("unit"))
    return f"{plain(seen)} {where}"


def worst_of(judged: Sequence[Object]) -> Optional[float]:
    """Return the worst that was seen of one limit in JUDGED, its rounds."""
    seen = [one["seen"] for one in judged if one.get("seen") is not None]
    if not seen:
        return None
    least = str(judged[0]["name"]).startswith("min-")
    return float(min(seen) if least else max(seen))


def limit_json(judged: Sequence[Object]) -> Object:
    """Return one limit over JUDGED, what its rounds said of it."""
    missed = [one for one in judged if not one["met"]]
    first = (missed or judged)[0]
    return {"name": first["name"], "counter": first.get("counter"),
            "end": first.get("end"), "percent": first.get("percent"),
            "asked": first.get("asked"), "unit": first.get("unit"),
            "rounds": len(judged), "missed": len(missed),
            "worst": worst_of(judged), "reason": first.get("reason")}


def limits_of(records: Iterable[Record]) -> list[Object]:
    """Return the limits of RECORDS, rounds of one point, each once."""
    judged = [one for record in records for one in results.limits_of(record)]
    return [limit_json(rounds) for rounds in results.grouped(
        judged, lambda one: (one["name"], one.get("counter"))).values()]


def verdict_of(records: Sequence[Record], limits: Sequence[Object]) -> str:
    """Return what became of a point."""
    if not records or any(record.row is None for record in records):
        return FAILED
    if any(one["missed"] for one in limits):
        return MISSED
    return MET if limits else MEASURED


def point_json(key: Key, every: Sequence[Point], records: Sequence[Record]
               ) -> Object:
    """Return what is said of the point KEY, one of EVERY."""
    target, point = key
    limits = limits_of(records)
    failures = results.failures(records)
    values = {metric: results.values_of(records, metric)
              for metric in contents.METRICS}
    return {"label": label(point, every), "target": target,
            "point": points.point_json(point),
            "rounds": len(records), "failed": len(failures),
            "error": failures[0] if failures else None if records
            else "it was not measured",
            "medians": {metric: ranks.median(found)
                        for metric, found in values.items() if found},
            "limits": limits, "verdict": verdict_of(records, limits),
            "ran": results.ran(records)}


def report(path: str) -> Object:
    """Return the report of the file PATH, a sweep or documents."""
    header, records = results.read_with_header(path)
    groups: dict[Key, list[Record]] = dict.fromkeys(
        contents.expected(header) if header else (), [])
    lost = [record for record in records if record.point is None]
    groups.update(results.grouped(
        (record for record in records if record.point is not None),
        lambda record: (record.target, results.point_of(record))))
    every = [point for _, point in groups]
    points = [point_json(key, every, found) for key, found in groups.items()]
    found = [point["verdict"] for point in points] + [FAILED] * len(lost)
    return {"schema": SCHEMA, "file": path,
            "verdict": min(found, key=ORDER.index, default=MEASURED),
            "counts": {name: found.count(name) for name in ORDER},
            "notes": [f"{record.target}: {results.failure_of(record)}"
                      for record in lost],
            "points": points}


def words_of(point: Object) -> Iterator[str]:
    """Yield what there is to say of POINT, the worst first."""
    if point["error"]:
        rounds = (f"{point['failed']} of {point['rounds']} rounds failed: "
                  if point["rounds"] > 1 else "")
        yield rounds + point["error"]
    for one in sorted(point["limits"], key=lambda one: not one["missed"]):
        seen = seen_text(one, one["worst"])
        times = (f"missed in {one['missed']} of {one['rounds']} rounds"
                 if one["missed"] else "met")
        yield f"{asked_text(one)} {times}, {seen} at worst"


def text_of(point: Object) -> str:
    """Say what became of POINT."""
    words = list(words_of(point))
    medians = ", ".join(f"{tables.unit(metric)} {tables.number(value)}"
                        for metric, value in point["medians"].items())
    return "; ".join([*words, *([f"medians: {medians}"] if medians else [])])


def text(found: Object) -> str:
    """Return what is in the file as a table, and what became of it."""
    missed = [f"{point['target']}: {point['label']}: {word}"
              for point in found["points"] if point["verdict"] == MISSED
              for word in words_of(point)]
    return contents.text(found["file"]) + "".join(
        f" {foreign.terminal(line)}\n"
        for line in [*missed, cases.summary(found)])


def markdown(found: Object) -> str:
    """Return a table for a review comment."""
    out = [f"**{cases.summary(found)}**", "",
           f"- {foreign.markdown(found['file'])}"]
    out += [f"- {foreign.markdown(note)}" for note in found["notes"]]
    out += ["", "| target | point | verdict | |", "|---|---|---|---|"]
    for point in found["points"]:
        word = point["verdict"]
        bold = word if STATES[word] == cases.PASSED else f"**{word}**"
        out.append("| " + " | ".join((
            foreign.markdown(point["target"]), foreign.markdown(point["label"]),
            bold, foreign.markdown(text_of(point)))) + " |")
    return "\n".join(out) + "\n"


def gauges_of(point: Object) -> Iterator[cases.Gauge]:
    """Yield what there is to keep of POINT."""
    labels = cases.labels_of(point["target"], point["point"])
    for metric, value in point["medians"].items():
        yield cases.value_gauge(metric, value, labels)
    for state, rounds in (("measured", point["rounds"] - point["failed"]),
                          ("failed", point["failed"])):
        yield cases.Gauge("verbsperf_rounds", {**labels, "outcome": state},
                          rounds)
    yield from cases.verdict_gauges("verbsperf_limit_verdict", ORDER,
                                    point["verdict"], labels)
    for one in point["limits"]:
        own = {**labels, "limit": one["name"], "unit": one["unit"] or "",
               "counter": one["counter"] or "", "end": one["end"] or ""}
        for name, value in (("asked", one["asked"]), ("worst", one["worst"]),
                            ("missed_rounds", one["missed"])):
            if value is not None:
                yield cases.Gauge(f"verbsperf_limit_{name}", own, value)


def verdicts(found: Object) -> cases.Verdicts:
    """Return what programs read of the report FOUND."""
    every = [cases.Case("", "failed", note, cases.BROKEN, FAILED, note)
             for note in found["notes"]]
    every += [cases.Case(point["target"], point["point"]["test"],
                         point["label"], STATES[point["verdict"]],
                         point["verdict"], text_of(point),
                         cases.Ran(**point["ran"]))
              for point in found["points"]]
    return cases.Verdicts(
        "verbsperf-sweep", cases.summary(found), every,
        [gauge for point in found["points"] for gauge in gauges_of(point)],
        markdown(found))
