"""The forms of verdicts for other programs, read as these read them."""
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import document, refused, run, sweep_lines
from verbsperf.forms import reports
from verbsperf.forms.cases import (BROKEN, FAILED, PASSED, UNDECIDED, Case,
                                   Verdicts)

junitparser = pytest.importorskip("junitparser")
parser = pytest.importorskip("prometheus_client.openmetrics.parser")
PROMTOOL = os.environ.get("PROMTOOL") or shutil.which("promtool")
STEADY = [50 * (1 + i / 1000) for i in (0, 3, -2, 5, -4, 1, 2, -1, 4, -3)]
SLOW = [value * 0.96 for value in STEADY]
FORMS = ("text", "json", "junit", "markdown", "openmetrics", "github")
# What a peer may call itself, and what no reader may take for its own.
HOSTILE = 'a"b\\c\n::error::%0A<x>\x1b[1m\x00|'


@pytest.fixture(autouse=True)
def no_summary(monkeypatch):
    """These tests may be a step of a workflow."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def pair(write):
    """A sweep whose target "slow" is slower, and "few" has too few rounds."""
    return write("pair.jsonl", sweep_lines({
        "base": STEADY, "twin": [v * 1.001 for v in STEADY], "slow": SLOW,
        "few": STEADY[:3], "fast": [v * 1.05 for v in STEADY]}))


def limited(values, least, percent=None, **changes):
    """Documents of VALUES with --min-gbps LEAST, which was asked as PERCENT."""
    def limit(seen):
        return {"name": "min-gbps", "counter": None, "end": None,
                "percent": percent, "interval": None, "meanwhile": None,
                "asked": least, "unit": "Gb/s", "seen": seen, "size": 64,
                "qps": 1, "met": seen >= least, "reason": None}
    return [document(v, limits=[limit(v)], **changes) for v in values]


def cases_of(text):
    """{name: [elements of its result]} as JUnit's readers see it."""
    xml = junitparser.JUnitXml.fromstring(text.encode())
    return {case.name: case.result for suite in xml for case in suite}


def samples_of(text):
    """[(name, labels, value)] as OpenMetrics' own parser reads them."""
    return [(one.name, one.labels, one.value)
            for family in parser.text_string_to_metric_families(text)
            for one in family.samples]


def lint(text):
    """What promtool says of TEXT; nothing when it is right."""
    if not PROMTOOL:
        pytest.skip("there is no promtool (package prometheus)")
    done = subprocess.run([PROMTOOL, "check", "metrics"], input=text,
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, done
    return done.stdout + done.stderr


@pytest.mark.parametrize("old, new", (("--json", "json"),
                                      ("--markdown", "markdown")))
def test_the_short_options_mean_the_same(compare, pair, old, new):
    both = "--targets", "base,slow", pair
    assert compare(old, *both) == compare("--format", new, *both)
    refused(compare(old, "--format", "text", *both), 2, "not allowed with")


@pytest.mark.parametrize("target, status, kind", (
    ("twin", 0, None), ("fast", 0, None), ("slow", 1, "Failure"),
    ("few", 2, "Skipped")))
def test_junit_of_a_comparison(compare, pair, target, status, kind):
    outcome = compare("--format", "junit", "--targets", f"base,{target}",
                      pair)
    assert (outcome[0], outcome[2]) == (status, "")
    (name, found), = cases_of(outcome[1]).items()
    assert name == "write_bw RC 64 1 QP"
    assert [type(one).__name__ for one in found] == [kind] * bool(kind)
    if target == "slow":
        assert found[0].type == "regression"
        assert "change -4.0% (95% interval" in found[0].message


def test_junit_counts(compare, write):
    """A suite for each target, which both sides have."""
    base = write("a", sweep_lines({"x": STEADY, "y": STEADY}))
    new = write("b", sweep_lines({"x": STEADY[1:] + [50.2], "y": SLOW}))
    outcome = compare("--format", "junit", base, new)
    xml = junitparser.JUnitXml.fromstring(outcome[1].encode())
    assert (outcome[0], xml.tests, xml.failures) == (1, 2, 1)
    assert [suite.name for suite in xml] == ["x", "y"]
    assert [suite.failures for suite in xml] == [0, 1]


def test_openmetrics_of_a_comparison(compare, pair):
    status, text, _ = compare("--format", "openmetrics", "--targets",
                              "base,slow", pair)
    assert status == 1
    found = samples_of(text)
    sides = {labels["side"]: value for name, labels, value in found
             if name == "verbsperf_bandwidth_bytes_per_second"}
    assert sides == {"base": pytest.approx(50.025e9 / 8),
                     "new": pytest.approx(48.024e9 / 8)}
    verdicts = {labels["verdict"]: value for name, labels, value in found
                if name == "verbsperf_compare_verdict"}
    assert verdicts == {"regression": 1, "inconclusive": 0,
                        "within tolerance": 0}
    ratio, = (value for name, _, value in found
              if name == "verbsperf_compare_ratio")
    assert ratio == pytest.approx(0.96)
    assert lint(text) == ""


def test_latency_is_in_seconds(compare, write):
    base = write("a", [document(p99=v) for v in STEADY])
    new = write("b", [document(p99=v * 1.001) for v in STEADY])
    text = compare("--format", "openmetrics", base, new)[1]
    labels, value = next((labels, value) for name, labels, value
                         in samples_of(text)
                         if name == "verbsperf_latency_seconds")
    assert labels["metric"] == "p99" and value == pytest.approx(50.025e-6)
    assert lint(text) == ""


@pytest.mark.parametrize("target, level", (
    ("slow", "error"), ("few", "warning"), ("twin", None)))
def test_github_commands(compare, pair, tmp_path, monkeypatch, target, level):
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    both = "--targets", f"base,{target}", pair
    lines = compare("--format", "github", *both)[1].splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert len(commands) == bool(level)
    if level:
        assert re.match(rf"::{level} title=verbsperf-compare \w+::write_bw RC"
                        r" 64 1 QP: Gb/s 50.02 in base, ", commands[0])
    assert summary.read_text() == (
        "# before\n" + compare("--markdown", *both)[1] + "\n")


def test_a_summary_that_cannot_be_written(compare, pair, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/nowhere/summary.md")
    refused(compare("--format", "github", "--targets", "base,slow", pair), 2,
            "/nowhere/summary.md", "No such file")


@pytest.mark.parametrize("form, package", (
    ("junit", "python3-junitparser"),
    ("openmetrics", "python3-prometheus-client")))
def test_a_library_that_is_missing(pair, tmp_path, write_suite, form,
                                   package):
    """It is said in a line; by a sweep, before it measures."""
    for name in ("junitparser.py", "prometheus_client.py"):
        (tmp_path / name).write_text("raise ImportError('not here')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for outcome in (
            run("verbsperf-compare", "--format", form, "--targets",
                "base,slow", pair, env=environment),
            run("verbsperf-sweep", "--format", form, "-o",
                tmp_path / "out", write_suite("write_bw: --size 64\n"), "a",
                env=environment)):
        refused(outcome, 2, "cannot import", f"package {package}")
    assert not (tmp_path / "out").exists()


def test_set_ups_have_no_verdict(compare, pair):
    refused(compare("--nics", "--format", "junit", pair), 2,
            "--nics has no verdict for --format junit")


# --- sweeps ---

@pytest.fixture
def missed(write):
    """Documents of which one round in four misses its limit."""
    return write("missed.json", limited([50, 51, 49, 47], 48))


def test_limits_of_a_file(sweep, missed):
    status, text, _ = sweep("--format", "json", missed)
    report = json.loads(text)
    point, = report["points"]
    assert (status, report["verdict"]) == (3, "missed")
    assert (point["rounds"], point["medians"]["gbps"]) == (4, 49.5)
    assert point["limits"] == [
        {"name": "min-gbps", "counter": None, "end": None, "percent": None,
         "asked": 48, "unit": "Gb/s", "rounds": 4, "missed": 1, "worst": 47.0,
         "reason": None}]
    said = "--min-gbps 48 missed in 1 of 4 rounds, 47 Gb/s at worst"
    for form in ("text", "markdown", "github", "junit"):
        outcome = sweep("--format", form, missed)
        assert outcome[0] == 3 and said in outcome[1], form


def test_limits_that_are_met(sweep, write):
    met = write("met.json", limited([50, 51], 48, percent=96))
    status, text, _ = sweep("--format", "junit", met)
    (_, found), = cases_of(text).items()
    assert (status, found) == (0, [])
    assert "--min-gbps 96% (48 Gb/s) met, 50 Gb/s at worst" in text
    assert sweep("--format", "github", met)[:2] == (0, "met: 1 point\n")
    text = sweep("--format", "openmetrics", met)[1]
    found = {name: value for name, labels, value in samples_of(text)
             if labels.get("limit") == "min-gbps"}
    assert found == {"verbsperf_limit_asked": 48,
                     "verbsperf_limit_worst": 50,
                     "verbsperf_limit_missed_rounds": 0}
    assert lint(text) == ""


def test_a_sweep_ends_with_its_verdicts(sweep, write_suite):
    """What failed is an error, what misses a limit a failure; and its file says
    the same later, in every form."""
    suite = write_suite("write_bw: --size 64\n")
    status, text, err = sweep(
        "-o", "out", "--rounds", 2, "--format", "junit", suite,
        "good=node1,min-gbps=10", "late,min-gbps=60", "down")
    assert status == 1 and "6 measured, 0 failed" not in err
    later = {form: sweep("--format", form, "out") for form in FORMS}
    assert {status for status, _, _ in later.values()} == {1}
    assert later["junit"][1] == text
    xml = junitparser.JUnitXml.fromstring(text.encode())
    assert (xml.tests, xml.failures, xml.errors) == (3, 1, 1)
    assert [suite.name for suite in xml] == ["good", "late", "down"]
    assert re.findall("^::(\\w+) ", later["github"][1], re.M) == ["error"] * 2
    text = later["openmetrics"][1]
    assert ("verbsperf_rounds", 2.0) in {
        (name, value) for name, labels, value in samples_of(text)
        if labels.get("outcome") == "failed"}
    assert lint(text) == ""


def test_a_limit_is_a_status_only_with_a_form(sweep, write_suite):
    suite = write_suite("write_bw: --size 64\n")
    assert sweep("-o", "a", "--rounds", 1, suite, "late,min-gbps=60")[0] == 0
    assert sweep("a")[0] == 0
    assert sweep("-o", "b", "--rounds", 1, "--format", "text", suite,
                 "late,min-gbps=60")[0] == 3


def test_what_was_not_measured_is_no_success(sweep, write):
    """As in the file of a sweep that was stopped."""
    lines = [json.loads(line) for line in sweep_lines(
        {"a": STEADY[:1], "b": []})]
    lines[0]["points"] = [lines[1]["point"]]
    path = write("part.jsonl", lines)
    status, text, _ = sweep("--format", "junit", path)
    assert status == 1
    assert "it was not measured" in text


def test_a_document_without_results_is_no_success(sweep, write):
    failed = document(error={"message": "no such device"}, results=[])
    status, text, _ = sweep("--format", "junit", write("failed.json",
                                                       [failed]))
    (name, found), = cases_of(text).items()
    assert status == 1 and name == "failed: no such device"
    assert [type(one).__name__ for one in found] == ["Error"]


# --- what comes from elsewhere ---

def test_no_text_becomes_a_command_or_an_element():
    for state in (PASSED, FAILED, UNDECIDED, BROKEN):
        found = Verdicts("verbsperf-sweep", "summary", [Case(
            HOSTILE, "write_bw", HOSTILE, state, "missed", HOSTILE)], [],
            "page")
        lines = reports.github(found).splitlines()
        assert len(lines) == (state != PASSED) + 1
        if state != PASSED:
            assert lines[0].count("\x1b") == 0 and "%250A" in lines[0]
        name, = cases_of(reports.junit(found))
        assert name == 'a"b\\c?::error::%0A<x>?[1m?|'


def test_labels_are_escaped(compare, write):
    sides = [write(name, [document(v, parameters={
        "flow-label": HOSTILE}) for v in values])
        for name, values in (("a", STEADY), ("b", SLOW))]
    text = compare("--format", "openmetrics", *sides)[1]
    options, = {labels["options"] for _, labels, _ in samples_of(text)}
    assert options == (r'flow-label=a"b\\c\n::error::%0A<x>\x1b[1m\x00|')
    assert lint(text) == ""


def test_labels_that_differ_stay_different(sweep, write):
    """Whatever a name has, two targets are not one, nor one metric twice."""
    names = ["a\x01", "a\x02", "a?", "a\\x01", "a\udc80"]
    path = write("names.jsonl", sweep_lines(dict.fromkeys(names, STEADY)))
    text = sweep("--format", "openmetrics", path)[1]
    assert {labels["target"] for _, labels, _ in samples_of(text)} == {
        r"a\x01", r"a\x02", "a?", r"a\\x01", r"a\udc80"}
    assert lint(text) == ""


@pytest.mark.parametrize("wrong", (
    {"asked": "many"}, {"seen": "none"}, {"unit": 3}, {"counter": []},
    {"reason": 1}, {"end": {}}))
def test_a_limit_of_another_type_is_refused(sweep, tmp_path, wrong):
    one, = limited([50], 48)
    one["limits"][0].update(wrong)
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(one))
    refused(sweep("--format", "text", path), 2, "wrong.json:1: \"limits\"")


# --- into a file ---

def test_a_file_has_all_or_what_it_had(sweep, write_suite, tmp_path):
    """While a sweep measures, and where nothing is left to measure, a program
    that reads it finds the report before; all may read it."""
    suite, path = write_suite("write_bw: --size 64\n"), tmp_path / "rdma.prom"
    words = ("-o", "out", "--rounds", 2, "--format", f"openmetrics={path}",
             suite, "a")
    old = os.umask(0o077)
    try:
        assert sweep(*words)[:2] == (0, "")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o644
    text = path.read_text()
    assert text == sweep("--format", "openmetrics", "out")[1] != ""
    assert ("verbsperf_rounds", 2.0) in {
        (name, value) for name, _, value in samples_of(text)}
    refused(sweep(*words), 2, "nothing is left to measure")
    assert path.read_text() == text
    path.chmod(0o640)
    assert sweep("--format", f"openmetrics={path}", "out")[0] == 0
    assert path.stat().st_mode & 0o777 == 0o640
    assert not [one for one in tmp_path.iterdir() if ".new" in one.name]


@pytest.mark.parametrize("form, words", (
    ("text=x", ("a file is written of json, junit, markdown, openmetrics",)),
    ("github=x", ("'github=x'",)), ("openmetrics=", ("openmetrics=FILE",)),
    ("xml", ("'xml': expected text, json, markdown",)),
    ("openmetrics=/nowhere/x", ("/nowhere/x: cannot write: No such",)),
    ("openmetrics=notes", ("notes: what is there does not begin as",))))
def test_a_form_that_cannot_be_written(compare, sweep, write_suite, pair,
                                       tmp_path, monkeypatch, form, words):
    """Said before anything is measured."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("my notes\n")
    for outcome in (compare("--format", form, "--targets", "base,slow", pair),
                    sweep("-o", "out", "--format", form,
                          write_suite("write_bw: --size 64\n"), "a")):
        assert outcome[0] in (1, 2)
        refused(outcome, outcome[0], *words)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "notes").read_text() == "my notes\n"


@pytest.mark.parametrize("form", ("json", "junit", "markdown", "openmetrics"))
def test_a_comparison_into_a_file(compare, pair, tmp_path, form):
    words = ("--targets", "base,slow", pair)
    path = tmp_path / "report"
    for _ in range(2):
        status, out, err = compare("--format", f"{form}={path}", *words)
        assert (status, out, err) == (1, "", "")
        assert path.read_text() == compare("--format", form, *words)[1]
    refused(compare("--format", f"{form}={pair}", *words), 2, "it is read, too")


def test_junit_says_when_where_and_how_long(sweep, compare, write):
    """Of the new side; in UTC."""
    made = [document(v, started=f"2026-11-21T12:00:{i:02}.000Z")
            for i, v in enumerate(STEADY)]
    both = [write("a", [document(v) for v in STEADY]), write("b", made)]
    for text in (compare("--format", "junit", *both)[1],
                 sweep("--format", "junit", both[1])[1]):
        suite, = junitparser.JUnitXml.fromstring(text.encode())
        assert suite.timestamp == "2026-11-21T12:00:00"
        assert suite.hostname == "lab1"
        case, = suite
        assert case.time == suite.time == len(STEADY)
