"""The kinds of pictures that verbsperf-plot draws, each made of Records."""
from typing import (Callable, Dict, Iterable, List, Optional, Sequence, Set,
                    Tuple)

from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record, point_of
from verbsperf.plot.curves import (Axis, Curve, Dot, Panel, Picture, curve,
                                   styled)
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
Groups = Dict[Key, List[Record]]


def percentile_key(text: str) -> str:
    """Return the name of the percentile TEXT, "99.9", in a row."""
    return "p" + text.replace(".", "_")


def percentile_name(text: str) -> str:
    """Return the same for people."""
    return "median" if text == "50" else f"{text}%"


def of_metric(records: Iterable[Record], suffix: str) -> List[Record]:
    """Return the RECORDS of tests called ..._SUFFIX, those that failed
    included."""
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


def bandwidth(records: Sequence[Record], _: Sequence[str]
              ) -> Optional[Picture]:
    """Show Gb/s and millions of messages a second over size, in two panels."""
    groups = by_curve(of_metric(records, "_bw"), over_size)
    names, panels = labels(groups), []
    bars: Set[str] = set()
    for metric, y_label, scale in (("gbps", "bandwidth [Gb/s]", "linear"),
                                   ("mpps", "message rate [Mpps]", "wide")):
        panels.append(Panel("", y_label, [
            curve(names[key], group, Axis(size_of, metric), bars)
            for key, group in groups.items()], scale))
    if not panels[0].has_values():
        return None
    return Picture("bandwidth", "message size [bytes]", "size", 1,
                   styled(panels), sorted(bars) + failures(groups),
                   len(groups) > 1)


def latency_of(record: Record) -> Object:
    """Return what RECORD has of latency; nothing when that was not
    measured."""
    return (record.row or {}).get("latency") or {}


def definition(group: Iterable[Record]) -> Optional[str]:
    """Return what latency means in GROUP, half a round trip or all of it, or
    None when nothing was measured."""
    for record in group:
        if latency_of(record):
            return latency_of(record).get("definition") or "unknown"
    return None


def by_definition(groups: Groups) -> Dict[str, Groups]:
    """Return {definition of latency: {key: group}}: each entry may share an
    axis. Groups that only failed go to the first."""
    rows: Dict[Optional[str], Groups] = {}
    for key, group in groups.items():
        rows.setdefault(definition(group), {})[key] = group
    failed = rows.pop(None, {})
    known = {name: row for name, row in rows.items() if name is not None}
    for row in known.values():
        row.update(failed)
        break
    return known


def latency_label(name: Optional[str], percentile: str = "") -> str:
    """Return the label of a y axis of latency, or a PERCENTILE of it, whose
    definition is NAME."""
    what = percentile_name(percentile) if percentile else "latency"
    return f"{what} [\N{MICRO SIGN}s]\n{name}"


class Percentiles:
    """Panels of percentiles of latency over an x."""

    def __init__(self, groups: Groups, percentiles: Sequence[str],
                 x_of: Callable[[Record], float]) -> None:
        self.groups, self.percentiles, self.x_of = groups, percentiles, x_of
        self.names = labels(groups)
        self.bars: Set[str] = set()
        self.panels = (self.one_curve() if len(groups) == 1
                       else self.several_curves())

    def axis(self, percentile: str) -> Axis:
        """Return what is drawn of PERCENTILE."""
        return Axis(self.x_of, percentile_key(percentile))

    def one_curve(self) -> List[Panel]:
        """Return a panel with all percentiles."""
        ((key, group),) = self.groups.items()
        curves = [curve(percentile_name(q), group, self.axis(q), self.bars)
                  for q in self.percentiles]
        curves = [one for one in curves if one.has_values()]
        panel = Panel(self.names[key], latency_label(definition(group)),
                      curves, "log")
        return styled([panel] if curves else [])

    def several_curves(self) -> List[Panel]:
        """Return a panel for each definition of latency and percentile."""
        every = [self.panel(q, name, row) for name, row in
                 by_definition(self.groups).items() for q in self.percentiles]
        return styled([panel for panel in every if panel.has_values()])

    def panel(self, percentile: str, name: str, row: Groups) -> Panel:
        """PERCENTILE of the groups in ROW, whose latency is NAME."""
        return Panel("", latency_label(name, percentile), [
            curve(self.names[key], group, self.axis(percentile), self.bars)
            for key, group in row.items()], "log")

    def picture(self, kind: str, x_label: str, x_scale: str,
                notes: List[str]) -> Optional[Picture]:
        """Return the Picture of KIND, if there is anything to draw."""
        if not self.panels:
            return None
        return Picture(kind, x_label, x_scale, 1, self.panels,
                       sorted(self.bars) + notes,
                       x_scale == "size" and len(self.groups) > 1)


def latency(records: Sequence[Record], percentiles: Sequence[str]
            ) -> Optional[Picture]:
    """Show percentiles over size."""
    groups = by_curve(of_metric(records, "_lat"), over_size)
    return Percentiles(groups, percentiles, size_of).picture(
        "latency", "message size [bytes]", "size", failures(groups))


def requested(record: Record) -> float:
    """Return the load that RECORD's run was asked for, in Mpps, or 0."""
    return latency_of(record).get("requested_mpps") or 0


def mark_saturated(made: Percentiles) -> List[str]:
    """Mark the dots of runs that did not keep up, and return a note of what
    they reached."""
    notes = []
    for key, group in made.groups.items():
        slow = [r for r in group if latency_of(r).get("saturated")]
        if not slow:
            continue
        rates = {requested(r) for r in slow}
        for one in [one for panel in made.panels for one in panel.curves
                    if len(made.groups) == 1 or one.label == made.names[key]]:
            one.dots = [d._replace(saturated=d.x in rates) for d in one.dots]
        most = max(latency_of(r).get("achieved_mpps") or 0 for r in slow)
        notes.append(f"{made.names[key]} {most:.4g} Mpps")
    if not notes:
        return []
    return ["hollow: saturated; most that was achieved there: "
            + ", ".join(notes)]


def lost_loads(records: Iterable[Record]) -> List[str]:
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
    made = Percentiles(groups, percentiles, requested)
    return made.picture("load", "offered load [Mpps]", "linear",
                        mark_saturated(made) + lost_loads(every))


def trusted_until(samples: int) -> float:
    """Return the 1 / (1 - q) above which SAMPLES are too few for quantile q;
    like verbsperf, it needs n >= ln 0.05 / ln q."""
    return float(1 / (1 - 0.05 ** (1 / samples)))


def merged_bins(rows: Iterable[Object]) -> Dict[int, int]:
    """Return {high in ns: count} of the histograms of ROWS."""
    bins: Dict[int, int] = {}
    for row in rows:
        for _, high, count in row["histogram"]["bins"]:
            bins[high] = bins.get(high, 0) + count
    return bins


def quantile_dots(bins: Dict[int, int]) -> List[Dot]:
    """Return latency in us over 1 / (1 - q); the largest is at n samples."""
    total, below = sum(bins.values()), 0
    dots: List[Dot] = []
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
    bins = merged_bins(r.row for r in group if r.row)
    dots = quantile_dots(bins)
    return Curve(label, dots,
                 trusted=trusted_until(sum(bins.values())) if dots else 0)


def distribution(records: Sequence[Record], _: Sequence[str]
                 ) -> Optional[Picture]:
    """Show latency over the quantile, up to as many nines as there are
    samples."""
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


def series_of(row: Object) -> List[Tuple[Tuple[str, ...], List[Object]]]:
    """Return [(words, intervals)] of ROW: of each direction when there are
    two."""
    if row.get("intervals"):
        return [((), row["intervals"])]
    return [((f"from {one['from']}",), one["intervals"])
            for one in row.get("directions") or [] if one.get("intervals")]


def all_series(records: Sequence[Record]) -> Dict[Key, List[Object]]:
    """Return the intervals of each run, by what tells the runs apart."""
    found: Dict[Key, List[Object]] = {}
    for key, group in by_curve(records, point_of).items():
        for number, record in enumerate(group, 1):
            rounds = (f"round {number}",) if len(group) > 1 else ()
            for words, series in series_of(record.row or {}):
                found[(*key, *words, *rounds)] = series
    return found


def middle(interval: Object) -> Dot:
    """Return INTERVAL's bandwidth, at the middle of its time."""
    return Dot(interval["start"] + interval["seconds"] / 2, interval["gbps"])


def intervals(records: Sequence[Record], _: Sequence[str]
              ) -> Optional[Picture]:
    """Show the bandwidth of each interval of each run."""
    series = all_series([r for r in of_metric(records, "_bw") if r.row])
    names = labels(series)
    curves = [Curve(names[key], [middle(one) for one in every])
              for key, every in series.items()]
    if not curves:
        return None
    return Picture("intervals", "time [s]", "linear", 1, styled(
        [Panel("", "bandwidth [Gb/s]", curves, "linear")]), [])


Maker = Callable[[Sequence[Record], Sequence[str]], Optional[Picture]]
MAKERS: Dict[str, Maker] = {
    "bandwidth": bandwidth, "latency": latency, "load": load,
    "distribution": distribution, "intervals": intervals}


def drawn(kind: str, records: Iterable[Record]) -> List[Record]:
    """Return those of RECORDS that a picture of KIND is about."""
    return of_metric(records, "_bw" if kind in ("bandwidth", "intervals")
                     else "_lat")


def is_of_one_size(records: Iterable[Record]) -> bool:
    """Return True when all RECORDS, of which there are some, have one size."""
    return len({size_of(record) for record in records}) == 1


def kinds(records: Sequence[Record]) -> List[str]:
    """Return the kinds that RECORDS have data for, the likeliest wish
    first."""
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
