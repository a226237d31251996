"""What is in a file of results, as a table: verbsperf-sweep FILE."""
from verbsperf import results
from verbsperf import sources as origin
from verbsperf import stats
from verbsperf import tables

HEADING = ("point", "rounds", "failed", "metric", "median", "95% interval",
           "lowest", "highest")
METRICS = ("gbps", "mpps", "p50", "p99")


def metrics_of(rows):
    """What is shown of ROWS of results."""
    return [name for name in METRICS
            if any(results.metric(row, name) is not None for row in rows)]


def values_cells(values):
    """The last four columns."""
    if not values:
        return ("-",) * 4
    known = stats.median_interval(values)
    middle = known or (stats.statistics.median(values),)
    between = " .. ".join(map(tables.number, known[1:])) if known else "-"
    return (tables.number(middle[0]), between, tables.number(min(values)),
            tables.number(max(values)))


def lines_of(label, records):
    """A line for each metric of the RECORDS of one point at one target."""
    rows = [record.row for record in records if record.row]
    counts = str(len(records)), str(len(records) - len(rows))
    for name in metrics_of(rows) or (None,):
        values = [results.metric(row, name) for row in rows] if name else []
        yield (label, *counts, tables.unit(name) if name else "-",
               *values_cells([v for v in values if v is not None]))
        label, counts = "", ("", "")


def groups_of(records, header):
    """{(source's name, point): records}, and what HEADER's sweep did not
    measure yet."""
    groups, every = {}, origin.sources(records)
    names = origin.names(every)
    for source, record in zip(every, records):
        groups.setdefault((names[source], record.point), []).append(record)
    seen = {(record.target, record.point) for record in records}
    for target in header["targets"] if header else ():
        for point in header.get("points", []):
            key = target["name"], results.sweep_point("", 0, point)
            if key not in seen:
                groups[key] = []
    return groups


def failures(groups):
    """A line for each error of a source, with how often it came."""
    found = {}
    for (name, _), records in groups.items():
        for record in records:
            if record.row is None:
                key = name, record.error or "the run failed"
                found[key] = found.get(key, 0) + 1
    return [f"failed: {name}: {error}" + (f" ({n} times)" if n > 1 else "")
            for (name, error), n in found.items()]


def title(path, header, records):
    """Lines above the table."""
    if not header:
        return [f"{path}: {len(records)} results"]
    host, tool = header.get("host") or {}, header.get("tool") or {}
    return [f"{path}: sweep of {header.get('suite')}, started "
            f"{header.get('started')} on {host.get('hostname')}, "
            f"{tool.get('verbsperf')}, seed {header['seed']}"]


def text(path):
    """The file PATH for people."""
    header, records = results.read_with_header(path)
    groups = groups_of(records, header)
    several = len({name for name, _ in groups}) > 1
    points = [point for _, point in groups if point]
    lines = []
    for (name, point), group in groups.items():
        label = results.label(point, points) if point else "(no results)"
        lines.extend(lines_of(f"{name}: {label}" if several else label, group))
    out = title(path, header, records)
    out += tables.table(HEADING, lines, left=(0, 3))
    if any(line[5] == "-" and line[4] != "-" for line in lines):
        out.append("95% interval -: it takes 6 rounds")
    return "".join(f" {line}\n" for line in out + failures(groups))
