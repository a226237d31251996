"""How a command reads its arguments, and how it complains."""
import argparse
import sys
from typing import NoReturn


def complain(name: str, problem: object, status: int = 2) -> NoReturn:
    """End the command NAME with one line about PROBLEM."""
    print(f"{name}: error: {problem}", file=sys.stderr)
    sys.exit(status)


class Parser(argparse.ArgumentParser):
    """Parses a command line, and says in one line what is wrong with it."""

    def error(self, message: str) -> NoReturn:
        complain(self.prog, f"{message}; see --help")
