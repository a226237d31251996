"""How a command reads its arguments, and how it complains."""
import argparse
import os
import sys
from typing import NoReturn

from verbsperf.base.tables import printable


def complain(name: str, problem: object, status: int = 2) -> NoReturn:
    """End the command NAME with one line about PROBLEM."""
    print(f"{name}: error: {printable(str(problem))}", file=sys.stderr)
    sys.exit(status)


def write(name: str, text: str) -> None:
    """Write TEXT of the command NAME to stdout; end it unless all of it was
    written."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        complain(name, f"cannot write to stdout: {error.strerror}")


class Parser(argparse.ArgumentParser):
    """Parses a command line, and says in one line what is wrong with it."""

    def error(self, message: str) -> NoReturn:
        complain(self.prog, f"{message}; see --help")


def time_limit(text: str) -> float:
    """Parse a number of seconds."""
    value = float(text)
    if not 1 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"'{text}': expected 1 to 86400")
    return value
