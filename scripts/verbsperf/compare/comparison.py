"""Compares two sides point by point; what comes of it is a report."""
import math
import statistics
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import tables
from verbsperf.base.metrics import METRICS, kind_of, samples_for
from verbsperf.compare import alike
from verbsperf.compare.sides import Key, Pair, Side, pair_up
from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, label, point_json
from verbsperf.documents.results import Record
from verbsperf.stats import ranks, verdict

SCHEMA = "verbsperf-compare/1"
# The worst first.
ORDER = (verdict.REGRESSION, verdict.INCONCLUSIVE, verdict.WITHIN)
# Of those that rose, as many are named.
MOST_COUNTERS = 4
# What is likely of a point that is inconclusive, the worst first; the first
# where chance would show as much at any point in fewer jobs than these.
LIKELY = ("probably slower", "perhaps slower", "perhaps as fast")
LIKELY_P = 0.05


class Measured(NamedTuple):
    """What one side has of one point."""

    rounds: int             # those that gave a result
    # of the metric, which not every result has, by session
    sessions: dict[str, list[float]]
    failures: list[str]     # why the other rounds gave none
    rose: list[Object]      # counters of trouble and congestion, of all rounds
    ran: Object             # of results.ran()

    def failed(self) -> bool:
        """Return True when it failed, and never gave a value."""
        return bool(self.failures) and not self.sessions

    def number(self) -> int:
        """Return how many values it has."""
        return sum(map(len, self.sessions.values()))

    def rises(self) -> dict[tuple[str, str], float]:
        """Return by how much each counter rose in a round."""
        return {(one["end"], one["counter"]): one["value"] / self.rounds
                for one in self.rose}

    def mean(self) -> Optional[float]:
        """Return the trimmed mean, of several sessions their geometric mean."""
        found = [ranks.trimmed_mean(own) for own in self.sessions.values()]
        if len(found) < 2 or not all(found):
            return min(found, default=None)
        return statistics.geometric_mean(found)


class Entry(NamedTuple):
    """One point of both sides, before it is judged."""

    label: str
    target: Optional[str]
    point: Point
    metric: str
    tolerance: float    # in percent
    base: Measured
    new: Measured


class Question(NamedTuple):
    """What is compared of bandwidth and of latency."""

    metrics: dict[str, str]
    tolerances: dict[str, float]    # in percent


def session_of(record: Record) -> str:
    """Return what RECORD was measured in, with others."""
    return record.session or record.path


def measured(records: Sequence[Record], metric: str) -> Measured:
    """Return what RECORDS of one side have of METRIC."""
    failures = results.failures(records)
    sessions = {name: results.values_of(own, metric) for name, own
                in results.grouped(records, session_of).items()}
    return Measured(len(records) - len(failures),
                    {name: values for name, values in sessions.items()
                     if values}, failures, results.risen(records),
                    results.ran(records))


def entry_of(key: Key, pair: Pair, every: Sequence[Point], asked: Question
             ) -> Entry:
    """Return the Entry of KEY, labelled so that EVERY point differs."""
    target, point = key
    kind = kind_of(point.test)
    metric = asked.metrics[kind]
    return Entry((f"{target}: " if target else "") + label(point, every),
                 target, point, metric, asked.tolerances[kind],
                 measured(pair.base.get(key, []), metric),
                 measured(pair.new.get(key, []), metric))


def why_none(metric: str) -> str:
    """Say why a round gave a result, but no METRIC."""
    return "" if METRICS[metric].is_rate else ": too few samples"


def rounds_for(entry: Entry, values: int) -> int:
    """Return how many rounds of each side give so many VALUES of each."""
    return max(math.ceil(values * side.rounds / side.number())
               for side in (entry.base, entry.new))


def without_values(entry: Entry) -> tuple[str, str]:
    """Return (verdict, note) of a point that one side did not measure."""
    base, new = entry.base, entry.new
    if not new.rounds and not new.failures:
        return verdict.INCONCLUSIVE, "not in NEW"
    if base.failed() and new.failed():
        return verdict.INCONCLUSIVE, "failed in both"
    if new.failed() and base.sessions:
        return verdict.REGRESSION, "failed: " + new.failures[0]
    if base.failed() and new.sessions:
        return verdict.WITHIN, "failed in BASE"
    side = "NEW" if base.sessions else "BASE"
    return (verdict.INCONCLUSIVE, f"{tables.unit(entry.metric)} was not "
            f"measured in {side}{why_none(entry.metric)}")


def worse_side(entry: Entry, outcome: str, better: bool) -> Iterator[str]:
    """Yield a note of the counters that rose more on the worse side."""
    sides = [("NEW", entry.new), ("BASE", entry.base)]
    if better:
        sides.reverse()
    elif outcome != verdict.REGRESSION:
        return
    (name, worse), (other_name, other) = sides
    before, rises = other.rises(), worse.rises()
    trouble_first = sorted(worse.rose, key=lambda one: bool(
        one["kind"] != "trouble"))
    more = [f"{counter} of the {end} ({rises[end, counter]:.4g} a round, "
            f"{before.get((end, counter), 0):.4g} in {other_name})"
            for end, counter in ((one["end"], one["counter"])
                                 for one in trouble_first)
            if rises[end, counter] > before.get((end, counter), 0)]
    words = more[:MOST_COUNTERS]
    if len(more) > MOST_COUNTERS:
        words.append(f"{len(more) - MOST_COUNTERS} more")
    if words:
        yield f"in {name} rose " + ", ".join(words)


def lacking(entry: Entry) -> Iterator[str]:
    """Yield a note when successful rounds lack the metric."""
    base, new = entry.base, entry.new
    if (base.number(), new.number()) != (base.rounds, new.rounds):
        name = tables.unit(entry.metric).removesuffix(" us")
        yield (f"{name} was measured in {base.number()} and {new.number()} of "
               f"{base.rounds} and {new.rounds} rounds"
               + why_none(entry.metric))


def decided(entry: Entry, found: verdict.Judgement) -> tuple[str, list[str]]:
    """Return (verdict, notes) of ENTRY, whose values were judged as FOUND."""
    notes, failed = [], entry.new.failures
    if len(failed) > len(entry.base.failures):
        notes.append(f"{len(failed)} of {len(failed) + entry.new.rounds} "
                     f"rounds of NEW failed: {failed[0]}")
    outcome = found.verdict
    better = found.reason == verdict.BETTER and not notes
    if notes and outcome == verdict.WITHIN:
        outcome = verdict.INCONCLUSIVE
    few = lacking(entry) if outcome == verdict.INCONCLUSIVE else ()
    return outcome, [*notes, *few, *verdict.remarks(sample_of(entry)),
                     *worse_side(entry, outcome, better)]


def likely_of(entry: Entry, found: Optional[verdict.Judgement]
              ) -> Optional[str]:
    """Return which of LIKELY is ENTRY, whose values were judged as FOUND and
    told no more; None where they tell nothing."""
    if found is None:
        return None
    share = entry.tolerance / 100
    is_worse = (found.ratio < 1 - share if METRICS[entry.metric].is_rate
                else found.ratio > 1 + share)
    if not is_worse:
        return LIKELY[2]
    return LIKELY[0 if found.adjusted is not None
                  and found.adjusted < LIKELY_P else 1]


def finish(entry: Entry, found: Optional[verdict.Judgement]) -> Object:
    """Return the point as the report has it."""
    numbers: Object = dict.fromkeys(verdict.Judgement._fields)
    if found is None:
        outcome, *notes = without_values(entry)
    else:
        outcome, notes = decided(entry, found)
        numbers = found._asdict()
    return {"label": entry.label, "target": entry.target,
            "point": point_json(entry.point), "metric": entry.metric,
            "base": entry.base.mean(), "new": entry.new.mean(),
            "base_rounds": entry.base.number(),
            "new_rounds": entry.new.number(),
            **{name: numbers[name] for name in ("ratio", "low", "high", "p")},
            "p_adjusted": numbers["adjusted"], "verdict": outcome,
            "likely": likely_of(entry, found)
            if outcome == verdict.INCONCLUSIVE else None,
            "more_rounds": numbers["more"] and rounds_for(entry,
                                                          numbers["more"]),
            "more_sessions": numbers["sessions"],
            "reason": numbers["reason"] if numbers["verdict"] == outcome
            else None,
            "tolerance_percent": entry.tolerance, "notes": notes,
            "ran": entry.new.ran}


def sample_of(entry: Entry) -> verdict.Sample:
    """Return what verdict.judge() needs of ENTRY."""
    base, new = entry.base.sessions, entry.new.sessions
    return verdict.Sample(
        base, [value for values in new.values() for value in values],
        METRICS[entry.metric].is_rate, entry.tolerance / 100,
        base.keys() == new.keys())


def judge(entries: Sequence[Entry]) -> list[Object]:
    """Judge ENTRIES and return the points as the report has them."""
    able = [entry for entry in entries
            if entry.base.sessions and entry.new.sessions]
    judged = verdict.judge([sample_of(entry) for entry in able])
    found = {id(entry): one for entry, one in zip(able, judged)}
    return [finish(entry, found.get(id(entry))) for entry in entries]


def side_json(side: Side) -> Object:
    """Return file, target and number of rounds of SIDE."""
    return {"file": side.path, "target": side.target,
            "sessions": len(set(map(session_of, side.records))),
            "rounds": side.rounds()}


def few_samples(metric: str, records: Sequence[Record]) -> Iterator[str]:
    """Yield what to do about the percentile METRIC, if some of RECORDS have too
    few samples for it."""
    short = [record for record in records if record.row
             and record.row["latency"]
             and results.metric(record.row, metric) is None]
    needed = samples_for(metric)
    if short and needed:
        other = "" if metric == "p50" else ", or compare --metric p50"
        yield (f"{tables.unit(metric).removesuffix(' us')} needs {needed} "
               f"samples of a run: measure for longer (-D){other}")


def notes_of(base: Side, new: Side, pair: Pair, asked: Question
             ) -> Iterator[str]:
    """Yield what a reader should know besides the table."""
    yield from few_samples(asked.metrics["latency"],
                           [*base.records, *new.records])
    sessions = [set(map(session_of, side.records)) for side in (base, new)]
    if sessions[0] != sessions[1] and len(sessions[0]) == 1:
        yield ("one session of each: what changed from one evening to the "
               "other is in the change; more of them with --base tell how much"
               " that is, and verbsperf-sweep --against avoids it")
    extra = len(pair.new.keys() - pair.base.keys())
    if extra:
        yield f"{extra} point{'s' if extra > 1 else ''} of NEW not in BASE"


def compare(base: Side, new: Side, asked: Question, force: bool) -> Object:
    """Compare both sides; with FORCE fingerprints may differ."""
    pair = pair_up(base, new)
    forced = alike.check_fingerprints(pair, force)
    alike.check_sessions(base, new)
    every = [point for _, point in pair.base | pair.new]
    points = judge([entry_of(key, pair, every, asked) for key in pair.base])
    found = [point["verdict"] for point in points]
    return {"schema": SCHEMA, "base": side_json(base), "new": side_json(new),
            "verdict": min(found, key=ORDER.index),
            "counts": {name: found.count(name) for name in ORDER},
            "tolerance_percent": asked.tolerances,
            "family": sum(point["p"] is not None for point in points),
            "notes": [*forced, *notes_of(base, new, pair, asked)],
            "points": points}
