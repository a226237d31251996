"""The file of verbsperf-cluster: JSON lines, first a header

    {"schema": "verbsperf-cluster/1", "pattern", "nodes", "points", ...}

and then a line for each node, each pair in each round, each round, and at the
end for each finding and note; doc/verbsperf-cluster-1.schema.json has it
all."""
import json
import platform
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from verbsperf.base.errors import Refused, ResultsError
from verbsperf.base.metrics import METRICS
from verbsperf.documents import formats
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, objects_of, read_text
from verbsperf.documents.writer import Lines, now_text
from verbsperf.pairs.patterns import End, Pair

SCHEMA = "verbsperf-cluster/1"
# What must be the same for a file to go on.
SAME = ("pattern", "nodes", "devices", "cross_rails", "target", "seed",
        "rounds", "concurrent", "points", "probes")
GOES_ON = ("what was measured before is in it, and the same command continues "
           "it, with --resume")


class Begun(NamedTuple):
    """The file while it is written; lines is None when there is none."""

    lines: Optional[Lines]
    header: Object
    entries: List[Object]   # what is in it already, without the header

    def append(self, entry: Object) -> None:
        """Add a line, which will be read."""
        check_entry(Place("a new line", 1), self.header, entry)
        self.entries.append(entry)
        if self.lines is not None:
            self.lines.append(entry)


def is_end(value: Any) -> bool:
    """VALUE is an end of a pair."""
    return isinstance(value, dict) and all(
        isinstance(value.get(name), str) for name in ("node", "device"))


def is_result(value: Any) -> bool:
    """VALUE is null or has the parts of a row that are looked at."""
    return value is None or isinstance(value, dict) and all(
        formats.is_optional(value.get(name, 0), dict)
        for name in ("bandwidth", "latency"))


def is_evidence(value: Any) -> bool:
    """VALUE is null, or the evidence of a finding."""
    if not isinstance(value, dict):
        return value is None
    return all(isinstance(seen, dict)
               and formats.are_objects(seen.get("differs", []))
               and formats.are_objects(seen.get("rose", []))
               and all({"fact", "here", "elsewhere"} <= one.keys()
                       for one in seen.get("differs", []))
               and all({"counter", "value"} <= one.keys()
                       for one in seen.get("rose", []))
               for seen in value.values())


# What each kind of line needs.
KINDS: Dict[str, Dict[str, Callable[[Any], bool]]] = {
    "node": {"node": lambda one: isinstance(one, str),
             "error": lambda one: formats.is_optional(one, str),
             "environment": lambda one: formats.is_optional(one, dict)},
    "pair": {"round": formats.is_count, "point": formats.is_count,
             "rail": formats.is_count, "client": is_end, "server": is_end,
             "value": formats.is_optional_amount, "result": is_result,
             "overlap": formats.is_optional_amount,
             "error": lambda one: formats.is_optional(one, str),
             "probe": lambda one: isinstance(one, bool),
             "alone": lambda one: isinstance(one, bool),
             "marked": lambda one: isinstance(one, bool)},
    "round": {"round": formats.is_count, "point": formats.is_count,
              "gbps": formats.is_optional_amount, "pairs": formats.is_count,
              "added": formats.is_count,
              "alone": lambda one: isinstance(one, bool)},
    "finding": {"point": formats.is_count,
                "sentence": lambda one: isinstance(one, str),
                "ratio": formats.is_optional_amount, "beside": is_evidence},
    "note": {"point": formats.is_count,
             "sentence": lambda one: isinstance(one, str)},
    "resumed": {},
}
# What is said of the rounds when all are done.
FOUND = ("finding", "note")


def check_header(place: Place, header: Object) -> None:
    """HEADER is the first line of such a file."""
    place.expect(header.get("schema") == SCHEMA,
                 "not a file of verbsperf-cluster")
    place.expect(isinstance(header.get("started"), str)
                 and isinstance(header.get("tool"), dict)
                 and isinstance(header["tool"].get("verbsperf"), str),
                 "the header does not say when and by which version")
    nodes, points = header.get("nodes"), header.get("points")
    place.expect(isinstance(nodes, list) and bool(nodes)
                 and all(isinstance(one, str) for one in nodes),
                 "the header has no list of nodes")
    place.expect(isinstance(header.get("pattern"), str),
                 "the header has no pattern")
    place.expect(formats.are_objects(points) and bool(points),
                 "the header has no points")
    for point in points or []:
        formats.check_point(place, point)
        metric = point.get("metric")
        place.expect(isinstance(metric, str) and metric in METRICS,
                     f"a point of the header has the metric "
                     f"{json.dumps(metric)}, not one of {', '.join(METRICS)}")


def check_entry(place: Place, header: Object, entry: Object) -> Object:
    """Return ENTRY, which is a line after HEADER."""
    kind = entry.get("type")
    fields = KINDS.get(kind) if isinstance(kind, str) else None
    place.expect(fields is not None, f"a line of the type {json.dumps(kind)}")
    for name, good in (fields or {}).items():
        place.expect(good(entry.get(name)), f"\"{name}\" of a {kind} is not as"
                     " verbsperf-cluster writes it")
    if "point" in entry:
        place.expect(entry["point"] < len(header["points"]),
                     "the header has no such point")
    return entry


def read(path: str) -> Tuple[Object, List[Object]]:
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


def end_json(end: End) -> Object:
    """Return END as the file has it."""
    return {"node": end.node, "device": end.device}


def pair_of(entry: Object) -> Pair:
    """Return the pair of ENTRY."""
    client, server = (End(entry[side]["node"], entry[side]["device"])
                      for side in ("client", "server"))
    return Pair(client, server, entry["rail"])
