"""What goes wrong on a node or at the coordinator is said, and nothing is left
behind on any node."""
import os
import re
import signal

import pytest

import guests
from conftest import CLUSTER, GONE_WITHIN, Cluster, when_measuring, write_bw
from test_patterns import BOTH

# Patterns that do not match the command line they are in.
AGENT = "sys.stdin.buffe[r]"
ENDS = {"client": "verbsperf write_b[w]", "server": "verbsperf serv[e]"}
N = len(guests.NODES)


def failed_pairs(run):
    return {(one["client"]["node"], one["server"]["node"]): one["error"]
            for one in run.lines("pair") if one["error"]}


def others_stand(run, node):
    """All pairs without NODE have a result, and those with it have none."""
    for one in run.lines("pair"):
        ends = one["client"]["node"], one["server"]["node"]
        assert (one["value"] is None) == (node in ends), (run.err, run.out)


@BOTH
def test_agent_is_killed(how, nothing_left):
    run = Cluster(how, "--pattern", "ring", traffic=write_bw(30))
    when_measuring(3, f"pkill -KILL -f '{AGENT}'")
    out = run.end(1)
    others_stand(run, "mgmt3")
    assert "mgmt3: its agent ended, or its host did" in run.err
    assert f"{N - 1} of {N} nodes took part; 2 pairs failed" in out


@pytest.mark.parametrize("end", ENDS)
def test_verbsperf_is_killed(ssh, end, nothing_left):
    run = Cluster(ssh, "--pattern", "ring", traffic=write_bw(30))
    when_measuring(3, f"pkill -KILL -f '{ENDS[end]}'")
    out = run.end(1)
    pair = ("mgmt3", "mgmt1") if end == "client" else ("mgmt2", "mgmt3")
    assert list(failed_pairs(run)) == [pair]
    assert end == "server" or (failed_pairs(run)[pair]
                               == "verbsperf was killed by SIGKILL")
    assert f"{N} of {N} nodes took part; 1 pair failed" in out


@BOTH
def test_agent_is_stopped(how, nothing_left):
    run = Cluster(how, "--pattern", "ring", traffic=write_bw(30))
    when_measuring(3, f"pkill -STOP -f '{AGENT}'")
    run.end(1)
    assert "mgmt3: no sign of life from its agent for 30 s" in run.err


@BOTH
def test_no_verbsperf(how, nothing_left):
    guests.shell(3, f"mv {guests.BIN}/verbsperf {guests.WORK}/")
    try:
        run = Cluster(how, "--pattern", "ring")
        out = run.end(1)
    finally:
        guests.shell(3, f"mv {guests.WORK}/verbsperf {guests.BIN}/")
    assert "mgmt3: there is no verbsperf in PATH" in run.err
    assert f"{N - 1} of {N} nodes took part" in out
    assert len(run.lines("pair")) == 2 and not failed_pairs(run)


def test_wrong_ssh_key(ssh, nothing_left):
    guests.shell(3, f"mv {guests.WORK}/keys {guests.WORK}/no-keys")
    try:
        run = Cluster(ssh, "--pattern", "pairs")
        run.end(1)
    finally:
        guests.shell(3, f"mv {guests.WORK}/no-keys {guests.WORK}/keys")
    assert re.search(r"mgmt3: .*Permission denied \(publickey", run.err)


def test_wrong_key(ssh, nothing_left):
    """Agents that are started by hand, one of them with the key of another
    job."""
    key = "0123456789abcdef0123456789abcdef"
    run = Cluster("none", "--launch", "none", "--nodes", guests.SET,
                  "--listen", "10.0.1.1:7000", "--join-timeout", "40",
                  "--pattern", "ring",
                  env={"VERBSPERF_CLUSTER_KEY": key})
    run.wait_for("start on each node")
    said = {}
    for number, own in zip(guests.NUMBERS, (key, key, key[::-1])):
        said[number] = guests.shell(number, f"""
            export PATH={guests.PATH} VERBSPERF_CLUSTER_KEY={own}
            setsid /usr/bin/python3 -B {CLUSTER} --agent 10.0.1.1:7000 \\
                --node mgmt{number} >{guests.WORK}/said 2>&1 &
            [ {number} != 3 ] || wait && cat {guests.WORK}/said""")
    assert "agent of mgmt3: the coordinator has another key" in said[3]
    run.end(1)
    assert "mgmt3: its agent did not connect; a program at 10.0.1.3 used " \
        "this name, but has another key" in run.err
    assert not failed_pairs(run)


@pytest.mark.parametrize("how, name", [
    ("ssh", "KILL"), ("ssh", "TERM"), ("ssh", "HUP"), ("slurm", "KILL"),
    ("slurm", "INT")], indirect=["how"])
def test_coordinator_dies(how, name, nothing_left):
    run = Cluster(how, "--pattern", "ring", traffic=write_bw(100))
    when_measuring(3)
    os.kill(run.pid(), getattr(signal, f"SIG{name}"))
    run.wait(GONE_WITHIN)
    run.keep()
    if name in ("TERM", "INT"):
        assert "interrupted; --resume continues it" in run.err
    assert "Traceback" not in run.err
