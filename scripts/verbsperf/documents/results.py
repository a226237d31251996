"""Reads the files that verbsperf and verbsperf-sweep write.

read(path) gives a list of Records, one for each row of results.  A file is

  - one verbsperf/1 document (verbsperf TEST --json=FILE), or several of them,
    one after the other or one on a line; or
  - a sweep (verbsperf-sweep -o FILE): JSON lines, first a header

        {"schema": "verbsperf-sweep/1", "tool": {...}, "started": "...",
         "suite": [...], "seed": N, "targets": [{"name": ..., ...}, ...], ...}

    and then, for each point that was measured in each round, and once more
    when it had failed,

        {"target": NAME, "round": N, "point": {"test", "transport", "size",
         "qps", "options": {name: value}}, "document": verbsperf/1 or null,
         "error": sentence or null, "fingerprint": {name: value}}

Whatever else is refused with one sentence that names file and line.
"""
import itertools
import json
import math
import os
from typing import (Any, Callable, Hashable, Iterable, NamedTuple, Optional,
                    TypeVar)

from verbsperf.base.errors import ResultsError
from verbsperf.documents import environment, formats
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, objects_of, parse, read_text
from verbsperf.documents.points import Point, make_point

# What a result must reach, which does not change it.
LIMITS = frozenset("""
    max-counter max-latency max-lost max-mean max-p50 max-p90 max-p99 max-p99.9
    max-p99.99 min-gbps min-interval-gbps min-mpps""".split())
# How long to measure and what to print: no other point.
RUN_ONLY = LIMITS | frozenset("""
    counters cpu csv duration format histogram interval iterations json
    json-lines no-intervals openmetrics percentiles report-gbits samples timeout
    title warmup
    """.split())
# What a document says elsewhere, or what is an end's own and in the
# fingerprint where it matters.
NOT_OF_POINT = RUN_ONLY | frozenset("""
    all allow allow-inject allow-perftest bind check clock cpus device
    gid-index ib-port idle-timeout inline-recv ipv4 ipv6 key-file loopback
    max-duration max-memory max-qps memory mtu numa once parallel peer
    perftest pkey-index poll port qps ready-fd size topology transport
    vector verbose wait
    """.split())
# What older versions did, too, without an option that says so.
ALWAYS = (("pacing", "loop"), ("sge", 1), ("receivers", 1))
END_FIELDS = ("device", "firmware", "link_layer", "rate_gbps", "gid_type",
              "mtu", "numa_node", "memory")

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Record(NamedTuple):
    """One row of results, or one failure to get one."""

    target: str       # of a sweep; else the file's name without its suffix
    round: int        # from 1; of documents: how often the point came before
    point: Optional[Point]  # None when a document failed before it was known
    row: Optional[Object]   # of the document's results; None when it failed
    document: Optional[Object]  # None when there is none
    error: Optional[str]        # a sentence
    fingerprint: dict[str, Any]  # of fingerprint(), and more of a sweep
    path: str
    line: int
    session: Optional[str] = None  # the header of a sweep; a copy has the same


def grouped(records: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return {KEY(record): its records}, in the order they came."""
    groups: dict[K, list[T]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def point_of(record: Record) -> Point:
    """Return the point of RECORD, which is known."""
    assert record.point is not None
    return record.point


def metric(row: Object, name: str) -> Optional[float]:
    """Return the value of NAME (gbps, p99_9, ...) in ROW, or None."""
    for part in (row["bandwidth"], row["latency"]):
        if part and part.get(name) is not None:
            value: Optional[float] = part[name]
            return value
    asked = (row["latency"] or {}).get("percentiles") or {}
    return asked.get(name[1:].replace("_", ".")) if name[:1] == "p" else None


def clocks_apart(record: Record) -> Optional[str]:
    """Say so when the clocks of both hosts disagree by more than 1%."""
    clocks = (record.document or {}).get("clocks") or {}
    low, high = clocks.get("server_to_client") or (1, 1)
    if low <= 1.01 and high >= 0.99:
        return None
    server, client = [f"({clocks[end]['source']}, kernel: "
                      f"{clocks[end]['kernel']})"
                      for end in ("server", "client")]
    return (f"the clocks of both hosts disagree: {math.sqrt(low * high):.3g} s"
            f" at the server {server} are 1 s at the client {client}")


def values_of(records: Iterable[Record], name: str) -> list[float]:
    """Return the values of the metric NAME that RECORDS have."""
    found = [metric(record.row, name) for record in records
             if record.row is not None]
    return [value for value in found if value is not None]


def risen(records: Iterable[Record]) -> list[Object]:
    """Return the counters that rose in RECORDS, by how much in all."""
    found: dict[tuple[str, str], Object] = {}
    for record in records:
        for one in ((record.row or {}).get("counters") or {}).get("rose", []):
            known = found.setdefault(
                (one["end"], one["counter"]),
                {"end": one["end"], "counter": one["counter"], "value": 0,
                 "kind": one["kind"], "meaning": one["meaning"]})
            known["value"] += one["value"]
    return list(found.values())


def ran(records: Iterable[Record]) -> Object:
    """Return when and where RECORDS were measured: the first start, the
    client's host, and the seconds of all rounds; null where none is known."""
    documents = [record.document for record in records if record.document]
    started = [one["started"] for one in documents
               if isinstance(one.get("started"), str)]
    hosts = [one["client"]["hostname"] for one in documents
             if isinstance(one["client"].get("hostname"), str)]
    seconds = [row["seconds"] for one in documents for row in one["results"]
               if formats.is_amount(row.get("seconds"))]
    return {"started": min(started, default=None),
            "hostname": hosts[0] if hosts else None,
            "seconds": math.fsum(seconds) if seconds else None}


def failure_of(record: Record) -> str:
    """Return why RECORD has no row."""
    return record.error or "the run failed"


def advice_of(record: Record) -> str:
    """Return what to do about it, as it follows the sentence, or ""."""
    advice = ((record.document or {}).get("error") or {}).get("advice")
    return f"; {advice}" if advice else ""


def failures(records: Iterable[Record]) -> list[str]:
    """Return why those of RECORDS without a row have none."""
    return [failure_of(record) for record in records if record.row is None]


def limits_of(record: Record) -> list[Object]:
    """Return what RECORD's document says of the limits of its row."""
    row, document = record.row, record.document
    if row is None or document is None:
        return []
    return [one for one in document.get("limits") or []
            if (one.get("size"), one.get("qps")) == (row["size"], row["qps"])]


def limits_missed(record: Record) -> list[Object]:
    """Return the limits of the user's that RECORD's result does not meet."""
    return [one for one in limits_of(record) if not one["met"]]


def fingerprint(document: Object) -> dict[str, Any]:
    """Return what must be alike for two results to compare."""
    marks = {"tool version": document["tool"]["version"]}
    for end in ("client", "server"):
        for field in END_FIELDS:
            name = f"{end} {field}".replace("_", " ")
            marks[name] = document[end].get(field)
    return {**marks, **environment.marks(document)}


def read_document(text: str) -> tuple[Optional[Object], Optional[str]]:
    """Return (document, why there is none) of TEXT, which verbsperf wrote."""
    try:
        document = parse(text)
        if not isinstance(document, dict):
            raise ValueError("not an object")
        formats.check_document(Place("its JSON", 1), document)
    except (ValueError, RecursionError, ResultsError) as error:
        return None, f"verbsperf wrote no document: {error}"
    return document, None


def read(path: str) -> list[Record]:
    """Return the Records of the file PATH, "-" for standard input."""
    return read_with_header(path)[1]


def read_with_header(path: str) -> tuple[Optional[Object], list[Record]]:
    """Return (header of a sweep or None, Records) of the same."""
    entries = list(objects_of(path, read_text(path)))
    if not entries:
        raise ResultsError(f"{path}: the file is empty")
    line, first = entries[0]
    if first.get("schema") == formats.SWEEP:
        formats.check_header(Place(path, line), first)
        return first, read_sweep(path, first, entries[1:])
    if len(entries) == 1:
        formats.check_document(Place(path, line), first)
    records = read_documents(path, entries)
    if not records:
        raise ResultsError(f"{path}: nothing in it can be used")
    return None, records


def text_of(value: Any) -> str:
    """Return a parameter's value as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(text_of(one) for one in value)
    return json.dumps(value, sort_keys=True)


def is_set(name: str, value: object) -> bool:
    """The parameter NAME with VALUE is in use; 0 equals False, and is."""
    return (value is not None and value is not False and value != "none"
            and (name, value) not in ALWAYS)


def document_point(document: Object, size: int, qps: int) -> Point:
    """Return the point of one row: its options are what shapes the traffic."""
    test = document["test"]
    return make_point(test["name"], test["transport"], size,
                      qps, {
        name: text_of(value) for name, value in document["parameters"].items()
        if name not in NOT_OF_POINT and is_set(name, value)})


def usable(row: Object) -> Optional[Object]:
    """Return ROW, or None when it was measured in a run that failed."""
    return None if row.get("failed") else row


def read_documents(path: str, entries: Iterable[tuple[int, Object]]
                   ) -> list[Record]:
    """Return the Records; another row of a point is another round."""
    every = [record for some in formats.good(path, entries, document_records)
             for record in some]
    rounds = {point: itertools.count(1) for point in
              (record.point for record in every) if point}
    return [record._replace(round=next(rounds[record.point]))
            if record.point else record for record in every]


def document_records(place: Place, document: Object) -> list[Record]:
    """Return the Records of one document, as of the first round."""
    formats.check_document(place, document)
    path, line = place
    target = os.path.splitext(os.path.basename(path))[0]
    error = (document.get("error") or {}).get("message")
    marks = fingerprint(document)
    rows: list[tuple[Optional[Point], Optional[Object]]] = [
        (document_point(document, row["size"], row["qps"]), usable(row))
        for row in document["results"]]
    return [Record(target, 1, point, row, document, error, marks, path, line)
            for point, row in rows or [(None, None)]]


def read_sweep(path: str, header: Object,
               entries: Iterable[tuple[int, Object]]) -> list[Record]:
    """Return the Records of a sweep that begins with HEADER, by target and by
    point in its order. Of each round of a point there is one, a success if
    what failed was measured again."""
    session = json.dumps(header, sort_keys=True)
    names = [target["name"] for target in header["targets"]]
    order = {point: i for i, point in enumerate(header_points(header))}

    def read_line(place: Place, entry: Object) -> Record:
        record = sweep_record(place, entry)
        place.expect(record.target in names,
                     f"the sweep's header has no target '{record.target}'")
        return record._replace(session=session)
    kept: dict[tuple[str, int, Point], Record] = {}
    for record in formats.good(path, entries, read_line):
        key = record.target, record.round, point_of(record)
        if key not in kept or kept[key].row is None:
            kept[key] = record
    return sorted(kept.values(), key=lambda record: (
        names.index(record.target),
        order.get(point_of(record), len(order)), record.round))


def header_points(header: Object) -> list[Point]:
    """Return what the sweep of HEADER measures."""
    return [sweep_point(point) for point in header.get("points", [])]


def sweep_point(point: Object) -> Point:
    """Return the Point of POINT as a sweep has it."""
    return make_point(
        point["test"], point["transport"], point["size"], point["qps"],
        {name: value for name, value in point.get("options", {}).items()
         if name not in RUN_ONLY})


def sweep_record(place: Place, entry: Object) -> Record:
    """Return the Record of one line of a sweep that is not its header."""
    formats.check_measurement(place, entry)
    document, error = entry.get("document"), entry.get("error")
    row = usable(document["results"][0]) if document and not error else None
    return Record(entry["target"], entry["round"], sweep_point(entry["point"]),
                  row, document, error, entry.get("fingerprint") or {},
                  place.path, place.line)
