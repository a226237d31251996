"""verbsperf-cluster and its agents, all on this host, on the fake NIC."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

import lab
import schemas
from lab import deadline

SCRIPT = (pathlib.Path(__file__).resolve().parent.parent.parent
          / "scripts/verbsperf-cluster")
# On a wire of that rate, in Gb/s, it sleeps more than it works.
RATE = 0.2
TEST = ("write_bw", "--events", "--size", "4K", "--tx-depth", "2", "--warmup",
        "0", "--duration")


def others():
    """The processes that agents are, or have started: {pid: command line}."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            mark = (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"CLUSTER_TEST=%d\0" % os.getpid() in mark:
            found[int(folder.name)] = words
    return found


def agents():
    return {words[words.index(b"--node") + 1].decode(): pid
            for pid, words in others().items() if b"--node" in words
            and words[0].endswith(b"python3")}


@pytest.fixture
def cluster(tmp_path):
    started = []

    def start(*arguments, wrapped=""):
        path = tmp_path / f"{len(started)}.jsonl"
        preload = os.environ["VERBSPERF_PRELOAD"]
        process = subprocess.Popen(
            [sys.executable, SCRIPT, "--listen", "127.0.0.1", "--launch",
             f"env CLUSTER_TEST={os.getpid()} LD_PRELOAD={preload} HOME=%h "
             f"FAKE_GBPS={RATE} " + wrapped,
             "--program", lab.BINARY, "-o", path, *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "VERBSPERF": lab.BINARY})
        started.append(process)
        process.path = path
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
    deadline(30, lambda: not others(), "an agent left something behind")


def lines(process):
    return [json.loads(line) for line in process.path.read_text().splitlines()]


def ended(process, *status):
    out, err = process.communicate(timeout=120)
    assert process.returncode in status, (out, err)
    assert "Traceback" not in err, err
    return out, err


def test_ring(cluster):
    """All miss a limit above what the wire has."""
    process = cluster("--nodes", "localhost,127.0.0.[2-3]", "--pattern",
                      "ring", "--tolerance", "95", *TEST, "0.3", "--min-gbps",
                      f"{2 * RATE:g}")
    out, _ = ended(process, 3)
    found = lines(process)
    for line in found:
        schemas.check(line, "verbsperf-cluster-1")
    pairs = [one for one in found if one.get("type") == "pair"
             and not one["alone"]]
    assert len(pairs) == 3 and all(one["value"] > 0 for one in pairs)
    assert all(one["overlap"] > 0.5 for one in pairs)
    assert f"--min-gbps {2 * RATE:g} missed by 3 of 3 pairs; " in out
    assert "3 of 3 nodes took part" in out
    assert all(one["environment"]["kernel"] for one in found
               if one.get("type") == "node")
    assert not others()


def test_a_node_that_dies_in_a_round(cluster):
    process = cluster("--nodes", "localhost,127.0.0.[2-4]", "--pattern",
                      "pairs", *TEST, "2")
    deadline(30, lambda: sum(b"write_bw" in words
                             for words in others().values()) == 2, "no round")
    time.sleep(0.7)
    os.kill(agents()["127.0.0.4"], signal.SIGKILL)
    out, err = ended(process, 1)
    assert "127.0.0.4: its agent ended, or its host did" in err
    pairs = [one for one in lines(process) if one.get("type") == "pair"]
    for one in pairs:
        ends = one["client"]["node"], one["server"]["node"]
        assert (one["value"] is None) == ("127.0.0.4" in ends), out
    assert "3 of 4 nodes took part; 1 pair failed" in out


def test_a_coordinator_that_dies(cluster):
    process = cluster("--nodes", "localhost,127.0.0.2", "--pattern", "pairs",
                      *TEST, "60")
    deadline(30, lambda: any(b"write_bw" in words
                             for words in others().values()), "no round")
    process.kill()
    deadline(20, lambda: not others(), "somebody goes on")


def test_interrupted_and_resumed(cluster, tmp_path):
    words = ("--nodes", "localhost,127.0.0.[2-4]", "--pattern", "incast",
             "--tolerance", "95")
    process = cluster(*words, *TEST, "0.3")
    deadline(30, lambda: process.path.exists()
             and '"type": "round"' in process.path.read_text(), "no round")
    process.send_signal(signal.SIGINT)
    _, err = ended(process, -signal.SIGINT)
    assert "--resume continues it" in err
    assert not others()
    before = sum(one.get("type") == "round" for one in lines(process))
    assert 1 <= before < 4
    again = cluster("-o", process.path, "--resume", *words, *TEST, "0.3")
    ended(again, 0, 3)
    rounds = [one["round"] for one in lines(process)
              if one.get("type") == "round" and not one["alone"]]
    assert rounds == [1, 2, 3, 4]


# The wire of one node has a tenth of the others' rate.
SLOW = (f"sh -c 'case %h in 127.0.0.4) rate={RATE / 10};; *) rate={RATE};; "
        "esac; exec env FAKE_GBPS=$rate \"$@\"' sh")


def test_pairs_repeated_alone(cluster):
    """A pair that is slow in the round is measured again by itself, and so
    are others in turn."""
    process = cluster("--nodes", "127.0.0.[2-5]", "--pattern",
                      "pairs", "--tolerance", "30", *TEST, "0.1", wrapped=SLOW)
    out, _ = ended(process, 3)
    found = lines(process)
    alone = [one for one in found if one.get("type") == "pair"
             and one["alone"]]
    assert len(alone) >= 6 and all(one["value"] > 0 for one in alone), out
    assert {one["round"] for one in alone} == {
        one["round"] for one in found
        if one.get("type") == "round" and one["alone"]}
    assert any("127.0.0.4" in one["sentence"] and one["sentence"] in out
               for one in found if one.get("type") == "finding")
