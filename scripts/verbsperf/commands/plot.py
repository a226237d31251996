"""The command verbsperf-plot: draws results of verbsperf and verbsperf-sweep,
and a history of these.

Exit status: 0 drawn, 1 nothing to draw or it could not be written, 2 usage."""
import argparse
import difflib
import os
import re
from typing import Any, Sequence

from verbsperf.base import command, foreign
from verbsperf.base.command import Parser, ending
from verbsperf.base.errors import NotDrawn, Refused, ResultsError
from verbsperf.compare import question
from verbsperf.documents import results, writer
from verbsperf.documents.points import Point, is_traffic, size_text
from verbsperf.documents.results import Record
from verbsperf.history import file as history, nights
from verbsperf.plan import program
from verbsperf.plot import labels as naming, series
from verbsperf.plot.curves import Picture
from verbsperf.plot.drawing import import_drawing

# What --only knows besides options of verbsperf.
NAMES = ("test", "transport", "size", "qps", "target", "title", "device")
NEEDS = {
    "bandwidth": ": it needs results of a bandwidth test",
    "latency": ": it needs results of a latency test, with samples enough for "
               "one of --percentiles",
    "distribution": ": it needs results of a latency test with --histogram",
    "load": ": it needs results of a latency test with --rate",
    "intervals": ": it needs results of a bandwidth test of a second or more",
}
Condition = tuple[str, str]     # a name and its value
Drawn = tuple[Any, list[str]]   # a figure, and what is said of it


def picture_size(text: str) -> tuple[float, float]:
    """Parse WIDTHxHEIGHT in inches."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    width, height = (float(match[1]), float(match[2])) if match else (0, 0)
    if not (4 <= width <= 40 and 3 <= height <= 40):
        raise argparse.ArgumentTypeError(
            f"'{text}': expected WIDTHxHEIGHT in inches, 4x3 to 40x40")
    return width, height


def percentiles(text: str) -> list[str]:
    """Parse a list of percentiles like 50,99.9."""
    wanted = text.split(",")
    for one in wanted:
        if not re.fullmatch(r"\d{1,2}(\.\d{0,3}[1-9])?", one) or one == "0":
            raise argparse.ArgumentTypeError(
                f"'{text}': expected percentiles like 50,99,99.9")
    return wanted


def condition(text: str) -> Condition:
    """Parse NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected NAME=VALUE, like test=write_bw or qps=1")
    return name, value


def parser() -> Parser:
    """Return the parser of the command line."""
    p = Parser(
        usage="%(prog)s [options] FILE...\n"
              "       %(prog)s --history [options] FILE...",
        description="Draw results of verbsperf and of verbsperf-sweep, all of "
                    "them in one picture.",
        epilog="Exit status: 0 drawn, 1 nothing to draw or it could not be "
               "written, 2 usage.  See verbsperf-plot(1).")
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="results; - for standard input")
    p.add_argument("-k", "--kind", choices=series.KINDS, metavar="KIND",
                   help="what to draw [what the results have]: "
                   + "; ".join(f"{k}: {v}" for k, v in series.KINDS.items()))
    p.add_argument("--history", action="store_true",
                   help="draw each point over the nights of FILE, which "
                        "verbsperf-sweep --history wrote, and mark changes")
    p.add_argument("-o", "--output", metavar="FILE",
                   type=ending(".png", ".svg"),
                   help="picture, ending in .png or .svg [the first FILE's "
                   "name with .png]")
    p.add_argument("--force", action="store_true",
                   help="write over a file of another kind")
    p.add_argument("--only", metavar="NAME=VALUE", action="append",
                   type=condition, default=[],
                   help="draw only results with that test, transport, size, "
                   "qps, target, title, device or option; may be repeated")
    p.add_argument("--percentiles", metavar="LIST", type=percentiles,
                   help="percentiles of latency [50,99,99.9]")
    p.add_argument("--from-zero", action="store_true",
                   help="begin the y axes at 0, and do not use log scales")
    p.add_argument("--title", help="title above the picture")
    p.add_argument("--size", metavar="WIDTHxHEIGHT", type=picture_size,
                   help="size of the picture in inches [as high as it "
                   "needs]")
    question.add_options(p.add_argument_group("with --history"))
    program.add_version(p)
    return p


def named(target: str, point: Point) -> dict[str, str]:
    """Return what --only knows of POINT at TARGET."""
    return {**dict(point.options), "test": point.test,
            "transport": point.transport, "size": size_text(point.size),
            "qps": str(point.qps), "target": target}


def meets(known: dict[str, str], conditions: Sequence[Condition]) -> bool:
    """Return True when what is KNOWN is as all CONDITIONS say."""
    return all(known.get(name) == value for name, value in conditions)


def known_of(record: Record, point: Point) -> dict[str, str]:
    """Return what --only knows of RECORD, of POINT."""
    document = record.document or {}
    more = {"title": document.get("title"),
            "device": (document.get("client") or {}).get("device")}
    return {**named(record.target, point),
            **{name: text for name, text in more.items() if text}}


def check_names(conditions: Sequence[Condition], records: Sequence[Record]
                ) -> None:
    """Refuse a name in --only that no result has."""
    known = set(NAMES)
    for record in records:
        known.update((record.document or {}).get("parameters", ()))
        known.update(dict(record.point.options if record.point else ()))
    for name, value in conditions:
        if name not in known:
            close = difflib.get_close_matches(name, sorted(known), 1)
            raise Refused(f"--only {name}={value}: unknown name '{name}'; "
                          + (f"did you mean {close[0]}?" if close else
                             f"there are {', '.join(NAMES)} and the options of"
                             " verbsperf"))


def read(files: Sequence[str], only: Sequence[Condition]) -> list[Record]:
    """Read the Records to draw, and warn about runs that cannot be drawn."""
    records = [r for path in dict.fromkeys(files) for r in results.read(path)]
    for record in records:
        if record.point is None:
            command.say(f"{record.path}: not drawn: this run failed: "
                        f"{record.error}")
    check_names(only, records)
    kept = [r for r in records if r.point and meets(known_of(r, r.point), only)]
    if only and not kept:
        wanted = " ".join("=".join(pair) for pair in only)
        raise NotDrawn(f"--only {wanted}: no such results in "
                       + ", ".join(files))
    return kept


def why_none(records: Sequence[Record]) -> str:
    """Return why no kind of picture suits RECORDS, where that is known."""
    tests = {record.point.test for record in records
             if record.point and not is_traffic(record.point)}
    if not tests:
        return ""
    return (f": {', '.join(sorted(tests))}: tests of the control path have no "
            "pictures, their text and JSON say where the time went")


def choose(args: argparse.Namespace, records: Sequence[Record]
           ) -> tuple[Picture, list[str]]:
    """Return the Picture that ARGS ask for or that suits, and other kinds."""
    kinds = series.kinds(records)
    kind = args.kind or next(iter(kinds), None)
    picture = kind and series.picture(kind, records,
                                      args.percentiles or series.PERCENTILES)
    if picture:
        others = [other for other in kinds if other != kind]
        return picture, [] if args.kind else others
    files = ", ".join(args.files)
    if not kind:
        raise NotDrawn(f"{files}: there is nothing to draw in these results"
                       + why_none(records))
    raise NotDrawn(f"{files}: no data for --kind {kind}, {series.KINDS[kind]}"
                   + NEEDS[kind])


def output_of(args: argparse.Namespace) -> str:
    """Return the file of the picture."""
    stem = os.path.splitext(args.files[0])[0]
    return str(args.output or ("verbsperf" if stem == "-" else stem) + ".png")


def plot_results(args: argparse.Namespace) -> Drawn:
    """Read results, and draw them."""
    drawing = import_drawing()
    records = read(args.files, args.only)
    picture, others = choose(args, records)
    drawn = series.drawn(picture.kind, records)
    what = naming.common_words(drawn)
    lines = [what] * bool(args.title) + naming.origins(drawn)
    figure = drawing.draw(picture, lines, args.title or what,
                          args.size, args.from_zero)
    return figure, [series.KINDS[picture.kind] + (
        f"; --kind has more: {', '.join(others)}" if others else "")]


def plot_history(args: argparse.Namespace) -> Drawn:
    """Read nights, and draw them; say what changed, too."""
    every = [night._replace(points={
        point: rounds for point, rounds in night.points.items()
        if meets(named(night.target, point), args.only)})
             for night in history.read(args.files)]
    import_drawing()
    from verbsperf.history import plots  # pylint: disable=C0415
    lines = [line for line in nights.lines_of(every, question.of(args))
             if line.measured()]
    if not lines:
        raise NotDrawn(f"{', '.join(args.files)}: nothing to draw of these "
                       "points, metrics and nights")
    shown = {line.target for line in lines}
    events = nights.events_of([night for night in every
                               if night.target in shown])
    title = nights.title_of(lines)
    return (plots.draw(lines, events, args.title or title, args.size,
                       args.from_zero),
            [title, *nights.step_texts(lines, events)])


def check_options(args: argparse.Namespace) -> None:
    """Refuse what would have no effect."""
    extra = question.given(args)
    if extra and not args.history:
        raise Refused(f"{extra}: only with --history")
    if args.history and (args.kind or args.percentiles):
        raise Refused("--history has no --kind and no --percentiles; --metric "
                      "chooses what it shows")


def plot(args: argparse.Namespace) -> None:
    """Read the files, draw the picture and write it."""
    check_options(args)
    output = output_of(args)
    form = output[-3:]
    writer.check_whole(output, form, args.force, args.files)
    try:
        drawn, lines = (plot_history if args.history else plot_results)(args)
    except ResultsError as error:
        raise NotDrawn(str(error)) from None
    writer.write_whole(output, import_drawing().image(drawn, form))
    command.write("".join(f"{foreign.terminal(line)}\n" for line in (
        f"{output}: {lines[0]}", *lines[1:])))


def main() -> int:
    """Run the command and return its exit status."""
    plot(parser().parse_intermixed_args())
    return 0
