"""What is said of a cause, word by word."""
import math

import pytest

from verbsperf.findings.causes import BOTH, RECEIVES, SENDS, Cause
from verbsperf.findings.observed import IN, OUT, Comparison
from verbsperf.findings.words import Words
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import End, Pair

A, B, C, D = (End(name, "") for name in "abcd")
AB, CD = frozenset((A, B)), frozenset((C, D))
ONE, TWO = frozenset((A,)), frozenset((B,))
SEEN = Comparison(0.5, 0.45, 0.551, 0.001, 6, 12, 0.0123)
# (cause, where it is slow and in which direction, where to look, its ends)
CAUSES = {
    "node": (Cause("node", ONE), "a: {} in both directions, in 6 tests alone "
             "with 2 partners", "the node's port, cable, PCIe", "a"),
    "sends": (Cause("node", ONE, None, SENDS), "a: {} when it sends, in 6 "
              "tests alone with 2 partners", "the node's port, cable, PCIe",
              "a"),
    "receives": (Cause("node", ONE, None, RECEIVES), "a: {} when it receives, "
                 "in 6 tests alone with 2 partners",
                 "the node's port, cable, PCIe", "a"),
    "nodes": (Cause("nodes", AB), "{AB}: {} in both directions, in 6 tests "
              "alone with 1 partner", "what these nodes have in common", "ab"),
    "path": (Cause("path", ONE, TWO), "a - b only: {} in both directions, in 6"
             " tests alone", "the path between them", "ab"),
    "there": (Cause("path", TWO, ONE, SENDS), "b - a only: {} from b to a, in "
              "6 tests alone", "the path between them", "ba"),
    "back": (Cause("path", ONE, TWO, RECEIVES), "a - b only: {} from b to a, "
             "in 6 tests alone", "the path between them", "ab"),
    "paths": (Cause("paths", ONE, None, BOTH, frozenset(((A, B), (A, C),
                                                         (D, A)))),
              "3 paths of a: {} as they were measured, in 6 tests alone, 1 not "
              "tested", "the links between their switches", "a"),
    "group": (Cause("group", AB, AB), "among {AB}: {} in both directions, in 6 "
              "tests alone", "their switch", "ab"),
    "uplink": (Cause("uplink", AB, CD), "between {AB} and all others: {} in "
               "both directions, in 6 tests alone",
               "the links of their switch to others", "ab"),
    "trunk": (Cause("trunk", AB, CD, SENDS), "between {AB} and {CD}: {} from "
              "{AB} to {CD}, in 6 tests alone",
              "the links between their switches", "abcd"),
}
OWN = [Pair(A, B), Pair(A, C), Pair(B, A)]


def filled(text, ratio):
    """TEXT with sets of nodes as they are written here."""
    return text.format(ratio, AB=nodesets.fold(["a", "b"]),
                       CD=nodesets.fold(["c", "d"]))


@pytest.mark.parametrize("name", CAUSES)
def test_a_slow_cause(name):
    cause, where, look, ends = CAUSES[name]
    found = Words("gbps", "write_bw").slow(cause, SEEN, OWN)
    assert found.pop("sentence") == filled(
        where, "50% (45-55%) of the median") + (
            f"; 12 tests of others differ by 1.2%: look at {look}")
    paths = {"paths": [["a", "b"], ["a", "c"], ["d", "a"]]}
    direction = filled(where, "|").partition("| ")[2].partition(", in 6")[0]
    assert found == {
        "kind": cause.kind, "ratio": 0.5, "tested": 6, "direction": direction,
        "ends": [{"node": end, "device": ""} for end in ends],
        **(paths if name == "paths" else {})}


def test_a_slow_rail():
    ends = frozenset(End(name, "x1") for name in "abc")
    found = Words("gbps", "write_bw").slow(Cause("rail", ends), SEEN, OWN)
    assert found["ends"] == [{"node": "*", "device": "x1"}]
    assert found["sentence"].startswith(
        "all of x1: 50% (45-55%) of the median in both directions, in 6 tests")
    assert found["sentence"].endswith("look at its switches and their settings")


def test_a_device():
    found = Words("gbps", "send_bw").slow(
        Cause("node", frozenset((End("a", "x1"),))), SEEN, OWN)
    assert found["sentence"].startswith("a x1: 50%")
    two = frozenset((End("a", "x1"), End("a", "x2")))
    found = Words("gbps", "send_bw").slow(Cause("nodes", two), SEEN, OWN)
    assert found["sentence"].startswith("a: 50%")


@pytest.mark.parametrize("way, says", (
    (SENDS, "when it reads"), (RECEIVES, "when it is read"),
    (BOTH, "in both directions")))
def test_reads(way, says):
    found = Words("gbps", "read_lat").slow(Cause("node", ONE, None, way), SEEN,
                                           OWN)
    assert found["direction"] == says


@pytest.mark.parametrize("metric, seen, says", (
    ("gbps", (0.951, 0.9, 1.1), "95.1% (90-110%) of the median"),
    ("mpps", (1.02, 0.901, 1.099), "102.0% (90.1-109.9%) of the median"),
    ("gbps", (0.5, 0.0, math.inf), "50% of the median"),
    ("gbps", (0.5, 0.4, math.inf), "50% of the median"),
    ("gbps", (0.5, 0.0, 0.6), "50% of the median"),
    ("p50", (0.4, 0.25, 0.5),
     "a latency of 2.5 times the median (2-4)"),
    ("p50", (0.4, 0.25, math.inf), "a latency of 2.5 times the median"),
    ("p50", (1e-9, 0.0, 0.5), "no answer"),
    ("p50", (2e-9, 0.0, 0.5), "a latency of 5e+08 times the median")))
def test_ratios(metric, seen, says):
    assert Words(metric, "").ratio(SEEN._replace(
        ratio=seen[0], low=seen[1], high=seen[2])) == says


@pytest.mark.parametrize("metric, down", (
    ("gbps", "31% of the median"), ("p50", "3.2 times the median latency")))
def test_unsteady(metric, down):
    found = Words(metric, "").unsteady(Cause("node", ONE), 0.312, 3, 8, 20)
    assert found == {
        "kind": "unsteady", "ends": [A._asdict()], "ratio": 0.312,
        "tested": 8, "slow": 3, "direction": None, "sentence":
        f"a: slow in 3 of 8 tests alone, down to {down}, and none of 20 tests "
        "of others: look for other work on the node, and errors of its link"}


SWITCH = "pause frames (PFC), ECN and the buffers of its switch port"
LINKS = ("the links between their switches, and how traffic is spread over "
         "them")


@pytest.mark.parametrize("cause, most, duplex, load, look", (
    (Cause("node", ONE, None, SENDS), {OUT: 3, IN: 1}, True,
     "when it sends to 3 at once", SWITCH),
    (Cause("node", ONE, None, RECEIVES), {OUT: 2, IN: 7}, True,
     "when 7 send to it at once", SWITCH),
    (Cause("node", ONE), {OUT: 1, IN: 2}, True,
     "where it shares a port with others", SWITCH),
    (Cause("node", ONE), {OUT: 1, IN: 1}, True,
     "when it sends and receives at once",
     "its PCIe link and memory, and pause frames (PFC)"),
    (Cause("node", ONE), {OUT: 1, IN: 1}, False, "beside the other pairs",
     LINKS),
    (Cause("node", ONE, None, SENDS), {OUT: 1, IN: 1}, True,
     "beside the other pairs", LINKS),
    (Cause("nodes", ONE), {OUT: 1, IN: 1}, True, "beside the other pairs",
     LINKS)))
def test_congestion(cause, most, duplex, load, look):
    alone, words = SEEN._replace(ratio=0.99, low=0.98, high=1.01), Words(
        "gbps", "")
    found = words.repeated(cause, SEEN, alone,
                           words.load_of(cause, most, duplex))
    assert found == {
        "kind": "congestion", "ends": [A._asdict()], "ratio": 0.5,
        "direction": load, "sentence":
        f"a: 50% (45-55%) of the median {load}, in 6 measurements of repeated "
        f"rounds; 99.0% (98.0-101.0%) of the median alone: look at {look}"}


def test_slow_in_rounds_and_maybe_alone():
    """The load is not said to be the cause."""
    alone = SEEN._replace(ratio=0.6, low=0.3, high=1.01)
    found = Words("gbps", "").repeated(Cause("node", ONE), SEEN, alone, None)
    assert (found["kind"], found["direction"]) == (
        "node", "in both directions")
    assert found["sentence"] == (
        "a: 50% (45-55%) of the median in both directions, in 6 measurements "
        "of repeated rounds; 60% (30-101.0%) of the median alone: look at the "
        "node's port, cable, PCIe")


@pytest.mark.parametrize("name, says", (
    ("farther", "a: {}, as where more switches are in between"),
    ("cleared", "a: slow in the rounds, not slow when repeated alone: {}"),
    ("inconclusive",
     "a: slow in the rounds; alone inconclusive: {} in 6 tests"),
    ("unrepeated", "a: slow in the rounds; not slow alone, and inconclusive in "
     "repeated rounds: {} in 6 tests"),
    ("incomparable",
     "a: slow in the rounds, and there are no others to compare with")))
def test_notes(name, says):
    assert Words("gbps", "").note(
        name, Cause("node", ONE), None if name == "incomparable" else SEEN
    ) == says.format("50% (45-55%) of the median")
