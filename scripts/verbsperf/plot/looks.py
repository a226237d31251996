"""Draws curves with matplotlib, each so that it is told apart in grey, too:
by line style and marker."""
import math
from typing import Any, Iterable, Iterator

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from verbsperf.base import foreign
from verbsperf.plot.axes import beside
from verbsperf.plot.curves import Curve, Dot, Picture

# Colours (Okabe and Ito's, from dark to light), line styles and markers: each
# is enough to tell two curves apart.
STYLES = (
    ("#000000", "-", "o"),
    ("#0072b2", (0, (5, 2)), "s"),
    ("#d55e00", (0, (1, 1.2)), "^"),
    ("#009e73", (0, (6, 1.5, 1, 1.5)), "D"),
    ("#cc79a7", (0, (10, 2)), "v"),
    ("#e69f00", (0, (4, 1, 1, 1, 1, 1)), "P"),
    ("#56b4e9", (0, (2, 1)), "<"),
    ("#666666", (0, (8, 2, 2, 2, 2, 2)), "*"),
)
CURVES_MAX = len(STYLES)
# Where runs failed.
CROSS: dict[str, Any] = {
    "marker": "X", "markersize": 7, "color": "black",
    "markerfacecolor": "white", "linestyle": ""}
# Points of a marker, at most, and of all those that are side by side.
MARKER, MARKERS = 4.5, 13.0


def shortened(text: str, length: int = 60) -> str:
    """Return TEXT, cut in the middle when it is longer than LENGTH."""
    text = foreign.terminal(text)
    if len(text) <= length:
        return text
    return f"{text[:length - 25]}...{text[-22:]}"


def look_of(one: Curve, thin: bool = False) -> dict[str, Any]:
    """Return how the line of ONE is drawn; THIN where markers count."""
    colour, line, _ = STYLES[one.style % CURVES_MAX]
    return {"color": colour, "linestyle": line,
            "linewidth": 0.5 if thin else 1.4, "label": shortened(one.label)}


def marker_size(picture: Picture) -> float:
    """Return the size of the markers of PICTURE, in points."""
    return min(MARKER, MARKERS / len(picture.styles()) if picture.beside
               else MARKER)


def marker_of(one: Curve, size: float = MARKER) -> dict[str, Any]:
    """Return how the markers of ONE are drawn."""
    return {"marker": STYLES[one.style % CURVES_MAX][2], "markersize": size,
            "markeredgewidth": 0.2 * size}


def with_gaps(dots: Iterable[Dot]) -> Iterator[Dot]:
    """Yield DOTS of sizes, with gaps where a power of two is missing."""
    before = None
    for d in dots:
        if before is not None and d.x > 2 * max(before, 1):
            yield Dot(math.nan, None)
        yield d
        before = d.x


def placed(picture: Picture, one: Curve) -> list[Dot]:
    """Return the dots of ONE where they are drawn; y is NaN in a gap."""
    dots: Iterable[Dot] = one.dots
    if picture.x_scale == "size":
        dots = with_gaps(dots)
    return [d._replace(x=beside(picture, one, d.x),
                       y=math.nan if d.y is None else d.y) for d in dots]


def draw_curve(axes: Axes, picture: Picture, one: Curve) -> None:
    """Draw ONE with its bars and gaps, and with crosses where it failed."""
    dots = placed(picture, one)
    if picture.x_scale == "percentile":
        draw_quantiles(axes, one, dots)
        return
    size = marker_size(picture)
    if one.has_values():
        axes.plot([d.x for d in dots], [d.y for d in dots], zorder=3,
                  markevery=max(1, len(dots) // 40),
                  **look_of(one, picture.beside), **marker_of(one, size))
    for d in dots:
        draw_bar(axes, one, d, size)
        if d.saturated:
            # its load was not reached
            axes.plot([d.x], [d.y], color=look_of(one)["color"],
                      markerfacecolor="white", linestyle="", zorder=4,
                      **marker_of(one, 6))
    draw_failed(axes, picture, one)


def draw_bar(axes: Axes, one: Curve, d: Dot, size: float) -> None:
    """Draw the bar of D, if it has one, to a marker of SIZE."""
    if d.y is None or d.low is None or d.high is None:
        return
    _, _, (bar,) = axes.errorbar(
        [d.x], [d.y], [[max(0, d.y - d.low)], [max(0, d.high - d.y)]],
        color=look_of(one)["color"], capsize=0.6 * size, elinewidth=1,
        linestyle="", zorder=2)
    bar.set_linestyle(":" if d.ranged else "-")


def draw_quantiles(axes: Axes, one: Curve, dots: list[Dot]) -> None:
    """Draw a distribution, thin from where there were too few samples."""
    xs, ys = [d.x for d in dots], [d.y for d in dots]
    last = max((i for i, x in enumerate(xs) if x <= one.trusted), default=0)
    colour = look_of(one)["color"]
    axes.plot(xs[:last + 1], ys[:last + 1], drawstyle="steps-pre", zorder=3,
              **look_of(one))
    axes.plot(xs[last:], ys[last:], drawstyle="steps-pre", linestyle=":",
              linewidth=0.9, color=colour, zorder=2)
    shown = marked(xs[:last + 1])
    axes.plot([xs[i] for i in shown], [ys[i] for i in shown], color=colour,
              linestyle="", zorder=4, **marker_of(one))


def marked(xs: list[float]) -> list[int]:
    """Return which of XS get a marker: one at each half of a nine."""
    shown: list[int] = []
    for i, x in enumerate(xs):
        if not shown or math.log10(x) >= math.log10(xs[shown[-1]]) + 0.5:
            shown.append(i)
    return shown


def cross_of(one: Curve, size: float = MARKER) -> dict[str, Any]:
    """Return how a failure of ONE is drawn beside markers of SIZE."""
    return {**CROSS, "color": look_of(one)["color"],
            "markersize": CROSS["markersize"] * size / MARKER}


def draw_failed(axes: Axes, picture: Picture, one: Curve) -> None:
    """Draw crosses on the axis where runs failed and gave no value."""
    if one.failed:
        axes.plot([beside(picture, one, x) for x in one.failed],
                  [0.0] * len(one.failed), clip_on=False, zorder=5,
                  transform=axes.get_xaxis_transform(), gid="failed",
                  **cross_of(one, marker_size(picture)))


def legend_entries(picture: Picture) -> list[Line2D]:
    """Return a line for each style as it is drawn, and for the crosses."""
    entries: dict[int, Line2D] = {}
    every = picture.curves()
    for one in sorted(every, key=Curve.has_values, reverse=True):
        look = ({**look_of(one, picture.beside), **marker_of(one)}
                if one.has_values() else
                {**cross_of(one), "label": shortened(one.label)})
        entries.setdefault(one.style, Line2D([], [], **look))
    lines = [entries[style] for style in sorted(entries)]
    if any(one.failed for one in every):
        lines.append(Line2D([], [], label="failed", **CROSS))
    return lines
