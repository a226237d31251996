"""The report of verbsperf-compare --nics as text, Markdown and HTML."""
import itertools
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base import foreign, tables
from verbsperf.base.metrics import METRICS
from verbsperf.base.tables import counted
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import size_text
from verbsperf.nics.ranking import bytes_text
from verbsperf.nics.report import COMPARED, SHOWN
from verbsperf.nics.setups import ENDS

# Of things that are alike, as many are named.
ALIKE = ("verbsperf", "kernel", "device", "link layer", "link rate in Gb/s",
         "MTU", "GID type", "firmware", "driver", "NUMA node")
# Of sizes at which the same rose or failed, as many are named.
PLACES = 3
STYLE = """body { font: 15px/1.45 sans-serif; max-width: 60em; margin: 2em auto;
padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px }
th, td { padding: .15em .7em; text-align: right; white-space: nowrap }
th { border-bottom: 2px solid #888; font-weight: 600 }
td.word, th.word { text-align: left }
tr.first td { border-top: 1px solid #ccc }
svg { max-width: 100%; height: auto; display: block }
.note { color: #555 }
@media (prefers-color-scheme: dark) {
:root { color-scheme: dark } body { color: #e6e6e6; background: #17181a }
tr.first td { border-color: #444 } .note { color: #aaa }
svg { filter: invert(.9) hue-rotate(180deg) } }"""


class Table(NamedTuple):
    """A table, before it is written in one of the forms."""

    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]
    words: tuple[int, ...]      # columns aligned on the left


def percent(share: Optional[float]) -> str:
    """Return SHARE in percent."""
    return "-" if share is None else f"{100 * share:.1f}%"


def change(ratio: Optional[Object]) -> tuple[str, str]:
    """Return (change, interval) of a ratio to the first set-up."""
    if ratio is None:
        return "-", "-"
    known = ratio["low"] is not None
    every = [value for value in ratio.values() if value is not None]
    if max(every) >= 2 or min(every) <= 0.5:
        return (f"x {tables.number(ratio['ratio'])}",
                f"x {tables.number(ratio['low'])} .. "
                f"{tables.number(ratio['high'])}" if known else "-")
    return (tables.percent(ratio["ratio"], 1),
            tables.interval(ratio["low"], ratio["high"], 1))


def heading_of(metric: str) -> str:
    """Return what the column of METRIC is called."""
    if metric == "share":
        return "of link"
    one = METRICS[metric]
    return one.unit if one.is_rate else f"{one.title} us"


def cells(kind: str, names: Sequence[str], name: str, one: Object
          ) -> list[tuple[str, str]]:
    """Return (heading, cell) of each column of what set-up NAME measured."""
    found = [(heading_of(metric), (percent if metric == "share"
                                   else tables.number)(one[metric]))
             for metric in SHOWN[kind]]
    found += [(f"CPU ns, {end}", tables.number(one["cpu_ns"][end]))
              for end in ENDS]
    for metric in COMPARED[kind]:
        values = (("", "") if name == names[0]
                  else change(one["ratios"].get(metric)))
        found += [(heading_of(metric).removesuffix(" us") + f" to {names[0]}",
                   values[0]),
                  ("95% interval", values[1])]
    return found


def needed(rows: Sequence[Sequence[tuple[str, str]]]) -> list[int]:
    """Return the columns of ROWS in which anything is known."""
    return [i for i, column in enumerate(zip(*rows))
            if any(cell not in ("-", "") for _, cell in column)]


def group_table(group: Object, names: Sequence[str]) -> Table:
    """Return the figures of GROUP, a row for each size and set-up."""
    rows, heads = [], []
    for point in group["points"]:
        for name, one in point["figures"].items():
            rows.append(cells(group["kind"], names, name, one))
            first = name == next(iter(point["figures"]))
            heads.append((size_text(point["size"]) if first else "", name))
    shown = needed(rows)
    heading = ("#bytes", "set-up", *(rows[0][i][0] for i in shown))
    return Table(heading, [(*head, *(row[i][1] for i in shown))
                           for head, row in zip(heads, rows)], (1,))


def setup_table(report: Object, names: Sequence[str]) -> Table:
    """Return what differs between the set-ups."""
    rows = [(fact["name"], *(fact["values"][name] or "-" for name in names))
            for fact in report["differences"]]
    rows.append(("rounds", *(str(one["rounds"]) for one in report["setups"])))
    return Table(("", *names), rows, tuple(range(len(names) + 1)))


def alike(report: Object) -> Iterator[str]:
    """Yield what is the same of all set-ups."""
    known = {fact["name"]: next(iter(fact["values"].values()))
             for fact in report["alike"]}
    shown = [f"{name} {known[name]}" for name in ALIKE if name in known]
    if shown:
        more = len(known) - len(shown)
        yield ("the same: " + ", ".join(shown)
               + (f", and {more} more facts" if more else ""))


def short(report: Object) -> Iterator[str]:
    """Yield which is ahead where, a line for each test and metric."""
    for group in report["groups"]:
        for one in group["ahead"]:
            yield f"{group['label']}, {one['title']}: {one['sentence']}"


def troubles_of(figure: Object) -> Iterator[tuple[str, str]]:
    """Yield (what it is, how much of it) of what rose or failed in FIGURE."""
    for rose in figure["rose"]:
        meaning = f" ({rose['meaning']})" if rose["meaning"] else ""
        yield (f"{rose['counter']} of the {rose['end']} rose{meaning}",
               f"by {rose['value']}")
    if figure["failed"]:
        total = figure["failed"] + figure["rounds"]
        yield (f"failed ({figure['error']})",
               f"{figure['failed']} of {total} rounds")


def places_text(name: str, places: Sequence[str]) -> str:
    """Say at which PLACES of the set-up NAME it was, not all of many."""
    more = len(places) - PLACES
    return f"in {name} " + ", ".join(places[:PLACES]) + (
        f" and at {counted(more, 'more size')}" if more > 0 else "")


def troubles(group: Object) -> Iterator[str]:
    """Yield what rose and what failed in GROUP, a line for each."""
    found: dict[str, dict[str, list[str]]] = {}
    for point in group["points"]:
        for name, figure in point["figures"].items():
            for what, much in troubles_of(figure):
                found.setdefault(what, {}).setdefault(name, []).append(
                    f"{much} at {bytes_text(point['size'])}")
    for what, by_name in found.items():
        yield f"{what}: " + "; ".join(itertools.starmap(places_text,
                                                         by_name.items()))


def definitions(report: Object) -> str:
    """Say what the columns mean."""
    first, limits = report["setups"][0]["name"], report["tolerance_percent"]
    kinds = [kind for kind in ("bandwidth", "latency")
             if any(group["kind"] == kind for group in report["groups"])]
    words = " and ".join(f"{limits[kind]:g}% of {kind}" for kind in kinds)
    return (f"figures: trimmed means; to {first}: their ratio; ahead: of all, "
            f"with its 95% interval by more than {words}, by chance in "
            "1% of reports")


def names_of(report: Object) -> list[str]:
    """Return the names of the set-ups."""
    return [one["name"] for one in report["setups"]]


def text_lines(report: Object) -> Iterator[str]:
    """Yield the lines of text()."""
    names = names_of(report)
    yield " against ".join(names)
    yield ""
    yield from tables.table(*setup_table(report, names))
    yield from alike(report)
    yield from (f"note: {note}" for note in report["notes"])
    yield ""
    yield from short(report)
    for group in report["groups"]:
        yield ""
        yield group["label"]
        yield from tables.table(*group_table(group, names))
        yield from troubles(group)
    yield ""
    yield definitions(report)


def text(report: Object) -> str:
    """Return the report for a terminal."""
    return "".join(f" {foreign.terminal(line)}".rstrip() + "\n"
                   for line in text_lines(report))


def markdown_table(table: Table) -> Iterator[str]:
    """Yield the lines of TABLE."""
    marks = ["---" if i in table.words else "---:"
             for i in range(len(table.heading))]
    yield "| " + " | ".join(map(foreign.markdown, table.heading)) + " |"
    yield "|" + "|".join(marks) + "|"
    for row in table.rows:
        yield "| " + " | ".join(map(foreign.markdown, row)) + " |"


def markdown_lines(report: Object) -> Iterator[str]:
    """Yield the lines of markdown()."""
    names = names_of(report)
    yield f"## {foreign.markdown(' against '.join(names))}"
    yield ""
    yield from (f"- {foreign.markdown(line)}" for line in short(report))
    yield ""
    yield from markdown_table(setup_table(report, names))
    yield ""
    for note in [*alike(report), *report["notes"]]:
        yield f"- {foreign.markdown(note)}"
    for group in report["groups"]:
        yield from ("", f"### {foreign.markdown(group['label'])}", "")
        yield from markdown_table(group_table(group, names))
        lines = list(troubles(group))
        yield from [""] * bool(lines)
        yield from (f"- {foreign.markdown(line)}" for line in lines)
    yield from ("", foreign.markdown(definitions(report)))


def markdown(report: Object) -> str:
    """Return the report for a ticket."""
    return "".join(f"{line}\n" for line in markdown_lines(report))


def html_table(table: Table) -> Iterator[str]:
    """Yield the lines of TABLE."""
    def row(tag: str, cells_of: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{' class=word' if i in table.words else ''}>"
            f"{foreign.page(cell)}</{tag}>" for i, cell in enumerate(cells_of))
    yield "<table>"
    yield f"<tr>{row('th', table.heading)}</tr>"
    for one in table.rows:
        first = " class=first" if one[0] else ""
        yield f"<tr{first}>{row('td', one)}</tr>"
    yield "</table>"


def html_list(lines: Sequence[str], kind: str = "") -> Iterator[str]:
    """Yield LINES as a list of KIND, if there are any."""
    if lines:
        mark = f" class={kind}" if kind else ""
        yield f"<ul{mark}>"
        yield from (f"<li>{foreign.page(line)}</li>" for line in lines)
        yield "</ul>"


def page_lines(report: Object, pictures: Sequence[tuple[str, str]]
               ) -> Iterator[str]:
    """Yield the lines of page()."""
    names = names_of(report)
    title = foreign.page(" against ".join(names))
    yield "<!DOCTYPE html>"
    yield f"<html lang=en><head><meta charset=utf-8><title>{title}</title>"
    yield f"<style>{STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    yield from html_list(list(short(report)))
    yield "<h2>Set-ups</h2>"
    yield from html_table(setup_table(report, names))
    yield from html_list([*alike(report), *report["notes"]], "note")
    for group in report["groups"]:
        yield f"<h2>{foreign.page(group['label'])}</h2>"
        yield from (svg for label, svg in pictures if label == group["label"])
        yield from html_table(group_table(group, names))
        yield from html_list(list(troubles(group)))
    yield f"<p class=note>{foreign.page(definitions(report))}</p>"
    yield "</body></html>"


def page(report: Object, pictures: Sequence[tuple[str, str]]) -> str:
    """Return the report as a page with PICTURES, (label of a group, SVG)."""
    return "".join(f"{line}\n" for line in page_lines(report, pictures))
