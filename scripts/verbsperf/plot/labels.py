"""What verbsperf-plot calls the curves that it draws, and what stands below
them."""
import itertools
from typing import Any, Callable, Iterable, Optional, Sequence

from verbsperf.documents import sources as origin
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import (Point, differing, has, option_text,
                                        size_text)
from verbsperf.documents.results import Record, grouped, point_of

# (source, point, words that are in the label): what one curve shows.
Key = tuple[Any, ...]

# How the fields of a point are said; the others as they are.
WORDS: dict[str, Callable[[Any], str]] = {
    "size": lambda size: f"{size_text(size)} bytes",
    "qps": lambda qps: f"{qps} QP{'' if qps == 1 else 's'}"}


def by_curve(records: Sequence[Record], curve_point: Callable[[Record], Point]
             ) -> dict[Key, list[Record]]:
    """Return {(source, CURVE_POINT(record)): its records}."""
    groups: dict[Key, list[Record]] = {}
    for source, record in zip(origin.sources(records), records):
        groups.setdefault((source, curve_point(record)), []).append(record)
    return groups


def size_of(record: Record) -> int:
    """Return the size of RECORD's messages."""
    return point_of(record).size


def point_words(point: Point, points: Sequence[Point]) -> list[str]:
    """Return the words that tell POINT from the other POINTS. Only options of
    the same test count, since another test has other ones."""
    words = []
    for name in ("test", "transport", "size", "qps"):
        if (has(point, name)
                and len({getattr(one, name) for one in points}) > 1):
            words.append(WORDS.get(name, str)(getattr(point, name)))
    options = dict(point.options)
    alike = [one for one in points
             if (one.test, one.transport) == (point.test, point.transport)]
    for name in sorted(differing(alike)):
        words.append(option_text(name, options[name])
                     if name in options else f"no {name}")
    return words


def common_words(records: Iterable[Record]) -> str:
    """Return what all RECORDS have in common: "write_bw, RC, 64K, 2 QPs"."""
    points = [r.point for r in records if r.point]
    words = []
    for name in ("test", "transport", "size", "qps"):
        found = {getattr(point, name) for point in points}
        if len(found) == 1 and all(has(point, name) for point in points):
            words.append(WORDS.get(name, str)(found.pop()))
    return ", ".join(words)


def labels(groups: Iterable[Key]) -> dict[Key, str]:
    """Return {key of GROUPS: label}; a key is (source, point, ...). The file's
    name tells equal labels apart."""
    keys = list(groups)
    names = origin.names(key[0] for key in keys)
    points, found = [key[1] for key in keys], {}
    for key in keys:
        words = point_words(key[1], points) + list(key[2:])
        if len(set(names.values())) > 1 or not words:
            words.insert(0, names[key[0]])
        found[key] = " ".join(words)
    every = list(found.values())
    return {key: f"{label} ({key[0].path})" if every.count(label) > 1
            else label for key, label in found.items()}


def failures_of(groups: Iterable[tuple[str, Iterable[tuple[int, int, int]]]]
                ) -> list[str]:
    """Return a line of what failed in GROUPS, (name, [(size, failed, all)])."""
    words = []
    for name, counts in groups:
        for (bad, of), run in itertools.groupby(counts, lambda one: one[1:]):
            ends = [size_text(size) for size, _, _ in run]
            if bad:
                words.append(f"{name} {' to '.join(ends[::len(ends) - 1 or 1])}"
                             f": {bad} of {of}")
    return ["failed: " + "; ".join(words)] if words else []


def failures(groups: dict[Key, list[Record]]) -> list[str]:
    """Return the same for GROUPS of curves."""
    names = labels(groups)
    return failures_of((names[key], [
        (size, sum(not record.row for record in same), len(same))
        for size, same in sorted(grouped(group, size_of).items())])
        for key, group in groups.items())


def end_text(end: Object) -> str:
    """Describe END as the footer has it."""
    place = " ".join(str(end[name]) for name in ("hostname", "device")
                     if end.get(name))
    gid = " ".join(str(end[name]) for name in ("gid_type", "gid")
                   if end.get(name))
    mtu = f"MTU {end['mtu']}" if end.get("mtu") else ""
    return f"{place} ({', '.join(filter(None, (gid, mtu)))})".replace(" ()", "")


def origin_text(document: Optional[Object]) -> Optional[str]:
    """Describe the devices, the path and the program of DOCUMENT, if known."""
    if not document or not document["client"].get("device"):
        return None
    return (f"{end_text(document['client'])} \N{RIGHTWARDS ARROW} "
            f"{end_text(document['server'])}, verbsperf "
            f"{document['tool']['version']}")


def origins(records: Sequence[Record]) -> list[str]:
    """Return lines that describe the devices, paths and programs of RECORDS,
    each with the names of its curves, and of files where these are alike."""
    every = origin.sources(records)
    names = origin.names(every)
    found: dict[str, dict[str, bool]] = {}
    for record, source in zip(records, every):
        text = origin_text(record.document)
        if text:
            alike = [*names.values()].count(names[source]) > 1
            label = names[source] + f" ({source.path})" * alike
            found.setdefault(text, {})[label] = True
    if len(found) < 2:
        return list(found)
    return [f"{', '.join(of)}: {text}" for text, of in found.items()]
