"""Which nodes and paths of a cluster are slower or faster than they were.

A change is a logarithm of what a pair reached, new to old, turned so that more
is better.  By how much one changes by chance is known from how much those of
all pairs differ; a node is judged by the median of its pairs.  The judge is the
one of all comparisons (stats/verdict.py)."""
import math
import statistics
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import foreign, tables
from verbsperf.base.errors import ResultsError
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.cluster import file, view
from verbsperf.compare.comparison import ORDER
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import label
from verbsperf.documents.results import sweep_point
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats import noise, verdict
from verbsperf.stats.libraries import stats

# Fewer pairs are too few for a spread that one of them does not move.
ROBUST = 6
# What is more, and what is less, where more is better and where less is.
WORDS = {1: ("faster", "slower"), -1: ("shorter", "longer")}

Values = dict[Pair, list[Optional[float]]]


class Part(NamedTuple):
    """One point, before it is judged."""

    title: str
    metric: str
    tolerance: float        # in percent
    changes: dict[Pair, float]
    lost: list[str]         # what cannot be compared

    def sign(self) -> int:
        """Return 1 where more is better, else -1."""
        return 1 if METRICS[self.metric].is_rate else -1

    def family(self) -> int:
        """Return how many changes are judged: of all, ends and pairs."""
        return 1 + len(self.changes) + len(by_end(self.changes))

    def percent(self, change: float) -> str:
        """Return CHANGE as people read it: of a longer time, more."""
        return tables.percent(math.exp(self.sign() * change), 1)


class Change(NamedTuple):
    """What changed by how much, with its interval, and what that is."""

    what: str
    pairs: int
    estimate: float
    low: float
    high: float
    verdict: str


class Changed(NamedTuple):
    """What changed at one point."""

    part: Part
    whole: Optional[Change]     # None: no pair was measured in both
    named: list[Change]
    undecided: list[Change]


def by_end(pairs: Iterable[Pair]) -> dict[End, list[Pair]]:
    """Return the PAIRS of each end that has several."""
    found: dict[End, list[Pair]] = {}
    for pair in pairs:
        for end in pair[:2]:
            found.setdefault(end, []).append(pair)
    return {end: own for end, own in found.items() if len(own) > 1}


def spread_of(changes: Sequence[float]) -> float:
    """Return by how much one pair changes by chance."""
    if len(changes) < 2:
        return math.inf
    return max(noise.LEAST_NOISE, statistics.stdev(changes)
               if len(changes) < ROBUST else float(
                   stats.median_abs_deviation(changes, scale="normal")))


class Judge:
    """Judges the changes of PART, one of those with FAMILY changes."""

    def __init__(self, part: Part, family: int) -> None:
        self.family = family
        self.limits = verdict.Sample({}, [], METRICS[part.metric].is_rate,
                                     part.tolerance / 100).allowed()
        self.spread = spread_of(list(part.changes.values()))
        self.freedom = max(1, len(part.changes) - 1)

    def known(self, estimate: float, pairs: int) -> verdict.Change:
        """Return what is known of the change ESTIMATE of as many PAIRS."""
        # of a median, of normal values
        share = 1 if pairs < 3 else math.sqrt(math.pi / 2 / pairs)
        return verdict.Change(estimate, (self.spread * share) ** 2,
                              self.freedom, verdict.NOTHING, 1)

    def decide(self, known: verdict.Change) -> tuple[str, Optional[str]]:
        """Return (verdict, reason) of what is KNOWN of a change."""
        return verdict.decide(known, known.ps(self.family)[1], *self.limits)

    def change(self, what: str, own: Sequence[float]) -> Change:
        """Judge the pairs OWN of WHAT, of two in the middle by the lesser."""
        estimate = min(statistics.median_low(own), statistics.median_high(own),
                       key=abs)
        known = self.known(estimate, len(own))
        return Change(what, len(own), estimate, estimate - known.reach(),
                      estimate + known.reach(), self.decide(known)[0])

    def is_apart(self, one: Change, whole: Change) -> bool:
        """ONE changed in another way than the WHOLE."""
        beyond, reason = self.decide(self.known(
            one.estimate - whole.estimate, one.pairs))
        return (beyond == verdict.REGRESSION or reason == verdict.BETTER
                or one.verdict == verdict.REGRESSION != whole.verdict)


def values_of(entries: Sequence[Object], index: int) -> Values:
    """Return what each pair reached in the rounds, None where it failed."""
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


def part_of(title: str, metric: str, tolerance: float, old: Values,
            new: Values) -> Part:
    """Return what is to be judged of the same pairs in OLD and NEW."""
    part = Part(title, metric, tolerance, {}, list(lost_of(old, new)))
    for pair in sorted(old.keys() & new.keys()):
        both = [[value for value in side[pair] if value is not None]
                for side in (old, new)]
        if all(both):
            before, now = (math.log(max(statistics.median(own), verdict.LEAST))
                           for own in both)
            part.changes[pair] = part.sign() * (now - before)
    return part


def judge(part: Part, family: int) -> Changed:
    """Judge PART, one of those with FAMILY changes: name the ends whose pairs
    changed in another way than the rest, the farthest first, and pairs that
    did by themselves."""
    if not part.changes:
        return Changed(part, None, [], [])
    judging, left = Judge(part, family), dict(part.changes)
    whole = judging.change("median pair", list(left.values()))
    found: list[Change] = []
    while True:
        ends = [(judging.change(end.text(), [left[pair] for pair in own]), own)
                for end, own in by_end(left).items()]
        apart = [one for one in ends if judging.is_apart(one[0], whole)]
        if not apart:
            break
        worst, own = max(apart, key=lambda one: abs(
            one[0].estimate - whole.estimate))
        found.append(worst)
        left = {pair: one for pair, one in left.items() if pair not in own}
    single = [judging.change(pair.text(), [one]) for pair, one in left.items()]
    found += [one for one in single if judging.is_apart(one, whole)]
    rest = [whole, *(one for one, _ in ends), *single]
    return Changed(part, whole, found, [
        one for one in rest if one.verdict == verdict.INCONCLUSIVE
        and one not in found])


def compare(old_path: str, new_path: str, tolerances: dict[str, float]
            ) -> list[Changed]:
    """Compare two files, point by point; TOLERANCES are in percent."""
    files = [file.read(path) for path in (old_path, new_path)]
    if len({header.get("processes") or 1 for header, _ in files}) > 1:
        raise ResultsError(f"{old_path} and {new_path} have not the same "
                           "--processes")
    old, new = ({sweep_point(point): (point["metric"], values_of(entries, i))
                 for i, point in enumerate(header["points"])}
                for header, entries in files)
    if not any(old[point][1].keys() & new[point][1].keys()
               for point in old.keys() & new.keys()):
        raise ResultsError(f"{old_path} and {new_path} have no pair in common "
                           "that was to be measured in the same way")
    parts = []
    for point in {**old, **new}:
        metric, values = new.get(point) or old[point]
        about = (label(point), metric, tolerances[
            "bandwidth" if METRICS[metric].is_rate else "latency"])
        if point in old and point in new:
            parts.append(part_of(*about, old[point][1], values))
        else:
            side = "NEW" if point in old else "BASE"
            parts.append(Part(*about, {}, [f"not in {side}"]))
    family = sum(part.family() for part in parts)
    return [judge(part, family) for part in parts]


def said(change: Change, part: Part) -> str:
    """Return the line of CHANGE at PART."""
    text, sign = part.percent(change.estimate), part.sign()
    says = "unchanged" if text == "+0.0%" else (
        f"{text.lstrip('+-')} {WORDS[sign][change.estimate < 0]}")
    ends = [part.percent(one) for one in (change.low, change.high)[::sign]
            if math.isfinite(one)]
    return (f"{change.what}: {says}"
            + f" with {change.pairs} partners" * (change.pairs > 1)
            + f" ({' .. '.join(ends)})" * bool(ends) + f": {change.verdict}")


def undecided_text(changed: Changed) -> str:
    """Say what is not known, and what would decide it."""
    worst = min(changed.undecided, key=lambda one: one.low)
    words = (f"{len(changed.undecided)} of {changed.part.family()} changes may "
             "be a loss beyond the tolerance")
    if not math.isfinite(worst.low):
        return words + ": one pair does not say what changes by chance"
    return (f"{words}, such as of {worst.what} "
            f"(at worst {changed.part.percent(worst.low)}): a larger tolerance "
            "decides, or more --rounds of verbsperf-cluster")


def lines_of(changed: Changed) -> Iterator[str]:
    """Yield what is said of one point."""
    part = changed.part
    if changed.whole is None:
        yield f"{part.title}: no pair was measured in both"
    else:
        yield (f"{part.title}: {counted(len(part.changes), 'pair')}; "
               + said(changed.whole._replace(pairs=1), part))
    yield from ("  " + said(one, part) for one in changed.named)
    yield from ("  " + line for line in part.lost)
    if changed.undecided:
        yield f"  {verdict.INCONCLUSIVE}: {undecided_text(changed)}"


def outcome_of(found: Sequence[Changed]) -> str:
    """Return the verdict of all: what is missing counts as what is slower."""
    if any(one.part.lost for one in found):
        return verdict.REGRESSION
    return min((change.verdict for one in found for change in (
        one.whole, *one.named, *one.undecided) if change), key=ORDER.index)


def last_line(found: Sequence[Changed]) -> str:
    """Return what it all comes to."""
    slower = sum(change.verdict == verdict.REGRESSION for one in found
                 for change in (one.whole, *one.named) if change)
    lost = sum(bool(one.part.lost) for one in found)
    words = ([f"{slower} slower"] * bool(slower)
             + [f"{counted(lost, 'point')} with what one side did not measure"
                ] * bool(lost))
    return "; ".join(words) or outcome_of(found)


def text(found: Sequence[Changed]) -> str:
    """Return it as text."""
    tolerances = dict.fromkeys(f"{part.tolerance:g}% of "
                               + tables.unit(part.metric)
                               for part, *_ in found)
    lines = [*(line for one in found for line in lines_of(one)),
             "tolerance: " + " and ".join(tolerances),
             "two sessions: anything that changed between them counts as a "
             "difference", last_line(found)]
    return "".join(f" {foreign.terminal(line)}\n" for line in lines)
