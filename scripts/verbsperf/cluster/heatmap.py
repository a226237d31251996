"""Draws what pairs of nodes reached as a heat map, with matplotlib."""
import math
from typing import Sequence

import matplotlib
import numpy
import numpy.typing
from matplotlib.axes import Axes
from matplotlib.backends import backend_agg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from verbsperf.base import foreign, tables
from verbsperf.base.errors import Refused
from verbsperf.cluster import view
from verbsperf.cluster.view import Matrix
from verbsperf.documents import writer
from verbsperf.documents.jsonfile import Object
from verbsperf.plot import figure
from verbsperf.stats import ranks

COLOURS = "cividis"     # light is more, in grey and to the colour-blind, too
WORDS_AT_MOST = 16      # nodes whose cells have room for their number
NAMES_AT_MOST = 40      # names along an axis
INCHES = 5.2            # of a map whose nodes are few and have short names
NODES, LARGEST = 50, 20.0   # to an inch, at most, and inches of a map
# What is not of the scale: no pair was measured, or it failed.
EMPTY, FAILED = "#eeeeee", "#d55e00"
SHORT = 6               # letters of such
LETTER = 0.075          # inches for one more
NAME_LETTERS, SMALL_LETTERS = 8.0, 6.0  # their size

Grid = numpy.typing.NDArray[numpy.float64]


def grid_of(matrix: Matrix) -> Grid:
    """Return the values of MATRIX, NaN where there is none."""
    place = {node: i for i, node in enumerate(matrix.nodes)}
    grid = numpy.full((len(place), len(place)), numpy.nan)
    for (a, b), value in matrix.cells.items():
        grid[place[a], place[b]] = value
    return grid


def draw(fig: Figure, axes: Axes, matrix: Matrix) -> None:
    """Draw MATRIX with its scale."""
    grid = grid_of(matrix)
    n = len(matrix.nodes)
    better_high = matrix.is_rate()
    low, high = matrix.scale
    colours = matplotlib.colormaps[COLOURS + "_r" * (not better_high)].copy()
    colours.set_bad(EMPTY)
    shown = axes.imshow(grid, interpolation="nearest", vmin=low, vmax=high,
                        cmap=colours)
    bar = fig.colorbar(shown, ax=axes, fraction=0.046, pad=0.03)
    bar.set_label(tables.unit(matrix.metric))
    step = math.ceil(n / NAMES_AT_MOST)
    places = list(range(0, n, step))
    names = [view.ending(matrix.nodes[i]) for i in places]
    letters = NAME_LETTERS if len(names) <= WORDS_AT_MOST else SMALL_LETTERS
    axes.set_xticks(places, names, rotation=90, fontsize=letters)
    axes.set_yticks(places, names, fontsize=letters)
    axes.set_xlabel("server")
    axes.set_ylabel("client")
    axes.set_title(foreign.terminal(matrix.title))
    axes.spines[:].set_visible(False)   # it hides what is at the edge
    if n <= WORDS_AT_MOST:
        write_cells(axes, matrix, grid)
    draw_failed(axes, matrix)


def write_cells(axes: Axes, matrix: Matrix, grid: Grid) -> None:
    """Write the number into each cell, readable on its colour."""
    for (i, j), value in numpy.ndenumerate(grid):
        if not math.isnan(value):
            dark = matrix.share(float(value)) < 0.5
            axes.text(j, i, tables.number(float(value)), ha="center",
                      va="center", fontsize=6.5,
                      color="white" if dark else "black")


def draw_failed(axes: Axes, matrix: Matrix) -> None:
    """Fill the cells of pairs that failed."""
    if matrix.failed:
        grid = grid_of(matrix._replace(cells=dict.fromkeys(matrix.failed, 1.0)))
        axes.imshow(grid, interpolation="nearest",
                    cmap=ListedColormap([FAILED]), gid="failed")


def foot_of(found: Sequence[Matrix], entries: list[Object]) -> list[str]:
    """Return what stands below the maps."""
    lines = [f"{matrix.title}: median {tables.number(ranks.median(values))} "
             + tables.unit(matrix.metric)
             for matrix in found for values in (list(matrix.cells.values()),)
             if values]
    if any(matrix.failed for matrix in found):
        lines.append("orange: the pair failed")
    return lines + [one["sentence"] for one in entries
                    if one["type"] == "finding"]


def save(path: str, form: str, header: Object, entries: list[Object]) -> None:
    """Draw each point and rail into PATH, of FORM svg or png."""
    found = list(view.matrices(header, entries))
    if not found:
        raise Refused(f"{path}: there is nothing to draw")
    columns = min(2, len(found))
    rows = math.ceil(len(found) / columns)
    longest = max(len(view.ending(node)) for node in found[0].nodes)
    side = (max(INCHES, min(LARGEST, len(found[0].nodes) / NODES))
            + LETTER * max(0, longest - SHORT))
    fig = Figure(figsize=((side + 0.8) * columns,
                          (side + 0.4) * rows + 0.8), dpi=150)
    backend_agg.FigureCanvasAgg(fig)
    every = list(fig.subplots(rows, columns, squeeze=False).flat)
    for axes, matrix in zip(every, found):
        draw(fig, axes, matrix)
    for axes in every[len(found):]:
        axes.remove()
    foot = figure.add_foot(fig, foot_of(found, entries))
    fig.tight_layout(rect=(0, (foot + 0.1) / fig.get_figheight(), 1, 1))
    writer.write_whole(path, figure.image(fig, form, bbox_inches="tight"))
