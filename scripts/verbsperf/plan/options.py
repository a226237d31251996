"""Options of verbsperf as suites and targets have them: who may say them, and
their values."""
import difflib
import re
from typing import Iterable, Optional

from verbsperf.base.errors import Refused
from verbsperf.plan.program import Option, Program

# What only verbsperf-sweep itself says, with all that writes a report.
OF_SWEEP = frozenset("all check help inject loopback version wait".split())


def speaker_of(option: Option) -> Optional[str]:
    """Return who may give OPTION, or None when a suite may."""
    if not option.for_client:
        return "a server"
    if option.name in OF_SWEEP or option.group == "report":
        return "verbsperf-sweep"
    return "a target" if option.group == "connection" else None


def speaker_here(name: str, options: dict[str, Option], of_target: bool
                 ) -> Optional[str]:
    """Return who else may give the option NAME here, or None."""
    if name not in options:
        return "verbsperf-sweep" if name in OF_SWEEP else None
    speaker = speaker_of(options[name])
    if of_target and speaker == "a target" and name != "port":
        return None
    return speaker


def check(word: str, name: str, options: dict[str, Option], of_target: bool
          ) -> None:
    """Refuse WORD unless it is a long option NAME that is allowed here."""
    if not word.startswith("--"):
        raise Refused(f"'{word}' is not an option; expected TEST...: --option "
                      "VALUE...")
    speaker = speaker_here(name, options, of_target)
    if speaker:
        raise Refused(f"--{name} is only for {speaker}")
    if name not in options:
        close = difflib.get_close_matches(name, sorted(
            one for one in options
            if not speaker_here(one, options, of_target)), 1)
        raise Refused(f"unknown option '--{name}'; " + (
            f"did you mean --{close[0]}?" if close else "see verbsperf --help"))


def is_letter(word: str) -> bool:
    """WORD is an option by its letter, such as -s or -s1K, or several."""
    return bool(re.fullmatch("-[A-Za-z].*", word))


def long_names(word: str, options: dict[str, Option]) -> list[str]:
    """Return WORD by the long names of OPTIONS, if it has letters of them: -b
    is --bidirectional, -be is two options, and -s1K is --size=1K."""
    found: list[str] = []
    letters = {one.letter: one for one in options.values() if one.letter}
    rest = word[1:] if is_letter(word) else ""
    while rest:
        option = letters.get(rest[0])
        if option is None:
            raise Refused(f"unknown option '-{rest[0]}'; see verbsperf --help")
        rest = rest[1:]
        found.append(f"--{option.name}")
        if option.takes_value and rest:
            found[-1] += f"={rest}"
            break
    return found or [word]


def value_behind(option: Option, left: list[str]) -> str:
    """Take the value of OPTION from the beginning of LEFT; "" for none."""
    if not option.takes_value:
        return ""
    if left and not left[0].startswith("--") and not is_letter(left[0]):
        return left.pop(0)
    if not option.may_lack_value:
        raise Refused(f"--{option.name} needs a value")
    return ""


def read_options(program: Program, where: str, words: Iterable[str],
                 of_target: bool = False) -> dict[str, list[str]]:
    """Read WORDS, options at WHERE, of a target if OF_TARGET."""
    found: dict[str, list[str]] = {}
    left = list(words)
    try:
        while left:
            word, *more = long_names(left.pop(0), program.options)
            left = more + left
            name, equals, value = word.removeprefix("--").partition("=")
            check(word, name, program.options, of_target)
            if name in found:
                raise Refused(f"--{name} is given twice")
            option = program.options[name]
            if not equals:
                value = value_behind(option, left)
            elif not option.takes_value:
                raise Refused(f"--{name} takes no value")
            found[name] = option.values(value)
    except Refused as error:
        raise Refused(f"{where}: {error}") from None
    return found
