"""What is said of a fabric whose faults are known."""
import asyncio
import re

import pytest

from fabric import Fabric
from verbsperf import patterns
from verbsperf.findings import Inquiry, Measured
from verbsperf.patterns import Wanted


def nodes(n):
    return [f"n{i:02}" for i in range(1, n + 1)]


def inquire(n, faults=None, pattern="all-pairs", rails=1, seed=1, leaf=16):
    names = nodes(n)
    fabric = Fabric(names, faults, seed, leaf)
    devices = {name: [f"mlx5_{rail}" for rail in range(rails)]
               for name in names}
    measured = [Measured(pair, fabric.gbps(pair))
                for pairs in patterns.rounds_of(pattern, Wanted(names),
                                                devices)
                for pair in pairs]
    inquiry = Inquiry(measured, "gbps", measure_of(fabric))
    asyncio.run(inquiry.run())
    return inquiry


def measure_of(fabric):
    async def measure(pairs):
        return [fabric.gbps(pair) for pair in pairs]
    return measure


def sentences(inquiry):
    return [one["sentence"] for one in inquiry.findings]


@pytest.mark.parametrize("n", (2, 3, 4, 5, 16, 33))
@pytest.mark.parametrize("pattern", ("all-pairs", "pairs", "bisection"))
def test_nothing_wrong(n, pattern):
    inquiry = inquire(n, pattern=pattern)
    assert not inquiry.findings and not inquiry.notes


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
    one, = inquire(32, {"noisy": {"n09": 0.6}}).findings
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
