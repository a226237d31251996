"""The report of verbsperf-compare --nics: what several set-ups measured, side
by side, without a verdict."""
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.errors import Refused
from verbsperf.base.metrics import METRICS, kind_of
from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, has, label, size_text
from verbsperf.documents.results import Record
from verbsperf.nics import ranking, setups
from verbsperf.nics.setups import Setups
from verbsperf.stats import ranks
from verbsperf.stats.verdict import Judgement

SCHEMA = "verbsperf-nics/1"
# What is compared of each kind of test, and what is shown.
COMPARED = {"bandwidth": ("gbps",), "latency": ("p50", "p99")}
SHOWN = {"bandwidth": ("gbps", "share", "mpps"), "latency": ("p50", "p99")}

# {size: {set-up: its records}}
Sizes = dict[int, dict[str, list[Record]]]
# The index of a group, a metric and a size.
Key = tuple[int, str, int]
Cells = dict[Key, ranking.Cell]


class Group(NamedTuple):
    """All sizes of one test with the same options."""

    point: Point        # of size 0
    kind: str           # "bandwidth" or "latency"
    sizes: Sizes
    label: str


def grouped(every: Setups) -> dict[Point, Sizes]:
    """Return the records of EVERY set-up by test and by size."""
    found: dict[Point, Sizes] = {}
    for name, side in every.items():
        for record in side.records:
            if record.point is not None:
                sizes = found.setdefault(record.point._replace(size=0), {})
                names = sizes.setdefault(record.point.size, {})
                names.setdefault(name, []).append(record)
    return found


def group_label(point: Point, points: Sequence[Point]) -> str:
    """Describe POINT without its size, with what tells it from POINTS."""
    alike = [one for one in points if one.test == point.test]
    words = label(point, alike).split()
    if has(point, "size"):
        words.remove(size_text(point.size))
    return " ".join(words)


def groups_of(every: Setups) -> list[Group]:
    """Return what two set-ups at least have measured, in order."""
    found = {point: sizes for point, sizes in grouped(every).items()
             if len({name for one in sizes.values() for name in one}) > 1}
    if not found:
        raise Refused("the set-ups have no test in common")
    return [Group(point, kind_of(point.test), dict(sorted(sizes.items())),
                  group_label(point, list(found)))
            for point, sizes in found.items()]


def complete(records: Sequence[Record], kind: str) -> Sequence[Record]:
    """Return those of RECORDS that have all metrics of KIND, if any has."""
    return [record for record in records if all(
        setups.values_of([record], metric)
        for metric in COMPARED[kind])] or records


def mean_of(records: Sequence[Record], metric: str) -> Optional[float]:
    """Return the trimmed mean of METRIC, or None."""
    values = setups.values_of(records, metric)
    return ranks.trimmed_mean(values) if values else None


def cpu_of(records: Sequence[Record], end: str) -> Optional[float]:
    """Return the median of ns of CPU per message at END, if any."""
    costs = [((record.row or {}).get("cpu") or {}).get(end)
             for record in records]
    values = [cost.get("ns_per_message") for cost in costs if cost]
    known = [value for value in values if value is not None]
    return ranks.median(known) if known else None


def cells_of(groups: Sequence[Group], tolerances: dict[str, float],
             together: bool) -> Cells:
    """Return what there is to compare of GROUPS, measured TOGETHER or not."""
    return {(index, metric, size): ranking.Cell(
        {name: values for name, values in (
            (name, setups.values_of(complete(own, group.kind), metric))
            for name, own in records.items()) if values},
        METRICS[metric].is_rate, tolerances[group.kind] / 100,
        together)
        for index, group in enumerate(groups) for metric in COMPARED[group.kind]
        for size, records in group.sizes.items()}


def figure(records: Sequence[Record], kind: str, ratios: Optional[Object]
           ) -> Object:
    """Return what one set-up measured of a point, and its RATIOS."""
    failed = results.failures(records)
    return {"rounds": len(records) - len(failed), "failed": len(failed),
            "error": failed[0] if failed else None,
            **{metric: mean_of(complete(records, kind), metric)
               for metric in SHOWN[kind]},
            "cpu_ns": {end: cpu_of(records, end) for end in setups.ENDS},
            "ratios": ratios, "rose": results.risen(records)}


class Compared(NamedTuple):
    """How set-ups are to each other."""

    ratios: dict[tuple[Key, str], Judgement]    # to the first set-up
    leaders: dict[Key, ranking.Lead]

    def ratio(self, key: Key, name: str) -> Optional[Object]:
        """Return how the set-up NAME is to the first, of KEY."""
        found = self.ratios.get((key, name))
        return found and {"ratio": found.ratio, "low": found.low,
                          "high": found.high}


def point_json(index: int, group: Group, size: int, names: Sequence[str],
               compared: Compared) -> Object:
    """Return what all set-ups measured of one SIZE."""
    records = group.sizes[size]
    return {"size": size, "figures": {
        name: figure(records[name], group.kind, None if name == names[0] else {
            metric: compared.ratio((index, metric, size), name)
            for metric in COMPARED[group.kind]})
        for name in names if name in records}}


def crossings(index: int, group: Group, compared: Compared) -> Iterator[Object]:
    """Yield which is ahead at which sizes, for each metric compared."""
    for metric in COMPARED[group.kind]:
        keys = {size: (index, metric, size) for size in group.sizes}
        found = ranking.stretches({
            size: compared.leaders[key] for size, key in keys.items()
            if key in compared.leaders})
        yield {"metric": metric, "title": METRICS[metric].title,
               "sentence": ranking.sentence(found, len(compared.leaders)),
               "stretches": [{"ahead": one.ahead, "sizes": list(one.sizes),
                              "factor": one.most,
                              "not_significant": sorted(one.doubtful)}
                             for one in found]}


def group_json(index: int, group: Group, names: Sequence[str],
               compared: Compared) -> Object:
    """Return GROUP, the one of INDEX, as the report has it."""
    return {"label": group.label, "test": group.point.test,
            "transport": group.point.transport, "qps": group.point.qps,
            "options": dict(group.point.options), "kind": group.kind,
            "ahead": list(crossings(index, group, compared)),
            "points": [point_json(index, group, size, names, compared)
                       for size in group.sizes]}


def together(every: Setups) -> bool:
    """Return True when EVERY set-up was measured in one session."""
    return len({side.path for side in every.values()}) == 1


def notes_of(every: Setups, groups: Sequence[Group]) -> Iterator[str]:
    """Yield what a reader should know besides the tables."""
    rounds = min(side.rounds() for side in every.values())
    if rounds < ranks.FEWEST_ROUNDS:
        yield (f"{rounds} round{'s' if rounds > 1 else ''} of a set-up: "
               f"{ranks.FEWEST_ROUNDS} of each tell which is ahead, and give"
               " intervals")
    if not together(every):
        yield ("several sessions: what changed from one to the other is in the"
               " ratios; a sweep of all targets measures them in alternation")
    for group in groups:
        names = {name for one in group.sizes.values() for name in one}
        lack = [name for name in every if name not in names]
        if lack:
            yield f"{group.label}: not measured by {' and '.join(lack)}"


def report(every: Setups, tolerances: dict[str, float]
           ) -> tuple[Object, list[Group]]:
    """Return the report about EVERY set-up, and what it is about."""
    options = setups.settings(every)
    every = {name: setups.stripped(side, options)
             for name, side in every.items()}
    names = list(every)
    groups = groups_of(every)
    cells = cells_of(groups, tolerances, together(every))
    compared = Compared(ranking.ratios(cells, names[0]), ranking.leaders(cells))
    facts: dict[bool, list[Object]] = {True: [], False: []}
    for fact in [*setups.facts(every), *options]:
        facts[fact.differs()].append({
            "name": fact.name, "values": dict(zip(names, fact.values))})
    return {
        "schema": SCHEMA,
        "setups": [{"name": name, "file": side.path, "target": side.target,
                    "rounds": side.rounds()} for name, side in every.items()],
        "differences": facts[True], "alike": facts[False],
        "tolerance_percent": tolerances,
        "groups": [group_json(index, group, names, compared)
                   for index, group in enumerate(groups)],
        "notes": list(notes_of(every, groups))}, groups
