"""The pictures of verbsperf-compare --nics: one page of them."""
import io
import re
from typing import Iterator, List, Optional, Sequence, Set, Tuple

from verbsperf.documents.results import Record
from verbsperf.nics.report import Group
from verbsperf.nics.setups import Setup, rate_of
from verbsperf.plot import figure, series
from verbsperf.plot.curves import Axis, Curve, Panel, Picture, curve, styled
from verbsperf.plot.labels import failures_of, size_of

PERCENTILES = ("50", "99", "99.9")
WIDTH = 7.5
HEIGHT = {"bandwidth": 7.0, "latency": 4.2, "distribution": 4.2}
POINTS = 72     # to an inch


def with_share(record: Record) -> Record:
    """Return RECORD with "share" of the link, in percent, beside its Gb/s."""
    rate, row = rate_of(record), record.row
    if not row or not row["bandwidth"]:
        return record
    gbps = row["bandwidth"].get("gbps")
    share = 100 * gbps / rate if rate and gbps is not None else None
    return record._replace(row={**row, "bandwidth": {**row["bandwidth"],
                                                     "share": share}})


def by_setup(group: Group, every: Sequence[Setup]
             ) -> List[Tuple[str, List[Record]]]:
    """Return (set-up, its records) of GROUP."""
    found = []
    for setup in every:
        records = [record for names in group.sizes.values()
                   for record in names.get(setup.name, [])]
        if records:
            found.append((setup.name, records))
    return found


def panel(parts: Sequence[Tuple[str, List[Record]]], metric: str, label: str,
          scale: str, bars: Set[str], title: str = "") -> Panel:
    """Return the curves of METRIC over size."""
    return Panel(title, label, [
        curve(name, records, Axis(size_of, metric), bars)
        for name, records in parts], scale)


def over_size(group: Group, every: Sequence[Setup]) -> Optional[Picture]:
    """Show what GROUP measured over size."""
    parts = by_setup(group, every)
    bars: Set[str] = set()
    if group.kind == "bandwidth":
        parts = [(name, list(map(with_share, records)))
                 for name, records in parts]
        panels = [panel(parts, "gbps", "bandwidth [Gb/s]", "linear", bars),
                  panel(parts, "share", "share of link [%]", "linear", bars),
                  panel(parts, "mpps", "message rate [Mpps]", "wide", bars)]
    else:
        panels = [panel(parts, series.percentile_key(q),
                        "latency [\N{MICRO SIGN}s]", "log", bars,
                        series.percentile_name(q)) for q in PERCENTILES]
    panels = [one for one in panels if one.has_values()]
    if not panels:
        return None
    columns = 1 if group.kind == "bandwidth" else len(panels)
    return Picture(group.kind, "message size [bytes]", "size", columns,
                   styled(panels), sorted(bars) + failures_of(parts))


def distribution(group: Group, every: Sequence[Setup]) -> Optional[Picture]:
    """Show how latency is distributed at the smallest size with histograms of
    two set-ups."""
    for size, names in group.sizes.items():
        curves: List[Curve] = []
        for setup in every:
            records = [record for record in names.get(setup.name, [])
                       if record.row and record.row.get("histogram")]
            if records:
                curves.append(series.quantile_curve(setup.name, records))
        if len(curves) > 1:
            label = f"latency of {size} bytes [\N{MICRO SIGN}s]"
            return Picture("distribution", "percentile", "percentile", 1,
                           styled([Panel("", label, curves, "log")]),
                           [series.THIN])
    return None


def pictures(groups: Sequence[Group], every: Sequence[Setup]
             ) -> Iterator[Tuple[str, Picture]]:
    """Yield (label of a group, picture) of all GROUPS."""
    for group in groups:
        kinds = [over_size(group, every)]
        if group.kind == "latency":
            kinds.append(distribution(group, every))
        for one in kinds:
            if one:
                yield group.label, one


def svg_of(label: str, picture: Picture) -> str:
    """Draw PICTURE, and return the element svg."""
    drawn = figure.draw(picture, [], label, (WIDTH, HEIGHT[picture.kind]))
    file = io.BytesIO()
    figure.save(drawn, file, "svg")
    text = file.getvalue().decode()
    return text[text.index("<svg"):]


def page_of_svg(drawn: Sequence[str]) -> str:
    """Return one SVG with all of DRAWN below each other."""
    parts, top = [], 0.0
    for svg in drawn:
        match = re.search(r'height="([\d.]+)pt"', svg)
        height = float(match[1]) if match else 0.0
        parts.append(svg.replace("<svg", f'<svg y="{top:g}"', 1)
                     .replace("pt\"", "\""))
        top += height
    width = WIDTH * POINTS
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}pt" '
            f'height="{top:g}pt" viewBox="0 0 {width:g} {top:g}">\n'
            + "".join(parts) + "</svg>\n")
