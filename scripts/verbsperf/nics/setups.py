"""The set-ups of verbsperf-compare --nics: what each of them is, and what
differs between them."""
import collections
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.errors import Refused
from verbsperf.compare import sides
from verbsperf.compare.sides import Side
from verbsperf.documents import environment, results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record, point_of, text_of

ENDS = ("client", "server")
# What is said first, in this order; the rest is said in order of name.
FIRST = ("device", "link layer", "rate gbps", "mtu", "gid type", "firmware")
TITLES = {"rate gbps": "link rate in Gb/s", "tool version": "verbsperf"}
# How words of a name are written.
WORDS = {"aspm": "ASPM", "cpu": "CPU", "cpus": "CPUs", "ecn": "ECN",
         "gbps": "Gb/s", "gid": "GID", "gt": "GT/s", "iommu": "IOMMU",
         "mhz": "MHz", "mtu": "MTU", "numa": "NUMA", "pcie": "PCIe",
         "pfc": "PFC", "smt": "SMT", "sriov": "SR-IOV", "us": "us",
         "vlan": "VLAN"}
Setups = dict[str, Side]     # by name, in the order they were named
# Names of one thing among several that are alike.
NO_FACTS = ("gid", "gid_index", "lid", "qp", "port")


class Fact(NamedTuple):
    """One thing about all set-ups; None is not known."""

    name: str
    values: tuple[Optional[str], ...]   # in the order of the set-ups

    def differs(self) -> bool:
        """Return True when not all of them are known and alike."""
        return len(set(self.values)) > 1


def sides_of(files: Sequence[str], targets: Optional[str]) -> list[Side]:
    """Return the sides that FILES name; one sweep has its TARGETS."""
    if len(files) > 1 and targets:
        raise Refused("--targets chooses from one sweep; of several files "
                      "write FILE:TARGET")
    found = [sides.select(name) for name in files]
    if len(found) > 1 or found[0].target:
        for side in found:
            sides.check_one_target(side)
        return found
    whole = found[0]
    names = targets.split(",") if targets else whole.targets()
    return [whole.only(name) for name in names]


def choose(files: Sequence[str], targets: Optional[str]) -> Setups:
    """Return the set-ups that the command line names, by their names."""
    found = sides_of(files, targets)
    names = [side.target or side.records[0].target for side in found]
    often = collections.Counter(names)
    names = [side.path if often[name] > 1 and side.target is None else name
             for name, side in zip(names, found)]
    if len(found) < 2 or len(set(names)) < len(names):
        raise Refused("--nics needs two files or targets at least, and each "
                      "only once")
    for name, side in zip(names, found):
        if not side.measured():
            raise Refused(f"{name}: no measurement in it succeeded")
    return dict(zip(names, found))


def flattened(part: Object, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of all that PART of a document has, deep down."""
    for key, value in part.items():
        name = f"{prefix}{key}".replace("_", " ")
        if key in NO_FACTS:
            continue
        if isinstance(value, dict):
            yield from flattened(value, f"{name} ")
        elif value is not None and value != []:
            yield name, value


def facts_of(record: Record) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of what RECORD says about its set-up; a name begins
    with an end when it is about one."""
    for name, value in record.fingerprint.items():
        if value is not None:
            yield name, value
    document = record.document or {}
    for end in ENDS:
        yield from flattened(document.get(end, {}), f"{end} ")
    yield from environment.marks(document).items()


def fact_text(value: Any) -> str:
    """Return VALUE as text, a number without a fraction that is 0."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return text_of(value)


def said(values: Sequence[Any]) -> str:
    """Say VALUES of one thing that changed between the rounds."""
    texts = list(dict.fromkeys(map(fact_text, values)))
    numbers = all(isinstance(value, (int, float)) and not
                  isinstance(value, bool) for value in values)
    if len(texts) > 2 and numbers:
        return f"{fact_text(min(values))} to {fact_text(max(values))}"
    more = len(texts) - 3
    return " and ".join(texts[:3]) + (f" and {more} more" if more > 0 else "")


def known_of(side: Side) -> dict[str, str]:
    """Return {name: text} of all that is known of the set-up SIDE."""
    found: dict[str, list[Any]] = {}
    for record in side.measured():
        for name, value in facts_of(record):
            if value not in found.setdefault(name, []):
                found[name].append(value)
    return {name: said(values) for name, values in found.items()}


def of_end(name: str) -> tuple[str, str]:
    """Return (end, or "" of both, what is known of it) of a fact's NAME."""
    end, _, rest = name.partition(" ")
    return (end, rest) if end in ENDS else ("", name)


def joined(facts: dict[str, Fact]) -> Iterator[Fact]:
    """Yield FACTS, those of both ends as one where both ends are alike."""
    for name, fact in facts.items():
        end, rest = of_end(name)
        both = {facts.get(f"{one} {rest}", Fact("", ())).values for one in ENDS}
        if not end or len(both) > 1:
            yield fact
        elif end == ENDS[0]:
            yield Fact(rest, fact.values)


def place(fact: Fact) -> tuple[int, str]:
    """Return what FACTS are sorted by."""
    name = of_end(fact.name)[1]
    return (FIRST.index(name) if name in FIRST else len(FIRST), fact.name)


def titled(fact: Fact) -> Fact:
    """Return FACT with its name for people."""
    end, rest = of_end(fact.name)
    words = [TITLES.get(rest) or " ".join(
        WORDS.get(word, word) for word in rest.split())]
    return fact._replace(name=" ".join([end] * bool(end) + words))


def facts(setups: Setups) -> list[Fact]:
    """Return what is known of SETUPS."""
    known = [known_of(side) for side in setups.values()]
    names = dict.fromkeys(name for one in known for name in one)
    found = {name: Fact(name, tuple(one.get(name) for one in known))
             for name in names}
    return [titled(fact) for fact in sorted(joined(found), key=place)]


def settings(setups: Setups) -> list[Fact]:
    """Return the options in which SETUPS differ, each by one value."""
    every = [[dict(point_of(record).options) for record in side.measured()]
             for side in setups.values()]
    names = {name for own in every for options in own for name in options}
    found = []
    for name in sorted(names):
        values = [{options.get(name) for options in own} for own in every]
        if all(len(one) == 1 for one in values):
            found.append(Fact(f"--{name}", tuple(one.pop() for one in values)))
    return [fact for fact in found if fact.differs()]


def stripped(side: Side, found: Sequence[Fact]) -> Side:
    """Return the set-up SIDE without the settings FOUND in its points."""
    names = {fact.name.removeprefix("--") for fact in found}

    def left_of(point: Point) -> Point:
        return point._replace(options=tuple(
            option for option in point.options if option[0] not in names))
    return side._replace(records=[
        record._replace(point=record.point and left_of(record.point))
        for record in side.records])


def rate_of(record: Record) -> Optional[float]:
    """Return the data rate of the slower end's link, in Gb/s."""
    document = record.document or {}
    rates = [document.get(end, {}).get("rate_gbps") for end in ENDS]
    known = [rate for rate in rates if rate]
    both = (document.get("test") or {}).get("direction") == "bi"
    return min(known) * (2 if both else 1) if len(known) == 2 else None


def values_of(records: Sequence[Record], metric: str) -> list[float]:
    """Return the values of METRIC in RECORDS, "share" of the link included."""
    if metric != "share":
        return results.values_of(records, metric)
    shares = []
    for record in records:
        rate, values = rate_of(record), results.values_of([record], "gbps")
        shares += [values[0] / rate] if rate and values else []
    return shares
