"""Both directions of some pairs, tested alone, and in which of them they are
slow."""
import statistics
from typing import Dict, List, Optional, Sequence, Set

from verbsperf.findings.usual import Usual
from verbsperf.pairs.patterns import End

NEARLY = 0.75           # of it is not what is wrong with an end that is slower
# By whether an end sends.
DIRECTIONS = {True: "when it sends", False: "when it receives"}


class Trial:
    """Both directions of some pairs, each tested alone."""

    def __init__(self) -> None:
        self.speeds: Dict[bool, List[float]] = {True: [], False: []}
        self.partners: Set[End] = set()

    def slow(self, limit: float, sends: bool) -> int:
        """Count what was slower than LIMIT in one direction."""
        return sum(speed < limit for speed in self.speeds[sends])

    def count(self) -> int:
        """Count what was measured."""
        return len(self.speeds[True]) + len(self.speeds[False])

    def middle(self, limit: float, where: Optional[str] = None) -> float:
        """Return the middle one of those slower than LIMIT, of the direction
        WHERE if that is one."""
        ways = [way for way, words in DIRECTIONS.items() if words == where]
        return statistics.median(
            speed for way in ways or DIRECTIONS for speed in self.speeds[way]
            if speed < limit)


def is_nearly_usual(speeds: Sequence[float], slow: float, usual: float
                    ) -> bool:
    """Return True when SPEEDS are not far from USUAL, and nearer to it than to
    SLOW."""
    if not speeds:
        return True
    middle = statistics.median(speeds)
    return middle >= NEARLY * usual and 2 * middle > usual + slow


def directions_of(trial: Trial, usual: Usual) -> Optional[str]:
    """Say in which directions TRIAL was always slow; None when in neither."""
    slow = {way: bool(own) and trial.slow(usual.limit, way) == len(own)
            for way, own in trial.speeds.items()}
    for way, words in DIRECTIONS.items():
        if slow[way] and is_nearly_usual(
                trial.speeds[not way], statistics.median(trial.speeds[way]),
                usual.speed):
            return words
    return "in both directions" if slow[True] and slow[False] else None
