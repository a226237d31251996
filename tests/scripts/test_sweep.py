"""verbsperf-sweep as a user runs it, on a verbsperf that answers at once."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import types

import pytest

from verbsperf.documents import results
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record
from verbsperf.plan.target import Target
from verbsperf.base import progress
from verbsperf.sweep import measure, rounds
from conftest import FAKE, SCRIPTS, called, check, document, refused

SMALL = "write_bw: --size 64,4K --qps 1,8\n"


def entries(path):
    """The lines of a sweep, all of them whole."""
    text = path.read_text()
    assert text.endswith("\n")
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        check(line)
    return lines


def keys(lines):
    """(target, round, point) of each, in the order that they have."""
    return [(e["target"], e["round"], json.dumps(e["point"]))
            for e in lines[1:]]


@pytest.fixture
def small(write_suite):
    return write_suite(SMALL)


def test_every_point_in_every_round(sweep, small, tmp_path):
    status, out, err = sweep("-o", "out", "--rounds", 3, "--seed", 7, small,
                             "a=node1", "b=node2:77,mtu=512")
    assert (status, out) == (0, "")
    assert "4 points, 2 targets, 3 rounds, seed 7" in err
    assert "24 measured, 0 failed: out" in err and " left" in err
    lines = entries(tmp_path / "out")
    assert lines[0]["schema"] == "verbsperf-sweep/1"
    assert lines[0]["seed"] == 7 and len(lines[0]["points"]) == 4
    assert lines[0]["targets"][1] == {
        "name": "b", "server": "node2", "options": {"port": "77",
                                                    "mtu": "512"}}
    found = keys(lines)
    assert len(set(found)) == len(found) == 24
    # a connection for each, and what the target says goes along
    log = [line for line in (tmp_path / "log").read_text().splitlines()]
    assert len(log) == 24
    assert log.count("write_bw --size=64 --qps=8 --port=77 --mtu=512 --json "
                     "node2") == 3


def test_rounds_are_interleaved_in_random_order(sweep, small, tmp_path):
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        assert sweep("-o", name, "--rounds", 2, "--seed", seed, small, "a=x",
                     "b=y")[0] == 0
    one, same, other = (keys(entries(tmp_path / name))
                        for name in ("one", "same", "other"))
    assert one == same != other
    rounds = [one[i:i + 8] for i in range(0, 16, 8)]
    assert [{number for _, number, _ in r} for r in rounds] == [{1}, {2}]
    # both targets, one after the other, at each point
    for this in rounds:
        assert all(a[2] == b[2] and {a[0], b[0]} == {"a", "b"}
                   for a, b in zip(this[::2], this[1::2]))
    assert len({tuple(p for _, _, p in r) for r in rounds}) > 1


def test_fingerprint(sweep, small, tmp_path):
    assert sweep("-o", "out", "--rounds", 1, small,
                 "a=x,mtu=512,post-list=4")[0] == 0
    marks = entries(tmp_path / "out")[1]["fingerprint"]
    assert marks["client device"] == "fake0" and marks["server mtu"] == 512
    assert marks["kernel"] == os.uname().release
    assert marks["option post-list"] == "4" and "option mtu" not in marks


def test_failed_points_do_not_stop_the_rest(sweep, small, tmp_path):
    status, _, err = sweep(
        "-o", "out", "--rounds", 1, small, "up=node1", "down", "garbage",
        "corrupt", "late")
    assert status == 1
    assert "8 measured, 12 failed, 4 miss a limit: out" in err
    # each kind of failure once, not once for each point, with what to do
    for failure in ("Connection refused", "byte 3 was wrong"):
        assert err.count(failure) == err.count(f"{failure}; see there\n") == 1
    counts = collections.Counter()
    for entry in entries(tmp_path / "out")[1:]:
        counts[entry["target"], entry["error"]] += 1
        assert (entry["fingerprint"] is None) == (entry["error"] is not None)
    assert counts == {
        ("up", None): 4, ("late", None): 4,
        ("down", "cannot connect to down: Connection refused"): 4,
        ("corrupt", "byte 3 was wrong"): 4,
        ("garbage", "verbsperf wrote no document: Expecting value: line 1 "
                    "column 1 (char 0)"): 4}
    assert len(results.read(str(tmp_path / "out"))) == 20


def test_limits_are_told_and_fail_nothing(sweep, small, tmp_path, compare):
    """Each once, whatever the rounds; a target may have its own."""
    status, _, err = sweep("-o", "out", "--rounds", 3, small,
                           "good=node1,min-gbps=10", "late,min-gbps=60")
    assert status == 0
    assert "24 measured, 0 failed, 12 miss a limit: out" in err
    told = [line for line in err.splitlines() if "limit not met" in line]
    assert len(told) == len(set(told)) == 4
    assert any(line.endswith("late: write_bw RC 64 8 QPs: limit not met: "
                             "--min-gbps 60: 50.125 Gb/s") for line in told)
    records = results.read(str(tmp_path / "out"))
    assert all(record.row for record in records)
    assert compare("--targets", "good,late", tmp_path / "out")[2] == ""


@pytest.mark.parametrize("server", ["hang", "stubborn"])
def test_a_measurement_that_hangs(sweep, write_suite, tmp_path, server):
    status, _, _ = sweep("-o", "out", "--rounds", 1, "--point-timeout", 1,
                         write_suite("write_bw:"), server)
    assert status == 1
    assert entries(tmp_path / "out")[1]["error"] \
        == "took longer than 1 s (--point-timeout)"


def test_a_complete_sweep_measures_nothing(sweep, small, tmp_path):
    """That is not said to be a success, unless it is meant."""
    command = ("-o", "out", "--rounds", 1, small, "a=x")
    assert sweep(*command)[0] == 0
    before = (tmp_path / "out").read_bytes()
    refused(sweep(*command), 2, "out: nothing is left to measure, all 4 ",
            "another FILE", "--resume")
    status, _, err = sweep("--resume", *command)
    assert status == 0
    assert "4 measured, 0 failed: out (4 of them measured before)" in err
    assert (tmp_path / "out").read_bytes() == before
    # more rounds are added to those that are there
    assert sweep("-o", "out", "--rounds", 2, small, "a=x")[0] == 0
    assert (tmp_path / "out").read_bytes().startswith(before)
    assert len(keys(entries(tmp_path / "out"))) == 8


@pytest.fixture
def stuck(small, tmp_path):
    """A sweep of 2 targets that never ends its sixth measurement."""
    log = tmp_path / "log of stuck"
    environment = {**os.environ, "VERBSPERF": str(FAKE), "FAKE_LAST": "5",
                   "FAKE_LOG": str(log)}
    child = subprocess.Popen(
        [sys.executable, SCRIPTS / "verbsperf-sweep", "-o", "out", "--rounds",
         "2", "--seed", "3", small, "a=x", "b=y"], cwd=tmp_path, text=True,
        env=environment, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 300
    while not log.exists() or log.read_bytes().count(b"\n") < 6:
        assert child.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    yield child
    child.kill()
    child.communicate()


def is_running(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_killed_and_gone_on_with(sweep, small, tmp_path, stuck):
    """As if it had never stopped: each point once, in the same order.  What it
    ran ends with it."""
    ran = pathlib.Path(f"/proc/{stuck.pid}/task/{stuck.pid}/children"
                       ).read_text().split()
    stuck.kill()
    stuck.wait()
    deadline = time.monotonic() + 60
    while any(map(is_running, ran)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    path = tmp_path / "out"
    before = path.read_bytes()
    assert before.count(b"\n") == 6
    # and torn: the disk has half of a line
    path.write_bytes(before + before.splitlines()[2][:99])
    options = ("--rounds", "2", "--seed", "3", small, "a=x", "b=y")
    status, _, err = sweep("-o", "out", *options)
    assert status == 0 and "dropped the last 99 bytes" in err
    assert path.read_bytes().startswith(before)
    assert sweep("-o", "never", *options)[0] == 0
    whole = keys(entries(path))
    assert whole == keys(entries(tmp_path / "never")) and len(whole) == 16


@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_what_failed_is_measured_anew(sweep, small, tmp_path, compare,
                                      options):
    """The server was not started; then it was."""
    command = ("-o", "out", "--rounds", 2, *options, small, "a=up", "b=node1")
    status, _, err = sweep(*command, env={"FAKE_DOWN": "up"})
    assert status == 1 and "8 measured, 8 failed: out" in err
    before = (tmp_path / "out").read_bytes()
    status, _, err = sweep(*command)
    assert status == 0, err
    assert "; 8 measured before; 8 failed before, measured again now; " in err
    assert "16 measured, 0 failed: out (8 of them measured before)" in err
    path = tmp_path / "out"
    assert path.read_bytes().startswith(before)
    assert len(entries(path)) == 1 + 16 + 8
    # the failures are in the file, and count nowhere
    records = results.read(str(path))
    assert len(records) == 16 and all(record.row for record in records)
    table = [re.split(r"  +", line.strip())
             for line in sweep("out")[1].splitlines()[2:]]
    assert [row[1:3] for row in table if row[0][1:2] == ":"] == [["2", "0"]] * 8
    assert all(point["new_rounds"] == 2 and not point["notes"] for point in
               json.loads(compare("--json", path)[1])["points"])
    # now it is complete
    refused(sweep("-o", "out", "--rounds", 2, small, "a=up", "b=node1"), 2,
            "nothing is left to measure, all 16 measurements are in it")


def test_what_fails_again_is_one_failure(sweep, small, tmp_path):
    command = ("-o", "out", "--rounds", 1, small, "a=x", "down")
    assert sweep(*command)[0] == 1
    status, _, err = sweep(*command)
    assert status == 1
    assert "; 4 measured before; 4 failed before, measured again now" in err
    assert "4 measured, 4 failed: out (4 of them measured before)" in err
    assert len(entries(tmp_path / "out")) == 1 + 8 + 4
    assert sweep("out")[1].count("(4 times)") == 1


@pytest.mark.parametrize("targets, cause", [
    (("down",), "down: cannot connect to down: Connection refused"),
    (("down", "corrupt"), "corrupt: byte 3 was wrong; down: cannot connect"),
])
def test_when_nothing_can_be_measured_it_ends(sweep, small, tmp_path, targets,
                                              cause):
    """Nine more rounds of a server that is not there tell nothing."""
    status, _, err = sweep("-o", "out", small, *targets)
    assert status == 1
    assert ("no more rounds after 1, in which every measurement failed: "
            + cause) in err
    assert err.endswith(f": 0 measured, {4 * len(targets)} failed: out\n")
    assert len(entries(tmp_path / "out")) == 1 + 4 * len(targets)


def test_an_old_sweep_is_gone_on_with_when_that_is_meant(sweep, small,
                                                         tmp_path):
    """A night that was interrupted is no part of the next one."""
    path = tmp_path / "out"
    assert sweep("-o", "out", "--rounds", 1, small, "a=x")[0] == 0
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:50])
    yesterday = time.time() - 20 * 3600
    os.utime(path, (yesterday, yesterday))
    command = ("-o", "out", "--rounds", 1, small, "a=x")
    before = path.read_bytes()
    for _ in range(2):  # it is as old and as torn as before
        refused(sweep(*command), 2, "20 h 0 min ago", "--resume", "another")
    assert path.read_bytes() == before
    status, _, err = sweep("--resume", *command)
    assert status == 0 and "(3 of them measured before)" in err
    assert len(entries(path)) == 5
    assert len(entries(path)) == 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(tmp_path, stuck, number):
    stuck.send_signal(number)
    _, err = stuck.communicate(timeout=60)
    assert stuck.returncode == -number
    assert ("interrupted; 5 measured, 0 failed; the same command continues it,"
            " if given within 12 hours; later it needs --resume, too\n") in err
    assert "Traceback" not in err
    assert len(entries(tmp_path / "out")) == 6


@pytest.mark.usefixtures("stuck")
def test_two_sweeps_of_one_file(sweep, small):
    refused(sweep("-o", "out", small, "a=x", "b=y"), 2,
            "another program is writing it")


def test_another_sweep_in_the_file_is_refused(sweep, small, tmp_path):
    assert sweep("-o", "out", "--rounds", 1, "--seed", 1, small, "a=x")[0] == 0
    before = (tmp_path / "out").read_bytes()
    other = tmp_path / "other"
    for text, words in ((SMALL + "send_bw:", "only the suite has send_bw RC "
                         "64K"),
                        ("write_bw: --size 64 --qps 1,8", "only the file has "
                         "write_bw RC 4K 1 QP, and 1 more"),
                        ("defaults: --duration 3\n" + SMALL,
                         "with other options")):
        other.write_text(text)
        refused(sweep("-o", "out", other, "a=x"), 2, "has another suite", words)
    refused(sweep("-o", "out", small, "a=y"), 2, "target 'a=x'")
    refused(sweep("-o", "out", small, "a=x", "b=y"), 2,
            "does not have the target 'b=y'")
    refused(sweep("-o", "out", "--seed", 2, small, "a=x"), 2,
            "has the seed 1, not 2")
    assert (tmp_path / "out").read_bytes() == before


@pytest.mark.parametrize("text", [
    "hello", "hello\n", '{"schema": "verbsperf/1"}\n', "{", "\n"])
def test_other_files_are_left_alone(sweep, small, tmp_path, text):
    path = tmp_path / "out"
    path.write_text(text)
    status, _, err = sweep("-o", "out", "--rounds", 1, small, "a=x")
    assert status == 2 and "not a sweep; left as it is" in err
    assert path.read_text() == text


def test_disk_full(sweep, small, tmp_path):
    """What was measured stays, and more room lets it go on."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    arguments = ("-o", "out", "--rounds", 2, small, "a=x", "b=y")
    refused(sweep(*arguments, preexec_fn=limit), 1, "out: cannot write: File "
            "too large", "the same command continues it, if given within 12 "
            "hours", "--resume")
    some = len(entries(tmp_path / "out"))
    assert 1 < some < 17
    assert sweep(*arguments)[0] == 0
    assert len(entries(tmp_path / "out")) == 17


@pytest.mark.parametrize("values, known", [
    ([50.0] * 8, True), ([50.0] * 7, False), ([0.0] * 8, False),
    ([None] * 8, False), ([40.0, 60.0] * 4, False)])
def test_what_is_known(values, known):
    """What is 0 or was not measured is not, but it is given up."""
    key = Point("write_bw", "RC", 64, 1, ())
    point = types.SimpleNamespace(key=lambda: key)
    records = [Record("a", i, key, {"bandwidth": {"gbps": value},
                                    "latency": None}, None, None, {}, "", i)
               for i, value in enumerate(values, 1)]
    wanted, target = rounds.Goal(0.95, 0.02, 30), [Target("a", "a", {})]
    assert rounds.unknown([point], target, records, wanted) == (
        [] if known else [point])
    assert rounds.unknown([point], target, records, wanted, False) == (
        [point] if not known and any(values) else [])


def test_looks_are_few():
    """The last is that after all rounds."""
    assert rounds.looks(30) == [8, 13, 20, 30]
    assert rounds.looks(5) == [5]


def test_two_targets_in_alternation(sweep, write_suite, tmp_path):
    """--against measures both, and compares them."""
    suite = write_suite("write_bw send_lat:\n")
    status, out, _ = sweep("-o", "out", "--against", "old=x", suite, "new=y")
    assert status == 0, out
    assert "base: out, target old, 10 rounds" in out
    assert "within tolerance: 2 points" in out
    status, out, err = sweep("-o", "half", "--against", "old=x", suite, "slow")
    assert status == 1 and "2 points\n" in out and " regression: " in out, err
    # what failed is a regression, and the others are compared all the same
    status, out, _ = sweep("-o", "no", "--against", "old=x", suite, "halfdown")
    assert status == 1 and out.count("within tolerance") >= 1, out
    assert "regression: failed: " in out
    assert "for a verdict" not in err
    _, out, err = sweep("-o", "few", "--rounds", 4, "--against", "old=x", suite,
                        "new=y")
    assert "--rounds 4: --against needs 6 for a verdict\n" in err
    assert "too few rounds, 4 of at least 6; 2 more allow a verdict" in out
    refused(sweep("-o", "o", "--against", "old=x", suite, "a=y", "b=z"), 2,
            "--against old=x: one other TARGET", "not 2")


def test_until_the_interval_is_narrow(sweep, write_suite, tmp_path):
    """The fake's noise is 0.3%: 2% is known after 8 rounds, the first look at
    30, and 0.01% never."""
    suite = write_suite("write_bw send_lat:\n")
    assert sweep("-o", "out", "--until-ci", "95,2", suite, "a=x",
                 "b=y")[0] == 0
    assert len(keys(entries(tmp_path / "out"))) == 2 * 2 * 8
    refused(sweep("-o", "out", "--until-ci", "95,2", suite, "a=x", "b=y"), 2,
            "nothing is left to measure")
    status, _, err = sweep("-o", "never", "--until-ci", "95,0.01",
                           "--max-rounds", 8, suite, "a=x")
    assert status == 3
    assert "2 of 2 points are not known to 0.01% after 8 rounds" in err
    # a point is given up after three rounds, the other is measured
    status, _, _ = sweep("-o", "half", "--until-ci", "95,2", suite, "halfdown")
    assert status == 1
    tests = [entry["point"]["test"] for entry in entries(tmp_path / "half")[1:]]
    assert (tests.count("write_bw"), tests.count("send_lat")) == (3, 8)


def test_clocks_that_disagree(sweep, small):
    """It is said once for a target, and fails nothing."""
    status, _, err = sweep("-o", "out", "--rounds", 2, small, "a=hasty",
                           "b=steady", "c=x")
    said = ("a: the clocks of both hosts disagree: 2.8 s at the server (tsc, "
            "kernel: hpet) are 1 s at the client (tsc, kernel: hpet)\n")
    assert status == 0 and err.count(said) == err.count("disagree") == 1
    _, text, _ = sweep("out")
    assert text.count(said) == text.count("disagree") == 1


def test_what_is_in_a_file(sweep, small, tmp_path):
    """A file alone is shown; what is not measured yet, too."""
    assert sweep("-o", "out", "--rounds", 6, small, "a=x", "down")[0] == 1
    status, text, err = sweep("out")
    assert (status, err) == (0, "")
    lines = text.splitlines()
    assert lines[0].startswith(" out: sweep of suite, started 20")
    assert lines[1].split() == ["point", "rounds", "failed", "metric",
                                "median", "95%", "interval", "lowest",
                                "highest"]
    table = [line.split("  ") for line in lines[2:10]]
    table = [[cell.strip() for cell in row if cell] for row in table]
    assert table[0][:4] == ["a: write_bw RC 64 1 QP", "6", "0", "Gb/s"]
    low, high = table[0][5].split(" .. ")
    assert 49.9 < float(low) <= float(table[0][4]) <= float(high) < 50.1
    assert table[4] == ["down: write_bw RC 64 1 QP", "6", "6", "-", *"----"]
    assert lines[-1] == (" failed: down: cannot connect to down: Connection "
                         "refused (24 times)")
    # a part of it
    path = tmp_path / "out"
    header, *measured = path.read_text().splitlines(True)
    path.write_text(header + next(line for line in measured
                                  if '"target": "a"' in line))
    _, text, _ = sweep("out")
    assert text.count(" QP") == 8 and "95% interval -: it needs 6" in text
    assert path.read_text().count("\n") == 2
    refused(sweep("quick"), 2, "missing: -o/--output, TARGET", "'quick'")


def test_a_file_that_is_not_there(sweep):
    assert sweep("nofile.jsonl") == (
        2, "", "verbsperf-sweep: error: nofile.jsonl: No such file or "
        "directory\n")
    # where a suite is meant, what is missing is said
    refused(sweep("-o", "out", "nofile"), 2, "missing: TARGET")
    refused(sweep("quick"), 2, "missing: -o/--output, TARGET")


def test_a_percentile_that_few_rounds_have(sweep, write):
    """A median of one round is not taken for that of three."""
    few = [document(p99=8.0) for _ in range(3)]
    for one in few[:2]:
        one["results"][0]["latency"].update(p50=90.0, p99=None)
    _, text, _ = sweep(write("few.json", few))
    lines = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    assert lines[2][1:5] == ["3", "0", "p50 us", "90.00"]
    assert lines[3][:3] == ["1", "p99 us", "8.000"]


def test_documents_are_shown_as_what_they_are_of(sweep, write):
    """Results of two devices are no rounds of each other here, either."""
    other = document(40.0)
    other["client"] = {**other["client"], "device": "mlx5_1"}
    path = write("two.json", [document(50.0), document(52.0), other])
    _, text, _ = sweep(path)
    lines = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    assert lines[2:4] == [
        ["lab1 mlx5_0: write_bw RC 64 1 QP", "2", "0", "Gb/s", "51.00", "-",
         "50.00", "52.00"],
        ["lab1 mlx5_1: write_bw RC 64 1 QP", "1", "0", "Gb/s", "40.00", "-",
         "40.00", "40.00"]]


def test_a_small_rate_is_shown(sweep, write):
    """1 MiB at 20 a second is a rate, not 0."""
    path = write("slow.json", [document(0.00018, mpps=2.16e-05)] * 2)
    _, text, _ = sweep(path)
    rows = [re.split(r"  +", line.strip()) for line in text.splitlines()[2:4]]
    assert [row[-4:] for row in rows] == [
        ["0.0001800", "-", "0.0001800", "0.0001800"],
        ["2.160e-05", "-", "2.160e-05", "2.160e-05"]]


def test_list_needs_no_target(sweep, small):
    status, out, err = sweep("--list", small)
    assert status == 0 and out.splitlines() == [
        "write_bw RC 64 1 QP", "write_bw RC 64 8 QPs", "write_bw RC 4K 1 QP",
        "write_bw RC 4K 8 QPs"]
    assert err == ("verbsperf-sweep: 4 points, 10 rounds: about 2 min 20 s at "
                   "each target\n")
    # options may stand between words
    assert sweep(small, "--list", "node1") == (0, out, err.replace(
        " at each target", ""))


@pytest.mark.parametrize("suite, options, words", [
    # 3.2 s of the defaults and 0.3 s to connect, at 2 targets in 2 rounds
    ("write_bw: --qps 1,8", (), "about 28 s"),
    ("defaults: --duration 5m --warmup 0.7\nwrite_bw:", (), "about 20 min 4 s"),
    ("write_bw: --duration 1500ms", ("--until-ci", "95,2"),
     "at most 2 min 0 s"),
])
def test_how_long_it_takes_is_said_before(sweep, write_suite, suite, options,
                                          words):
    options = options or ("--rounds", 2)
    _, _, err = sweep("-o", "out", *options, write_suite(suite), "a=x", "b=y")
    first = err.splitlines()[0]
    assert first.endswith("; " + words), err


def test_what_takes_unknown_time(sweep, write_suite):
    """Iterations do; defaults are verbsperf's."""
    suite = write_suite("write_bw: --iterations 1000\nwrite_lat:\n")
    _, _, err = sweep("--list", "--rounds", 1, suite)
    assert err == ("verbsperf-sweep: 2 points, 1 rounds: about 3 s and 1 "
                   "measurement with --iterations at each target\n")


def test_a_target_says_how_long_too(sweep, write_suite):
    """Its own end decides, and it says minutes as verbsperf does."""
    suite = write_suite("write_bw: --warmup 0.2")
    _, _, err = sweep("--list", "--rounds", 1, suite, "a=x,duration=1m", "b=y")
    assert err.endswith(": about 1 min 4 s\n")
    refused(sweep("--list", suite, "a=x,duration=long"), 2,
            "target 'a': write_bw: --duration 'long'")


def test_what_is_refused(sweep, small, tmp_path):
    for arguments, words in (
            ((small, "a=x"), "-o/--output"),
            (("-o", "out", small), "TARGET"),
            (("-o", "out", "--rounds", "0", small, "a=x"), "1 to 10000"),
            (("-o", "out", "--until-ci", "95", small, "a=x"), "95,2"),
            (("-o", "out", "--until-ci", "95,2", "--rounds", 3, small, "a=x"),
             "exclude each other"),
            (("-o", "out", "--max-rounds", 3, small, "a=x"), "--until-ci"),
            (("-o", "out", "--nonsense", small, "a=x"), "--nonsense"),
            (("-o", "out", "--seed", "x", small, "a=x"), "--seed"),
            (("-o", "out", small, "a=x", "a=y"), "two targets have the name 'a'"),
            (("-o", "out", "--program", "/none", small, "a=x"),
             "cannot find the program /none"),
            (("-o", "none/out", small, "a=x"), "none/out: No such file"),
            (("-o", "/dev/full", small, "a=x"), "expected a regular file"),
            (("-o", ".", small, "a=x"), "Is a directory")):
        refused(sweep(*arguments), 2, words)
    assert not (tmp_path / "out").exists()


def test_sweep_and_compare(sweep, compare, write_suite, tmp_path):
    """The slow target is named, the twin is ok; all from the command line."""
    suite = write_suite("write_bw: --size 64,64K\nwrite_lat:\n")
    assert sweep("-o", "out", "--rounds", 8, suite, "base=node1", "twin=node2",
                 "slow")[0] == 0
    path = tmp_path / "out"
    status, text, _ = compare("--targets", "base,twin", path)
    assert status == 0
    assert len(re.findall("  within tolerance(?:: ties.*)?\n", text)) == 3
    status, text, _ = compare("--targets", "base,slow", path)
    assert status == 1 and text.count("  regression\n") == 3


@pytest.mark.parametrize("takes, options, said", (
    (5.4, "--duration 0.5 --warmup 0.1", "a measurement takes 5.4 s here, and "
     "not 0.9 s: about 1 min 26 s left"),
    (1.0, "--duration 0.5 --warmup 0.1", None),
    (5.4, "--iterations 100", "a measurement takes 5.4 s here: about 1 min 26 "
     "s left")))
def test_the_time_is_corrected(monkeypatch, tmp_path, write_suite, takes,
                               options, said):
    """Where set-up takes longer than was supposed, before a round is over."""
    clock = [0.0]
    real = measure.entry_of

    def entry_of(*arguments):
        clock[0] += takes
        return real(*arguments)
    monkeypatch.setattr(measure, "entry_of", entry_of)
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setenv("VERBSPERF", str(FAKE))
    monkeypatch.chdir(tmp_path)
    suite = write_suite(f"write_bw: --size 64..512 {options}\n")
    status, _, err = called("sweep", "-o", "out", "--rounds", 5, suite, "a")
    assert status == 0, err
    assert err.count("a measurement takes") == bool(said)
    assert (said or "20 measured") in err
