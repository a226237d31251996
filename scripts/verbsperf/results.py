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
import json
import math
import os
import re
import sys
import typing

DOCUMENT = "verbsperf/1"
SWEEP = "verbsperf-sweep/1"

# What a result must be, which changes none.
LIMITS = frozenset(
    "max-lost max-p50 max-p99 max-p99.9 min-gbps min-mpps".split())
# How long to measure and what to print: no other point.
RUN_ONLY = LIMITS | frozenset("""
    csv duration format histogram interval iterations json json-lines
    percentiles report-gbits samples timeout title warmup
    """.split())
# What a document says elsewhere, or what is an end's own and in the
# fingerprint where it matters.
NOT_OF_POINT = RUN_ONLY | frozenset("""
    all allow allow-inject bind check clock cpus device gid-index ib-port idle-timeout
    key-file loopback max-duration max-memory max-qps mtu numa once parallel
    pkey-index port qps ready-fd size transport vector wait
    """.split())
END_FIELDS = ("device", "firmware", "link_layer", "rate_gbps", "gid_type",
              "mtu", "numa_node")


class ResultsError(Exception):
    """A file is not what it should be; the text says which, where and why."""


class Point(typing.NamedTuple):
    """What was measured: equal points can be compared; it is hashable."""

    test: str
    transport: str
    size: int
    qps: int
    options: tuple  # of (name, value) in order of name, both text


class Record(typing.NamedTuple):
    """One row of results, or one failure to get one."""

    target: str        # of a sweep; else the file's name without its suffix
    round: int         # from 1; of documents: how often the point came before
    point: Point       # None when a document failed before it was known
    row: dict          # of the document's results; None when it failed
    document: dict     # None when there is none
    error: str         # a sentence, or None
    fingerprint: dict  # {name: value} of fingerprint(), and more of a sweep
    path: str
    line: int
    session: str = None  # the header of a sweep; a copy has the same


def label(point, points=()):
    """POINT in words, with those of its options that differ in POINTS."""
    words = [point.test, point.transport, size_text(point.size),
             f"{point.qps} QP" + ("s" if point.qps != 1 else "")]
    options = dict(point.options)
    for name in sorted(differing(points) if points else options):
        if name in options:
            words.append(option_text(name, options[name]))
        else:
            words.append(f"no {name}")
    return " ".join(words)


def differing(points):
    """The names of the options that not all POINTS have alike."""
    every = [dict(point.options) for point in points]
    names = {name for options in every for name in options}
    return {name for name in names
            if len({options.get(name) for options in every}) > 1}


def option_text(name, value):
    """An option as in a label: its name alone when it is a flag."""
    return name if value in ("", "true") else f"{name}={value}"


def size_text(size):
    """SIZE in bytes, with K, M or G where that is exact."""
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift}{unit}"
    return str(size)


def metric(row, name):
    """The value of NAME (gbps, mpps, p99, p99_9, ...) in ROW, or None."""
    for part in (row["bandwidth"], row["latency"]):
        if part and part.get(name) is not None:
            return part[name]
    asked = (row["latency"] or {}).get("percentiles") or {}
    return asked.get(name[1:].replace("_", ".")) if name[:1] == "p" else None


def limits_missed(record):
    """The limits of the user's that RECORD's result does not meet."""
    if record.row is None:
        return []
    return [one for one in record.document.get("limits") or []
            if not one["met"]]


def fingerprint(document):
    """What must be alike for two results of DOCUMENT's kind to compare."""
    marks = {"tool version": document["tool"]["version"]}
    for end in ("client", "server"):
        for field in END_FIELDS:
            name = f"{end} {field}".replace("_", " ")
            marks[name] = document[end].get(field)
    return marks


def read(path):
    """The Records of the file PATH, "-" for standard input."""
    return read_with_header(path)[1]


def read_with_header(path):
    """(header of a sweep or None, Records) of the same."""
    text = read_text(path)
    records = list(documents_of(path, text))
    if not records:
        raise ResultsError(f"{path}: there is nothing in it")
    line, first = records[0]
    if first.get("schema") == SWEEP:
        check_header(path, line, first)
        session = json.dumps(first, sort_keys=True)
        return first, in_order(first, without_retried([
            sweep_record(path, number, entry)._replace(session=session)
            for number, entry in records[1:]]))
    return None, read_documents(path, records)


def is_results(path):
    """True when PATH is a file whose first value is an object of JSON."""
    return os.path.isfile(path) and read_text(path).lstrip()[:1] == "{"


def read_text(path):
    """All of the file PATH."""
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultsError(f"{path}: this is not text") from None


def refuse_constant(name):
    """NaN and Infinity are not JSON."""
    raise ValueError(f"{name} is not a number of JSON")


DECODER = json.JSONDecoder(parse_constant=refuse_constant)
SPACE = re.compile(r"[ \t\r\n]*")


def documents_of(path, text):
    """Each object of TEXT, with the number of the line it starts in."""
    start, line = 0, 1
    while True:
        begin = SPACE.match(text, start).end()
        line += text.count("\n", start, begin)
        if begin == len(text):
            return
        try:
            value, start = DECODER.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            raise ResultsError(not_json(path, text, error)) from None
        except (ValueError, RecursionError) as error:
            raise ResultsError(f"{path}:{line}: {error}") from None
        if not isinstance(value, dict):
            raise ResultsError(f"{path}:{line}: not an object of JSON")
        yield line, value
        line += text.count("\n", begin, start)


def not_json(path, text, error):
    """The sentence about a file that stops being JSON."""
    where = f"{path}:{error.lineno}"
    if not text[error.pos:].strip() or "\n" not in text[error.pos:]:
        return (f"{where}: the file is cut off or not JSON: {error.msg};"
                " a sweep that is run again goes on there")
    return f"{where}: not JSON: {error.msg}"


def expect(condition, path, line, sentence):
    """CONDITION holds, or the file is refused with SENTENCE."""
    if not condition:
        raise ResultsError(f"{path}:{line}: {sentence}")


def is_count(value):
    """A whole number, not negative."""
    return type(value) is int and value >= 0


def check_header(path, line, header):
    """The first line of a sweep."""
    expect(type(header.get("seed")) is int, path, line,
           "the sweep's header has no seed")
    targets = header.get("targets")
    expect(isinstance(header.get("points", []), list), path, line,
           "\"points\" of the sweep's header is no list")
    expect(isinstance(targets, list) and targets
           and all(isinstance(t, dict) and isinstance(t.get("name"), str)
                   for t in targets),
           path, line, "the sweep's header has no list of named targets")


def check_document(path, line, document):
    """What is used here of a document is there, and of its type."""
    schema = document.get("schema")
    expect(schema == DOCUMENT, path, line,
           f"not a result of verbsperf: \"schema\" is {json.dumps(schema)},"
           f" not \"{DOCUMENT}\"")
    for name in ("tool", "test", "parameters", "client", "server"):
        expect(isinstance(document.get(name), dict), path, line,
               f"the document has no object \"{name}\"")
    expect(isinstance(document["tool"].get("version"), str), path, line,
           "the document does not say which version wrote it")
    expect(isinstance(document.get("results"), list), path, line,
           "the document has no list \"results\"")
    for row in document["results"]:
        check_row(path, line, row)
    error = document.get("error")
    expect(error is None or isinstance(error, dict)
           and isinstance(error.get("message"), str), path, line,
           "\"error\" of the document is neither null nor has a message")
    check_limits(path, line, document)


def check_limits(path, line, document):
    """Nor are limits that the user set read without a look at them."""
    limits = document.get("limits")
    expect(limits is None or isinstance(limits, list)
           and all(isinstance(one, dict) and isinstance(one.get("met"), bool)
                   and isinstance(one.get("name"), str) for one in limits),
           path, line, "\"limits\" of the document is neither null nor a list"
           " of objects with name and met")


def check_row(path, line, row):
    """The same of one row of its results."""
    expect(isinstance(row, dict), path, line,
           "a row of \"results\" is no object")
    for name in ("size", "qps"):
        expect(is_count(row.get(name)), path, line,
               f"a row of \"results\" has no number \"{name}\"")
    for name in ("bandwidth", "latency"):
        part = row.get(name, 0)
        expect(part is None or isinstance(part, dict), path, line,
               f"\"{name}\" of a row is neither null nor an object")
        for key, value in (part or {}).items():
            expect(not isinstance(value, float) or math.isfinite(value),
                   path, line, f"\"{key}\" of a row is not a number")


def text_of(value):
    """A parameter's value as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(text_of(one) for one in value)
    return json.dumps(value, sort_keys=True)


def is_set(value):
    """False for what a parameter has that is not in use; 0 is a value, and
    equal to False."""
    return value is not None and value is not False and value != "none"


def document_point(document, size, qps):
    """The point of one row: its options are what shapes the traffic."""
    test = document["test"]
    options = {name: text_of(value)
               for name, value in document["parameters"].items()
               if name not in NOT_OF_POINT and is_set(value)}
    return Point(test["name"], test["transport"], size, qps,
                 tuple(sorted(options.items())))


def usable(row):
    """ROW, but None when it was measured in a run that failed."""
    return None if row.get("failed") else row


def read_documents(path, entries):
    """The Records of documents; the same point again is another round."""
    target = os.path.splitext(os.path.basename(path))[0]
    rounds, records = {}, []
    for line, document in entries:
        check_document(path, line, document)
        error = (document["error"] or {}).get("message")
        marks = fingerprint(document)
        for row in document["results"]:
            point = document_point(document, row["size"], row["qps"])
            rounds[point] = rounds.get(point, 0) + 1
            records.append(Record(target, rounds[point], point, usable(row),
                                  document, error, marks, path, line))
        if not document["results"]:
            records.append(Record(target, 1, None, None, document, error,
                                  marks, path, line))
    return records


def without_retried(records):
    """RECORDS of a sweep without the failures that were measured anew: of each
    round of a point one record, a success if there is one."""
    kept = {}
    for record in records:
        key = (record.target, record.round, record.point)
        if key not in kept or kept[key].row is None:
            kept[key] = record
    return list(kept.values())


def in_order(header, records):
    """RECORDS by target and point, as the sweep's header names them."""
    names = [target["name"] for target in header["targets"]]
    points = [sweep_point("", 0, p) for p in header.get("points", [])]
    place = {point: i for i, point in enumerate(points)}
    for record in records:
        expect(record.target in names, record.path, record.line,
               f"the sweep's header has no target '{record.target}'")
    return sorted(records, key=lambda record: (
        names.index(record.target), place.get(record.point, len(place)),
        record.round))


def sweep_point(path, line, point):
    """The point of a line of a sweep."""
    expect(isinstance(point, dict), path, line, "there is no \"point\"")
    options = point.get("options", {})
    good = (isinstance(point.get("test"), str)
            and isinstance(point.get("transport"), str)
            and is_count(point.get("size")) and is_count(point.get("qps"))
            and isinstance(options, dict)
            and all(isinstance(value, str) for value in options.values()))
    expect(good, path, line, "\"point\" needs test, transport, size, qps and"
           " options")
    return Point(point["test"], point["transport"], point["size"],
                 point["qps"], tuple(sorted(
                     (name, value) for name, value in options.items()
                     if name not in RUN_ONLY)))


def sweep_record(path, line, entry):
    """The Record of one line of a sweep that is not its header."""
    expect("schema" not in entry, path, line,
           "another header or document inside a sweep")
    expect(isinstance(entry.get("target"), str), path, line,
           "there is no \"target\"")
    expect(is_count(entry.get("round")), path, line, "there is no \"round\"")
    point = sweep_point(path, line, entry.get("point"))
    document, error = entry.get("document"), entry.get("error")
    marks = entry.get("fingerprint")
    expect(marks is None or isinstance(marks, dict), path, line,
           "\"fingerprint\" is neither null nor an object")
    expect(error is None or isinstance(error, str), path, line,
           "\"error\" is neither null nor a sentence")
    row = None
    if document is not None:
        expect(isinstance(document, dict), path, line,
               "\"document\" is neither null nor an object")
        check_document(path, line, document)
        if error is None:
            row = sweep_row(path, line, document)
    expect(row or error, path, line, "neither a result nor an error")
    return Record(entry["target"], entry["round"], point, row, document,
                  error, marks or {}, path, line)


def sweep_row(path, line, document):
    """The one row that a point of a sweep has."""
    expect(len(document["results"]) == 1, path, line,
           "the document of one point must have one row of \"results\"")
    return usable(document["results"][0])
