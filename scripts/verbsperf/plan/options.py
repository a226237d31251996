"""Options of verbsperf as suites and targets have them: who may say them, and
their values."""
import difflib
import re
from typing import Dict, Iterable, List, Optional

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


class Reader:
    """Reads options of PROGRAM, at WHERE."""

    def __init__(self, program: Program, where: str) -> None:
        self.options, self.where = program.options, where

    def refuse(self, sentence: str) -> Refused:
        """Make the error that says SENTENCE."""
        return Refused(f"{self.where}: {sentence}")

    def speaker(self, name: str) -> Optional[str]:
        """Return who else may give the option NAME, or None when it is allowed
        here."""
        if name in self.options:
            return speaker_of(self.options[name])
        return "verbsperf-sweep" if name in OF_SWEEP else None

    def check(self, word: str, name: str) -> None:
        """Refuse WORD unless it is a long option NAME that is allowed here."""
        if re.fullmatch("-[A-Za-z].*", word):
            raise self.refuse(f"'{word}': write the long name of the option, "
                              "such as --size")
        if not word.startswith("--"):
            raise self.refuse(f"'{word}' is not an option; expected TEST...: "
                              "--option VALUE...")
        speaker = self.speaker(name)
        if speaker:
            raise self.refuse(f"--{name} is only for {speaker}")
        if name not in self.options:
            raise self.refuse(f"unknown option '--{name}'; "
                              + self.suggestion(name))

    def suggestion(self, name: str) -> str:
        """Say what may be meant by NAME."""
        allowed = sorted(one for one in self.options if not self.speaker(one))
        close = difflib.get_close_matches(name, allowed, 1)
        return (f"did you mean --{close[0]}?" if close
                else "see verbsperf --help")

    def read(self, words: Iterable[str]) -> Dict[str, List[str]]:
        """Read WORDS, options of verbsperf, as {name: list of values}."""
        found: Dict[str, List[str]] = {}
        left = list(words)
        while left:
            word = left.pop(0)
            name, equals, value = word.removeprefix("--").partition("=")
            self.check(word, name)
            if name in found:
                raise self.refuse(f"--{name} is given twice")
            option = self.options[name]
            if not equals:
                value = self.value_behind(option, left)
            elif not option.takes_value:
                raise self.refuse(f"--{name} takes no value")
            found[name] = option.values(value)
        return found

    def value_behind(self, option: Option, left: List[str]) -> str:
        """Take the value of OPTION from the beginning of LEFT; "" for none."""
        if not option.takes_value:
            return ""
        if left and not left[0].startswith("--"):
            return left.pop(0)
        if not option.may_lack_value:
            raise self.refuse(f"--{option.name} needs a value")
        return ""


class TargetReader(Reader):
    """Reads the options of a target, which may also say where to measure; its
    port is a part of its server."""

    def speaker(self, name: str) -> Optional[str]:
        speaker = super().speaker(name)
        if speaker == "a target" and name != "port":
            return None
        return speaker
