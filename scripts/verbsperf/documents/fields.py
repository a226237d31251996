"""What objects of JSON need, as tables: {name: what its value must be}.  What is
not there is null."""
from typing import Any, Callable, Dict, Optional

from verbsperf.documents.jsonfile import Object

Check = Callable[[Any], bool]
Fields = Dict[str, Check]


def of(kind: type) -> Check:
    """A value of KIND; true and false are no numbers."""
    return lambda value: type(value) is kind


def null_or(good: Check) -> Check:
    """Null, or a GOOD value."""
    return lambda value: value is None or good(value)


def list_of(good: Check) -> Check:
    """A list of GOOD values."""
    return lambda value: isinstance(value, list) and all(map(good, value))


def some_of(good: Check) -> Check:
    """The same, and not empty."""
    return lambda value: bool(value) and list_of(good)(value)


def by_name(good: Check) -> Check:
    """An object of GOOD values, of any names."""
    return lambda value: isinstance(value, dict) and all(
        map(good, value.values()))


def having(fields: Fields) -> Check:
    """An object that has FIELDS."""
    return lambda value: isinstance(value, dict) and not wrong(value, fields)


def wrong(value: Object, fields: Fields) -> Optional[str]:
    """Return the name of the first of FIELDS that is wrong in VALUE."""
    return next((name for name, good in fields.items()
                 if not good(value.get(name))), None)
