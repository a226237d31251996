"""Draws a Picture with matplotlib, without a display.

Nothing stands over the data but the data: what explains it is in the foot."""
import io
import math
import textwrap
from typing import Optional, Sequence

import matplotlib
matplotlib.use("Agg")
# pylint: disable=wrong-import-position
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.backends import backend_agg  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from verbsperf.base import foreign  # noqa: E402
from verbsperf.base.errors import NotDrawn  # noqa: E402
from verbsperf.plot.axes import (  # noqa: E402
    draw_bands, set_x_axis, set_y_axis)
from verbsperf.plot.curves import Panel, Picture  # noqa: E402
from verbsperf.plot.looks import (  # noqa: E402
    CURVES_MAX, draw_curve, legend_entries, shortened)
from verbsperf.plot.spans import Span, spans_of  # noqa: E402

matplotlib.rcParams.update({
    "text.parse_math": False,   # a title may have a $
    "svg.fonttype": "none",     # text stays text
    "svg.hashsalt": "verbsperf",
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "axes.unicode_minus": False,
})
WIDTH = 7.5
FOOT_FONT = 6.5
LINE = 0.13             # height of a line of the foot, in inches
FOOT_LINES = 12
# Axes that are lower are lower than their labels are long, in inches; as high
# as all of a picture are, and each of them at least, if no size is asked for.
LOWEST, HIGH, EACH = 1.35, 3.4, 1.6
# Inches between the outermost label and the edge of the picture.
EDGE = 0.05
NOT_FROM_ZERO = "y does not begin at 0 everywhere"
BESIDE = "side by side in one band: the set-ups at one size"


def refuse_too_many(picture: Picture) -> None:
    """Refuse more curves than there are styles to tell them apart."""
    labels = list(dict.fromkeys(one.label for one in picture.curves()))
    if len(labels) > CURVES_MAX:
        some = ", ".join(f"'{label}'" for label in labels[:3])
        raise NotDrawn(f"{len(labels)} curves ({some}, ...) are too many to "
                       f"tell apart; choose at most {CURVES_MAX} with --only "
                       "NAME=VALUE")


def add_legend(fig: Figure, picture: Picture, bottom: float) -> float:
    """Put the legend below the axes, as wide as fits; return its height."""
    entries = legend_entries(picture)
    width = fig.get_figwidth()
    for columns in range(min(4, len(entries)), 0, -1):
        legend = fig.legend(
            handles=entries, loc="lower center", ncol=columns,
            bbox_to_anchor=(width / 2, bottom),
            bbox_transform=fig.dpi_scale_trans, frameon=False,
            borderaxespad=0, borderpad=0.1, handlelength=3.2,
            columnspacing=1.5)
        extent = legend.get_window_extent(fig.canvas.get_renderer())
        if extent.width <= (width - 0.2) * fig.dpi or columns == 1:
            break
        legend.remove()
    return float(extent.height / fig.dpi)


def add_foot(fig: Figure, lines: Sequence[str], most: int = FOOT_LINES
             ) -> float:
    """Write LINES at the very bottom, MOST of them; return their height."""
    columns = int((fig.get_figwidth() - 0.3) / (FOOT_FONT / 72 * 0.53))
    wrapped = [part for line in lines
               for part in textwrap.wrap(foreign.terminal(line), columns)]
    if len(wrapped) > most:
        wrapped[most - 1:] = [f"and {len(wrapped) - most + 1} more lines"]
    for number, text in enumerate(reversed(wrapped)):
        fig.text(0.12, 0.08 + number * LINE, text, fontsize=FOOT_FONT,
                 color="#333333", va="bottom", transform=fig.dpi_scale_trans)
    return 0.08 + len(wrapped) * LINE


def add_title(fig: Figure, title: str) -> None:
    """Write TITLE above all, as much of it as fits."""
    width, height = fig.get_size_inches()
    fig.suptitle(shortened(title, int(width * 12)), fontsize=10,
                 y=1 - 0.08 / height, va="top")


def make_axes(fig: Figure, picture: Picture, above: float, bottom: float
              ) -> list[Axes]:
    """Make the axes of all panels in the space that is left in FIG."""
    width, height = fig.get_size_inches()
    shape = len(picture.panels) // picture.columns, picture.columns
    missing = above + bottom + 0.5 + shape[0] * LOWEST - height
    if missing > 0:
        needed = math.ceil(10 * (height + missing)) / 10
        raise NotDrawn(f"{width:g}x{height:g} inches are too small for this "
                       f"picture: use --size {width:g}x{needed:g}")
    axes = fig.subplots(*shape, squeeze=False, sharex=True, sharey="row")
    fig.subplots_adjust(
        left=0.85 / width, right=1 - 0.15 / width, top=1 - above / height,
        bottom=(bottom + 0.5) / height, wspace=0.08, hspace=0.12)
    return list(axes.flat)


def make_room(fig: Figure, every: Sequence[Axes]) -> None:
    """Leave as much space on the left as the labels of the y axes need."""
    renderer = fig.canvas.get_renderer()
    outermost = min(axes.yaxis.get_tightbbox(renderer).x0 for axes in every
                    if axes.get_subplotspec().is_first_col())
    edge = every[0].get_position().x0
    fig.subplots_adjust(left=edge - outermost / fig.bbox.width
                        + 0.1 / fig.get_figwidth())


def make_right_room(fig: Figure, every: Sequence[Axes]) -> None:
    """Leave as much space on the right as the last labels of x axes need."""
    renderer = fig.canvas.get_renderer()
    outermost = max(box.x1 for axes in every
                    for box in [axes.xaxis.get_tightbbox(renderer)] if box)
    over = outermost / fig.bbox.width + EDGE / fig.get_figwidth() - 1
    if over > 0:
        fig.subplots_adjust(right=fig.subplotpars.right - over)


def add_x_label(fig: Figure, every: Sequence[Axes], text: str, bottom: float
                ) -> None:
    """Write the label of the x axis once, BOTTOM inches above the edge."""
    middle = (every[0].get_position().x0 + every[-1].get_position().x1) / 2
    fig.text(middle, (bottom + 0.06) / fig.get_figheight(), text,
             ha="center", va="bottom", gid="x label")


def add_panel(axes: Axes, picture: Picture, panel: Panel, span: Span) -> None:
    """Draw PANEL's curves and its axes."""
    if picture.beside:
        draw_bands(axes, picture)
    for one in panel.curves:
        draw_curve(axes, picture, one)
    if axes.get_subplotspec().is_first_row():
        axes.set_title(shortened(panel.title))
    axes.grid(True, axis="y" if picture.beside else "both", color="#dddddd",
              linewidth=0.6)
    axes.set_axisbelow(True)
    set_x_axis(axes, picture)
    set_y_axis(axes, span)
    if axes.get_subplotspec().is_first_col():
        axes.set_ylabel("\n".join(map(foreign.terminal,
                                      panel.y_label.splitlines())))


def draw(picture: Picture, lines: Sequence[str], title: Optional[str] = None,
         size: Optional[tuple[float, float]] = None,
         from_zero: bool = False) -> Figure:
    """Return a Figure of PICTURE with LINES in its foot."""
    refuse_too_many(picture)
    fig = Figure(figsize=size or (WIDTH, HIGH), dpi=150)
    backend_agg.FigureCanvasAgg(fig)
    spans = spans_of(picture, from_zero)
    notes = [BESIDE] * picture.beside + [NOT_FROM_ZERO] * any(
        span.begins_late() for span in spans)
    bottom = add_foot(fig, [*picture.notes, *notes, *lines]) + 0.06
    bottom += add_legend(fig, picture, bottom)
    above = 0.12 + (0.22 if title else 0) + (
        0.2 if any(panel.title for panel in picture.panels) else 0)
    if not size:
        rows = len(picture.panels) // picture.columns
        fig.set_figheight(above + bottom + 0.5 + max(HIGH, EACH * rows))
    if title:
        add_title(fig, title)
    every = make_axes(fig, picture, above, bottom)
    for axes, panel, span in zip(every, picture.panels, spans):
        add_panel(axes, picture, panel, span)
    make_room(fig, every)
    make_right_room(fig, every)
    add_x_label(fig, every, picture.x_label, bottom)
    return fig


def image(fig: Figure, form: str, bbox_inches: Optional[str] = None) -> bytes:
    """Return FIG as FORM, "png" or "svg", always in the same bytes."""
    file = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    fig.savefig(file, format=form, metadata=metadata, bbox_inches=bbox_inches)
    return file.getvalue()
