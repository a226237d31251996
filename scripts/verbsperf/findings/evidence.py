"""The evidence of a finding: how its nodes differ from the others, and what
their counters say."""
import collections
from typing import Iterator, Sequence

from verbsperf.documents.jsonfile import Object

# A fact is usual if as many of the other nodes have it alike.
USUAL = 0.8
# What is no property of a node, but of the moment.
MOMENTARY = ("cpu_mhz", "huge_pages_free", "pcie_address", "gpu",
             "nearest_gpu")


def facts_of(devices: Sequence[Object]) -> Object:
    """Return what is known of each port of DEVICES, as facts of its node."""
    found = {}
    for one in devices:
        port = f" port {one['port']}" * (one["port"] != 1)
        for name in ("link", "mtu", "firmware"):
            found[f"{one['name']}{port} {name}"] = one.get(name)
    return found


def odd_facts(node: str, facts: dict[str, Object]) -> list[Object]:
    """Return what is different at NODE from nearly all others, of FACTS by
    node.  What is not known, here or there, is not different."""
    others = [own for name, own in facts.items() if name != node]
    found = []
    for name, here in facts.get(node, {}).items():
        values = {repr(own.get(name)): own.get(name) for own in others}
        if len(others) < 2 or name in MOMENTARY or here is None:
            continue
        (usual, count), = collections.Counter(
            repr(own.get(name)) for own in others).most_common(1)
        if (usual != repr(here) and count >= USUAL * len(others)
                and values[usual] is not None):
            found.append({"fact": name, "here": here,
                          "elsewhere": values[usual]})
    return found


def risen(result: Object, side: str) -> list[Object]:
    """Return the counters of trouble that rose in RESULT, a row, at SIDE."""
    rose = (result.get("counters") or {}).get("rose") or []
    return [one for one in rose if one.get("end") == side]


def lines_of(finding: Object) -> Iterator[str]:
    """Yield the evidence of FINDING, a line of a file, as text."""
    for node, seen in sorted((finding["beside"] or {}).items()):
        for one in seen.get("differs") or ():
            yield (f"{node}: {one['fact']} is {one['here']}, elsewhere "
                   f"{one['elsewhere']}")
        for one in seen.get("rose") or ():
            yield f"{node}: {one['counter']} rose by {one['value']}: " + str(
                one.get("meaning"))


def evidence_of(nodes: Sequence[str], facts: dict[str, Object],
                rose: dict[str, list[Object]]) -> Object:
    """Return the evidence of a finding at NODES."""
    seen = {node: {"differs": odd_facts(node, facts),
                   "rose": rose.get(node, [])} for node in nodes}
    return {node: one for node, one in seen.items()
            if one["differs"] or one["rose"]}
