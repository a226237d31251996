"""The program verbsperf, which the scripts run: where it is, and what it says
of its options."""
import json
import os
import shutil
import signal
import subprocess
import sys
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from verbsperf.base.errors import Refused, ResultsError
from verbsperf.documents import formats
from verbsperf.documents.jsonfile import Object

# It only reads its command line, which takes milliseconds.
ANSWERS_WITHIN = 60
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

    def takes(self, test: str, name: str) -> bool:
        """Return True when TEST takes the option NAME."""
        return test in self.options[name].commands

    def values(self, words: Sequence[str]) -> Object:
        """Return {name: value} of all options, as the program reads WORDS."""
        dump = ask(self.path, *words)
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


def run(path: str, *arguments: str) -> Tuple[int, str, str]:
    """Run the program PATH with ARGUMENTS, which it must answer soon; return
    (status, stdout, stderr)."""
    try:
        done = subprocess.run([path, *arguments], capture_output=True,
                              text=True, timeout=ANSWERS_WITHIN, check=False,
                              stdin=subprocess.DEVNULL, errors="replace")
    except OSError as error:
        raise ProgramError(f"cannot run {path}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ProgramError(f"{path} {' '.join(arguments)}: no answer in "
                           f"{ANSWERS_WITHIN} s") from None
    return done.returncode, done.stdout, done.stderr


def ask(path: str, *arguments: str) -> Object:
    """Ask the program PATH about its options, and about their values with
    ARGUMENTS."""
    status, text, complaint = run(path, *arguments, "--dump-options")
    if status == 2 and arguments:
        raise UsageError(sentence_of(complaint, status))
    try:
        dump: Object = json.loads(text)
        formats.check_options(formats.Place("--dump-options", 1), dump)
    except (ValueError, ResultsError):
        raise ProgramError(f"{path} is not verbsperf, or another version of "
                           "it: it does not list its options "
                           "(--dump-options)") from None
    return dump


def examine(path: str) -> Program:
    """Ask the program PATH what it can do."""
    dump = ask(path)
    version = f"verbsperf {dump['version']}, protocol {dump['protocol']}"
    return Program(path, version, dump["tests"],
                   {option["name"]: option_of(option)
                    for option in dump["options"]},
                   dump.get("one_end", []))


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
