"""What is said of a fabric whose faults are known."""
import asyncio
import random
import re

import numpy
import pytest

from fabric import Fabric
from verbsperf.findings import causes
from verbsperf.findings.inquiry import Inquiry
from verbsperf.findings.observed import Measured, Observed
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import End, Wanted


def nodes(n):
    return [f"n{i:02}" for i in range(1, n + 1)]


LOADED = ("all-to-all", "bisection", "incast", "outcast", "ring")


def inquire(n, faults=None, pattern="all-pairs", rails=1, seed=1, leaf=16,
            noise=0.01, groups=(), tolerance=None, **options):
    """What is said of N nodes; .again has the pairs of each test."""
    names = nodes(n)
    fabric = Fabric(names, faults, seed, leaf, noise)
    devices = {name: [f"mlx5_{rail}" for rail in range(rails)]
               for name in names}
    measured = [Measured(pair, value, number)
                for number, pairs in enumerate(patterns.rounds_of(
                    pattern, Wanted(names), devices, **options), 1)
                for pair, value in zip(pairs, fabric.together(pairs))]
    again = []

    async def measure(pairs):
        again.append(pairs)
        return fabric.together(pairs)

    inquiry = Inquiry(measured, "gbps", measure, 0, groups, tolerance)
    asyncio.run(inquiry.run())
    inquiry.again = again
    return inquiry


def measure_of(fabric):
    async def measure(pairs):
        return fabric.together(pairs)
    return measure


def one_by_one(names):
    """(round, place in it, pair) of all pairs."""
    return [(i, j, pair) for i, pairs in enumerate(patterns.rounds_of(
        "all-pairs", Wanted(names), {name: [""] for name in names}))
        for j, pair in enumerate(pairs)]


@pytest.mark.parametrize("n", (2, 3, 4, 5, 16, 33))
@pytest.mark.parametrize("pattern", (
    "all-pairs", "pairs", "bisection", "ring", "incast", "outcast",
    "all-to-all"))
def test_nothing_wrong(n, pattern):
    inquiry = inquire(n, pattern=pattern)
    assert not inquiry.findings
    only = n == 2 and pattern == "all-pairs" or n < 4 and pattern in (
        "pairs", "bisection")
    assert [note.partition(": ")[2] for note in inquiry.notes] == [
        "the only pair, so that there is nothing to compare it with"] * only


def anything(source):
    """What a pair reaches where nothing is certain."""
    return source.choice((0.0, 1e-9, 0.5, 1e12, source.random(), *(
        1 + source.gauss(0, 0.01) for _ in range(8))))


@pytest.mark.parametrize("pattern", (*LOADED, "all-pairs",
                                     "pairs"))
def test_whatever_pairs_reach(pattern):
    """Also where pairs fail, in the rounds and when they are tested again."""
    for seed in range(4):
        source = random.Random(f"{pattern} {seed}")
        names = nodes(source.randint(2, 7))
        devices = dict.fromkeys(names, ["a", "b"][:source.randint(1, 2)])
        measured = [Measured(pair, anything(source), number)
                    for number, pairs in enumerate(patterns.rounds_of(
                        pattern, Wanted(names), devices,
                        source.random() < 0.3, source.choice((None, 1, 3))))
                    for pair in pairs if source.random() < 0.9]

        async def measure(pairs, source=source):
            return [anything(source) if source.random() < 0.9 else None
                    for _ in pairs]

        if measured:
            inquiry = Inquiry(measured, source.choice(("gbps", "p50")), measure)
            asyncio.run(inquiry.run())
            assert all(one["ends"] for one in inquiry.findings)


@pytest.mark.parametrize("n", (3, 4, 5, 16))
def test_slow_node(n):
    one, = inquire(n, {"node": {"n02": 0.61}}).findings
    assert one["kind"] == "node"
    assert one["ends"] == [{"node": "n02", "device": "mlx5_0"}]
    assert one["ratio"] == pytest.approx(0.61, abs=0.02)
    assert re.match(r"n02 mlx5_0: 6\d% \(\d\d-\d\d%\) of the median in both "
                    r"directions, in \d+ tests alone with [2-4] partners; \d+ "
                    r"tests of others differ by [\d.]+%: look at the node's ",
                    one["sentence"])


def test_slow_sender():
    one, = inquire(8, {"sends": {"n05": 0.5}}).findings
    assert re.match(r"n05 mlx5_0: \d\d% \(.*\) of the median when it sends, ",
                    one["sentence"])


def test_slow_path():
    one, = inquire(8, {"path": {("n03", "n07"): 0.5}}).findings
    assert one["kind"] == "path"
    assert {end["node"] for end in one["ends"]} == {"n03", "n07"}
    assert re.search(r" only: \d\d% .* of the median in both directions, in 6 "
                     "tests alone; 12 tests of others", one["sentence"])


def test_slow_path_of_a_node_that_is_suspect():
    """By what the rounds had of it, so that it is no node that is unsteady."""
    one, = inquire(8, {"path": {("n03", "n07"): 0.5}}, seed=12,
                   noise=0.03).findings
    assert one["kind"] == "path"


@pytest.mark.parametrize("seed, a, b", (
    (45, "n05", "n04"), (72, "n02", "n07"), (128, "n04", "n08")))
def test_a_path_does_not_make_its_node_suspect(seed, a, b):
    """With so much noise the middle one of a node's pairs is below the usual,
    too; all the rest of what speaks against the node is that path."""
    one, = inquire(8, {"path": {(a, b): 0.5}}, seed=seed, noise=0.1).findings
    assert one["kind"] == "path"
    assert {end["node"] for end in one["ends"]} == {a, b}


def test_slow_node_with_one_partner_each():
    one, = inquire(8, {"node": {"n05": 0.5}}, "pairs").findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n05"


def test_slow_path_with_one_partner_each():
    one, = inquire(8, {"path": {("n05", "n06"): 0.5}}, "pairs").findings
    assert one["kind"] == "path"


def test_slow_uplink():
    one, = inquire(32, {"uplink": {(1, 3): 0.5}}, leaf=8).findings
    assert one["kind"] == "paths"
    assert {end["node"] for end in one["ends"]} <= set(nodes(16)[8:])


@pytest.mark.parametrize("seed, noise", (
    (2, 0.01),
    # all tests of some paths were slow by chance, of so few
    (4, 0.001), (3, 0.03),
    # and the first ones of all paths were not
    (29, 0.001)))
def test_noisy_node(seed, noise):
    one, = inquire(32, {"noisy": {"n09": 0.6}}, seed=seed,
                   noise=noise).findings
    assert one["kind"] == "unsteady" and one["ends"][0]["node"] == "n09"


def test_slow_rail():
    one, = inquire(8, {"rail": {1: 0.6}}, rails=4).findings
    assert one["kind"] == "rail"
    assert one["ends"] == [{"node": "*", "device": "mlx5_1"}]
    assert re.match(r"all of mlx5_1: 60% \(.*\) of the median in both ",
                    one["sentence"])


def test_two_nodes_and_a_path():
    found = inquire(24, {"node": {"n02": 0.5, "n20": 0.7},
                         "path": {("n05", "n06"): 0.5}}).findings
    assert sorted(one["kind"] for one in found) == ["node", "node", "path"]


def test_what_passed():
    """Slow once, and never again."""
    names = nodes(8)
    fabric = Fabric(names)
    measured = [Measured(pair, 40.0 if (i, j) == (0, 3) else fabric.gbps(pair),
                         i) for i, j, pair in one_by_one(names)]
    inquiry = Inquiry(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    assert "not slow when repeated alone: " in inquiry.notes[0]


@pytest.mark.parametrize("pattern", ("all-pairs", "ring", "incast", "pairs"))
@pytest.mark.parametrize("n", (3, 4, 8))
def test_what_noise_hides_is_inconclusive(n, pattern):
    """Whether something is suspect or not. Two pairs have no middle one, and
    one has nothing to be compared with."""
    if pattern == "pairs" and n < 8:
        return
    found = [inquire(n, pattern=pattern, noise=0.5, seed=seed)
             for seed in range(6)]
    assert all(one.findings or one.inconclusive for one in found)
    assert all(set(one.inconclusive) <= set(one.notes) for one in found)
    wide = [inquire(n, pattern=pattern, noise=0.003, seed=seed)
            for seed in range(6)]
    assert not any(one.findings or one.inconclusive for one in wide)


def test_three_nodes_that_differ_fivefold():
    """What was measured of them: one has an interval of 67 to 345%."""
    names = nodes(3)
    values = iter([1.0, 2.2, 5.1] + [5.0, 1.1, 2.6, 1.9, 3.8, 1.2] * 8)

    async def measure(pairs):
        return [next(values) for _ in pairs]

    inquiry = Inquiry([Measured(pair, next(values), i)
                       for i, _, pair in one_by_one(names)], "gbps", measure)
    asyncio.run(inquiry.run())
    assert not inquiry.findings and inquiry.inconclusive


@pytest.mark.parametrize("noise, said", ((0.005, 0), (0.2, 1)))
def test_nothing_suspect(noise, said):
    """One note says by how much pairs differ, if that hides something."""
    found = [inquire(8, noise=noise, seed=seed) for seed in range(12)]
    quiet = [one for one in found if not one.again]
    assert quiet and all(len(one.notes) == said and one.notes
                         == one.inconclusive for one in quiet)
    assert all("pairs differ by " in note and "slower by 3%" in note
               for one in quiet for note in one.notes)


def test_latency():
    names = nodes(6)
    fabric = Fabric(names, {"node": {"n04": 0.4}})

    async def measure(pairs):
        return [200 / fabric.gbps(pair) for pair in pairs]

    measured = [Measured(pair, 200 / fabric.gbps(pair), i)
                for i, _, pair in one_by_one(names)]
    inquiry = Inquiry(measured, "p50", measure)
    asyncio.run(inquiry.run())
    one, = inquiry.findings
    assert re.match(r"n04: a latency of 2.5 times the median \(.*\) in both "
                    "directions", one["sentence"])


def test_retests_that_fail():
    async def measure(pairs):
        return [None for _ in pairs]

    names = nodes(4)
    fabric = Fabric(names, {"node": {"n02": 0.5}})
    inquiry = Inquiry([Measured(pair, fabric.gbps(pair), i)
                       for i, _, pair in one_by_one(names)], "gbps", measure)
    asyncio.run(inquiry.run())
    assert not inquiry.findings and inquiry.notes


IN_TURN = ("incast", "outcast", "all-to-all")


@pytest.mark.parametrize("pattern", (*IN_TURN, "ring", "bisection"))
@pytest.mark.parametrize("n", (4, 5, 16, 33))
def test_slow_node_under_load(pattern, n):
    """Also where it has only a part of its speed to give."""
    one, = inquire(n, {"node": {"n02": 0.61}}, pattern).findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n02"
    assert one["ratio"] == pytest.approx(0.61, abs=0.03)
    assert re.match(r"n02 mlx5_0: \d+% \(.*\) of the median in both directions,"
                    r" in \d+ tests alone with ", one["sentence"])


@pytest.mark.parametrize("pattern", (*IN_TURN, "ring"))
def test_three_nodes(pattern):
    """Both others are partners."""
    one, = inquire(3, {"node": {"n02": 0.5}}, pattern).findings
    assert re.match(r"n02 mlx5_0: (49|50|51)% \(.*\) of the median in both "
                    r"directions, in \d+ tests alone with 2 partners",
                    one["sentence"])


@pytest.mark.parametrize("pattern", ("all-pairs", "ring"))
@pytest.mark.parametrize("way", ("sends", "receives"))
def test_three_nodes_and_one_direction(pattern, way):
    """One pair is slow, of which the other end is a partner as well."""
    one, = inquire(3, {way: {"n02": 0.5}}, pattern).findings
    assert re.match(rf"n02 mlx5_0: \d+% \(.*\) of the median when it {way}, in "
                    r"\d tests alone with 2 partners", one["sentence"])


@pytest.mark.parametrize("pattern, way", (
    ("outcast", "sends"), ("incast", "receives"), ("all-to-all", "sends"),
    ("all-to-all", "receives"), ("ring", "sends"), ("ring", "receives"),
    ("bisection", "sends")))
def test_one_direction_under_load(pattern, way):
    one, = inquire(16, {way: {"n03": 0.5}}, pattern).findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n03"
    assert re.match(rf"n03 mlx5_0: (49|50|51)% \(.*\) of the median when it "
                    rf"{way}, ", one["sentence"])


@pytest.mark.parametrize("concurrent", (4, 5))
def test_incast_of_some_at_a_time(concurrent):
    one, = inquire(12, {"receives": {"n03": 0.5}}, "incast",
                   concurrent=concurrent).findings
    assert re.match(r"n03 mlx5_0: \d\d% \(.*\) of the median when it receives",
                    one["sentence"])
    assert not inquire(12, pattern="incast", concurrent=concurrent).findings


def test_a_sender_with_less_than_its_share():
    one, = inquire(16, {"sends": {"n03": 0.02}}, "incast").findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n03"
    assert re.match(r"n03 mlx5_0: 2% .* when it sends, in ", one["sentence"])


@pytest.mark.parametrize("pattern", ("incast", "all-to-all"))
def test_a_node_that_is_slow_as_target_only(pattern):
    """Alone it is fast, and its turn is slow twice."""
    inquiry = inquire(16, {"fan-in": {"n03": 0.6}}, pattern)
    one, = inquiry.findings
    assert one["kind"] == "congestion" and one["ends"][0]["node"] == "n03"
    assert one["ratio"] == pytest.approx(0.6, abs=0.03)
    assert re.match(
        r"n03 mlx5_0: \d+% .*of the median when 15 send to it at once, in \d+ "
        r"measurements of repeated rounds; (9\d|10\d)\.\d% .* of the median "
        "alone: look at pause", one["sentence"])
    assert not inquiry.notes


def test_a_node_that_is_slow_in_both_directions_at_once():
    one, = inquire(16, {"both": {"n03": 0.6}}, "ring").findings
    assert one["kind"] == "congestion" and one["ends"][0]["node"] == "n03"
    assert "of the median when it sends and receives at once, in " in (
        one["sentence"])


def test_one_target():
    """There is no other turn to compare it with."""
    names = nodes(8)
    fabric = Fabric(names, {"node": {"n03": 0.5}})
    pairs, = patterns.rounds_of("incast", Wanted(names, "n03"),
                                {name: [""] for name in names})
    inquiry = Inquiry([Measured(pair, value, 1) for pair, value in zip(
        pairs, fabric.together(pairs))], "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    assert inquiry.notes == ["n03: not compared by what it carried in its "
                             "turn: fewer than 3 nodes had one"]


def test_a_leaf_with_few_links():
    """Its nodes are fast alone."""
    one, = inquire(32, {"leaf": {1: 0.4}}, "bisection", leaf=8).findings
    assert one["kind"] == "congestion"
    assert {end["node"] for end in one["ends"]} == {
        *nodes(16)[8:], *nodes(32)[24:]}
    assert re.match(r"8 paths of .*: [34]\d% .* of the median beside the other "
                    r"pairs, in \d+ measurements of repeated rounds; \d+\.\d%",
                    one["sentence"])


@pytest.mark.parametrize("pattern", ("incast", "all-to-all", "bisection"))
def test_slow_rail_under_load(pattern):
    found = inquire(8, {"rail": {1: 0.6}}, pattern, rails=4).findings
    assert [one["kind"] for one in found] == ["rail"]
    assert found[0]["ratio"] == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize("pattern, place", (("incast", 20), ("ring", 3)))
def test_what_passed_under_load(pattern, place):
    """A turn was slow once."""
    names = nodes(8)
    fabric = Fabric(names)
    measured = []
    for number, pairs in enumerate(patterns.rounds_of(
            pattern, Wanted(names), {name: [""] for name in names}), 1):
        speeds = fabric.together(pairs)
        if number == 4:
            speeds = [speed / 2 for speed in speeds]
        elif pattern == "ring":
            speeds[3] /= 2
        measured += map(Measured, pairs, speeds, [number] * len(pairs))
    inquiry = Inquiry(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    note, = inquiry.notes
    assert "n04" in note and "not slow when repeated alone: " in note


def test_latency_under_load():
    names = nodes(8)
    fabric = Fabric(names, {"node": {"n04": 0.4}})

    async def measure(pairs):
        return [200 / speed for speed in fabric.together(pairs)]

    measured = [Measured(pair, 200 / speed, number)
                for number, pairs in enumerate(patterns.rounds_of(
                    "incast", Wanted(names), {name: [""] for name in names}))
                for pair, speed in zip(pairs, fabric.together(pairs))]
    inquiry = Inquiry(measured, "p50", measure)
    asyncio.run(inquiry.run())
    one, = inquiry.findings
    assert re.match(r"n04: a latency of 2.5 times the median \(.*\) in both "
                    "directions", one["sentence"])


@pytest.mark.parametrize("pattern", ("incast", "ring"))
def test_retests_under_load_that_fail(pattern):
    async def measure(pairs):
        return [None for _ in pairs]

    names = nodes(4)
    fabric = Fabric(names, {"node": {"n02": 0.5}})
    measured = [Measured(pair, speed, number)
                for number, pairs in enumerate(patterns.rounds_of(
                    pattern, Wanted(names), {name: [""] for name in names}))
                for pair, speed in zip(pairs, fabric.together(pairs))]
    inquiry = Inquiry(measured, "gbps", measure)
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    assert "no others to compare with" in inquiry.notes[0]


def test_all_faults_at_once():
    """An uplink is slow with which all nodes have a slow path: they are
    partners for others all the same."""
    inquiry = inquire(64, {
        "node": {"n07": 0.61, "n40": 0.8}, "path": {("n03", "n11"): 0.5},
        "uplink": {(1, 3): 0.5}})
    found = {one["ends"][0]["node"]: one for one in inquiry.findings
             if one["kind"] == "node"}
    assert sorted(found) == ["n07", "n40"]
    paths, = [one for one in inquiry.findings if one["kind"] == "paths"]
    leaf = set(nodes(32)[16:])
    # and perhaps n03 - n11
    assert len({end["node"] for end in paths["ends"]} - leaf) <= 1
    assert not inquiry.notes


RACKS = [set(nodes(16)[i:i + 4]) for i in range(0, 16, 4)]
# {name: (faults, kind, one side, other side, nodes of a rack)}
GROUPS = {
    "uplink": ({"uplinks": {1: 0.5}}, "uplink", RACKS[1], set(), 4),
    "trunk": ({"trunk": {(1, 2): 0.5}}, "trunk", RACKS[1], RACKS[2], 4),
    "halves": ({"trunk": {(0, 1): 0.5}}, "trunk", RACKS[0] | RACKS[1],
               RACKS[2] | RACKS[3], 8),
    "rack": ({"group": {2: 0.5}}, "nodes", RACKS[2], set(), 4),
    "most": ({"node": dict.fromkeys(nodes(10), 0.5)}, "nodes",
             set(nodes(10)), set(), 4),
}


@pytest.mark.parametrize("given", (False, True))
@pytest.mark.parametrize("name", GROUPS)
def test_groups(name, given):
    """Found by what is slow, or known before; the slower may be the most."""
    faults, kind, ends, others, leaf = GROUPS[name]
    if given and name == "most":
        pytest.skip("it is no rack")
    racks = [nodes(16)[i:i + leaf] for i in range(0, 16, leaf)]
    inquiry = inquire(16, faults, leaf=leaf, groups=racks if given else ())
    one, = inquiry.findings
    assert one["kind"] == kind and not inquiry.notes
    assert {end["node"] for end in one["ends"]} == ends | others
    assert one["ratio"] == pytest.approx(0.5, abs=0.02)
    assert ") of the median in both directions, in 6 tests alone" in (
        one["sentence"]) or kind == "nodes"


def test_two_uplinks():
    found = inquire(16, {"uplinks": {1: 0.5, 3: 0.7}}, leaf=4).findings
    assert [one["kind"] for one in found] == ["uplink"] * 2
    assert sorted(one["ratio"] for one in found) == [
        pytest.approx(0.5, abs=0.02), pytest.approx(0.7, abs=0.02)]


def test_a_path_in_one_direction():
    """The one in which it was measured."""
    pair = one_by_one(nodes(8))[5][2]
    one, = inquire(8, {"one-way": {(pair.client.node, pair.server.node): 0.5}}
                   ).findings
    a, b = pair.client.node, pair.server.node
    assert re.match(f"{a} - {b} mlx5_0 only: 50% .* of the median from {a} "
                    f"mlx5_0 to {b} mlx5_0, in ", one["sentence"])


@pytest.mark.parametrize("share, tolerance, found", (
    (0.95, None, 1), (0.98, None, 0), (0.98, 0.01, 1), (0.8, 0.3, 0)))
def test_tolerance(share, tolerance, found):
    """What is slower than it, and by more than results differ."""
    inquiry = inquire(8, {"node": {"n03": share}}, noise=0.001,
                      tolerance=tolerance)
    assert len(inquiry.findings) == found
    if found:
        sentence = inquiry.findings[0]["sentence"]
        assert re.match(rf"n03 mlx5_0: {share * 100:.0f}\.\d% \(.*\) of the "
                        "median", sentence)
        assert re.search(r"tests of others differ by 0\.\d+%", sentence)


def test_tests_again_are_bounded():
    """Also where nothing is like anything else."""
    for seed in range(3):
        inquiry = inquire(8, {"noisy": dict.fromkeys(nodes(8), 0.5)},
                          seed=seed)
        assert sum(len(pairs) == 1 for pairs in inquiry.again) <= 42
        assert sum(len(pairs) > 1 for pairs in inquiry.again) <= 12


def test_a_ring_on_a_noisy_host():
    """A node at half is that, or it is said that it cannot be told."""
    for seed in range(6):
        inquiry = inquire(4, {"node": {"n02": 0.5}}, "ring", seed=seed,
                          noise=0.25)
        assert all(one["kind"] in ("node", "nodes", "path") and one["ratio"]
                   < 0.75 for one in inquiry.findings)


def test_rates_of_racks_are_a_finding_and_latencies_are_not():
    """Between racks there is a switch more."""
    names = nodes(8)
    fabric = Fabric(names, {"trunk": {(0, 1): 0.5}}, leaf=4)

    async def measure(pairs):
        return [200 / fabric.gbps(pair) for pair in pairs]

    inquiry = Inquiry([Measured(pair, 200 / fabric.gbps(pair), i)
                       for i, _, pair in one_by_one(names)], "p50", measure)
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    assert re.match(r"between n.* and n.*: a latency of 2 times the median "
                    r"\(.*\), as where more switches", inquiry.notes[0])


def test_words_of_reads():
    names = nodes(8)
    fabric = Fabric(names, {"sends": {"n05": 0.5}})
    inquiry = Inquiry([Measured(pair, fabric.gbps(pair), i)
                       for i, _, pair in one_by_one(names)], "gbps",
                      measure_of(fabric), test="read_bw")
    asyncio.run(inquiry.run())
    assert " of the median when it reads, in " in (
        inquiry.findings[0]["sentence"])


def test_the_fastest_cluster_is_usual():
    usual, spread = causes.usual_of(numpy.array([1.0, 1.01, 0.99] + [
        0.5, 0.51, 0.49] * 4), 0.03)
    assert usual == pytest.approx(1.0) and spread < 0.03


def inquiry_of(names, seed=0):
    """An inquiry of all pairs, of which nothing was asked yet."""
    return Inquiry([Measured(pair, 1.0, i) for i, _, pair in one_by_one(names)],
                   "gbps", None, seed)


def test_pairs_in_an_order_by_chance():
    """Those first that have other ends than those before."""
    names = nodes(8)
    cause = causes.Cause("node", frozenset((End("n01", ""),)))
    orders = set()
    for seed in range(20):
        inquiry = inquiry_of(names, seed)
        own = [pair for pair in inquiry.pairs if cause.touches(pair)]
        orders.add(tuple(inquiry.spread_over(own[:], cause)))
        assert sorted(inquiry.spread_over(own[:], cause)) == own
    assert len(orders) > 15
    some = causes.Cause("nodes", frozenset(
        End(name, "") for name in names[:4]))
    for seed in range(20):
        inquiry = inquiry_of(names, seed)
        order = inquiry.spread_over([
            pair for pair in inquiry.pairs if some.touches(pair)], some)
        seen = [set(pair[:2]) & some.ends for pair in order]
        new = [not own <= set().union(*seen[:i]) for i, own in enumerate(seen)]
        assert new == sorted(new, reverse=True) and 2 <= sum(new) <= 4


def test_few_pairs_of_an_end_come_again():
    names = nodes(8)
    inquiry = inquiry_of(names)
    end = End("n01", "")
    own = [pair for pair in inquiry.pairs if end in pair]
    few = causes.Cause("paths", frozenset((end,)), None, causes.BOTH,
                       frozenset(pair[:2] for pair in own))
    assert len(inquiry.spread_over(own[:], few)) == 3
    both = few._replace(ends=frozenset((end, End("n02", ""))))
    assert len(inquiry.spread_over(own[:], both)) == 7


def ends(*names):
    return frozenset(End(name, "") for name in names)


@pytest.mark.parametrize("cause, sides", (
    (causes.Cause("node", ends("n01")), []),
    (causes.Cause("nodes", ends("n01", "n02")), [ends("n01", "n02")]),
    (causes.Cause("path", ends("n01"), ends("n02")), [ends("n01"),
                                                      ends("n02")]),
    (causes.Cause("paths", ends("n01", "n02"), None, causes.BOTH,
                  frozenset(((End("n01", ""), End("n03", "")),))), [])))
def test_the_sides_of_a_cause(cause, sides):
    assert Inquiry.sides(cause) == sides


def test_contrasts():
    """Each pair of a side that has not the cause, those with neither side
    first; of nodes that may be slow with others only, those of two."""
    names = nodes(6)
    inquiry = inquiry_of(names)
    path = causes.Cause("trunk", ends("n01", "n02"), ends("n03", "n04"))
    found = inquiry.contrasts(path, path.ends, lambda pair: True)
    assert [one.server.node in ("n05", "n06") for one in found] == (
        [True] * 4 + [False] * 2)
    assert sorted((a.node, b.node) for a, b, _ in found) == [
        ("n01", "n02"), ("n01", "n05"), ("n01", "n06"), ("n02", "n01"),
        ("n02", "n05"), ("n02", "n06")]
    some = causes.Cause("nodes", ends("n01", "n02"))
    found = inquiry.contrasts(some, some.ends,
                              lambda pair: pair.client.node == "n01")
    assert [(a.node, b.node) for a, b, _ in found] == [("n01", "n02")]


def test_rounds_that_nothing_suspect_is_absent_from():
    """A trunk that pairs share, and a node of each round that is suspect, too:
    rounds with the least of both show what is usual."""
    names = nodes(16)
    left = set(names[:8])
    source = random.Random(1)

    def crosses(pair):
        return (pair.client.node in left) != (pair.server.node in left)

    async def measure(pairs):
        return [source.uniform(0.9, 1) * (0.2 if crosses(pair) else 1)
                for pair in pairs]

    inquiry = inquiry_of(names)
    inquiry.measure = measure
    inquiry.tests = [Observed(pair, source.uniform(-0.01, 0.01))
                     for pair in inquiry.pairs]
    trunk = causes.Cause("uplink", ends(*names[1:8]), ends("n01", *names[8:]))
    node = causes.Cause("node", ends("n01"))
    asyncio.run(inquiry.look_again([trunk, node], [trunk, node], []))
    assert ("congestion", names[1:8]) in [
        (one["kind"], sorted(end["node"] for end in one["ends"]))
        for one in inquiry.findings]


def test_a_node_that_is_little_slower_than_noise():
    """By 5%, where tests differ by 3%: all of 15 pairs say so together."""
    found = [[(one["kind"], one["ends"][0]["node"])
              for one in inquire(16, {"node": {"n05": 0.95}}, seed=seed,
                                 noise=0.03).findings] for seed in range(8)]
    assert found.count([("node", "n05")]) >= 6
    assert {node for some in found for _, node in some} == {"n05"}
