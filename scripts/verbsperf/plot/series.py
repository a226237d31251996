"""The kinds of pictures that verbsperf-plot draws, each made of Records."""
import collections
from typing import Callable, Iterable, Optional, Sequence

from verbsperf.base.metrics import METRICS, title_of
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record, point_of
from verbsperf.plot.curves import Curve, Dot, Panel, Picture, curve, styled
from verbsperf.plot.labels import Key, by_curve, failures, labels, size_of

KINDS = {
    "bandwidth": "bandwidth and message rate over size",
    "latency": "latency over size",
    "distribution": "latency distribution",
    "load": "latency over offered load",
    "intervals": "bandwidth over time",
}
PERCENTILES = ("50", "99", "99.9")
THIN = "thin dots: too few samples to be sure"

# Records by the curve that shows them.
Groups = dict[Key, list[Record]]


def percentile_key(text: str) -> str:
    """Return the name of the percentile TEXT, "99.9", in a row."""
    return "p" + text.replace(".", "_")


def of_metric(records: Iterable[Record], suffix: str) -> list[Record]:
    """Return the RECORDS of tests called ..._SUFFIX, failed ones, too."""
    return [record for record in records
            if record.point and record.point.test.endswith(suffix)]


def over_size(record: Record) -> Point:
    """Return the point of all results of one curve over size."""
    return point_of(record)._replace(size=0)


def over_load(record: Record) -> Point:
    """Return the point of all results of one curve over the offered load."""
    point = point_of(record)
    return point._replace(options=tuple(
        option for option in point.options if option[0] != "rate"))


def bandwidth(records: Sequence[Record], _: Sequence[str]) -> Optional[Picture]:
    """Show Gb/s and millions of messages a second over size, in two panels."""
    groups = by_curve(of_metric(records, "_bw"), over_size)
    names, panels = labels(groups), []
    bars: set[str] = set()
    for metric in ("gbps", "mpps"):
        panels.append(Panel("", METRICS[metric].label(), [
            curve(names[key], group, size_of, metric, bars)
            for key, group in groups.items()], METRICS[metric].scale))
    if not panels[0].has_values():
        return None
    return Picture("bandwidth", "message size [bytes]", "size", 1,
                   styled(panels), sorted(bars) + failures(groups),
                   len(groups) > 1)


def latency_of(record: Record) -> Object:
    """Return what RECORD has of latency, if anything."""
    return (record.row or {}).get("latency") or {}


def definition(group: Iterable[Record]) -> Optional[str]:
    """Return what latency means in GROUP, or None without any."""
    for record in group:
        if latency_of(record):
            return latency_of(record).get("definition") or "unknown"
    return None


def by_definition(groups: Groups) -> dict[str, Groups]:
    """Return {definition of latency: {key: group}}: each entry may share an
    axis. Groups that only failed go to the first."""
    rows: dict[Optional[str], Groups] = {}
    for key, group in groups.items():
        rows.setdefault(definition(group), {})[key] = group
    failed = rows.pop(None, {})
    known = {name: row for name, row in rows.items() if name is not None}
    for row in known.values():
        row.update(failed)
        break
    return known


def latency_label(name: Optional[str], percentile: str = "") -> str:
    """Return the label of a y axis of latency, whose definition is NAME."""
    what = title_of(percentile_key(percentile)) if percentile else "latency"
    return f"{what} [\N{MICRO SIGN}s]\n{name}"


def panels_over(x_of: Callable[[Record], float], groups: Groups,
                percentiles: Sequence[str], bars: set[str]) -> list[Panel]:
    """Return panels of PERCENTILES of latency over X_OF: one where GROUPS are
    one curve, else one for each definition of latency and percentile. Add to
    BARS what the bars are."""
    names = labels(groups)

    def made(label: str, group: Iterable[Record], percentile: str) -> Curve:
        return curve(label, group, x_of, percentile_key(percentile), bars)
    if len(groups) == 1:
        ((key, group),) = groups.items()
        curves = [made(title_of(percentile_key(q)), group, q)
                  for q in percentiles]
        panels = [Panel(names[key], latency_label(definition(group)),
                        [one for one in curves if one.has_values()], "log")]
    else:
        panels = [Panel("", latency_label(name, q), [
            made(names[key], group, q) for key, group in row.items()], "log")
            for name, row in by_definition(groups).items()
            for q in percentiles]
    return styled([panel for panel in panels if panel.has_values()])


def latency(records: Sequence[Record], percentiles: Sequence[str]
            ) -> Optional[Picture]:
    """Show percentiles over size."""
    groups = by_curve(of_metric(records, "_lat"), over_size)
    bars: set[str] = set()
    panels = panels_over(size_of, groups, percentiles, bars)
    if not panels:
        return None
    return Picture("latency", "message size [bytes]", "size", 1, panels,
                   sorted(bars) + failures(groups), len(groups) > 1)


def requested(record: Record) -> float:
    """Return the load that RECORD's run was asked for, in Mpps, or 0."""
    return latency_of(record).get("requested_mpps") or 0


def mark_saturated(groups: Groups, panels: Sequence[Panel]) -> list[str]:
    """Mark the dots of GROUPS that did not keep up; note what they reached."""
    notes, names = [], labels(groups)
    for key, group in groups.items():
        slow = [r for r in group if latency_of(r).get("saturated")]
        if not slow:
            continue
        rates = {requested(r) for r in slow}
        for one in [one for panel in panels for one in panel.curves
                    if len(groups) == 1 or one.label == names[key]]:
            one.dots = [d._replace(saturated=d.x in rates) for d in one.dots]
        most = max(latency_of(r).get("achieved_mpps") or 0 for r in slow)
        notes.append(f"{names[key]} {most:.4g} Mpps")
    if not notes:
        return []
    return ["hollow: saturated; most that was achieved there: "
            + ", ".join(notes)]


def lost_loads(records: Iterable[Record]) -> list[str]:
    """Return a note about the loads of RECORDS at which runs failed."""
    rates = [dict(point_of(r).options).get("rate") for r in records
             if not r.row]
    lost = [rate for rate in rates if rate is not None]
    return [f"failed, not shown: --rate {', '.join(lost)}"] if lost else []


def load(records: Sequence[Record], percentiles: Sequence[str]
         ) -> Optional[Picture]:
    """Show percentiles of an open loop over the requested rate."""
    every = of_metric(records, "_lat")
    groups = by_curve([r for r in every if requested(r)], over_load)
    bars: set[str] = set()
    panels = panels_over(requested, groups, percentiles, bars)
    if not panels:
        return None
    return Picture("load", "offered load [Mpps]", "linear", 1, panels, [
        *sorted(bars), *mark_saturated(groups, panels), *lost_loads(every)])


def quantile_dots(bins: dict[int, int]) -> list[Dot]:
    """Return latency in us over 1 / (1 - q); the largest is at n samples."""
    total, below = sum(bins.values()), 0
    dots: list[Dot] = []
    for high in sorted(bins):
        if not bins[high]:
            continue
        if not dots:
            dots.append(Dot(1, high / 1000))
        below += bins[high]
        dots.append(Dot(total / max(1, total - below), high / 1000))
    return dots


def quantile_curve(label: str, group: Iterable[Record]) -> Curve:
    """Return the distribution of all samples of GROUP."""
    bins: dict[int, int] = collections.Counter()
    for record in group:
        if record.row:
            for _, high, count in record.row["histogram"]["bins"]:
                bins[high] += count
    dots = quantile_dots(bins)
    # like verbsperf, a quantile q needs n >= ln 0.05 / ln q samples
    return Curve(label, dots, trusted=float(
        1 / (1 - 0.05 ** (1 / sum(bins.values())))) if dots else 0)


def distribution(records: Sequence[Record], _: Sequence[str]
                 ) -> Optional[Picture]:
    """Show latency over the quantile, as far as there are samples."""
    groups = by_curve([r for r in of_metric(records, "_lat")
                       if r.row and r.row.get("histogram")], point_of)
    names, panels = labels(groups), []
    for name, row in by_definition(groups).items():
        curves = [quantile_curve(names[key], group)
                  for key, group in row.items()]
        curves = [one for one in curves if one.dots]
        if curves:
            panels.append(Panel("", latency_label(name), curves, "log"))
    if not panels:
        return None
    return Picture("distribution", "percentile", "percentile", 1,
                   styled(panels), [THIN])


def series_of(row: Object) -> list[tuple[tuple[str, ...], list[Object]]]:
    """Return [(words, intervals)] of ROW, of each direction it has."""
    if row.get("intervals"):
        return [((), row["intervals"])]
    return [((f"from {one['from']}",), one["intervals"])
            for one in row.get("directions") or [] if one.get("intervals")]


def all_series(records: Sequence[Record]) -> dict[Key, list[Object]]:
    """Return the intervals of each run, by what tells the runs apart."""
    found: dict[Key, list[Object]] = {}
    for key, group in by_curve(records, point_of).items():
        for number, record in enumerate(group, 1):
            rounds = (f"round {number}",) if len(group) > 1 else ()
            for words, series in series_of(record.row or {}):
                found[(*key, *words, *rounds)] = series
    return found


def intervals(records: Sequence[Record], _: Sequence[str]) -> Optional[Picture]:
    """Show the bandwidth of each interval of each run."""
    series = all_series([r for r in of_metric(records, "_bw") if r.row])
    names = labels(series)
    curves = [Curve(names[key], [
        Dot(one["start"] + one["seconds"] / 2, one["gbps"]) for one in every])
        for key, every in series.items()]
    if not curves:
        return None
    return Picture("intervals", "time [s]", "linear", 1, styled(
        [Panel("", METRICS["gbps"].label(), curves, "linear")]), [])


Maker = Callable[[Sequence[Record], Sequence[str]], Optional[Picture]]
MAKERS: dict[str, Maker] = {
    "bandwidth": bandwidth, "latency": latency, "load": load,
    "distribution": distribution, "intervals": intervals}


def drawn(kind: str, records: Iterable[Record]) -> list[Record]:
    """Return those of RECORDS that a picture of KIND is about."""
    return of_metric(records, "_bw" if kind in ("bandwidth", "intervals")
                     else "_lat")


def is_of_one_size(records: Iterable[Record]) -> bool:
    """Return True when all RECORDS, of which there are some, have one size."""
    return len({size_of(record) for record in records}) == 1


def kinds(records: Sequence[Record]) -> list[str]:
    """Return the kinds that RECORDS have data for, the likeliest first."""
    rates = {requested(r) for r in records if requested(r)}
    order = ["bandwidth", "latency", "distribution", "load", "intervals"]
    if len(rates) > 1:
        order.insert(0, "load")
    if is_of_one_size(of_metric(records, "_bw")):
        order.insert(0, "intervals")
    if is_of_one_size(of_metric(records, "_lat")) and len(rates) < 2:
        order.insert(0, "distribution")
    return [kind for kind in dict.fromkeys(order)
            if MAKERS[kind](records, PERCENTILES)]


def picture(kind: str, records: Sequence[Record],
            percentiles: Sequence[str] = PERCENTILES) -> Optional[Picture]:
    """Return the Picture of KIND, or None when RECORDS have no data for it."""
    return MAKERS[kind](records, percentiles)
