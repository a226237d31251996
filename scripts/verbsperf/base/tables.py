"""Figures, times and tables as people read them."""
from typing import Collection, Optional, Sequence

from verbsperf.base import foreign
from verbsperf.base.metrics import METRICS

# No measurements differ as much but by one that is 0.
MOST_RATIO = 1e6


def unit(metric: str) -> str:
    """Return METRIC for people, with its unit."""
    return METRICS[metric].unit


def number(value: Optional[float]) -> str:
    """Return VALUE with four significant digits; no small one is 0."""
    if value is None:
        return "-"
    text = f"{value:#.4g}"
    if "e" in text and abs(value) >= 1:
        return f"{value:.0f}"
    return text.rstrip(".")


def percent(ratio: Optional[float], digits: int) -> str:
    """Return by how much RATIO differs from 1, with DIGITS after the point."""
    if ratio is None:
        return "-"
    if ratio > MOST_RATIO:
        return "from 0"
    change = (ratio - 1) * 100
    if abs(change) >= 1000:
        return f"{change:+.0f}%"
    text = f"{change:+.{digits}f}%"
    return text.replace("-", "+") if not float(text[:-1]) else text


def interval(low: Optional[float], high: Optional[float], digits: int) -> str:
    """Return the interval of a ratio as text."""
    if low is None:
        return "-"
    return f"{percent(low, digits)} .. {percent(high, digits)}"


def table(names: Sequence[str], rows: Sequence[Sequence[str]],
          left: Collection[int]) -> list[str]:
    """Return lines with columns called NAMES; those LEFT have words."""
    rows = [list(map(foreign.terminal, row)) for row in (names, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows]


def duration(seconds: float) -> str:
    """Return SECONDS as text for people."""
    value = int(seconds)
    if value < 60:
        return f"{value} s"
    if value < 3600:
        return f"{value // 60} min {value % 60} s"
    return f"{value // 3600} h {value // 60 % 60} min"


def counted(number: int, word: str) -> str:
    """Return NUMBER and WORD, in the plural unless it is one."""
    return f"{number} {word}{'s' if number != 1 else ''}"
