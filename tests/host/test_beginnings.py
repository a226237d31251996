"""What a command cannot begin without."""
import json
import os
import pathlib
import subprocess

import pytest

from lab import DEVICE, Program, client, failed, loopback

SOURCE = pathlib.Path(__file__).with_name("fake_failures.c")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("fake_failures") / "fake_failures.so"
    subprocess.run(["gcc", "-std=gnu11", "-shared", "-fPIC", "-o", path,
                    SOURCE], check=True)
    return path


@pytest.fixture
def fail(library, monkeypatch):
    monkeypatch.setenv("VERBSPERF_PRELOAD",
                       f"{os.environ['VERBSPERF_PRELOAD']} {library}")
    return lambda call: monkeypatch.setenv("FAKE_FAILURE", call)


FAILURES = (
    ("fork", "cannot start a process for the server: Resource temporarily",
     "EAGAIN"),
    ("socketpair", "cannot make a socket pair: Too many open files", "EMFILE"),
    ("signalfd", "cannot take signals: Too many open files", "EMFILE"))


@pytest.mark.parametrize("call,text,code", FAILURES,
                         ids=[row[0] for row in FAILURES])
@pytest.mark.parametrize("check", (False, True))
def test_both_ends_cannot_begin(fail, call, text, code, check, tmp_path):
    fail(call)
    path = tmp_path / "lines"
    program = loopback("write_bw", "--json", f"--json-lines={path}",
                       *["--check"] * check)
    program.wait()
    assert program.status == 1, str(program)
    assert "warning" not in program.err
    if not check:
        failed(program, text)
    error = json.loads(program.out)["error"]
    assert text in error["message"] and error["code"] == code
    last = json.loads(path.read_text().splitlines()[-1])
    assert last["type"] == "end" and last["error"] == error


def test_a_client_cannot_take_signals(fail):
    fail("signalfd")
    program = client("write_bw", "--json", port=1)
    failed(program, "cannot take signals: Too many open files")
    assert json.loads(program.out)["error"]["stage"] == "begin"


def test_a_server_cannot_take_signals(fail):
    fail("signalfd")
    program = Program("serve", "-d", DEVICE, "-p", 0)
    failed(program, "cannot take signals: Too many open files")
