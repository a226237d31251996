"""What is read of files, and what is refused."""
import json
import os

import pytest

import complete
from verbsperf.documents import points, results
from verbsperf.plan import program
from verbsperf.plot import labels
from conftest import document, refused, run, sweep_lines


def test_one_document_on_several_lines(write):
    path = write("run.json", [json.dumps(document(), indent=2)])
    record, = results.read(path)
    assert (record.target, record.round, record.line) == ("run", 1, 1)
    assert record.point == points.Point("write_bw", "RC", 64, 1,
                                         (("tx-depth", "128"),))
    assert results.metric(record.row, "gbps") == 50
    assert results.metric(record.row, "p99") is None
    assert record.fingerprint["client gid type"] == "RoCE v2"


def test_documents_one_after_the_other(write):
    pretty = json.dumps(document(size=4096), indent=2)
    path = write("runs.json", [document(), pretty, document()])
    records = results.read(path)
    assert [(r.round, r.point.size) for r in records] \
        == [(1, 64), (1, 4096), (2, 64)]
    assert records[2].line == 2 + len(pretty.splitlines())


def test_failed_documents_have_no_row(write):
    error = {"stage": "connect", "message": "nobody there"}
    failed = document()
    failed["results"][0]["failed"] = True
    path = write("bad.json", [document(results=[], error=error), failed])
    records = results.read(path)
    assert [(r.row, r.error) for r in records] \
        == [(None, "nobody there"), (None, None)]


def test_limits_are_no_other_point_and_no_failure(write):
    limit = {"name": "max-p99", "asked": 5.0, "unit": "us", "seen": 7.0,
             "size": 64, "qps": 1, "met": False, "reason": None,
             "counter": None, "end": None, "percent": None, "interval": None,
             "meanwhile": None}
    one, two = results.read(write("a", [
        document(p99=7.0, limits=[limit, {**limit, "met": True}],
                 parameters={"tx-depth": 128, "max-p99": 5.0}),
        document(p99=7.0)]))
    assert one.point == two.point and one.row
    assert results.limits_missed(one) == [limit]
    assert results.limits_missed(two) == []


def test_how_long_is_no_other_point(write):
    path = write("a.json", [document(parameters={"duration": 1}),
                            document(parameters={"duration": 2}),
                            document(parameters={"walk": 64})])
    assert [r.round for r in results.read(path)] == [1, 2, 1]


@pytest.mark.parametrize("name, value, text", (
    ("rate", {"value": 10.0, "unit": "Gb/s"},
     '{"unit": "Gb/s", "value": 10.0}'),
    ("flow-label", [1, 2], "1,2")))
def test_values_that_are_no_single_ones(write, name, value, text):
    record, = results.read(write("a.json", [document(
        parameters={name: value, "sge": 1, "pacing": "loop"})]))
    assert record.point.options == ((name, text),)


def test_options_that_are_of_no_point():
    """Who compares has no verbsperf to ask: a new option that shapes no
    traffic belongs into the lists."""
    options = program.examine(os.environ["FAKE_REAL"]).options
    assert results.NOT_OF_POINT <= options.keys()
    assert {name for name, option in options.items()
            if option.group not in ("test", "control")} <= results.NOT_OF_POINT
    assert results.LIMITS == {name for name, option in options.items()
                              if option.kind in ("limit", "counter-limits")}


@pytest.mark.parametrize("name, value, kept", (
    ("sge", 1, False), ("sge", 4, True), ("receivers", 1, False),
    ("receivers", 4, True), ("pacing", "loop", False)))
def test_what_older_versions_did_without_an_option(name, value, kept):
    made = document(parameters={name: value})
    point = results.document_point(made, 64, 1)
    assert (name in dict(point.options)) == kept


def test_0_is_a_value(write):
    """And not what there is without the option."""
    none = {"inline": None, "srq": False, "numa": "none"}
    path = write("a.json", [document(parameters=parameters) for parameters in (
        none, {**none, "inline": 0}, {**none, "inline": 0.0}, {})])
    records = results.read(path)
    assert [r.round for r in records] == [1, 1, 1, 2]
    assert [dict(r.point.options) for r in records] \
        == [{}, {"inline": "0"}, {"inline": "0.0"}, {}]


def test_percentiles_that_were_asked_for():
    row = {"bandwidth": None, "latency": {"p99_9": None,
                                          "percentiles": {"99.9": 7.0}}}
    assert results.metric(row, "p99_9") == 7.0
    assert results.metric(row, "p75") is None


def test_labels_say_what_differs():
    two = [points.Point("write_bw", "RC", 65536, 8, options)
              for options in ((("imm", "true"), ("walk", "64")),
                              (("walk", "64"),))]
    assert points.label(two[0]) == "write_bw RC 64K 8 QPs imm walk=64"
    assert points.label(two[0], two) == "write_bw RC 64K 8 QPs imm"
    assert points.label(two[1], two) == "write_bw RC 64K 8 QPs no imm"
    assert [points.size_text(n) for n in (2, 1536, 3 << 20, 1 << 30)] \
        == ["2", "1536", "3M", "1G"]


def test_sweep_is_in_the_order_of_its_header(write):
    lines = sweep_lines({"new": [1.0, None], "old": [3.0, 4.0]})
    path = write("sweep", lines[:1] + lines[:0:-1])
    records = results.read(path)
    assert [(r.target, r.round) for r in records] \
        == [("new", 1), ("new", 2), ("old", 1), ("old", 2)]
    assert records[1].row is None and records[1].error == "cannot connect"
    assert records[0].line == 5


def record(row=None, error=None, **document):
    return results.Record("t", 1, None, row, document, error, {}, "f", 1)


def test_clocks_that_disagree():
    def apart(low, high):
        return results.clocks_apart(record(clocks={
            "server_to_client": [low, high],
            "server": {"source": "TSC", "kernel": "tsc"},
            "client": {"source": "CLOCK", "kernel": "hpet"}}))
    assert apart(1.01, 1.2) is apart(0.5, 0.99) is apart(0.9, 1.1) is None
    assert results.clocks_apart(record(clocks={})) is None
    assert apart(1.02, 1.02) == (
        "the clocks of both hosts disagree: 1.02 s at the server (TSC, "
        "kernel: tsc) are 1 s at the client (CLOCK, kernel: hpet)")
    assert "0.9 s at the server" in apart(0.9, 0.9)


def test_counters_that_rose_are_added_up():
    def rose(value, end="server", counter="errors"):
        return {"end": end, "counter": counter, "value": value,
                "kind": "trouble", "meaning": "bad"}
    assert results.risen([
        record({"counters": {"rose": [rose(2), rose(1, "client")]}}),
        record({"counters": {"rose": [rose(5), rose(3, counter="x")]}}),
        record({"counters": None}), record()]) == [
            rose(7), rose(1, "client"), rose(3, counter="x")]


def test_values_and_failures():
    rows = [{"bandwidth": {"gbps": value}, "latency": None}
            for value in (3.0, None, 5.0)]
    records = [*map(record, rows), record(error="no way"), record()]
    assert results.values_of(records, "gbps") == [3.0, 5.0]
    assert results.failures(records) == ["no way", "the run failed"]


def test_limits_of_the_row():
    def limit(size, qps):
        return {"name": f"{size} {qps}", "size": size, "qps": qps,
                "met": size > qps}
    every = [limit(64, 1), limit(64, 2), limit(1, 1), limit(2, 64)]
    one = record({"size": 64, "qps": 1}, limits=every)
    assert results.limits_of(one) == every[:1]
    assert results.limits_of(one._replace(row=None)) == []
    assert results.limits_of(one._replace(document=None)) == []
    assert results.limits_missed(record({"size": 2, "qps": 64},
                                        limits=every)) == every[3:]


@pytest.mark.parametrize("text, why", (
    ("", "Expecting value: line 1 column 1 (char 0)"),
    ("[1]", "not an object"), ("[" * 5000, "maximum recursion depth exceeded "
                               "while decoding a JSON array from a unicode "
                               "string"),
    ("{}", "its JSON:1: not a result of verbsperf: \"schema\" is null, not "
     "\"verbsperf/1\"")))
def test_what_is_no_document(text, why):
    assert results.read_document(text) == (
        None, f"verbsperf wrote no document: {why}")


def test_a_document():
    made = document()
    assert results.read_document(json.dumps(made)) == (made, None)


def test_texts_of_parameters():
    assert [results.text_of(value) for value in (
        "a", ["b", 1, True], {"y": 1, "x": None}, 0.5, False)] == [
            "a", "b,1,true", '{"x": null, "y": 1}', "0.5", "false"]


def test_a_round_that_failed_and_was_measured_again(write):
    head, good, bad = sweep_lines({"a": [1.0, None]})
    again = {**json.loads(good), "round": 2}
    other = {**json.loads(bad), "error": "again"}
    for lines in ((bad, again), (bad, again, other), (bad, other, again)):
        path = write("sweep", [head, good, *lines])
        assert [(r.round, r.error) for r in results.read(path)] == [
            (1, None), (2, None)]
    assert results.read(write("s2", [head, bad, other]))[0].error == "again"


def test_marks_of_a_sweep(write):
    head, good = sweep_lines({"a": [1.0]})
    one, = results.read(write("sweep", [
        head, {**json.loads(good), "fingerprint": {"kernel": "6"}}]))
    assert one.fingerprint == {"kernel": "6"}
    assert (one.target, one.line) == ("a", 2)
    assert json.loads(one.session) == json.loads(head)


def with_row(**values):
    """A document whose row has VALUES."""
    made = document()
    made["results"][0].update(values)
    return made


NO_ROW = json.dumps({**json.loads(sweep_lines({"a": [None]})[1]),
                     "error": None})


@pytest.mark.parametrize("text, line, words", [
    ("", None, "the file is empty"),
    ("hello", 1, "not JSON"),
    ('{"schema":', 1, "cut off"),
    ("\n[1]", 2, "not an object"),
    ('{"schema": "verbsperf/2"}', 1, '"verbsperf/2", not "verbsperf/1"'),
    ("{}", 1, '"schema" is null'),
    (json.dumps(document()) + "\n{", 2, "cut off"),
    (json.dumps({**document(), "test": None}), 1, 'no object "test"'),
    (json.dumps({**document(), "tool": {}}), 1, "the version that wrote"),
    (json.dumps({**document(), "results": {}}), 1, 'no list "results"'),
    (json.dumps({**document(), "results": [{"size": 1}]}), 1,
     'no number "qps"'),
    (json.dumps(document(gbps=float("nan"))), 1, "NaN"),
    (json.dumps(document(gbps=float("inf"))), 1, "Infinity"),
    (json.dumps(document()).replace("50.0", "1e999"), 1, "1e999 is not a num"),
    (json.dumps(document()).replace("50.0", "1.7e308"), 1, "not as verbsperf"),
    (json.dumps(document()).replace("50.0", "-1"), 1, "not as verbsperf"),
    (json.dumps(document()).replace("50.0", "1" * 400), 1, "not as verbsperf"),
    (json.dumps(document()).replace("50.0", '"fast"'), 1, "not as verbsperf"),
    (json.dumps(document(error="x")), 1, "has a message"),
    (json.dumps(with_row(counters=5)), 1, "not as verbsperf"),
    (json.dumps(with_row(counters={})), 1, "not as verbsperf"),
    (json.dumps(with_row(counters={"rose": [{}]})), 1, "not as verbsperf"),
    (json.dumps(with_row(counters={"rose": [
        {"end": "client", "counter": "x", "value": "1", "kind": "trouble",
         "meaning": ""}]})), 1, "not as verbsperf"),
    (json.dumps(document(limits=[{"name": "max-p50"}])), 1, "name and met"),
    ("[" * 100000, 1, "recursion"),
    (sweep_lines({"a": []})[0].replace('"seed": 1', '"seed": "x"'), 1,
     "no seed"),
    ("\n".join(sweep_lines({"a": [1.0]})).replace('"size": 64, "qps": 1, "op',
                                                  '"size": "64", "op'), 1,
     '"point" needs'),
])
def test_what_is_no_result_is_refused(tmp_path, text, line, words):
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(results.ResultsError) as error:
        results.read(str(path))
    where = f"{path}:{line}: " if line else f"{path}: "
    assert str(error.value).startswith(where) and words in str(error.value)
    assert "\n" not in str(error.value)
    assert text or str(error.value) == f"{path}: the file is empty"


def test_files_that_cannot_be_read(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, words in ((binary, "not text"), (tmp_path, "Is a directory"),
                        (tmp_path / "none", "No such file")):
        with pytest.raises(results.ResultsError, match=words):
            results.read(str(path))


def control_document(name="create_qp", size=None, limits=None):
    """A document of a test of the control path."""
    made = document(p99=20.0, test={
        "name": name, "operation": name, "metric": "latency",
        "transport": None, "direction": None, "load": None}, limits=limits)
    made["results"][0].update(size=size, qps=None)
    return made


def test_tests_of_the_control_path_have_no_pictures(write):
    path = write("control.json", [control_document("reg_mr", 4096),
                                  control_document()])
    refused(run("verbsperf-plot", path), 1, "nothing to draw", "create_qp, "
            "reg_mr: tests of the control path have no pictures")


def test_what_a_test_does_not_have(write):
    limit = {"name": "max-p99", "asked": 5.0, "unit": "us", "seen": 20.0,
             "size": None, "qps": None, "met": False, "reason": None,
             "counter": None, "end": None, "percent": None, "interval": None,
             "meanwhile": None}
    one, other = results.read(write("a.json", [
        control_document(limits=[limit]), control_document("reg_mr", 4096)]))
    assert results.limits_missed(one) == [limit]
    assert results.limits_of(one) == [limit]
    assert points.point_json(one.point) == {
        "test": "create_qp", "transport": None, "size": None, "qps": None,
        "options": {"tx-depth": "128"}}
    assert results.sweep_point(points.point_json(one.point)) == one.point
    assert results.sweep_point(points.point_json(other.point)) == other.point
    assert points.label(one.point, [one.point]) == "create_qp"
    assert points.label(other.point, [other.point]) == "reg_mr 4K"
    assert labels.common_words([one]) == "create_qp"
    assert labels.common_words([other]) == "reg_mr, 4K bytes"
    assert labels.point_words(one.point, [one.point, other.point]) == [
        "create_qp"]


def test_a_sweep_of_the_control_path(write):
    point = {"test": "create_cq", "transport": None, "size": None,
             "qps": None, "options": {}}
    lines = complete.sweep([
        {"targets": [{"name": "a"}]},
        {"target": "a", "round": 1, "point": point, "fingerprint": {},
         "error": None, "document": control_document("create_cq")}])
    record, = results.read(write("s.jsonl", lines))
    assert record.row and record.point.test == "create_cq"
    assert not points.has(record.point, "size")
