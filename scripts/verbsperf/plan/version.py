"""The version of a command, which is that of the program beside it."""
import argparse
import sys
from typing import Any, NoReturn

from verbsperf.base.command import write
from verbsperf.plan import program


class Version(argparse.Action):
    """Shows the version, and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        found = program.examine(program.find(
            None, "this command has its version"))
        write(f"{parser.prog} of {found.version}\n")
        sys.exit(0)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add --version to the options of PARSER."""
    parser.add_argument("--version", nargs=0, action=Version,
                        help="show the version and exit")
