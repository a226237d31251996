"""What values of JSON must be: checks, made of others."""
from typing import Any, Callable, Optional

from verbsperf.documents.jsonfile import Object

# Says whether a value is as it must be.
Check = Callable[[Any], bool]
# What the values of these names must be.
Fields = dict[str, Check]
# In place of a value that is not there.
MISSING = object()


def of(kind: type) -> Check:
    """Return the check for a value of KIND; true and false are no numbers."""
    return lambda value: type(value) is kind


def equal(known: object) -> Check:
    """Return the check for what is KNOWN."""
    return lambda value: bool(value == known)


def null_or(check: Check) -> Check:
    """Return the check for null, or what CHECK takes."""
    return lambda value: value is None or check(value)


def absent_or(check: Check) -> Check:
    """Return the check for what may be missing, or is as CHECK takes it."""
    return lambda value: value is MISSING or check(value)


def optional(check: Check) -> Check:
    """Return the check for what may be missing, null, or what CHECK takes."""
    return absent_or(null_or(check))


def list_of(check: Check, least: int = 0) -> Check:
    """Return the check for a list of what CHECK takes, LEAST of them."""
    return lambda value: (isinstance(value, list) and len(value) >= least
                          and all(map(check, value)))


def mapping(check: Check) -> Check:
    """Return the check for an object in which CHECK takes each value."""
    return lambda value: (isinstance(value, dict)
                          and all(map(check, value.values())))


def having(**fields: Check) -> Check:
    """Return the check for an object that has FIELDS."""
    return lambda value: isinstance(value, dict) and not wrong(value, fields)


def wrong(value: Object, fields: Fields) -> Optional[str]:
    """Return the name of the first of FIELDS that is wrong in VALUE."""
    return next((name for name, check in fields.items()
                 if not check(value.get(name, MISSING))), None)
