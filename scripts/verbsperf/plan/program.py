"""The program verbsperf, which the scripts run: where it is, and what it says
of its options."""
import argparse
import contextlib
import ctypes
import functools
import math
import os
import shutil
import signal
import subprocess
import sys
from typing import Any, Iterator, NamedTuple, NoReturn, Optional, Sequence

from verbsperf.base.command import say, write
from verbsperf.base.errors import Refused, ResultsError
from verbsperf.documents import formats
from verbsperf.documents.jsonfile import Object, parse

# It only reads its command line, which takes milliseconds unless the host is
# busy; after so many seconds it is said what is waited for.
ANSWERS_SOON, ANSWERS_WITHIN = 20.0, 600.0
PR_SET_PDEATHSIG = 1
# Seconds for verbsperf to end when it is told to.
PARTING = 2
# A comma is part of their value.
LISTS = ("batch", "counter-limits", "counters", "cpus", "labels", "networks",
         "percentiles")


class UsageError(Refused):
    """The program refuses a command line; the text is its own sentence."""


class Ran(NamedTuple):
    """How verbsperf ended; it has no status when it took too long."""

    stdout: str
    stderr: str
    status: Optional[int]


class Option(NamedTuple):
    """An option of the program."""

    name: str
    letter: Optional[str]
    kind: str
    group: str
    takes_value: bool
    may_lack_value: bool
    for_client: bool        # or for a test of one end; else for a server only
    commands: list[str]     # tests and commands that take it
    words: list[str]        # the values that it may have, of a choice

    def values(self, text: str) -> list[str]:
        """Split TEXT at its commas into values, in the letters of a choice."""
        if self.kind in LISTS:
            return [text]
        known = {word.lower(): word for word in self.words}
        return [known.get(one.lower(), one) for one in text.split(",")]


class Program(NamedTuple):
    """What the verbsperf that is run can do."""

    path: str
    version: str
    tests: list[str]
    options: dict[str, Option]
    one_end: list[str]      # those of the tests that have no server
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
        command = os.path.join(os.path.dirname(command), os.readlink(command))


def find(path: Optional[str], hint: str) -> str:
    """Return the file PATH, or the verbsperf beside this command or in PATH;
    HINT says what to do without."""
    beside = os.pathsep.join(places(os.path.abspath(sys.argv[0])))
    found = shutil.which(path) if path else (
        shutil.which("verbsperf", path=beside) or shutil.which("verbsperf"))
    if not found:
        raise Refused(f"cannot find the program {path or 'verbsperf'}; {hint}")
    return found


def die_with_parent() -> None:
    """Ask the kernel to end this child with its parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end(child: "subprocess.Popen[str]") -> tuple[str, str]:
    """End CHILD and what it started; return (stdout, stderr)."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            return child.communicate(timeout=PARTING)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            pass
    return child.communicate()


def run(command: Sequence[str], limit: float, soon: float = math.inf) -> Ran:
    """Run COMMAND for LIMIT seconds at most; say so when it is not SOON."""
    try:
        child = subprocess.Popen(  # pylint: disable=consider-using-with
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True, preexec_fn=die_with_parent)
    except OSError as error:
        raise Refused(f"cannot run {command[0]}: {error.strerror}") from None
    with child:
        try:
            if soon < limit:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return Ran(*child.communicate(timeout=soon),
                               child.returncode)
                say(f"waiting up to {limit:g} s for an answer of "
                    f"'{' '.join(command)}'")
                limit -= soon
            return Ran(*child.communicate(timeout=limit), child.returncode)
        except subprocess.TimeoutExpired:
            return Ran(*end(child), None)
        except BaseException:
            end(child)
            raise


@functools.lru_cache(maxsize=None)
def ask(path: str, limit: float, *arguments: str) -> Object:
    """Ask the program PATH, once, about its options with ARGUMENTS."""
    command = [path, *arguments, "--dump-options"]
    text, complaint, status = run(command, limit, ANSWERS_SOON)
    if status is None:
        raise Refused(f"{' '.join(command)}: no answer in {limit:g} s")
    if status == 2 and arguments:
        raise UsageError(sentence_of(complaint, status))
    try:
        dump: Object = parse(text)
        formats.check_options(formats.Place("--dump-options", 1), dump)
    except (ValueError, ResultsError):
        raise Refused(f"{path} is not verbsperf, or another version of "
                      "it: it does not list its options "
                      "(--dump-options)") from None
    return dump


def examine(path: str, limit: float = ANSWERS_WITHIN) -> Program:
    """Ask the program PATH what it can do, within LIMIT seconds each time."""
    dump = ask(path, limit)
    version = f"verbsperf {dump['version']}, protocol {dump['protocol']}"
    return Program(path, version, dump["tests"],
                   {option["name"]: option_of(option)
                    for option in dump["options"]},
                   dump.get("one_end", []), limit)


def option_of(option: Object) -> Option:
    """Make the Option that a dump describes as OPTION."""
    return Option(option["name"], option["letter"],
                  option["kind"], option["group"],
                  option["argument"] is not None,
                  option["implied"] is not None,
                  not {"client", "control"}.isdisjoint(option["who"]),
                  option["commands"], option.get("words") or [])


class Version(argparse.Action):
    """Shows the version of the program beside a command, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        found = examine(find(None, "this command has its version"))
        write(f"{parser.prog} of {found.version}\n")
        sys.exit(0)


def add_version(parser: argparse.ArgumentParser) -> None:
    """Add --version to the options of PARSER."""
    parser.add_argument("--version", nargs=0, action=Version,
                        help="show the version and exit")


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
