"""The file of a sweep while it is written: what is in it survives all."""
import os
import platform
import random
import time
from typing import Iterator, NamedTuple, Optional, Sequence

from verbsperf.base.command import say
from verbsperf.base.errors import Refused
from verbsperf.documents import formats, results
from verbsperf.documents.jsonfile import Object
from verbsperf.documents.points import label
from verbsperf.documents.results import Record
from verbsperf.documents.writer import Lines, now_text
from verbsperf.plan.program import Program
from verbsperf.plan.suite import Planned
from verbsperf.plan.target import Target


# Half a day: a job of every night does not go on with the night before.
GOES_ON_WITHIN = 12 * 3600
GOES_ON = ("the same command continues it, if given within "
           f"{GOES_ON_WITHIN // 3600} hours; later it needs --resume, too")


class Begun(NamedTuple):
    """The file of a running sweep."""

    lines: Lines
    header: Object
    records: list[Record]   # what is in it already
    age: float              # seconds since something was written


def make_header(suite: str, program: Program, points: Sequence[Planned],
                targets: Sequence[Target], seed: int) -> Object:
    """Return the first line of the file of the suite that SUITE names."""
    return {"schema": formats.SWEEP,
            "tool": {"name": "verbsperf-sweep", "verbsperf": program.version},
            "started": now_text(),
            "host": {"hostname": platform.node(),
                     "kernel": platform.release(),
                     "machine": platform.machine()},
            "suite": os.path.basename(suite),
            "points": [point.json for point in points],
            "seed": seed,
            "targets": [{"name": one.name, "server": one.server,
                         "options": one.options} for one in targets]}


def spec(target: Object) -> str:
    """Return TARGET of a header as it is written on a command line."""
    options = dict(target.get("options") or {})
    place = target.get("server") or "loopback"
    return ",".join([f"'{target['name']}={place}"] + [
        f"{name}={value}" if value else name
        for name, value in options.items()]) + "'"


def differences(path: str, old: Object, new: Object) -> Iterator[str]:
    """Yield what the sweep OLD, in the file PATH, has otherwise than NEW."""
    sides = [{results.sweep_point(point) for point in header.get("points", [])}
             for header in (old, new)]
    for extra, where in ((sides[0] - sides[1], "only the file"),
                         (sides[1] - sides[0], "only the suite")):
        if extra:
            more = (f", and {len(extra) - 1} more points" if len(extra) > 1
                    else "")
            yield (f"{path} has another suite: {where} has "
                   f"{label(min(extra))}{more}")
    if sorted(map(repr, old.get("points", []))) != sorted(
            map(repr, new["points"])):
        yield (f"{path} has another suite: the points are measured with "
               "other options")
    for one in old["targets"]:
        if one not in new["targets"]:
            yield f"{path} has the target {spec(one)}, which was not given"
    for one in new["targets"]:
        if one not in old["targets"]:
            yield f"{path} does not have the target {spec(one)}"
    if old["seed"] != new["seed"]:
        yield f"{path} has the seed {old['seed']}, not {new['seed']}"


def start(path: str, suite: str, seed: Optional[int], program: Program,
          points: Sequence[Planned], targets: Sequence[Target], resume: bool
          ) -> Begun:
    """Begin the file PATH, or go on with it; what was not written to its end
    is dropped where it is new, or RESUME says so."""
    lines = Lines(path, formats.SWEEP, "sweep", "what was measured before is "
                  f"in it, and {GOES_ON}")
    age = time.time() - os.fstat(lines.fd).st_mtime
    old = lines.header
    if old:
        formats.check_header(formats.Place(path, 1), old)
    if seed is None:
        seed = (int(old["seed"]) if old
                else random.SystemRandom().getrandbits(32))
    header = make_header(suite, program, points, targets, seed)
    if old is None:
        lines.append(header)
        return Begun(lines, header, [], age)
    for sentence in differences(path, old, header):
        raise Refused(sentence + "; choose another FILE, remove this one, "
                      "or give the same as before")
    torn = lines.cut_torn() if resume or age <= GOES_ON_WITHIN else 0
    if torn:
        say(f"{path}: dropped the last {torn} bytes, of a measurement that was"
            " not written completely")
    return Begun(lines, old, results.read(path), age)
