"""verbsperf-cluster: its command line, its file, and what it shows of it."""
import asyncio
import copy
import errno
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import types

import pytest

import schemas
from conftest import SCRIPTS, refused, run
from complete import BANDWIDTH, LATENCY, ROW
from fabric import Fabric
from verbsperf.agents import coordinator, fleet, launch
from verbsperf.base import progress as terminal
from verbsperf.base.errors import Refused, ResultsError
from verbsperf.cluster import (file as clusterfile, nodes as clusternodes,
                               page as clusterpage, running, view)
from verbsperf.commands import cluster as clustercommand
from verbsperf.findings import evidence
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import Wanted
from verbsperf.plan import program

NODES = [f"n{i:02}" for i in range(1, 5)]


def cluster(*arguments, env=None, **options):
    return run("verbsperf-cluster", *arguments, **options, env={
        **os.environ, "VERBSPERF": os.environ["FAKE_REAL"], **(env or {})})


@pytest.mark.parametrize("words, sentence", (
    ((), "missing: --pattern, TEST or SUITE"),
    (("--pattern", "pairs"), "missing: TEST or SUITE"),
    (("nofile",), "missing: --pattern; see --help; to show results, give a "
     "FILE of verbsperf-cluster, which 'nofile' is not"),
    (("--html", "/tmp/x.html", "no.jsonl"),
     "error: no.jsonl: No such file or directory"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "wr"),
     "wr: No such file; the suites that came along are all-sizes, "),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "wirte_bw"), ", quick, "
     "regression; did you mean write_bw?"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "ib_write_bw", "--size",
      "8"), "'ib_write_bw' is no test, and behind a suite is nothing else: "
     "'--size'; did you mean write_bw?"),
    (("--pattern", "pairs", "write_bw"), "missing: --nodes"),
    (("--pattern", "x", "write_bw"), "invalid choice: 'x'"),
    (("--nodes", "n[1-", "--pattern", "pairs", "write_bw"), "n[1-"),
    (("--nodes", "n1", "--pattern", "pairs", "write_bw"), "two nodes"),
    (("--nodes", "n[1-2]", "--devices", "x0", "--rails", "write_bw"),
     "--rails needs several --devices, such as mlx5_[0-3]"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "-s", "1x"),
     "--size '1x'"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "-bz"),
     "unknown option '-z'"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "-d", "x"),
     "-d: verbsperf-cluster has --devices SET, before the test"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "--json"),
     "--json: verbsperf-cluster has -o FILE, before the test"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "--processes",
      "2"), "--processes: options of verbsperf-cluster stand before the test"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "--iterations",
      "5"), "use --duration"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "--device",
      "x"), "--device"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "write_bw", "--memory",
      "file:/x"), "'--memory=file:/x': agents do not run verbsperf with it"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--target", "n1",
      "write_bw"), "--target: only for incast and outcast"),
    (("--nodes", "n[1-2]", "--pattern", "incast", "--target", "n3",
      "write_bw"), "--target n3"),
    (("--nodes", "n[1-2]", "--pattern", "file", "write_bw"),
     "missing: --rounds-file"),
    (("--nodes", "n[1-2]", "--pattern", "random", "--seed", "-1",
      "write_bw"), "'-1': expected 0"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--resume", "write_bw"),
     "--resume needs -o"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--picture", "x.gif",
      "write_bw"), "FILE.svg or FILE.png"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--probe", "n1:n1",
      "write_bw"), "--probe n1:n1"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--processes", "2",
      "write_lat"), "--processes: only for bandwidth"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--launch", "rsh",
      "write_bw"), "a command with %h"),
    (("--nodes", "n[1-2]", "--pattern", "pairs", "--launch", "none",
      "write_bw"), "VERBSPERF_CLUSTER_KEY"),
))
def test_refusals(words, sentence, monkeypatch):
    monkeypatch.delenv("VERBSPERF_CLUSTER_KEY", raising=False)
    refused(cluster(*words), 2, sentence)


@pytest.mark.parametrize("words", (
    ("--launch", "rsh", "write_bw"), ("--launch", "none", "write_bw"),
    ("--listen", "192.0.2.1", "write_bw"), ("--listen", "x:y", "write_bw"),
    ("write_bw", "-s", "1x"), ("--rails", "write_bw"),
    ("write_bw", "-D", "0")))
def test_nothing_is_left_of_what_is_refused(tmp_path, words, monkeypatch):
    """It is refused before the file begins, which then would need --resume."""
    monkeypatch.delenv("VERBSPERF_CLUSTER_KEY", raising=False)
    path = tmp_path / "x.jsonl"
    refused(cluster("-o", path, "--nodes", "n[1-2]", "--launch", "false %h",
                    "--pattern", "pairs", *words), 2)
    assert not path.exists()


def test_the_program_checks_what_pairs_have(monkeypatch):
    """With what is added to the user's words, before an agent is started."""
    asked = []

    def values(_, words):
        asked.append(words)
        if "--hold=300" in words:
            raise program.UsageError("--hold: not with --batch")
        return {}

    monkeypatch.setattr(program.Program, "values", values)
    with pytest.raises(Refused, match="write_bw --qps=2: --hold: not with"):
        clustercommand.check_command(["write_bw", "--qps=2"], program.Program(
            "", "", [], {}, [], 1.0))
    words, = asked
    assert {"--qps=2", "--json", "--device=any"} < set(words)


def test_the_key_is_in_no_command_line():
    words = launch.python_words(["10.0.0.1"], 7000, "n1", ["--program", "p"])
    assert not [word for word in words if "secret" in word]
    data = launch.load("secret")
    size, _, rest = data.partition(b"\n")
    assert rest[int(size):] == b"secret\n"
    assert rest.startswith(b'"""The end of verbsperf-cluster on a node')


def test_how_agents_are_started(monkeypatch):
    """What gives one line to a shell quotes it; a step has one command for all
    nodes, which know their names."""
    begun, given = [], ["--program", "a b"]
    monkeypatch.setattr(launch.Launcher, "begin",
                        lambda _, words, nodes: begun.append((words, nodes)))
    places = {"n1": ["10.0.0.1"], "n2": ["10.0.0.1", "h"]}

    def started(how):
        begun.clear()

        async def start():
            launch.start(how, [*places], places, 7000, "key", given)
        asyncio.run(start())
        return begun

    two = [launch.python_words(places[node], 7000, node, given)
           for node in places]
    assert two[1][3:] == ["10.0.0.1,h:7000", "--node", "n2", "--program", "a b"]
    assert started("env X=%h") == [(["env", "X=n1", *two[0]], ["n1"]),
                                   (["env", "X=n2", *two[1]], ["n2"])]
    one, other = started("ssh")
    assert (one[0][-2], other[0][-2]) == ("n1", "n2")
    assert shlex.split(other[0][-1]) == two[1]
    every = launch.python_words(["10.0.0.1", "h"], 7000, "", given)
    (words, nodes), = started("slurm")
    assert words[-len(every) - 2:] == ["--nodelist=n1,n2", "--nodes=2", *every]
    assert nodes == ["n1", "n2"] and "--node" not in every
    (words, _), = started("clush")
    assert words[:-1] == ["clush", "-q", "-S", "-f", "2", "-w", "n1,n2"]
    assert shlex.split(words[-1]) == every
    assert not started("none")


def test_a_full_disk_says_what_continues(tmp_path, monkeypatch):
    """A file of a cluster goes on with --resume only."""
    def full(_fd, _data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    begun = clusterfile.start(str(tmp_path / "file"), document()[0], False)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Refused, match=(
            "cannot write: No space left on device; what was measured before "
            "is in it, and the same command continues it, with --resume$")):
        begun.append({"type": "note", "point": 0, "sentence": "x"})


@pytest.mark.parametrize("limits, nodes, due", (
    ((1024, 4096), 10, (2088, 4096)), ((3000, 4096), 200, None),
    ((1024, 4096), 5000, (4096, 4096)), ((1024, -1), 5000, (22048, -1)),
    ((-1, -1), 5000, None)))
def test_open_files(monkeypatch, limits, nodes, due):
    """A thousand is what a process has by default."""
    told = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit",
                        lambda _, both: told.append(both))
    clusternodes.allow_files(nodes)
    assert told == ([due] if due else [])


def end(name):
    return {"node": name, "device": ""}


def entry(number, pair, value, metric="gbps", **more):
    row = {**copy.deepcopy(ROW), "bandwidth": {**BANDWIDTH, "gbps": value}}
    return {"type": "pair", "round": number, "point": 0,
            "client": end(pair.client.node), "server": end(pair.server.node),
            "rail": 0, "probe": False, "alone": False, "metric": metric,
            "value": value, "error": None, "skew_seconds": 0.0,
            "overlap": 1.0, "marked": False, "missed": [],
            "result": row, **more}


def document(nodes=NODES, faults=None):
    header = clusterfile.make_header(
        "verbsperf 0", pattern="all-pairs", nodes=nodes, devices=[""],
        cross_rails=False, target=None, seed=0, rounds=1, concurrent=None,
        probes=[], launch="ssh", points=[
            {"test": "write_bw", "transport": "RC", "size": 65536, "qps": 1,
             "options": {}, "metric": "gbps"}])
    fabric, lines = Fabric(nodes, faults), []
    for number, pairs in enumerate(patterns.rounds_of(
            "all-pairs", Wanted(nodes), {node: [""] for node in nodes}), 1):
        lines += [entry(number, pair, fabric.gbps(pair)) for pair in pairs]
        lines.append({"type": "round", "round": number, "point": 0,
                      "alone": False, "pairs": len(pairs),
                      "added": len(pairs), "gbps": 97.0 * len(pairs),
                      "common_seconds": 1.0, "seconds": 1.5,
                      "connecting_seconds": 0.2,
                      "clock_error_seconds": 0.0001})
    lines += [{"type": "node", "node": node, "error": None, "hostname": node,
               "verbsperf": "0", "devices": [
                   {"name": "mlx5_0", "port": 1, "state": "ACTIVE"}],
               "environment": {"kernel": "6.1"},
               "clock_offset_seconds": 0.0, "clock_error_seconds": 0.0001}
              for node in nodes]
    return header, lines


def write(path, header, lines):
    path.write_text("".join(json.dumps(one) + "\n"
                            for one in (header, *lines)))
    return path


ROSE = {"end": "client", "counter": "out_of_sequence", "value": 7,
        "kind": "trouble", "meaning": "packets came out of order",
        "advice": "look at the path"}
FINDING = {"type": "finding", "point": 0, "kind": "node", "ratio": 0.61,
           "ends": [end("n03")], "beside": {"n03": {
               "differs": [{"fact": "pcie_width", "here": 8,
                            "elsewhere": 16}], "rose": [ROSE]}},
           "sentence": "n03: 61% of the median <b>", "tested": 6, "slow": 6,
           "direction": "in both directions"}


NOTE = {"type": "note", "point": 0, "sentence": "n01: slow in the rounds; "
        "alone inconclusive: 121% (67-345%) of the median in 18 tests",
        "inconclusive": True}


def test_the_schema():
    header, lines = document()
    for one in (header, *lines, FINDING, NOTE):
        schemas.check(one, "verbsperf-cluster-1")


def test_shows_a_matrix(tmp_path):
    header, lines = document(faults={"node": {"n03": 0.61}})
    path = write(tmp_path / "x", header, [*lines, FINDING])
    status, out, err = cluster(path, env={"COLUMNS": "80"})
    assert (status, err) == (3, "")
    # what was measured one way is in one cell
    assert "(a row for each client, a column for each server; - not" in out
    assert re.search(r"^ n01 +\. +9\d\.\d\d +- +9\d\.\d\d$", out, re.M)
    assert re.search(r"^ n02 +- +\. +5\d\.\d\d +-$", out, re.M)
    assert re.search(r"^ n03 +5\d\.\d\d +- +\. +5\d\.\d\d$", out, re.M)
    assert "together: 194.0 Gb/s, the median of 3 rounds" in out
    assert "n03: 61% of the median" in out and "1 finding" in out
    assert "     n03: pcie_width is 8, elsewhere 16\n" in out
    assert ("     n03: out_of_sequence rose by 7: packets came out of order\n"
            in out)


def test_the_worst_first_when_it_is_too_wide(tmp_path):
    names = [f"node{i:03}" for i in range(40)]
    header, lines = document(names, {"node": {"node007": 0.5}})
    status, out, _ = cluster(write(tmp_path / "x", header, lines),
                             env={"COLUMNS": "80"})
    assert status == 0 and max(map(len, out.splitlines())) <= 90
    table = out[out.index("node  "):].splitlines()
    assert table[1].split()[0] == "node007"
    assert "and 20 nodes that are better" in out


def test_what_a_terminal_would_obey(tmp_path, capsys):
    """A node's agent may say anything: letters that are none, half of one."""
    header, lines = document()
    lines[-1] = {**lines[-1], "error": "a\x1b[2J\r\ud800\u202eb"}
    _, out, _ = run("verbsperf-cluster", write(tmp_path / "x", header, lines))
    assert "nodes that failed:\n   n04: a?[2J???b\n" in out
    running.say("n04: \x1b]0;x\x07")
    assert capsys.readouterr().err.endswith(": n04: ?]0;x?\n")
    line = terminal.Line()
    line.terminal = True
    line.draw("n04: \x1b]0;x\x07")
    assert capsys.readouterr().err == "\r\033[Kn04: ?]0;x?"


@pytest.mark.parametrize("more, status, said", (
    ([], 0, "; nothing is slow"),
    # of an older version
    ([{**NOTE, "inconclusive": None}], 0, "; nothing is slow"),
    ([{**NOTE, "inconclusive": False}], 0, "; nothing is slow"),
    ([NOTE], 2, "; inconclusive: 1 note ("),
    ([NOTE, NOTE, FINDING], 3, "; 1 finding; inconclusive: 2 notes (")))
def test_what_is_not_known(tmp_path, more, status, said):
    """Slow or not: it has the word and the status of verbsperf-compare."""
    header, lines = document()
    path = write(tmp_path / "x", header, [*lines, *more])
    got, out, _ = cluster("--html", tmp_path / "x.html", path)
    assert got == status and f"took part{said}" in out
    assert ("--duration" in out) == ("inconclusive" in said)
    assert said in (tmp_path / "x.html").read_text()
    assert bool(more) == ("67-345%" in out)


def test_failed_nodes_and_marked_pairs(tmp_path):
    header, lines = document()
    lines[0] = {**lines[0], "value": None, "result": None,
                "error": "n01: its agent ended", "overlap": None}
    lines[1] = {**lines[1], "marked": True, "overlap": 0.5}
    lines[-1] = {**lines[-1], "error": "its agent ended"}
    status, out, _ = cluster(write(tmp_path / "x", header, lines))
    assert status == 1
    assert "nodes that failed:\n   n04: its agent ended" in out
    assert "not added: 1 pair, such" in out and "(overlap 50%)" in out
    assert "3 of 4 nodes took part; 1 pair failed; nothing is slow" in out


def test_no_value_is_no_success(tmp_path):
    """A pair without a value, whatever it says of an error, and a file that
    has nothing but its head."""
    header, lines = document()
    lines[0] = {**lines[0], "value": None, "result": None}
    status, out, _ = cluster(write(tmp_path / "x", header, lines))
    assert status == 1 and " 1 failed\n" in out
    assert re.search(r"^ n01 +[.] +9[\d.]+ +- +X$", out, re.M)
    assert out.endswith(" 4 of 4 nodes took part; 1 pair failed; nothing is "
                        "slow\n")
    lines[0]["probe"] = True        # it has percentiles of its own
    assert cluster(write(tmp_path / "x", header, lines))[0] == 0
    status, out, _ = cluster(write(tmp_path / "x", header, []))
    assert status == 1 and out.endswith("\n nothing was measured\n")
    status, out, _ = cluster(write(tmp_path / "x", header, lines[-4:]))
    assert status == 1 and out.endswith(
        " 4 of 4 nodes took part; nothing was measured\n")


def test_another_version_on_some_nodes(tmp_path):
    header, lines = document()
    for line in lines[-4:]:
        line["verbsperf"] = "verbsperf 2"
    _, out, _ = cluster(write(tmp_path / "x", header, lines))
    assert "another version" not in out
    lines[-1]["verbsperf"] = lines[-3]["verbsperf"] = "verbsperf 1"
    lines[-2]["verbsperf"] = None
    lines.append({**lines[-2], "node": "n05", "verbsperf": "verbsperf 2"})
    lines[-1]["node"] = "n05"
    lines.append({**lines[-1], "node": "n06"})
    status, out, _ = cluster(write(tmp_path / "x", header, lines))
    assert status == 0
    assert (" another version: verbsperf 1 on n[02,04], elsewhere verbsperf 2\n"
            in out)


def test_probes(tmp_path):
    header, lines = document()
    quiet = {**entry(0, next(patterns.rounds_of(
        "pairs", Wanted(NODES), {node: [""] for node in NODES}))[0], 2.5,
        "p50"), "probe": True}
    quiet["result"] = {**ROW, "latency": {**LATENCY, "p50": 2.5, "p99": 3.0}}
    loaded = {**copy.deepcopy(quiet), "round": 1}
    loaded["result"]["latency"].update(p50=9.0, p99=80.0)
    _, out, _ = cluster(write(tmp_path / "x", header, [*lines, quiet, loaded]))
    assert ("latency of n01 - n02: alone p50 2.500 us, p99 3.000 us; under load "
            "p50 9.000 us, p99 80.00 us") in out
    loaded["result"]["latency"].update(p99=None, samples=80)
    _, out, _ = cluster(write(tmp_path / "x", header, [*lines, quiet, loaded]))
    assert "; under load p50 9.000 us, p99 - (80 samples: too few)\n" in out


def test_probes_are_no_pairs_of_a_round(monkeypatch):
    async def nothing(_hub, jobs):
        assert len(jobs) == 5
        return fleet.Round([], None, None, 0, 1.0, 0.1)

    async def one_round():
        pairs, = patterns.rounds_of("ring", Wanted(NODES),
                                    {node: [""] for node in NODES})
        point = running.Point(["write_bw"], 1.0, "gbps")
        file = clusterfile.Begun(None, document()[0], [])
        work = running.Clustering(
            coordinator.Coordinator(NODES, b"k"), running.Work(
                "ring", Wanted(NODES), [""], False, None, [point], pairs[:1],
                point), file)
        await work.run_round(1, 0, pairs)
        return file.entries[-1]["pairs"]

    monkeypatch.setattr(fleet, "run_round", nothing)
    assert asyncio.run(one_round()) == 4


LOST = {**FINDING, "beside": {"n03": {"rose": [{"value": 7}]}}}


@pytest.mark.parametrize("index, spoil", (
    *((0, one) for one in (
        {"value": "x"}, {"value": -5}, {"value": 1.7e308}, {"point": 3},
        {"type": "x"}, {"rail": -1}, {"client": {"node": 1}}, {"result": []},
        {"overlap": "x"}, {"result": {"bandwidth": None, "latency": 1}},
        {"result": {"bandwidth": 1, "latency": None}})),
    (2, {"pairs": None}), (2, {"alone": None}), (-1, {"environment": "x"}),
    *((0, {**FINDING, **one}) for one in (
        {"beside": []}, {"beside": {"n03": []}}, LOST, {"ratio": "x"},
        {"ends": None}, {"ends": [{"node": "n03"}]}, {"kind": 1}))))
def test_a_wrong_line_is_left_out(tmp_path, index, spoil, capsys):
    """Nor is it written."""
    header, lines = document()
    wrong = {**lines[index], **spoil}
    path = write(tmp_path / "x", header, [wrong, *lines])
    assert clusterfile.read(str(path)) == (header, lines)
    assert f"left out: {path}:2: " in capsys.readouterr().err
    begun = clusterfile.start(str(path), header, True)
    with pytest.raises(Refused, match="^a new line:1: "):
        begun.append(wrong)
    begun.lines.close()


NULL = {"node": ["error", "environment"],
        "pair": ["value", "result", "overlap", "error", "missed"],
        "round": ["gbps"], "note": ["inconclusive"],
        "finding": ["ratio", "beside"]}


@pytest.mark.parametrize("kind, name", [
    (kind, name) for kind, fields in clusterfile.KINDS.items()
    for name in fields])
def test_each_field_of_a_line(kind, name):
    """Whatever it must be, a list of lists it is not, and null it may be."""
    header, lines = document()
    good = next(one for one in (*lines, FINDING, NOTE) if one["type"] == kind)
    place = clusterfile.Place("x", 7)
    assert clusterfile.check_entry(place, header, good) == good
    for value in [[["x"]]] + [None] * (name not in NULL.get(kind, ())):
        with pytest.raises(ResultsError, match=(
                f'^x:7: "{name}" of a {kind} is not as verbsperf-cluster '
                "writes it$")):
            clusterfile.check_entry(place, header, {**good, name: value})
    for null in NULL.get(kind, ()):
        lacking = {key: good[key] for key in good if key != null}
        assert clusterfile.check_entry(place, header, lacking) == {
            **good, null: None}


@pytest.mark.parametrize("kind", ("header", None, ["pair"]))
def test_a_line_of_an_unknown_type(kind):
    header, _ = document()
    with pytest.raises(ResultsError, match=(
            f"^x:7: a line of the type {re.escape(json.dumps(kind))}$")):
        clusterfile.check_entry(clusterfile.Place("x", 7), header,
                                {"type": kind})


def test_a_file_of_others_is_left_as_it_is(tmp_path):
    (tmp_path / "x").write_text("notes\n")
    with pytest.raises(Refused, match=(
            ":1: not a file of verbsperf-cluster; left as it is$")):
        clusterfile.start(str(tmp_path / "x"), document()[0], True)
    assert (tmp_path / "x").read_text() == "notes\n"


@pytest.mark.parametrize("name", clusterfile.HEADER)
def test_each_field_of_the_header(name):
    header, _ = document()
    for value in ([["x"]], None, [], {}):
        with pytest.raises(ResultsError, match=(
                f'^x:1: "{name}" of a header is not as verbsperf-cluster')):
            clusterfile.check_header(clusterfile.Place("x", 1),
                                     {**header, name: value})


@pytest.mark.parametrize("seen, good", (
    ({}, True), ({"differs": None, "rose": None}, True),
    ({"differs": [{"fact": "x", "here": 1, "elsewhere": "2"}]}, True),
    ({"rose": [{"counter": "x", "value": 1}]}, True),
    ({"differs": [{"fact": 1, "here": 1, "elsewhere": 2}]}, False),
    ({"differs": [{"fact": "x", "elsewhere": 2}]}, False),
    ({"differs": [{"fact": "x", "here": 1}]}, False), ({"differs": 1}, False),
    ({"rose": [{"counter": 1, "value": 1}]}, False),
    ({"rose": [{"counter": "x"}]}, False), ({"rose": [1]}, False)))
def test_what_evidence_is(seen, good):
    assert clusterfile.EVIDENCE({"n1": {}, "n2": seen}) == good


@pytest.mark.parametrize("spoil", (
    {"nodes": []}, {"points": []}, {"pattern": None}, {"started": None},
    {"tool": {}},
    {"points": [{**document()[0]["points"][0], "metric": ["gbps"]}]}))
def test_a_wrong_header_is_refused(tmp_path, spoil):
    header, lines = document()
    path = write(tmp_path / "x", {**header, **spoil}, lines)
    before = path.read_bytes()
    for read in (lambda: clusterfile.read(str(path)),
                 lambda: clusterfile.start(str(path), header, True)):
        with pytest.raises(Refused, match=f"^{path}:1: ") as refusal:
            read()
        assert refusal.value.status == 2
    assert path.read_bytes() == before


def test_resume(tmp_path):
    header, lines = document()
    path = str(write(tmp_path / "x", header, [*lines, FINDING]))
    begun = clusterfile.start(path, header, True)
    assert begun.entries == lines
    # what is found from here on counts
    assert clusterfile.read(path) == (header, lines)
    begun.append({**FINDING, "sentence": "again"})
    begun.lines.close()
    assert [one["sentence"] for one in clusterfile.read(path)[1]
            if one["type"] == "finding"] == ["again"]
    with open(path, encoding="utf-8") as file:
        for line in file:
            schemas.load(line, "verbsperf-cluster-1")


@pytest.mark.parametrize("header_has, resume, sentence", (
    ({}, False, "--resume continues it"), ({"seed": 1}, True, "'seed': 0;")))
def test_resume_refused(tmp_path, header_has, resume, sentence):
    header, lines = document()
    path = str(write(tmp_path / "x", header, lines))
    with pytest.raises(Refused, match=sentence):
        clusterfile.start(path, {**header, **header_has}, resume)


def test_pictures_and_page(tmp_path):
    header, lines = document(faults={"node": {"n03": 0.61}})
    path = write(tmp_path / "x", header, [*lines, FINDING])
    status, _, err = cluster("--picture", tmp_path / "x.svg", "--picture",
                             tmp_path / "x.png", "--html",
                             tmp_path / "x.html", path)
    assert (status, err) == (3, "")
    assert "n03" in (tmp_path / "x.svg").read_text()
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "x.html").read_text()
    assert "61% of the median &lt;b&gt;" in page
    # opens offline
    assert not re.search(r"https?://|src=|@import|url\(", page)


LONG = [f"compute-rack07-chassis-{i:02}.gpu.example.org" for i in range(4)]


def test_the_domain_that_all_are_of(tmp_path):
    header, lines = document(LONG)
    path = write(tmp_path / "x", header, lines)
    _, out, _ = cluster("--html", tmp_path / "x.html", path,
                        env={"COLUMNS": "200"})
    assert "(tables have the nodes' names without .gpu.example.org)" in out
    assert re.search("^ compute-rack07-chassis-00  +[.]  +9", out, re.M)
    page = (tmp_path / "x.html").read_text()
    assert "<th class=long>compute-rack07-chassis-01</th>" in page
    assert f"<td>{LONG[1]}</td>" in page


@pytest.mark.parametrize("nodes, domain", (
    (["a.x.y", "b.x.y"], ".x.y"), (["a.x", "b.y"], ""), (["a", "b"], ""),
    (["a.x", "a.x"], ""), (["10.0.0.1", "11.0.0.1"], ""), (["a.x"], ""),
    (["a.x", "b"], "")))
def test_domains(nodes, domain):
    assert view.domain_of(nodes) == domain


@pytest.mark.parametrize("values, metric, scale", (
    ([96, 97, 95], "gbps", (77.6, 97)), ([97, 50], "gbps", (50, 97)),
    ([2.0, 2.1], "p50", (2.0, 2.5)), ([2.0, 9.0], "p50", (2.0, 9.0)),
    ([], "gbps", (0, 0))))
def test_noise_does_not_fill_the_scale(values, metric, scale):
    assert view.scale_of(values, metric) == pytest.approx(scale)


def test_turns():
    """Which was the slowest target."""
    header, _ = document()
    lines = []
    for number, pairs in enumerate(patterns.rounds_of(
            "incast", Wanted(NODES), {node: [""] for node in NODES}), 1):
        gbps = 10.0 if number == 3 else 30.0
        lines += [entry(number, pair, gbps) for pair in pairs]
        lines.append({"type": "round", "round": number, "point": 0,
                      "alone": False, "pairs": 3, "added": 3,
                      "gbps": 3 * gbps})
    assert list(view.sum_lines(header, lines)) == [
        "together: 90.00 Gb/s, the median of 4 rounds; lowest 30.00 to n03"]
    assert view.turn_of([
        {"client": end("a"), "server": end(b)} for b in "bc"]) == " from a"
    assert view.turn_of([{"client": end("a"), "server": end("b")}]) == (
        "")


def test_notes_that_say_the_same():
    notes = [{"type": "note", "point": 0, "sentence": f"n{i}: slow: once"}
             for i in range(7)]
    other = {"type": "note", "point": 0, "sentence": "n9 is odd"}
    assert list(view.notes_of([*notes, other])) == [
        "n0, n1, n2, n3 and 3 more: slow: once", "n9 is odd"]


def test_a_picture_of_many_nodes(tmp_path):
    """Each cell that is not of the fastest shade is drawn."""
    names = [f"n{i:02}" for i in range(40)]
    header, lines = document(names, {"path": {("n03", "n11"): 0.5}})
    lines[0] = {**lines[0], "value": None, "error": "failed <b>"}
    path = write(tmp_path / "x", header, lines)
    cluster("--html", tmp_path / "x.html", path)
    page = (tmp_path / "x.html").read_text()
    slow, = re.findall(r'stroke="#00224e" d="([^"]*)"', page)
    assert slow == "M3 11h1"
    failed, = re.findall(r'stroke="#d55e00" d="([^"]*)"', page)
    assert failed.count("h1") == 1
    assert "&quot;n03&quot;" in page and "<td" in page
    # what is empty is as bright in the dark, where a slow cell is dark
    assert 'width="40" height="40" fill="#eee"' in page
    assert "</i> failed" in page and "</i> not measured" in page


def test_paths_of_cells():
    """One stroke for those side by side, but none from row to row."""
    names = [f"n{i}" for i in range(8)]
    cells = {("n2", "n3"): 1, ("n2", "n1"): 1, ("n2", "n2"): 1,
             ("n2", "n7"): 1, ("n3", "n0"): 1, ("n0", "n5"): 9}
    assert clusterpage.paths_of(view.Matrix(
        "", "gbps", names, cells, {("n0", "n6")}, (1, 9))) == {
            "#00224e": "M1 2h3M7 2h1M0 3h1", "#fee838": "M5 0h1",
            "#d55e00": "M6 0h1"}


@pytest.mark.parametrize("count", [2, 8, 64])
def test_a_heat_map(count):
    """Its names do not collide, and what failed is not of the scale."""
    heatmap = pytest.importorskip("verbsperf.cluster.heatmap")
    header, lines = document([f"node{i:03}" for i in range(count)])
    lines[0] = {**lines[0], "value": None, "error": "failed"}
    fig = heatmap.Figure()
    heatmap.backend_agg.FigureCanvasAgg(fig)
    axes = fig.subplots()
    fig.set_size_inches(6, 6)
    matrix, = view.matrices(header, lines)
    heatmap.draw(fig, axes, matrix)
    fig.canvas.draw()
    for axis in (axes.xaxis, axes.yaxis):
        boxes = [one.get_window_extent(fig.canvas.get_renderer())
                 for one in axis.get_ticklabels()]
        assert len(boxes) == min(count, 32)
        assert not [one for one, other in zip(boxes, boxes[1:])
                    if one.overlaps(other)]
    failed, = [one for one in axes.images if one.get_gid() == "failed"]
    a, b = (int(lines[0][end]["node"][4:]) for end in ("client", "server"))
    assert failed.get_array().count() == 1 and failed.get_array()[a, b] == 1
    values = axes.images[0].get_array()
    assert values.count() == len(matrix.cells) == count * (count - 1) / 2 - 1


CHROMIUM = shutil.which("chromium")
# Chooses the heading "% of usual" twice, then "beside it", and tells what is
# in the first column.
CHOOSE = """
<script>
var said = [], table = document.querySelector('table');
[2, 2, 5, 5].forEach(function (i) {
  table.tHead.rows[0].cells[i].click();
  said.push(Array.from(table.tBodies[0].rows).map(function (row) {
    return row.cells[0].textContent; }).join(' ')); });
document.title = said.join('/');
</script>
"""


@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium here")
def test_findings_are_sorted_in_a_browser(tmp_path):
    header, lines = document()
    some = [{**FINDING, "ends": [end(node)], "ratio": ratio, "beside": told}
            for node, ratio, told in (
                ("n01", 0.9, {}), ("n02", 0.11, FINDING["beside"]),
                ("n03", None, {}), ("n04", 0.5, {}))]
    path = write(tmp_path / "x", header, [*lines, *some])
    cluster("--html", tmp_path / "x.html", path)
    page = (tmp_path / "x.html").read_text()
    (tmp_path / "x.html").write_text(page.replace("</body>",
                                                  CHOOSE + "</body>"))
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={tmp_path}/profile", "--dump-dom",
         tmp_path / "x.html"], capture_output=True, text=True, timeout=120,
        check=True)
    title = re.search("<title>([^<]*)", done.stdout)[1].split("/")
    assert title[:2] == ["n02 n04 n01 n03", "n01 n04 n02 n03"]
    # what has no value stays last
    assert [one.split()[0] for one in title[2:]] == ["n02", "n02"]


def test_what_differs():
    same = {"pcie_width": 16, "cpu_mhz": 2000, "serial": 1}
    facts = {f"n{i}": {**same, "serial": i, "cpu_mhz": i} for i in range(6)}
    facts["n3"]["pcie_width"] = 8
    assert evidence.odd_facts("n3", facts) == [
        {"fact": "pcie_width", "here": 8, "elsewhere": 16}]
    assert evidence.odd_facts("n2", facts) == []
    assert evidence.odd_facts("x", facts) == []
    facts["n4"]["pcie_width"] = None        # not known there
    assert evidence.odd_facts("n4", facts) == []
    some = {name: {**own, "pcie_width": None} for name, own in facts.items()
            if name != "n2"}
    assert evidence.odd_facts("n2", {**some, "n2": facts["n2"]}) == []
    result = {"counters": {"rose": [ROSE]}}
    assert evidence.risen(result, "client") == [ROSE]
    assert evidence.risen(result, "server") == []
    assert evidence.risen({"counters": None}, "client") == []
    assert evidence.evidence_of(["n2"], facts, {}) == {}


def test_what_a_port_differs_in():
    """Firmware, active MTU, width and speed."""
    port = {"name": "mlx5_0", "port": 1, "state": "ACTIVE",
            "link": "100 Gb/sec (4X EDR)", "mtu": 4096, "firmware": "28.1"}
    facts = {f"n{i}": evidence.facts_of([port, {**port, "port": 2}])
             for i in range(6)}
    facts["n3"] = evidence.facts_of([port, {
        **port, "port": 2, "link": "25 Gb/sec (1X EDR)", "mtu": 1024}])
    facts["n4"] = evidence.facts_of([{**port, "firmware": "28.0"},
                                   {**port, "port": 2}])
    assert list(evidence.lines_of({"beside": evidence.evidence_of(
        ["n3", "n4", "n0"], facts, {})})) == [
        "n3: mlx5_0 port 2 link is 25 Gb/sec (1X EDR), elsewhere "
        "100 Gb/sec (4X EDR)",
        "n3: mlx5_0 port 2 mtu is 1024, elsewhere 4096",
        "n4: mlx5_0 firmware is 28.0, elsewhere 28.1"]


def test_what_agents_said_is_evidence():
    """Besides what results say of the host."""
    nodes = {name: types.SimpleNamespace(facts={"devices": [
        {"name": "x0", "port": 1, "firmware": str(name == "n02")}]})
        for name in (*NODES, "n05")}
    nodes["n06"] = types.SimpleNamespace(facts={})
    point = running.Point(["write_bw"], 1.0, "gbps")
    work = running.Clustering(types.SimpleNamespace(nodes=nodes), running.Work(
        "ring", Wanted(NODES), [""], False, None, [point], [], None), clusterfile.Begun(None, "", []))
    work.facts = {name: {"smt": name == "n02"} for name in (*NODES, "n05")}
    assert work.evidence({"ends": [end("n02"), end("n03")]}) == {"n02": {
        "differs": [{"fact": "x0 firmware", "here": "True",
                     "elsewhere": "False"},
                    {"fact": "smt", "here": True, "elsewhere": False}],
        "rose": []}}


def test_one_line_of_the_view():
    header, lines = document()
    assert view.verdict(header, lines) == (
        "4 of 4 nodes took part; nothing is slow")
    some = [one for one in lines if one["type"] == "node" or (
        one["type"] == "pair" and {one["client"]["node"], one["server"]["node"]
                                   } == set(NODES[:2]))]
    for pattern, nodes, left in (
            ("bisection", 3, "n03 was left over: bisection needs an even "
             "number"), ("file", 3, "in no pair: n03"),
            ("pairs", 4, "in no pair: n[03-04]")):
        header.update(pattern=pattern, nodes=NODES[:nodes])
        assert view.verdict(header, some) == (
            f"2 of {nodes} nodes took part; {left}; nothing is slow")


def test_thin_entry_point():
    assert (SCRIPTS / "verbsperf-cluster").stat().st_mode & 0o111


def test_progress(monkeypatch, capsys):
    """The time of a round is what is expected, and then what rounds took."""
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = terminal.Progress(4, 10.0)

    def shown():
        text = capsys.readouterr().err
        assert text.startswith("\r\033[K")
        return text[4:]

    progress.end(True)
    progress.begin("3 nodes, round 2 of 4")
    assert shown() == "3 nodes, round 2 of 4, about 30 s left"
    progress.show()
    assert capsys.readouterr().err == ""    # as it is
    now[0] += 8
    progress.show()
    assert shown() == "3 nodes, round 2 of 4, about 22 s left"
    now[0] += 12
    progress.show()
    assert shown() == "3 nodes, round 2 of 4, about 20 s left"
    progress.end(False)
    progress.begin("2 nodes, round 3 of 4")
    assert shown() == "2 nodes, round 3 of 4, about 40 s left"
    progress.name("testing again: a-b")
    assert shown() == "testing again: a-b"
    progress.clear()
    assert shown() == ""


def test_progress_is_not_for_files(capsys):
    progress = terminal.Progress(1, 1.0)
    progress.begin("2 nodes")
    progress.clear()
    assert capsys.readouterr().err == ""


def test_a_matrix_of_each_two_rails(tmp_path):
    """One that failed is not hidden behind another pair of devices."""
    header, _ = document()
    rails = {node: ["x0", "x1"] for node in NODES}
    lines = [entry(number, pair, 90.0 + number, rail=pair.rail,
                   client=pair.client._asdict(),
                   server=pair.server._asdict())
             for number, pairs in enumerate(patterns.rounds_of(
                 "pairs", Wanted(NODES), rails, True), 1) for pair in pairs]
    lines = [{**one, "value": None, "result": None, "error": "no path"}
             if one["client"]["device"] != one["server"]["device"] else one
             for one in lines]
    _, out, _ = cluster(write(tmp_path / "x", header, lines))
    titles = re.findall(r"1 QP, (.*), Gb/s: (.*)|1 QP, (.*): (no results.*)",
                        out)
    assert titles == [
        ("x0", "median 91.00, lowest 91.00, highest 91.00, 2 pairs", "", ""),
        ("", "", "x0 to x1", "no results, 2 failed"),
        ("", "", "x1 to x0", "no results, 2 failed"),
        ("x1", "median 91.00, lowest 91.00, highest 91.00, 2 pairs", "", "")]


def test_rails_of_two_nodes_are_no_turn_of_one():
    pairs = [{"client": {"node": "a"}, "server": {"node": "b"}}] * 2
    assert view.turn_of(pairs) == ""
    more = {"client": {"node": "c"}, "server": {"node": "b"}}
    assert view.turn_of([*pairs, more]) == " to b"
    more = {"client": {"node": "a"}, "server": {"node": "c"}}
    assert view.turn_of([*pairs, more]) == " from a"


def test_tolerance_and_groups(tmp_path, capsys):
    parse = clustercommand.parser().parse_args
    assert parse(["--tolerance", "2.5%"]).tolerance == pytest.approx(0.025)
    for text in ("0", "100", "x", "nan"):
        with pytest.raises(SystemExit):
            parse(["--tolerance", text])
        assert "expected percent, above 0 and below 100" in (
            capsys.readouterr().err)
    racks = tmp_path / "racks"
    racks.write_text("# two\nn[01-02]\nn[03-04],n09\n")
    assert patterns.groups_of(str(racks), NODES) == [NODES[:2], NODES[2:]]
    racks.write_text("n[01-03]\n")
    with pytest.raises(Refused, match="names no switch of n04"):
        patterns.groups_of(str(racks), NODES)


def test_a_metric_that_is_none(tmp_path):
    """It is named, and those that there are."""
    header, lines = document()
    header["points"].append({**header["points"][0], "metric": "mph"})
    path = write(tmp_path / "x", header, lines)
    refused(cluster(path), 2, f"{path}:1: a point of the header has the metric "
            '"mph", not one of gbps, mpps, ')
