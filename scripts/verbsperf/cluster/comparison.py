"""Which nodes and paths of a cluster are slower or faster than they were."""
import math
import statistics
from typing import Dict, Iterator, List, NamedTuple, Sequence

from verbsperf.base import tables
from verbsperf.base.errors import ResultsError
from verbsperf.cluster import file, view
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import label
from verbsperf.documents.results import sweep_point
from verbsperf.findings.usual import (DEVIATIONS, LEAST, Measured, speed_of,
                                      suspects_of)
from verbsperf.pairs.patterns import End, Pair


class Changed(NamedTuple):
    """What changed at one point."""

    title: str
    compared: int           # pairs
    whole: float            # the ratio of speeds of the middle pair
    least: float            # that a change of a pair must have to be one
    ratios: Dict[Pair, float]   # of those that changed
    ends: List[End]         # of which many pairs did
    pairs: List[Pair]       # that did by themselves


def speeds_of(entries: Sequence[Object], index: int, metric: str
              ) -> Dict[Pair, float]:
    """Return the speed of each pair, whichever end was the client."""
    found: Dict[Pair, List[float]] = {}
    for entry in view.in_rounds(entries, index):
        if entry["value"] is not None:
            one = Measured(file.pair_of(entry), entry["value"])
            a, b = sorted(one.pair[:2])
            found.setdefault(Pair(a, b, one.pair.rail), []).append(
                speed_of(one.value, metric))
    return {pair: statistics.median(own) for pair, own in found.items()}


def changed_of(title: str, metric: str, old: Dict[Pair, float],
               new: Dict[Pair, float]) -> Changed:
    """Compare the speeds OLD and NEW of the same pairs."""
    ratios = {pair: new[pair] / old[pair] for pair in old
              if pair in new and old[pair] > 0}
    if not ratios:
        return Changed(title, 0, math.nan, math.nan, {}, [], [])
    whole = statistics.median(ratios.values())
    spread = 1.4826 * statistics.median(
        abs(ratio - whole) for ratio in ratios.values())
    least = max(LEAST.get(metric, 0.1), DEVIATIONS * spread)
    changed = {pair: ratio for pair, ratio in ratios.items()
               if abs(ratio / whole - 1) > least}
    ends, pairs = suspects_of(set(changed), ratios)
    return Changed(title, len(ratios), whole, least, changed, ends, pairs)


def compare(old_path: str, new_path: str) -> List[Changed]:
    """Compare two files, point by point."""
    old_header, old = file.read(old_path)
    new_header, new = file.read(new_path)
    there = {sweep_point(point): i
             for i, point in enumerate(old_header["points"])}
    found = [changed_of(label(sweep_point(point)), point["metric"],
                        speeds_of(old, there[sweep_point(point)],
                                  point["metric"]),
                        speeds_of(new, i, point["metric"]))
             for i, point in enumerate(new_header["points"])
             if sweep_point(point) in there]
    if not any(one.compared for one in found):
        raise ResultsError(f"{old_path} and {new_path} have no pair in common "
                           "that was measured in the same way")
    return found


def change_text(ratio: float) -> str:
    """Say what RATIO of speeds is."""
    change = (ratio - 1) * 100
    return f"{abs(change):.0f}% {'faster' if change > 0 else 'slower'}"


def lines_of(changed: Changed) -> Iterator[str]:
    """Yield what is said of one point."""
    yield (f"{changed.title}: {changed.compared} pairs; the middle one is "
           f"{change_text(changed.whole)}")
    if not changed.ratios:
        yield f"  no pair changed by more than {changed.least * 100:.0f}%"
    for end in changed.ends:
        own = [ratio for pair, ratio in changed.ratios.items()
               if end in pair[:2]]
        yield (f"  {end.text()}: {change_text(statistics.median(own))} with "
               f"{len(own)} partners")
    for pair in changed.pairs:
        yield f"  {pair.text()}: {change_text(changed.ratios[pair])}"


def status_of(found: Sequence[Changed]) -> int:
    """Return 1 when something is slower, else 0."""
    return int(any(one.whole < 1 - LEAST["gbps"]
                   or any(ratio < one.whole for ratio in one.ratios.values())
                   for one in found))


def text(found: Sequence[Changed]) -> str:
    """Return it as text."""
    return "".join(f" {tables.printable(line)}\n"
                   for one in found for line in lines_of(one))
