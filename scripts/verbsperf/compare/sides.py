"""The two sides of a comparison, base and new: which results they have, and
which of them belong together."""
import os
from typing import NamedTuple, Optional, Sequence

from verbsperf.base.errors import Refused
from verbsperf.documents import results
from verbsperf.documents.points import Point
from verbsperf.documents.results import Record

# The target, when both sides have several, and the point.
Key = tuple[Optional[str], Point]
Group = dict[Key, list[Record]]


class Side(NamedTuple):
    """One side: a file, or one target of it, or several of them."""

    path: str
    target: Optional[str]
    records: list[Record]

    def measured(self) -> list[Record]:
        """Return the records that have a result."""
        return [record for record in self.records if record.row]

    def rounds(self) -> int:
        """Return how many rounds it has."""
        return max((record.round for record in self.records), default=0)

    def targets(self) -> list[str]:
        """Return the names of the targets in the order they came."""
        return list(dict.fromkeys(record.target for record in self.records))

    def only(self, target: str) -> "Side":
        """Return the Side of its TARGET."""
        if target not in self.targets():
            raise Refused(f"{self.path}: no target '{target}', only "
                          + " ".join(self.targets()))
        return Side(self.path, target,
                    [one for one in self.records if one.target == target])


class Pair(NamedTuple):
    """Both sides, each by what belongs together."""

    base: Group
    new: Group

    def shared(self) -> set[Key]:
        """Return what both sides have."""
        return self.base.keys() & self.new.keys()


def split_name(name: str) -> tuple[str, Optional[str]]:
    """Split FILE:TARGET, unless there is a file of that name."""
    if ":" in name and not os.path.exists(name):
        path, target = name.rsplit(":", 1)
        return path, target
    return name, None


def whole_side(path: str) -> Side:
    """Return the Side of all that the file PATH has, which may be the head of
    a sweep that was killed before its first measurement."""
    records = results.read(path)
    if not records:
        raise Refused(f"{path}: no measurement in it")
    return Side(path, None, records)


def select(name: str) -> Side:
    """Return the Side that FILE or FILE:TARGET names."""
    path, target = split_name(name)
    whole = whole_side(path)
    return whole if target is None else whole.only(target)


def two_targets(path: str, wanted: Optional[str]) -> tuple[Side, Side]:
    """Return both sides out of one sweep; WANTED is A,B."""
    whole = whole_side(path)
    names = whole.targets()
    chosen = wanted.split(",") if wanted else names
    if len(names) == 1 and not wanted:
        raise Refused(f"{path}: has one result, and a comparison needs two: "
                      "give the other FILE, too")
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise Refused(f"{path}: choose two targets to compare: "
                      "--targets A,B of: " + " ".join(names))
    return whole.only(chosen[0]), whole.only(chosen[1])


def choose(files: Sequence[str], targets: Optional[str]) -> tuple[Side, Side]:
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
    """Return SIDE's records by what belongs together, in their order."""
    return results.grouped(
        (record for record in side.records if record.point is not None),
        lambda record: (record.target if by_target else None,
                        results.point_of(record)))


def check_one_target(side: Side) -> None:
    """Refuse SIDE when it has several targets."""
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
