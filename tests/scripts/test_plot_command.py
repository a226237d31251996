"""verbsperf-plot as a command: files, options, and what it refuses."""
import json
import sys
import xml.etree.ElementTree

import pytest

import complete
from verbsperf.documents import formats
from verbsperf.plot import looks
from conftest import document, refused, run
from plots import LATENCY, RUN, bw_row, lat_row, loads, result, sweep


def test_files(write, tmp_path):
    path = write("run.json", [RUN])
    status, out, err = run("verbsperf-plot", path)
    assert (status, err) == (0, "")
    assert out == (f"{tmp_path}/run.png: bandwidth and message rate over "
                   "size\n")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG\r\n")
    title = "5 $ & <more> \x1b[1m"
    texts = []
    for name in ("a.svg", "b.svg"):
        status, _, err = run("verbsperf-plot", path, "-o", tmp_path / name,
                             "--title", title, "--size", "10x6")
        assert (status, err) == (0, "")
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    tree = xml.etree.ElementTree.fromstring(texts[0])
    found = ["".join(element.itertext()) for element in tree.iter()
             if element.tag.endswith("}text")]
    assert {"5 $ & <more> ?[1m", "lab1 mlx5_0", "bandwidth [Gb/s]", "failed",
            "message size [bytes]", "256", "write_bw, RC, 1 QP"} <= set(found)
    assert float(tree.get("width").removesuffix("pt")) == 720


def test_only(write, tmp_path):
    path = write("sweep.jsonl", sweep({
        f"t{n}": {64: [1.0]} for n in range(looks.CURVES_MAX + 1)}))
    line = refused(run("verbsperf-plot", path), 1, "9 curves", "--only")
    assert "'t0'" in line
    status, out, _ = run("verbsperf-plot", path, "--only", "target=t3",
                         "-o", tmp_path / "one.svg")
    assert status == 0
    assert out.endswith("bandwidth and message rate over size\n")
    refused(run("verbsperf-plot", path, "--only", "qps=2"), 1, "qps=2", path)
    # an option that the results have, with another value
    path = write("one.json", [document()])
    refused(run("verbsperf-plot", path, "--only", "tx-depth=1"), 1,
            "no such results")


@pytest.mark.parametrize("condition, words", [
    ("tset=write_bw", "unknown name 'tset'; did you mean test?"),
    ("tx_depth=128", "unknown name 'tx_depth'; did you mean tx-depth?"),
    ("nonsense=1", "unknown name 'nonsense'; there are test, transport, size, "
     "qps, target, title, device and the options of verbsperf"),
])
def test_only_of_an_unknown_name(write, condition, words):
    """A misspelt name is no result that is missing."""
    path = write("one.json", [document()])
    refused(run("verbsperf-plot", path, "--only", condition), 2,
            f"--only {condition}: {words}")


@pytest.mark.parametrize("kind, lines, need", [
    ("latency", [RUN], "latency test"),
    ("bandwidth", [LATENCY], "bandwidth test"),
    ("distribution", [LATENCY], "--histogram"),
    ("load", [LATENCY], "--rate"),
    ("intervals", [RUN], "a second or more"),
    (None, [result([bw_row(64, None)])], "nothing to draw"),
])
def test_no_data(write, kind, lines, need):
    path = write("data.json", lines)
    arguments = ["--kind", kind] if kind else []
    line = refused(run("verbsperf-plot", path, *arguments), 1, path, need)
    assert line.startswith("verbsperf-plot: error: ")


@pytest.mark.parametrize("arguments, word", [
    (["--size", "3x3"], "4x3 to 40x40"), (["--size", "big"], "WIDTHxHEIGHT"),
    (["-o", "a.pdf"], ".png or .svg"), (["--only", "qps"], "NAME=VALUE"),
    (["--percentiles", "50,x"], "50,99,99.9"), (["--kind", "x"], "bandwidth"),
    (["--percentiles", "100"], "50,99,99.9"), (["--nonsense"], "--nonsense"),
])
def test_usage(write, arguments, word):
    outcome = run("verbsperf-plot", write("a.json", [RUN]), *arguments)
    refused(outcome, 2, word)
    assert outcome[2].count("\n") == 1


def test_files_that_cannot_be_used(write, tmp_path):
    refused(run("verbsperf-plot"), 2, "FILE")
    refused(run("verbsperf-plot", tmp_path / "none"), 1, "No such file")
    refused(run("verbsperf-plot", write("x", ["no JSON"])), 1, "x:1: not JSON")
    path = write("run.json", [RUN])
    refused(run("verbsperf-plot", path, "--size", "9x9", tmp_path / "none"), 1,
            "none: No such file")
    refused(run("verbsperf-plot", path, "-o", tmp_path / "no/a.png"), 1,
            "no/a.png: cannot write: No such file")


@pytest.mark.parametrize("row", [
    bw_row(64, "fast"), bw_row(64, 1.0, 1.0, [0.9]), bw_row(64, True),
    bw_row(64, 1.0, intervals=[{"start": 0, "seconds": 1}]),
    bw_row(64, 1.0, intervals="x"), bw_row(64, 1.0, directions=[1]),
    lat_row(64, 1.0, bins=[[0, 1]]), lat_row(64, [1.0]),
    {**lat_row(64, 1.0), "histogram": []}, lat_row(64, 1.0, percentiles=[1]),
])
def test_rows_of_another_shape(row):
    assert not formats.is_drawable(row)


def test_a_file_with_such_a_row(write):
    path = write("odd.json", [RUN, json.dumps(result([lat_row(64, "fast")]))])
    status, out, err = run("verbsperf-plot", path)
    assert status == 1 and "odd.png: " in out and "left out: " in err
    assert "odd.json:2: " in err


def test_rows_that_are_as_they_should_be():
    for one in (RUN, LATENCY, *loads(1.5, "RoCE")):
        assert all(formats.is_drawable(row) for row in one["results"])


def test_a_run_that_failed_before_anything(write):
    nothing = complete.document({
        "error": {"message": "cannot connect to node1"}})
    outcome = run("verbsperf-plot", write("none.json", [nothing]))
    refused(outcome, 1, "nothing to draw")
    assert "this run failed: cannot connect to node1" in outcome[2]


def test_without_matplotlib(write, tmp_path):
    """As pyenv's python, first in PATH, is: which one it is helps."""
    (tmp_path / "matplotlib.py").write_text("raise ImportError('none')")
    outcome = run("verbsperf-plot", write("run.json", [RUN]),
                  env={"PYTHONPATH": str(tmp_path)})
    refused(outcome, 1, "python3-matplotlib", "(none)", sys.executable)
