"""Draws a history with matplotlib: a panel for each point, over months."""
import datetime
from typing import Optional, Sequence

from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.backends import backend_agg
from matplotlib.figure import Figure

from verbsperf.base import tables
from verbsperf.base.errors import NotDrawn
from verbsperf.history import nights
from verbsperf.history.nights import Event, Line
from verbsperf.plot.axes import set_y_axis
from verbsperf.plot.figure import (NOT_FROM_ZERO, add_foot, add_title,
                                   make_right_room)
from verbsperf.plot.looks import CROSS, shortened
from verbsperf.plot.spans import Span, span_of

# Panels side by side, by how many there are; more are not read any more.
PANELS_MAX, TALL = 24, 6
WIDTH, PANEL = 9.0, 1.45    # inches
# Worse, and better; told apart by the sign in grey, too.
DOWN, UP = "\N{BLACK DOWN-POINTING TRIANGLE}", "\N{BLACK UP-POINTING TRIANGLE}"
MARKS = {False: ("#d55e00", DOWN), True: ("#009e73", UP)}
# Lines of the foot: what changed of many hosts is said, too.
FOOT_LINES = 40
# Inches that a date needs, and a letter of an event.
DATE, LETTER = 0.9, 0.085
# Letters of a title in an inch.
LETTERS = 13
# The dates of an axis: none without its month.
DATES = ["%b %Y", "%b %Y", "%d %b", "%d %b %H:%M", "%d %b %H:%M",
         "%d %b %H:%M:%S"]


def shape_of(count: int) -> tuple[int, int]:
    """Return (rows, columns) for COUNT panels."""
    if count > PANELS_MAX:
        raise NotDrawn(f"{count} points are too many for a picture; choose at "
                       f"most {PANELS_MAX} with --only NAME=VALUE")
    columns = 1 if count <= TALL else 2
    return -(-count // columns), columns


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


def began(when: datetime.datetime, before: Sequence[nights.Value]) -> float:
    """Return where a change is drawn that the night WHEN showed: in the middle
    between that and the one BEFORE."""
    earlier = [one.when for one in before if one.when < when]
    return float(dates.date2num(when - (when - max(earlier, default=when)) / 2))


def draw_steps(axes: Axes, line: Line) -> None:
    """Mark where LINE changed, and write beside its title by how much."""
    values, said = line.measured(), []
    across = axes.get_xaxis_transform()
    for step in line.steps:
        colour, sign = MARKS[step.is_better]
        when = values[step.night].when
        at = began(when, values)
        axes.axvline(at, color=colour, linewidth=1.2, zorder=1, gid="step")
        axes.text(at, 0, sign, transform=across, color=colour, fontsize=7,
                  ha="center", va="center", zorder=6)
        said.append(f"{sign} {tables.percent(step.ratio, 1)} {when:%Y-%m-%d}")
    room = axes.get_position().width * axes.figure.get_figwidth() * LETTERS
    room -= len(axes.get_title("left")) + 4
    # the last ones, as many as there is room for
    while said and len("   ".join(said)) > room:
        said.pop(0)
    axes.set_title("   ".join(said), loc="right", pad=4, fontsize=7.5)


def box_of(some: Sequence[tuple[float, str]], width: float
           ) -> tuple[float, float, str]:
    """Return (left, right, text) of a box with the letters of SOME."""
    letters = [letter for _, letter in some]
    text = (" ".join(letters) if len(letters) < 5
            else f"{letters[0]}..{letters[-1]}")
    middle, half = (some[0][0] + some[-1][0]) / 2, width * (len(text) + 1) / 2
    return middle - half, middle + half, text


def boxes_of(found: Sequence[tuple[float, str]], width: float
             ) -> list[tuple[float, float, str]]:
    """Return the boxes of FOUND; those that would meet are one."""
    groups: list[list[tuple[float, str]]] = []
    for one in found:
        groups.append([one])
        while len(groups) > 1 and (box_of(groups[-2], width)[1]
                                   > box_of(groups[-1], width)[0]):
            groups[-2:] = [groups[-2] + groups[-1]]
    return [box_of(group, width) for group in groups]


def draw_events(axes: Axes, line: Line, events: Sequence[Event]) -> None:
    """Mark what changed at LINE's target by the letters of EVENTS."""
    found = [(began(event.when, line.values), nights.letter(index))
             for index, event in enumerate(events)
             if event.target == line.target]
    for at, _ in found:
        axes.axvline(at, color="#888888", linewidth=0.8, linestyle=":",
                     zorder=1, gid="event")
    low, high = axes.get_xlim()
    inches = axes.get_position().width * axes.figure.get_figwidth()
    for left, right, text in boxes_of(found, LETTER * (high - low) / inches):
        axes.text((left + right) / 2, 0.98, text, gid="letters",
                  transform=axes.get_xaxis_transform(),
                  fontsize=7, ha="center", va="top", color="#444444",
                  bbox={"boxstyle": "round,pad=0.15", "fc": "white",
                        "ec": "#888888", "lw": 0.5}, zorder=6)


def set_time_axis(axes: Axes, lines: Sequence[Line]) -> None:
    """Show all nights of LINES on the x axis, those of one day by time."""
    when = [dates.date2num(one.when) for line in lines for one in line.values]
    room = 0.03 * (max(when) - min(when)) or 0.5
    axes.set_xlim(min(when) - room, max(when) + room)
    inches = axes.get_position().width * axes.figure.get_figwidth()
    most = int(inches / DATE)
    locator = dates.AutoDateLocator(minticks=min(3, most // 2), maxticks=most)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(
        locator, formats=DATES, zero_formats=DATES, show_offset=False))


def legend(lines: Sequence[Line], events: Sequence[Event]) -> str:
    """Say what the signs in the picture of LINES and EVENTS mean."""
    found = {step.is_better for line in lines for step in line.steps}
    one = nights.word_of(lines)
    words = [f"dots: median of the rounds of a {one}, and their range",
             f"line: median of the {one}s" + " between two changes"
             * bool(found)]
    words += [f"{MARKS[better][1]} {word} from this {one} on"
              for better, word in ((False, "slower"), (True, "faster"))
              if better in found]
    words += ["cross: a round failed"] * any(
        one.failed for line in lines for one in line.values)
    words += ["letters: what changed of hosts and devices"] * bool(events)
    return "; ".join(words)


def add_panel(axes: Axes, line: Line, title: str, events: Sequence[Event],
              span: Span) -> None:
    """Draw LINE, which is called TITLE, and its axes."""
    axes.set_title(shortened(title), loc="left", pad=4)
    draw_values(axes, line)
    draw_events(axes, line, events)
    draw_steps(axes, line)
    axes.grid(True, color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=7.5)
    set_y_axis(axes, span)
    axes.set_ylabel(tables.unit(line.metric))


def draw(lines: Sequence[Line], events: Sequence[Event], title: str,
         size: Optional[tuple[float, float]], from_zero: bool) -> Figure:
    """Return a Figure of LINES and EVENTS."""
    rows, columns = shape_of(len(lines))
    several = len({line.target for line in lines}) > 1
    spans = [span_of([end for value in line.values
                      for end in (value.low, value.high) if end is not None],
                     "linear", from_zero) for line in lines]
    notes = [legend(lines, events), *[NOT_FROM_ZERO] * any(
        map(Span.begins_late, spans)), *(nights.event_text(i, event, several)
                                         for i, event in enumerate(events))]
    fig = Figure(figsize=size or (WIDTH, PANEL), dpi=150)
    backend_agg.FigureCanvasAgg(fig)
    below = 0.37 + add_foot(fig, notes, FOOT_LINES)
    if not size:
        fig.set_figheight(0.45 + rows * PANEL + below)
    width, height = fig.get_size_inches()
    if height < 0.45 + rows * PANEL / 2 + below:
        raise NotDrawn(f"{len(lines)} points need more room: use --size "
                       f"{width:g}x{0.5 + rows * PANEL + below:.1f}")
    add_title(fig, title)
    every: list[Axes] = list(fig.subplots(
        rows, columns, squeeze=False, sharex=True).flat)
    fig.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width,
                        top=1 - 0.5 / height, bottom=below / height,
                        wspace=0.75 * 2 / width, hspace=0.35)
    set_time_axis(every[0], lines)
    for axes, line, span in zip(every, lines, spans):
        name = f"{line.target}: {line.label}" if several else line.label
        add_panel(axes, line, name, events, span)
    for axes in every[len(lines):]:
        axes.set_visible(False)
        every[len(lines) - columns].tick_params(labelbottom=True)
    make_right_room(fig, every[:len(lines)])
    return fig
