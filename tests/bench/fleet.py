#!/usr/bin/python3
"""How verbsperf-cluster does with many nodes, without any.

usage: fleet.py [plan] [findings [SEEDS [ONLY]]] [rounds [AGENTS]]

  plan      seconds to plan all pairs of 1,024 nodes
  findings  on the model of a fat tree (tests/scripts/fabric.py) with one known
            fault, or none, over SEEDS seeds (200): how often each pattern
            finds and names the fault, and what else is said; ONLY has some of
            a pattern, its nodes, the fault and the noise, as in "all-pairs 8
            uplink 1.0%"
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
from typing import NamedTuple, Sequence

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP / name) for name in ("scripts", "tests/scripts",
                                             "tests/system")]
sys.dont_write_bytecode = True

from complete import BANDWIDTH, DOCUMENT, ROW  # noqa: E402
from fabric import LEAF, Fabric  # noqa: E402
from verbsperf.agents import agent, coordinator, fleet  # noqa: E402
from verbsperf.agents.fleet import Job  # noqa: E402
from verbsperf.findings.inquiry import Inquiry  # noqa: E402
from verbsperf.findings.observed import Measured  # noqa: E402
from verbsperf.pairs import patterns  # noqa: E402
from verbsperf.pairs.patterns import End, Pair, Wanted  # noqa: E402

# Pairs share ports, or all links between the switches.
LOADED = ("all-to-all", "incast", "outcast", "ring", "bisection")
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


class Fault(NamedTuple):
    """What is wrong, and which findings name it: their kinds, and all of their
    nodes."""

    faults: object
    kinds: Sequence[str] = ()
    places: Sequence[set] = ()
    leaf: int = LEAF
    rails: int = 1

    def is_named(self, found):
        if not self.kinds:
            return not found
        return bool(found) and all(
            one["kind"] in self.kinds for one in found) and {
                end["node"] for one in found for end in one["ends"]
                } in self.places


def fault(kind, nodes, source, next_to=None):
    """The Fault of a KIND. NEXT_TO says to whom a node sends, if that is one
    only."""
    n = len(nodes)
    a, b = source.sample(nodes, 2)
    if next_to:
        a, b = source.choice(list(next_to.items()))
    share, some = source.uniform(0.3, 0.8), n * 5 // 8
    many = set(source.sample(nodes, some))
    racks = [set(nodes[i:i + n // 4]) for i in range(0, n, n // 4)]
    eighth = max(1, n // 8)
    g, h = sorted(source.sample(range(4), 2))
    leaf = source.randrange(max(1, n // LEAF))
    old = set(nodes[leaf * LEAF:][:LEAF])
    node = ("node", "nodes")
    links = ("paths", "uplink", "trunk", "congestion")

    def rack(name, share, *places, kinds=links):
        return Fault({name: share}, kinds, places, n // 4)

    return {
        "none": lambda: Fault(None),
        "node 5%": lambda: Fault({"node": {a: 0.95}}, node, [{a}]),
        "node 50%": lambda: Fault({"node": {a: 0.5}}, node, [{a}]),
        "sender": lambda: Fault({"sends": {a: 0.5}}, node, [{a}]),
        "receiver": lambda: Fault({"receives": {a: 0.5}}, node, [{a}]),
        "pair": lambda: Fault({"path": {(a, b): 0.5}}, ("path",), [{a, b}]),
        # which is measured in one direction
        "one way": lambda: Fault({"one-way": {source.choice([
            pair for pairs in patterns.all_pairs(Wanted(nodes))
            for pair in pairs if a in pair]): 0.5}}, ("path",), [
                {a, other} for other in nodes]),
        "5 of 8 nodes": lambda: Fault(
            {"node": dict.fromkeys(many, 0.5)}, node, [many]),
        "group": lambda: rack("group", {g: 0.5}, racks[g],
                              kinds=(*node, "group")),
        "uplink": lambda: rack("uplinks", {g: 0.5}, racks[g]),
        "two uplinks": lambda: Fault(
            {"uplinks": {g: 0.5, h + 4: 0.5}}, links, [{
                nodes[leaf * eighth + i] for leaf in (g, h + 4)
                for i in range(eighth)}], eighth),
        "trunk": lambda: rack("trunk", {(g, h): 0.5}, racks[g], racks[h],
                              racks[g] | racks[h]),
        "halves": lambda: Fault(
            {"trunk": {(0, 1): 0.5}}, links, [
                set(nodes), set(nodes[:n // 2]), set(nodes[n // 2:])], n // 2),
        "rail": lambda: Fault({"rail": {1: 0.5}}, ("rail",), [{"*"}], rails=4
                              if n < 32 else 2),
        "starved sender": lambda: Fault({"sends": {a: share / n}}, node,
                                        [{a}]),
        "slow as target": lambda: Fault({"fan-in": {a: share}},
                                        ("congestion",), [{a}]),
        "half duplex": lambda: Fault({"both": {a: 0.5 + share / 3}},
                                     ("congestion",), [{a}]),
        "few uplinks": lambda: Fault(
            {"leaf": {1: share}}, ("congestion",), [
                set(nodes[LEAF:2 * LEAF]), set(nodes[LEAF:2 * LEAF]) | {
                    one for pair in (next_to or {}).items() for one in pair
                    if set(pair) & set(nodes[LEAF:2 * LEAF])}]),
        "one spine": lambda: Fault(
            {"uplink": {(leaf, 3): share}}, links, [
                old, *({*old, one} for one in nodes)]),
        "noisy node": lambda: Fault({"noisy": {a: share}}, ("unsteady",),
                                    [{a}]),
    }[kind]()


# The faults that a pattern can show.
KINDS = {
    "all-pairs": ("none", "node 5%", "node 50%", "sender", "pair", "one way",
                  "5 of 8 nodes", "group", "uplink", "two uplinks", "trunk",
                  "halves", "rail"),
    "incast": ("none", "node 50%", "receiver", "starved sender",
               "slow as target", "rail"),
    "outcast": ("none", "node 50%", "sender", "rail"),
    "all-to-all": ("none", "node 50%", "sender", "receiver", "slow as target",
                   "rail"),
    "ring": ("none", "node 50%", "sender", "receiver", "pair", "half duplex",
             "rail"),
    "bisection": ("none", "node 50%", "sender", "pair", "rail"),
}
# Those that need nodes on several switches.
LARGE = {"all-pairs": ("one spine", "noisy node"), "bisection": (
    "few uplinks",)}
SIZES, NOISES = (8, 16, 32, 64), (0.001, 0.01, 0.03, 0.1)


def inquire(pattern, kind, n, noise, seed):
    """(named right, findings, tests again) of a fabric with a fault."""
    source = random.Random(f"{kind} {seed}")
    nodes = names(n)
    next_to = None
    if pattern in ("ring", "bisection"):
        next_to = dict(*patterns.PATTERNS[pattern](Wanted(nodes)))
    made = fault(kind, nodes, source, next_to)
    fabric = Fabric(nodes, made.faults, seed, made.leaf, noise)
    devices = {node: [f"mlx5_{i}" for i in range(made.rails)]
               for node in nodes}
    tests = []

    def reach(pairs):
        return fabric.together(pairs) if pattern in LOADED else [
            fabric.gbps(pair) for pair in pairs]

    async def measure(pairs):
        tests.append(len(pairs))
        return reach(pairs)

    inquiry = Inquiry([
        Measured(pair, value, number)
        for number, pairs in enumerate(patterns.rounds_of(
            pattern, Wanted(nodes), devices))
        for pair, value in zip(pairs, reach(pairs))], "gbps",
        measure, seed)
    asyncio.run(inquiry.run())
    return made.is_named(inquiry.findings), inquiry.findings, len(tests)


def line_of(case):
    """What is printed of a CASE, and of as many fabrics as it says."""
    pattern, kind, n, noise, seeds = case
    good, said, most, example = 0, 0, 0, ""
    for seed in range(seeds):
        right, found, tests = inquire(pattern, kind, n, noise, seed)
        good += right
        said += bool(found)
        most = max(most, tests)
        if not right:
            example = f"; such as seed {seed}: " + (
                found[0]["sentence"] if found else "nothing")
    return (f"{pattern} of {n}, noise {noise:.1%}, {kind}: right in {good} of "
            f"{seeds}, something said in {said}, at most {most} tests again"
            + example)


def findings(seeds=200, only=""):
    cases = [(pattern, kind, n, noise, seeds)
             for pattern, kinds in KINDS.items() for n in SIZES
             for kind in kinds + LARGE.get(pattern, ()) * (n == 64)
             for noise in NOISES
             if only in f"{pattern} {n} {kind} {noise:.1%}"
             and (pattern == "all-pairs" or n in (16, 64) and noise == 0.01
                  and (n == 16 or pattern in ("ring", "bisection")))
             and (kind != "two uplinks" or n > 8)]
    with multiprocessing.Pool() as pool:
        for line in pool.imap(line_of, cases):
            print(f"findings: {line}", flush=True)


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
            measured += [Measured(one.job.pair, one.value("gbps"), len(beyond))
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
        more = [int(words.pop(0))] if words and words[0].isdigit() else []
        if more and words and words[0] not in PARTS:
            more.append(words.pop(0))
        part(*more)
    return 0


sys.exit(main(sys.argv[1:]))
