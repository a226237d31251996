"""Reads files of JSON: one object, or several of them one after the other."""
import json
import os
import re
import sys
from typing import Any, Dict, Iterator, NoReturn, Tuple

from verbsperf.base.errors import ResultsError

Object = Dict[str, Any]


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
    """Return True when PATH is a file whose first value is an object of
    JSON."""
    return os.path.isfile(path) and read_text(path).lstrip()[:1] == "{"


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    raise ValueError(f"{name} is not a number of JSON")


DECODER = json.JSONDecoder(parse_constant=refuse_constant)
SPACE = re.compile(r"[ \t\r\n]*")


def objects_of(path: str, text: str) -> Iterator[Tuple[int, Object]]:
    """Yield each object of TEXT, with the number of the line it starts in."""
    start, line = 0, 1
    while True:
        begin = skip_space(text, start)
        line += text.count("\n", start, begin)
        if begin == len(text):
            return
        value, start = decode(path, line, text, begin)
        if not isinstance(value, dict):
            raise ResultsError(f"{path}:{line}: not an object of JSON")
        yield line, value
        line += text.count("\n", begin, start)


def skip_space(text: str, start: int) -> int:
    """Return where in TEXT the white space that begins at START ends."""
    match = SPACE.match(text, start)
    return match.end() if match else start


def decode(path: str, line: int, text: str, begin: int) -> Tuple[Any, int]:
    """Return (value, where it ends) of the JSON that is in TEXT at BEGIN."""
    try:
        return DECODER.raw_decode(text, begin)
    except json.JSONDecodeError as error:
        raise ResultsError(not_json(path, text, error)) from None
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}:{line}: {error}") from None


def not_json(path: str, text: str, error: json.JSONDecodeError) -> str:
    """Return the sentence about a file that is not JSON from some place on."""
    where = f"{path}:{error.lineno}"
    if not text[error.pos:].strip() or "\n" not in text[error.pos:]:
        return (f"{where}: the file is cut off or not JSON: {error.msg};"
                " running the same sweep again continues it")
    return f"{where}: not JSON: {error.msg}"
