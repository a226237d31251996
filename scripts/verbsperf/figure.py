"""Draws a Picture of series with matplotlib, without a display.

What tells curves apart is line style and marker, so that it shows in grey,
too; nothing stands over the data but the data."""
import math
import textwrap
import typing

import matplotlib
matplotlib.use("Agg")
# pylint: disable=wrong-import-position
from matplotlib import figure, ticker  # noqa: E402
from matplotlib.backends import backend_agg  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402

from verbsperf import results
from verbsperf import series

matplotlib.rcParams.update({
    "text.parse_math": False,   # a title may have a $
    "svg.fonttype": "none",     # text stays text
    "svg.hashsalt": "verbsperf",
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "axes.unicode_minus": False,
})
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
SIZE = (7.5, 5.0)
SMALLEST = (4.0, 3.0)
LARGEST = (40.0, 40.0)
FOOT_FONT = 6.5
LINE = 0.13             # height of a line of the foot, in inches
ROW = 0.19              # of a row of the legend
FOOT_LINES = 12
# Where the size 0 stands on an axis of powers of two.
ZERO = 0.5
# Axes that are lower are lower than their labels are long, in inches.
LOWEST = 1.35
# The least of the largest value that an axis shows: of a smaller change most
# is noise.
LEAST_SPAN = 0.05
# Nearer to each other than by that factor, values have even ticks on an axis of
# logarithms, too.
NEAR = 5
NOT_FROM_ZERO = "y does not begin at 0 everywhere; with --from-zero it does"
QUANTILES = (50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999)


class TooSmall(Exception):
    """The picture has no room for axes; the text says how much is missing."""


def printable(text):
    """TEXT without what would break a line, or an SVG."""
    return "".join(c if c.isprintable() else "?" for c in text)


def shortened(text, length=60):
    """TEXT, or its beginning and its end."""
    text = printable(text)
    if len(text) <= length:
        return text
    return f"{text[:length - 25]}...{text[-22:]}"


def position(scale, x):
    """Where X is drawn."""
    return max(x, ZERO) if scale == "size" else x


def with_gaps(dots):
    """DOTS of sizes, with a gap where a power of two between two of them was
    not measured."""
    before = None
    for d in dots:
        if before is not None and d.x > 2 * max(before, 1):
            yield series.Dot(math.nan, None)
        yield d
        before = d.x


def draw_curve(axes, picture, one):
    """ONE curve with bars and gaps."""
    colour, line, marker = STYLES[one.style % CURVES_MAX]
    dots = one.dots
    if picture.x_scale == "size":
        dots = list(with_gaps(dots))
    xs = [position(picture.x_scale, d.x) for d in dots]
    ys = [math.nan if d.y is None else d.y for d in dots]
    look = {"color": colour, "linestyle": line, "linewidth": 1.4,
            "label": shortened(one.label), "zorder": 3}
    if picture.x_scale == "percentile":
        draw_quantiles(axes, one, xs, ys, look, marker)
        return
    axes.plot(xs, ys, marker=marker, markersize=4.5,
              markevery=max(1, len(xs) // 40), **look)
    for d, x, y in zip(dots, xs, ys):
        if d.low is not None and d.high is not None:
            _, _, (bar,) = axes.errorbar(
                [x], [y], [[max(0, y - d.low)], [max(0, d.high - y)]],
                color=colour, capsize=3, elinewidth=1, linestyle="", zorder=2)
            bar.set_linestyle(":" if d.ranged else "-")
        if d.saturated:
            axes.plot([x], [y], marker=marker, markersize=6, color=colour,
                      markerfacecolor="white", linestyle="", zorder=4)


def draw_quantiles(axes, one, xs, ys, look, marker):
    """A distribution, thin from where there were too few samples."""
    last = max((i for i, x in enumerate(xs) if x <= one.trusted), default=0)
    axes.plot(xs[:last + 1], ys[:last + 1], drawstyle="steps-pre", **look)
    axes.plot(xs[last:], ys[last:], drawstyle="steps-pre", linestyle=":",
              linewidth=0.9, color=look["color"], zorder=2)
    # a marker at each half of a nine tells curves apart where lines cannot
    shown = []
    for i, x in enumerate(xs[:last + 1]):
        if not shown or math.log10(x) >= math.log10(xs[shown[-1]]) + 0.5:
            shown.append(i)
    axes.plot([xs[i] for i in shown], [ys[i] for i in shown], marker=marker,
              markersize=4.5, color=look["color"], linestyle="", zorder=4)


def draw_failed(axes, picture, one):
    """Crosses on the axis where runs failed: no value at all."""
    if one.failed:
        axes.plot([position(picture.x_scale, x) for x in one.failed],
                  [0.0] * len(one.failed), marker="X", markersize=7,
                  color="black", markerfacecolor="white", linestyle="",
                  transform=axes.get_xaxis_transform(), clip_on=False,
                  zorder=5, gid="failed")


def size_axis(axes, sizes):
    """Powers of two, called 64, 4K or 1M; at most a dozen of them."""
    axes.set_xscale("log", base=2)
    low = min(math.log2(max(s, ZERO)) for s in sizes)
    high = max(math.log2(max(s, ZERO)) for s in sizes)
    width = axes.get_position().width * axes.figure.get_figwidth()
    step = max(1, math.ceil((high - low) / max(1, width / 0.42)))
    ticks = [2.0 ** e for e in range(max(0, math.floor(low)),
                                     math.ceil(high) + 1) if e % step == 0]
    if 0 in sizes:
        ticks.append(ZERO)
    axes.xaxis.set_major_locator(ticker.FixedLocator(ticks))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda x, _: "0" if x < 1 else results.size_text(round(x))))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlim(2 ** (low - 0.5), 2 ** (high + 0.5))


def percentile_axis(axes, most):
    """As far right as there are nines."""
    axes.set_xscale("log")
    known = [q for q in QUANTILES if 1 / (1 - q / 100) <= most * 1.01]
    axes.xaxis.set_major_locator(ticker.FixedLocator(
        [1] + [1 / (1 - q / 100) for q in known]))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(
        lambda x, _: "0%" if x < 1.01 else f"{100 - 100 / x:.9g}%"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlim(1, most * 1.15)


def x_axis(axes, picture):
    """What is shared by all panels."""
    xs = [d.x for panel in picture.panels for one in panel.curves
          for d in one.dots]
    xs += [x for panel in picture.panels for one in panel.curves
           for x in one.failed]
    if picture.x_scale == "size":
        size_axis(axes, xs)
    elif picture.x_scale == "percentile":
        percentile_axis(axes, max(xs))
    else:
        axes.set_xlim(0, max(xs) * 1.05 or 1)


def values(panels):
    """Every y, and every end of a bar."""
    return [y for panel in panels for one in panel.curves for d in one.dots
            for y in (d.y, d.low, d.high) if y is not None]


class Span(typing.NamedTuple):
    """What a y axis shows."""

    low: float
    high: float
    log: bool

    def begins_late(self):
        """True when the eye may take its beginning for 0."""
        return self.low > 0 and (not self.log or self.high < NEAR * self.low)


def linear_span(low, high):
    """Where LOW to HIGH are; from 0 when they come near it."""
    width = max(high - low, LEAST_SPAN * high)
    middle = (low + high) / 2
    bottom, top = middle - 0.58 * width, middle + 0.58 * width
    return Span(bottom if bottom > high / 4 else 0, top or 1, False)


def log_span(low, high):
    """The same of logarithms; no more than nine digits after the point."""
    ratio = max(high / low, 1 + LEAST_SPAN)
    middle, reach = math.sqrt(low * high), math.sqrt(ratio) * ratio ** 0.08
    return Span(max(1e-9, middle / reach), middle * reach, True)


def y_span(panels, from_zero):
    """The Span of PANELS, which share their y axis."""
    scale, every = panels[0].y_scale, values(panels)
    if from_zero or not every:
        return Span(0, max(every, default=0) * 1.12 or 1, False)
    above = [y for y in every if y > 0]
    far = above and max(above) >= 10 * min(above)
    if above and (scale == "log" or scale == "wide" and far):
        return log_span(min(above), max(above))
    return linear_span(min(every), max(every))


def y_spans(picture, from_zero):
    """The Span of each panel; those in a row have one."""
    n = picture.columns
    rows = [picture.panels[i:i + n] for i in range(0, len(picture.panels), n)]
    return [span for row in rows
            for span in [y_span(row, from_zero)] * len(row)]


def log_ticks(axes, span):
    """As many as there is room for."""
    decades = math.log10(span.high / span.low)
    room = axes.get_position().height * axes.figure.get_figheight() / 0.22
    if span.high < NEAR * span.low:
        return ticker.MaxNLocator(max(2, int(room)), steps=[1, 2, 5, 10])
    for subs in ((1, 2, 5), (1, 3), (1,)):
        if decades * len(subs) < room:
            break
    return ticker.LogLocator(
        subs=subs, numticks=99 if len(subs) > 1 else max(2, int(room)))


def y_axis(axes, span):
    """SPAN, with ticks in plain numbers."""
    if span.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(log_ticks(axes, span))
        axes.yaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(span.low, span.high)
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(
        lambda y, _: f"{y:.9f}".rstrip("0").rstrip(".")))


def legend_entries(picture):
    """{look: line with its label}, and what a cross is."""
    entries = {}
    for panel in picture.panels:
        for one in panel.curves:
            colour, line, marker = STYLES[one.style % CURVES_MAX]
            entries.setdefault(one.style, Line2D(
                [], [], color=colour, linestyle=line, marker=marker,
                markersize=4.5, linewidth=1.4, label=shortened(one.label)))
    if any(one.failed for panel in picture.panels for one in panel.curves):
        entries["failed"] = Line2D([], [], color="black", marker="X",
                                   markerfacecolor="white", markersize=7,
                                   linestyle="", label="failed")
    return list(entries.values())


def add_legend(fig, picture, bottom):
    """Below the axes, in as many columns as fit; returns its height."""
    entries = legend_entries(picture)
    width, height = fig.get_size_inches()
    for columns in range(min(4, len(entries)), 0, -1):
        legend = fig.legend(
            handles=entries, loc="lower center",
            bbox_to_anchor=(0.5, bottom / height), ncol=columns,
            frameon=False, borderaxespad=0, borderpad=0.1, handlelength=3.2,
            columnspacing=1.5)
        extent = legend.get_window_extent(fig.canvas.get_renderer())
        if extent.width <= (width - 0.2) * fig.dpi or columns == 1:
            break
        legend.remove()
    return extent.height / fig.dpi


def foot_lines(lines, width):
    """LINES as wide as a picture of WIDTH inches."""
    columns = int((width - 0.3) / (FOOT_FONT / 72 * 0.53))
    wrapped = [part for line in lines
               for part in textwrap.wrap(printable(line), columns)]
    if len(wrapped) > FOOT_LINES:
        more = len(wrapped) - FOOT_LINES + 1
        wrapped[FOOT_LINES - 1:] = [f"and {more} more lines"]
    return wrapped


def add_foot(fig, lines):
    """At the very bottom, from the left; returns its height."""
    width, height = fig.get_size_inches()
    for number, text in enumerate(reversed(foot_lines(lines, width))):
        fig.text(0.12 / width, (0.08 + number * LINE) / height, text,
                 fontsize=FOOT_FONT, color="#333333", va="bottom")
    return 0.08 + len(foot_lines(lines, width)) * LINE


def make_axes(fig, picture, title, bottom):
    """The panels, beside or above each other, in what is left of FIG."""
    width, height = fig.get_size_inches()
    shape = len(picture.panels) // picture.columns, picture.columns
    axes = fig.subplots(*shape, squeeze=False, sharex=True, sharey="row")
    above = 0.12 + (0.22 if title else 0) + (
        0.2 if any(panel.title for panel in picture.panels) else 0)
    missing = above + bottom + 0.5 + shape[0] * LOWEST - height
    if missing > 0:
        needed = math.ceil(10 * (height + missing)) / 10
        raise TooSmall(f"{width:g}x{height:g} inches leave no room for what is"
                       f" drawn: --size {width:g}x{needed:g} is needed")
    fig.subplots_adjust(
        left=0.85 / width, right=1 - 0.15 / width, top=1 - above / height,
        bottom=(bottom + 0.5) / height, wspace=0.08, hspace=0.12)
    return list(axes.flat)


def make_room(fig, every):
    """As much to the left as the labels of the y axes need."""
    renderer = fig.canvas.get_renderer()
    outermost = min(axes.yaxis.get_tightbbox(renderer).x0 for axes in every
                    if axes.get_subplotspec().is_first_col())
    edge = every[0].get_position().x0
    fig.subplots_adjust(left=edge - outermost / fig.bbox.width
                        + 0.1 / fig.get_figwidth())


def add_x_label(fig, every, text, bottom):
    """Once below all panels, above what begins at BOTTOM inches."""
    middle = (every[0].get_position().x0 + every[-1].get_position().x1) / 2
    fig.text(middle, (bottom + 0.06) / fig.get_figheight(), text,
             ha="center", va="bottom", gid="x label")


def add_panel(axes, picture, panel, span):
    """PANEL's curves and its axes."""
    for one in panel.curves:
        draw_curve(axes, picture, one)
        draw_failed(axes, picture, one)
    if axes.get_subplotspec().is_first_row():
        axes.set_title(shortened(panel.title))
    axes.grid(True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    x_axis(axes, picture)
    y_axis(axes, span)
    if axes.get_subplotspec().is_first_col():
        axes.set_ylabel(panel.y_label)


def draw(picture, lines, title=None, size=SIZE, from_zero=False):
    """A Figure of PICTURE with LINES in its foot."""
    fig = figure.Figure(figsize=size, dpi=150)
    backend_agg.FigureCanvasAgg(fig)
    if title:
        fig.suptitle(shortened(title, int(size[0] * 12)), fontsize=10,
                     y=1 - 0.08 / size[1], va="top")
    spans = y_spans(picture, from_zero)
    notes = [NOT_FROM_ZERO] * any(span.begins_late() for span in spans)
    bottom = add_foot(fig, [*picture.notes, *notes, *lines]) + 0.06
    bottom += add_legend(fig, picture, bottom)
    every = make_axes(fig, picture, title, bottom)
    for axes, panel, span in zip(every, picture.panels, spans):
        add_panel(axes, picture, panel, span)
    make_room(fig, every)
    add_x_label(fig, every, picture.x_label, bottom)
    return fig


def save(fig, file, form):
    """FIG as FORM, "png" or "svg", into the binary FILE; the same figure is
    always the same bytes."""
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    fig.savefig(file, format=form, metadata=metadata)
