"""The axes of a picture, in matplotlib: where they begin and end, and which
values are written beside them."""
import math
from typing import Sequence

from matplotlib import ticker
from matplotlib.axes import Axes

from verbsperf.documents.points import size_text
from verbsperf.plot.curves import Curve, Picture
from verbsperf.plot.spans import Span

# Where the size 0 stands on an axis of powers of two.
ZERO = 0.5
# As many nines as an axis of percentiles may have.
QUANTILES = (50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999)
# Inches between two sizes, and between two values of a y axis, at least.
SIZE_GAP, VALUE_GAP = 0.42, 0.22
# Inches that a letter needs.
LETTER = 0.075
# The share of the room between two sizes that set-ups side by side take.
SHARE = 0.8


def position(scale: str, x: float) -> float:
    """Return where X is drawn."""
    return max(x, ZERO) if scale == "size" else x


def sizes_of(picture: Picture) -> list[float]:
    """Return where the sizes of PICTURE are drawn."""
    return sorted({position("size", d.x) for one in picture.curves()
                   for d in one.dots})


def band_of(picture: Picture) -> float:
    """Return by what factor two sizes of PICTURE differ at least, up to 2."""
    xs = sizes_of(picture)
    return min([2.0, *(b / a for a, b in zip(xs, xs[1:]))])


def beside(picture: Picture, one: Curve, x: float) -> float:
    """Return where ONE has X: beside others, if the curves are set-ups."""
    at, count = position(picture.x_scale, x), len(picture.styles())
    if not picture.beside:
        return at
    place = (one.style + 0.5) / count - 0.5
    return float(at * band_of(picture) ** (SHARE * place))


def draw_bands(axes: Axes, picture: Picture) -> None:
    """Show which x are of one size, in every other band."""
    half = band_of(picture) ** 0.5
    for x in sizes_of(picture)[::2]:
        axes.axvspan(x / half, x * half, color="#f0f0f0", linewidth=0,
                     zorder=0, gid="band")


def size_axis(axes: Axes, sizes: Sequence[float]) -> None:
    """Label the x axis with powers of two, such as 64, 4K or 1M."""
    axes.set_xscale("log", base=2)
    low = min(math.log2(max(s, ZERO)) for s in sizes)
    high = max(math.log2(max(s, ZERO)) for s in sizes)
    width = axes.get_position().width * axes.figure.get_figwidth()
    step = max(1, math.ceil((high - low) / max(1, width / SIZE_GAP)))
    ticks = [2.0 ** e for e in range(max(0, math.floor(low)),
                                     math.ceil(high) + 1) if e % step == 0]
    if 0 in sizes:
        ticks.append(ZERO)
    axes.xaxis.set_major_locator(ticker.FixedLocator(ticks))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda x, _: "0" if x < 1 else size_text(round(x))))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlim(2 ** (low - 0.5), 2 ** (high + 0.5))


def percentile_text(x: float) -> str:
    """Return the percentile that is drawn at X."""
    return "0%" if x < 1.01 else f"{100 - 100 / x:.9g}%"


def with_room(places: Sequence[float], decade: float) -> list[float]:
    """Return those of PLACES whose percentiles are not on each other, where a
    DECADE has so many inches."""
    kept, edge = [], -math.inf
    for x in places:
        half = LETTER * (len(percentile_text(x)) + 1) / 2
        if math.log10(x) * decade - half >= edge:
            kept.append(x)
            edge = math.log10(x) * decade + half
    return kept


def percentile_axis(axes: Axes, most: float) -> None:
    """Label the x axis with percentiles, as far as MOST has nines."""
    axes.set_xscale("log")
    known = [q for q in QUANTILES if 1 / (1 - q / 100) <= most * 1.01]
    inches = axes.get_position().width * axes.figure.get_figwidth()
    axes.xaxis.set_major_locator(ticker.FixedLocator(with_room(
        [1] + [1 / (1 - q / 100) for q in known],
        inches / math.log10(most * 1.15))))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda x, _: percentile_text(x)))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlim(1, most * 1.15)


def set_x_axis(axes: Axes, picture: Picture) -> None:
    """Scale the x axis, which all panels share."""
    xs = [d.x for one in picture.curves() for d in one.dots]
    xs += [x for one in picture.curves() for x in one.failed]
    if picture.x_scale == "size":
        size_axis(axes, xs)
    elif picture.x_scale == "percentile":
        percentile_axis(axes, max(xs))
    else:
        axes.set_xlim(0, max(xs) * 1.05 or 1)


def log_ticks(axes: Axes, span: Span) -> ticker.Locator:
    """Choose as many ticks as there is room for."""
    decades = math.log10(span.high / span.low)
    height = axes.get_position().height * axes.figure.get_figheight()
    room = height / VALUE_GAP
    if span.is_near():
        return ticker.MaxNLocator(max(2, int(room)), steps=[1, 2, 5, 10])
    for subs in ((1, 2, 5), (1, 3), (1,)):
        if decades * len(subs) < room:
            break
    return ticker.LogLocator(
        subs=subs, numticks=99 if len(subs) > 1 else max(2, int(room)))


def set_y_axis(axes: Axes, span: Span) -> None:
    """Show SPAN on the y axis, with ticks in plain numbers."""
    if span.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(log_ticks(axes, span))
        axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(span.low, span.high)
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(
        lambda y, _: f"{y:.9f}".rstrip("0").rstrip(".")))
