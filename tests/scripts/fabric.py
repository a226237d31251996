"""A fat tree with faults, as a model: what a pair of nodes reaches."""
import random

# Of a healthy pair, in Gb/s, and by how much results differ.
RATE, NOISE = 97.0, 0.01
LEAF, SPINES = 16, 8
# By how much parts of a port differ that should be alike.
UNFAIR = 0.05


class Fabric:
    """Nodes on leaf switches, each with a link to every spine; the pair's
    addresses choose the spine.  FAULTS is what is wrong:

        {"node": {name: share}}     slow in both directions
        {"sends": {name: share}}    slow when it sends
        {"receives": {name: share}} slow when it receives
        {"fan-in": {name: share}}   slow when several send to it at once
        {"both": {name: share}}     of what it sends and receives at once
        {"noisy": {name: share}}    slow now and then
        {"path": {(a, b): share}}   slow between both
        {"one-way": {(a, b): share}}    slow from a to b
        {"group": {leaf: share}}    all nodes of a leaf switch
        {"uplinks": {leaf: share}}  between a leaf switch and all others
        {"trunk": {(leaf, leaf): share}}    between two of them
        {"uplink": {(leaf, spine): share}}
        {"leaf": {leaf: share}}     of the links of a leaf switch, together
        {"rail": {number: share}}
    """

    def __init__(self, nodes, faults=None, seed=0, leaf=LEAF, noise=NOISE):
        self.place = {name: i for i, name in enumerate(nodes)}
        self.faults, self.leaf, self.noise = faults or {}, leaf, noise
        self.source = random.Random(seed)

    def spine(self, a, b):
        return (self.place[a] * 7919 + self.place[b] * 104729) % SPINES

    def shares(self, pair):
        a, b = pair.client.node, pair.server.node
        get = self.faults.get
        yield get("sends", {}).get(a, 1)
        yield get("receives", {}).get(b, 1)
        yield get("rail", {}).get(pair.rail, 1)
        for one in (a, b):
            yield get("node", {}).get(one, 1)
            noisy = get("noisy", {}).get(one)
            if noisy and self.source.random() < 0.35:
                yield noisy
        for one in ((a, b), (b, a)):
            yield get("path", {}).get(one, 1)
        yield get("one-way", {}).get((a, b), 1)
        leaves = [self.place[one] // self.leaf for one in (a, b)]
        for leaf in leaves:
            yield get("group", {}).get(leaf, 1)
        if leaves[0] != leaves[1]:
            yield get("trunk", {}).get(tuple(sorted(leaves)), 1)
            for leaf in leaves:
                yield get("uplinks", {}).get(leaf, 1)
                yield get("uplink", {}).get((leaf, self.spine(a, b)), 1)

    def shared(self, pair):
        """What PAIR shares with others: {name: its capacity, in RATE}."""
        a, b = (self.place[end.node] // self.leaf for end in pair[:2])
        rail = self.faults.get("rail", {}).get(pair.rail, 1)
        found = {
            ("out", pair.client): rail * self.port(pair.client.node, "sends"),
            ("in", pair.server): rail * self.port(pair.server.node,
                                                  "receives")}
        alone = min(self.shares(pair))
        if alone < 1:
            found["path", pair] = alone
        if a != b:
            for way, leaf in (("up", a), ("down", b)):
                found[way, leaf, pair.rail] = self.leaf * self.faults.get(
                    "leaf", {}).get(leaf, 1)
        for end in pair[:2]:
            if end.node in self.faults.get("both", {}):
                found["both", end] = 2 * self.faults["both"][end.node]
        return found

    def port(self, node, way):
        return (self.faults.get("node", {}).get(node, 1)
                * self.faults.get(way, {}).get(node, 1))

    def together(self, pairs):
        """What PAIRS reach at the same time: each its part of what it shares,
        and nobody less than what others leave."""
        room, users = {}, {}
        weight = {pair: max(0.2, 1 + self.source.gauss(0, UNFAIR))
                  for pair in pairs}
        for pair in pairs:
            for name, capacity in self.shared(pair).items():
                room[name] = capacity
                users.setdefault(name, []).append(pair)
        for name in room:
            if name[0] == "in" and len(users[name]) > 1:
                room[name] *= self.faults.get("fan-in", {}).get(
                    name[1].node, 1)
        uses, got = {}, {}
        for name, some in users.items():
            for pair in some:
                uses.setdefault(pair, []).append(name)
        waiting = {name: sum(weight[pair] for pair in some)
                   for name, some in users.items()}
        while waiting:
            name = min(waiting, key=lambda one: room[one] / waiting[one])
            level = room[name] / waiting[name]
            for pair in users[name]:
                if pair in got:
                    continue
                got[pair] = level * weight[pair]
                for one in uses[pair]:
                    room[one] = max(0.0, room[one] - got[pair])
                    waiting[one] -= weight[pair]
            waiting = {one: left for one, left in waiting.items()
                       if left > 1e-9}
        return [RATE * got[pair] * self.luck() for pair in pairs]

    def gbps(self, pair):
        """What PAIR reaches this time."""
        return RATE * min(self.shares(pair)) * self.luck()

    def luck(self):
        """By what a result differs from what it should be."""
        return max(0.05, 1 + self.source.gauss(0, self.noise))
