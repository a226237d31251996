"""Checks every JSON document that the scripts read, and nothing else does.

A document of verbsperf, a line of a sweep and the dump of verbsperf's options
have all that the scripts use, each of its type; else the file is refused with
one sentence that names file and line.  Other keys may be there or missing, so
that files of other versions are read.
"""
import json
import sys
from typing import (Any, Callable, Iterable, Iterator, NamedTuple, Optional,
                    Tuple, TypeVar)

from verbsperf.base.command import Unread
from verbsperf.base.errors import ResultsError
from verbsperf.documents.jsonfile import Object

DOCUMENT = "verbsperf/1"
SWEEP = "verbsperf-sweep/1"
OPTIONS = "verbsperf-options/1"
HISTORY = "verbsperf-history/1"
# What is no number in "bandwidth" and "latency" of a row.
NO_NUMBERS = ("definition", "unit", "ci95_gbps", "saturated", "percentiles")
# Nothing is counted or measured that is more.
MOST = 2.0 ** 64

T = TypeVar("T")


class Place(NamedTuple):
    """Where a value was read."""

    path: str
    line: int

    def expect(self, good: bool, sentence: str) -> None:
        """Refuse the file with SENTENCE unless it is GOOD."""
        if not good:
            raise ResultsError(f"{self.path}:{self.line}: {sentence}")


def good(path: str, entries: Iterable[Tuple[int, Object]],
         read: Callable[[Place, Object], T]) -> Iterator[T]:
    """Yield what READ makes of each of ENTRIES, (line, object) of PATH. One
    that it refuses is named and left out."""
    for line, entry in entries:
        try:
            made = read(Place(path, line), entry)
        except ResultsError as error:
            Unread.name(error)
        else:
            yield made


def is_count(value: object) -> bool:
    """VALUE is a whole number, not negative."""
    return type(value) is int and value >= 0


def is_optional_count(value: object) -> bool:
    """VALUE is null, or a whole number, not negative."""
    return value is None or is_count(value)


def is_number(value: object) -> bool:
    """VALUE is a finite number of JSON; 1e999 is not."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)


def is_amount(value: object) -> bool:
    """VALUE is a number that can be measured: none is below 0."""
    return is_number(value) and 0 <= value <= MOST  # type: ignore[operator]


def is_optional_amount(value: object) -> bool:
    """VALUE is null or a number that can be measured."""
    return value is None or is_amount(value)


def are_numbers(values: object, n: int) -> bool:
    """VALUES is a list of N numbers."""
    return (isinstance(values, list) and len(values) == n
            and all(map(is_number, values)))


def is_optional(value: object, kind: type) -> bool:
    """VALUE is null or of KIND."""
    return value is None or isinstance(value, kind)


def are_objects(values: object) -> bool:
    """VALUES is a list of objects."""
    return isinstance(values, list) and all(
        isinstance(one, dict) for one in values)


def check_document(place: Place, document: Object) -> None:
    """DOCUMENT is a result of verbsperf."""
    schema = document.get("schema")
    place.expect(schema == DOCUMENT,
                 f"not a result of verbsperf: \"schema\" is "
                 f"{json.dumps(schema)}, not \"{DOCUMENT}\"")
    for name in ("tool", "test", "parameters", "client", "server"):
        place.expect(isinstance(document.get(name), dict),
                     f"the document has no object \"{name}\"")
    place.expect(isinstance(document["tool"].get("version"), str),
                 "the document does not name the version that wrote it")
    place.expect(isinstance(document["test"].get("name"), str)
                 and is_optional(document["test"].get("transport", 0), str),
                 "\"test\" of the document has no \"name\" or no "
                 "\"transport\"")
    for name in ("client", "server"):
        rate = document[name].get("rate_gbps")
        place.expect(rate is None or is_number(rate),
                     f"\"{name}\" of the document has no number \"rate_gbps\"")
    check_environment(place, document.get("environment"))
    check_error(place, document.get("error"))
    check_limits(place, document.get("limits"))
    place.expect(isinstance(document.get("results"), list),
                 "the document has no list \"results\"")
    for row in document["results"]:
        check_row(place, row)


def check_environment(place: Place, environment: Any) -> None:
    """ENVIRONMENT of a document, which older versions do not write, has facts
    of its ends."""
    place.expect(is_optional(environment, dict)
                 and all(is_optional(facts, dict) and all(map(
                     is_plain, (facts or {}).values()))
                         for facts in (environment or {}).values()),
                 "\"environment\" of the document has no objects of facts")


def check_error(place: Place, error: Any) -> None:
    """ERROR of a document is null, or says what failed."""
    place.expect(error is None or isinstance(error, dict)
                 and isinstance(error.get("message"), str),
                 "\"error\" of the document is neither null nor has a message")


def check_limits(place: Place, limits: Any) -> None:
    """LIMITS of a document is null, or says which were met."""
    place.expect(limits is None or are_objects(limits) and all(
        map(is_limit, limits)),
        "\"limits\" of the document is neither null nor a list of objects with"
        " name and met")


def is_limit(limit: Object) -> bool:
    """LIMIT says what became of one; what it says more is of its type."""
    return (isinstance(limit.get("met"), bool)
            and isinstance(limit.get("name"), str)
            and all(is_optional(limit.get(name), str)
                    for name in ("counter", "end", "unit", "reason"))
            and all(limit.get(name) is None or is_number(limit[name])
                    for name in ("asked", "seen")))


def check_row(place: Place, row: Any) -> None:
    """ROW of a document can be compared and drawn."""
    place.expect(isinstance(row, dict), "a row of \"results\" is no object")
    for name in ("size", "qps"):
        place.expect(is_optional_count(row.get(name, "")),
                     f"a row of \"results\" has no number \"{name}\"")
    for name in ("bandwidth", "latency"):
        place.expect(is_optional(row.get(name, 0), dict),
                     f"\"{name}\" of a row is neither null nor an object")
    place.expect(is_drawable(row) and is_cpu(row.get("cpu")),
                 "a row of \"results\" is not as verbsperf writes it")


def are_optional_objects(part: Any) -> bool:
    """PART is null, or has null or an object of either end."""
    return part is None or isinstance(part, dict) and all(
        is_optional(part.get(end), dict) for end in ("client", "server"))


def is_cpu(cpu: Any) -> bool:
    """CPU of a row is as verbsperf writes it."""
    if not are_optional_objects(cpu):
        return False
    costs = [(one or {}).get("ns_per_message") for one in (
        (cpu or {}).get(end) for end in ("client", "server"))]
    return all(cost is None or is_number(cost) for cost in costs)


def is_drawable(row: Object) -> bool:
    """The numbers of ROW are numbers, and its lists are of the right shape."""
    directions = row.get("directions")
    return (is_part(row["bandwidth"]) and is_part(row["latency"])
            and are_counters(row.get("counters"))
            and are_intervals(row.get("intervals"))
            and is_histogram(row.get("histogram"))
            and (directions is None or are_objects(directions) and all(
                are_intervals(one.get("intervals")) for one in directions)))


def is_part(part: Optional[Object]) -> bool:
    """PART, "bandwidth" or "latency" of a row, is as verbsperf writes it."""
    part = part or {}
    asked, interval = part.get("percentiles"), part.get("ci95_gbps")
    if not is_optional(asked, dict):
        return False
    numbers = [value for name, value in part.items() if name not in NO_NUMBERS]
    return (all(map(is_optional_amount,
                    (*numbers, *(asked or {}).values())))
            and (interval is None or are_numbers(interval, 2)))


def are_counters(counters: Any) -> bool:
    """COUNTERS of a row is null, or has a list of those that rose."""
    if not isinstance(counters, dict):
        return counters is None
    rose: Any = counters.get("rose")
    return are_objects(rose) and all(
        is_count(one.get("value")) and all(
            isinstance(one.get(name), str)
            for name in ("end", "counter", "kind", "meaning"))
        for one in rose)


def are_intervals(series: Any) -> bool:
    """SERIES, "intervals" of a row or a direction, is as verbsperf writes
    it.  Those of a test of the control path have no bandwidth."""
    return series is None or are_objects(series) and all(
        is_number(one.get("start")) and is_number(one.get("seconds"))
        and "gbps" in one
        and (one["gbps"] is None or is_number(one["gbps"]))
        for one in series)


def is_histogram(histogram: Any) -> bool:
    """HISTOGRAM of a row is null, or has bins of three numbers."""
    if not isinstance(histogram, dict):
        return histogram is None
    bins = histogram.get("bins")
    return isinstance(bins, list) and all(are_numbers(one, 3) for one in bins)


def is_plain(value: Any) -> bool:
    """VALUE is neither a list nor an object."""
    return not isinstance(value, (list, dict))


def check_header(place: Place, header: Object) -> None:
    """HEADER is the first line of a sweep."""
    place.expect(type(header.get("seed")) is int,
                 "the sweep's header has no seed")
    targets = header.get("targets")
    place.expect(isinstance(targets, list) and bool(targets)
                 and all(map(is_target, targets)),
                 "the sweep's header has no list of named targets")
    place.expect(isinstance(header.get("points", []), list),
                 "\"points\" of the sweep's header is no list")
    for point in header.get("points", []):
        check_point(place, point)


def is_target(target: Any) -> bool:
    """TARGET of a header has a name."""
    return isinstance(target, dict) and isinstance(target.get("name"), str)


def check_point(place: Place, point: Any) -> None:
    """POINT of a sweep says what is measured."""
    place.expect(isinstance(point, dict), "there is no \"point\"")
    options = point.get("options", {})
    place.expect(isinstance(point.get("test"), str)
                 and is_optional(point.get("transport", 0), str)
                 and is_optional_count(point.get("size", ""))
                 and is_optional_count(point.get("qps", ""))
                 and isinstance(options, dict)
                 and all(isinstance(value, str) for value in options.values()),
                 "\"point\" needs test, transport, size, qps and options")


def check_measurement(place: Place, entry: Object) -> None:
    """ENTRY is a line of a sweep that is not its header."""
    place.expect("schema" not in entry,
                 "another header or document inside a sweep")
    place.expect(isinstance(entry.get("target"), str),
                 "there is no \"target\"")
    place.expect(is_count(entry.get("round")), "there is no \"round\"")
    check_point(place, entry.get("point"))
    place.expect(is_optional(entry.get("fingerprint"), dict),
                 "\"fingerprint\" is neither null nor an object")
    error, document = entry.get("error"), entry.get("document")
    place.expect(is_optional(error, str),
                 "\"error\" is neither null nor a sentence")
    place.expect(is_optional(document, dict),
                 "\"document\" is neither null nor an object")
    if document is not None:
        check_document(place, document)
    if not error:
        check_success(place, document)


def check_success(place: Place, document: Optional[Object]) -> None:
    """DOCUMENT, of a measurement without an error, has one good row."""
    if document is not None:
        place.expect(len(document["results"]) == 1, "the document of one point"
                     " must have one row of \"results\"")
    place.expect(document is not None
                 and not document["results"][0].get("failed"),
                 "neither a result nor an error")


def check_history(place: Place, line: Object) -> None:
    """LINE is one of a history."""
    place.expect(line.get("schema") == HISTORY, f"not \"{HISTORY}\"")
    for name in ("started", "target"):
        place.expect(isinstance(line.get(name), str),
                     f"the line has no \"{name}\"")
    facts, points = line.get("facts"), line.get("points")
    place.expect(isinstance(facts, dict) and are_texts([*facts.values()]),
                 "\"facts\" of the line is no object of texts")
    place.expect(are_objects(points), "the line has no list \"points\"")
    for one in points or ():
        check_point(place, one.get("point"))
        place.expect(is_count(one.get("failed"))
                     and is_optional(one.get("error"), str)
                     and are_lists(one.get("values")),
                     "a point of the line is not as verbsperf-sweep writes it")


def are_lists(values: object) -> bool:
    """VALUES is an object of lists of what was measured, none empty."""
    return isinstance(values, dict) and all(
        isinstance(one, list) and bool(one) and all(map(is_amount, one))
        for one in values.values())


def check_options(place: Place, dump: Any) -> None:
    """DUMP is what verbsperf --dump-options prints."""
    place.expect(isinstance(dump, dict) and dump.get("schema") == OPTIONS,
                 f"not \"{OPTIONS}\"")
    place.expect(isinstance(dump.get("version"), str)
                 and is_count(dump.get("protocol"))
                 and are_texts(dump.get("tests"))
                 and are_texts(dump.get("one_end", [])),
                 "no version or no tests")
    options = dump.get("options")
    place.expect(are_objects(options) and all(map(is_option, options)),
                 "no list of options")


def are_texts(values: object) -> bool:
    """VALUES is a list of texts."""
    return isinstance(values, list) and all(
        isinstance(one, str) for one in values)


def is_option(option: Object) -> bool:
    """OPTION of a dump says what the scripts use."""
    return (all(isinstance(option.get(name), str)
                for name in ("name", "kind", "group"))
            and all(is_optional(option.get(name, 0), str)
                    for name in ("argument", "implied"))
            and are_texts(option.get("who"))
            and are_texts(option.get("words") or [])
            and ("value" in option or are_texts(option.get("commands"))))
