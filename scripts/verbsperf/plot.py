"""Draws results of verbsperf and verbsperf-sweep.  See verbsperf-plot(1).

Exit status: 0 drawn, 1 nothing to draw or it could not be written, 2 usage."""
import argparse
import difflib
import io
import os
import re
import sys

from verbsperf import labels as naming
from verbsperf import results
from verbsperf import rows
from verbsperf import series

FORMS = ("png", "svg")
# What --only knows besides options of verbsperf.
NAMES = ("test", "transport", "size", "qps", "target", "title", "device")


class Refused(Exception):
    """There is nothing to draw; the text says why and what to do."""

    status = 1


class Usage(Refused):
    """An option is not what it may be."""

    status = 2


def size(text):
    """WIDTHxHEIGHT in inches."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    wanted = match and (float(match[1]), float(match[2]))
    if not wanted or not (4 <= wanted[0] <= 40 and 3 <= wanted[1] <= 40):
        raise argparse.ArgumentTypeError(
            f"'{text}': expected WIDTHxHEIGHT in inches, 4x3 to 40x40")
    return wanted


def percentiles(text):
    """50,99.9 as a list."""
    wanted = text.split(",")
    for one in wanted:
        if not re.fullmatch(r"\d{1,2}(\.\d{0,3}[1-9])?", one) or one == "0":
            raise argparse.ArgumentTypeError(
                f"'{text}': expected percentiles like 50,99,99.9")
    return wanted


def picture_file(text):
    """A name that says its form."""
    if not text.endswith(tuple(f".{form}" for form in FORMS)):
        raise argparse.ArgumentTypeError(
            f"'{text}': the name must end in .png or .svg")
    return text


def condition(text):
    """NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected NAME=VALUE, like test=write_bw or qps=1")
    return name, value


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: error: {message}; see --help\n")


def parser():
    """The options."""
    p = Parser(
        prog="verbsperf-plot", allow_abbrev=False,
        usage="%(prog)s [options] FILE...",
        description="Draw results of verbsperf and of verbsperf-sweep, all of "
                    "them in one picture.",
        epilog="Exit status: 0 drawn, 1 nothing to draw or it could not be "
               "written, 2 usage.  See verbsperf-plot(1).")
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="results; - for standard input")
    p.add_argument("-k", "--kind", choices=series.KINDS, metavar="KIND",
                   help="what to draw [what the results have]: "
                   + "; ".join(f"{k}: {v}" for k, v in series.KINDS.items()))
    p.add_argument("-o", "--output", metavar="FILE", type=picture_file,
                   help="picture, ending in .png or .svg [the first FILE's "
                   "name with .png]")
    p.add_argument("--only", metavar="NAME=VALUE", action="append",
                   type=condition, default=[],
                   help="draw only results with that test, transport, size, "
                   "qps, target, title, device or option; may be repeated")
    p.add_argument("--percentiles", metavar="LIST", type=percentiles,
                   default=list(series.PERCENTILES),
                   help="of latency [50,99,99.9]")
    p.add_argument("--from-zero", action="store_true",
                   help="begin the y axes at 0, and have no logarithms there")
    p.add_argument("--title", help="above the picture")
    p.add_argument("--size", metavar="WIDTHxHEIGHT", type=size,
                   help="of the picture in inches [7.5x5]")
    return p


def value_of(record, name):
    """What --only compares with, as text."""
    point, document = record.point, record.document
    if name == "target":
        return record.target
    if name in ("title", "device") and document:
        return {"device": document["client"].get("device"),
                "title": document.get("title")}[name]
    if name == "size":
        return results.size_text(point.size)
    if name in ("test", "transport", "qps"):
        return str(getattr(point, name))
    return dict(point.options).get(name)


def meets(record, conditions):
    """True when RECORD is one that --only names."""
    return record.point is not None and all(
        value_of(record, name) == value for name, value in conditions)


def check_names(conditions, records):
    """--only names what results have: a document has every option."""
    known = set(NAMES)
    for record in records:
        known.update((record.document or {}).get("parameters", ()))
        known.update(dict(record.point.options if record.point else ()))
    for name, value in conditions:
        if name not in known:
            close = difflib.get_close_matches(name, sorted(known), 1)
            raise Usage(f"--only {name}={value}: unknown name '{name}'; "
                        + (f"did you mean {close[0]}?" if close else
                           f"there are {', '.join(NAMES)} and the options of "
                           "verbsperf"))


def read(args):
    """The Records to draw, and warnings of those that cannot be."""
    records = [r for path in dict.fromkeys(args.files)
               for r in results.read(path)]
    for record in records:
        if record.row and not rows.is_sound(record.row):
            raise Refused(f"{record.path}:{record.line}: a row of \"results\" "
                          "is not as verbsperf writes it")
        if record.point is None:
            print(f"verbsperf-plot: {record.path}: not drawn: this run failed:"
                  f" {record.error}", file=sys.stderr)
    check_names(args.only, records)
    kept = [r for r in records if meets(r, args.only)]
    if args.only and not kept:
        wanted = " ".join("=".join(pair) for pair in args.only)
        raise Refused(f"--only {wanted}: there are no such results in "
                      + ", ".join(args.files))
    return kept


def choose(args, records):
    """The Picture that is asked for, or that RECORDS were made for; and other
    kinds that were not asked for."""
    kinds = series.kinds(records)
    kind = args.kind or (kinds or [None])[0]
    picture = kind and series.picture(kind, records, args.percentiles)
    if picture:
        others = [other for other in kinds if other != kind]
        return picture, [] if args.kind else others
    files = ", ".join(args.files)
    if not kind:
        raise Refused(f"{files}: no result has anything to draw")
    raise Refused(f"{files}: no data for --kind {kind}, {series.KINDS[kind]}"
                  + NEEDS[kind])


NEEDS = {
    "bandwidth": ": it needs results of a bandwidth test",
    "latency": ": it needs results of a latency test, with samples enough for "
               "one of --percentiles",
    "distribution": ": it needs results of a latency test with --histogram",
    "load": ": it needs results of a latency test with --rate",
    "intervals": ": it needs results of a bandwidth test of a second or more",
}


def refuse_too_many(picture, most):
    """More curves than there are looks cannot be told apart."""
    labels = list(dict.fromkeys(one.label for panel in picture.panels
                                for one in panel.curves))
    if len(labels) > most:
        some = ", ".join(f"'{label}'" for label in labels[:3])
        raise Refused(f"{len(labels)} curves ({some}, ...) cannot be told "
                      "apart, "
                      f"{most} can; choose with --only NAME=VALUE")


def plot(args):
    """Read, draw and write."""
    try:
        # it takes long to load: after the options
        from verbsperf import figure as drawing  # pylint: disable=C0415
    except ImportError as error:
        raise Refused(
            f"matplotlib is needed, and {sys.executable}, which runs this, "
            f"cannot import it ({error}): {sys.executable} -m pip install "
            "matplotlib, or have python3 in PATH be the distribution's, with "
            "its package python3-matplotlib") from None
    records = read(args)
    picture, others = choose(args, records)
    refuse_too_many(picture, drawing.CURVES_MAX)
    stem = os.path.splitext(args.files[0])[0]
    output = args.output or ("verbsperf" if stem == "-" else stem) + ".png"
    records = series.drawn(picture.kind, records)
    what = [naming.common_words(records)]
    lines = what * bool(args.title) + naming.origins(records)
    try:
        figure = drawing.draw(picture, lines, args.title or what[0],
                              args.size or drawing.SIZE, args.from_zero)
    except drawing.TooSmall as error:
        raise Refused(str(error)) from None
    image = io.BytesIO()
    drawing.save(figure, image, output[-3:])
    try:
        with open(output, "wb") as file:
            file.write(image.getvalue())
    except OSError as error:
        raise Refused(f"{output}: {error.strerror}") from None
    print(f"{output}: {series.KINDS[picture.kind]}" + (
        f"; --kind has more: {', '.join(others)}" if others else ""))


def main():
    args = parser().parse_args()
    try:
        plot(args)
    except (Refused, results.ResultsError) as error:
        print(f"verbsperf-plot: error: {error}", file=sys.stderr)
        return getattr(error, "status", 1)
    return 0
