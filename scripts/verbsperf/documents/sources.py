"""What results are of: a file, a target, a title, and a pair of devices.

Results of one source and one point are rounds of each other; no others are.
A source has all that verbsperf-compare would not let differ, and more."""
import itertools
import os
from typing import Any, Iterable, NamedTuple, Optional

from verbsperf.documents import results
from verbsperf.documents.results import Record

OF_END = ("hostname", "device", "port", "gid_index")
# How they are said; of the server with an arrow.  First what tells most.
WORDS = {"link layer": "{}", "gid type": "{}", "hostname": "{}",
         "device": "{}", "port": "port {}", "gid index": "GID index {}",
         "mtu": "MTU {}", "rate gbps": "{} Gb/s", "firmware": "firmware {}",
         "numa node": "NUMA node {}"}
ENDS = {"client": "", "server": "\N{RIGHTWARDS ARROW} "}
SAID = {f"{end} {name}": arrow + text for name, text in WORDS.items()
        for end, arrow in ENDS.items()}


class Source(NamedTuple):
    """Where results come from; it is hashable."""

    path: str
    target: Optional[str]   # of a sweep
    marks: tuple[tuple[str, str], ...]  # (name, text) in order of name


def known(record: Record) -> dict[str, Any]:
    """Return {name: value} of what RECORD says about where it comes from."""
    found, document = dict(record.fingerprint), record.document
    if document:
        found.update(results.fingerprint(document), title=document.get("title"))
        for end, name in itertools.product(ENDS, OF_END):
            found[f"{end} {name}".replace("_", " ")] = document[end].get(name)
    return found


def own_source(record: Record) -> Source:
    """Return the Source that RECORD itself names."""
    return Source(record.path, record.target if record.session else None,
                  tuple(sorted((name, results.text_of(value))
                               for name, value in known(record).items()
                               if value is not None)))


def adopted(source: Source, others: Iterable[Source]) -> Source:
    """Return the one of OTHERS that SOURCE must be, whose run failed before it
    knew all of itself; else only what was asked for."""
    fit = [one for one in others if one[:2] == source[:2]
           and set(source.marks) <= set(one.marks)]
    if len(fit) == 1:
        return fit[0]
    return source._replace(marks=tuple(
        mark for mark in source.marks if mark[0] == "title"))


def sources(records: Iterable[Record]) -> list[Source]:
    """Return the Source of each of RECORDS, in their order."""
    own = [(own_source(record), record.row) for record in records]
    good = dict.fromkeys(source for source, row in own if row)
    return [source if source in good else adopted(source, good)
            for source, _ in own]


def first_name(source: Source) -> str:
    """Return what a source is called."""
    marks = dict(source.marks)
    named = [marks[name] for name in ("client hostname", "client device")
             if name in marks]
    stem = os.path.splitext(os.path.basename(source.path))[0]
    return source.target or marks.get("title") or " ".join(named) or stem


def said(name: str, value: Optional[str]) -> str:
    """Put a mark into words."""
    if value is None:
        return f"no {name}"
    return SAID.get(name, name + " {}").format(value)


def telling(alike: list[Source]) -> dict[Source, tuple[str, ...]]:
    """Return {source: few words} that tell those of one name apart."""
    marks = {one: dict(one.marks) for one in alike}
    words: dict[Source, tuple[str, ...]] = {one: () for one in alike}
    alike = [one for one in alike if "client device" in marks[one]]
    for one in words.keys() - set(alike) if alike else ():
        words[one] = ("(device unknown)",)
    known_names = {name for found in marks.values() for name in found}
    for name in [*SAID, *sorted(known_names - SAID.keys())]:
        split = any(words[a] == words[b]
                    and marks[a].get(name) != marks[b].get(name)
                    for a, b in itertools.combinations(alike, 2))
        for one in alike if split else ():
            words[one] += (said(name, marks[one].get(name)),)
    return words


def names(every: Iterable[Source]) -> dict[Source, str]:
    """Return {source: name}; those that differ only in their file share one."""
    every = list(dict.fromkeys(every))
    found: dict[Source, str] = {}
    for first in dict.fromkeys(map(first_name, every)):
        alike = [one for one in every if first_name(one) == first]
        for one, words in telling(alike).items():
            found[one] = " ".join((first, *words))
    return found
