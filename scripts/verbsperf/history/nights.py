"""What a picture of a history shows: a line for each point, where it changed,
and what of the hosts did."""
import datetime
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import tables
from verbsperf.base.tables import counted
from verbsperf.base.metrics import METRICS, kind_of
from verbsperf.compare.comparison import Question
from verbsperf.documents import results
from verbsperf.documents.points import Point, label
from verbsperf.history import steps
from verbsperf.history.file import Night, Rounds
from verbsperf.stats import ranks

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Value(NamedTuple):
    """What one night has of one point."""

    when: datetime.datetime
    median: Optional[float]     # None when it was not measured
    low: Optional[float]        # of its rounds
    high: Optional[float]
    failed: bool                # some round failed


class Line(NamedTuple):
    """One point at one target, night by night."""

    target: str
    label: str
    metric: str
    values: list[Value]
    steps: list[steps.Step]     # of the nights that have a median

    def measured(self) -> list[Value]:
        """Return the nights that have a median."""
        return [value for value in self.values if value.median is not None]

    def levels(self) -> Iterator[tuple[int, int, float]]:
        """Yield (first, end, median) of the nights between two steps."""
        values = self.measured()
        edges = [0, *(step.night for step in self.steps), len(values)]
        for first, end in zip(edges, edges[1:]):
            yield first, end, ranks.median(
                [one.median for one in values[first:end]
                 if one.median is not None])


class Event(NamedTuple):
    """What of hosts and devices changed in a night, at one target."""

    when: datetime.datetime
    target: str
    words: tuple[str, ...]


def value_of(night: Night, rounds: Rounds, metric: str) -> Value:
    """Return what NIGHT has of METRIC in ROUNDS."""
    found = rounds.values.get(metric)
    if not found:
        return Value(night.started, None, None, None, rounds.failed > 0)
    return Value(night.started, ranks.median(found), min(found), max(found),
                 rounds.failed > 0)


def line_of(target: str, point: Point, name: str, asked: Question,
            nights: Sequence[Night]) -> Line:
    """Return the Line of POINT, which is called NAME, at TARGET in NIGHTS."""
    kind = kind_of(point.test)
    metric = asked.metrics[kind]
    values = [value_of(night, night.points[point], metric) for night in nights]
    medians = [one.median for one in values if one.median is not None]
    return Line(target, name, metric, values, steps.steps_of(
        medians, METRICS[metric].is_rate, asked.tolerances[kind] / 100))


def lines_of(nights: Sequence[Night], asked: Question) -> list[Line]:
    """Return a Line for each point at each target of NIGHTS."""
    found = results.grouped(((night, point) for night in nights
                             for point in night.points),
                            lambda one: (one[0].target, one[1]))
    every = [point for _, point in found]
    return [line_of(target, point, label(point, every), asked,
                    [night for night, _ in own])
            for (target, point), own in found.items()]


def changed_words(before: Night, night: Night) -> tuple[str, ...]:
    """Return what is another in NIGHT than BEFORE, as far as both know it."""
    return tuple(f"{name} {before.facts[name]} \N{RIGHTWARDS ARROW} {value}"
                 for name, value in sorted(night.facts.items())
                 if before.facts.get(name, value) != value)


def events_of(nights: Sequence[Night]) -> list[Event]:
    """Return what changed at each target of NIGHTS."""
    last: dict[str, Night] = {}
    found = []
    for night in nights:
        words = changed_words(last.get(night.target, night), night)
        if words:
            found.append(Event(night.started, night.target, words))
        known = last[night.target].facts if night.target in last else {}
        last[night.target] = night._replace(facts={**known, **night.facts})
    return found


def letter(index: int) -> str:
    """Return what the Event of INDEX is called in the picture."""
    turn, place = divmod(index, len(LETTERS))
    return LETTERS[place] + (str(turn) if turn else "")


def event_text(index: int, event: Event, several: bool) -> str:
    """Say what EVENT was; SEVERAL targets are in the picture."""
    where = f" {event.target}" if several else ""
    return (f"{letter(index)} {event.when:%Y-%m-%d}{where}: "
            + ", ".join(event.words))


def step_text(line: Line, step: steps.Step, events: Sequence[Event],
              several: bool, word: str) -> str:
    """Say since when LINE is different, and what of EVENTS was new then."""
    when = line.measured()[step.night].when
    where = f"{line.target}: " if several else ""
    new = [change for event in events for change in event.words
           if (event.when, event.target) == (when, line.target)]
    return (f"{where}{line.label}: {'faster' if step.is_better else 'slower'} "
            f"since {when:%Y-%m-%d}: {tables.unit(line.metric)} "
            f"{tables.percent(step.ratio, 1)} (95% interval "
            f"{tables.interval(step.low, step.high, 1)}), seen after "
            + counted(step.found - step.night + 1, word)
            + "".join(f"; {change}" for change in new))


def step_texts(lines: Sequence[Line], events: Sequence[Event]) -> list[str]:
    """Say of each of LINES since when it is different."""
    several = len({line.target for line in lines}) > 1
    return [step_text(line, step, events, several, word_of(lines))
            for line in lines for step in line.steps]


def times_of(lines: Sequence[Line]) -> list[datetime.datetime]:
    """Return when LINES were measured."""
    return sorted({value.when for line in lines for value in line.values})


def word_of(lines: Sequence[Line]) -> str:
    """Return what one time of LINES is: where a day has several, no night."""
    when = times_of(lines)
    return "night" if len({one.date() for one in when}) == len(when) else "run"


def title_of(lines: Sequence[Line]) -> str:
    """Say what LINES, of which there are some, are."""
    when = times_of(lines)
    targets = list(dict.fromkeys(line.target for line in lines))
    where = targets[0] if len(targets) == 1 else f"{len(targets)} targets"
    return (f"{where}: {counted(len(when), word_of(lines))} from "
            f"{when[0]:%Y-%m-%d} to {when[-1]:%Y-%m-%d}")
