"""The file of verbsperf-cluster: JSON lines, first a header

    {"schema": "verbsperf-cluster/1", "pattern", "nodes", "points", ...}

and then a line for each node, each pair in each round, each round, and at the
end for each finding and note; doc/verbsperf-cluster-1.schema.json has it
all."""
import json
import platform
from typing import Any, NamedTuple, Optional

from verbsperf.base.errors import Refused, ResultsError
from verbsperf.base.metrics import METRICS
from verbsperf.documents import formats
from verbsperf.documents.fields import (MISSING, Fields, having, list_of,
                                        mapping, of, optional, wrong)
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, objects_of, read_text
from verbsperf.documents.writer import Lines, now_text
from verbsperf.pairs.patterns import End, Pair

SCHEMA = "verbsperf-cluster/1"
# What must be the same for a file to go on.
SAME = ("pattern", "nodes", "devices", "cross_rails", "target", "seed",
        "rounds", "concurrent", "processes", "points", "probes")
GOES_ON = ("what was measured before is in it, and the same command continues "
           "it, with --resume")


class Begun(NamedTuple):
    """The file while it is written; lines is None when there is none."""

    lines: Optional[Lines]
    header: Object
    entries: list[Object]   # what is in it already, without the header

    def append(self, entry: Object) -> None:
        """Add a line, which will be read."""
        check_entry(Place("a new line", 1), self.header, entry)
        self.entries.append(entry)
        if self.lines is not None:
            self.lines.append(entry)


def is_known(value: Any) -> bool:
    """VALUE is neither missing nor null."""
    return value is not MISSING and value is not None


TEXT, FLAG, AMOUNT = of(str), of(bool), formats.is_optional_amount
END = having(node=TEXT, device=TEXT)
PART = optional(of(dict))
EVIDENCE = mapping(having(
    differs=optional(list_of(having(
        fact=TEXT, here=is_known, elsewhere=is_known))),
    rose=optional(list_of(having(counter=TEXT, value=is_known)))))
# What the header needs.
HEADER: Fields = {
    "started": TEXT, "tool": having(verbsperf=TEXT), "pattern": TEXT,
    "nodes": list_of(TEXT, 1), "points": list_of(of(dict), 1)}
# What each kind of line needs.
KINDS: dict[str, Fields] = {
    "node": {"node": TEXT, "error": optional(TEXT), "environment": PART},
    "pair": {"round": formats.is_count, "point": formats.is_count,
             "rail": formats.is_count, "client": END, "server": END,
             "value": AMOUNT, "overlap": AMOUNT, "error": optional(TEXT),
             "result": optional(having(bandwidth=PART, latency=PART)),
             "probe": FLAG, "alone": FLAG, "marked": FLAG,
             "missed": optional(list_of(formats.LIMIT))},
    "round": {"round": formats.is_count, "point": formats.is_count,
              "gbps": AMOUNT, "pairs": formats.is_count,
              "added": formats.is_count, "alone": FLAG},
    "finding": {"point": formats.is_count, "sentence": TEXT, "kind": TEXT,
                "ratio": AMOUNT, "ends": list_of(END),
                "beside": optional(EVIDENCE)},
    "note": {"point": formats.is_count, "sentence": TEXT,
             "inconclusive": optional(FLAG)},
    "resumed": {},
}
# What is said of the rounds when all are done.
FOUND = ("finding", "note")


def check_fields(place: Place, kind: str, fields: Fields, line: Object) -> None:
    """LINE has the FIELDS that one of KIND needs."""
    name = wrong(line, fields)
    place.expect(name is None, f"\"{name}\" of a {kind} is not as "
                 "verbsperf-cluster writes it")


def check_header(place: Place, header: Object) -> None:
    """HEADER is the first line of such a file."""
    place.expect(header.get("schema") == SCHEMA,
                 "not a file of verbsperf-cluster")
    check_fields(place, "header", HEADER, header)
    for point in header["points"]:
        place.check(point, formats.POINT)
        metric = point.get("metric")
        place.expect(isinstance(metric, str) and metric in METRICS,
                     "a point of the header has the metric "
                     f"{json.dumps(metric)}, not one of {', '.join(METRICS)}")


def check_entry(place: Place, header: Object, entry: Object) -> Object:
    """Return ENTRY, a line after HEADER, with all that it may have."""
    kind = entry.get("type")
    place.expect(isinstance(kind, str) and kind in KINDS,
                 f"a line of the type {json.dumps(kind)}")
    fields = KINDS[str(kind)]
    check_fields(place, str(kind), fields, entry)
    place.expect("point" not in fields
                 or entry["point"] < len(header["points"]),
                 "the header has no such point")
    return {**dict.fromkeys(fields), **entry}


def read(path: str) -> tuple[Object, list[Object]]:
    """Return (header, the other lines) of the file PATH. What was found before
    it was resumed was found again, or not, and is left out."""
    lines = list(objects_of(path, read_text(path)))
    if not lines:
        raise ResultsError(f"{path}: the file is empty")
    header = lines[0][1]
    check_header(Place(path, lines[0][0]), header)
    entries = list(formats.good(
        path, lines[1:],
        lambda place, entry: check_entry(place, header, entry)))
    resumed = max((i for i, entry in enumerate(entries)
                   if entry["type"] == "resumed"), default=0)
    return header, [entry for i, entry in enumerate(entries)
                    if entry["type"] != "resumed" and not (
                        i < resumed and entry["type"] in FOUND)]


def make_header(version: str, **said: Any) -> Object:
    """Return the first line."""
    return {"schema": SCHEMA,
            "tool": {"name": "verbsperf-cluster", "verbsperf": version},
            "started": now_text(),
            "host": platform.node(), **said}


def start(path: Optional[str], header: Object, resume: bool) -> Begun:
    """Begin the file PATH, or with RESUME go on with it."""
    if path is None:
        return Begun(None, header, [])
    lines = Lines(path, SCHEMA, "file of verbsperf-cluster", GOES_ON)
    old = lines.header
    if old is None:
        lines.append(header)
        return Begun(lines, header, [])
    if not resume:
        raise Refused(f"{path} exists; --resume continues it, or choose "
                      "another file")
    check_header(Place(path, 1), old)
    for name in SAME:
        if old.get(name) != header.get(name):
            raise Refused(
                f"{path} has another '{name.replace('_', ' ')}': "
                f"{json.dumps(old.get(name))}; choose another file, or give "
                "the same as before")
    lines.cut_torn()
    _, entries = read(path)
    lines.append({"type": "resumed", "started": now_text()})
    return Begun(lines, header, [entry for entry in entries
                                 if entry["type"] not in FOUND])


def end_of(said: Object) -> End:
    """Return the end that the file has as SAID."""
    return End(said["node"], said["device"])


def pair_of(entry: Object) -> Pair:
    """Return the pair of ENTRY."""
    return Pair(end_of(entry["client"]), end_of(entry["server"]), entry["rail"])
