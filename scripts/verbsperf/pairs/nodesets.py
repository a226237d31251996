"""Sets of nodes and devices: n[01-16,20], x7, mlx5_[0-3], n[1-8]!n3.

What a set has, and in which order, is the same on every host: it is read here,
as it is written.  ClusterShell is asked only for what it alone knows, such as
@group; where it is not installed, that is refused by name."""
import itertools
import math
import re
from typing import Callable, NoReturn

from verbsperf.base.errors import Refused
from verbsperf.documents.results import grouped

try:
    from ClusterShell import NodeSet as clustershell
    from ClusterShell.NodeUtils import GroupResolverError
except ImportError:
    clustershell = None

MOST = 100000
# Operands, each behind a comma or another operator outside of brackets.
OPERAND = re.compile(r"([,!&^])((?:\[[^][]*\]|[^,!&^])*)")
# What only ClusterShell reads, as it is found in a set.
OF_CLUSTERSHELL = {
    "'&'": re.compile("&"), "'^'": re.compile(r"\^"),
    "@group": re.compile("^@"), "'*'": re.compile(r"\*"),
    "'?'": re.compile(r"\?"), "a step such as [1-9/2]":
    re.compile(r"\[[^][]*/")}


def numbers_of(ranges: str, text: str) -> list[str]:
    """Return the numbers of RANGES, such as 01-16,20, with their zeros."""
    found = []
    for one in ranges.split(","):
        match = re.fullmatch(r"\s*([0-9]+)\s*(?:-\s*([0-9]+)\s*)?", one)
        if not match:
            raise Refused(f"'{text}': '[{ranges}]' is no range such as "
                          "[01-16,20]")
        first, last = match[1], match[2] or match[1]
        if len(first) != len(last) and any(
                len(end) > 1 and end.startswith("0") for end in (first, last)):
            raise Refused(f"'{text}': '{one}' has zeros in front at one end: "
                          "write both with as many digits, such as 08-12")
        if int(last) < int(first) or int(last) - int(first) >= MOST:
            raise Refused(f"'{text}': '{one}' is no range of at most {MOST}")
        found += [str(number).zfill(len(first))
                  for number in range(int(first), int(last) + 1)]
    return found


def names_of(word: str, text: str) -> list[str]:
    """Return the names that WORD, with any number of brackets, stands for."""
    if not re.fullmatch(r"([^][]|\[[^][]*\])+", word):
        raise Refused(f"'{text}': a bracket or a name is missing")
    parts = [numbers_of(part, text) if i % 2 else [part]
             for i, part in enumerate(re.split(r"\[(.*?)\]", word))]
    if math.prod(map(len, parts)) > MOST:
        raise Refused(f"'{text}': '{word}' is more than {MOST} names")
    return ["".join(some) for some in itertools.product(*parts)]


def names_there(word: str, text: str) -> list[str]:
    """Return the names of WORD, by ClusterShell."""
    assert clustershell is not None
    try:
        return [str(name) for name in clustershell.NodeSet(word)]
    except clustershell.NodeSetException as error:
        raise Refused(f"'{text}': {error}") from None
    except GroupResolverError as error:
        raise Refused(f"'{text}': ClusterShell has no source of groups "
                      f"{error}") from None


def of_clustershell(word: str) -> list[str]:
    """Return what of WORD only ClusterShell reads."""
    return [name for name, form in OF_CLUSTERSHELL.items()
            if form.search(word)]


def names_here(operands: list[tuple[str, str]], text: str) -> list[str]:
    """Return the names of OPERANDS, each behind a comma or '!'."""
    found: list[str] = []
    for sign, word in operands:
        names = names_of(word, text)
        if sign == "!":
            left_out = set(names)
            found = [name for name in found if name not in left_out]
        else:
            found += names
    return found


def names_by_both(operands: list[tuple[str, str]], text: str) -> list[str]:
    """Return the names that ClusterShell says are in TEXT, in the order in
    which its OPERANDS name them."""
    members = set(names_there(text, text))
    return [name for _, word in operands for name in (
        names_there if of_clustershell(word) else names_of)(word, text)
        if name in members]


def refuse_without(what: list[str], text: str) -> NoReturn:
    """Refuse TEXT: it has WHAT only ClusterShell reads."""
    raise Refused(f"'{text}': {' and '.join(what)} need"
                  f"{'s' if len(what) == 1 else ''} ClusterShell (package "
                  "python3-clustershell)")


def expand(text: str) -> list[str]:
    """Return the names of the set TEXT, each once, as it orders them."""
    reader: Callable[[list[tuple[str, str]], str], list[str]] = names_here
    operands = [(sign, word.strip())
                for sign, word in OPERAND.findall("," + text)]
    what = list(dict.fromkeys(one for operand in operands for part in operand
                              for one in of_clustershell(part)))
    if what:
        if clustershell is None:
            refuse_without(what, text)
        reader = names_by_both
    names = list(dict.fromkeys(reader(operands, text)))
    if not names:
        raise Refused(f"'{text}': there is nothing in this set")
    for name in names:
        if name.startswith("-") or not name.isprintable() or " " in name:
            raise Refused(f"'{text}': '{name}' is no name of a host; a comma "
                          "stands between two names")
    return names


def fold(names: list[str]) -> str:
    """Return NAMES as a set for people, short where ClusterShell is
    installed and can read them."""
    if clustershell is not None:
        try:
            return str(clustershell.NodeSet.fromlist(
                names, resolver=clustershell.RESOLVER_NOGROUP))
        except clustershell.NodeSetException:
            pass
    return ",".join(names)


def by_reason(reasons: dict[str, str]) -> list[tuple[str, str]]:
    """Return (nodes, reason) of {node: reason}, one for each reason."""
    return [(fold(names), why) for why, names in grouped(
        sorted(reasons), reasons.__getitem__).items()]
