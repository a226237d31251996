"""A fat tree with faults, as a model: what a pair of nodes reaches."""
import random

# Of a healthy pair, in Gb/s, and by how much results differ.
RATE, NOISE = 97.0, 0.01
LEAF, SPINES = 16, 8


class Fabric:
    """Nodes on leaf switches, each with a link to every spine; the pair's
    addresses choose the spine.  FAULTS is what is wrong:

        {"node": {name: share}}     slow in both directions
        {"sends": {name: share}}    slow when it sends
        {"noisy": {name: share}}    slow now and then
        {"path": {(a, b): share}}   slow between both
        {"uplink": {(leaf, spine): share}}
        {"rail": {number: share}}
    """

    def __init__(self, nodes, faults=None, seed=0, leaf=LEAF):
        self.place = {name: i for i, name in enumerate(nodes)}
        self.faults, self.leaf = faults or {}, leaf
        self.source = random.Random(seed)

    def spine(self, a, b):
        return (self.place[a] * 7919 + self.place[b] * 104729) % SPINES

    def shares(self, pair):
        a, b = pair.client.node, pair.server.node
        get = self.faults.get
        yield get("sends", {}).get(a, 1)
        yield get("rail", {}).get(pair.rail, 1)
        for one in (a, b):
            yield get("node", {}).get(one, 1)
            noisy = get("noisy", {}).get(one)
            if noisy and self.source.random() < 0.35:
                yield noisy
        for one in ((a, b), (b, a)):
            yield get("path", {}).get(one, 1)
        leaves = [self.place[one] // self.leaf for one in (a, b)]
        if leaves[0] != leaves[1]:
            for leaf in leaves:
                yield get("uplink", {}).get((leaf, self.spine(a, b)), 1)

    def gbps(self, pair):
        """What PAIR reaches this time."""
        return (RATE * min(self.shares(pair))
                * (1 - abs(self.source.gauss(0, NOISE))))
