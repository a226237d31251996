"""One measurement of a sweep: verbsperf run, and what came of it."""
import platform
from typing import Any, Optional

from verbsperf.documents import results
from verbsperf.documents.jsonfile import Object
from verbsperf.plan import program as programs
from verbsperf.plan.program import Program, Ran, sentence_of
from verbsperf.plan.suite import Planned
from verbsperf.plan.target import Target

# Measured, or measured and a limit of the user's not met.
MEASURED = (0, 3)
# What the fingerprint says in other words, besides where the target is and
# what it must reach.
IN_FINGERPRINT = ("cpus", "mtu", "numa", "pkey-index", "vector")
NOT_MARKED = ("limit", "counter-limits", "counters")


def command_of(point: Planned, target: Target, program: Program) -> list[str]:
    """Return the command that measures POINT at TARGET."""
    return [program.path, *point.words(program), *target.words(), "--json",
            *target.ends(point.json["test"], program)]


def fingerprint_of(document: Object, target: Target, program: Program
                   ) -> dict[str, Any]:
    """Return what two results must have in common to be compared."""
    given = [(program.options[name], value)
             for name, value in target.options.items()]
    return {**results.fingerprint(document), "kernel": platform.release(),
            **{f"option {option.name}": value for option, value in given
               if option.group != "connection"
               and option.kind not in NOT_MARKED
               and option.name not in IN_FINGERPRINT}}


def error_of(outcome: Ran, document: Optional[Object], limit: float
             ) -> Optional[str]:
    """Return why OUTCOME, which has DOCUMENT, is no result, or None."""
    if outcome.status is None:
        return f"took longer than {limit:g} s (--point-timeout)"
    told = ((document or {}).get("error") or {}).get("message")
    if outcome.status not in MEASURED:
        return told or sentence_of(outcome.stderr, outcome.status)
    if document is not None and len(document["results"]) != 1:
        return f"{len(document['results'])} rows of results, not one"
    if document is not None and results.usable(document["results"][0]) is None:
        return "the run failed"
    return None


def entry_of(number: int, point: Planned, target: Target, program: Program,
             limit: float) -> Object:
    """Measure POINT at TARGET in round NUMBER; return the file's line."""
    outcome = programs.run(command_of(point, target, program), limit)
    document, unread = results.read_document(outcome.stdout)
    error = error_of(outcome, document, limit) or unread
    marks = None
    if document is not None and not error:
        marks = fingerprint_of(document, target, program)
    return {"target": target.name, "round": number, "point": point.json,
            "document": document, "error": error, "fingerprint": marks}
