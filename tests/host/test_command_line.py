"""Command lines that are almost right are answered at once, in one line; and
what prints something ends with its reader."""
import json
import os
import signal
import subprocess

import pytest

from lab import BINARY, Program, environment, failed, succeeded

SOON = 5        # seconds; a server is waited for much longer


@pytest.mark.parametrize("words,advice", (
    ("write_lat --wait 10", "write --wait=10$"),
    ("write_lat --wait 10 127.0.0.1", "write --wait=10$"),
    ("write_bw --json out.json", "write --json=out.json$"),
    ("write_bw --csv rows 127.0.0.1", "write --csv=rows$"),
    ("write_bw --loopback --json-lines out", "write --json-lines=out$"),
    ("write_bw --szie 64 127.0.0.1", "'--szie'; did you mean --size[?]$"),
    ("wirte_bw 127.0.0.1", "'wirte_bw' is not a test; did you mean write_bw")))
def test_what_was_meant(words, advice):
    program = Program(*words.split())
    failed(program, advice, status=2, seconds=SOON)
    assert len(program.err.splitlines()) == 1 and not program.out


def ends_without_reader(*words, **popen):
    """The status, and what is said, with a stdout that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([BINARY, *words], stdout=writer,
                          stderr=subprocess.PIPE, text=True, timeout=SOON,
                          env=environment(), check=False, **popen)
    os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", (
    [], ["-h"], ["--help"], ["--version"], ["--dump-options"], ["devices"],
    ["devices", "--json"], ["faults"], ["check"]),
    ids=lambda words: " ".join(words) or "alone")
def test_what_prints_ends_with_its_reader(words):
    """As in a pipe to head, by the signal and without a word."""
    status, said = ends_without_reader(*words)
    assert (status, said) == (-signal.SIGPIPE, "")


def test_whoever_ignores_the_signal_is_told():
    status, said = ends_without_reader(
        "--help", restore_signals=False,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    assert status == 1 and "Broken pipe" in said


def test_a_file_is_written_without_a_reader(tmp_path):
    path = tmp_path / "check.json"
    status, _ = ends_without_reader("check", f"--json={path}")
    assert status == 1 and json.loads(path.read_text())


def test_a_measurement_without_a_reader_fails():
    status, said = ends_without_reader("write_bw", "--loopback", "-n", "10")
    assert status == 1 and "cannot write to stdout: Broken pipe" in said


@pytest.mark.parametrize("depth,said", (("10", True), ("16", False)))
def test_a_depth_that_may_be_a_time(depth, said):
    """It runs, whatever was meant."""
    program = Program("write_bw", "--check", "--loopback", "-t", depth)
    succeeded(program)
    assert (f"-D {depth} is a time" in program.err) == said
