"""The command verbsperf-compare: is NEW as fast as BASE?

Exit status: 0 as fast or faster, or --nics, 1 slower, 2 no answer."""
import argparse
import os
from typing import Sequence

from verbsperf.base.command import Parser, ending, write
from verbsperf.base.errors import Refused
from verbsperf.base.metrics import COMPARED, TOLERANCES
from verbsperf.cluster import comparison as clusters, file as clusterfile
from verbsperf.compare import comparison, question, sides, view
from verbsperf.compare.sides import Side
from verbsperf.documents import jsonfile, writer
from verbsperf.documents.jsonfile import Object
from verbsperf.forms import reports
from verbsperf.history import bases
from verbsperf.nics import report as nics, setups, view as nics_view
from verbsperf.plan import program
from verbsperf.plot.drawing import import_drawing
from verbsperf.stats import verdict
from verbsperf.stats import libraries

UNREAD = 2      # an answer of less than was given is none
MISSING = 2     # without a library there is none, either
VERDICTS = reports.forms(view.text, view.markdown, view.verdicts)
REPORTS = {"text": nics_view.text, "json": reports.as_json,
           "markdown": nics_view.markdown}
TEXT = reports.Output("text")
PAGES = (".html", ".svg", ".md")
EXIT = {verdict.REGRESSION: 1, verdict.INCONCLUSIVE: 2, verdict.WITHIN: 0}


def parser() -> Parser:
    """Return the parser of the command line."""
    p = Parser(
        usage="%(prog)s [options] BASE[:TARGET] NEW[:TARGET]\n"
              "       %(prog)s [options] NEW[:TARGET] --base FILE...\n"
              "       %(prog)s [options] [--targets A,B] SWEEP\n"
              "       %(prog)s --nics [options] [-o FILE] A[:TARGET] "
              "B[:TARGET]...",
        description="Is NEW as fast as BASE, at every point that both have?",
        epilog="Exit status: 0 as fast or faster, 1 slower somewhere, 2 no "
               "answer.  See verbsperf-compare(1).")
    p.add_argument("files", nargs="+", metavar="FILE",
                   help="documents of verbsperf --json, a sweep, or files "
                        "of verbsperf-cluster")
    p.add_argument("--nics", action="store_true",
                   help="report on several set-ups side by side, without a "
                        "verdict")
    p.add_argument("-o", "--output", metavar="FILE", type=ending(*PAGES),
                   help="with --nics, write the report to FILE: .html with "
                        "plots, .svg the plots only, .md")
    p.add_argument("--base", nargs="+", action="extend", metavar="FILE",
                   default=[],
                   help="compare with these: sweeps of several sessions, and "
                        "histories of verbsperf-sweep")
    p.add_argument("--targets", metavar="A,B",
                   help="compare these two targets of one sweep, with A as "
                        "the base; more of them with --nics")
    question.add_options(p)
    p.add_argument("--force", action="store_true",
                   help="compare even if devices, MTU, ... differ; with "
                        "--nics -o, write over a file of another kind")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--format", dest="form", type=reports.output,
                      default=TEXT, metavar="FORM[=FILE]",
                      help="how the verdict is written, and the FILE for it: "
                           f"{', '.join(VERDICTS)} [text]")
    form.add_argument("--json", dest="form", action="store_const",
                      const=reports.Output("json"),
                      help="the same as --format json")
    form.add_argument("--markdown", dest="form", action="store_const",
                      const=reports.Output("markdown"),
                      help="the same as --format markdown: a table for a "
                           "review comment")
    program.add_version(p)
    return p


def page_of(form: str, report: Object, groups: Sequence[nics.Group]) -> str:
    """Return REPORT as FORM, one of PAGES, with its plots of GROUPS."""
    if form == ".md":
        return nics_view.markdown(report)
    import_drawing()
    from verbsperf.nics import plots  # pylint: disable=C0415
    pictures = [(label, plots.svg_of(label, picture))
                for label, picture in plots.pictures(report, groups)]
    if form == ".html":
        return nics_view.page(report, pictures)
    return plots.page_of_svg([svg for _, svg in pictures])


def report_nics(options: argparse.Namespace) -> int:
    """Report on several set-ups and return the exit status."""
    if options.metric or options.base or options.force and not options.output:
        raise Refused("--nics shows all metrics, and all that differs: leave "
                      "--metric, --force and --base out")
    if options.form.form not in REPORTS:
        raise Refused(f"--nics has no verdict for --format {options.form.form};"
                      f" it has {', '.join(REPORTS)}")
    if options.form.path:
        raise Refused("--nics: the file of the report is -o FILE")
    form = os.path.splitext(options.output or "")[1]
    if options.output:
        writer.check_whole(
            options.output, form[1:], options.force, [
                one for name in options.files
                for one in (name, name.rpartition(":")[0])])
    report, groups = nics.report(
        setups.choose(options.files, options.targets),
        question.of(options).tolerances)
    if options.output is None:
        write(REPORTS[options.form.form](report))
        return 0
    writer.write_whole(options.output, page_of(form, report, groups))
    return 0


def of_name(name: str) -> str:
    """Return the file of NAME, FILE or FILE:TARGET."""
    return sides.split_name(name)[0]


def is_cluster(path: str) -> bool:
    """Return True when PATH is a file of verbsperf-cluster."""
    return jsonfile.begins_with_object(path) and (
        clusterfile.SCHEMA in jsonfile.read_text(path).partition("\n")[0])


def chosen(options: argparse.Namespace) -> tuple[Side, Side]:
    """Return base and new, as OPTIONS name them."""
    if not options.base:
        return sides.choose(options.files, options.targets)
    if len(options.files) > 1 or options.targets:
        raise Refused("--base: expected one file to compare with it, without "
                      "--targets: NEW[:TARGET] --base FILE...")
    new = sides.select(options.files[0])
    return bases.base_of(options.base, new), new


def compare(options: argparse.Namespace) -> int:
    """Compare two sides and return the exit status."""
    if options.output is not None:
        raise Refused("-o: only with --nics")
    libraries.check()
    asked = question.of(options)
    if len(options.files) == 2 and all(map(is_cluster, options.files)):
        if (options.form != TEXT or options.metric or options.targets
                or options.force):
            raise Refused("files of verbsperf-cluster are compared without "
                          "--format, --json, --markdown, --metric, --targets "
                          "and --force")
        old, new = options.files
        changed = clusters.compare(old, new, asked.tolerances)
        write(clusters.text(changed))
        return EXIT[clusters.outcome_of(changed)]
    options.form.check(list(map(of_name, [*options.files, *options.base])))
    report = comparison.compare(*chosen(options), asked, options.force)
    options.form.write(VERDICTS[options.form.form](report))
    return EXIT[report["verdict"]]


def both(path: str, targets: Sequence[str]) -> int:
    """Compare the second of two TARGETS of the sweep PATH with the first."""
    report = comparison.compare(
        *sides.two_targets(path, ",".join(targets)),
        comparison.Question(COMPARED, TOLERANCES), force=True)
    write(view.text(report))
    return EXIT[report["verdict"]]


def main() -> int:
    """Run the command and return its exit status."""
    options = parser().parse_intermixed_args()
    return report_nics(options) if options.nics else compare(options)
