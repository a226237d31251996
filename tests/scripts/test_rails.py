"""Rails together and one by one: of two nodes with two devices each, which are
a model, and what is said of the one whose devices share a link."""
import asyncio
import copy
import types

import pytest

import schemas
from complete import BANDWIDTH, ROW
from verbsperf.agents import fleet
from verbsperf.cluster import file as clusterfile, rails, running, view
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import End, Pair, Wanted

# In Gb/s: a link of a NIC, one that messages of two NICs leave together, and
# what messages reach in them.
LINK, SHARED, RATE = 252.1, 126.0, 97.0


def path(device, slot, shared):
    """As an agent tells it: a device below a port of a switch, or of the root
    complex."""
    steps = [{"address": f"0000:{slot}:00.{device[-1]}", "gbps": LINK}]
    if shared:
        steps.append({"address": "0000:18:00.0", "gbps": LINK})
        steps.append({"address": "0000:17:00.0", "gbps": shared})
    return {"name": device, "port": 1, "state": "ACTIVE", "path": steps}


def devices(shared):
    return [path("x0", "19", shared), path("x1", "1a", shared)]


def reached(jobs, slow, loss):
    """What JOBS reach; the rails of the node SLOW lose LOSS together, and x1 of
    n3 is slow anyway."""
    for job in jobs:
        own = [one.pair for one in jobs
               if one.pair.client.node == job.pair.client.node]
        value = RATE / own.count(job.pair)
        if job.pair.client.node == slow and len(set(own)) > 1:
            value *= 1 - loss
        yield value


def run_rounds(monkeypatch, nodes, facts, slow="", loss=0.35, processes=1):
    """The entries that rails of NODES write."""
    async def round_of(_hub, jobs):
        outcomes = []
        for job, value in zip(jobs, reached(jobs, slow, loss)):
            outcome = fleet.Outcome(job)
            outcome.row = {**copy.deepcopy(ROW), "bandwidth": {
                **BANDWIDTH, "gbps": value}}
            outcome.overlap = outcome.skew = 0.0
            outcomes.append(outcome)
        return fleet.Round(outcomes, None, None, 0, 1.0, 0.1)

    monkeypatch.setattr(fleet, "run_round", round_of)
    hub = types.SimpleNamespace(
        nodes={node: types.SimpleNamespace(facts={"devices": facts.get(
            node, devices(None))}) for node in nodes},
        failed=dict, worst_clock=lambda: None)
    header = clusterfile.make_header(
        "verbsperf 0", pattern="rails", nodes=nodes, devices=["x0", "x1"],
        cross_rails=False, target=None, seed=0, rounds=1, concurrent=None,
        processes=processes, probes=[], launch="ssh", points=[
            {"test": "write_bw", "transport": "RC", "size": 65536, "qps": 1,
             "options": {}, "metric": "gbps"}])
    file = clusterfile.Begun(None, header, [])

    async def measure():
        await running.Clustering(hub, running.Work(
            "rails", Wanted(nodes), ["x0", "x1"], False, None,
            [running.Point(["write_bw"], 1.0, "gbps")], [], None,
            processes=processes), file).run()

    asyncio.run(measure())
    for entry in (header, *file.entries):
        schemas.check(entry, "verbsperf-cluster-1")
    return header, file.entries


def sentences(entries):
    return [one["sentence"] for one in view.findings_of(entries)]


def test_rounds():
    """All rails of a node at once, and then each of them; both ways."""
    def rounds(nodes, names):
        return [[(pair.client.node, pair.server.node, pair.client.device)
                 for pair in pairs] for pairs in patterns.rounds_of(
                     "rails", Wanted(nodes), dict.fromkeys(nodes, names))]

    assert rounds(["a", "b"], ["x0", "x1"]) == [
        [("a", "b", "x0"), ("a", "b", "x1")], [("a", "b", "x0")],
        [("a", "b", "x1")],
        [("b", "a", "x0"), ("b", "a", "x1")], [("b", "a", "x0")],
        [("b", "a", "x1")]]
    assert rounds(["a", "b", "c"], [""]) == [
        [("a", "b", "")], [("b", "a", "")], [("a", "c", "")], [("c", "a", "")]]


def test_nothing_is_lost(monkeypatch):
    header, entries = run_rounds(monkeypatch, ["n1", "n2"], {
        "n1": devices(SHARED)})
    assert sentences(entries) == []
    lines = view.text(header, entries).splitlines()
    start = lines.index(" write_bw RC 64K 1 QP, Gb/s")
    assert [line.split() for line in lines[start + 1:start + 6]] == [
        ["node", "rail", "to", "alone", "together", "lost"],
        *[[node, rail, to, "97.00", "97.00", "0.0%"]
          for node, to in (("n1", "n2"), ("n2", "n1"))
          for rail in ("x0", "x1")]]


def test_a_link_is_shared(monkeypatch):
    header, entries = run_rounds(monkeypatch, ["n1", "n2", "n3", "n4"], {
        node: devices(SHARED if node == "n2" else None)
        for node in ("n1", "n2", "n3", "n4")}, slow="n2")
    assert sentences(entries) == [
        "n2: x0, x1: 35% slower beside each other; they share the PCIe link "
        "at 0000:17:00.0, which carries 126 Gb/s"]
    finding, = view.findings_of(entries)
    assert finding["kind"] == "rails"
    assert finding["ratio"] == pytest.approx(0.65)
    assert finding["ends"] == [{"node": "n2", "device": device}
                               for device in ("x0", "x1")]
    assert " n2    x1    n1  97.00     63.05  35.0%" in view.text(
        header, entries)


def test_processes_are_added(monkeypatch):
    """Also where rails are tested again."""
    header, entries = run_rounds(monkeypatch, ["n1", "n2"], {
        "n1": devices(SHARED)}, slow="n1", processes=2)
    assert header["processes"] == 2
    assert {one["pairs"] for one in entries if one["type"] == "round"} == {2, 4}
    assert sentences(entries) == [
        "n1: x0, x1: 35% slower beside each other; they share the PCIe link "
        "at 0000:17:00.0, which carries 126 Gb/s"]
    text = view.text(header, entries)
    assert ", 2 processes a pair, Gb/s" in text
    assert " n1    x1    n2  97.00     63.05  35.0%" in text
    assert " n2    x1    n1  97.00     97.00   0.0%" in text


def test_a_process_that_fails():
    """It is that of its pair, which then has no value."""
    job = fleet.Job(Pair(End("n1", ""), End("n2", "")), ["write_bw"], 1.0)
    good, bad = fleet.Outcome(job), fleet.Outcome(job)
    good.row = {"bandwidth": {"gbps": 40.0}, "latency": None}
    good.overlap, bad.error = 1.0, "n2: no such device"
    assert fleet.Several([good, good]).value("gbps") == 80.0
    assert fleet.Several([good]).value("gbps") == 40.0
    several = fleet.Several([good, bad])
    assert several.value("gbps") is None and several.error == bad.error


def test_the_receiver_shares_it(monkeypatch):
    """Whose link it is is told by what is known of both."""
    _, entries = run_rounds(monkeypatch, ["n1", "n2"], {
        "n2": devices(SHARED)}, slow="n1")
    assert sentences(entries) == [
        "n2: x0, x1: 35% slower beside each other; they share the PCIe link "
        "at 0000:17:00.0, which carries 126 Gb/s"]


def test_no_link_explains_it(monkeypatch):
    """Also where one is shared that carries both."""
    _, entries = run_rounds(monkeypatch, ["n1", "n2"], {
        "n1": devices(2 * LINK)}, slow="n1")
    assert sentences(entries) == [
        f"n1: {rail}: 35% slower beside the other rails; no PCIe link that "
        "they share and that is too slow is known" for rail in ("x0", "x1")]


def test_a_loss_that_does_not_repeat():
    pair = Pair(End("n1", "x0"), End("n2", "x0"))
    lossy = rails.Rail(pair, "gbps", 100.0, 50.0)
    assert lossy.lost() == pytest.approx(0.5)
    assert lossy.again([100.0, 90.0], [40.0, 90.0]).lost() == 0
    assert lossy.again([100.0, None, 90.0], [50.0, 45.0, None]).lost() == (
        pytest.approx(0.5))
    assert lossy.again([100.0], [None]).lost() == 0
    assert list(rails.notes_of([lossy, lossy], [
        lossy, lossy.again([100.0], [100.0])], 0.03)) == [
        "n1 - n2 x0: 50% slower beside the other rails, but not when tested "
        "again"]
    slow = rails.Rail(pair, "p50", 2.0, 4.0)
    assert slow.lost() == pytest.approx(0.5)
    assert slow.again([2.0, 1.0], [2.0, 8.0]).lost() == 0
    assert slow.again([2.0, 1.0], [6.0, 9.0]).lost() == pytest.approx(0.8)
