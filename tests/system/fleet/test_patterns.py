"""Every pattern, through ssh and through srun, over Soft-RoCE."""
import pytest

import guests
from conftest import Cluster, write_bw

N = len(guests.NODES)
BOTH = pytest.mark.parametrize("how", ["ssh", "slurm"], indirect=True)
# Many pairs use a port, or a link between switches, at once.
LOADED = ("all-to-all", "incast", "outcast", "ring", "bisection")
# What a pattern is of N nodes: rounds, and pairs in all of them.
PATTERNS = {
    "pairs": (1, N // 2),
    "all-pairs": (N - 1 + N % 2, N * (N - 1) // 2),
    "all-to-all": (1, N * (N - 1)),
    "incast": (N, N * (N - 1)),
    "outcast": (N, N * (N - 1)),
    "bisection": (1, N // 2),
    "ring": (1, N),
    "random": (2, 2 * (N // 2)),
    "file": (2, 3),
}
MORE = {"random": ("--seed", 7, "--rounds", 2),
        "file": ("--rounds-file", guests.WORK / "rounds")}


@BOTH
@pytest.mark.parametrize("pattern", PATTERNS)
def test_pattern(how, pattern, nothing_left):
    (guests.WORK / "rounds").write_text(
        "mgmt1 mgmt2\nmgmt2 mgmt3\n\nmgmt3 mgmt1\n")
    # many pairs at once are more than emulated processors can always keep up
    # with: something may seem slow
    rate = 0.0005 if pattern in LOADED else 0.002
    run = Cluster(how, "--pattern", pattern, *MORE.get(pattern, ()),
                  traffic=write_bw(2, rate))
    out = run.end(0, *[2, 3] * (pattern in LOADED))
    rounds = run.rounds()
    numbers = {one["round"] for one in rounds}
    pairs = [one for one in run.lines("pair") if one["round"] in numbers]
    assert (len(rounds), len(pairs)) == PATTERNS[pattern]
    left = N % 2 if pattern in ("pairs", "bisection") else 0
    assert f"{N - left} of {N} nodes took part" in out
    for one in pairs:
        assert one["error"] is None and one["overlap"] > 0
        assert 0 < one["value"] < 1.2 * rate
        assert one["result"]["bandwidth"]["gbps"] == one["value"]
    for one in rounds:
        own = [pair for pair in pairs if pair["round"] == one["round"]]
        assert one["added"] == sum(not pair["marked"] for pair in own)
        assert one["gbps"] < 1.2 * rate * len(own)
    assert {one["node"] for one in run.lines("node")} == set(guests.NODES)
    assert {name for one in pairs for name in (
        one["client"]["node"], one["server"]["node"])} <= set(guests.NODES)
