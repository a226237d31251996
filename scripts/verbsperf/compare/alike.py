"""What must be alike, and what must not, for two sides to be compared: the
fingerprints, and the measurements."""
import json
from typing import Any, Iterator, Sequence

from verbsperf.base.errors import Refused
from verbsperf.compare.sides import Pair, Side
from verbsperf.documents.formats import ENDS
from verbsperf.documents.results import Record

# How many differences between fingerprints a refusal names.
SHOWN = 8

# Values by their text: they need not be hashable.
Values = dict[str, Any]


def marks_of(records: Sequence[Record]) -> dict[str, Values]:
    """Return {name: values} of the fingerprints of what was measured."""
    marks: dict[str, Values] = {}
    for record in records:
        if record.row is not None:
            for name, value in record.fingerprint.items():
                # a history has texts
                marks.setdefault(name, {})[str(value)] = value
    return marks


def words(values: Values) -> str:
    """Put VALUES of a fingerprint into a sentence."""
    return " and ".join("none" if value is None else str(value)
                        for value in values.values())


def mixtures(base: Sequence[Record], new: Sequence[Record]) -> Iterator[str]:
    """Yield each side whose rounds were measured on several hosts."""
    for side, records in (("BASE", base), ("NEW", new)):
        documents = [record.document for record in records
                     if record.row and record.document]
        for end in ENDS:
            names = dict.fromkeys(str(document[end].get("hostname") or "")
                                  for document in documents)
            names.pop("", None)
            if len(names) > 1:
                yield f"{end} hostname: {' and '.join(names)} in {side}"


def differences(base: Sequence[Record], new: Sequence[Record]) -> Iterator[str]:
    """Yield what differs between the fingerprints of two groups."""
    yield from mixtures(base, new)
    marks = marks_of(base), marks_of(new)
    if not all(marks):
        return
    for name in sorted({**marks[0], **marks[1]}):
        # an option of a target says something when it is not there, too
        absent = {"None": None} if name.startswith("option ") else {}
        a, b = (side.get(name, absent) for side in marks)
        if a and b and (a.keys() != b.keys() or len(a) > 1):
            yield f"{name}: {words(a)} in BASE, {words(b)} in NEW"


def check_fingerprints(pair: Pair, force: bool) -> list[str]:
    """Return notes about what differs, or refuse to compare unless FORCE."""
    notes = sorted({sentence for key in pair.shared() for sentence in
                    differences(pair.base[key], pair.new[key])})
    if notes and not force:
        more = len(notes) - SHOWN
        raise Refused("the fingerprints differ: " + "; ".join(notes[:SHOWN])
                      + (f"; and {more} more" if more > 0 else "")
                      + "; --force compares them anyway")
    return [f"the fingerprints differ: {note}" for note in notes]


def measurements(side: Side) -> set[tuple[Any, ...]]:
    """Return what identifies each measurement of SIDE on the other side."""
    return {(record.session, record.session and record.target,
             json.dumps(record.document, sort_keys=True))
            for record in side.records if record.document}


def check_sessions(base: Side, new: Side) -> None:
    """Refuse when a measurement is on both sides: a copy is always as fast."""
    shared = len(measurements(base) & measurements(new))
    if shared:
        raise Refused(f"{base.path} and {new.path} are of the same session: "
                      f"both have {shared} of its measurements; give the file "
                      "with the later measurements, or measure again")
