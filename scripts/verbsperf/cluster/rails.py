"""The rails of each node: what each reaches alone, and beside the others; and
which link it is that they share."""
import collections
from typing import Callable, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import tables
from verbsperf.base.metrics import METRICS
from verbsperf.cluster.file import pair_of
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.results import grouped
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats.ranks import median

PATTERN = "rails"
# So often a suspect is tested again.
AGAIN = 4
# Of what a link carries, headers leave messages this much.
USABLE = 0.85


class Rail(NamedTuple):
    """A rail of a node that sends, and what it reached."""

    pair: Pair
    metric: str
    alone: Optional[float]
    together: Optional[float]

    def lost(self) -> Optional[float]:
        """Return the share of its speed that it loses beside the others."""
        if not self.alone or not self.together:
            return None
        ratio = self.together / self.alone
        return 1 - (ratio if METRICS[self.metric].is_rate else 1 / ratio)


    def again(self, alone: Sequence[Optional[float]],
              together: Sequence[Optional[float]]) -> "Rail":
        """Return it with what more tests reached ALONE and TOGETHER: it lost
        nothing unless each of these is slower than each of those."""
        sign = 1 if METRICS[self.metric].is_rate else -1
        slow, fast = ([sign * value for value in values if value is not None]
                      for values in (together, alone))
        if not slow or not fast or max(slow) >= min(fast):
            return self._replace(together=self.alone)
        return self._replace(alone=sign * median(fast),
                             together=sign * median(slow))


class Link(NamedTuple):
    """A PCIe link that several rails of a host share."""

    address: str
    gbps: float


def is_alone(entries: Sequence[Object]) -> Callable[[Object], bool]:
    """Return what says of one of ENTRIES that its client had no other rail in
    that round."""
    crowd = collections.Counter((entry["round"], entry["client"]["node"])
                                for entry in entries)
    return lambda entry: crowd[entry["round"], entry["client"]["node"]] == 1


def middle(entries: Sequence[Object]) -> Optional[float]:
    """Return the median of the values of ENTRIES, if there is any."""
    values = [one["value"] for one in entries if one["value"] is not None]
    return median(values) if values else None


def rails_of(entries: Sequence[Object]) -> list[Rail]:
    """Return the rails of ENTRIES, the pairs of the rounds of a point."""
    alone = is_alone(entries)
    found = []
    for pair, own in grouped(entries, pair_of).items():
        both = grouped(own, alone)
        found.append(Rail(pair, own[0]["metric"], middle(both.get(True, [])),
                          middle(both.get(False, []))))
    return sorted(found)


def suspects(rails: Sequence[Rail], most: float) -> list[list[Rail]]:
    """Return the rails of each pair of nodes of which one loses more than
    MOST."""
    by_nodes = grouped(rails, lambda rail: (rail.pair.client.node,
                                            rail.pair.server.node))
    return [own for own in by_nodes.values()
            if any((rail.lost() or 0) > most for rail in own)]


def shared_link(device: str, rates: dict[str, float],
                paths: dict[str, list[Object]]
                ) -> tuple[Optional[Link], list[str]]:
    """Return the nearest link that DEVICE shares with others of RATES and that
    does not carry them all, by the PATHS of a host; and who shares it."""
    for step in paths.get(device, []):
        users = [name for name in rates if any(
            step["address"] == other["address"] for other in paths.get(
                name, []))]
        if (len(users) > 1 and step["gbps"]
                and sum(rates[name] for name in users)
                > USABLE * step["gbps"]):
            return Link(step["address"], step["gbps"]), users
    return None, [device]


def paths_of(devices: Sequence[Object]) -> dict[str, list[Object]]:
    """Return the PCIe path of each of DEVICES, ports of a node."""
    return {one["name"]: one.get("path") or [] for one in devices}


def finding(ends: Sequence[End], others: str, lost: float,
            link: Optional[Link]) -> Object:
    """Return the finding that the rails ENDS of a node lose LOST beside
    OTHERS."""
    names = ", ".join(end.device or "its device" for end in ends)
    slower = f"{100 * lost:.0f}% slower beside {others}"
    why = (f"they share the PCIe link at {link.address}, which carries "
           f"{link.gbps:.4g} Gb/s" if link
           else "no PCIe link that they share and that is too slow is known")
    return {"kind": PATTERN, "ends": [end._asdict() for end in ends],
            "ratio": 1 - lost,
            "sentence": f"{ends[0].node}: {names}: {slower}; {why}"}


def cause_of(rail: Rail, rails: Sequence[Rail],
             devices: dict[str, Sequence[Object]]
             ) -> tuple[Optional[Link], tuple[End, ...]]:
    """Return the link that slows RAIL down beside RAILS, of the node that
    sends or else of the other, and the ends that share it."""
    for turned in (False, True):
        pairs = {one: one.pair.turned() if turned else one.pair
                 for one in rails}
        end = pairs[rail].client
        link, users = shared_link(
            end.device, {pair.client.device: one.alone or 0.0
                         for one, pair in pairs.items()},
            paths_of(devices.get(end.node) or []))
        if link:
            return link, tuple(End(end.node, user) for user in users)
    return None, (rail.pair.client,)


def findings_of(rails: Sequence[Rail], most: float,
                devices: dict[str, Sequence[Object]]) -> Iterator[Object]:
    """Yield what is wrong with RAILS of a node with another, of which some lose
    more than MOST; DEVICES has the ports of each node."""
    found: dict[tuple[Optional[Link], tuple[End, ...]], float] = {}
    for rail in rails:
        lost = rail.lost()
        if lost is not None and lost > most:
            cause = cause_of(rail, rails, devices)
            found[cause] = max(lost, found.get(cause, 0.0))
    for (link, ends), lost in found.items():
        yield finding(ends, "each other" if len(ends) > 1 else
                      "the other rails", lost, link)


def notes_of(before: Sequence[Rail], again: Sequence[Rail], most: float
             ) -> Iterator[str]:
    """Yield which rails lost more than MOST BEFORE, and not AGAIN."""
    for old, new in zip(before, again):
        lost = old.lost() or 0.0
        if lost > most >= (new.lost() or 0.0):
            yield (f"{old.pair.text()}: {100 * lost:.0f}% slower beside the "
                   "other rails, but not when tested again")


def table_lines(entries: Sequence[Object]) -> list[str]:
    """Return a row for each rail of ENTRIES, the pairs of a point."""
    def cells(rail: Rail) -> tuple[str, ...]:
        lost = rail.lost()
        return (rail.pair.client.node, rail.pair.client.device or "-",
                rail.pair.server.node, tables.number(rail.alone),
                tables.number(rail.together),
                "-" if lost is None else f"{100 * lost:.1f}%")

    return tables.table(
        ("node", "rail", "to", "alone", "together", "lost"),
        [cells(rail) for rail in rails_of(entries)], left=(0, 1, 2))
