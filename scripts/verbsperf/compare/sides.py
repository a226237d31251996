"""The two sides of a comparison, base and new: which results they have, and
which of them belong together."""
import os
from typing import (Dict, Iterable, List, NamedTuple, Optional, Sequence, Set,
                    Tuple)

from verbsperf.base.errors import Refused
from verbsperf.documents import results
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record

# The target, when both sides have several, and the point.
Key = Tuple[Optional[str], Point]
Group = Dict[Key, List[Record]]


class Side(NamedTuple):
    """One side: a file, or one target of it, or several of them."""

    path: str
    target: Optional[str]
    records: List[Record]

    def targets(self) -> Set[str]:
        """Return the names of the targets of its records."""
        return {record.target for record in self.records}


class Pair(NamedTuple):
    """Both sides, each by what belongs together."""

    base: Group
    new: Group

    def shared(self) -> Set[Key]:
        """Return what both sides have."""
        return self.base.keys() & self.new.keys()


def split_name(name: str) -> Tuple[str, Optional[str]]:
    """Split FILE:TARGET, unless there is a file of that name."""
    if ":" in name and not os.path.exists(name):
        path, target = name.rsplit(":", 1)
        return path, target
    return name, None


def target_names(records: Iterable[Record]) -> List[str]:
    """Return the names of the targets of RECORDS, in the order they came."""
    return list(dict.fromkeys(record.target for record in records))


def side_of(path: str, records: List[Record], target: str) -> Side:
    """Return the Side of TARGET, one of those of RECORDS."""
    names = target_names(records)
    if target not in names:
        raise Refused(f"{path}: no target '{target}', only "
                      + " ".join(names))
    return Side(path, target, [r for r in records if r.target == target])


def select(name: str) -> Side:
    """Return the Side that FILE or FILE:TARGET names."""
    path, target = split_name(name)
    records = results.read(path)
    if target is None:
        return Side(path, None, records)
    return side_of(path, records, target)


def two_targets(path: str, wanted: Optional[str]) -> Tuple[Side, Side]:
    """Return both sides out of one sweep; WANTED is A,B."""
    records = results.read(path)
    names = target_names(records)
    chosen = wanted.split(",") if wanted else names
    if len(names) == 1:
        raise Refused(f"{path}: has one result, and a comparison needs two: "
                      "give the other FILE, too")
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise Refused(f"{path}: choose two targets to compare: "
                      "--targets A,B of: " + " ".join(names))
    return (side_of(path, records, chosen[0]),
            side_of(path, records, chosen[1]))


def choose(files: Sequence[str], targets: Optional[str]) -> Tuple[Side, Side]:
    """Return base and new of FILES; TARGETS are A,B of one sweep."""
    if len(files) > 2:
        raise Refused("expected two files; several sessions are a base with "
                      "--base: NEW --base FILE...")
    if len(files) == 1:
        return two_targets(files[0], targets)
    if targets:
        raise Refused("--targets chooses from one sweep; for two files write "
                      "BASE:TARGET NEW:TARGET")
    return select(files[0]), select(files[1])


def group(side: Side, by_target: bool) -> Group:
    """Return SIDE's records by what belongs together, in the order of the
    file."""
    groups: Group = {}
    for record in side.records:
        if record.point is not None:
            key = (record.target if by_target else None, record.point)
            groups.setdefault(key, []).append(record)
    return groups


def check_one_target(side: Side) -> None:
    """Refuse SIDE when it has several targets, which are no rounds of each
    other."""
    if len(side.targets()) > 1:
        raise Refused(f"{side.path}: which target? Write {side.path}:TARGET, "
                      "one of: " + " ".join(sorted(side.targets())))


def pair_up(base: Side, new: Side) -> Pair:
    """Group both sides, by target where both have several."""
    several = [len(side.targets()) > 1 for side in (base, new)]
    if not all(several):
        check_one_target(base)
        check_one_target(new)
    pair = Pair(group(base, all(several)), group(new, all(several)))
    if not pair.shared():
        raise Refused(f"{base.path} and {new.path} have no point in common")
    return pair
