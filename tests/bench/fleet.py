#!/usr/bin/python3
"""How verbsperf-cluster does with many nodes, without any.

usage: fleet.py [plan] [findings [SEEDS]] [rounds [AGENTS]]

  plan      seconds to plan all pairs of 1,024 nodes
  findings  on the model of a fat tree (tests/scripts/fabric.py) with one known
            fault, or none, over SEEDS seeds (200): how often each pattern
            finds and names the fault, and what else is said
  rounds    AGENTS (512) that answer at once, in a process of their own, with
            what the model says: seconds of a round besides measuring, and
            whether a slow node among them is found

Without a part: all of them."""
import asyncio
import json
import multiprocessing
import pathlib
import random
import secrets
import statistics
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP / name) for name in ("scripts", "tests/scripts",
                                             "tests/system")]
sys.dont_write_bytecode = True

from complete import BANDWIDTH, DOCUMENT, ROW  # noqa: E402
from fabric import LEAF, Fabric  # noqa: E402
from verbsperf.agents import agent, coordinator, fleet  # noqa: E402
from verbsperf.agents.fleet import Job  # noqa: E402
from verbsperf.findings.inquiry import Inquiry  # noqa: E402
from verbsperf.findings.loaded import Loaded  # noqa: E402
from verbsperf.findings.usual import Measured  # noqa: E402
from verbsperf.pairs import patterns  # noqa: E402
from verbsperf.pairs.patterns import End, Pair, Wanted  # noqa: E402

MEASURING = 0.5     # seconds that a simulated test lasts


def names(n):
    return [f"n{i:04}" for i in range(n)]


def plan():
    nodes = names(1024)
    devices = {node: [""] for node in nodes}
    start = time.perf_counter()
    pairs = sum(map(len, patterns.rounds_of("all-pairs", Wanted(nodes),
                                            devices)))
    print(f"plan: all-pairs of 1024 nodes, {pairs} pairs in 1023 rounds: "
          f"{time.perf_counter() - start:.2f} s")


def fault(kind, nodes, source, next_to=None):
    """A fault of KIND, and whether findings name it and nothing else. NEXT_TO
    says to whom a node sends, if that is one only."""
    a, b = source.sample(nodes, 2)
    if next_to:
        a, b = source.choice(list(next_to.items()))
    share = source.uniform(0.3, 0.8)

    def one_end(kinds, node):
        return lambda found: [
            (one["kind"] in kinds, one["ends"][0]["node"])
            for one in found] == [(True, node)]

    def one_path(found):
        return len(found) == 1 and {end["node"] for end in
                                    found[0]["ends"]} == {a, b}

    leaf_number = source.randrange(len(nodes) // LEAF)

    def one_leaf(found):
        leaf = nodes[leaf_number * LEAF:][:LEAF]
        return len(found) == 1 and found[0]["kind"] == "paths" and all(
            end["node"] in leaf for end in found[0]["ends"])

    def links_of(leaf, every):
        return lambda found: len(found) == 1 and found[0][
            "kind"] == "congestion" and sum(
                one["node"] in every[leaf * LEAF:(leaf + 1) * LEAF]
                for one in found[0]["ends"]) == LEAF

    def one_rail(found):
        return [(one["kind"], one.get("rail")) for one in found] == [
            ("rail", 1)]

    return {
        "none": (None, lambda found: not found),
        "slow node": ({"node": {a: share}}, one_end(("node",), a)),
        "slow sender": ({"sends": {a: share}}, one_end(("node",), a)),
        "slow receiver": ({"receives": {a: share}}, one_end(("node",), a)),
        "starved sender": ({"sends": {a: share / len(nodes)}},
                           one_end(("node",), a)),
        "slow as target": ({"fan-in": {a: share}},
                           one_end(("congestion",), a)),
        "half duplex": ({"both": {a: 0.5 + share / 3}},
                        one_end(("congestion",), a)),
        "few uplinks": ({"leaf": {1: share}}, links_of(1, nodes)),
        "slow path": ({"path": {(a, b): share}}, one_path),
        "slow uplink": ({"uplink": {(leaf_number, 3): share}}, one_leaf),
        "noisy node": ({"noisy": {a: share}}, one_end(("unsteady", "node"),
                                                      a)),
        "slow rail": ({"rail": {1: share}}, one_rail),
    }[kind]


# The faults that a pattern can show.
KINDS = {
    "all-pairs": ("none", "slow node", "slow sender", "slow path",
                  "slow uplink", "noisy node", "slow rail"),
    "incast": ("none", "slow node", "slow receiver", "starved sender",
               "slow as target", "slow rail"),
    "outcast": ("none", "slow node", "slow sender", "slow rail"),
    "all-to-all": ("none", "slow node", "slow sender", "slow receiver",
                   "slow as target", "slow rail"),
    "ring": ("none", "slow node", "slow sender", "slow receiver", "slow path",
             "half duplex", "slow rail"),
    "bisection": ("none", "slow node", "slow sender", "slow path",
                  "few uplinks", "slow rail"),
}


def inquire(pattern, kind, seed, n):
    """(found and named right, findings) of a fabric with a fault of KIND."""
    source = random.Random(f"{kind} {seed}")
    nodes = names(n)
    next_to = None
    if pattern in ("ring", "bisection"):
        next_to = dict(*patterns.PATTERNS[pattern](Wanted(nodes)))
    faults, right = fault(kind, nodes, source, next_to)
    fabric = Fabric(nodes, faults, seed)
    rails = 4 if kind == "slow rail" else 1
    devices = {node: [f"mlx5_{i}" for i in range(rails)] for node in nodes}
    loaded = pattern in patterns.LOADED

    def reach(pairs):
        return fabric.together(pairs) if loaded else [
            fabric.gbps(pair) for pair in pairs]

    async def measure(pairs):
        return reach(pairs)

    inquiry = (Loaded if loaded else Inquiry)([
        Measured(pair, value, number)
        for number, pairs in enumerate(patterns.rounds_of(
            pattern, Wanted(nodes), devices))
        for pair, value in zip(pairs, reach(pairs))], "gbps", measure, seed)
    asyncio.run(inquiry.run())
    return right(inquiry.findings), inquiry.findings


def findings(seeds=200):
    for pattern, kinds in KINDS.items():
        # a rail of an all-to-all has as many pairs as all pairs have
        n = 64 if pattern in ("all-pairs", "ring", "bisection") else 32
        for kind in kinds:
            good, said, example = 0, 0, ""
            for seed in range(seeds):
                right, found = inquire(pattern, kind, seed, n)
                good += right
                said += len(found)
                if not right:
                    example = f"; such as seed {seed}: " + (
                        found[0]["sentence"] if found else "nothing")
            print(f"findings: {pattern} of {n}: {kind}: right in {good} of "
                  f"{seeds}, {said} findings{example}", flush=True)


class Simulated:
    """An agent that answers at once."""

    def __init__(self, name, fabric, key):
        self.name, self.fabric, self.key = name, fabric, key
        self.tasks, self.servers = {}, {}

    async def run(self, port):
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, limit=agent.LONGEST)
        mine = secrets.token_bytes(32)
        writer.write(json.dumps({
            "type": "hello", "protocol": agent.PROTOCOL, "node": self.name,
            "nonce": mine.hex()}).encode() + b"\n")
        answer = json.loads(await reader.readline())
        nonces = mine, bytes.fromhex(answer["nonce"])
        writer.write(json.dumps({"type": "proof", "proof": agent.proof(
            self.key, b"agent", nonces, self.name)}).encode() + b"\n")
        self.lines = agent.Lines(agent.session_key(self.key, nonces),
                                 b"agent")
        self.writer = writer
        self.say(type="node", devices=[{"name": "mlx5_0", "port": 1,
                                        "state": "ACTIVE"}], error=None)
        while line := await reader.readline():
            self.obey(self.lines.unwrap(line))

    def say(self, **message):
        self.writer.write(self.lines.wrap(message))

    def obey(self, message):
        if message["type"] == "ping":
            self.say(type="pong", t=message["t"], now=time.time())
        elif message["type"] == "start":
            number, words = message["id"], message["words"]
            if words[0] == "serve":
                self.say(type="listening", id=number, port=1000)
                self.end(number, "")
            else:
                self.tasks[number] = words
                self.say(type="warm", id=number)
        elif message["type"] == "open":
            for number in message["ids"]:
                asyncio.get_running_loop().call_later(
                    MEASURING, self.measured, number, time.time())

    def measured(self, number, opened):
        words = self.tasks.pop(number)
        gbps = self.fabric.gbps(Pair(End(self.name, ""), End(words[-1], "")))
        row = {**ROW, "size": 65536, "seconds": MEASURING, "bandwidth": {
            **BANDWIDTH, "gbps": gbps}, "intervals": [
                {"start": i * MEASURING / 10, "seconds": MEASURING / 10,
                 "iterations": 1, "gbps": gbps, "mib_per_s": 0.0, "mpps": 0.0}
                for i in range(10)]}
        self.end(number, json.dumps({**DOCUMENT, "results": [row]}), opened)

    def end(self, number, stdout, opened=None):
        self.say(type="ended", id=number, status=0, stdout=stdout, stderr="",
                 opened=opened, lost=False)


def simulate(nodes, faults, port, key):
    async def every():
        fabric = Fabric(nodes, faults, 1)
        await asyncio.gather(*(Simulated(name, fabric, key).run(port)
                               for name in nodes), return_exceptions=True)
    asyncio.run(every())


async def run_rounds(n):
    nodes, key = names(n), secrets.token_bytes(32)
    hub = coordinator.Coordinator(nodes, key)
    async with hub.listening("127.0.0.1", 0):
        agents = multiprocessing.Process(target=simulate, args=(
            nodes, {"node": {nodes[n // 3]: 0.6}}, hub.port, key))
        agents.start()
        start = time.perf_counter()
        missing = await hub.gather(60, lambda: {})
        joined = time.perf_counter() - start
        print(f"rounds: {n - len(missing)} of {n} agents joined in "
              f"{joined:.2f} s")
        beyond, measured = [], []
        for pairs in list(patterns.rounds_of(
                "all-pairs", Wanted(nodes), {x: [""] for x in nodes}))[:15]:
            done = await fleet.run_round(hub, [
                Job(pair, ["write_bw"], MEASURING) for pair in pairs])
            beyond.append(done.seconds - MEASURING)
            measured += [Measured(one.job.pair, one.value("gbps"))
                         for one in done.outcomes if one.row]
        skew = max(abs(one.skew) for one in done.outcomes)
        print(f"rounds: {len(measured)} results of {15 * (n // 2)}; besides "
              f"measuring {MEASURING} s a round took "
              f"{statistics.median(beyond):.2f} s, at most {max(beyond):.2f}; "
              f"skew at most {skew * 1000:.0f} ms, {done.added} added")

        async def again(pairs):
            found = await fleet.run_round(hub, [
                Job(pair, ["write_bw"], MEASURING) for pair in pairs])
            return [one.value("gbps") for one in found.outcomes]

        inquiry = Inquiry(measured, "gbps", again)
        await inquiry.run()
        for one in inquiry.findings:
            print(f"rounds: {one['sentence']}")
    agents.join(20)
    agents.kill()


def rounds(n=512):
    asyncio.run(run_rounds(n))


PARTS = {"plan": plan, "findings": findings, "rounds": rounds}


def main(words):
    if not words:
        words = list(PARTS)
    while words:
        part = PARTS.get(words.pop(0))
        if part is None:
            print(__doc__)
            return 2
        part(*([int(words.pop(0))] if words and words[0].isdigit() else []))
    return 0


sys.exit(main(sys.argv[1:]))
