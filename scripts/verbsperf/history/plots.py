"""Draws a history with matplotlib: a panel for each point, over months."""
from typing import List, Optional, Sequence, Tuple

from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.backends import backend_agg
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from verbsperf.base import tables
from verbsperf.history import nights
from verbsperf.history.nights import Event, Line
from verbsperf.plot.axes import set_y_axis
from verbsperf.plot.figure import (LINE, NOT_FROM_ZERO, NoRoom, add_foot,
                                   foot_lines)
from verbsperf.plot.looks import CROSS, shortened
from verbsperf.plot.spans import Span, linear_span

# Panels side by side, by how many there are; more are not read any more.
PANELS_MAX, TALL = 24, 6
WIDTH, PANEL = 9.0, 1.45    # inches
# Worse, and better; told apart by the sign in grey, too.
DOWN, UP = "\N{BLACK DOWN-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
MARKS = {False: ("#d55e00", DOWN), True: ("#009e73", UP)}
LEGEND = ("dots: median of the rounds of a night, and their range; line: median"
          f" of the nights between two changes; {DOWN} slower, {UP} faster from"
          " this night on; cross: a round failed; letters: what changed of "
          "hosts and devices")


def shape_of(count: int) -> Tuple[int, int]:
    """Return (rows, columns) for COUNT panels."""
    if count > PANELS_MAX:
        raise NoRoom(f"{count} points are too many for a picture; choose at "
                     f"most {PANELS_MAX} with --only NAME=VALUE")
    columns = 1 if count <= TALL else 2
    return -(-count // columns), columns


def span_of(line: Line, from_zero: bool) -> Span:
    """Return what the y axis of LINE shows."""
    ends = [end for value in line.values for end in (value.low, value.high)
            if end is not None]
    if from_zero or not ends:
        return Span(0, max(ends, default=0) * 1.12 or 1, False)
    return linear_span(min(ends), max(ends))


def draw_values(axes: Axes, line: Line) -> None:
    """Draw the nights of LINE, their levels, and crosses where it failed."""
    values = line.measured()
    when = dates.date2num([one.when for one in values])
    axes.vlines(when, [one.low for one in values],
                [one.high for one in values], color="#bbbbbb", linewidth=0.8,
                zorder=2)
    axes.plot(when, [one.median for one in values], color="#0072b2",
              linestyle="", marker="o", markersize=2.6, zorder=3, gid="nights")
    for first, end, level in line.levels() if values else ():
        axes.plot([when[first], when[end - 1]], [level, level],
                  color="black", linewidth=1.3, zorder=4, gid="level")
    failed = [dates.date2num(one.when) for one in line.values if one.failed]
    axes.plot(failed, [0.0] * len(failed), clip_on=False, zorder=5,
              transform=axes.get_xaxis_transform(), gid="failed", **CROSS)


def draw_steps(axes: Axes, line: Line) -> None:
    """Mark where LINE changed, with by how much."""
    values = line.measured()
    across = blended_transform_factory(axes.transData, axes.transAxes)
    for number, step in enumerate(line.steps):
        colour, sign = MARKS[step.is_better]
        when = dates.date2num(values[step.night].when)
        axes.axvline(when - 0.5, color=colour, linewidth=1.2, zorder=1,
                     gid="step")
        # two that are near each other are written one above the other
        axes.text(when, 0.03 + 0.1 * (number % 2),
                  f" {sign} {tables.percent(step.ratio, 1)}",
                  transform=across, color=colour, fontsize=7, va="bottom",
                  zorder=6)


def draw_events(axes: Axes, line: Line, events: Sequence[Event]) -> None:
    """Mark what changed at LINE's target by the letters of EVENTS."""
    across = blended_transform_factory(axes.transData, axes.transAxes)
    for index, event in enumerate(events):
        if event.target == line.target:
            when = dates.date2num(event.when) - 0.5
            axes.axvline(when, color="#888888", linewidth=0.8, linestyle=":",
                         zorder=1, gid="event")
            axes.text(when, 0.98, nights.letter(index), transform=across,
                      fontsize=7, ha="center", va="top", color="#444444",
                      bbox={"boxstyle": "round,pad=0.15", "fc": "white",
                            "ec": "#888888", "lw": 0.5}, zorder=6)


def set_time_axis(axes: Axes, lines: Sequence[Line]) -> None:
    """Show all nights of LINES on the x axis."""
    when = [dates.date2num(one.when) for line in lines for one in line.values]
    room = max(1.0, 0.02 * (max(when) - min(when)))
    axes.set_xlim(min(when) - room, max(when) + room)
    locator = dates.AutoDateLocator(maxticks=8)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(
        locator, show_offset=False))


def add_panel(axes: Axes, line: Line, title: str, events: Sequence[Event],
              span: Span) -> None:
    """Draw LINE, which is called TITLE, and its axes."""
    draw_values(axes, line)
    draw_events(axes, line, events)
    draw_steps(axes, line)
    axes.set_title(shortened(title), loc="left", pad=4)
    axes.grid(True, color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7.5)
    set_y_axis(axes, span)
    axes.set_ylabel(tables.unit(line.metric))


def draw(lines: Sequence[Line], events: Sequence[Event], title: str,
         size: Optional[Tuple[float, float]], from_zero: bool) -> Figure:
    """Return a Figure of LINES and EVENTS."""
    rows, columns = shape_of(len(lines))
    several = len({line.target for line in lines}) > 1
    spans = [span_of(line, from_zero) for line in lines]
    notes = [LEGEND] + [NOT_FROM_ZERO] * any(map(Span.begins_late, spans)) + [
        nights.event_text(i, event, several) for i, event in enumerate(events)]
    width = size[0] if size else WIDTH
    below = 0.45 + LINE * len(foot_lines(notes, width))
    height = size[1] if size else 0.45 + rows * PANEL + below
    if height < 0.45 + rows * PANEL / 2 + below:
        raise NoRoom(f"{len(lines)} points need more room: use --size "
                     f"{width:g}x{0.5 + rows * PANEL + below:.1f}")
    fig = Figure(figsize=(width, height), dpi=150)
    backend_agg.FigureCanvasAgg(fig)
    fig.suptitle(shortened(title, int(width * 12)), fontsize=10,
                 y=1 - 0.06 / height, va="top")
    add_foot(fig, notes)
    every: List[Axes] = list(fig.subplots(
        rows, columns, squeeze=False, sharex=True).flat)
    fig.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width,
                        top=1 - 0.5 / height, bottom=below / height,
                        wspace=0.75 * 2 / width, hspace=0.35)
    for axes, line, span in zip(every, lines, spans):
        name = f"{line.target}: {line.label}" if several else line.label
        add_panel(axes, line, name, events, span)
    set_time_axis(every[0], lines)
    for axes in every[len(lines):]:
        axes.set_visible(False)
        every[len(lines) - columns].tick_params(labelbottom=True)
    return fig
