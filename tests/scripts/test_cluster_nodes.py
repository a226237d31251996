"""The nodes that take part in a measurement, and what is written of them."""
import asyncio
import types

import pytest

from test_cluster import document
from verbsperf.cluster import file as clusterfile, nodes
from verbsperf.cluster.file import Begun


def node(*devices, clock=None):
    """A node whose agent named DEVICES, (name, state)."""
    return types.SimpleNamespace(
        facts={"hostname": "h", "verbsperf": "verbsperf 9", "devices": [
            {"name": name, "port": 1, "state": state}
            for name, state in devices]} if devices else {},
        clock=types.SimpleNamespace(offset=lambda: clock,
                                    uncertainty=lambda: clock and clock / 8))


@pytest.mark.parametrize("asked, devices, why", (
    ([""], [("x0", "DOWN"), ("x1", "ACTIVE")], None),
    (["x1"], [("x0", "DOWN"), ("x1", "ACTIVE")], None),
    (["x1", "x0"], [("x0", "DOWN"), ("x1", "ACTIVE")],
     "the port of x0 is DOWN"),
    (["x0", "x2"], [("x1", "ACTIVE"), ("x0", "ACTIVE")],
     "there is no device x2; there is x0, x1"),
    ([""], [("x0", "DOWN"), ("x1", "INIT")], "no device has an active port")))
def test_what_a_node_lacks(asked, devices, why):
    assert nodes.lacking(asked, node(*devices)) == why


class Hub:
    """A coordinator of five nodes, one of which has no active port."""

    expected = ["n1", "n2", "n3", "n4", "n5"]
    nodes = {"n1": node(("x0", "ACTIVE"), clock=0.5), "n2": node(
        ("x0", "DOWN")), "n3": node()}
    refused = {"m": "'m' connected, and is none of the nodes"}

    async def gather(self, seconds, gave_up, tell):
        tell(3)
        return {"n3": "its agent ended", "n5": f"not in {seconds:g} s",
                **gave_up()}


def test_who_takes_part(capsys, monkeypatch):
    drawn = []
    monkeypatch.setattr(nodes.Line, "draw", lambda _, text: drawn.append(text))
    launcher = types.SimpleNamespace(failed={"n4": "not in 7 s"})
    failed = asyncio.run(nodes.gather(Hub(), ["x0"], 7, launcher))
    assert failed == {"n2": "the port of x0 is DOWN", "n3": "its agent ended",
                      "n4": "not in 7 s", "n5": "not in 7 s"}
    assert drawn == ["3 of 5 nodes have connected", ""]
    said = [line.partition(": ")[2] for line in
            capsys.readouterr().err.splitlines()]
    assert said[:3] == [Hub.refused["m"], "n2: the port of x0 is DOWN",
                        "n3: its agent ended"]
    assert said[3] in ("n[4-5]: not in 7 s", "n4,n5: not in 7 s")


def test_what_is_written_of_nodes():
    file = Begun(None, document()[0], [])
    nodes.note_nodes(Hub(), {"n4": "not in 7 s"}, {"n1": {"kernel": "6"}}, file)
    assert [one["node"] for one in file.entries] == Hub.expected
    first, fourth = file.entries[0], file.entries[3]
    assert first == {
        "type": "node", "node": "n1", "error": None, "hostname": "h",
        "verbsperf": "verbsperf 9", "devices": [
            {"name": "x0", "port": 1, "state": "ACTIVE"}],
        "environment": {"kernel": "6"}, "clock_offset_seconds": 0.5,
        "clock_error_seconds": 0.0625}
    assert fourth == {**dict.fromkeys(first), "type": "node", "node": "n4",
                      "error": "not in 7 s"}


def test_where_nodes_find_this_host(monkeypatch):
    monkeypatch.setattr(nodes.platform, "node", lambda: "me")
    monkeypatch.setattr(nodes, "local_address", {"n1": "10.0.0.1"}.get)
    assert nodes.places_of(["n1", "n2"], None) == {
        "n1": ["10.0.0.1", "me"], "n2": ["me"]}
    assert nodes.places_of(["n1", "n2"], "::1") == {"n1": ["::1"],
                                                    "n2": ["::1"]}


OTHERS = {"pattern": "ring", "nodes": ["x"], "devices": ["x0"],
          "cross_rails": True, "target": "n1", "seed": 1, "rounds": 2,
          "concurrent": 4, "points": [], "probes": ["a:b"]}


@pytest.mark.parametrize("name", OTHERS)
def test_what_must_be_the_same_to_go_on(tmp_path, name):
    header, _ = document()
    path = str(tmp_path / "x")
    clusterfile.start(path, header, False).lines.close()
    clusterfile.start(path, {**header, "launch": "slurm"}, True).lines.close()
    with pytest.raises(clusterfile.Refused,
                       match=f"another '{name.replace('_', ' ')}': "):
        clusterfile.start(path, {**header, name: OTHERS[name]}, True)
