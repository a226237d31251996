"""Reads files of JSON: one object, or several of them one after the other. No
other module does, and nothing that is read is changed."""
import json
import math
import os
import re
import sys
from typing import Any, Iterator, NoReturn

from verbsperf.base.command import Unread
from verbsperf.base.errors import ResultsError

Object = dict[str, Any]


def read_text(path: str) -> str:
    """Return all of the file PATH, or of standard input for "-"."""
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultsError(f"{path}: this is not text") from None


def begins_with_object(path: str) -> bool:
    """PATH is a file whose first value is an object of JSON."""
    return os.path.isfile(path) and read_text(path).lstrip()[:1] == "{"


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not a number of JSON")


def finite(text: str) -> float:
    """Return the number TEXT; 1e999 is none."""
    value = float(text)
    return refuse_constant(text) if math.isinf(value) else value


DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite)
# How the schema of a file of lines begins.
LINES = "verbsperf-"
SPACE = re.compile(r"[ \t\r\n]*")


def objects_of(path: str, text: str) -> Iterator[tuple[int, Object]]:
    """Yield each object of TEXT, with the number of the line it starts in. In
    a file of lines, one that is none is named and left out."""
    start, line, of_lines = 0, 1, False
    while True:
        begin = SPACE.match(text, start).end()  # type: ignore[union-attr]
        line += text.count("\n", start, begin)
        if begin == len(text):
            return
        try:
            value, start = decode(path, line, text, begin)
        except ResultsError as error:
            if not of_lines:
                raise
            Unread.name(error)
            start = text.find("\n", begin) % (len(text) + 1)
            continue
        yield line, value
        of_lines = of_lines or str(value.get("schema")).startswith(LINES)
        line += text.count("\n", begin, start)


def decode(path: str, line: int, text: str, begin: int) -> tuple[Object, int]:
    """Return (object, where it ends) of the JSON that is in TEXT at BEGIN."""
    try:
        value, end = DECODER.raw_decode(text, begin)
    except json.JSONDecodeError as error:
        rest = text[error.pos:]
        cut = "" if rest.strip() and "\n" in rest else "cut off or "
        raise ResultsError(f"{path}:{line}: {cut}not JSON: {error.msg}"
                           ) from None
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}:{line}: {error}") from None
    if not isinstance(value, dict):
        raise ResultsError(f"{path}:{line}: not an object of JSON")
    return value, end


def parse(text: str) -> Any:
    """Return the one value of JSON that TEXT is, or raise a ValueError."""
    return json.loads(text, parse_constant=refuse_constant, parse_float=finite)
