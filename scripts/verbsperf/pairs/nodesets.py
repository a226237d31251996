"""Sets of nodes and devices: n[01-16,20], x7, mlx5_[0-3], n[1-8]!n3.

ClusterShell reads them where it is installed, and knows @group, too; without
it, what is written here does."""
import itertools
import re
from typing import Callable, Iterator

from verbsperf.base.errors import Refused
from verbsperf.documents.results import grouped

try:
    from ClusterShell import NodeSet as clustershell
except ImportError:
    clustershell = None

MOST = 100000


def numbers_of(ranges: str, text: str) -> Iterator[str]:
    """Yield the numbers of RANGES, such as 01-16,20, with their zeros."""
    for one in ranges.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", one)
        if not match:
            raise Refused(f"'{text}': '[{ranges}]' is no range such as "
                          "[01-16,20]")
        first, last = match[1], match[2] or match[1]
        if int(last) < int(first) or int(last) - int(first) >= MOST:
            raise Refused(f"'{text}': '{one}' is no range of at most {MOST}")
        for number in range(int(first), int(last) + 1):
            yield str(number).zfill(len(first))


def names_of(word: str, text: str) -> Iterator[str]:
    """Yield the names that WORD, with any number of brackets, stands for."""
    if not re.fullmatch(r"([^][]|\[[^][]*\])+", word):
        raise Refused(f"'{text}': a bracket or a name is missing")
    parts = re.split(r"\[(.*?)\]", word)
    yield from map("".join, itertools.product(*(
        numbers_of(part, text) if i % 2 else [part]
        for i, part in enumerate(parts))))


def expand_here(text: str) -> list[str]:
    """Return the names of the set TEXT, without ClusterShell."""
    found: list[str] = []
    # at commas and exclamation marks outside of brackets
    for sign, word in re.findall(r"([,!])((?:\[[^][]*\]|[^,!])*)", "," + text):
        if word.startswith("@"):
            raise Refused(f"'{text}': groups need ClusterShell (package "
                          "python3-clustershell)")
        names = list(names_of(word.strip(), text))
        if sign == "!":
            found = [name for name in found if name not in set(names)]
        else:
            found += names
    return found


def expand_there(text: str) -> list[str]:
    """Return the names of the set TEXT, by ClusterShell."""
    assert clustershell is not None
    try:
        return [str(name) for name in clustershell.NodeSet(text)]
    except clustershell.NodeSetException as error:
        raise Refused(f"'{text}': {error}") from None


def expand(text: str) -> list[str]:
    """Return the names of the set TEXT, each once."""
    reader: Callable[[str], list[str]] = (
        expand_there if clustershell is not None else expand_here)
    names = list(dict.fromkeys(reader(text)))
    if not names:
        raise Refused(f"'{text}': there is nothing in this set")
    for name in names:
        if name.startswith("-") or not name.isprintable() or " " in name:
            raise Refused(f"'{text}': '{name}' is no name of a host")
    return names


def fold(names: list[str]) -> str:
    """Return NAMES as a set, short where ClusterShell is installed."""
    if clustershell is not None:
        return str(clustershell.NodeSet.fromlist(names))
    return ",".join(names)


def by_reason(reasons: dict[str, str]) -> list[tuple[str, str]]:
    """Return (nodes, reason) of {node: reason}, one for each reason."""
    return [(fold(names), why) for why, names in grouped(
        sorted(reasons), reasons.__getitem__).items()]
