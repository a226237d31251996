"""What is said of a fabric whose faults are known."""
import asyncio
import random
import re

import pytest

from fabric import Fabric
from verbsperf.findings.inquiry import Inquiry
from verbsperf.findings.loaded import Loaded
from verbsperf.findings.usual import Measured
from verbsperf.pairs import nodesets, patterns
from verbsperf.pairs.patterns import Wanted


def nodes(n):
    return [f"n{i:02}" for i in range(1, n + 1)]


def inquire(n, faults=None, pattern="all-pairs", rails=1, seed=1, leaf=16,
            **options):
    names = nodes(n)
    fabric = Fabric(names, faults, seed, leaf)
    devices = {name: [f"mlx5_{rail}" for rail in range(rails)]
               for name in names}
    measured = [Measured(pair, value, number)
                for number, pairs in enumerate(patterns.rounds_of(
                    pattern, Wanted(names), devices, **options), 1)
                for pair, value in zip(pairs, fabric.together(pairs))]
    kind = Loaded if pattern in patterns.LOADED else Inquiry
    inquiry = kind(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    return inquiry


def measure_of(fabric):
    async def measure(pairs):
        return fabric.together(pairs)
    return measure


def sentences(inquiry):
    return [one["sentence"] for one in inquiry.findings]


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


@pytest.mark.parametrize("pattern", (*sorted(patterns.LOADED), "all-pairs",
                                     "pairs"))
def test_whatever_pairs_reach(pattern):
    """Also where pairs fail, in the rounds and when they are tested again."""
    for seed in range(40):
        source = random.Random(f"{pattern} {seed}")
        names = nodes(source.randint(2, 9))
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
            kind = Loaded if pattern in patterns.LOADED else Inquiry
            inquiry = kind(measured, source.choice(("gbps", "p50")), measure)
            asyncio.run(inquiry.run())
            assert all(one["ends"] for one in inquiry.findings)


@pytest.mark.parametrize("n", (3, 4, 5, 16))
def test_slow_node(n):
    one, = inquire(n, {"node": {"n02": 0.61}}).findings
    assert one["kind"] == "node"
    assert one["ends"] == [{"node": "n02", "device": "mlx5_0"}]
    k = min(5, n - 1)
    assert one["ratio"] == pytest.approx(0.61, abs=0.02)
    assert re.match(r"n02 mlx5_0: 6\d% of the median in both directions with "
                    f"{k} of {k} partners: ", one["sentence"])


def test_slow_sender():
    one, = inquire(8, {"sends": {"n05": 0.5}}).findings
    assert "n05 mlx5_0: 50% of the median when it sends with" in one["sentence"]


def test_slow_path():
    one, = inquire(8, {"path": {("n03", "n07"): 0.5}}).findings
    assert one["kind"] == "path"
    assert {end["node"] for end in one["ends"]} == {"n03", "n07"}
    assert " only: 50% of the median in both directions" in one["sentence"]


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


def test_noisy_node():
    one, = inquire(32, {"noisy": {"n09": 0.6}}, seed=2).findings
    assert one["kind"] == "unsteady" and one["ends"][0]["node"] == "n09"


def test_slow_rail():
    found = inquire(8, {"rail": {1: 0.6}}, rails=4).findings
    assert [one["kind"] for one in found] == ["rail"]
    assert found[0]["sentence"].startswith("rail 1 (mlx5_1): 60% of the median"
                                           " of the other rails")


def test_two_nodes_and_a_path():
    found = inquire(24, {"node": {"n02": 0.5, "n20": 0.7},
                         "path": {("n05", "n06"): 0.5}}).findings
    assert sorted(one["kind"] for one in found) == ["node", "node", "path"]


def test_what_passed():
    """Slow once, and never again."""
    names = nodes(8)
    fabric = Fabric(names)
    pairs = [pair for pairs in patterns.rounds_of(
        "all-pairs", Wanted(names), {name: [""] for name in names})
        for pair in pairs]
    measured = [Measured(pair, 40.0 if i == 3 else fabric.gbps(pair))
                for i, pair in enumerate(pairs)]
    inquiry = Inquiry(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    assert "not when it was tested again alone" in inquiry.notes[0]


def test_latency():
    names = nodes(6)
    fabric = Fabric(names, {"node": {"n04": 0.4}})

    async def measure(pairs):
        return [200 / fabric.gbps(pair) for pair in pairs]

    pairs = [pair for pairs in patterns.rounds_of(
        "all-pairs", Wanted(names), {name: [""] for name in names})
        for pair in pairs]
    measured = [Measured(pair, 200 / fabric.gbps(pair)) for pair in pairs]
    inquiry = Inquiry(measured, "p50", measure)
    asyncio.run(inquiry.run())
    one, = inquiry.findings
    assert one["sentence"].startswith(
        "n04: a latency of 2.5 times the median in both directions")


def test_retests_that_fail():
    async def measure(pairs):
        return [None for _ in pairs]

    names = nodes(4)
    fabric = Fabric(names, {"node": {"n02": 0.5}})
    pairs = [pair for pairs in patterns.rounds_of(
        "all-pairs", Wanted(names), {name: [""] for name in names})
        for pair in pairs]
    inquiry = Inquiry([Measured(pair, fabric.gbps(pair)) for pair in pairs],
                      "gbps", measure)
    asyncio.run(inquiry.run())
    assert not inquiry.findings and inquiry.notes


IN_TURN = ("incast", "outcast", "all-to-all")


@pytest.mark.parametrize("pattern", (*IN_TURN, "ring", "bisection"))
@pytest.mark.parametrize("n", (4, 5, 16, 33))
def test_slow_node_under_load(pattern, n):
    """Also where it has only a part of its speed to give."""
    one, = inquire(n, {"node": {"n02": 0.61}}, pattern).findings
    # of five one rests in a bisection
    k = min(5, n - 1 - (pattern == "bisection") * n % 2)
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n02"
    assert one["ratio"] == pytest.approx(0.61, abs=0.03)
    assert re.match(rf"n02 mlx5_0: \d+% of the median in both directions with "
                    rf"{k} of {k} partners: ", one["sentence"])


@pytest.mark.parametrize("pattern", (*IN_TURN, "ring"))
def test_three_nodes(pattern):
    """Both others are partners."""
    one, = inquire(3, {"node": {"n02": 0.5}}, pattern).findings
    assert re.match(r"n02 mlx5_0: (49|50|51)% of the median in both directions "
                    "with 2 of 2 ", one["sentence"])


@pytest.mark.parametrize("pattern", ("all-pairs", "ring"))
@pytest.mark.parametrize("way", ("sends", "receives"))
def test_three_nodes_and_one_direction(pattern, way):
    """One pair is slow, of which the other end is a partner as well."""
    one, = inquire(3, {way: {"n02": 0.5}}, pattern).findings
    assert (f"n02 mlx5_0: 50% of the median when it {way} with 2 of 2"
            in one["sentence"])


@pytest.mark.parametrize("pattern, way", (
    ("outcast", "sends"), ("incast", "receives"), ("all-to-all", "sends"),
    ("all-to-all", "receives"), ("ring", "sends"), ("ring", "receives"),
    ("bisection", "sends")))
def test_one_direction_under_load(pattern, way):
    one, = inquire(16, {way: {"n03": 0.5}}, pattern).findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n03"
    assert re.match(rf"n03 mlx5_0: (49|50|51)% of the median when it {way} ",
                    one["sentence"])


@pytest.mark.parametrize("concurrent", (4, 5))
def test_incast_of_some_at_a_time(concurrent):
    one, = inquire(12, {"receives": {"n03": 0.5}}, "incast",
                   concurrent=concurrent).findings
    assert "n03 mlx5_0: 50% of the median when it receives" in one["sentence"]
    assert not inquire(12, pattern="incast", concurrent=concurrent).findings


def test_a_sender_with_less_than_its_share():
    one, = inquire(16, {"sends": {"n03": 0.02}}, "incast").findings
    assert one["kind"] == "node" and one["ends"][0]["node"] == "n03"
    assert "2% of the median when it sends with 5 of 5" in one["sentence"]


@pytest.mark.parametrize("pattern", ("incast", "all-to-all"))
def test_a_node_that_is_slow_as_target_only(pattern):
    """Alone it is fast, and its turn is slow twice."""
    inquiry = inquire(16, {"fan-in": {"n03": 0.6}}, pattern)
    one, = inquiry.findings
    assert one["kind"] == "congestion" and one["ends"][0]["node"] == "n03"
    assert one["ratio"] == pytest.approx(0.6, abs=0.03)
    assert re.match(
        r"n03 mlx5_0: \d+% of the median when 15 send to it at once, in 2 of 2"
        r" rounds, and as fast as others alone: look at pause", one["sentence"])
    assert not inquiry.notes


def test_a_node_that_is_slow_in_both_directions_at_once():
    one, = inquire(16, {"both": {"n03": 0.6}}, "ring").findings
    assert one["kind"] == "congestion" and one["ends"][0]["node"] == "n03"
    assert "of the median when it sends and receives at once, in 2 of 2" in (
        one["sentence"])


def test_one_target():
    """There is no other turn to compare it with."""
    names = nodes(8)
    fabric = Fabric(names, {"node": {"n03": 0.5}})
    pairs, = patterns.rounds_of("incast", Wanted(names, "n03"),
                                {name: [""] for name in names})
    inquiry = Loaded([Measured(pair, value, 1) for pair, value in zip(
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
    halves = [nodesets.fold(some) for some in (nodes(16)[8:], nodes(32)[24:])]
    assert re.match(re.escape(f"8 pairs of {halves[0]} with {halves[1]}: ")
                    + r"[34]\d% of the median beside the other pairs, in 2 of "
                    "2 rounds", one["sentence"])


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
    inquiry = Loaded(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    assert not inquiry.findings
    note, = inquiry.notes
    assert "n04" in note and "something passed" in note


def test_latency_under_load():
    names = nodes(8)
    fabric = Fabric(names, {"node": {"n04": 0.4}})

    async def measure(pairs):
        return [200 / speed for speed in fabric.together(pairs)]

    measured = [Measured(pair, 200 / speed, number)
                for number, pairs in enumerate(patterns.rounds_of(
                    "incast", Wanted(names), {name: [""] for name in names}))
                for pair, speed in zip(pairs, fabric.together(pairs))]
    inquiry = Loaded(measured, "p50", measure)
    asyncio.run(inquiry.run())
    one, = inquiry.findings
    assert one["sentence"].startswith(
        "n04: a latency of 2.5 times the median in both directions")


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
    inquiry = Loaded(measured, "gbps", measure)
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
    assert all("with 5 of 5 partners" in one["sentence"]
               for one in found.values())
    paths, = [one for one in inquiry.findings if one["kind"] == "paths"]
    leaf = set(nodes(32)[16:])
    # and perhaps n03 - n11
    assert len({end["node"] for end in paths["ends"]} - leaf) <= 1
    assert not inquiry.notes
