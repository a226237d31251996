"""The file of many nights: JSON lines, for each sweep and target

    {"schema": "verbsperf-history/1", "started": ..., "suite": ...,
     "target": ..., "facts": {name: value},
     "points": [{"point": {...}, "values": {metric: [one for each round]},
                 "failed": N, "error": sentence or null}, ...]}

It has what a picture of months is made of, in a hundredth of the room of the
sweeps.  verbsperf-sweep appends to it, and verbsperf-plot reads it, and sweeps
in its place."""
import contextlib
import datetime
import fcntl
import json
import os
import stat
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

from verbsperf.base.errors import Refused, ResultsError
from verbsperf.compare import alike
from verbsperf.compare.comparison import RATES, TIMES
from verbsperf.documents import formats, linefile, results
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, objects_of, read_text
from verbsperf.documents.points import Point, point_json
from verbsperf.documents.results import Record

# How a file begins.
HEAD = json.dumps({"schema": formats.HISTORY})[:-1].encode()


class Rounds(NamedTuple):
    """What one night has of one point."""

    values: Dict[str, List[float]]  # by metric
    failed: int                     # rounds
    error: Optional[str]            # why the first of them did


class Night(NamedTuple):
    """One target in one sweep."""

    started: datetime.datetime      # in UTC
    target: str
    facts: Dict[str, str]           # what there is to know of both ends
    points: Dict[Point, Rounds]


def facts_of(records: Sequence[Record]) -> Dict[str, str]:
    """Return what the fingerprints of RECORDS say, as text."""
    return {name: alike.words(values) for name, values
            in sorted(alike.marks_of(records).items())
            if list(values.values()) != [None]}


def rounds_json(point: Point, records: Sequence[Record]) -> Object:
    """Return what RECORDS have of POINT."""
    values = {metric: results.values_of(records, metric)
              for metric in RATES + TIMES}
    failures = [results.failure_of(record) for record in records
                if record.row is None]
    return {"point": point_json(point),
            "values": {metric: found for metric, found in values.items()
                       if found},
            "failed": len(failures),
            "error": failures[0] if failures else None}


def lines_of(path: str) -> List[Object]:
    """Return the lines that the sweep PATH is worth, one for each target."""
    header, records = results.read_with_header(path)
    if header is None or not isinstance(header.get("started"), str):
        raise ResultsError(f"{path}: not a sweep, of which a history is made")
    by_target = results.grouped(records, lambda record: record.target)
    return [{"schema": formats.HISTORY, "started": header["started"],
             "suite": header.get("suite"), "target": target,
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
         for one in line["points"]})


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
    if is_history(path, text):
        for line, entry in objects_of(path, text):
            yield night_of(Place(path, line), entry)
    else:
        for entry in lines_of(path):
            yield night_of(Place(path, 1), entry)


def read(paths: Sequence[str]) -> List[Night]:
    """Return the nights of all PATHS in the order of time; what came twice
    counts as it came last."""
    found = {(night.started, night.target): night for path in paths
             for night in nights_of(path)}
    return [found[key] for key in sorted(found)]


@contextlib.contextmanager
def opened(path: str) -> Iterator[int]:
    """Open the history PATH, or a new one, to append to it, when nobody else
    does; drop a line that was not written completely."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise Refused(f"{path}: a history needs a regular file")
        fcntl.flock(fd, fcntl.LOCK_EX)
        data = os.pread(fd, os.fstat(fd).st_size, 0)
        if not (data.startswith(HEAD) or HEAD.startswith(data)):
            raise Refused(f"{path}:1: not a history of verbsperf-sweep; left "
                          "as it is")
        os.ftruncate(fd, data.rfind(b"\n") + 1)
        yield fd
    finally:
        os.close(fd)


def check(path: str) -> None:
    """Refuse PATH unless lines can be appended to it."""
    with opened(path):
        pass


def append(path: str, lines: Sequence[Object]) -> None:
    """Append LINES to the history PATH, all of them or none."""
    data = "".join(json.dumps(line) + "\n" for line in lines)
    with opened(path) as fd:
        try:
            linefile.write_whole(fd, data.encode())
        except OSError as error:
            raise Refused(f"{path}: cannot write: {error.strerror}") from None
