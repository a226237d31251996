"""Suites and targets: what they mean, and what is refused."""
import os
import re
import shutil

import pytest

from conftest import FAKE, refused, run
from verbsperf.base.errors import Refused
from verbsperf.plan import (program as programs, suite as suites,
                            target as targets)


@pytest.fixture(scope="module")
def program():
    return programs.examine(str(FAKE))


@pytest.fixture
def points(program, write_suite):
    """The points of a suite's text, as short texts."""
    def read(text, *names):
        found = suites.read(write_suite(text), program, [
            targets.parse(name, program) for name in names])
        return [" ".join([p["test"], p["transport"], str(p["size"]),
                          str(p["qps"])]
                         + [f"{k}={v}" for k, v in p["options"].items()])
                for p in (planned.json for planned in found)]
    return read


def test_every_combination_is_a_point(points):
    assert points("write_bw send_bw: --size 64,4K --qps 1,8\n") == [
        f"{test} RC {size} {qps}" for test in ("write_bw", "send_bw")
        for size in (64, 4096) for qps in (1, 8)]
    assert points("send_lat: --transport rc,UD --size 2..9") == [
        f"send_lat {transport} {size} 1" for size in (2, 4, 8)
        for transport in ("RC", "UD")]


def test_defaults_and_comments(points):
    assert points("# of nothing\n\nwrite_bw:   # as it is\n"
                  "defaults: --post-list 1,16\n"
                  "atomic_bw: --qps=2\n"
                  "write_bw: --size 8 --post-list=4 --bidirectional\n"
                  "defaults: --flow-label 1,2\nread_lat: --post-list 1") == [
        "write_bw RC 65536 1", "atomic_bw RC 8 2 post-list=1",
        "atomic_bw RC 8 2 post-list=16",
        "write_bw RC 8 1 bidirectional= post-list=4",
        "read_lat RC 2 1 flow-label=1,2 post-list=1"]


def test_more_sizes_than_one_run_may_have(points):
    sizes = ",".join(map(str, range(1, 101)))
    assert points(f"write_bw: --size {sizes}") == [
        f"write_bw RC {size} 1" for size in range(1, 101)]


def test_arguments_of_a_point(program, write_suite):
    point, = suites.read(write_suite(
        "send_bw: --size 1K --qps 4 --transport UD --bidirectional "
        "--post-list 16"), program, [])
    assert point.words(program) == [
        "send_bw", "--size=1024", "--qps=4", "--transport=UD",
        "--bidirectional", "--post-list=16"]
    target = targets.parse("a=node1:77,mtu=512", program)
    assert target.words() == ["--port=77", "--mtu=512"]
    point, = suites.read(write_suite("defaults: --size 64\natomic_bw:"),
                         program, [])
    assert point.json["size"] == 8
    assert point.words(program) == ["atomic_bw"]
    point, = suites.read(write_suite("read_bw: --batch 4Kx2,100"), program, [])
    assert point.json["size"] == 8292
    assert point.words(program) == ["read_bw", "--batch=4Kx2,100"]


@pytest.mark.parametrize("text, times", [
    # not one for each of the 23 sizes
    ("write_bw: --size 2..8M\n", 1),
    ("write_bw send_bw: --size 2..8M --qps 1,8 --post-list 1,16\n", 8),
])
def test_one_process_for_all_sizes(program, write_suite, monkeypatch, text,
                                   times):
    calls = []
    ask = programs.ask
    monkeypatch.setattr(programs, "ask", lambda *words: calls.append(words)
                        or ask(*words))
    assert len(suites.read(write_suite(text), program, [])) == 23 * times
    assert len(calls) == times


@pytest.mark.parametrize("text, number, words", [
    ("", None, "no line names a test"),
    ("# only\n", None, "no line names a test"),
    ("write_bw", 1, "expected TEST"),
    (": --size 2", 1, "expected TEST"),
    ("\nfast_bw: --size 2", 2, "unknown test 'fast_bw'; expected send_bw"),
    ("write_bw: --sizes 2", 1,
     "unknown option '--sizes'; did you mean --size?"),
    ("write_bw: --szie 2", 1, "unknown option '--szie'; did you mean --size?"),
    ("write_bw: --nonsense 2", 1,
     "unknown option '--nonsense'; see verbsperf --help"),
    ("write_bw: -z 2", 1, "unknown option '-z'; see verbsperf --help"),
    ("write_bw: -bz", 1, "unknown option '-z'; see verbsperf --help"),
    ("write_bw: -s", 1, "--size needs a value"),
    ("write_bw: -s -b", 1, "--size needs a value"),
    ("write_bw: -s 2 --size 3", 1, "--size is given twice"),
    ("write_bw: -s2x", 1, "write_bw: --size '2x': "),
    ("write_bw: -d mlx5_0", 1, "--device is only for a target"),
    ("write_bw: 2", 1, "'2' is not an option"),
    ("write_bw: --size", 1, "--size needs a value"),
    ("write_bw: --size --qps 2", 1, "--size needs a value"),
    ("write_bw: --size 2 --size 3", 1, "--size is given twice"),
    ("write_bw: --bidirectional=1", 1, "takes no value"),
    ("write_bw: --size 2x", 1, "write_bw: --size '2x': "),
    ("write_bw: --size 2,,3", 1, "write_bw: --size '2,,3': "),
    ("write_bw: --qps x", 1, "write_bw: --qps 'x': "),
    ("write_bw: --qps 0", 1, "write_bw: --qps 0: expected 1 to "),
    ("write_bw: --post-list x", 1, "write_bw: --post-list 'x': "),
    ("write_lat: --qps 1,2", 1, "write_lat: --qps 2: latency is measured on"),
    ("write_bw: --device mlx5_0", 1, "--device is only for a target"),
    ("write_bw: --json", 1, "--json is only for verbsperf-sweep"),
    ("write_bw:\nwrite_bw: --duration 3", 2, "is in line 1 already"),
    ("write_bw:\n  oops", 2, "expected TEST"),
])
def test_what_is_no_suite(points, tmp_path, text, number, words):
    with pytest.raises(Refused) as error:
        points(text)
    path = tmp_path / "suite"
    where = f"{path}:{number}: " if number else f"{path}: "
    assert str(error.value).startswith(where) and words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("letters, names", (
    ("-s 1K -q 2,4", "--size 1K --qps 2,4"), ("-s1K -q2", "--size=1K --qps=2"),
    ("-be -cUC", "--bidirectional --events --transport UC"),
    ("-eb -D 0.5 --size 64", "--events --bidirectional --duration 0.5 --size "
     "64"), ("-bs 64", "--bidirectional --size 64"),
    ("--hugepages -s 64", "--hugepages --size 64")))
def test_letters_of_options(points, letters, names):
    """As verbsperf itself takes them."""
    assert points(f"write_bw: {letters}") == points(f"write_bw: {names}")



def test_suite_and_target_do_not_say_the_same(points):
    with pytest.raises(Refused, match=":1: --mtu is also given by the"):
        points("write_bw: --mtu 1024", "node1,mtu=512")


@pytest.mark.parametrize("text, wanted", [
    ("node1", ("node1", "node1", {})),
    ("node1:77", ("node1:77", "node1", {"port": "77"})),
    ("old=node1", ("old", "node1", {})),
    ("old=[fe80::1]:77,mtu=512", ("old", "fe80::1", {"port": "77",
                                                     "mtu": "512"})),
    ("fe80::1", ("fe80::1", "fe80::1", {})),
    ("loopback", ("loopback", None, {})),
    ("a=loopback:rxe0,bidirectional", ("a", None, {"device": "rxe0",
                                                   "bidirectional": ""})),
    ("a=node1,device=mlx5_0,--mtu=512", ("a", "node1", {"device": "mlx5_0",
                                                        "mtu": "512"})),
])
def test_targets(program, text, wanted):
    assert targets.parse(text, program)[:3] == wanted


@pytest.mark.parametrize("text, words", [
    ("", "needs a name"), ("=node1", "needs a name"), ("a=", "expected"),
    ("a=node1:x", "expected"), ("a=node1,nonsense", "unknown option"),
    ("a=node1,mtu", "--mtu needs a value"), ("a=node1,port=3", "--port is"),
    ("a=node1,json", "--json is"), ("a=node1,bidirectional=3", "no value")])
def test_what_is_no_target(program, text, words):
    with pytest.raises(Refused, match=words) as error:
        targets.parse(text, program)
    assert str(error.value).startswith(f"target '{text}': ")


@pytest.mark.parametrize("option, why", (
    ("mtu=many", "write_bw: --mtu 'many': "),
    ("min-gbps=50", "read_lat: --min-gbps: only for bandwidth"),
    ("qps=4", "read_lat: --qps 4: latency is measured on one"),
    ("max-p99=5", "write_bw: --max-p99: only for latency"),
    ("batch=4Kx2", "write_bw: --batch and --size exclude each other"),
    ("rate=0.001", "write_bw: --rate 0.001 Gb/s: less than 2 ")))
def test_target_options_are_checked(points, option, why):
    """With each test, and each size of it, of the suite."""
    with pytest.raises(Refused, match=f"^target 'a': {why}"):
        points("write_bw: --size 64,8M\nread_lat:", "b=node2",
               f"a=node1,{option}")


def test_programs_that_are_not_verbsperf():
    with pytest.raises(Refused, match="true is not verbsperf, or another ver"):
        programs.examine(shutil.which("true"))
    with pytest.raises(Refused, match="cannot run /none: No such"):
        programs.examine("/none")


def test_suites_that_come_along():
    """They are right, as the verbsperf that was built sees it."""
    names = suites.shipped()
    assert names == ["all-sizes", "quick", "regression"]
    program = os.environ.get("VERBSPERF")
    if not program:
        pytest.skip("VERBSPERF names no program")
    few = {"quick": 5, "all-sizes": 180, "regression": 20}
    for name in names:
        status, out, err = run("verbsperf-sweep", "--program", program,
                               "--list", "-o", "none", name, "loopback")
        assert status == 0 and re.fullmatch(
            r"verbsperf-sweep: \d+ points, 10 rounds: about .*\n", err)
        lines = out.splitlines()
        assert len(lines) == len(set(lines)) > few[name]


def test_limits_in_a_suite(write_suite):
    """As the verbsperf that was built sees them."""
    program = os.environ.get("VERBSPERF")
    if not program:
        pytest.skip("VERBSPERF names no program")

    def listed(text):
        return run("verbsperf-sweep", "--program", program, "--list", "-o",
                   "none", write_suite(text), "loopback")

    assert listed("write_bw: --min-gbps 92 --min-mpps 0.5\n"
                  "write_lat: --max-p50 2.5 --max-p99 3 --max-p99.9 20\n"
                  "send_bw: --transport UD --size 1K --max-lost 0\n"
                  "read_bw: --max-counter link_downed=0,out_of_sequence=9 "
                  "--counters all,none\n") == (
        0, "write_bw RC 64K 1 QP\nwrite_lat RC 2 1 QP\n"
        "send_bw UD 1K 1 QP\nread_bw RC 64K 1 QP\n",
        "verbsperf-sweep: 4 points, 10 rounds: about 2 min 20 s\n")
    refused(listed("write_lat write_bw: --max-p99 3"), 2,
            "write_bw: --max-p99: only for latency")
    refused(listed("write_bw: --min-gbps 92,95"), 2, "is in line 1 already")
    refused(listed("write_bw: --max-counter link_downed"), 2,
            "--max-counter 'link_downed': must be counters and numbers")


def test_unreadable_suite(sweep, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(sweep("-o", "out", folder, "node1"), 2, "folder: Is a directory")
    refused(sweep("-o", "out", "none", "node1"), 2, "none: No such file",
            "suites that came along are ")
    assert not (tmp_path / "out").exists()
