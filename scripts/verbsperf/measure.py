"""One measurement of a sweep: verbsperf run, and what came of it."""
import ctypes
import os
import platform
import signal
import subprocess

from verbsperf import results
from verbsperf import suite as suites

PR_SET_PDEATHSIG = 1
# Seconds for verbsperf to end when it is told to.
PARTING = 2
# Measured, or measured and a limit of the user's not met.
MEASURED = (0, 3)
# Where the target is, which the fingerprint says in other words; and what it
# must reach.
PLACES = suites.OF_TARGET | results.LIMITS | {
    "cpus", "mtu", "numa", "pkey-index", "vector"}


def command_of(point, target, program):
    """What measures POINT at TARGET."""
    end = [target.server] if target.server else ["--loopback"]
    return [program.path, *suites.arguments(point, target), "--json", *end]


def die_with_parent():
    """In a child: nobody reads what it measures when the sweep is dead."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def end(child):
    """(stdout, stderr) of CHILD and of what it started, which end now; first
    they may tell the server."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            return child.communicate(timeout=PARTING)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            pass
    return child.communicate()


def run(command, limit):
    """(status, stdout, stderr) of COMMAND; no status when it took longer."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True,
                          preexec_fn=die_with_parent) as child:
        try:
            out, err = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return None, *end(child)
        except BaseException:
            end(child)
            raise
    return child.returncode, out, err


def fingerprint_of(document, target):
    """What must be alike for two results to compare."""
    marks = {**results.fingerprint(document), "kernel": platform.release()}
    for name, value in target.options.items():
        if name not in PLACES:
            marks[f"option {name}"] = value
    return marks


def entry_of(number, point, target, outcome, limit):
    """The line of one measurement."""
    status, out, err = outcome
    document, error = results.read_document(out)
    if status is None:
        error = f"took longer than {limit:g} s (--point-timeout)"
    elif status not in MEASURED:
        told = (document or {}).get("error") or {}
        error = told.get("message") or suites.sentence_of(err, status)
    elif not error and len(document["results"]) != 1:
        error = f"{len(document['results'])} rows of results, not one"
    elif not error and results.usable(document["results"][0]) is None:
        error = "the run failed"
    marks = None if error else fingerprint_of(document, target)
    return {"target": target.name, "round": number, "point": point,
            "document": document, "error": error, "fingerprint": marks}
