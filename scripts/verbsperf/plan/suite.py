"""What a sweep measures.

A suite is text.  Each line has tests, a colon and options of verbsperf:

    # comment
    defaults: --duration 0.5
    write_bw read_bw: --size 64,4K --qps 1,8 --post-list 1,16
    send_lat: --size 2..1K --transport UD

Values between commas are alternatives, and every combination is a point.
"defaults" are options of every line below it that does not have them.
"""
import itertools
import os
import pathlib
import re
from typing import Iterator, NamedTuple, Sequence

from verbsperf.base.errors import Refused
from verbsperf.documents.jsonfile import Object, read_text
from verbsperf.documents.points import Point, label
from verbsperf.documents.results import sweep_point
from verbsperf.plan.options import read_options
from verbsperf.plan.program import Program, UsageError
from verbsperf.plan.target import Target, option_words

# They have a place of their own in a point.
OWN_PLACE = ("size", "qps", "transport")
# A server that need not be there: nothing is connected.
ANY_SERVER = "127.0.0.1"
ANYWHERE = Target("", ANY_SERVER, {})
# As many sizes, or ranges of them, are asked about at once: verbsperf takes 64
# sizes, and one range may have 30.
SIZES_AT_ONCE = 32
# What says how long a measurement takes.
TIMES = ("iterations", "duration", "warmup")
# Beside the package, in the source as where it is installed.
SUITES = str(pathlib.Path(__file__).resolve().parents[2] / "suites")


class Line(NamedTuple):
    """One line of a suite."""

    path: str
    number: int
    tests: list[str]
    options: dict[str, list[str]]  # {name: list of values}, [""] for a flag

    def where(self) -> str:
        """Return the line as an error names it."""
        return f"{self.path}:{self.number}" if self.number else self.path


class Planned(NamedTuple):
    """A point of a suite."""

    json: Object    # as the file of a sweep has it
    times: Object   # {name: value} of TIMES
    line: Line

    def key(self) -> Point:
        """Return what tells it from other points."""
        return sweep_point(self.json)

    def words(self, program: Program) -> list[str]:
        """Return its test and options on a command line."""
        point = self.json
        own = {name: str(point[name]) for name in OWN_PLACE
               if point[name] not in ("RC", None)
               and (name != "qps" or point[name] != 1)
               and (name != "size" or program.takes(point["test"], name)
                    and "batch" not in point["options"])}
        return [point["test"], *option_words({**own, **point["options"]})]


def parse_line(text: str, number: int, path: str, program: Program) -> Line:
    """Return the Line of TEXT."""
    where = f"{path}:{number}"
    names, colon, rest = text.partition(":")
    tests = names.split()
    if not colon or not tests:
        raise Refused(f"{where}: expected TEST...: --option VALUE...")
    for test in tests:
        if test not in program.tests and tests != ["defaults"]:
            raise Refused(f"{where}: unknown test '{test}'; expected "
                          + " ".join(program.tests))
    return Line(path, number, tests, read_options(program, where, rest.split()))


def read_lines(path: str, program: Program) -> list[Line]:
    """Read the Lines of the suite PATH, and add the defaults to each."""
    lines: list[Line] = []
    defaults: dict[str, list[str]] = {}
    for number, text in enumerate(read_text(path).splitlines(), 1):
        text = re.sub(r"(^|\s)#.*", "", text)
        if not text.strip():
            continue
        line = parse_line(text, number, path, program)
        if line.tests == ["defaults"]:
            defaults = {**defaults, **line.options}
        else:
            lines.append(line._replace(options={**defaults, **line.options}))
    if not lines:
        raise Refused(f"{path}: no line names a test")
    return lines


def size_words(line: Line, test: str, program: Program) -> list[list[str]]:
    """Return the sizes of LINE as options of one or several command lines."""
    sizes = line.options.get("size", [])
    if not sizes or not program.takes(test, "size"):
        return [[]]
    return [["--size=" + ",".join(sizes[i:i + SIZES_AT_ONCE])]
            for i in range(0, len(sizes), SIZES_AT_ONCE)]


def combined(line: Line, test: str, options: dict[str, str], program: Program
             ) -> list[Planned]:
    """Let the program read TEST with OPTIONS; return a point for each size."""
    try:
        read = [program.values([test, *sizes, *option_words(options),
                                *ANYWHERE.ends(test, program)])
                for sizes in size_words(line, test, program)]
    except UsageError as error:
        raise Refused(f"{line.where()}: {test}: {error}") from None
    others = {name: value for name, value in options.items()
              if name not in OWN_PLACE}
    return [Planned({"test": test,
                     "transport": values["transport"],
                     "size": size, "qps": values["qps"],
                     "options": others},
                    {name: values[name] for name in TIMES}, line)
            for values in read for size in values["size"] or [None]]


def check_at(target: Target, points: Sequence[Planned], program: Program
             ) -> None:
    """Refuse what TARGET says of POINTS, of which only the sizes differ."""
    words = [*points[0].words(program), *target.words(),
             *target.ends(points[0].json["test"], program)]
    for i in range(0, len(points), SIZES_AT_ONCE):
        sizes = "--size=" + ",".join(str(point.json["size"])
                                     for point in points[i:i + SIZES_AT_ONCE])
        try:
            program.values([sizes if word.startswith("--size=") else word
                            for word in words])
        except UsageError as error:
            raise Refused(f"target '{target.name}': {words[0]}: {error}"
                          ) from None


def points_of(line: Line, program: Program, targets: Sequence[Target] = ()
              ) -> Iterator[Planned]:
    """Yield the points of one line, by test and size."""
    names = sorted(line.options.keys() - {"size"})
    choices = [dict(zip(names, values)) for values in itertools.product(
        *(line.options[name] for name in names))]
    for test in line.tests:
        by_options = [combined(line, test, options, program)
                      for options in choices]
        for target, points in itertools.product(targets, by_options):
            if target.options or not target.server:
                check_at(target, points, program)
        for of_one_size in zip(*by_options):
            yield from of_one_size


def read(path: str, program: Program, targets: Sequence[Target]
         ) -> list[Planned]:
    """Read the points of the suite PATH for TARGETS; no two are alike."""
    found: dict[Point, Planned] = {}
    for line in read_lines(path, program):
        check_targets(line, targets, program)
        for point in points_of(line, program, targets):
            key = point.key()
            if key in found:
                raise Refused(f"{line.where()}: {label(key)} is in line "
                              f"{found[key].line.number} already")
            found[key] = point
    return list(found.values())


def check_targets(line: Line, targets: Sequence[Target], program: Program
                  ) -> None:
    """Refuse an option that both the suite and one of TARGETS give."""
    for target in targets:
        for name in target.options.keys() & line.options.keys():
            raise Refused(f"{line.where()}: --{name} is also given by the "
                          f"target '{target.name}'")
    for target in targets:
        for test in line.tests:
            if test in program.one_end and target.server:
                raise Refused(f"{line.where()}: {test} has no server; a "
                              "target for it is loopback[:DEVICE], not "
                              f"'{target.name}'")


def times_at(target: Target, point: Planned, program: Program) -> Object:
    """Return {name: value} of TIMES at TARGET."""
    values = program.values([*point.words(program), *target.words(),
                             *target.ends(point.json["test"], program)])
    return {name: values[name] for name in TIMES if name in target.options}


def find(name: str) -> str:
    """Return the path of NAME, a suite that came along or a file."""
    path = os.path.join(SUITES, name)
    if os.sep not in name and os.path.isfile(path):
        return path
    return name


def known(name: str, hint: str = "") -> str:
    """Return the same of a NAME that must be either; else HINT may help."""
    path = find(name)
    if path != "-" and not os.path.exists(path):
        raise Refused(f"{name}: No such file; the suites that came along "
                      f"are {', '.join(shipped())}{hint}")
    return path


def shipped() -> list[str]:
    """Return the names of the suites that came along."""
    return sorted(name for name in os.listdir(SUITES)
                  if os.path.isfile(os.path.join(SUITES, name)))
