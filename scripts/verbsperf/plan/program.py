"""The program verbsperf, which the scripts run: where it is, and what it says
of its options."""
import functools
import os
import shutil
import signal
import subprocess
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.base.command import say
from verbsperf.base.errors import Refused, ResultsError
from verbsperf.documents import formats
from verbsperf.documents.jsonfile import Object, parse

# It only reads its command line, which takes milliseconds unless the host is
# busy; after so many seconds it is said what is waited for.
ANSWERS_SOON, ANSWERS_WITHIN = 20.0, 600.0
# A comma is part of their value.
LISTS = ("counter-limits", "counters", "cpus", "labels", "networks",
         "percentiles")


class ProgramError(Refused):
    """The program cannot be run, or is not verbsperf."""


class UsageError(Refused):
    """The program refuses a command line; the text is its own sentence."""


class Option(NamedTuple):
    """An option of the program."""

    name: str
    kind: str
    group: str
    takes_value: bool
    may_lack_value: bool
    for_client: bool        # or for a test of one end; else for a server only
    commands: List[str]     # tests and commands that take it
    words: List[str]        # the values that it may have, of a choice

    def values(self, text: str) -> List[str]:
        """Split TEXT at its commas into values; a word of a choice may have
        other letters, such as rc."""
        if self.kind in LISTS:
            return [text]
        known = {word.lower(): word for word in self.words}
        return [known.get(one.lower(), one) for one in text.split(",")]


class Program(NamedTuple):
    """What the verbsperf that is run can do."""

    path: str
    version: str
    tests: List[str]
    options: Dict[str, Option]
    one_end: List[str]      # those of the tests that have no server
    limit: float            # seconds that it may take to answer

    def takes(self, test: str, name: str) -> bool:
        """Return True when TEST takes the option NAME."""
        return test in self.options[name].commands

    def values(self, words: Sequence[str]) -> Object:
        """Return {name: value} of all options, as the program reads WORDS."""
        dump = ask(self.path, self.limit, *words)
        return {option["name"]: option.get("value")
                for option in dump["options"]}


def places(command: str) -> Iterator[str]:
    """Yield the folder of COMMAND, and of each file that it links to."""
    while True:
        yield os.path.dirname(command)
        if not os.path.islink(command):
            return
        command = os.path.join(os.path.dirname(command),
                               os.readlink(command))


def find(path: Optional[str]) -> Optional[str]:
    """Return the file PATH, or the verbsperf beside this command or in PATH,
    or None when there is none."""
    if path:
        return shutil.which(path)
    beside = os.pathsep.join(places(os.path.abspath(sys.argv[0])))
    return shutil.which("verbsperf", path=beside) or shutil.which("verbsperf")


def run(path: str, limit: float, *arguments: str) -> Tuple[int, str, str]:
    """Run the program PATH with ARGUMENTS, which it must answer in LIMIT
    seconds; return (status, stdout, stderr)."""
    asked = " ".join((path, *arguments))
    try:
        child = subprocess.Popen(  # pylint: disable=consider-using-with
            [path, *arguments], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")
    except OSError as error:
        raise ProgramError(f"cannot run {path}: {error.strerror}") from None
    with child:
        try:
            out, err = answer_of(child, asked, limit)
        except subprocess.TimeoutExpired:
            raise ProgramError(f"{asked}: no answer in {limit:g} s") from None
        finally:
            child.kill()
    return child.returncode, out, err


def answer_of(child: "subprocess.Popen[str]", asked: str, limit: float
              ) -> Tuple[str, str]:
    """Return what CHILD, which was ASKED, writes within LIMIT seconds."""
    try:
        return child.communicate(timeout=min(limit, ANSWERS_SOON))
    except subprocess.TimeoutExpired:
        if limit <= ANSWERS_SOON:
            raise
    say(f"waiting up to {limit:g} s for an answer of '{asked}'")
    return child.communicate(timeout=limit - ANSWERS_SOON)


@functools.lru_cache(maxsize=None)
def ask(path: str, limit: float, *arguments: str) -> Object:
    """Ask the program PATH, once, about its options, and about their values
    with ARGUMENTS."""
    status, text, complaint = run(path, limit, *arguments, "--dump-options")
    if status == 2 and arguments:
        raise UsageError(sentence_of(complaint, status))
    try:
        dump: Object = parse(text)
        formats.check_options(formats.Place("--dump-options", 1), dump)
    except (ValueError, ResultsError):
        raise ProgramError(f"{path} is not verbsperf, or another version of "
                           "it: it does not list its options "
                           "(--dump-options)") from None
    return dump


def examine(path: str, limit: float = ANSWERS_WITHIN) -> Program:
    """Ask the program PATH what it can do; it may take LIMIT seconds each
    time."""
    dump = ask(path, limit)
    version = f"verbsperf {dump['version']}, protocol {dump['protocol']}"
    return Program(path, version, dump["tests"],
                   {option["name"]: option_of(option)
                    for option in dump["options"]},
                   dump.get("one_end", []), limit)


def option_of(option: Object) -> Option:
    """Make the Option that a dump describes as OPTION."""
    return Option(option["name"], option["kind"], option["group"],
                  option["argument"] is not None,
                  option["implied"] is not None,
                  not {"client", "control"}.isdisjoint(option["who"]),
                  option["commands"], option.get("words") or [])


def signal_name(number: int) -> str:
    """Return the name of the signal NUMBER, if it is one."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def sentence_of(stderr: str, status: Optional[int]) -> str:
    """Find the error in what verbsperf wrote on stderr; it is not there when a
    signal killed it, as the kernel does when memory is short."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error: " in line]
    if not errors and status is not None and status < 0:
        return f"verbsperf was killed by {signal_name(-status)}"
    errors = errors or lines[-1:]
    if not errors:
        return f"exit status {status}"
    return errors[-1].split("error: ", 1)[-1]
