"""The report of verbsperf-compare --nics: what several set-ups measured, side
by side, without a verdict."""
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.base.errors import Refused
from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import (Point, has, is_bandwidth, label,
                                        size_text)
from verbsperf.documents.results import Record
from verbsperf.nics import ranking, setups
from verbsperf.nics.setups import Fact, Setup
from verbsperf.stats import ranks

SCHEMA = "verbsperf-nics/1"
# What is compared of each kind of test, and what it is called.
COMPARED = {"bandwidth": {"gbps": "bandwidth"},
            "latency": {"p50": "median", "p99": "99%"}}
SHOWN = {"bandwidth": ("gbps", "share", "mpps"), "latency": ("p50", "p99")}
# Rounds of each set-up for an interval of their ratio.
FEWEST_ROUNDS = 4

# {size: {set-up: its records}}
Sizes = Dict[int, Dict[str, List[Record]]]


class Question(NamedTuple):
    """What is no difference, in percent, of bandwidth and of latency."""

    tolerances: Dict[str, float]


class Group(NamedTuple):
    """All sizes of one test with the same options."""

    point: Point        # of size 0
    kind: str           # "bandwidth" or "latency"
    sizes: Sizes
    label: str


def kind_of(point: Point) -> str:
    """Return what the test of POINT measures."""
    return "bandwidth" if is_bandwidth(point) else "latency"


def grouped(every: Sequence[Setup]) -> Dict[Point, Sizes]:
    """Return the records of EVERY set-up by test and by size."""
    found: Dict[Point, Sizes] = {}
    for setup in every:
        for record in setup.side.records:
            if record.point is not None:
                sizes = found.setdefault(record.point._replace(size=0), {})
                names = sizes.setdefault(record.point.size, {})
                names.setdefault(setup.name, []).append(record)
    return found


def group_label(point: Point, points: Sequence[Point]) -> str:
    """Describe POINT without its size, with what tells it from POINTS of the
    same test."""
    alike = [one for one in points if one.test == point.test]
    words = label(point, alike).split()
    if has(point, "size"):
        words.remove(size_text(point.size))
    return " ".join(words)


def groups_of(every: Sequence[Setup]) -> List[Group]:
    """Return what two set-ups at least have measured, in the order of the
    files."""
    found = {point: sizes for point, sizes in grouped(every).items()
             if len({name for one in sizes.values() for name in one}) > 1}
    if not found:
        raise Refused("the set-ups have no test in common")
    return [Group(point, kind_of(point), dict(sorted(sizes.items())),
                  group_label(point, list(found)))
            for point, sizes in found.items()]


def median_of(records: Sequence[Record], metric: str) -> Optional[float]:
    """Return the median of METRIC, or None."""
    values = setups.values_of(records, metric)
    return ranks.median(values) if values else None


def cpu_of(records: Sequence[Record], end: str) -> Optional[float]:
    """Return the median of ns of CPU per message at END, where rows have
    it."""
    costs = [((record.row or {}).get("cpu") or {}).get(end)
             for record in records]
    values = [cost.get("ns_per_message") for cost in costs if cost]
    known = [value for value in values if value is not None]
    return ranks.median(known) if known else None


def ratios(records: Sequence[Record], base: Sequence[Record], kind: str
           ) -> Object:
    """Return how RECORDS are to those of BASE, by metric."""
    found: Object = {}
    for metric in COMPARED[kind]:
        ratio = ranking.ratio_of(setups.values_of(base, metric),
                                 setups.values_of(records, metric))
        found[metric] = ratio and ratio._asdict()
    return found


def figure(records: Sequence[Record], base: Sequence[Record], kind: str
           ) -> Object:
    """Return what one set-up measured of one point, and how that is to the
    first set-up, BASE."""
    failed = [record for record in records if record.row is None]
    return {"rounds": len(records) - len(failed), "failed": len(failed),
            "error": results.failure_of(failed[0]) if failed else None,
            **{metric: median_of(records, metric) for metric in SHOWN[kind]},
            "cpu_ns": {end: cpu_of(records, end) for end in setups.ENDS},
            "ratios": None if records is base else ratios(records, base, kind),
            "rose": results.risen(records)}


def point_json(group: Group, size: int, names: Sequence[str]) -> Object:
    """Return what all set-ups measured of one SIZE."""
    records = group.sizes[size]
    base = records.get(names[0], [])
    return {"size": size, "figures": {
        name: figure(records[name], base, group.kind)
        for name in names if name in records}}


def crossings(group: Group, asked: Question) -> Iterator[Object]:
    """Yield which is ahead at which sizes, for each metric compared."""
    for metric, title in COMPARED[group.kind].items():
        by_size = {size: {name: setups.values_of(records, metric)
                          for name, records in names.items()}
                   for size, names in group.sizes.items()}
        found = ranking.stretches(by_size, group.kind == "bandwidth",
                                  asked.tolerances[group.kind] / 100)
        yield {"metric": metric, "title": title,
               "sentence": ranking.sentence(found),
               "stretches": [{"ahead": one.ahead, "sizes": list(one.sizes),
                              "factor": one.most} for one in found]}


def group_json(group: Group, names: Sequence[str], asked: Question) -> Object:
    """Return GROUP as the report has it."""
    return {"label": group.label, "test": group.point.test,
            "transport": group.point.transport, "qps": group.point.qps,
            "options": dict(group.point.options), "kind": group.kind,
            "ahead": list(crossings(group, asked)),
            "points": [point_json(group, size, names)
                       for size in group.sizes]}


def fact_json(fact: Fact, names: Sequence[str]) -> Object:
    """Return FACT by set-up."""
    return {"name": fact.name, "values": dict(zip(names, fact.values))}


def notes_of(every: Sequence[Setup], groups: Sequence[Group]
             ) -> Iterator[str]:
    """Yield what a reader should know besides the tables."""
    rounds = min(setup.rounds() for setup in every)
    if rounds < FEWEST_ROUNDS:
        yield (f"{rounds} round{'s' if rounds > 1 else ''} of a set-up: no "
               "intervals, and chance may decide which is ahead; "
               f"{FEWEST_ROUNDS} rounds of each give intervals")
    if len({setup.side.path for setup in every}) > 1:
        yield ("several sessions: anything that changed between them counts "
               "as a difference; a sweep of all targets avoids that")
    for group in groups:
        names = {name for one in group.sizes.values() for name in one}
        lack = [setup.name for setup in every if setup.name not in names]
        if lack:
            yield f"{group.label}: not measured by {' and '.join(lack)}"


def report(every: Sequence[Setup], asked: Question
           ) -> Tuple[Object, List[Group]]:
    """Return the report about EVERY set-up, and what it is about."""
    options = setups.settings(every)
    every = [setups.stripped(setup, options) for setup in every]
    names = [setup.name for setup in every]
    found = [*setups.facts(every), *options]
    groups = groups_of(every)
    return {
        "schema": SCHEMA,
        "setups": [{"name": setup.name, "file": setup.side.path,
                    "target": setup.side.target, "rounds": setup.rounds()}
                   for setup in every],
        "differences": [fact_json(fact, names) for fact in found
                        if fact.differs()],
        "alike": [fact_json(fact, names) for fact in found
                  if not fact.differs()],
        "tolerance_percent": asked.tolerances,
        "groups": [group_json(group, names, asked) for group in groups],
        "notes": list(notes_of(every, groups))}, groups
