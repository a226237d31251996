"""What came of the nodes, as text: a matrix if it fits, and what is said of
them."""
import shutil
import statistics
from typing import (Dict, Iterable, Iterator, List, NamedTuple, Optional,
                    Sequence, Set)

from verbsperf.base import tables
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.cluster.file import pair_of
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import label
from verbsperf.documents.results import sweep_point
from verbsperf.findings import evidence
from verbsperf.pairs import nodesets
from verbsperf.pairs.patterns import Pair
from verbsperf.stats import ranks

WORST = 20          # pairs that are listed when the matrix is too wide
LONGEST = 26        # letters of a name in a picture
NAMED = 4           # of those of which a note says the same


# How to read a matrix: what was measured one way only is in one cell only.
READING = "a row for each client, a column for each server; - not measured"
# A scale reaches at least as far from its best value: what is only noise shall
# not look as if something were slow.
LEAST_RANGE = 0.2


class Matrix(NamedTuple):
    """What pairs of one point and rail reached; names are short()."""

    title: str
    metric: str
    nodes: List[str]
    cells: Dict["tuple[str, str]", float]   # (from client, to server)
    failed: Set["tuple[str, str]"]
    scale: "tuple[float, float]" = (0.0, 0.0)   # of all rails of the point


def domain_of(nodes: Sequence[str]) -> str:
    """Return the domain, with its dot, that all NODES are of, or ""."""
    parts = [node.partition(".") for node in nodes]
    tails = {dot + tail for _, dot, tail in parts}
    heads = {head for head, _, _ in parts}
    if (len(nodes) < 2 or len(tails) > 1 or len(heads) < len(nodes)
            or any(head.isdigit() for head in heads)):
        return ""
    return tails.pop()


def short(node: str, domain: str) -> str:
    """Return the name of NODE without DOMAIN."""
    return node[:len(node) - len(domain)]


def ending(name: str) -> str:
    """Return NAME, or its end when it is long: that tells nodes apart."""
    name = tables.printable(name)
    return name if len(name) <= LONGEST else "..." + name[3 - LONGEST:]


def scale_of(values: Sequence[float], metric: str) -> "tuple[float, float]":
    """Return the lowest and the highest value that a colour stands for."""
    if not values:
        return 0.0, 0.0
    low, high = min(values), max(values)
    if METRICS[metric].is_rate:
        return min(low, high * (1 - LEAST_RANGE)), high
    return low, max(high, low / (1 - LEAST_RANGE))


def share_of(matrix: Matrix, value: float) -> float:
    """Return where VALUE is on the scale of MATRIX: 1 is best, 0 worst."""
    low, high = matrix.scale
    share = (value - low) / (high - low) if high > low else 1.0
    return share if METRICS[matrix.metric].is_rate else 1 - share


def entries_of(entries: Iterable[Object], kind: str, index: int
               ) -> List[Object]:
    """Return the lines of KIND and of the point INDEX."""
    return [entry for entry in entries
            if entry["type"] == kind and entry.get("point") == index]


def in_rounds(entries: Iterable[Object], index: int) -> List[Object]:
    """Return the pairs of the rounds of the point INDEX."""
    return [entry for entry in entries_of(entries, "pair", index)
            if not (entry["alone"] or entry["probe"])]


def matrices(header: Object, entries: List[Object]) -> Iterator[Matrix]:
    """Yield the matrix of each point, and of each rail of it, or of two rails
    that are measured with each other."""
    for index, point in enumerate(header["points"]):
        own = in_rounds(entries, index)
        scale = scale_of([entry["value"] for entry in own
                          if entry["value"] is not None], point["metric"])
        for rail, there in sorted({(entry["rail"], entry["server"]["device"])
                                   for entry in own}):
            some = [entry for entry in own if entry["rail"] == rail
                    and entry["server"]["device"] == there]
            devices = sorted({entry["client"]["device"] for entry in some})
            title = label(sweep_point(point))
            if devices != [""]:
                title += f", {nodesets.fold(devices)}"
            if devices != [there]:
                title += f" to {there}"
            yield matrix_of(title, point["metric"], header["nodes"], some
                            )._replace(scale=scale)


def matrix_of(title: str, metric: str, nodes: List[str],
              entries: List[Object]) -> Matrix:
    """Make the matrix of ENTRIES; of several of a pair the median."""
    found: Dict["tuple[str, str]", List[float]] = {}
    failed, domain = set(), domain_of(nodes)
    for entry in entries:
        key = (short(entry["client"]["node"], domain),
               short(entry["server"]["node"], domain))
        if entry["value"] is not None:
            found.setdefault(key, []).append(entry["value"])
        else:
            failed.add(key)
    return Matrix(title, metric, [short(node, domain) for node in nodes],
                  {key: ranks.median(values) for key, values in found.items()},
                  failed)


def spread_lines(matrix: Matrix) -> Iterator[str]:
    """Yield what the values of MATRIX are like."""
    values = sorted(matrix.cells.values())
    if values:
        number = tables.number
        yield (f"{matrix.title}, {tables.unit(matrix.metric)}: median "
               f"{number(ranks.median(values))}, lowest {number(values[0])}, "
               f"highest {number(values[-1])}, "
               + counted(len(values), "pair")
               + (f", {len(matrix.failed)} failed" if matrix.failed else ""))
    else:
        yield f"{matrix.title}: no results, {len(matrix.failed)} failed"


def cell(matrix: Matrix, row: str, column: str) -> str:
    """Return one cell as text."""
    if row == column:
        return "."
    value = matrix.cells.get((row, column))
    if value is None and (row, column) in matrix.failed:
        return "X"
    return tables.number(value)


def grid_lines(matrix: Matrix, width: int) -> Optional[List[str]]:
    """Return MATRIX as lines of WIDTH letters at most, else None."""
    rows = [[node, *(cell(matrix, node, other) for other in matrix.nodes)]
            for node in matrix.nodes]
    lines = tables.table(["", *matrix.nodes], rows, left=(0,))
    return lines if max(map(len, lines)) < width else None


def worst_lines(matrix: Matrix) -> List[str]:
    """Return the nodes and pairs that are worst, worst first."""
    better_high = METRICS[matrix.metric].is_rate
    own: Dict[str, List[float]] = {}
    for (a, b), value in matrix.cells.items():
        own.setdefault(a, []).append(value)
        own.setdefault(b, []).append(value)
    order = sorted(own, key=lambda node: statistics.median(own[node]),
                   reverse=not better_high)
    pairs = sorted(matrix.cells, key=lambda pair: matrix.cells[pair],
                   reverse=not better_high)
    number = tables.number
    return [*tables.table(("node", "median", "lowest", "highest", "pairs"), [
        (node, number(statistics.median(own[node])), number(min(own[node])),
         number(max(own[node])), str(len(own[node])))
        for node in order[:WORST]], left=(0,)),
        *([f"and {len(order) - WORST} nodes that are better"]
          if len(order) > WORST else []), "",
        *tables.table(("pair", tables.unit(matrix.metric)), [
            (f"{a} - {b}", number(matrix.cells[a, b]))
            for a, b in pairs[:WORST]], left=(0,)),
        *([f"and {len(pairs) - WORST} pairs that are better"]
          if len(pairs) > WORST else [])]


def coverage(rounds: List[Object]) -> str:
    """Say how many pairs are in the sums of ROUNDS, unless all are."""
    pairs = sum(entry["pairs"] for entry in rounds)
    added = sum(entry["added"] for entry in rounds)
    return f", of {added} of {pairs} pairs" if added < pairs else ""


def turn_of(pairs: List[Object]) -> str:
    """Say to or from which node all PAIRS of a round are, if several nodes
    have one in common."""
    servers, clients = ({entry[side]["node"] for entry in pairs}
                        for side in ("server", "client"))
    if len(servers) == 1 and len(clients) > 1:
        return f" to {servers.pop()}"
    if len(clients) == 1 and len(servers) > 1:
        return f" from {clients.pop()}"
    return ""


def sum_lines(header: Object, entries: List[Object]) -> Iterator[str]:
    """Yield what the rounds carried together."""
    for index, point in enumerate(header["points"]):
        rounds = [entry for entry in entries_of(entries, "round", index)
                  if not entry["alone"] and entry["round"]]
        sums = [(entry["gbps"], entry["round"]) for entry in rounds
                if entry["gbps"] is not None]
        if point["metric"] == "gbps" and sums:
            middle_one = ranks.median([gbps for gbps, _ in sums])
            lowest, number = min(sums)
            turn = turn_of([entry for entry in in_rounds(entries, index)
                            if entry["round"] == number])
            yield (f"together: {tables.number(middle_one)} Gb/s"
                   + (f", the median of {len(sums)} rounds; lowest "
                      f"{tables.number(lowest)}{turn}"
                      if len(sums) > 1 else "")
                   + coverage(rounds))
        marked = [entry for entry in in_rounds(entries, index)
                  if entry["marked"]]
        if marked:
            yield (f"not measured together with the rest, and not added: "
                   f"{counted(len(marked), 'pair')}, such as "
                   f"{pair_of(marked[0]).text()} (overlap "
                   f"{100 * (marked[0]['overlap'] or 0):.0f}%)")


def probe_lines(header: Object, entries: List[Object]) -> Iterator[str]:
    """Yield the latency of probes without load and under it."""
    for index, _ in enumerate(header["points"]):
        found: Dict[Pair, Dict[bool, List[Object]]] = {}
        for entry in entries_of(entries, "pair", index):
            if entry["probe"] and (entry["result"] or {}).get("latency"):
                found.setdefault(pair_of(entry), {}).setdefault(
                    entry["round"] > 0, []).append(entry["result"]["latency"])
        for pair, both in found.items():
            words = [f"{name} {middle(both[load], 'p50')}, "
                     + middle(both[load], "p99")
                     for load, name in ((False, "alone"), (True, "under load"))
                     if load in both]
            yield f"latency of {pair.text()}: " + "; ".join(words)


def middle(latencies: List[Object], name: str) -> str:
    """Return the median of the percentile NAME among LATENCIES, as text."""
    values = [one[name] for one in latencies if one.get(name) is not None]
    if values:
        return f"{name} {tables.number(ranks.median(values))} us"
    most = max(one.get("samples") or 0 for one in latencies)
    return f"{name} - ({counted(most, 'sample')}: too few)"


def is_failure(entry: Object) -> bool:
    """Return True when ENTRY says that a node or a pair failed, as a pair did
    that has no value."""
    return entry["type"] in ("node", "pair") and (
        bool(entry["error"])
        or entry["type"] == "pair" and entry["value"] is None
        and not entry["probe"])


def failed_nodes(entries: Iterable[Object]) -> Dict[str, str]:
    """Return {node: why it takes no part}."""
    return {entry["node"]: entry["error"] for entry in entries
            if entry["type"] == "node" and entry["error"]}


def notes_of(entries: Iterable[Object]) -> Iterator[str]:
    """Yield the notes, those that say the same of several in one."""
    found: Dict[str, List[str]] = {}
    for one in entries:
        if one["type"] == "note":
            about, colon, rest = one["sentence"].partition(": ")
            found.setdefault(colon + rest, []).append(about)
    for tail, heads in found.items():
        more = f" and {len(heads) - NAMED} more" * (len(heads) > NAMED)
        yield ", ".join(heads[:NAMED]) + more + tail


def version_lines(entries: Iterable[Object]) -> Iterator[str]:
    """Yield which nodes have another version of verbsperf than most."""
    versions = {entry["node"]: entry["verbsperf"] for entry in entries
                if entry["type"] == "node" and entry.get("verbsperf")}
    usual = statistics.mode(versions.values()) if versions else None
    for nodes, version in nodesets.by_reason({
            node: one for node, one in versions.items() if one != usual}):
        yield f"another version: {version} on {nodes}, elsewhere {usual}"


def said_lines(entries: List[Object]) -> Iterator[str]:
    """Yield findings and notes."""
    found = [one for one in entries if one["type"] == "finding"]
    if found:
        yield ""
        yield "slow:"
        for one in sorted(found, key=lambda one: one.get("ratio") or 0):
            yield "  " + one["sentence"]
            yield from ("    " + line
                        for line in evidence.lines_of(one.get("beside") or {}))
    yield from ("note: " + note for note in notes_of(entries))
    yield from version_lines(entries)
    failed = failed_nodes(entries)
    if failed:
        yield ""
        yield "nodes that failed:"
        for nodes, why in nodesets.by_reason(failed):
            yield f"  {nodes}: {why}"


def verdict(header: Object, entries: List[Object]) -> str:
    """Return the last line."""
    if not entries:
        return "nothing was measured"
    found = sum(entry["type"] == "finding" for entry in entries)
    failed = len(failed_nodes(entries))
    lost = sum(is_failure(entry) for index in range(len(header["points"]))
               for entry in in_rounds(entries, index))
    words = [f"{len(header['nodes']) - failed} of {len(header['nodes'])} nodes"
             " took part"]
    words += [f"{counted(lost, 'pair')} failed"] * bool(lost)
    measured = any(entry["type"] == "pair" and entry["value"] is not None
                   for entry in entries)
    words.append(f"{found} finding{'s' * (found != 1)}" if found
                 else "nothing was measured" if not measured
                 else "nothing is slow")
    return "; ".join(words)


def text(header: Object, entries: List[Object]) -> str:
    """Return all of it, as wide as the terminal."""
    width = shutil.get_terminal_size().columns
    lines: List[str] = []
    domain = domain_of(header["nodes"])
    if domain:
        lines += ["", f"(tables have the nodes' names without {domain})"]
    for matrix in matrices(header, entries):
        lines += ["", *spread_lines(matrix)]
        grid = grid_lines(matrix, width)
        lines += [f"({READING})", *grid] if grid else worst_lines(matrix)
    lines += ["", *sum_lines(header, entries), *probe_lines(header, entries),
              *said_lines(entries), "", verdict(header, entries)]
    return "".join(f" {tables.printable(line)}".rstrip() + "\n"
                   for line in lines)
