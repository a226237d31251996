"""One page of HTML about a cluster, which needs nothing from anywhere else."""
import html
from typing import Dict, Iterator, List, Sequence

from verbsperf import beside, clusterview, stats, tables
from verbsperf.clusterview import Matrix
from verbsperf.errors import Refused
from verbsperf.jsonfile import Object

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; padding: 0 1em;
  max-width: 80em; color: #1a1a1a; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; margin: .5em 0 }
td, th { padding: .2em .6em; text-align: left; vertical-align: top;
  border-bottom: 1px solid #ddd }
th[data-sort] { cursor: pointer } th[data-sort]::after { content: " \\2195";
  color: #888 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.scroll { overflow: auto; max-height: 90vh }
.map td, .map th { padding: .15em .3em; border: 0; font-size: 11px;
  text-align: center; font-variant-numeric: tabular-nums }
.map th { position: sticky; background: #fff } .map thead th { top: 0 }
.map tbody th { left: 0 }
.failed { color: #a33c00; font-weight: bold }
.verdict { font-weight: bold }
"""
SCRIPT = """
document.querySelectorAll('th[data-sort]').forEach(function (th) {
  th.addEventListener('click', function () {
    var body = th.closest('table').tBodies[0], i = th.cellIndex;
    var down = th.dataset.down = th.dataset.down === '1' ? '0' : '1';
    var key = function (row) {
      var text = row.cells[i].dataset.value || row.cells[i].textContent;
      return isNaN(text) || text === '' ? text : Number(text); };
    Array.from(body.rows).sort(function (a, b) {
      var x = key(a), y = key(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (down === '1' ? 1 : -1);
    }).forEach(function (row) { body.appendChild(row); });
  });
});
"""
# From little to much: what is drawn behind a number, with its own colour.
SHADES = (("#00224e", "#fff"), ("#35456c", "#fff"), ("#666970", "#fff"),
          ("#948e77", "#000"), ("#c8b866", "#000"), ("#fee838", "#000"))
MOST_CELLS = 250 * 250


def text_of(value: object) -> str:
    """Return VALUE as text of the page."""
    return html.escape("-" if value is None else str(value))


def table_of(names: Sequence[str], rows: Sequence[Sequence[object]]
             ) -> Iterator[str]:
    """Yield a table that a click on a heading sorts."""
    yield "<table><thead><tr>"
    yield from (f"<th data-sort>{text_of(name)}</th>" for name in names)
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
    values = sorted(matrix.cells.values())
    if not values or len(matrix.nodes) ** 2 > MOST_CELLS:
        yield "<p>There are too many nodes, or too few results, for a map.</p>"
        return
    low, high = values[0], values[-1]
    yield '<div class="scroll"><table class="map"><thead><tr><th></th>'
    yield from (f"<th>{text_of(node)}</th>" for node in matrix.nodes)
    yield "</tr></thead><tbody>"
    for row in matrix.nodes:
        yield f"<tr><th>{text_of(row)}</th>"
        for column in matrix.nodes:
            yield map_cell(matrix, row, column, low, high)
        yield "</tr>"
    yield "</tbody></table></div>"


def map_cell(matrix: Matrix, row: str, column: str, low: float, high: float
             ) -> str:
    """Return one cell of a map, dark where it is slow."""
    value = matrix.value(row, column) if row != column else None
    if value is None:
        word = clusterview.cell(matrix, row, column)
        kind = ' class="failed"' if word == "X" else ""
        return f"<td{kind}>{word}</td>"
    share = (value - low) / (high - low) if high > low else 1.0
    if matrix.metric not in tables.UNITS:
        share = 1 - share
    back, front = SHADES[min(len(SHADES) - 1, int(share * len(SHADES)))]
    return (f'<td style="background:{back};color:{front}" '
            f'title="{text_of(row)} - {text_of(column)}">'
            f"{tables.number(value)}</td>")


def finding_rows(entries: List[Object], header: Object
                 ) -> List[List[object]]:
    """Return the findings as rows."""
    return [[", ".join(end["node"] + (f" {end['device']}" if end["device"]
                                      else "") for end in one["ends"]),
             one["kind"],
             None if one["ratio"] is None else 100.0 * one["ratio"],
             header["points"][one["point"]]["test"], one["sentence"],
             beside.text_of(one.get("beside") or {}) or None]
            for one in entries if one["type"] == "finding"]


def node_rows(header: Object, entries: List[Object]) -> List[List[object]]:
    """Return what each node reached, as rows."""
    last: Dict[str, Object] = {entry["node"]: entry for entry in entries
                               if entry["type"] == "node"}
    own: Dict[str, List[float]] = {}
    for matrix in list(clusterview.matrices(header, entries))[:1]:
        for (a, b), value in matrix.cells.items():
            own.setdefault(a, []).append(value)
            own.setdefault(b, []).append(value)
    reached: Dict[str, List[object]] = {
        node: [stats.median(some), min(some), max(some)]
        for node, some in own.items()}
    return [[node, *reached.get(node, [None] * 3),
             last.get(node, {}).get("verbsperf"),
             last.get(node, {}).get("error")] for node in header["nodes"]]


def lines_of(header: Object, entries: List[Object]) -> Iterator[str]:
    """Yield the page."""
    title = f"{header['pattern']} of {len(header['nodes'])} nodes"
    yield ('<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
           '<meta name="viewport" content="width=device-width">'
           f"<title>{text_of(title)}</title><style>{STYLE}</style></head>"
           f"<body><h1>{text_of(title)}</h1>")
    yield (f"<p>{text_of(header['started'])}, "
           f"{text_of(header['tool']['verbsperf'])}</p>")
    yield (f'<p class="verdict">'
           f"{text_of(clusterview.verdict(header, entries))}</p>")
    rows = finding_rows(entries, header)
    if rows:
        yield "<h2>Findings</h2>"
        yield from table_of(("where", "kind", "% of usual", "test", "finding",
                             "beside it"), rows)
    notes = [one["sentence"] for one in entries if one["type"] == "note"]
    more = [*clusterview.sum_lines(header, entries),
            *clusterview.probe_lines(header, entries), *notes]
    yield "<ul>" + "".join(f"<li>{text_of(one)}</li>" for one in more)
    yield "</ul>"
    for matrix in clusterview.matrices(header, entries):
        yield f"<h2>{text_of(matrix.title)}</h2>"
        yield (f"<p>{text_of(next(clusterview.spread_lines(matrix)))}. Row "
               "and column are the two nodes.</p>")
        yield from map_of(matrix)
    yield "<h2>Nodes</h2>"
    yield from table_of(("node", "median", "lowest", "highest", "verbsperf",
                         "failed"), node_rows(header, entries))
    yield f"<script>{SCRIPT}</script></body></html>\n"


def save(path: str, header: Object, entries: List[Object]) -> None:
    """Write the page into the file PATH."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines_of(header, entries))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
