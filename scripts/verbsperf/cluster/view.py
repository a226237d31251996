"""What came of the nodes, as text: a matrix if it fits, and what is said of
them."""
import math
import shutil
import statistics
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import foreign, tables
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted, number
from verbsperf.cluster import limits, rails
from verbsperf.cluster.file import pair_of
from verbsperf.documents import formats
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import label
from verbsperf.documents.results import grouped, sweep_point
from verbsperf.findings import evidence
from verbsperf.pairs import nodesets
from verbsperf.stats.ranks import median

WORST = 20          # pairs that are listed when the matrix is too wide
LONGEST = 26        # letters of a name in a picture
NAMED = 4           # of those of which a note says the same
# In percent; above that verbsperf itself says it below its table.
UNCERTAIN = 0.5
DECIDES = "a longer --duration or a larger --tolerance may decide"
# Patterns in which a node is in one pair of a round at most.
BY_TWO = ("pairs", "bisection", "random")


# How to read a matrix: what was measured one way only is in one cell only.
READING = "a row for each client, a column for each server; - not measured"
# A scale reaches at least as far from its best value: what is only noise shall
# not look as if something were slow.
LEAST_RANGE = 0.2
Names = tuple[str, str]     # of a client and its server
Cells = dict[Names, float]


class Matrix(NamedTuple):
    """What pairs of one point and rail reached; names without the domain."""

    title: str
    metric: str
    nodes: list[str]
    cells: Cells
    failed: set[Names]
    scale: tuple[float, float]    # of all rails of the point

    def is_rate(self) -> bool:
        """More is better."""
        return METRICS[self.metric].is_rate

    def share(self, value: float) -> float:
        """Return where VALUE is on the scale: 1 is best, 0 worst."""
        low, high = self.scale
        share = (value - low) / (high - low) if high > low else 1.0
        return share if self.is_rate() else 1 - share

    def by_node(self) -> dict[str, list[float]]:
        """Return what all pairs of each node reached."""
        found: dict[str, list[float]] = {}
        for pair, value in self.cells.items():
            for node in pair:
                found.setdefault(node, []).append(value)
        return found


def domain_of(nodes: Sequence[str]) -> str:
    """Return the domain, with its dot, that all NODES are of, or ""."""
    parts = [node.partition(".") for node in nodes]
    tails = {dot + tail for _, dot, tail in parts}
    heads = {head for head, _, _ in parts}
    if (len(nodes) < 2 or len(tails) > 1 or len(heads) < len(nodes)
            or any(head.isdigit() for head in heads)):
        return ""
    return tails.pop()


def ending(name: str) -> str:
    """Return NAME, or its end when it is long: that tells nodes apart."""
    name = foreign.terminal(name)
    return name if len(name) <= LONGEST else "..." + name[3 - LONGEST:]


def scale_of(values: Sequence[float], metric: str) -> tuple[float, float]:
    """Return the lowest and the highest value that a colour stands for."""
    if not values:
        return 0.0, 0.0
    low, high = min(values), max(values)
    if METRICS[metric].is_rate:
        return min(low, high * (1 - LEAST_RANGE)), high
    return low, max(high, low / (1 - LEAST_RANGE))


def entries_of(entries: Iterable[Object], kind: str, index: int
               ) -> list[Object]:
    """Return the lines of KIND and of the point INDEX."""
    return [entry for entry in entries
            if entry["type"] == kind and entry.get("point") == index]


def in_rounds(entries: Iterable[Object], index: Optional[int] = None
              ) -> list[Object]:
    """Return the pairs of the rounds of the point INDEX, or of all."""
    return [entry for entry in entries if entry["type"] == "pair"
            and index in (None, entry["point"])
            and not (entry["alone"] or entry["probe"])]


def title_of(header: Object, point: Object) -> str:
    """Return what of POINT was measured, and by how many processes."""
    several = header.get("processes") or 1
    return label(sweep_point(point)) + (
        f", {several} processes a pair" if several > 1 else "")


def matrices(header: Object, entries: list[Object]) -> Iterator[Matrix]:
    """Yield the matrix of each point, and of each rail or two rails of it."""
    domain = domain_of(header["nodes"])
    nodes = [node.removesuffix(domain) for node in header["nodes"]]
    for index, point in enumerate(header["points"]):
        own = in_rounds(entries, index)
        scale = scale_of([entry["value"] for entry in own
                          if entry["value"] is not None], point["metric"])
        rails = grouped(own, lambda one: (one["rail"], one["server"]["device"]))
        for (_, there), some in sorted(rails.items()):
            devices = sorted({entry["client"]["device"] for entry in some})
            title = title_of(header, point)
            if devices != [""]:
                title += f", {nodesets.fold(devices)}"
            if devices != [there]:
                title += f" to {there}"
            cells, failed = cells_of(some, domain)
            yield Matrix(title, point["metric"], nodes, cells, failed, scale)


def cells_of(entries: list[Object], domain: str) -> tuple[Cells, set[Names]]:
    """Return ({pair: the median that it reached}, those that failed)."""
    values: dict[Names, list[float]] = {}
    failed = set()
    for entry in entries:
        pair = (entry["client"]["node"].removesuffix(domain),
                entry["server"]["node"].removesuffix(domain))
        if entry["value"] is None:
            failed.add(pair)
        else:
            values.setdefault(pair, []).append(entry["value"])
    return {pair: median(own) for pair, own in values.items()}, failed


def spread_text(matrix: Matrix) -> str:
    """Say what the values of MATRIX are like."""
    values, failed = sorted(matrix.cells.values()), len(matrix.failed)
    if not values:
        return f"{matrix.title}: no results, {failed} failed"
    return (f"{matrix.title}, {tables.unit(matrix.metric)}: median "
            f"{number(median(values))}, lowest {number(values[0])}, "
            f"highest {number(values[-1])}, " + counted(len(values), "pair")
            + f", {failed} failed" * bool(failed))


def cell(matrix: Matrix, row: str, column: str) -> str:
    """Return one cell as text."""
    if row == column:
        return "."
    value = matrix.cells.get((row, column))
    if value is None and (row, column) in matrix.failed:
        return "X"
    return number(value)


def grid_lines(matrix: Matrix, width: int) -> Optional[list[str]]:
    """Return MATRIX as lines of WIDTH letters at most, else None."""
    rows = [[node, *(cell(matrix, node, other) for other in matrix.nodes)]
            for node in matrix.nodes]
    lines = tables.table(["", *matrix.nodes], rows, left=(0,))
    return lines if max(map(len, lines)) < width else None


def more(ones: Sequence[object], what: str) -> list[str]:
    """Say how many of ONES, which are WHAT, are not listed."""
    return [f"and {len(ones) - WORST} {what} that are better"
            ] * (len(ones) > WORST)


def worst_lines(matrix: Matrix) -> list[str]:
    """Return the nodes and pairs that are worst, worst first."""
    own, down = matrix.by_node(), not matrix.is_rate()
    nodes = sorted(own, key=lambda node: median(own[node]), reverse=down)
    pairs = sorted(matrix.cells, key=matrix.cells.__getitem__, reverse=down)
    return [
        *tables.table(("node", "median", "lowest", "highest", "pairs"), [
            (node, number(median(own[node])), number(min(own[node])),
             number(max(own[node])), str(len(own[node])))
            for node in nodes[:WORST]], left=(0,)),
        *more(nodes, "nodes"), "",
        *tables.table(("pair", tables.unit(matrix.metric)), [
            (" - ".join(pair), number(matrix.cells[pair]))
            for pair in pairs[:WORST]], left=(0,)), *more(pairs, "pairs")]


def turn_of(pairs: list[Object]) -> str:
    """Say to or from which node all PAIRS of a round are, if it is one."""
    servers, clients = ({entry[side]["node"] for entry in pairs}
                        for side in ("server", "client"))
    if len(servers) == 1 and len(clients) > 1:
        return f" to {servers.pop()}"
    if len(clients) == 1 and len(servers) > 1:
        return f" from {clients.pop()}"
    return ""


def together(rounds: list[Object], pairs: list[Object]) -> Iterator[str]:
    """Yield what ROUNDS, in which PAIRS measured, carried together."""
    sums = [(one["gbps"], one["round"]) for one in rounds
            if one["gbps"] is not None]
    if not sums:
        return
    words = f"together: {number(median([gbps for gbps, _ in sums]))} Gb/s"
    if len(sums) > 1:
        lowest, turn = min(sums)
        words += (f", the median of {len(sums)} rounds; lowest "
                  f"{number(lowest)}" + turn_of([
                      one for one in pairs if one["round"] == turn]))
    asked, added = (sum(one[name] for one in rounds)
                    for name in ("pairs", "added"))
    yield words + f", of {added} of {asked} pairs" * (added < asked)


def sum_lines(header: Object, entries: list[Object]) -> Iterator[str]:
    """Yield what the rounds carried together."""
    for index, point in enumerate(header["points"]):
        pairs = in_rounds(entries, index)
        if point["metric"] == "gbps":
            yield from together([
                entry for entry in entries_of(entries, "round", index)
                if not entry["alone"] and entry["round"]], pairs)
        marked = [entry for entry in pairs if entry["marked"]]
        if marked:
            yield (f"not measured together with the rest, and not added: "
                   f"{counted(len(marked), 'pair')}, such as "
                   f"{pair_of(marked[0]).text()} (overlap "
                   f"{100 * (marked[0]['overlap'] or 0):.0f}%)")
        yield from doubt_lines(pairs)


def amount_of(part: Object, name: str) -> float:
    """Return the amount NAME of PART of a result, 0 where it is unknown."""
    value = part.get(name, 0.0)
    return float(value) if formats.is_amount(value) else 0.0


def doubt_lines(pairs: list[Object]) -> Iterator[str]:
    """Yield what makes values of PAIRS doubtful, by what is worst of each
    kind, and what to do."""
    rows = [(entry, entry["result"]) for entry in pairs
            if (entry["result"] or {}).get("bandwidth")]
    for name, least, words in (
            ("error_percent", UNCERTAIN, "uncertain by {most:.2g}%: "
             "{pairs}: --duration {longer} brings it below 0.5%"),
            ("lost", 0, "messages were lost, up to {most:g}: {pairs}")):
        found = [(amount_of(row["bandwidth"], name), i)
                 for i, (_, row) in enumerate(rows)]
        found = [one for one in found if one[0] > least]
        if found:
            most, i = max(found)
            entry, row = rows[i]
            yield words.format(
                most=most, longer=math.ceil(
                    amount_of(row, "seconds") * most / UNCERTAIN) or 1,
                pairs=f"{counted(len(found), 'pair')}, such as "
                + pair_of(entry).text())


def probe_lines(header: Object, entries: list[Object]) -> Iterator[str]:
    """Yield the latency of probes without load and under it."""
    for index, _ in enumerate(header["points"]):
        probes = [entry for entry in entries_of(entries, "pair", index)
                  if entry["probe"] and (entry["result"] or {}).get("latency")]
        for pair, own in grouped(probes, pair_of).items():
            both = grouped(own, lambda one: bool(one["round"]))
            words = [f"{name} {middle(both[load], 'p50')}, "
                     + middle(both[load], "p99")
                     for load, name in ((False, "alone"), (True, "under load"))
                     if load in both]
            yield f"latency of {pair.text()}: " + "; ".join(words)


def middle(probes: list[Object], name: str) -> str:
    """Return the median of the percentile NAME of PROBES, as text."""
    latencies = [one["result"]["latency"] for one in probes]
    values = [one[name] for one in latencies if one.get(name) is not None]
    if values:
        return f"{name} {number(median(values))} us"
    most = max(one.get("samples") or 0 for one in latencies)
    return f"{name} - ({counted(most, 'sample')}: too few)"


def is_failure(entry: Object) -> bool:
    """ENTRY says that a node or a pair failed, as one without a value did."""
    return entry["type"] in ("node", "pair") and (
        bool(entry["error"])
        or entry["type"] == "pair" and entry["value"] is None
        and not entry["probe"])


def failed_nodes(entries: Iterable[Object]) -> dict[str, str]:
    """Return {node: why it takes no part}."""
    return {entry["node"]: entry["error"] for entry in entries
            if entry["type"] == "node" and entry["error"]}


def notes_of(entries: Iterable[Object]) -> Iterator[str]:
    """Yield the notes, those that say the same of several in one."""
    notes = [one["sentence"].partition(": ") for one in entries
             if one["type"] == "note"]
    for tail, same in grouped(notes, lambda parts: "".join(parts[1:])).items():
        others = f" and {len(same) - NAMED} more" * (len(same) > NAMED)
        yield ", ".join(about for about, *_ in same[:NAMED]) + others + tail


def is_inconclusive(entry: Object) -> bool:
    """ENTRY is a note that leaves open whether something is slow."""
    return entry["type"] == "note" and bool(entry.get("inconclusive"))


def version_lines(entries: Iterable[Object]) -> Iterator[str]:
    """Yield which nodes have another version of verbsperf than most."""
    versions = {entry["node"]: entry["verbsperf"] for entry in entries
                if entry["type"] == "node" and entry.get("verbsperf")}
    usual = statistics.mode(versions.values()) if versions else None
    for nodes, version in nodesets.by_reason({
            node: one for node, one in versions.items() if one != usual}):
        yield f"another version: {version} on {nodes}, elsewhere {usual}"


def findings_of(entries: Iterable[Object]) -> list[Object]:
    """Return the findings, worst first."""
    return sorted((one for one in entries if one["type"] == "finding"),
                  key=lambda one: one["ratio"] or 0)


def said_lines(entries: list[Object]) -> Iterator[str]:
    """Yield findings and notes."""
    for is_limit, title in ((False, "slow:"), (True, "limits not met:")):
        found = [one for one in findings_of(entries)
                 if (one["kind"] == limits.KIND) == is_limit]
        yield from ("", title) if found else ()
        for one in found:
            yield "  " + one["sentence"]
            yield from ("    " + line for line in evidence.lines_of(one))
    yield from ("note: " + note for note in notes_of(entries))
    yield from version_lines(entries)
    failed = failed_nodes(entries)
    yield from ("", "nodes that failed:") if failed else ()
    for nodes, why in nodesets.by_reason(failed):
        yield f"  {nodes}: {why}"


def left_over(header: Object, entries: list[Object]) -> list[str]:
    """Return the nodes in no pair, while others were, that did not fail."""
    seen = {entry[side]["node"] for entry in in_rounds(entries)
            for side in ("client", "server")}
    return [node for node in header["nodes"] if seen
            and node not in seen | failed_nodes(entries).keys()]


def left_text(nodes: list[str], pattern: str) -> str:
    """Say that NODES were left over, and why if PATTERN explains it."""
    if len(nodes) == 1 and pattern in BY_TWO:
        return f"{nodes[0]} was left over: {pattern} needs an even number"
    return f"in no pair: {nodesets.fold(nodes)}"


def verdict(header: Object, entries: list[Object]) -> str:
    """Return the last line."""
    if not entries:
        return "nothing was measured"
    found, left = len(findings_of(entries)), left_over(header, entries)
    nodes, failed = len(header["nodes"]), len(failed_nodes(entries))
    lost = sum(map(is_failure, in_rounds(entries)))
    measured = any(entry["type"] == "pair" and entry["value"] is not None
                   for entry in entries)
    unknown = sum(map(is_inconclusive, entries))
    said = [counted(found, "finding")] * bool(found)
    said += [f"inconclusive: {counted(unknown, 'note')} ({DECIDES})"
             ] * bool(unknown)
    return "; ".join([
        f"{nodes - failed - len(left)} of {nodes} nodes took part",
        *[left_text(left, header["pattern"])] * bool(left),
        *[f"{counted(lost, 'pair')} failed"] * bool(lost),
        *(said or ["nothing is slow" if measured else
                   "nothing was measured"])])


def rail_lines(header: Object, entries: list[Object]) -> Iterator[str]:
    """Yield what each rail reached alone and beside the others."""
    for index, point in enumerate(header["points"]):
        yield from ("", f"{title_of(header, point)}, "
                    + tables.unit(point["metric"]))
        yield from rails.table_lines(in_rounds(entries, index))


def text(header: Object, entries: list[Object]) -> str:
    """Return all of it, as wide as the terminal."""
    width = shutil.get_terminal_size().columns
    lines: list[str] = []
    by_rail = header["pattern"] == rails.PATTERN
    found = [] if by_rail else [*matrices(header, entries)]
    domain = domain_of(header["nodes"])
    if domain and found:
        lines += ["", f"(tables have the nodes' names without {domain})"]
    for matrix in found:
        lines += ["", spread_text(matrix)]
        grid = grid_lines(matrix, width)
        lines += [f"({READING})", *grid] if grid else worst_lines(matrix)
    if by_rail:
        lines += rail_lines(header, entries)
    elif found:
        lines += ["", *sum_lines(header, entries)]
    lines += [*probe_lines(header, entries),
              *said_lines(entries), "", verdict(header, entries)]
    return "".join(f" {foreign.terminal(line)}".rstrip() + "\n"
                   for line in lines)
