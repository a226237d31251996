"""What documents and files must have: each check refuses what it is there for,
and takes what versions of verbsperf write."""
import copy
import re

import pytest

from complete import (BANDWIDTH, DIRECTION, DOCUMENT, HEADER, INTERVAL,
                      LATENCY, ROW, TARGET)
from verbsperf.base.errors import ResultsError
from verbsperf.documents import formats
from verbsperf.documents.formats import Place

PLACE = Place("x.json", 7)
GONE = object()     # in place of a value: it is not there
ROSE = {"end": "client", "counter": "c", "value": 1, "kind": "trouble",
        "meaning": "m"}
FULL_ROW = {
    **ROW, "bandwidth": {**BANDWIDTH, "gbps": 9.5, "ci95_gbps": [9, 10]},
    "latency": {**LATENCY, "p50": 2.5, "percentiles": {"42": 1.5}},
    "cpu": {"client": {"ns_per_message": 5.5}, "server": None},
    "counters": {"rose": [ROSE]}, "intervals": [INTERVAL],
    "histogram": {"unit": "ns", "bins": [[1, 2, 3], [2.5, 3, 4]]},
    "directions": [{**DIRECTION, "intervals": [INTERVAL]}]}
LIMIT = {"name": "min-gbps", "met": False, "counter": None, "end": None,
         "unit": "Gb/s", "reason": None, "percent": 90, "asked": 3,
         "seen": 2.5}
FULL = {**DOCUMENT, "results": [FULL_ROW], "limits": [LIMIT],
        "error": {"message": "no"},
        "environment": {"client": {"kernel": "6"}, "server": None}}
POINT = {"test": "write_bw", "transport": "RC", "size": 64, "qps": 1,
         "options": {"a": "b"}}
LINE = {"target": "a", "round": 1, "point": POINT, "error": None,
        "fingerprint": {"a": 1},
        "document": {**DOCUMENT, "results": [FULL_ROW]}}
HISTORY = {"schema": "verbsperf-history/1", "started": "s", "target": "a",
           "facts": {"kernel": "6"},
           "points": [{"point": POINT, "failed": 0, "error": None,
                       "values": {"gbps": [1, 2.5]}}]}
OPTION = {"name": "a", "kind": "flag", "group": "g", "argument": None,
          "implied": "x", "who": ["plan"], "words": ["b"], "value": 1}
OPTIONS = {"schema": "verbsperf-options/1", "version": "1", "protocol": 7,
           "tests": ["write_bw"], "one_end": ["mr"], "options": [OPTION]}


def changed(whole, path, value):
    """WHOLE with VALUE at PATH, names and numbers with dots in between."""
    made = copy.deepcopy(whole)
    *names, last = [int(name) if name.isdigit() else name
                    for name in path.split(".")]
    inner = made
    for name in names:
        inner = inner[name]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return made


def cases(*lines):
    """(path, value) of lines (path, value...)."""
    return [(path, value) for path, *values in lines for value in values]


def refuses(check, whole, path, value, sentence):
    """CHECK takes WHOLE, and not the change, with one sentence."""
    check(PLACE, copy.deepcopy(whole))
    with pytest.raises(ResultsError) as caught:
        check(PLACE, changed(whole, path, value))
    said = str(caught.value)
    assert said.startswith("x.json:7: ") and sentence in said
    assert re.search(r'[\w")]$', said)


@pytest.mark.parametrize("path, value, sentence", (
    *((*one, "not a result of verbsperf: \"schema\" is ") for one in cases(
        ("schema", GONE, "verbsperf/2", None))),
    *((name, value, f"no object \"{name}\"") for name in (
        "tool", "test", "parameters", "client", "server")
      for value in (GONE, None, [])),
    *((*one, "does not name the version") for one in cases(
        ("tool.version", GONE, 1))),
    *((*one, "has no \"name\" or no \"transport\"") for one in cases(
        ("test.name", GONE, 1), ("test.transport", GONE, 1, []))),
    *((*one, "has no number \"rate_gbps\"") for one in cases(
        ("client.rate_gbps", "x", True, 1e999),
        ("server.rate_gbps", "x", float("nan")))),
    *((*one, "no objects of facts") for one in cases(
        ("environment", [], "x"), ("environment.client", [], 1),
        ("environment.server", "x"), ("environment.client.kernel", [], {}))),
    *((*one, "neither null nor has a message") for one in cases(
        ("error", "x", {}), ("error.message", 1, None, GONE))),
    *((*one, "\"limits\" of the document is") for one in cases(
        ("limits", {}, [1], "x"), ("limits.0.met", GONE, None, 1),
        ("limits.0.name", GONE, 1), ("limits.0.counter", 1),
        ("limits.0.end", []), ("limits.0.unit", 1), ("limits.0.reason", {}),
        ("limits.0.percent", "x", True), ("limits.0.asked", "x", True),
        ("limits.0.seen", "x", [1]))),
    *((*one, "no list \"results\"") for one in cases(
        ("results", GONE, None, {}))),
))
def test_documents(path, value, sentence):
    refuses(formats.check_document, FULL, path, value, sentence)


@pytest.mark.parametrize("path, value", cases(
    ("client.rate_gbps", None, GONE, 5), ("test.transport", None),
    ("environment", None, GONE), ("environment.client", None),
    ("error", None, GONE), ("limits", None, GONE, []),
    ("limits.0.counter", "c"), ("limits.0.percent", None, GONE, 2.5),
    ("limits.0.asked", None, GONE, 2.5),
    ("results", []), ("started", GONE)))
def test_documents_that_are_read(path, value):
    formats.check_document(PLACE, changed(FULL, path, value))


@pytest.mark.parametrize("path, value, sentence", (
    ("0", 1, "a row of \"results\" is no object"),
    *((f"0.{name}", value, f"no number \"{name}\"")
      for name in ("size", "qps") for value in (GONE, -1, "1", 1.5, True)),
    *((f"0.{name}", value, f"\"{name}\" of a row is neither null nor an")
      for name in ("bandwidth", "latency") for value in (GONE, 1, [])),
    *((f"0.{path}", value, "is not as verbsperf writes it")
      for path, value in cases(
          ("bandwidth.gbps", "x", [], True, 1e999, float("nan")),
          ("bandwidth.lost", {}, "1"), ("latency.p50", "x", False),
          ("bandwidth.ci95_gbps", [9], [9, "x"], [1, 2, 3], 9, {}),
          ("latency.percentiles", [], 1), ("latency.percentiles.42", "x", []),
          ("cpu", [], 1), ("cpu.client", [], 1), ("cpu.server", "x"),
          ("cpu.client.ns_per_message", "x", True),
          ("counters", [], 1), ("counters.rose", GONE, None, {}, [1]),
          ("counters.rose.0.end", GONE, None, 1),
          ("counters.rose.0.counter", GONE, 1),
          ("counters.rose.0.kind", GONE, 1),
          ("counters.rose.0.meaning", GONE, None, 1),
          ("counters.rose.0.value", GONE, "x", -1, 1.5, True),
          ("intervals", {}, 1, [1]), ("intervals.0.start", GONE, "x", None),
          ("intervals.0.seconds", GONE, "x", True),
          ("intervals.0.gbps", GONE, "x", []),
          ("histogram", [], 1), ("histogram.bins", GONE, None, {}, [1], [[1]]),
          ("histogram.bins.1", [1, 2, "x"], [1, 2], [1, 2, 3, 4], [1, 2, None],
           "abc"),
          ("directions", {}, 1, [1]), ("directions.0.intervals", {}, [1]),
          ("directions.0.intervals.0.start", GONE, "x"))),
))
def test_rows(path, value, sentence):
    refuses(formats.check_document, FULL, f"results.{path}", value, sentence)


@pytest.mark.parametrize("path, value", cases(
    ("size", None, 0), ("qps", None), ("bandwidth", None), ("latency", None),
    ("bandwidth.gbps", None, 0), ("bandwidth.ci95_gbps", None),
    ("latency.percentiles", None, {}), ("latency.definition", "x"),
    ("latency.saturated", True, "x"), ("cpu", None, GONE, {}),
    ("cpu.client.ns_per_message", None, GONE), ("counters", None, GONE),
    ("counters.rose", []), ("intervals", None, GONE, []),
    ("intervals.0.gbps", None), ("histogram", None, GONE),
    ("histogram.bins", []), ("directions", None, GONE, []),
    ("directions.0.intervals", None, GONE)))
def test_rows_that_are_read(path, value):
    formats.check_document(PLACE, changed(FULL, f"results.0.{path}", value))


SWEEP = {**HEADER, "targets": [TARGET], "points": [POINT]}


@pytest.mark.parametrize("path, value, sentence", (
    *((*one, "header has no seed") for one in cases(
        ("seed", GONE, "1", 1.5, True, None))),
    *((*one, "no list of named targets") for one in cases(
        ("targets", GONE, [], {}, None, [1], "x"),
        ("targets.0.name", GONE, 1))),
    *((*one, "\"points\" of the sweep's header is no list") for one in cases(
        ("points", {}, None, 1))),
    ("points.0", 1, "there is no \"point\""),
    ("points.0.test", 1, "\"point\" needs test"),
))
def test_headers_of_sweeps(path, value, sentence):
    refuses(formats.check_header, SWEEP, path, value, sentence)


def test_headers_without_points():
    formats.check_header(PLACE, changed(SWEEP, "points", GONE))


@pytest.mark.parametrize("path, value, sentence", (
    ("schema", "verbsperf/1", "another header or document inside a sweep"),
    *((*one, "there is no \"target\"") for one in cases(
        ("target", GONE, 1, None))),
    *((*one, "there is no \"round\"") for one in cases(
        ("round", GONE, -1, "1", True, 1.5))),
    *((*one, "there is no \"point\"") for one in cases(
        ("point", GONE, [], None))),
    *((*one, "\"point\" needs test, transport, size, qps and options")
      for one in cases(
          ("point.test", GONE, 1), ("point.transport", GONE, 1),
          ("point.size", GONE, -1, "x"), ("point.qps", GONE, -1, 1.5),
          ("point.options", [], None), ("point.options.a", 1, None))),
    *((*one, "\"fingerprint\" is neither") for one in cases(
        ("fingerprint", [], 1))),
    *((*one, "\"error\" is neither") for one in cases(("error", 1, {}))),
    *((*one, "\"document\" is neither") for one in cases(
        ("document", [], 1, "x"))),
    ("document.schema", "x", "not a result of verbsperf"),
    *((*one, "neither a result nor an error") for one in cases(
        ("document", None, GONE), ("document.results.0.failed", True))),
    *((*one, "must have one row of \"results\"") for one in cases(
        ("document.results", [], [FULL_ROW, FULL_ROW]))),
))
def test_lines_of_sweeps(path, value, sentence):
    refuses(formats.check_measurement, LINE, path, value, sentence)


@pytest.mark.parametrize("path, value", cases(
    ("point.transport", None), ("point.size", None), ("point.qps", None),
    ("point.options", GONE, {}), ("fingerprint", None, GONE),
    ("document.results.0.failed", GONE, False)))
def test_lines_that_are_read(path, value):
    formats.check_measurement(PLACE, changed(LINE, path, value))


@pytest.mark.parametrize("document", (
    None, {**DOCUMENT, "results": []},
    {**DOCUMENT, "results": [{**FULL_ROW, "failed": True}]}))
def test_failures_need_no_result(document):
    formats.check_measurement(PLACE, {**LINE, "error": "x",
                                      "document": document})


@pytest.mark.parametrize("path, value, sentence", (
    ("schema", "x", "not \"verbsperf-history/1\""),
    *((f"{name}", value, f"the line has no \"{name}\"")
      for name in ("started", "target") for value in (GONE, 1)),
    *((*one, "no object of texts") for one in cases(
        ("facts", GONE, [], None), ("facts.kernel", 1, None))),
    *((*one, "no list \"points\"") for one in cases(
        ("points", GONE, {}, None, [1]))),
    ("points.0.point", GONE, "there is no \"point\""),
    ("points.0.point.test", 1, "\"point\" needs test"),
    *((f"points.0.{path}", value, "not as verbsperf-sweep writes it")
      for path, value in cases(
          ("failed", GONE, -1, True, "1"), ("error", 1, []),
          ("values", GONE, [], None), ("values.gbps", [], 1, [1, -1],
                                       [True], ["x"], [1e999]))),
))
def test_histories(path, value, sentence):
    refuses(formats.check_history, HISTORY, path, value, sentence)


@pytest.mark.parametrize("path, value", cases(
    ("points", []), ("facts", {}), ("points.0.error", "x", GONE),
    ("points.0.values", {}), ("points.0.values.gbps", [0])))
def test_histories_that_are_read(path, value):
    formats.check_history(PLACE, changed(HISTORY, path, value))


@pytest.mark.parametrize("path, value, sentence", (
    *((*one, "not \"verbsperf-options/1\"") for one in cases(
        ("schema", GONE, "x"))),
    *((*one, "no version or no tests") for one in cases(
        ("version", GONE, 1), ("protocol", GONE, "7", -1),
        ("tests", GONE, "x", [1]), ("one_end", "x", [1], None))),
    *((*one, "no list of options") for one in cases(
        ("options", GONE, {}, [1], None), ("options.0.name", GONE, 1),
        ("options.0.kind", GONE, 1), ("options.0.group", GONE, None),
        ("options.0.argument", GONE, 1), ("options.0.implied", GONE, 1),
        ("options.0.who", GONE, "x", [1], None),
        ("options.0.words", "x", [1]), ("options.0.value", GONE))),
))
def test_dumps_of_options(path, value, sentence):
    refuses(formats.check_options, OPTIONS, path, value, sentence)


def test_dumps_that_are_read():
    for path, value in cases(("one_end", GONE), ("options", []),
                             ("options.0.words", None, GONE),
                             ("options.0.value", None)):
        formats.check_options(PLACE, changed(OPTIONS, path, value))
    listed = changed(OPTIONS, "options.0.value", GONE)
    listed["options"][0]["commands"] = ["serve"]
    formats.check_options(PLACE, listed)
    listed["options"][0]["commands"] = [1]
    with pytest.raises(ResultsError):
        formats.check_options(PLACE, listed)
    with pytest.raises(ResultsError, match="not \"verbsperf-options/1\""):
        formats.check_options(PLACE, [])
