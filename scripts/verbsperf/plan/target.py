"""Where a sweep measures: [NAME=]SERVER[:PORT][,option[=value]...], or
loopback[:DEVICE] in place of the server."""
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import Object
from verbsperf.plan.options import TargetReader
from verbsperf.plan.program import Program


class Target(NamedTuple):
    """Where to measure; server is None for both ends on this host."""

    name: str
    server: Optional[str]
    options: Dict[str, str]
    times: Object = {}  # {name: value} of what it says of suite.TIMES

    def words(self) -> List[str]:
        """Return its options on a command line."""
        return option_words(self.options)

    def end(self) -> str:
        """Return its other end on a command line."""
        return self.server or "--loopback"

    def ends(self, test: str, program: Program) -> List[str]:
        """Return the same of TEST, which may have no other end."""
        return [] if test in program.one_end else [self.end()]


def option_words(options: Dict[str, str]) -> List[str]:
    """Return OPTIONS on a command line; those without a value are flags."""
    return [f"--{name}={value}" if value else f"--{name}"
            for name, value in options.items()]


def split_server(text: str, where: str) -> Tuple[str, Optional[str]]:
    """Return (server, port) of SERVER, SERVER:PORT, [ADDRESS]:PORT."""
    bracket = re.fullmatch(r"\[([^][]+)\](?::(\d+))?", text)
    if bracket:
        return bracket[1], bracket[2]
    if text.count(":") > 1:
        return text, None
    server, colon, port = text.partition(":")
    if not server or (colon and not port.isdigit()):
        raise Refused(f"{where}: expected [NAME=]SERVER[:PORT][,option"
                         "[=value]...] or [NAME=]loopback[:DEVICE][,...]")
    return server, port or None


def parse(text: str, program: Program) -> Target:
    """Return the Target that TEXT describes."""
    where = f"target '{text}'"
    head, *rest = text.split(",")
    name, equals, place = head.partition("=")
    if not equals:
        name = place = head
    if not re.fullmatch(r"[^\s,=]+", name):
        raise Refused(f"{where}: it needs a name without spaces")
    read = TargetReader(program, where).read(
        "--" + word.removeprefix("--") for word in rest)
    options = {option: values[0] for option, values in read.items()}
    server, first = split_place(place, where)
    return Target(name, server, {**first, **options})


def split_place(place: str, where: str
                ) -> Tuple[Optional[str], Dict[str, str]]:
    """Return (server, options) that PLACE means."""
    if place == "loopback" or place.startswith("loopback:"):
        device = place.partition(":")[2]
        return None, {"device": device} if device else {}
    server, port = split_server(place, where)
    return server, {"port": port} if port else {}


def parse_all(texts: Sequence[str], program: Program) -> List[Target]:
    """Parse TEXTS, and refuse two targets of one name."""
    targets = [parse(text, program) for text in texts]
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise Refused(f"two targets have the name '{name}'; write "
                             "NAME=SERVER")
    return targets
