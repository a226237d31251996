"""The parts of a picture of verbsperf-plot, and curves made of Records.

Nothing here knows how a curve is drawn.  A value that was not measured is a
gap, None; a run that failed is in "failed" of its curve."""
import dataclasses
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.results import Record, grouped
from verbsperf.stats import noise, ranks, verdict
from verbsperf.stats.libraries import numpy, special

RUN_BARS = "bars: 95% confidence interval over the run's intervals"
ROUND_BARS = "bars: 95% confidence interval of the median of the rounds"
RANGE_BARS = ("dotted bars: range of the rounds; a confidence interval needs "
              f"{ranks.FEWEST_ROUNDS}")


class Dot(NamedTuple):
    """A point of a curve; low and high are its bar, or None."""

    x: float
    y: Optional[float]
    low: Optional[float] = None
    high: Optional[float] = None
    saturated: bool = False     # x was not reached
    ranged: bool = False        # the bar is no confidence interval


@dataclasses.dataclass
class Curve:
    """One line of a panel."""

    label: str
    dots: list[Dot]
    failed: list[float] = dataclasses.field(default_factory=list)  # their x
    trusted: float = 0.0    # x up to which there were samples enough
    style: int = 0          # curves of one label have the same number

    def has_values(self) -> bool:
        """Return True when there is anything to draw."""
        return any(dot.y is not None for dot in self.dots)


class Panel(NamedTuple):
    """One pair of axes."""

    title: str
    y_label: str
    curves: list[Curve]
    y_scale: str        # "linear", "log", or "wide": log when it is far

    def has_values(self) -> bool:
        """Return True when there is anything to draw."""
        return any(curve.has_values() for curve in self.curves)


class Picture(NamedTuple):
    """All that is drawn, but for its size and its title."""

    kind: str
    x_label: str
    x_scale: str            # "size", "percentile" or "linear"
    columns: int            # of the panels; those in a row share their y axis
    panels: list[Panel]     # row by row
    notes: list[str]        # what the signs mean
    beside: bool = False    # the curves are set-ups, side by side at a size

    def curves(self) -> list[Curve]:
        """Return those of all panels."""
        return [curve for panel in self.panels for curve in panel.curves]

    def styles(self) -> set[int]:
        """Return those of its curves."""
        return {one.style for one in self.curves()}


Interval = tuple[float, float]


def intervals_of(samples: dict[float, list[float]]) -> dict[float, Interval]:
    """Return the 95% interval of the median of SAMPLES with rounds enough."""
    enough = {x: values for x, values in samples.items()
              if len(values) >= ranks.FEWEST_ROUNDS}
    if not enough:
        return {}
    found = noise.noise_of([numpy.log(numpy.maximum(values, verdict.LEAST))
                            for values in enough.values()])
    reach = numpy.exp(numpy.sqrt(found.medians) * special.stdtrit(
        found.freedom, (1 + verdict.CONFIDENCE) / 2))
    return {x: (ranks.median(values) / factor, ranks.median(values) * factor)
            for (x, values), factor in zip(enough.items(), map(float, reach))}


def dot(x: float, values: Sequence[float], interval: Optional[Interval],
        bars: set[str]) -> Dot:
    """Make a Dot of VALUES with their INTERVAL; add to BARS what that is."""
    if not values:
        return Dot(x, None)
    middle = ranks.median(values)
    if interval:
        bars.add(RUN_BARS if len(values) == 1 else ROUND_BARS)
        return Dot(x, middle, *interval)
    if len(values) == 1:
        return Dot(x, middle)
    bars.add(RANGE_BARS)
    return Dot(x, middle, min(values), max(values), ranged=True)


def curve(label: str, records: Iterable[Record],
          x_of: Callable[[Record], float], metric: str, bars: set[str]
          ) -> Curve:
    """Make the Curve of METRIC over X_OF of RECORDS; add its bars to BARS."""
    made = Curve(label, [])
    groups = sorted(grouped(records, x_of).items())
    samples = {x: results.values_of(same, metric) for x, same in groups}
    intervals = intervals_of(samples)
    for x, same in groups:
        rows = [record.row for record in same if record.row]
        if len(rows) < len(same):
            made.failed.append(x)
        interval = intervals.get(x)
        if len(rows) == 1:
            interval = run_interval(rows[0], metric)
        made.dots.append(dot(x, samples[x], interval, bars))
    return made


def run_interval(row: Object, metric: str) -> Optional[Interval]:
    """Return the interval of one run's bandwidth, in METRIC's unit."""
    part = row["bandwidth"]
    interval = part and part.get("ci95_gbps")
    if not interval or not part.get("gbps") or part.get(metric) is None:
        return None
    scale = part[metric] / part["gbps"]
    return interval[0] * scale, interval[1] * scale


def styled(panels: list[Panel]) -> list[Panel]:
    """Give the curves of PANELS a style for each label; return PANELS."""
    labels = list(dict.fromkeys(
        one.label for panel in panels for one in panel.curves))
    for panel in panels:
        for one in panel.curves:
            one.style = labels.index(one.label)
    return panels
