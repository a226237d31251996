"""What is in a file of results, as a table: verbsperf-sweep FILE."""
import collections
from typing import Iterator, Optional, Sequence

from verbsperf.base import foreign, tables
from verbsperf.documents import results, sources as origin
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, label
from verbsperf.documents.results import Record
from verbsperf.stats import ranks

# What belongs together, by (source's name, point).
Groups = dict[tuple[str, Optional[Point]], list[Record]]

HEADING = ("point", "rounds", "failed", "metric", "median", "95% interval",
           "lowest", "highest")
METRICS = ("gbps", "mpps", "p50", "p99")


def values_cells(values: Sequence[float]) -> tuple[str, ...]:
    """Return the last four columns."""
    if not values:
        return ("-",) * 4
    known = ranks.median_interval(values)
    between = " .. ".join(map(tables.number, known[1:])) if known else "-"
    return (tables.number(ranks.median(values)), between,
            tables.number(min(values)), tables.number(max(values)))


def lines_of(name: str, records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    """Yield a line for each metric of the RECORDS of one point, called NAME."""
    failed = sum(record.row is None for record in records)
    first: tuple[str, ...] = name, str(len(records)), str(failed)
    measured = [(metric, values) for metric, values in (
        (metric, results.values_of(records, metric)) for metric in METRICS)
        if values]
    for metric, values in measured:
        if first[0] == "" and len(values) != len(measured[0][1]):
            # some rounds have too few samples for this percentile
            first = "", str(len(values)), ""
        yield (*first, tables.unit(metric), *values_cells(values))
        first = "", "", ""
    if not measured:
        yield (*first, "-", *values_cells([]))


def groups_of(records: Sequence[Record], header: Optional[Object]) -> Groups:
    """Group RECORDS, and what HEADER's sweep has not measured yet."""
    groups: Groups = {}
    every = origin.sources(records)
    names = origin.names(every)
    for source, record in zip(every, records):
        groups.setdefault((names[source], record.point), []).append(record)
    seen = {(record.target, record.point) for record in records}
    for key in expected(header) if header else ():
        if key not in seen:
            groups[key] = []
    return groups


def expected(header: Object) -> list[tuple[str, Point]]:
    """Return each point at each target of HEADER's sweep."""
    return [(target["name"], point) for target in header["targets"]
            for point in results.header_points(header)]


def failures(groups: Groups) -> list[str]:
    """Return a line for each error of a source, with how often it came."""
    found = collections.Counter(
        (name, why) for (name, _), records in groups.items()
        for why in results.failures(records))
    return [f"failed: {name}: {error}" + (f" ({n} times)" if n > 1 else "")
            for (name, error), n in found.items()]


def doubts(groups: Groups) -> list[str]:
    """Return a line for each source whose two clocks disagree."""
    found: dict[str, str] = {}
    for (name, _), records in groups.items():
        for apart in filter(None, map(results.clocks_apart, records)):
            found.setdefault(name, f"{name}: {apart}")
    return list(found.values())


def title(path: str, header: Optional[Object], records: Sequence[Record]
          ) -> list[str]:
    """Return lines above the table."""
    if not header:
        return [f"{path}: {len(records)} results"]
    host, tool = header.get("host") or {}, header.get("tool") or {}
    return [f"{path}: sweep of {header.get('suite')}, started "
            f"{header.get('started')} on {host.get('hostname')}, "
            f"{tool.get('verbsperf')}, seed {header['seed']}"]


def table_lines(groups: Groups) -> list[tuple[str, ...]]:
    """Return the lines of the table of GROUPS."""
    several = len({name for name, _ in groups}) > 1
    points = [point for _, point in groups if point]
    lines: list[tuple[str, ...]] = []
    for (source, point), records in groups.items():
        name = label(point, points) if point else "(no results)"
        lines.extend(lines_of(f"{source}: {name}" if several else name,
                              records))
    return lines


def text(path: str) -> str:
    """Return the contents of the file PATH as a table for people."""
    header, records = results.read_with_header(path)
    groups = groups_of(records, header)
    lines = table_lines(groups)
    out = title(path, header, records)
    out += tables.table(HEADING, lines, left=(0, 3))
    if any(line[5] == "-" and line[4] != "-" for line in lines):
        out.append(f"95% interval -: it needs {ranks.FEWEST_ROUNDS} rounds "
                   "with a value")
    out += doubts(groups) + failures(groups)
    return "".join(f" {foreign.terminal(line)}\n" for line in out)
