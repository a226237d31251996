"""Compares two sides point by point; what comes of it is a report."""
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.base import tables
from verbsperf.compare import alike
from verbsperf.compare.sides import Key, Pair, Side, pair_up
from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, is_bandwidth, label, point_json
from verbsperf.documents.results import Record
from verbsperf.stats import ranks, verdict

SCHEMA = "verbsperf-compare/1"
# The worst first.
ORDER = (verdict.REGRESSION, verdict.INCONCLUSIVE, verdict.IMPROVEMENT,
         verdict.OK)
# Those where less is better are of latency.
RATES = ("gbps", "mpps", "mib_per_s", "peak_gbps")
# Of those that rose, as many are named.
MOST_COUNTERS = 4
TIMES = ("min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")


class Measured(NamedTuple):
    """What one side has of one point."""

    rounds: int             # those that gave a result
    values: List[float]     # of the metric, which not every result has
    failures: List[str]     # why the other rounds gave none
    rose: List[Object]      # counters of trouble and congestion, of all rounds

    def failed(self) -> bool:
        """Return True when it failed, and never gave a value."""
        return bool(self.failures) and not self.values

    def rises(self) -> Dict[Tuple[str, str], float]:
        """Return by how much each counter rose in a round, by its end and
        name."""
        return {(one["end"], one["counter"]): one["value"] / self.rounds
                for one in self.rose}

    def median(self) -> Optional[float]:
        """Return the median of its values."""
        return ranks.median(self.values) if self.values else None


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

    metrics: Dict[str, str]
    tolerances: Dict[str, float]    # in percent


def measured(records: Sequence[Record], metric: str) -> Measured:
    """Return what RECORDS of one side have of METRIC."""
    failures = [results.failure_of(record) for record in records
                if record.row is None]
    return Measured(len(records) - len(failures),
                    results.values_of(records, metric), failures,
                    results.risen(records))


def entry_of(key: Key, pair: Pair, every: Sequence[Point], asked: Question
             ) -> Entry:
    """Return the Entry of KEY, whose label tells it from EVERY point of the
    table."""
    target, point = key
    kind = "bandwidth" if is_bandwidth(point) else "latency"
    metric = asked.metrics[kind]
    return Entry((f"{target}: " if target else "") + label(point, every),
                 target, point, metric, asked.tolerances[kind],
                 measured(pair.base.get(key, []), metric),
                 measured(pair.new.get(key, []), metric))


def without_values(entry: Entry) -> Tuple[str, str]:
    """Return (verdict, note) of a point that one side at least did not
    measure."""
    base, new = entry.base, entry.new
    if not new.rounds and not new.failures:
        return verdict.INCONCLUSIVE, "not in NEW"
    if base.failed() and new.failed():
        return verdict.INCONCLUSIVE, "failed in both"
    if new.failed() and base.values:
        return verdict.REGRESSION, "failed: " + new.failures[0]
    if base.failed() and new.values:
        return verdict.IMPROVEMENT, "failed in BASE"
    side = "NEW" if base.values else "BASE"
    return (verdict.INCONCLUSIVE,
            f"{tables.unit(entry.metric)} was not measured in {side}")


def more_failures(entry: Entry) -> Iterator[str]:
    """Yield a note when more rounds failed in NEW than in BASE."""
    new = entry.new
    if len(new.failures) > len(entry.base.failures):
        total = len(new.failures) + len(new.values)
        yield (f"{len(new.failures)} of {total} rounds of NEW failed: "
               f"{new.failures[0]}")


def contradiction(entry: Entry, ratio: float) -> Iterator[str]:
    """Yield a note when the medians changed in another direction than RATIO,
    as they can when the rounds form two clusters."""
    base, new = entry.base.median(), entry.new.median()
    if base is None or new is None or tables.number(base) == tables.number(new):
        return
    if tables.percent(ratio, 1) != "+0.0%" and (new - base) * (ratio - 1) < 0:
        more, less = ("higher", "lower")[::1 if ratio > 1 else -1]
        yield (f"the median of NEW is {less}, but in most pairs of rounds NEW "
               f"is {more}, and that decides")


def worse_side(entry: Entry, outcome: str) -> Iterator[str]:
    """Yield a note of the counters that rose more on the side that is
    worse."""
    sides = [("NEW", entry.new), ("BASE", entry.base)]
    if outcome == verdict.IMPROVEMENT:
        sides.reverse()
    elif outcome != verdict.REGRESSION:
        return
    (name, worse), (other_name, other) = sides
    before, rises = other.rises(), worse.rises()
    trouble_first = sorted(worse.rose,
                           key=lambda one: str(one["kind"]) != "trouble")
    more = [key for key in ((one["end"], one["counter"])
                            for one in trouble_first)
            if rises[key] > before.get(key, 0)]
    words = [f"{key[1]} of the {key[0]} ({rises[key]:.4g} a round, "
             f"{before.get(key, 0):.4g} in {other_name})"
             for key in more[:MOST_COUNTERS]]
    if len(more) > MOST_COUNTERS:
        words.append(f"{len(more) - MOST_COUNTERS} more")
    if words:
        yield f"in {name} rose " + ", ".join(words)


def decided(entry: Entry, found: verdict.Judgement) -> Tuple[str, List[str]]:
    """Return (verdict, notes) of ENTRY, whose values were judged as FOUND."""
    notes = list(more_failures(entry))
    outcome = found.verdict
    if notes and outcome in (verdict.OK, verdict.IMPROVEMENT):
        outcome = verdict.INCONCLUSIVE
    return outcome, [*notes, *contradiction(entry, found.ratio),
                     *worse_side(entry, outcome)]


def judgement_json(found: Optional[verdict.Judgement]) -> Object:
    """Return the numbers of a judgement, in the order of the report."""
    if found is None:
        return dict.fromkeys(("ratio", "low", "high", "p", "p_adjusted"))
    return {"ratio": found.ratio, "low": found.low, "high": found.high,
            "p": found.p, "p_adjusted": found.adjusted}


def finish(entry: Entry, found: Optional[verdict.Judgement]) -> Object:
    """Return the point as the report has it."""
    if found is None:
        outcome, note = without_values(entry)
        notes = [note]
    else:
        outcome, notes = decided(entry, found)
    return {"label": entry.label, "target": entry.target,
            "point": point_json(entry.point), "metric": entry.metric,
            "base": entry.base.median(), "new": entry.new.median(),
            "base_rounds": len(entry.base.values),
            "new_rounds": len(entry.new.values),
            **judgement_json(found), "verdict": outcome,
            "more_rounds": found.more if found else None,
            "reason": found.reason if found and found.verdict == outcome
            else None,
            "tolerance_percent": entry.tolerance, "notes": notes}


def lacking(entry: Entry) -> Optional[str]:
    """Return a sentence when successful rounds lack the metric, as with too
    few samples for a percentile; else None."""
    base, new = entry.base, entry.new
    if (len(base.values), len(new.values)) == (base.rounds, new.rounds):
        return None
    name = tables.unit(entry.metric).removesuffix(" us")
    return (f"{name} was measured in {len(base.values)} and "
            f"{len(new.values)} of {base.rounds} and {new.rounds} rounds")


def sample_of(entry: Entry) -> verdict.Sample:
    """Return what verdict.judge() needs of ENTRY."""
    return verdict.Sample(entry.base.values, entry.new.values,
                          entry.metric in RATES, entry.tolerance / 100,
                          lacking(entry))


def judge(entries: Sequence[Entry]) -> List[Object]:
    """Judge ENTRIES and return the points as the report has them."""
    able = [entry for entry in entries
            if entry.base.values and entry.new.values]
    judged = verdict.judge([sample_of(entry) for entry in able])
    found = {id(entry): one for entry, one in zip(able, judged)}
    return [finish(entry, found.get(id(entry))) for entry in entries]


def side_json(side: Side) -> Object:
    """Return file, target and number of rounds of SIDE."""
    return {"file": side.path, "target": side.target,
            "rounds": max((record.round for record in side.records),
                          default=0)}


def notes_of(base: Side, new: Side, pair: Pair, points: Sequence[Object]
             ) -> Iterator[str]:
    """Yield what a reader should know besides the table."""
    if base.path != new.path:
        yield ("two sessions: anything that changed between them counts as a "
               "difference; a sweep of both targets avoids that")
    extra = len(pair.new.keys() - pair.base.keys())
    if extra:
        yield f"{extra} point{'s' if extra > 1 else ''} of NEW not in BASE"
    more = max((point["more_rounds"] or 0 for point in points), default=0)
    if more:
        yield f"inconclusive: {verdict.rounds_text(more)} of BASE and NEW each"


def compare(base: Side, new: Side, asked: Question, force: bool) -> Object:
    """Compare both sides and return the report; with FORCE fingerprints may
    differ."""
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
            "notes": [*forced, *notes_of(base, new, pair, points)],
            "points": points}
