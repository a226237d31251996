"""Where a sweep measures: [NAME=]SERVER[:PORT][,option[=value]...], or
loopback[:DEVICE] in place of the server."""
import re
from typing import NamedTuple, Optional, Sequence

from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import Object
from verbsperf.plan.options import read_options
from verbsperf.plan.program import Program


class Target(NamedTuple):
    """Where to measure; server is None for both ends on this host."""

    name: str
    server: Optional[str]
    options: dict[str, str]
    times: Object = {}  # {name: value} of what it says of suite.TIMES

    def words(self) -> list[str]:
        """Return its options on a command line."""
        return option_words(self.options)

    def ends(self, test: str, program: Program) -> list[str]:
        """Return its other end on a command line, which TEST may not have."""
        return ([] if test in program.one_end
                else [self.server or "--loopback"])


def option_words(options: dict[str, str]) -> list[str]:
    """Return OPTIONS on a command line; those without a value are flags."""
    return [f"--{name}={value}" if value else f"--{name}"
            for name, value in options.items()]


def split_place(place: str, where: str) -> tuple[Optional[str], dict[str, str]]:
    """Return (server, options) of SERVER[:PORT] or loopback[:DEVICE]."""
    server, colon, rest = place.partition(":")
    bracket = re.fullmatch(r"\[([^][]+)\](?::(\d+))?", place)
    if server == "loopback":
        return None, {"device": rest} if rest else {}
    if bracket:
        server, rest = bracket[1], bracket[2]
    elif place.count(":") > 1:
        server, rest = place, ""
    elif not server or (colon and not rest.isdigit()):
        raise Refused(f"{where}: expected [NAME=]SERVER[:PORT][,option"
                      "[=value]...] or [NAME=]loopback[:DEVICE][,...]")
    return server, {"port": rest} if rest else {}


def parse(text: str, program: Program) -> Target:
    """Return the Target that TEXT describes."""
    where = f"target '{text}'"
    head, *rest = text.split(",")
    name, equals, place = head.partition("=")
    if not equals:
        name = place = head
    if not re.fullmatch(r"[^\s,=]+", name):
        raise Refused(f"{where}: it needs a name without spaces")
    read = read_options(program, where, (
        "--" + word.removeprefix("--") for word in rest), of_target=True)
    options = {option: values[0] for option, values in read.items()}
    server, first = split_place(place, where)
    return Target(name, server, {**first, **options})


def parse_all(texts: Sequence[str], program: Program) -> list[Target]:
    """Parse TEXTS, and refuse two targets of one name."""
    targets = [parse(text, program) for text in texts]
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise Refused(f"two targets have the name '{name}'; write "
                          "NAME=SERVER")
    return targets
