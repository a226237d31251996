"""The scripts under test, imported and run."""
import contextlib
import datetime
import functools
import gc
import io
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
from unittest import mock

import pytest

import complete
import forked
import schemas
from verbsperf.base import command

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parent.parent / "scripts"
FAKE = HERE / "fake_verbsperf"
# The fake measures; what its options are, the real one says.
os.environ["FAKE_REAL"] = os.path.abspath(
    os.environ.get("VERBSPERF", HERE.parent.parent / "build/verbsperf"))
KEPT = tempfile.TemporaryDirectory(prefix="options-")
os.environ.update(complete.for_fake())
os.environ["FAKE_OPTIONS"] = os.path.join(KEPT.name, "options.json")
# Those that have a schema of their own.
REPORT = re.compile(r'{\s*"schema": "verbsperf-(limits|compare)/1"')
sys.dont_write_bytecode = True
# nohup and the like ignore it, and so would all programs started here
signal.signal(signal.SIGINT, signal.default_int_handler)
forked.start(SCRIPTS)


def run_anew(words, **options):
    """As forked.run(), by a Python that has imported nothing."""
    done = subprocess.run([sys.executable, *words], text=True, timeout=300,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          check=False, **options)
    return done.returncode, done.stdout, done.stderr


def checked(outcome):
    """OUTCOME, (status, stdout, stderr); a report is as its schema says."""
    found = REPORT.match(outcome[1])
    if found:
        schemas.load(outcome[1], f"verbsperf-{found[1]}-1")
    return outcome


def called(name, *arguments):
    """As run(), of the command NAME in this process, which costs least."""
    # copies: argparse takes what is the default itself for not given
    words = [os.fsencode(one).decode() for one in (
        SCRIPTS / f"verbsperf-{name}", *map(str, arguments))]
    with contextlib.redirect_stdout(io.StringIO()) as out, \
            contextlib.redirect_stderr(io.StringIO()) as err, \
            mock.patch.object(sys, "argv", words), \
            mock.patch.object(command.Unread, "some", False), \
            mock.patch("signal.signal"), pytest.raises(SystemExit) as end:
        sys.exit(command.start(name))
    return checked((end.value.code, out.getvalue(), err.getvalue()))


def run(script, *arguments, env=None, cwd=".", **options):
    """SCRIPT's (status, stdout, stderr)."""
    words = [str(SCRIPTS / script), *map(str, arguments)]
    env = dict(os.environ) if env is None else env
    if options or "PYTHONPATH" in env:
        return checked(run_anew(words, env=env, cwd=cwd, **options))
    return checked(forked.run(words, env, cwd, 300))


def refused(outcome, status, *words):
    """The one line on stderr of a script that failed with STATUS."""
    assert outcome[0] == status, outcome
    assert "Traceback" not in outcome[2]
    lines = outcome[2].splitlines()
    assert "error: " in lines[-1], outcome
    for word in words:
        assert word in lines[-1], (word, lines[-1])
    return lines[-1]


@pytest.fixture(autouse=True)
def all_read(monkeypatch):
    """What a test leaves out, no other has left out."""
    monkeypatch.setattr(command.Unread, "some", False)


@pytest.fixture
def compare():
    """verbsperf-compare."""
    return functools.partial(called, "compare")


@pytest.fixture
def sweep(tmp_path):
    """verbsperf-sweep of the fake, in a folder of its own."""
    def start(*arguments, **options):
        environment = {**os.environ, "VERBSPERF": str(FAKE),
                       "FAKE_LOG": str(tmp_path / "log"),
                       **options.pop("env", {})}
        return run("verbsperf-sweep", *arguments, env=environment,
                   cwd=tmp_path, **options)
    return start


@pytest.fixture
def write_suite(tmp_path):
    """Makes a suite of a text; its path."""
    def write(text):
        path = tmp_path / "suite"
        path.write_text(text)
        return str(path)
    return write


def times():
    """When runs started: no two at once."""
    noon = datetime.datetime(2026, 11, 21, 12)
    for n in itertools.count():
        then = noon + datetime.timedelta(seconds=n)
        yield then.strftime("%Y-%m-%dT%H:%M:%S.000Z")


STARTED = times()


def document(gbps=50.0, size=64, p99=None, mpps=None, **changes):
    """A verbsperf/1 document."""
    latency = {"p50": p99 / 2, "p99": p99} if p99 else None
    row = {"size": size, "latency": latency,
           "bandwidth": None if latency else {"gbps": gbps, "mpps": mpps}}
    test = {"name": "write_lat", "metric": "latency"} if latency else {}
    made = {"test": test, "results": [row], "started": next(STARTED),
            "parameters": {"tx-depth": 128, "loopback": False}}
    return complete.document({**made, **changes})


def check(line):
    """LINE is what its schema says."""
    name = ("verbsperf-1" if line.get("schema") == "verbsperf/1"
            else "verbsperf-sweep-1")
    schemas.check(line, name)


def sweep_lines(values, size=64, marks=None):
    """Lines of a sweep of one point: VALUES are {target: [gbps or None]}."""
    lines = [{"targets": [{"name": name} for name in values]}]
    point = {"test": "write_bw", "transport": "RC", "size": size, "qps": 1,
             "options": {}}
    for target, row in values.items():
        for number, value in enumerate(row, 1):
            lines.append({
                "target": target, "round": number, "point": point,
                "document": document(value, size) if value else None,
                "error": None if value else "cannot connect",
                "fingerprint": (marks or {}).get(target, {})})
    lines = complete.sweep(lines)
    for line in lines if lines[1:] else []:
        check(line)
    return [json.dumps(line) for line in lines]


@pytest.fixture
def write(tmp_path):
    """Writes documents, which must be right, or text into a file; its path."""
    def save(name, lines):
        path = tmp_path / name
        for line in lines:
            if isinstance(line, dict):
                check(line)
        path.write_text("".join(
            (line if isinstance(line, str) else json.dumps(line)) + "\n"
            for line in lines))
        return str(path)
    return save


def pytest_collection_finish():
    """As in frozen.py, in the processes of the tests."""
    gc.collect()
    gc.freeze()
