"""Which nodes send to which at the same time.

A pattern is rounds of pairs.  In a round all pairs measure at once; a node is
in one pair of a round where the pattern's sense is that pairs do not disturb
each other, and in several where it is that they do.  A round is made when it is
asked for: the rounds of n nodes need room for n names and no more."""
import random
import re
from typing import Callable, Iterator, NamedTuple, Optional

from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import read_text
from verbsperf.pairs import nodesets


class End(NamedTuple):
    """A device of a node; "" is the one that verbsperf chooses."""

    node: str
    device: str

    def text(self) -> str:
        """Return it for people."""
        return f"{self.node} {self.device}" if self.device else self.node


class Pair(NamedTuple):
    """Two ends, of which the client's decides what is measured."""

    client: End
    server: End
    rail: int = 0

    def text(self) -> str:
        """Return it for people."""
        if self.client.device == self.server.device:
            return f"{self.client.node} - {self.server.text()}"
        return f"{self.client.text()} - {self.server.text()}"

    def turned(self) -> "Pair":
        """Return it in the other direction."""
        return Pair(self.server, self.client, self.rail)


class Wanted(NamedTuple):
    """What a pattern is made of."""

    nodes: list[str]
    target: Optional[str] = None    # of incast and outcast; None: each in turn
    seed: int = 0                   # of random
    rounds: int = 1                 # of random
    path: str = ""                  # of file, or of the switches


Names = list[tuple[str, str]]


def by_two(wanted: Wanted) -> Iterator[Names]:
    """Yield one round: the first node with the second, and so on."""
    nodes = wanted.nodes
    yield list(zip(nodes[::2], nodes[1::2]))


def all_pairs(wanted: Wanted) -> Iterator[Names]:
    """Yield n - 1 rounds, by the circle method: one node stays, the others go
    round. Each two meet once; with an odd number one rests in each round."""
    nodes = wanted.nodes
    n = len(nodes) + len(nodes) % 2
    others = [*range(1, n), *range(1, n)]
    for turn in range(n - 1):
        circle = [0, *others[turn:turn + n - 1]]
        # each is a client about as often as a server
        yield [(nodes[a], nodes[b]) if (a < b) == (a + b) % 2 else
               (nodes[b], nodes[a])
               for a, b in zip(circle[:n // 2], reversed(circle))
               if a < len(nodes) and b < len(nodes)]


def all_to_all(wanted: Wanted) -> Iterator[Names]:
    """Yield one round in which each sends to each."""
    yield [(a, b) for a in wanted.nodes for b in wanted.nodes if a != b]


def hubs_of(wanted: Wanted) -> list[str]:
    """Return the nodes that are in the middle, one after the other."""
    if wanted.target is None:
        return wanted.nodes
    if wanted.target not in wanted.nodes:
        raise Refused(f"--target {wanted.target}: not one of the nodes "
                      + nodesets.fold(wanted.nodes))
    return [wanted.target]


def incast(wanted: Wanted) -> Iterator[Names]:
    """Yield a round for each node that all others send to."""
    for hub in hubs_of(wanted):
        yield [(node, hub) for node in wanted.nodes if node != hub]


def outcast(wanted: Wanted) -> Iterator[Names]:
    """Yield a round for each node that sends to all others."""
    for hub in hubs_of(wanted):
        yield [(hub, node) for node in wanted.nodes if node != hub]


def groups_of(path: str, nodes: list[str]) -> list[list[str]]:
    """Return those of NODES that have the same switch, by switch, of PATH."""
    found, left = [], set(nodes)
    for line in read_text(path).splitlines():
        line = line.partition("#")[0].strip()
        named = re.search(r"\bNodes=(\S+)", line, re.IGNORECASE)
        if named or (line and "=" not in line):
            own = [node for node in nodesets.expand(
                named[1] if named else line) if node in left]
            left -= set(own)
            found += [own] * bool(own)
    if left:
        raise Refused(f"{path} names no switch of "
                      + nodesets.fold(sorted(left)))
    return found


def bisection(wanted: Wanted) -> Iterator[Names]:
    """Yield one round: each node of one half with one of the other. With a
    file of switches, the nodes of a switch are in one half if they can."""
    nodes = wanted.nodes
    if wanted.path:
        nodes = [node for own in groups_of(wanted.path, nodes)
                 for node in sorted(own, key=nodes.index)]
    half = len(nodes) // 2
    yield list(zip(nodes[:half], nodes[-half:]))


def ring(wanted: Wanted) -> Iterator[Names]:
    """Yield one round: each node sends to the next."""
    nodes = wanted.nodes
    yield list(zip(nodes, nodes[1:] + nodes[:1]))


def at_random(wanted: Wanted) -> Iterator[Names]:
    """Yield rounds of pairs drawn at random, each node in one of them."""
    for number in range(wanted.rounds):
        source = random.Random(f"{wanted.seed} {number}")
        order = source.sample(wanted.nodes, len(wanted.nodes))
        yield list(zip(order[::2], order[1::2]))


def from_file(wanted: Wanted) -> Iterator[Names]:
    """Yield the rounds of a file: CLIENT SERVER on a line, and an empty line
    between two rounds."""
    known = set(wanted.nodes)
    pairs: Names = []
    for number, line in enumerate(read_text(wanted.path).splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            if pairs and not line.strip():
                yield pairs
                pairs = []
            continue
        if len(words) != 2 or words[0] == words[1]:
            raise Refused(f"{wanted.path}:{number}: expected CLIENT "
                          "SERVER, two different nodes")
        for word in words:
            if word not in known:
                raise Refused(f"{wanted.path}:{number}: {word} is not one"
                              " of the nodes")
        pairs.append((words[0], words[1]))
    if pairs:
        yield pairs


def by_rails(wanted: Wanted) -> Iterator[Names]:
    """Yield two rounds in which each two nodes send to each other, first one
    and then the other; with an odd number the last one has rounds with the
    first. Each round has all rails together, and then one after the other."""
    nodes = wanted.nodes
    rounds = [list(zip(nodes[::2], nodes[1::2]))]
    if len(nodes) % 2:
        rounds.append([(nodes[0], nodes[-1])])
    for names in rounds:
        yield names
        yield [(b, a) for a, b in names]


PATTERNS: dict[str, Callable[[Wanted], Iterator[Names]]] = {
    "pairs": by_two,
    "all-pairs": all_pairs,
    "all-to-all": all_to_all,
    "incast": incast,
    "outcast": outcast,
    "bisection": bisection,
    "ring": ring,
    "random": at_random,
    "file": from_file,
    "rails": by_rails,
}


def rails_of(names: Names, ends: dict[str, list[End]], cross: bool
             ) -> Iterator[list[Pair]]:
    """Yield NAMES with the devices of both nodes: all at once, each with the
    one of the same index; and with CROSS once more for each other index."""
    count = max(len(ends[name]) for pair in names for name in pair)
    for shift in range(count if cross else 1):
        yield [Pair(one, there[(rail + shift) % len(there)], rail)
               for a, b in names for there in (ends[b],)
               for rail, one in enumerate(ends[a][:len(there)])]


def one_by_one(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Yield each rail of PAIRS alone, if there are several."""
    rails = sorted({pair.rail for pair in pairs})
    for rail in rails if len(rails) > 1 else ():
        yield [pair for pair in pairs if pair.rail == rail]


def rounds_of(pattern: str, wanted: Wanted, devices: dict[str, list[str]],
              cross: bool = False, concurrent: Optional[int] = None
              ) -> Iterator[list[Pair]]:
    """Yield the rounds of PATTERN over DEVICES, CONCURRENT pairs at most."""
    if len(wanted.nodes) < 2:
        raise Refused(f"{pattern}: two nodes are needed, not "
                      f"{len(wanted.nodes)}")
    ends = {node: [End(node, device) for device in devices[node]]
            for node in wanted.nodes}
    for names in PATTERNS[pattern](wanted):
        for pairs in rails_of(names, ends, cross):
            step = concurrent or len(pairs)
            for start in range(0, len(pairs), step):
                yield pairs[start:start + step]
            if pattern == "rails":
                yield from one_by_one(pairs)
