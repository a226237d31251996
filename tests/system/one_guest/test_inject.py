"""Every fault that --inject knows, between two real ends.

What is expected of any provider is in the program's own table; SEEN is what
Soft-RoCE of the lab's kernel says.  tests/FAULTS has each fault that a
benchmark must survive, and where it is tested."""

import os
import pathlib
import re
import subprocess
import sys
import time

import pytest

import wire
from documents import measured, parse
from lab import (BINARY, DEVICE, HAS_DEVICE, IN_LAB, Server, client,
                 needs_device)
from verbsperf.commands import selftest

pytestmark = needs_device

TOP = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = TOP / "scripts/verbsperf-selftest"
KERNEL = "6.1."
# A fault is noticed, and the program ends, within that many seconds: the
# longest wait of a case is a timeout of one second.
NOTICED = 25

CASES = ({case["case"]: case for case in selftest.read_cases(BINARY)}
         if HAS_DEVICE else {})

# What requester and responder report by themselves.  Those that depend on who
# is faster have no row.
SEEN = {
    "no-receive": ("RNR_RETRY_EXC_ERR", "-"),
    "no-receive-srq": ("RNR_RETRY_EXC_ERR", "-"),
    "no-receive-ever": ("ETIMEDOUT", "-"),
    "slow-receiver": ("RNR_RETRY_EXC_ERR", "-"),
    "late-receives": ("ok", "ok"),
    "no-receive-imm": ("RNR_RETRY_EXC_ERR", "-"),
    "short-receive": ("REM_OP_ERR", "LOC_QP_OP_ERR"),
    "receive-lkey": ("REM_OP_ERR", "LOC_QP_OP_ERR"),
    "receive-address": ("REM_OP_ERR", "LOC_QP_OP_ERR"),
    "receive-dereg": ("REM_OP_ERR", "LOC_QP_OP_ERR"),
    "receive-read-only": ("REM_OP_ERR", "LOC_QP_OP_ERR"),
    "send-lkey": ("LOC_QP_OP_ERR", "-"),
    "write-lkey": ("LOC_QP_OP_ERR", "-"),
    "read-lkey": ("LOC_PROT_ERR", "-"),
    "quiet-lkey": ("LOC_QP_OP_ERR", "-"),
    "read-rkey": ("REM_ACCESS_ERR", "-"),
    "write-rkey": ("REM_ACCESS_ERR", "-"),
    "write-past-end": ("REM_ACCESS_ERR", "-"),
    "write-before": ("REM_ACCESS_ERR", "-"),
    "read-past-end": ("REM_ACCESS_ERR", "-"),
    "read-before": ("REM_ACCESS_ERR", "-"),
    "write-both-keys": ("LOC_QP_OP_ERR", "-"),
    "read-both-keys": ("REM_ACCESS_ERR", "-"),
    "imm-rkey": ("REM_ACCESS_ERR", "REM_ACCESS_ERR"),
    "mr-no-write": ("REM_ACCESS_ERR", "-"),
    "mr-no-read": ("REM_ACCESS_ERR", "-"),
    "mr-no-atomic": ("REM_ACCESS_ERR", "-"),
    "qp-no-write": ("REM_INV_REQ_ERR", "-"),
    "qp-no-read": ("REM_INV_REQ_ERR", "-"),
    "qp-no-atomic": ("REM_INV_REQ_ERR", "-"),
    "empty-write-rkey": ("ok", "ok"),
    "empty-read-rkey": ("ok", "ok"),
    "atomic-unaligned": ("REM_INV_REQ_ERR", "-"),
    "atomic-length": ("LOC_PROT_ERR", "-"),
    "atomic-lkey": ("LOC_PROT_ERR", "-"),
    "atomic-rkey": ("REM_ACCESS_ERR", "-"),
    "no-dest-reads": ("REM_INV_REQ_ERR", "-"),
    "peer-reset": ("RETRY_EXC_ERR", "-"),
    "peer-init": ("RETRY_EXC_ERR", "-"),
    "peer-error": ("RETRY_EXC_ERR", "-"),
    "peer-error-later": ("RETRY_EXC_ERR", "-"),
    "wrong-qpn": ("RETRY_EXC_ERR", "-"),
    "no-ack-timeout": ("ETIMEDOUT", "-"),
    "own-error": ("WR_FLUSH_ERR", "-"),
    "first-lkey": ("LOC_QP_OP_ERR", "-"),
    "full-send-queue": ("ENOMEM", "-"),
    "full-receive-queue": ("-", "ENOMEM"),
    "many-pieces": ("EINVAL", "-"),
    "much-inline": ("EINVAL", "-"),
    "ud-too-long": ("EIO", "EIO"),
    "ud-no-header": ("-", "LOC_QP_OP_ERR"),
    "ud-no-receive": ("EIO", "EIO"),
    "ud-qpn": ("EIO", "EIO"),
    "ud-qkey": ("EIO", "EIO"),
    "uc-no-receive": ("EIO", "EIO"),
    "uc-rkey": ("ok", "ok"),
    "uc-no-access": ("ok", "ok"),
    "uc-imm-rkey": ("EIO", "EIO"),
    "other-mtu": ("REM_INV_REQ_ERR", "-"),
    "mr-gone": ("REM_ACCESS_ERR", "-"),
    "mr-other-pd": ("REM_ACCESS_ERR", "-"),
    "mw-invalid": ("REM_ACCESS_ERR", "-"),
    "cq-overrun": ("-", "EVENT_CQ_ERR"),
    "cq-resize": ("ok", "ok"),
}


@pytest.fixture(scope="module")
def faulty_server():
    server = Server("--allow-inject")
    server.shared = True
    yield server
    server.kill()


def run(name, port):
    """The client of CASE, when it is over, and its document."""
    words = selftest.command(CASES[name])
    start = time.monotonic()
    program = client(*words, port=port).wait()
    assert time.monotonic() - start < NOTICED, str(program)
    return program, parse(program.out)


def expected(name, end):
    """What END may say of CASE.  Newer kernels' Soft-RoCE flushes a request
    whose memory is wrong, and doesn't say why."""
    words = CASES[name][end].split("|")
    if IN_LAB and "LOC_QP_OP_ERR" in SEEN.get(name, ())[:1]:
        words.append("WR_FLUSH_ERR")
    return words


def check_client(program, document, views):
    """Its status, and a line for each failure; both may be the same."""
    failed = views[0] != "ok"
    both = failed and "-" not in views
    says = [line for line in program.err.splitlines() if "says: " in line]
    assert program.status == failed, str(program)
    assert len(program.errors) == failed, str(program)
    error = document["error"]
    differ = both and error["peer"]["message"] != error["message"]
    assert len(says) == differ, str(program)
    if not failed:
        return
    assert error["message"] in program.errors[0]
    assert ("the server: " in program.errors[0]) == (views[0] == "-")
    if says:
        assert error["peer"]["message"] in says[0]


@pytest.mark.parametrize("name", CASES)
def test_fault_is_reported_at_both_ends(faulty_server, name):
    faulty_server.forget()
    program, document = run(name, faulty_server.port)
    views = selftest.views(document)
    for end, seen in zip(("requester", "responder"), views):
        assert seen in expected(name, end), str(program)
    if IN_LAB and os.uname().release.startswith(KERNEL) and name in SEEN:
        assert views == SEEN[name], str(program)
    check_client(program, document, views)
    assert document["parameters"]["inject"] == name
    wire.serves(faulty_server)
    assert len(faulty_server.errors) == (views[0] != "ok"), str(faulty_server)
    assert faulty_server.status is None


def test_a_peer_that_stops_is_not_one_that_never_answered(faulty_server):
    message = run("peer-error-later", faulty_server.port)[1]["error"]["message"]
    assert "acknowledged" in message and "and then nothing more" in message


@pytest.mark.parametrize("name,views", (
    ("write-rkey", None), ("imm-rkey", None),
    ("full-receive-queue", ("-", "ENOMEM")), ("uc-rkey", ("ok", "ok"))))
def test_both_ends_exit_with_the_same_status(name, views):
    server = Server("--once", "--allow-inject")
    program, document = run(name, server.port)
    server.wait()
    assert views in (None, selftest.views(document))
    assert server.status == program.status == (views != ("ok", "ok"))
    assert len(server.errors) == program.status, str(server)


def test_the_script_finds_what_is_as_expected(faulty_server):
    done = subprocess.run(
        [sys.executable, SCRIPT, "127.0.0.1", "--verbsperf", BINARY,
         "-d", DEVICE, "-p", str(faulty_server.port),
         "--only", "write-rkey,empty-write-rkey"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    assert "2 as expected, 0 not" in done.stdout
    assert f"{DEVICE} port 1" in done.stdout


def test_the_script_finds_what_is_not(tmp_path, faulty_server):
    """A program that expects something else."""
    liar = tmp_path / "liar"
    liar.write_text(f"""#!/bin/sh
if [ "$1" = faults ]; then
	'{os.path.abspath(BINARY)}' faults | sed 's/REM_ACCESS_ERR/ok/'
else
	exec '{os.path.abspath(BINARY)}' "$@"
fi
""")
    liar.chmod(0o755)
    done = subprocess.run(
        [sys.executable, SCRIPT, "127.0.0.1", "--verbsperf", str(liar),
         "-d", DEVICE, "-p", str(faulty_server.port),
         "--only", "write-rkey"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=120, check=False)
    assert done.returncode == 1, done.stdout
    assert "UNEXPECTED requester" in done.stdout
    assert "0 as expected, 1 not" in done.stdout


@pytest.mark.dialogue
def test_another_test_has_not_that_fault(faulty_server):
    program = client("read_bw", "--inject", "write-rkey",
                     port=faulty_server.port).wait()
    assert program.status == 2
    assert "--inject write-rkey: only for write_bw" in program.err


@pytest.mark.dialogue
def test_a_server_takes_no_faults_unless_it_was_told_to():
    server = Server()
    program = client("write_bw", "-n", 10, "-s", 64, "--inject", "write-rkey",
                     port=server.port).wait()
    assert program.status == 1
    assert len(program.errors) == 1, str(program)
    assert ("the server: --inject write-rkey: this server does not let "
            "clients provoke faults") in program.err
    assert "start the server with --allow-inject" in program.err
    wire.serves(server)


def test_the_script_says_how_to_start_the_server():
    server = Server()
    done = subprocess.run(
        [sys.executable, SCRIPT, "127.0.0.1", "--verbsperf", BINARY,
         "-d", DEVICE, "-p", str(server.port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=120, check=False)
    assert done.returncode == 1
    assert done.stderr == ("verbsperf-selftest: error: the server does not "
                           "allow faults: start it with --allow-inject\n")


@pytest.mark.dialogue
def test_the_server_refuses_a_fault_of_another_test(faulty_server):
    """One that the client's own rules would not have let through."""
    faulty_server.forget()
    number = list(CASES).index("no-receive") + 1
    peer = wire.FakeClient(faulty_server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan("read", (64,), {47: number}))
    peer.expect("ACCEPT")
    assert "only for send_bw" in peer.expect_error("ABORT")[2]
    wire.serves(faulty_server)


@pytest.mark.dialogue
def test_every_number_has_its_place():
    """tests/FAULTS names each of 1 to 47, and only tests that exist."""
    text = (TOP / "tests/FAULTS").read_text()
    rows = {}
    for line in text.splitlines():
        first = line[:2].strip()
        if first.isdigit():
            rows[int(first)] = line
    assert sorted(rows) == list(range(1, 48))
    words = " ".join(text.split())
    for case in CASES.values():
        assert re.search(f"--inject {case['case']}[ ,;:.]", words), case
        assert all(int(number) in rows for number in case["numbers"].split())
    sources = {path: path.read_text() for path in TOP.glob("tests/*/**/*")
               if path.suffix in (".py", ".c")}
    names = {path.stem for path in sources}
    for word in set(re.findall(r"\btest_\w+", text)) - names:
        assert any(f"def {word}(" in source or f"TEST({word})" in source
                   for source in sources.values()), word


def test_burst_of_datagrams(faulty_server):
    """More than the receiver takes: nothing hangs, and what is lost is said."""
    program = client("send_bw", "-c", "UD", "-n", 4096, "-t", 1024, "-r", 16,
                     "-s", 64, "--warmup", 0, "--json",
                     port=faulty_server.port)
    row, = measured(program)["results"]
    assert row["bandwidth"]["sent"] == 4096
    assert 0 < row["bandwidth"]["received"] <= 4096
    wire.serves(faulty_server)
