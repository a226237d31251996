"""Checks every JSON document that the scripts read, and nothing else does.

A document of verbsperf, a line of a sweep and the dump of verbsperf's options
have all that the scripts use, each of its type; else the file is refused with
one sentence that names file and line.  Other keys may be there or missing, so
that files of other versions are read.
"""
import json
import sys
from typing import (Any, Callable, Iterable, Iterator, NamedTuple, Sequence,
                    TypeVar)

from verbsperf.base.command import Unread
from verbsperf.base.errors import ResultsError
from verbsperf.documents.fields import (MISSING, Check, absent_or, equal,
                                        having, list_of, mapping, null_or, of,
                                        optional)
from verbsperf.documents.jsonfile import Object

DOCUMENT = "verbsperf/1"
SWEEP = "verbsperf-sweep/1"
OPTIONS = "verbsperf-options/1"
HISTORY = "verbsperf-history/1"
ENDS = ("client", "server")
# What is no number in "bandwidth" and "latency" of a row.
NO_NUMBERS = ("definition", "unit", "ci95_gbps", "saturated", "percentiles")
# Nothing is counted or measured that is more.
MOST = 2.0 ** 64

T = TypeVar("T")
# What is checked, in this order, and what is said when that fails.
Rules = Sequence[tuple[Check, str]]


class Place(NamedTuple):
    """Where a value was read."""

    path: str
    line: int

    def expect(self, good: bool, sentence: str) -> None:
        """Refuse the file with SENTENCE unless it is GOOD."""
        if not good:
            raise ResultsError(f"{self.path}:{self.line}: {sentence}")

    def check(self, value: Any, rules: Rules) -> None:
        """Refuse the file unless VALUE is as RULES say."""
        for check, sentence in rules:
            self.expect(check(value), sentence)


def good(path: str, entries: Iterable[tuple[int, Object]],
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


def is_whole(value: Any) -> bool:
    """VALUE is a whole number."""
    return type(value) is int


def is_count(value: Any) -> bool:
    """VALUE is a whole number, not negative."""
    return is_whole(value) and value >= 0


def is_number(value: Any) -> bool:
    """VALUE is a finite number of JSON; 1e999 is not."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max)


def is_amount(value: Any) -> bool:
    """VALUE is a number that can be measured: none is below 0."""
    return is_number(value) and 0 <= value <= MOST


def is_plain(value: Any) -> bool:
    """VALUE is neither a list nor an object."""
    return not isinstance(value, (list, dict))


def numbers(count: int) -> Check:
    """Return the check for a list of COUNT numbers."""
    return lambda value: list_of(is_number)(value) and len(value) == count


is_object, is_list, is_text, is_flag = map(of, (dict, list, str, bool))
are_objects, are_texts = list_of(is_object), list_of(is_text)
is_optional_amount = optional(is_amount)


def is_part(part: Any) -> bool:
    """PART, "bandwidth" or "latency" of a row, is as verbsperf writes it."""
    shape = having(ci95_gbps=optional(numbers(2)),
                   percentiles=optional(mapping(is_optional_amount)))
    return shape(part) and all(
        is_optional_amount(value) for name, value in part.items()
        if name not in NO_NUMBERS)


# Those of a test of the control path have no bandwidth.
INTERVALS = optional(list_of(having(
    start=is_number, seconds=is_number, gbps=null_or(is_number))))
ROSE = having(value=is_count, **dict.fromkeys(
    ("end", "counter", "kind", "meaning"), is_text))
# What there is to compare and to draw of a row.
is_drawable = having(
    bandwidth=null_or(is_part), latency=null_or(is_part),
    counters=optional(having(rose=list_of(ROSE))), intervals=INTERVALS,
    histogram=optional(having(bins=list_of(numbers(3)))),
    directions=optional(list_of(having(intervals=INTERVALS))),
    cpu=optional(having(**dict.fromkeys(ENDS, optional(
        having(ns_per_message=optional(is_number)))))))
ROW: Rules = (
    (is_object, "a row of \"results\" is no object"),
    *((having(**{name: null_or(is_count)}),
       f"a row of \"results\" has no number \"{name}\"")
      for name in ("size", "qps")),
    *((having(**{name: null_or(is_object)}),
       f"\"{name}\" of a row is neither null nor an object")
      for name in ("bandwidth", "latency")),
    (is_drawable, "a row of \"results\" is not as verbsperf writes it"))
LIMIT = having(
    met=is_flag, name=is_text,
    **dict.fromkeys(("counter", "end", "unit", "reason"), optional(is_text)),
    **dict.fromkeys(("percent", "asked", "seen"), optional(is_number)))
RESULT: Rules = (
    *((having(**{name: is_object}), f"the document has no object \"{name}\"")
      for name in ("tool", "test", "parameters", *ENDS)),
    (having(tool=having(version=is_text)),
     "the document does not name the version that wrote it"),
    (having(test=having(name=is_text, transport=null_or(is_text))),
     "\"test\" of the document has no \"name\" or no \"transport\""),
    *((having(**{end: having(rate_gbps=optional(is_number))}),
       f"\"{end}\" of the document has no number \"rate_gbps\"")
      for end in ENDS),
    # older versions do not write it
    (having(environment=optional(mapping(null_or(mapping(is_plain))))),
     "\"environment\" of the document has no objects of facts"),
    (having(error=optional(having(message=is_text))),
     "\"error\" of the document is neither null nor has a message"),
    (having(limits=optional(list_of(LIMIT))),
     "\"limits\" of the document is neither null nor a list of objects with"
     " name and met"),
    (having(results=is_list), "the document has no list \"results\""))
POINT: Rules = (
    (is_object, "there is no \"point\""),
    (having(test=is_text, transport=null_or(is_text), size=null_or(is_count),
            qps=null_or(is_count), options=absent_or(mapping(is_text))),
     "\"point\" needs test, transport, size, qps and options"))
HEADER: Rules = (
    (having(seed=is_whole), "the sweep's header has no seed"),
    (having(targets=list_of(having(name=is_text), 1)),
     "the sweep's header has no list of named targets"),
    (having(points=absent_or(is_list)),
     "\"points\" of the sweep's header is no list"))
MEASUREMENT: Rules = (
    (having(schema=equal(MISSING)),
     "another header or document inside a sweep"),
    (having(target=is_text), "there is no \"target\""),
    (having(round=is_count), "there is no \"round\""))
OUTCOME: Rules = (
    (having(fingerprint=optional(is_object)),
     "\"fingerprint\" is neither null nor an object"),
    (having(error=optional(is_text)),
     "\"error\" is neither null nor a sentence"),
    (having(document=optional(is_object)),
     "\"document\" is neither null nor an object"))
NIGHT: Rules = (
    (having(schema=equal(HISTORY)), f"not \"{HISTORY}\""),
    *((having(**{name: is_text}), f"the line has no \"{name}\"")
      for name in ("started", "target")),
    (having(facts=mapping(is_text)),
     "\"facts\" of the line is no object of texts"),
    (having(points=are_objects), "the line has no list \"points\""))
ROUNDS: Rules = ((
    having(failed=is_count, error=optional(is_text),
           values=mapping(list_of(is_amount, 1))),
    "a point of the line is not as verbsperf-sweep writes it"),)
OPTION = having(
    **dict.fromkeys(("name", "kind", "group"), is_text),
    **dict.fromkeys(("argument", "implied"), null_or(is_text)),
    letter=optional(is_text), who=are_texts, words=optional(are_texts))
DUMP: Rules = (
    (having(schema=equal(OPTIONS)), f"not \"{OPTIONS}\""),
    (having(version=is_text, protocol=is_count, tests=are_texts,
            one_end=absent_or(are_texts)), "no version or no tests"),
    (having(options=list_of(lambda one: OPTION(one) and (
        "value" in one or having(commands=are_texts)(one)))),
     "no list of options"))


def check_document(place: Place, document: Object) -> None:
    """DOCUMENT is a result of verbsperf."""
    schema = document.get("schema")
    place.expect(schema == DOCUMENT,
                 f"not a result of verbsperf: \"schema\" is "
                 f"{json.dumps(schema)}, not \"{DOCUMENT}\"")
    place.check(document, RESULT)
    for row in document["results"]:
        place.check(row, ROW)


def check_header(place: Place, header: Object) -> None:
    """HEADER is the first line of a sweep."""
    place.check(header, HEADER)
    for point in header.get("points", []):
        place.check(point, POINT)


def check_measurement(place: Place, entry: Object) -> None:
    """ENTRY is a line after a sweep's header, with one row or an error."""
    place.check(entry, MEASUREMENT)
    place.check(entry.get("point"), POINT)
    place.check(entry, OUTCOME)
    document = entry.get("document")
    if document is not None:
        check_document(place, document)
    if not entry.get("error"):
        rows = (document or {}).get("results")
        place.expect(rows is None or len(rows) == 1, "the document of one "
                     "point must have one row of \"results\"")
        place.expect(rows is not None and not rows[0].get("failed"),
                     "neither a result nor an error")


def check_history(place: Place, line: Object) -> None:
    """LINE is one of a history."""
    place.check(line, NIGHT)
    for one in line["points"]:
        place.check(one.get("point"), POINT)
        place.check(one, ROUNDS)


def check_options(place: Place, dump: Any) -> None:
    """DUMP is what verbsperf --dump-options prints."""
    place.check(dump, DUMP)
