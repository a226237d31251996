"""The pictures of verbsperf-compare --nics: one page of them, with what its
tables have."""
import re
from typing import Callable, Iterator, Optional, Sequence

from verbsperf.base.metrics import METRICS
from verbsperf.documents.jsonfile import Object
from verbsperf.nics.report import COMPARED, SHOWN, Group
from verbsperf.plot import figure, series
from verbsperf.plot.curves import Curve, Dot, Panel, Picture, styled
from verbsperf.plot.labels import failures_of

RATIO_BARS = "bars: 95% interval of the ratio, as in the table"
POINTS = 72     # to an inch


def panel(group: Object, names: Sequence[str], label: str, scale: str,
          dot_of: Callable[[int, Object], Dot]) -> Panel:
    """Return a curve over size for each of NAMES, of DOT_OF its figures."""
    curves = []
    for name in names:
        own = [(point["size"], point["figures"][name])
               for point in group["points"] if name in point["figures"]]
        curves.append(Curve(name, [dot_of(*one) for one in own],
                            [size for size, one in own if one["failed"]]))
    return Panel("", label, [one for one in curves if one.dots], scale)


def value_panel(group: Object, names: Sequence[str], metric: str) -> Panel:
    """Return the figures of METRIC."""
    label, scale = "share of link", "linear"
    if metric in METRICS:
        label, scale = METRICS[metric].label(), METRICS[metric].scale
    return panel(group, names, label, scale,
                 lambda size, one: Dot(size, one[metric]))


def ratio_panel(group: Object, names: Sequence[str], metric: str) -> Panel:
    """Return the ratios of METRIC to the first of NAMES."""
    def dot_of(size: int, one: Object) -> Dot:
        if one["ratios"] is None:   # the first itself
            return Dot(size, one[metric] and 1.0)
        ratio = one["ratios"][metric] or {}
        return Dot(size, ratio.get("ratio"), ratio.get("low"),
                   ratio.get("high"))
    return panel(group, names, f"{METRICS[metric].title}\nto {names[0]}",
                 "wide", dot_of)


def panels_of(group: Object, names: Sequence[str]) -> Iterator[Panel]:
    """Yield the panels of GROUP, each that is compared with its ratios."""
    for metric in SHOWN[group["kind"]]:
        if metric != "share" or links_differ(group):
            yield value_panel(group, names, metric)
        if metric in COMPARED[group["kind"]]:
            yield ratio_panel(group, names, metric)


def links_differ(group: Object) -> bool:
    """Return True when the share of the link tells more than Gb/s do."""
    return len({round(one["gbps"] / one["share"], 3)
                for point in group["points"]
                for one in point["figures"].values()
                if one["gbps"] and one["share"]}) > 1


def over_size(group: Object, names: Sequence[str]) -> Optional[Picture]:
    """Show what GROUP has of NAMES over size."""
    panels = [one for one in panels_of(group, names) if one.has_values()]
    if not panels:
        return None
    failed = failures_of((name, [
        (point["size"], one["failed"], one["rounds"] + one["failed"])
        for point in group["points"] for other, one in
        point["figures"].items() if other == name]) for name in names)
    bars = any(dot.low is not None for one in panels for curve in one.curves
               for dot in curve.dots)
    return Picture(group["kind"], "message size [bytes]", "size", 1,
                   styled(panels), [RATIO_BARS] * bars + failed, True)


def distribution(group: Group, names: Sequence[str]) -> Optional[Picture]:
    """Show how latency is distributed at the smallest size with histograms."""
    for size, found in group.sizes.items():
        curves: list[Curve] = []
        for name in names:
            records = [record for record in found.get(name, [])
                       if record.row and record.row.get("histogram")]
            if records:
                curves.append(series.quantile_curve(name, records))
        if len(curves) > 1:
            label = f"latency of {size} bytes [\N{MICRO SIGN}s]"
            return Picture("distribution", "percentile", "percentile", 1,
                           styled([Panel("", label, curves, "log")]),
                           [series.THIN])
    return None


def pictures(report: Object, groups: Sequence[Group]
             ) -> Iterator[tuple[str, Picture]]:
    """Yield (label of a group, picture) of REPORT, which is about GROUPS."""
    names = [setup["name"] for setup in report["setups"]]
    for group, found in zip(groups, report["groups"]):
        kinds = [over_size(found, names)]
        if group.kind == "latency":
            kinds.append(distribution(group, names))
        for one in kinds:
            if one:
                yield group.label, one


def svg_of(label: str, picture: Picture) -> str:
    """Draw PICTURE, and return the element svg."""
    text = figure.image(figure.draw(picture, [], label), "svg").decode()
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
    width = figure.WIDTH * POINTS
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}pt" '
            f'height="{top:g}pt" viewBox="0 0 {width:g} {top:g}">\n'
            + "".join(parts) + "</svg>\n")
