"""What verbsperf-plot draws: Records of results as curves.

Nothing here knows how a curve is drawn.  A value that was not measured is a
gap, None; a run that failed is in "failed" of its curve."""
import dataclasses
import statistics
import typing

from verbsperf import results
from verbsperf.labels import by_curve, failures, grouped, labels, size_of
from verbsperf import stats

KINDS = {
    "bandwidth": "bandwidth and message rate over size",
    "latency": "latency over size",
    "distribution": "latency distribution",
    "load": "latency over offered load",
    "intervals": "bandwidth over time",
}
PERCENTILES = ("50", "99", "99.9")
RUN_BARS = "bars: 95% confidence interval over the run's intervals"
ROUND_BARS = "bars: 95% confidence interval of the median of the rounds"
RANGE_BARS = ("dotted bars: range of the rounds, too few for a confidence"
              " interval")
THIN = "thin dots: too few samples to be sure"


class Dot(typing.NamedTuple):
    """A point of a curve; low and high are its bar, or None."""

    x: float
    y: float
    low: float = None
    high: float = None
    saturated: bool = False     # x was not reached
    ranged: bool = False        # the bar is no confidence interval


@dataclasses.dataclass
class Curve:
    """One line of a panel."""

    label: str
    dots: list
    failed: list = dataclasses.field(default_factory=list)  # their x
    trusted: float = None   # x up to which there were samples enough
    style: int = 0          # curves of one label have the same number


class Panel(typing.NamedTuple):
    """One pair of axes."""

    title: str
    y_label: str
    curves: list
    y_scale: str        # "linear", "log", or "wide": log when it is far


class Picture(typing.NamedTuple):
    """All that is drawn, but for its size and its title."""

    kind: str
    x_label: str
    x_scale: str        # "size", "percentile" or "linear"
    columns: int        # of the panels; those in a row share their y axis
    panels: list        # row by row
    notes: list         # what the signs mean


def percentile_key(text):
    """The name of the percentile TEXT, "99.9", in a row."""
    return "p" + text.replace(".", "_")


def percentile_name(text):
    """The same for people."""
    return "median" if text == "50" else f"{text}%"


def without(point, *names):
    """POINT without options NAMES."""
    return point._replace(options=tuple(
        option for option in point.options if option[0] not in names))


def dot(x, values, run_interval, bars):
    """A Dot of VALUES, one for each round; says in BARS what its bar is."""
    values = [value for value in values if value is not None]
    if not values:
        return Dot(x, None)
    if len(values) == 1:
        if not run_interval:
            return Dot(x, values[0])
        bars.add(RUN_BARS)
        return Dot(x, values[0], *run_interval)
    interval = stats.median_interval(values)
    bars.add(ROUND_BARS if interval else RANGE_BARS)
    if interval:
        return Dot(x, *interval)
    return Dot(x, statistics.median(values), min(values), max(values),
               ranged=True)


def curve(label, records, x_of, metric, bars):
    """METRIC of RECORDS over X_OF(record), and what failed."""
    dots, failed = [], []
    for x, same in sorted(grouped(records, x_of).items()):
        rows = [record.row for record in same if record.row]
        if len(rows) < len(same):
            failed.append(x)
        interval = run_interval(rows[0], metric) if len(rows) == 1 else None
        dots.append(dot(x, [results.metric(row, metric) for row in rows],
                        interval, bars))
    return Curve(label, dots, failed)


def run_interval(row, metric):
    """The confidence interval of one run's bandwidth, in METRIC's unit."""
    part = row["bandwidth"]
    interval = part and part.get("ci95_gbps")
    if not interval or not part.get("gbps") or part.get(metric) is None:
        return None
    scale = part[metric] / part["gbps"]
    return [bound * scale for bound in interval]


def styled(panels):
    """PANELS, whose curves have a look for each label."""
    labels_of = list(dict.fromkeys(
        one.label for panel in panels for one in panel.curves))
    for panel in panels:
        for one in panel.curves:
            one.style = labels_of.index(one.label)
    return panels


def has(curves):
    """True when there is anything to draw."""
    return any(dot.y is not None for one in curves for dot in one.dots)


def of_metric(records, suffix):
    """The RECORDS of tests called ..._SUFFIX, those that failed included."""
    return [record for record in records
            if record.point and (record.point.test or "").endswith(suffix)]


def over_size(record):
    """The point of all results of one curve over size."""
    return record.point._replace(size=None)


def bandwidth(records, _):
    """Two panels: Gb/s, and millions of messages a second."""
    groups = by_curve(of_metric(records, "_bw"), over_size)
    names, bars, panels = labels(groups), set(), []
    for metric, y_label, scale in (("gbps", "bandwidth [Gb/s]", "linear"),
                                   ("mpps", "message rate [Mpps]", "wide")):
        panels.append(Panel("", y_label, [
            curve(names[key], group, size_of, metric, bars)
            for key, group in groups.items()], scale))
    if not has(panels[0].curves):
        return None
    return Picture("bandwidth", "message size [bytes]", "size", 1,
                   styled(panels), sorted(bars) + failures(groups))


def definition(group):
    """What latency of GROUP is, half a round trip or all of it; None when
    nothing was measured."""
    for record in group:
        if record.row and record.row["latency"]:
            return record.row["latency"].get("definition") or "unknown"
    return None


def by_definition(groups):
    """{definition of latency: {key: group}}: what may be on one axis.  What
    only failed is of the first."""
    rows = {}
    for key, group in groups.items():
        rows.setdefault(definition(group), {})[key] = group
    failed = rows.pop(None, {})
    for row in rows.values():
        row.update(failed)
        break
    return rows


def latency_label(name):
    """Of a y axis."""
    return f"latency [\N{MICRO SIGN}s]\n{name}"


def percentile_panels(groups, percentiles, x_of, bars):
    """(columns, panels).  One curve: a panel with its percentiles; several:
    one for each, and a row of them for each definition of latency."""
    names, rows = labels(groups), by_definition(groups)
    if len(groups) == 1:
        ((key, group),) = groups.items()
        curves = [curve(percentile_name(q), group, x_of, percentile_key(q),
                        bars) for q in percentiles]
        curves = [one for one in curves if has([one])]
        panel = Panel(names[key], latency_label(definition(group)), curves,
                      "log")
        return 1, styled([panel] if curves else [])
    table = [[Panel(percentile_name(q), latency_label(name), [
        curve(names[key], group, x_of, percentile_key(q), bars)
        for key, group in row.items()], "log") for name, row in rows.items()]
        for q in percentiles]
    columns = [column for column in table
               if any(has(panel.curves) for panel in column)]
    return len(columns), styled([panel for row in zip(*columns)
                                 for panel in row])


def latency(records, percentiles):
    """Percentiles over size."""
    groups, bars = by_curve(of_metric(records, "_lat"), over_size), set()
    columns, panels = percentile_panels(groups, percentiles, size_of, bars)
    if not panels:
        return None
    return Picture("latency", "message size [bytes]", "size", columns, panels,
                   sorted(bars) + failures(groups))


def requested(record):
    """The load that RECORD's run was asked for, in Mpps, or None."""
    if record.row and record.row["latency"]:
        return record.row["latency"].get("requested_mpps")
    return None


def saturated_notes(panels, groups):
    """Marks the dots of runs that did not keep up; says what they reached."""
    names, notes = labels(groups), []
    for key, group in groups.items():
        slow = [r for r in group if r.row["latency"].get("saturated")]
        if not slow:
            continue
        rates = {requested(r) for r in slow}
        for one in [one for panel in panels for one in panel.curves
                    if len(groups) == 1 or one.label == names[key]]:
            one.dots = [d._replace(saturated=d.x in rates) for d in one.dots]
        most = max(r.row["latency"].get("achieved_mpps") or 0 for r in slow)
        notes.append(f"{names[key]} {most:.4g} Mpps")
    if not notes:
        return []
    return ["hollow: saturated; most that was achieved there: "
            + ", ".join(notes)]


def load(records, percentiles):
    """Percentiles of an open loop over the rate that was asked for."""
    every = of_metric(records, "_lat")
    groups, bars = by_curve([r for r in every if requested(r)],
                            lambda r: without(r.point, "rate")), set()
    columns, panels = percentile_panels(groups, percentiles, requested, bars)
    if not panels:
        return None
    notes = saturated_notes(panels, groups)
    lost = [dict(r.point.options)["rate"] for r in every
            if not r.row and "rate" in dict(r.point.options)]
    if lost:
        notes.append(f"failed, not shown: --rate {', '.join(lost)}")
    return Picture("load", "offered load [Mpps]", "linear", columns, panels,
                   sorted(bars) + notes)


def trusted_until(samples):
    """From which 1 / (1 - q) on there were too few SAMPLES to say quantile
    q: as verbsperf has it, n >= ln 0.05 / ln q."""
    return 1 / (1 - 0.05 ** (1 / samples))


def merged_bins(rows):
    """{high in ns: count} of the histograms of ROWS."""
    bins = {}
    for row in rows:
        for _, high, count in row["histogram"]["bins"]:
            bins[high] = bins.get(high, 0) + count
    return bins


def quantile_dots(bins):
    """Latency in us over 1 / (1 - q); the largest is at n samples."""
    total, below, dots = sum(bins.values()), 0, []
    for high in sorted(bins):
        if not bins[high]:
            continue
        if not dots:
            dots.append(Dot(1, high / 1000))
        below += bins[high]
        dots.append(Dot(total / max(1, total - below), high / 1000))
    return total, dots


def distribution(records, _):
    """Latency over the quantile, to as many nines as there are samples."""
    rows = [r for r in of_metric(records, "_lat")
            if r.row and r.row.get("histogram")]
    groups = by_curve(rows, lambda r: r.point)
    names, panels = labels(groups), []
    for name, row in by_definition(groups).items():
        curves = []
        for key, group in row.items():
            total, dots = quantile_dots(merged_bins([r.row for r in group]))
            if dots:
                curves.append(Curve(names[key], dots,
                                    trusted=trusted_until(total)))
        if curves:
            panels.append(Panel("", latency_label(name), curves, "log"))
    if not panels:
        return None
    return Picture("distribution", "percentile", "percentile", 1,
                   styled(panels), [THIN])


def series_of(row):
    """[(words, intervals)] of ROW: of each direction when there are two."""
    if row.get("intervals"):
        return [((), row["intervals"])]
    return [((f"from {one['from']}",), one["intervals"])
            for one in row.get("directions") or [] if one.get("intervals")]


def intervals(records, _):
    """Bandwidth of each interval of each run."""
    series = {}
    rows = [r for r in of_metric(records, "_bw") if r.row]
    for key, group in by_curve(rows, lambda r: r.point).items():
        for number, r in enumerate(group, 1):
            rounds = (f"round {number}",) if len(group) > 1 else ()
            for words, one in series_of(r.row):
                series[(*key, *words, *rounds)] = one
    names = labels(series)
    curves = [Curve(names[key], [Dot(one["start"] + one["seconds"] / 2,
                                     one["gbps"]) for one in every])
              for key, every in series.items()]
    if not curves:
        return None
    return Picture("intervals", "time [s]", "linear", 1, styled(
        [Panel("", "bandwidth [Gb/s]", curves, "linear")]), [])


MAKERS = {"bandwidth": bandwidth, "latency": latency, "load": load,
          "distribution": distribution, "intervals": intervals}


def drawn(kind, records):
    """Those of RECORDS that a picture of KIND is about."""
    return of_metric(records, "_bw" if kind in ("bandwidth", "intervals")
                     else "_lat")


def sizes(records):
    return {record.point.size for record in records if record.point}


def kinds(records):
    """The kinds that RECORDS have data for, the likeliest wish first."""
    rates = {requested(r) for r in records if requested(r)}
    order = ["bandwidth", "latency", "distribution", "load", "intervals"]
    if len(rates) > 1:
        order.insert(0, "load")
    if len(sizes(of_metric(records, "_bw"))) == 1:
        order.insert(0, "intervals")
    if len(sizes(of_metric(records, "_lat"))) == 1 and len(rates) < 2:
        order.insert(0, "distribution")
    return [kind for kind in dict.fromkeys(order)
            if MAKERS[kind](records, PERCENTILES)]


def picture(kind, records, percentiles=PERCENTILES):
    """The Picture of KIND, or None when RECORDS have no data for it."""
    return MAKERS[kind](records, percentiles)
