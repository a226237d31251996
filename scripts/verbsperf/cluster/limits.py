"""The user's limits that pairs did not meet, as findings."""
from typing import Iterator, Optional, Sequence

from verbsperf.base.tables import counted
from verbsperf.cluster.file import pair_of
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.results import grouped
from verbsperf.pairs.patterns import Pair
from verbsperf.sweep.limits import asked_text, seen_text, worst_of

KIND = "limit"
NAMED = 4           # pairs that a sentence names, the worst


def share(limit: Object, worst: Optional[float]) -> Optional[float]:
    """Return how much of LIMIT the WORST is, less than 1; None where neither
    can be, as a node says it, or one is not known."""
    asked = limit.get("asked") or 0
    if worst is None or worst < 0 or asked <= 0:
        return None
    least, most = sorted((asked, worst))
    return float(least / most)


def finding_of(text: str, found: Sequence[tuple[Pair, Object]], pairs: int
               ) -> Object:
    """Return the finding that FOUND, of PAIRS pairs, missed the limit TEXT."""
    limit = found[0][1]
    worst = {pair: worst_of([one for _, one in own]) for pair, own
             in grouped(found, lambda one: one[0]).items()}
    shares = {pair: share(limit, value) for pair, value in worst.items()}
    order = sorted(worst, key=lambda pair: shares[pair] or 0)
    said = {pair: seen_text(limit, worst[pair]) for pair in order}
    named = [f"{pair.text()}: {said[pair]}" for pair in order[:NAMED]]
    more = [f"and {len(order) - NAMED} more"] * (len(order) > NAMED)
    if len(order) == pairs > 1 and len(set(said.values())) == 1:
        named, more = [said[order[0]]], []
    return {"kind": KIND, "ratio": shares[order[0]],
            "ends": [end._asdict() for end in order[0][:2]],
            "sentence": f"{text} missed by {len(order)} of "
                        f"{counted(pairs, 'pair')}; "
                        + ", ".join([*named, *more])}


def findings_of(entries: Sequence[Object]) -> Iterator[Object]:
    """Yield a finding for each limit that ENTRIES, pairs of the rounds of a
    point, missed."""
    missed = [(pair_of(entry), one) for entry in entries
              for one in entry.get("missed") or ()]
    pairs = len(set(map(pair_of, entries)))
    for text, found in grouped(missed, lambda one: asked_text(one[1])).items():
        yield finding_of(text, found, pairs)
