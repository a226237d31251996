"""What a sweep measures, and where: suites and targets.

A suite is text.  Each line has tests, a colon and options of verbsperf:

    # comment
    defaults: --duration 0.5
    write_bw read_bw: --size 64,4K --qps 1,8 --post-list 1,16
    send_lat: --size 2..1K --transport UD

Values between commas are alternatives, and every combination is a point.
"defaults" are options of every line below it that does not have them.
"""
import difflib
import itertools
import os
import re
import subprocess
import typing

from verbsperf import jsonfile
from verbsperf import points as naming
from verbsperf import results

# Said by the target, or by the sweep itself, or of a server.
OF_TARGET = frozenset("device ib-port gid-index port bind key-file".split())
OF_SWEEP = frozenset("""
    all check csv format help inject json json-lines loopback report-gbits
    samples title version wait
    """.split())
OF_SERVER = frozenset("""
    allow allow-inject idle-timeout max-duration max-memory max-qps once parallel ready-fd
    """.split())
# A comma is part of their value.
LISTS = frozenset("cpus flow-label percentiles".split())
DRY_RUN_SECONDS = 60
ATOMIC_SIZE = 8
NO_DEVICE = ["--device", "no-device-for-this-check"]
OPTION = re.compile(r"^  (?:-\w, |    )--([a-z][a-z0-9.-]*)(\[=| [^ ])?",
                    re.M)
RANGE = re.compile(r"(\d+)([KMGkmg]?)(?:\.\.(\d+)([KMGkmg]?))?")


class SuiteError(Exception):
    """A suite or target is not what it should be; the text says where."""


class Program(typing.NamedTuple):
    """What the verbsperf that is run can do."""

    path: str
    version: str
    tests: list
    options: dict  # {name: whether it takes a value}


class Target(typing.NamedTuple):
    """Where to measure; server is None for both ends on this host."""

    name: str
    server: str
    options: dict  # {name: value}


class Line(typing.NamedTuple):
    """One line of a suite."""

    path: str
    number: int
    tests: list
    options: dict  # {name: list of values}, [""] for a flag


def ask(path, *arguments):
    """What the program PATH says to ARGUMENTS: (status, stdout, stderr)."""
    try:
        done = subprocess.run([path, *arguments], capture_output=True,
                              text=True, timeout=DRY_RUN_SECONDS,
                              stdin=subprocess.DEVNULL, errors="replace")
    except OSError as error:
        raise SuiteError(f"cannot run {path}: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise SuiteError(f"{path} {' '.join(arguments)}: no answer in "
                         f"{DRY_RUN_SECONDS} s") from None
    return done.returncode, done.stdout, done.stderr


def examine(path):
    """The Program PATH, from its own --help and --version."""
    status, usage, _ = ask(path, "--help")
    tests = re.search(r"^TEST: (.*)$", usage, re.M)
    if status or not tests:
        raise SuiteError(f"{path} is not verbsperf: --help names no tests")
    version = ask(path, "--version")[1].splitlines()[:1]
    options = {name: bool(value) for name, value in OPTION.findall(usage)}
    return Program(path, "".join(version), tests[1].split(), options)


def sentence_of(stderr, status):
    """The error in what verbsperf wrote on stderr."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error: " in line] or lines[-1:]
    if not errors:
        return f"exit status {status}"
    return errors[-1].split("error: ", 1)[-1]


def sizes(text):
    """The sizes in bytes of 64,4K or 2..8M, as verbsperf reads them."""
    found = []
    for part in text:
        match = RANGE.fullmatch(part)
        if not match:
            raise ValueError(part)
        low, high = (None if n is None else int(n) << 10 * " kmg".index(
            (unit or " ").lower()) for n, unit in (match.groups()[:2],
                                                   match.groups()[2:]))
        found.append(low)
        while high and low and low * 2 <= high:
            low *= 2
            found.append(low)
    return found


def parse_options(words, program, where, forbidden):
    """{name: list of values} of WORDS, options of verbsperf."""
    found, words = {}, list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        check_option(word, name, program, where, forbidden)
        if name in found:
            raise SuiteError(f"{where}: --{name} is there twice")
        if program.options[name] and not equals:
            if not words or words[0].startswith("--"):
                raise SuiteError(f"{where}: --{name} needs a value")
            value = words.pop(0)
        elif equals and not program.options[name]:
            raise SuiteError(f"{where}: --{name} takes no value")
        found[name] = [value] if name in LISTS else value.split(",")
    return found


def check_option(word, name, program, where, forbidden):
    """WORD is a long option of the program that is allowed here."""
    if re.fullmatch("-[A-Za-z].*", word):
        raise SuiteError(f"{where}: '{word}': options have their long names "
                         "here, such as --size, and no letters")
    if not word.startswith("--"):
        raise SuiteError(f"{where}: '{word}' is no option; expected TEST...: "
                         "--option VALUE...")
    for whose, names in (("a target", forbidden), ("a server", OF_SERVER),
                         ("verbsperf-sweep", OF_SWEEP)):
        if name in names:
            raise SuiteError(f"{where}: --{name} is for {whose} to say")
    if name not in program.options:
        allowed = sorted(program.options.keys() - OF_SWEEP - OF_SERVER
                         - forbidden)
        close = difflib.get_close_matches(name, allowed, 1)
        raise SuiteError(f"{where}: unknown option '--{name}'; "
                         + (f"did you mean --{close[0]}?" if close
                            else "see verbsperf --help"))


def parse_line(text, number, path, program):
    """The Line of TEXT."""
    where = f"{path}:{number}"
    names, colon, rest = text.partition(":")
    tests = names.split()
    if not colon or not tests:
        raise SuiteError(f"{where}: expected TEST...: --option VALUE...")
    for test in tests:
        if test not in program.tests and tests != ["defaults"]:
            raise SuiteError(f"{where}: unknown test '{test}'; allowed are "
                             + " ".join(program.tests))
    options = parse_options(rest.split(), program, where, OF_TARGET)
    return Line(path, number, tests, options)


def read_suite(path, program):
    """The Lines of the suite PATH, defaults worked in."""
    lines, defaults = [], {}
    for number, text in enumerate(jsonfile.read_text(path).splitlines(), 1):
        text = re.sub(r"(^|\s)#.*", "", text)
        if not text.strip():
            continue
        line = parse_line(text, number, path, program)
        if line.tests == ["defaults"]:
            defaults = {**defaults, **line.options}
        else:
            lines.append(line._replace(options={**defaults, **line.options}))
    if not lines:
        raise SuiteError(f"{path}: no line names a test")
    return lines


def combinations(options):
    """Each choice of one value of every option."""
    names = sorted(options)
    for values in itertools.product(*(options[name] for name in names)):
        yield dict(zip(names, values))


def line_sizes(line, test):
    """The sizes that TEST is measured with."""
    if test.startswith("atomic_"):
        return [ATOMIC_SIZE]
    default = ["2"] if test.endswith("_lat") else ["64K"]
    try:
        return sizes(line.options.get("size", default))
    except ValueError as error:
        raise SuiteError(f"{line.path}:{line.number}: --size '{error}': "
                         "expected a size like 64 or 4K, a list 64,4K or a "
                         "range 2..8M") from None


def points_of(line):
    """The points of one line, as a sweep records them."""
    for test in line.tests:
        others = {name: values for name, values in line.options.items()
                  if name != "size"}
        for size in line_sizes(line, test):
            for options in combinations(others):
                try:
                    qps = int(options.pop("qps", "1"))
                except ValueError:
                    qps = 0
                if not qps:
                    raise SuiteError(f"{line.path}:{line.number}: --qps: "
                                     "expected numbers like 1,8")
                transport = options.pop("transport", "RC").upper()
                yield {"test": test, "transport": transport, "size": size,
                       "qps": qps, "options": options}


def arguments(point, target):
    """verbsperf's arguments for POINT, but for the server."""
    words = [point["test"]]
    if not point["test"].startswith("atomic_"):
        words += ["--size", str(point["size"])]
    if point["qps"] != 1:
        words += ["--qps", str(point["qps"])]
    if point["transport"] != "RC":
        words += ["--transport", point["transport"]]
    for options in (point["options"], target.options if target else {}):
        for name, value in options.items():
            words.append(f"--{name}={value}" if value else f"--{name}")
    return words


def check_point(point, where, program, target=None):
    """The program has no objection to POINT."""
    words = arguments(point, target)
    status, _, stderr = ask(program.path, *words, *NO_DEVICE, "127.0.0.1")
    if status == 2:
        raise SuiteError(f"{where}: {point['test']}: "
                         f"{sentence_of(stderr, status)}")


def key_of(point):
    """What makes POINT another point than others."""
    return results.sweep_point(point)


def read_points(path, program, targets):
    """The points of the suite PATH, each checked with the program."""
    points, seen, shapes = [], {}, set()
    for line in read_suite(path, program):
        where = f"{line.path}:{line.number}"
        check_clash(line, targets, where)
        for point in points_of(line):
            key = key_of(point)
            if key in seen:
                raise SuiteError(f"{where}: {naming.label(key)} is in line "
                                 f"{seen[key]} already")
            seen[key] = line.number
            points.append(point)
            # what is allowed depends on the size at its ends only
            shape = repr({**point, "size": size_class(point, line)})
            if shape not in shapes:
                shapes.add(shape)
                check_point(point, where, program)
    for target in targets:
        check_target(points[0], target, program)
    return points


def size_class(point, line):
    """The same for all sizes of a line but its smallest and largest."""
    every = line_sizes(line, point["test"])
    return (point["size"] == min(every), point["size"] == max(every))


def check_clash(line, targets, where):
    """No option is said by the suite and by a target."""
    for target in targets:
        for name in target.options.keys() & line.options.keys():
            raise SuiteError(f"{where}: --{name} is said by the target "
                             f"'{target.name}' as well")


def check_target(point, target, program):
    """The program has no objection to what TARGET says."""
    options = {name: value for name, value in target.options.items()
               if name != "device"}
    check_point(point, f"target '{target.name}'", program,
                target._replace(options=options))


def split_server(text, where):
    """(server, port) of SERVER, SERVER:PORT, [ADDRESS]:PORT."""
    bracket = re.fullmatch(r"\[([^][]+)\](?::(\d+))?", text)
    if bracket:
        return bracket[1], bracket[2]
    if text.count(":") > 1:
        return text, None
    server, colon, port = text.partition(":")
    if not server or (colon and not port.isdigit()):
        raise SuiteError(f"{where}: expected [NAME=]SERVER[:PORT][,option"
                         "[=value]...] or [NAME=]loopback[:DEVICE][,...]")
    return server, port or None


def parse_target(text, program):
    """The Target that TEXT describes."""
    where = f"target '{text}'"
    head, *rest = text.split(",")
    name, equals, place = head.partition("=")
    if not equals:
        name = place = head
    if not re.fullmatch(r"[^\s,=]+", name):
        raise SuiteError(f"{where}: it needs a name without spaces")
    words = ["--" + word.removeprefix("--") for word in rest]
    options = {option: values[0] for option, values in parse_options(
        words, program, where, frozenset(["port"])).items()}
    if place == "loopback" or place.startswith("loopback:"):
        device = place.partition(":")[2]
        if device:
            options = {"device": device, **options}
        return Target(name, None, options)
    server, port = split_server(place, where)
    if port:
        options = {"port": port, **options}
    return Target(name, server, options)


def parse_targets(texts, program):
    """The Targets; no two of one name."""
    targets = [parse_target(text, program) for text in texts]
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise SuiteError(f"two targets are called '{name}'; say NAME="
                             "SERVER")
    return targets


def find_suite(name, folder):
    """The path of NAME, a suite that came along in FOLDER or a file."""
    path = os.path.join(folder, name)
    if os.sep not in name and os.path.isfile(path):
        return path
    return name


def shipped(folder):
    """The names of the suites that came along in FOLDER."""
    return sorted(name for name in os.listdir(folder)
                  if os.path.isfile(os.path.join(folder, name)))
