"""What every command does alike: it reads its arguments, says what goes on,
writes what it was asked for, and ends with a status that says how."""
import argparse
import contextlib
import importlib
import io
import os
import pathlib
import signal
import sys
import traceback
from typing import IO, Any, Callable, NoReturn, Optional

from verbsperf.base import foreign
from verbsperf.base.errors import Refused
from verbsperf.base.missing import Missing

# As a shell has it of a program that SIGINT ended.
INTERRUPTED = 128 + signal.SIGINT
# As in sysexits.h: nobody takes an error of the command itself for a verdict.
BUG = 70


def name() -> str:
    """Return what the command is called, whatever a link to it is called."""
    return pathlib.Path(sys.argv[0]).resolve().name


def say(sentence: object) -> None:
    """Write SENTENCE on stderr, if that works: nothing depends on it."""
    with contextlib.suppress(OSError):
        print(foreign.terminal(f"{name()}: {sentence}"), file=sys.stderr,
              flush=True)


def complain(problem: object, status: int = 2) -> NoReturn:
    """End the command with one line about PROBLEM."""
    say(f"error: {problem}")
    sys.exit(status)


class Unread:
    """What was named and left out, as it could not be read."""

    some = False

    @classmethod
    def name(cls, problem: object) -> None:
        """Say PROBLEM, with which the command goes on."""
        cls.some = True
        say(f"left out: {problem}")


def write(text: str) -> None:
    """Write TEXT to stdout; end the command unless all of it was written. Who
    has closed a pipe knows why: that ends it as it ends others."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    except (OSError, AttributeError) as error:
        why = getattr(error, "strerror", "it is closed")
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        complain(f"cannot write to stdout: {why}", 1)


class Parser(argparse.ArgumentParser):
    """Parses a command line, and says in one line what is wrong with it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(prog=name(), allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see --help")

    def print_help(self, file: Optional[IO[str]] = None) -> None:
        write(self.format_help())


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return what parses a whole number from LEAST to MOST."""
    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"'{text}': expected {least} to {most}")
        return int(text)
    return parse


def ending(*forms: str) -> Callable[[str], str]:
    """Return what parses the name of a file that ends in one of FORMS."""
    def parse(text: str) -> str:
        if not text.endswith(forms):
            raise argparse.ArgumentTypeError(
                f"'{text}': the name must end in {', '.join(forms[:-1])} or "
                + forms[-1])
        return text
    return parse


def time_limit(text: str) -> float:
    """Parse a number of seconds."""
    value = float(text)
    if not 1 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"'{text}': expected 1 to 86400")
    return value


class Stopped:
    """Which signal ended the command: SIGTERM does as ^C does."""

    number = signal.SIGINT

    @classmethod
    def terminate(cls, _number: int, _frame: object) -> NoReturn:
        """Take SIGTERM."""
        cls.number = signal.SIGTERM
        raise KeyboardInterrupt


def end_by(number: int) -> int:
    """End by the signal NUMBER: only then does a shell end the loop in which it
    runs this command, too."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    # the kernel spares the first process of a container
    return 128 + number


def start(command: str) -> int:
    """Run the module COMMAND of verbsperf.commands; return the status."""
    module = None
    try:
        signal.signal(signal.SIGTERM, Stopped.terminate)
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        module = importlib.import_module(f"verbsperf.commands.{command}")
        status = int(module.main())
        if status == INTERRUPTED:
            return end_by(Stopped.number)
        return status or (getattr(module, "UNREAD", 1) if Unread.some else 0)
    except Missing as error:
        complain(error, getattr(module, "MISSING", error.status))
    except Refused as error:
        complain(error, error.status)
    except KeyboardInterrupt:
        return end_by(Stopped.number)
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        complain("this is a bug, please report it: "
                 f"{type(error).__name__}: {error}", BUG)
