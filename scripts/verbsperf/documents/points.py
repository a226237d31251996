"""What is measured: a test, its transport, size, QPs and options."""
from typing import Iterable, NamedTuple, Optional

from verbsperf.documents.jsonfile import Object

# In place of a transport, a size and queue pairs, of a test of the control path
# that has none.
NO_TRANSPORT = "-"
NO_SIZE = 0
NO_QPS = 1


class Point(NamedTuple):
    """What was measured: equal points can be compared; it is hashable."""

    test: str
    transport: str
    size: int
    qps: int
    options: tuple[tuple[str, str], ...]  # (name, value) in order of name


def make_point(test: str, transport: Optional[str], size: Optional[int],
               qps: Optional[int], options: dict[str, str]) -> Point:
    """Return the Point that has OPTIONS; what is None it does not have."""
    return Point(test, transport or NO_TRANSPORT, size or NO_SIZE,
                 qps or NO_QPS, tuple(sorted(options.items())))


def point_json(point: Point) -> Object:
    """Return POINT as verbsperf-sweep writes it."""
    return {"test": point.test,
            "transport": point.transport if has(point, "transport") else None,
            "size": point.size if has(point, "size") else None,
            "qps": point.qps if has(point, "qps") else None,
            "options": dict(point.options)}


def has(point: Point, name: str) -> bool:
    """The test of POINT has NAME: a transport, a size or queue pairs."""
    return (is_traffic(point) or name not in ("transport", "size", "qps")
            or name == "transport" and point.transport != NO_TRANSPORT
            or name == "size" and point.size != NO_SIZE)


def label(point: Point, points: Iterable[Point] = ()) -> str:
    """Describe POINT, with those of its options that differ among POINTS."""
    words = [point.test]
    if has(point, "transport"):
        words.append(point.transport)
    if has(point, "size"):
        words.append(size_text(point.size))
    if has(point, "qps"):
        words.append(f"{point.qps} QP" + ("s" if point.qps != 1 else ""))
    options, points = dict(point.options), list(points)
    for name in sorted(differing(points) if points else options):
        if name in options:
            words.append(option_text(name, options[name]))
        else:
            words.append(f"no {name}")
    return " ".join(words)


def is_traffic(point: Point) -> bool:
    """Messages go from one end to the other; it is no control path's test."""
    return point.test.endswith(("_bw", "_lat"))


def differing(points: Iterable[Point]) -> set[str]:
    """Return the names of the options that not all POINTS have alike."""
    every = [dict(point.options) for point in points]
    names = {name for options in every for name in options}
    return {name for name in names
            if len({options.get(name) for options in every}) > 1}


def option_text(name: str, value: str) -> str:
    """Return an option as labels have it: only its name when it is a flag."""
    return name if value in ("", "true") else f"{name}={value}"


def size_text(size: int) -> str:
    """Return SIZE in bytes, with K, M or G where that is exact."""
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift}{unit}"
    return str(size)
