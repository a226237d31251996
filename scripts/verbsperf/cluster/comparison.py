"""Which nodes and paths of a cluster are slower or faster than they were.

A change is a logarithm of what a pair reached, new to old, turned so that more
is better.  By how much one changes by chance is known from how much those of
all pairs differ; a node is judged by the median of its pairs.  The judge is the
one of all comparisons (stats/verdict.py)."""
import math
import statistics
from typing import (Dict, Iterator, List, NamedTuple, Optional, Sequence,
                    Tuple)

from verbsperf.base import tables
from verbsperf.base.errors import ResultsError
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.cluster import file, view
from verbsperf.compare.comparison import ORDER
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point, label
from verbsperf.documents.results import sweep_point
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats import noise, verdict

# Fewer pairs are too few for a spread that one of them does not move.
ROBUST = 6
# The deviation of normal values, by their MAD.
NORMAL_MAD = 1.4826
WORDS = {True: ("faster", "slower"), False: ("shorter", "longer")}

Values = Dict[Pair, List[Optional[float]]]


class Part(NamedTuple):
    """One point, before it is judged."""

    title: str
    metric: str
    changes: Dict[Pair, float]
    lost: List[str]         # what cannot be compared

    def ends(self) -> Dict[End, List[Pair]]:
        """Return the pairs of each end."""
        found: Dict[End, List[Pair]] = {}
        for pair in self.changes:
            for end in pair[:2]:
                found.setdefault(end, []).append(pair)
        return found

    def family(self) -> int:
        """Return how many changes are judged: of all, of each end that has
        several pairs, of each pair."""
        return 1 + len(self.changes) + sum(
            len(own) > 1 for own in self.ends().values())


class Change(NamedTuple):
    """What changed by how much, with its interval, and what that is."""

    what: str
    pairs: int
    estimate: float
    low: float
    high: float
    verdict: str
    apart: bool = False     # it is not that of the whole


class Changed(NamedTuple):
    """What changed at one point."""

    part: Part
    whole: Optional[Change]     # None: no pair was measured in both
    named: List[Change]
    undecided: List[Change]


class Scale(NamedTuple):
    """What changes of one point are measured by."""

    limits: Tuple[float, float]     # (loss, gain) within the tolerance
    spread: float       # of the change of one pair
    freedom: int        # degrees of freedom of that
    family: int         # of changes

    def decide(self, known: verdict.Change) -> Tuple[str, Optional[str]]:
        """Return (verdict, reason) of what is KNOWN of a change."""
        return verdict.decide(known, known.ps(self.family)[1], *self.limits)

    def change(self, what: str, own: Sequence[float],
               whole: Optional[Change] = None) -> Change:
        """Judge the pairs OWN, of two in the middle by the one that changed
        less, beside the WHOLE."""
        estimate = min(statistics.median_low(own), statistics.median_high(own),
                       key=abs)
        # of a median, of normal values
        share = 1 if len(own) < 3 else math.sqrt(math.pi / 2 / len(own))
        known = verdict.Change(estimate, (self.spread * share) ** 2,
                               self.freedom, verdict.NOTHING, 1)
        found = Change(what, len(own), estimate, estimate - known.reach(),
                       estimate + known.reach(), self.decide(known)[0])
        if whole is None:
            return found
        beyond, reason = self.decide(known._replace(
            estimate=estimate - whole.estimate))
        return found._replace(
            apart=beyond == verdict.REGRESSION or reason == verdict.BETTER
            or found.verdict == verdict.REGRESSION != whole.verdict)


def limits_of(metric: str, tolerance: float) -> Tuple[float, float]:
    """Return (loss, gain) of METRIC that TOLERANCE allows."""
    return verdict.Sample({}, [], METRICS[metric].is_rate,
                          tolerance).allowed()


def scale_of(part: Part, limits: Tuple[float, float], family: int) -> Scale:
    """Return the Scale of PART, one of those with FAMILY changes."""
    values = list(part.changes.values())
    if len(values) < 2:
        return Scale(limits, math.inf, 1, family)
    middle = statistics.median(values)
    spread = (NORMAL_MAD * statistics.median(
        abs(value - middle) for value in values)
        if len(values) >= ROBUST else statistics.stdev(values))
    return Scale(limits, max(spread, noise.LEAST_NOISE), len(values) - 1,
                 family)


def values_of(entries: Sequence[Object], index: int) -> Values:
    """Return what each pair reached in the rounds, whichever end was the
    client; None where it failed."""
    found: Values = {}
    for entry in view.in_rounds(entries, index):
        pair = file.pair_of(entry)
        a, b = sorted(pair[:2])
        found.setdefault(Pair(a, b, pair.rail), []).append(entry["value"])
    return found


def named(pairs: Sequence[Pair]) -> str:
    """Return PAIRS as text, many of them in short."""
    if len(pairs) <= view.NAMED:
        return ", ".join(pair.text() for pair in pairs)
    common = set.intersection(*(set(pair[:2]) for pair in pairs))
    return counted(len(pairs), "pair") + (
        f" of {common.pop().text()}" if common
        else f", such as {pairs[0].text()}")


def lost_of(old: Values, new: Values) -> Iterator[str]:
    """Yield which pairs one side did not measure."""
    for side, own, other in (("BASE", old, new), ("NEW", new, old)):
        failed = sorted(pair for pair, values in own.items() if None in values)
        missing = sorted(other.keys() - own.keys())
        if failed:
            yield f"failed in {side}: {named(failed)}"
        if missing:
            yield f"not in {side}: {named(missing)}"


def part_of(title: str, metric: str, old: Values, new: Values) -> Part:
    """Return what is to be judged of the same pairs in OLD and NEW."""
    sign = 1 if METRICS[metric].is_rate else -1
    changes = {}
    for pair in sorted(old.keys() & new.keys()):
        both = [[value for value in side[pair] if value is not None]
                for side in (old, new)]
        if all(both):
            before, now = (math.log(max(statistics.median(own), verdict.LEAST))
                           for own in both)
            changes[pair] = sign * (now - before)
    return Part(title, metric, changes, list(lost_of(old, new)))


def judge(part: Part, limits: Tuple[float, float], family: int) -> Changed:
    """Judge PART: name the ends whose pairs changed in another way than the
    rest, the farthest first, and pairs that did by themselves."""
    if not part.changes:
        return Changed(part, None, [], [])
    scale, left = scale_of(part, limits, family), dict(part.changes)
    whole = scale.change("median pair", list(left.values()))
    found: List[Change] = []
    while True:
        own = [(end, pairs) for end, pairs in part._replace(
            changes=left).ends().items() if len(pairs) > 1]
        ends = [(scale.change(end.text(), [left[pair] for pair in pairs],
                              whole), pairs) for end, pairs in own]
        apart = [one for one in ends if one[0].apart]
        if not apart:
            break
        worst, pairs = max(apart, key=lambda one: abs(
            one[0].estimate - whole.estimate))
        found.append(worst)
        left = {pair: left[pair] for pair in left if pair not in pairs}
    single = [scale.change(pair.text(), [one], whole)
              for pair, one in left.items()]
    found += [one for one in single if one.apart]
    rest = [whole, *(one for one, _ in ends), *single]
    return Changed(part, whole, found, [
        one for one in rest if one not in found
        and one.verdict == verdict.INCONCLUSIVE])


def compare(old_path: str, new_path: str, tolerances: Dict[str, float]
            ) -> List[Changed]:
    """Compare two files, point by point; TOLERANCES are in percent."""
    sides = [file.read(path) for path in (old_path, new_path)]
    old, new = ({sweep_point(point): (point["metric"], values_of(entries, i))
                 for i, point in enumerate(header["points"])}
                for header, entries in sides)
    parts = [both_of(point, old, new) for point in {**old, **new}]
    if not any(old[point][1].keys() & new[point][1].keys()
               for point in old.keys() & new.keys()):
        raise ResultsError(f"{old_path} and {new_path} have no pair in common "
                           "that was to be measured in the same way")
    family = sum(part.family() for part in parts)
    return [judge(part, limits_of(part.metric,
                                  tolerance_of(part.metric, tolerances) / 100),
                  family) for part in parts]


def tolerance_of(metric: str, tolerances: Dict[str, float]) -> float:
    """Return that of TOLERANCES which METRIC has, in percent."""
    return tolerances["bandwidth" if METRICS[metric].is_rate else "latency"]


def both_of(point: Point, old: Dict[Point, "tuple[str, Values]"],
            new: Dict[Point, "tuple[str, Values]"]) -> Part:
    """Return the Part of POINT, which one side at least has."""
    title = label(point)
    for side, own, other in (("BASE", old, new), ("NEW", new, old)):
        if point not in own:
            return Part(title, other[point][0], {}, [f"not in {side}"])
    return part_of(title, new[point][0], old[point][1], new[point][1])


def percent(change: float, metric: str) -> str:
    """Return CHANGE as that of METRIC, which may be better the less it is."""
    sign = 1 if METRICS[metric].is_rate else -1
    return tables.percent(math.exp(sign * change), 1)


def change_text(change: float, metric: str) -> str:
    """Say what CHANGE of METRIC is."""
    text = percent(change, metric)
    if text == "+0.0%":
        return "unchanged"
    return f"{text.lstrip('+-')} {WORDS[METRICS[metric].is_rate][change < 0]}"


def said(change: Change, metric: str) -> str:
    """Return the line of CHANGE."""
    ends = [percent(one, metric) for one in (change.low, change.high)
            if math.isfinite(one)][::1 if METRICS[metric].is_rate else -1]
    partners = f" with {change.pairs} partners" * (change.pairs > 1)
    return (f"{change.what}: {change_text(change.estimate, metric)}{partners}"
            + f" ({' .. '.join(ends)})" * bool(ends) + f": {change.verdict}")


def undecided_text(changed: Changed) -> str:
    """Say what is not known, and what would decide it."""
    worst = min(changed.undecided, key=lambda one: one.low)
    words = (f"{len(changed.undecided)} of {changed.part.family()} changes may "
             "be a loss beyond the tolerance")
    if not math.isfinite(worst.low):
        return words + ": one pair does not say what changes by chance"
    return (f"{words}, such as of {worst.what} "
            f"({percent(worst.low, changed.part.metric)}): a larger tolerance "
            "decides, or several measurements of each pair")


def lines_of(changed: Changed) -> Iterator[str]:
    """Yield what is said of one point."""
    part = changed.part
    if changed.whole is None:
        yield f"{part.title}: no pair was measured in both"
    else:
        whole = changed.whole._replace(pairs=1)
        yield (f"{part.title}: {counted(len(part.changes), 'pair')}; "
               + said(whole, part.metric))
    yield from ("  " + said(one, part.metric) for one in changed.named)
    yield from ("  " + line for line in part.lost)
    if changed.undecided:
        yield f"  {verdict.INCONCLUSIVE}: {undecided_text(changed)}"


def outcome_of(found: Sequence[Changed]) -> str:
    """Return the verdict of all: what is missing counts as what is slower."""
    seen = {change.verdict for one in found
            for change in (one.whole, *one.named, *one.undecided) if change}
    if verdict.REGRESSION in seen or any(one.part.lost for one in found):
        return verdict.REGRESSION
    return min(seen, key=ORDER.index)


def last_line(found: Sequence[Changed]) -> str:
    """Return what it all comes to."""
    slower = sum(change.verdict == verdict.REGRESSION for one in found
                 for change in (one.whole, *one.named) if change)
    lost = sum(bool(one.part.lost) for one in found)
    words = ([f"{slower} slower"] * bool(slower)
             + [f"{counted(lost, 'point')} with what one side did not measure"
                ] * bool(lost))
    return "; ".join(words) or outcome_of(found)


def text(found: Sequence[Changed], tolerances: Dict[str, float]) -> str:
    """Return it as text."""
    metrics = dict.fromkeys(one.part.metric for one in found)
    lines = [line for one in found for line in lines_of(one)]
    lines += [
        "tolerance: " + " and ".join(
            f"{tolerance_of(one, tolerances):g}% of {tables.unit(one)}"
            for one in metrics),
        "two sessions: anything that changed between them counts as a "
        "difference", last_line(found)]
    return "".join(f" {tables.printable(line)}\n" for line in lines)
