"""The file of many nights: JSON lines, for each sweep and target

    {"schema": "verbsperf-history/1", "started": ..., "suite": ...,
     "seed": ..., "target": ..., "facts": {name: value},
     "points": [{"point": {...}, "values": {metric: [one for each round]},
                 "failed": N, "error": sentence or null}, ...]}

It has what a picture of months is made of, in a hundredth of the room of the
sweeps.  verbsperf-sweep appends to it, and verbsperf-plot reads it, and sweeps
in its place."""
import datetime
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.errors import ResultsError
from verbsperf.base.metrics import METRICS
from verbsperf.compare import alike
from verbsperf.documents import formats, results, writer
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, objects_of, read_text
from verbsperf.documents.points import Point, point_json
from verbsperf.documents.results import Record


class Rounds(NamedTuple):
    """What one night has of one point."""

    values: dict[str, list[float]]  # by metric
    failed: int                     # rounds
    error: Optional[str]            # why the first of them did


class Night(NamedTuple):
    """One target in one sweep."""

    started: datetime.datetime      # in UTC
    target: str
    facts: dict[str, str]           # what there is to know of both ends
    points: dict[Point, Rounds]
    sweep: tuple[str, ...] = ()     # what tells it from others of that second


def facts_of(records: Sequence[Record]) -> dict[str, str]:
    """Return what the fingerprints of RECORDS say, as text."""
    return {name: alike.words(values) for name, values
            in sorted(alike.marks_of(records).items())
            if list(values.values()) != [None]}


def rounds_json(point: Point, records: Sequence[Record]) -> Object:
    """Return what RECORDS have of POINT."""
    values = {metric: results.values_of(records, metric) for metric in METRICS}
    failures = results.failures(records)
    return {"point": point_json(point),
            "values": {metric: found for metric, found in values.items()
                       if found},
            "failed": len(failures),
            "error": failures[0] if failures else None}


def lines_of(path: str) -> list[Object]:
    """Return the lines that the sweep PATH is worth, one for each target."""
    header, records = results.read_with_header(path)
    if header is None or not isinstance(header.get("started"), str):
        raise ResultsError(f"{path}: not a sweep, of which a history is made")
    if not records:
        raise ResultsError(f"{path}: no measurement in it")
    by_target = results.grouped(records, lambda record: record.target)
    return [{"schema": formats.HISTORY, "started": header["started"],
             "suite": header.get("suite"), "seed": header["seed"],
             "target": target,
             "facts": facts_of(own),
             "points": [rounds_json(point, rounds) for point, rounds
                        in results.grouped(own, results.point_of).items()]}
            for target, own in by_target.items()]


def night_of(place: Place, line: Object) -> Night:
    """Return the Night of LINE, which was read at PLACE."""
    formats.check_history(place, line)
    return Night(
        time_of(place, line["started"]), line["target"], dict(line["facts"]),
        {results.sweep_point(one["point"]): Rounds(
            one["values"], one["failed"], one.get("error"))
         for one in line["points"]},
        (str(line.get("suite")), str(line.get("seed"))))


def time_of(place: Place, text: str) -> datetime.datetime:
    """Return when TEXT, as verbsperf writes times, was."""
    try:
        when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        when = datetime.datetime.min
    # far enough from what a time can hold for other zones and a margin
    place.expect(when.tzinfo is not None and 1900 <= when.year < 9000,
                 f"\"started\" is no time: '{text}'")
    return when.astimezone(datetime.timezone.utc)


def is_history(path: str, text: str) -> bool:
    """Return True when TEXT of PATH begins as a history does."""
    for _, first in objects_of(path, text):
        return first.get("schema") == formats.HISTORY
    return False


def nights_of(path: str) -> Iterator[Night]:
    """Yield the nights of the file PATH, a history or a sweep."""
    text = read_text(path)
    entries = (objects_of(path, text) if is_history(path, text)
               else ((1, entry) for entry in lines_of(path)))
    yield from formats.good(path, entries, night_of)


def read(paths: Sequence[str]) -> list[Night]:
    """Return the nights of all PATHS in time; of the same the last one."""
    found = {(night.started, night.target, night.sweep): night
             for path in paths for night in nights_of(path)}
    return [found[key] for key in sorted(found)]


def opened(path: str) -> writer.Lines:
    """Open the history PATH, or a new one, when nobody else appends to it."""
    return writer.Lines(path, formats.HISTORY, "history of verbsperf-sweep",
                        "'verbsperf-sweep --history FILE SWEEP' appends what "
                        "is in a sweep",
                        wait=True)


def check(path: str) -> None:
    """Refuse PATH unless lines can be appended to it."""
    opened(path).close()


def append(path: str, lines: Sequence[Object]) -> None:
    """Append all of LINES to the history PATH, unless one is not readable."""
    for line in lines:
        night_of(Place(path, 0), line)
    file = opened(path)
    try:
        file.append(*lines)
    finally:
        file.close()
