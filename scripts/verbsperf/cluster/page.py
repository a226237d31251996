"""One page of HTML about a cluster, which needs nothing from anywhere else."""
import itertools
import json
import math
from typing import Iterator, Sequence

from verbsperf.base import foreign, tables
from verbsperf.cluster import view
from verbsperf.cluster.file import end_of
from verbsperf.cluster.view import Matrix
from verbsperf.documents.jsonfile import Object
from verbsperf.findings import evidence
from verbsperf.findings.words import names_of
from verbsperf.pairs.patterns import End
from verbsperf.stats import ranks

STYLE = """
:root { color-scheme: light dark; --text: #1a1a1a; --page: #fff; --line: #ddd;
  --dim: #707070 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #17181a;
  --line: #3c3f43; --dim: #9a9a9a } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; padding: 0 1em;
  max-width: 80em; color: var(--text); background: var(--page) }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; margin: .5em 0 }
td, th { padding: .2em .6em; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word }
th { white-space: nowrap }
th[data-sort] { cursor: pointer } th[data-sort]::after { content: " \\2195";
  color: var(--dim) }
th[aria-sort=ascending]::after { content: " \\2191" }
th[aria-sort=descending]::after { content: " \\2193" }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
.scroll { overflow: auto; max-height: 90vh }
.map td, .map th { padding: .15em .3em; border: 0; font-size: 11px;
  text-align: center; vertical-align: middle;
  font-variant-numeric: tabular-nums }
.map td { background: #eee; color: #444 }
.map th { position: sticky; background: var(--page) } .map thead th { top: 0 }
.map tbody th { left: 0; text-align: right }
.map th.long { writing-mode: vertical-rl; transform: rotate(180deg);
  text-align: left; vertical-align: bottom }
svg.map { display: block; max-width: 100%; height: auto }
svg.map text { font: 11px system-ui, sans-serif; fill: currentColor }
.scale i { display: inline-block; width: 1.6em; height: .9em }
.map td.failed { background: #d55e00; color: #000; font-weight: bold }
.verdict { font-weight: bold }
"""
# Sorts a table by the column whose heading was chosen, with what has no value
# at its end; and says at which pair of a picture the mouse is.
SCRIPT = """
function sort(th) {
  var body = th.closest('table').tBodies[0], i = th.cellIndex;
  var up = th.getAttribute('aria-sort') !== 'ascending';
  var key = function (row) {
    var cell = row.cells[i], text = cell.dataset.value || cell.textContent;
    return text === '-' ? null : isNaN(text) ? text : Number(text); };
  th.parentNode.querySelectorAll('th').forEach(function (one) {
    one.removeAttribute('aria-sort'); });
  th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  Array.from(body.rows).sort(function (a, b) {
    var x = key(a), y = key(b);
    if (x === null || y === null) return (x === null) - (y === null);
    var less = typeof x === 'number' && typeof y === 'number' ? x - y :
      String(x).localeCompare(String(y), undefined, {numeric: true});
    return up ? less : -less;
  }).forEach(function (row) { body.appendChild(row); });
}
document.querySelectorAll('th[data-sort]').forEach(function (th) {
  th.tabIndex = 0;
  th.addEventListener('click', function () { sort(th); });
  th.addEventListener('keydown', function (event) {
    if (event.key === 'Enter') sort(th); });
});
document.querySelectorAll('svg.map').forEach(function (svg) {
  var nodes = JSON.parse(svg.dataset.nodes), out = svg.nextElementSibling;
  svg.addEventListener('mousemove', function (event) {
    var box = svg.querySelector('.cells').getBoundingClientRect();
    var at = function (place, start, size) {
      return nodes[Math.floor((place - start) / size * nodes.length)]; };
    var row = at(event.clientY, box.top, box.height);
    var column = at(event.clientX, box.left, box.width);
    out.textContent = row && column ? row + ' - ' + column : '\\u00a0';
  });
});
"""
# From slow to fast: what is drawn behind a number, with its own colour.
SHADES = (("#00224e", "#fff"), ("#35456c", "#fff"), ("#666970", "#fff"),
          ("#948e77", "#000"), ("#c8b866", "#000"), ("#fee838", "#000"))
# What is not of the scale, light and dark: empty cells are not slow ones.
FAILED, EMPTY = "#d55e00", "#eee"
NUMBERS_AT_MOST = 32    # nodes whose map has the numbers
LONG = 6                # letters of a name that stands upright
CELL, WIDEST = 14, 1024     # of a picture: a cell, and all of it, at most
LETTER, LINE = 7, 13    # width and height of a letter of names at its edges


def text_of(value: object) -> str:
    """Return VALUE as text of the page."""
    return foreign.page("-" if value is None else str(value))


def table_of(names: Sequence[str], rows: Sequence[Sequence[object]]
             ) -> Iterator[str]:
    """Yield a table that a click on a heading sorts."""
    numbers = {i for row in rows for i, cell in enumerate(row)
               if isinstance(cell, float)}
    yield "<table><thead><tr>"
    yield from (f"<th data-sort{' class=number' if i in numbers else ''}>"
                f"{text_of(name)}</th>" for i, name in enumerate(names))
    yield "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(map(cell_of, row)) + "</tr>"
    yield "</tbody></table>"


def cell_of(value: object) -> str:
    """Return one cell of a table."""
    if isinstance(value, float):
        return (f'<td class="number" data-value="{value!r}">'
                f"{tables.number(value)}</td>")
    return f"<td>{text_of(value)}</td>"


def map_of(matrix: Matrix) -> Iterator[str]:
    """Yield MATRIX as a table with colours."""
    kind = " class=long" * any(len(node) > LONG for node in matrix.nodes)
    yield '<div class="scroll"><table class="map"><thead><tr><th></th>'
    yield from (f"<th{kind}>{text_of(node)}</th>" for node in matrix.nodes)
    yield "</tr></thead><tbody>"
    for row in matrix.nodes:
        yield f"<tr><th>{text_of(row)}</th>"
        for column in matrix.nodes:
            yield map_cell(matrix, row, column)
        yield "</tr>"
    yield "</tbody></table></div>"


def shade_of(matrix: Matrix, value: float) -> int:
    """Return the place in SHADES of VALUE."""
    share = matrix.share(value)
    return min(len(SHADES) - 1, int(share * len(SHADES)))


def scale_text(matrix: Matrix) -> str:
    """Return what the colours of MATRIX stand for."""
    worst, best = map(tables.number,
                      matrix.scale[::1 if matrix.is_rate() else -1])
    boxes = "".join(box_of(back) for back, _ in SHADES)
    return (f'<p class="scale">{worst} {boxes} '
            f"{best} {tables.unit(matrix.metric)} &nbsp; "
            + f"{box_of(FAILED)} failed &nbsp; " * bool(matrix.failed)
            + f"{box_of(EMPTY)} not measured</p>")


def box_of(colour: str) -> str:
    """Return a box of COLOUR, to say what it stands for."""
    return f'<i style="background:{colour}"></i>'


def paths_of(matrix: Matrix) -> dict[str, str]:
    """Return {colour: a path through its cells}, one stroke for a run."""
    place = {node: i for i, node in enumerate(matrix.nodes)}
    shown = {**{pair: SHADES[shade_of(matrix, value)][0]
                for pair, value in matrix.cells.items()},
             **dict.fromkeys(matrix.failed, FAILED)}
    cells = sorted((colour, place[a], place[b])
                   for (a, b), colour in shown.items())
    paths: dict[str, str] = {}
    # columns less their number are equal as long as none is left out
    for (colour, row, _), run in itertools.groupby(
            enumerate(cells), lambda one: (*one[1][:2], one[1][2] - one[0])):
        columns = [column for _, (*_, column) in run]
        paths[colour] = paths.get(colour, "") + (
            f"M{columns[0]} {row}h{len(columns)}")
    return paths


def picture_of(matrix: Matrix) -> Iterator[str]:
    """Yield MATRIX as a picture without numbers, for many nodes."""
    n = len(matrix.nodes)
    cell = min(CELL, WIDEST / n)
    step = math.ceil(LINE / cell)
    names = [view.ending(node) for node in matrix.nodes[::step]]
    room = LETTER * (1 + max(map(len, names)))
    size = cell * n + room + LINE
    nodes = text_of(json.dumps(matrix.nodes))
    yield (f'<svg class="map" width="{size:.0f}" viewBox="{-room} {-room} '
           f'{size:.1f} {size:.1f}" data-nodes="{nodes}">')
    yield (f'<g transform="scale({cell:.4f})" shape-rendering="crispEdges">'
           f'<rect class="cells" width="{n}" height="{n}" fill="{EMPTY}"/>')
    for colour, path in paths_of(matrix).items():
        yield (f'<path transform="translate(0 .5)" stroke="{colour}" '
               f'd="{path}"/>')
    yield "</g>"
    for i, name in enumerate(names):
        at = cell * (i * step + 0.5) + 4
        yield (f'<text x="-4" y="{at:.1f}" text-anchor="end">'
               f"{text_of(name)}</text><text transform="
               f'"translate({at:.1f} -4) rotate(-90)">'
               f"{text_of(name)}</text>")
    yield "</svg><p>\u00a0</p>"


def map_cell(matrix: Matrix, row: str, column: str) -> str:
    """Return one cell of a map, dark where it is slow."""
    value = matrix.cells.get((row, column))
    if value is None:
        word = view.cell(matrix, row, column)
        kind = ' class="failed"' if word == "X" else ""
        return f"<td{kind}>{word}</td>"
    back, front = SHADES[shade_of(matrix, value)]
    return (f'<td style="background:{back};color:{front}" '
            f'title="{text_of(row)} - {text_of(column)}">'
            f"{tables.number(value)}</td>")


def where_of(ends: Sequence[End]) -> str:
    """Return the names of ENDS, many of them as a set."""
    if len(ends) > 2 and len({end.device for end in ends}) == 1:
        return names_of(ends)
    return ", ".join(end.text() for end in ends)


def finding_rows(header: Object, entries: list[Object]) -> list[list[object]]:
    """Return the findings as rows, worst first."""
    return [[where_of(list(map(end_of, one["ends"]))), one["kind"],
             None if one["ratio"] is None else 100.0 * one["ratio"],
             header["points"][one["point"]]["test"], one["sentence"],
             "; ".join(evidence.lines_of(one)) or None]
            for one in view.findings_of(entries)]


def node_rows(header: Object, entries: list[Object]) -> list[list[object]]:
    """Return what each node reached, as rows."""
    known: dict[str, Object] = {entry["node"]: entry for entry in entries
                                if entry["type"] == "node"}
    reached: dict[str, list[object]] = {
        node: [ranks.median(some), min(some), max(some)]
        for matrix in itertools.islice(view.matrices(header, entries), 1)
        for node, some in matrix.by_node().items()}
    domain = view.domain_of(header["nodes"])
    return [[node, *reached.get(node.removesuffix(domain), [None] * 3),
             *map(known.get(node, {}).get, ("verbsperf", "error"))]
            for node in header["nodes"]]


def lines_of(header: Object, entries: list[Object]) -> Iterator[str]:
    """Yield the page."""
    title = f"{header['pattern']} of {len(header['nodes'])} nodes"
    yield ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
           '<meta name="viewport" content="width=device-width">'
           f"<title>{text_of(title)}</title><style>{STYLE}</style></head>"
           f"<body><h1>{text_of(title)}</h1>")
    yield (f"<p>{text_of(header['started'])}, "
           f"{text_of(header['tool']['verbsperf'])}</p>")
    yield (f'<p class="verdict">'
           f"{text_of(view.verdict(header, entries))}</p>")
    rows = finding_rows(header, entries)
    if rows:
        yield "<h2>Findings</h2>"
        yield from table_of(("where", "kind", "% of usual or limit", "test", "finding",
                             "beside it"), rows)
    more = [*view.sum_lines(header, entries),
            *view.probe_lines(header, entries),
            *view.notes_of(entries)]
    yield "<ul>" + "".join(f"<li>{text_of(one)}</li>" for one in more)
    yield "</ul>"
    for matrix in view.matrices(header, entries):
        yield f"<h2>{text_of(matrix.title)}</h2>"
        yield f"<p>{text_of(view.spread_text(matrix))}.</p>"
        yield f"<p>{text_of(view.READING)}</p>"
        if matrix.cells:
            yield scale_text(matrix)
            yield from (map_of if len(matrix.nodes) <= NUMBERS_AT_MOST
                        else picture_of)(matrix)
    yield "<h2>Nodes</h2>"
    yield from table_of(("node", "median", "lowest", "highest", "verbsperf",
                         "failed"), node_rows(header, entries))
    yield f"<script>{SCRIPT}</script></body></html>\n"


def text(header: Object, entries: list[Object]) -> str:
    """Return the page."""
    return "".join(lines_of(header, entries))
