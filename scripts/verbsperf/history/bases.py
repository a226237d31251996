"""A base of several sessions: files, and the nights of a history."""
import itertools
import json
from typing import Iterator, Optional, Sequence

from verbsperf.base.errors import Refused
from verbsperf.compare.sides import Side, check_one_target, select, split_name
from verbsperf.documents.formats import Place
from verbsperf.documents.jsonfile import Object, read_text
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record
from verbsperf.history import file as history
from verbsperf.history.file import Night, Rounds
from verbsperf.history.nights import changed_words

# What was half a year ago does not tell what is usual.
MOST_NIGHTS = 30


def records_of(path: str, night: Night, point: Point, rounds: Rounds
               ) -> Iterator[Record]:
    """Yield the Records of POINT that NIGHT of the history PATH has."""
    rows: list[Optional[Object]] = [
        {"bandwidth": dict(zip(rounds.values, values)), "latency": None}
        for values in itertools.zip_longest(*rounds.values.values())]
    for number, row in enumerate([*rows, *[None] * rounds.failed], 1):
        yield Record(night.target, number, point, row, None,
                     None if row else rounds.error, dict(night.facts), path,
                     1, f"{path}: {night.started}")


def alike_nights(nights: Sequence[Night]) -> Iterator[Night]:
    """Yield NIGHTS at one target, from the last back, of the same hosts."""
    for night in nights[:-MOST_NIGHTS - 1:-1]:
        if changed_words(night, nights[-1]):
            return
        yield night


def nights_side(name: str, new: Side) -> Side:
    """Return the side of the last nights of the history NAME that are alike,
    at the targets of NEW and without its own."""
    path, target = split_name(name)
    headers = {record.session for record in new.records if record.session}
    started = {json.loads(one).get("started") for one in headers}
    own = {history.time_of(Place(path, 1), one) for one in started
           if isinstance(one, str)}
    records: list[Record] = []
    for where in [target] if target else sorted(new.targets()):
        nights = [night for night in history.read([path])
                  if night.target == where and night.started not in own]
        records += [record for night in alike_nights(nights)
                    for point, rounds in night.points.items()
                    for record in records_of(path, night, point, rounds)]
    if not records:
        raise Refused(f"{path}: no other night at the target of NEW, "
                      f"'{' '.join(sorted(new.targets()))}'")
    return Side(path, target, records)


def at_target_of(side: Side, new: Side) -> list[Record]:
    """Return the records of SIDE at the target of NEW, if that has one; a file
    with one target, which may be its own name, has that."""
    if len(new.targets()) > 1:
        return side.records
    name, = new.targets()
    if name in side.targets():
        return [one for one in side.records if one.target == name]
    check_one_target(side)
    return [one._replace(target=name) for one in side.records]


def base_of(names: Sequence[str], new: Side) -> Side:
    """Return the base that the files NAMES are, for NEW."""
    found = []
    for name in names:
        path = split_name(name)[0]
        is_history = history.is_history(path, read_text(path))
        found.append(nights_side(name, new) if is_history else select(name))
    targets = {side.target for side in found}
    return Side(", ".join(side.path for side in found),
                targets.pop() if len(targets) == 1 else None,
                [record for side in found
                 for record in at_target_of(side, new)])
