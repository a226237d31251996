"""What a signal ends, ends by it: a shell that runs it in a loop ends, too."""
import json
import os
import signal
import subprocess
import time

import pytest

from lab import (BINARY, DEVICE, Program, Server, client, deadline,
                 environment, failed, interrupted, loopback)

SOON = 20
STOPS = (signal.SIGINT, signal.SIGTERM)


def shell(text, *words, **options):
    """Starts bash, with what it starts in a process group as on a terminal."""
    return subprocess.Popen(
        ["bash", "-c", text, "bash", *map(str, words)], text=True,
        start_new_session=True, env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_a_loop_of_a_shell_ends(tmp_path):
    path = tmp_path / "lines"
    loop = shell("for i in 1 2 3; do \"$@\"; done; echo over", BINARY,
                 "write_bw", "-d", DEVICE, "--loopback", "-D", 3,
                 f"--json-lines={path}")
    deadline(SOON, lambda: path.exists() and '"interval"' in path.read_text(),
             "the first test")
    os.killpg(loop.pid, signal.SIGINT)
    out, err = loop.communicate(timeout=SOON)
    assert loop.returncode == -signal.SIGINT and "over" not in out, out + err
    assert err.count("interrupted by SIGINT") == 1, err
    # all was written
    last = json.loads(path.read_text().splitlines()[-1])
    assert last["type"] == "end" and last["error"]["code"] == "ECANCELED"


@pytest.mark.parametrize("number", STOPS)
def test_a_test_ends_by_the_signal_when_all_is_written(number, tmp_path):
    path = tmp_path / "json"
    program = loopback("write_bw", "-D", 60, "--warmup", 0, f"--json={path}")
    program.wait_for_traffic()
    time.sleep(0.2)
    program.send(number)
    interrupted(program, number, seconds=SOON)
    document = json.loads(path.read_text())
    assert document["error"]["code"] == "ECANCELED"
    assert document["outcome"] == {"verdict": "interrupted",
                                   "exit_status": 128 + number}
    assert [row["failed"] for row in document["results"]] == [True]
    assert "failed" in program.out


@pytest.mark.parametrize("number", STOPS)
def test_both_ends_know(number):
    """The other end has failed; a server of one client ends by its signal."""
    server = Server("--once")
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    server.send(number)
    failed(program, f"the server: interrupted by {number.name}", seconds=SOON)
    assert server.wait().status == -number, str(server)
    server = Server("--once")
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    program.send(number)
    interrupted(program, number, seconds=SOON)
    failed(server, f"the client: interrupted by {number.name}", seconds=SOON)


@pytest.mark.parametrize("words", (("serve", "--once"), ("write_lat",)))
def test_a_server_of_one_client_that_never_came(words):
    server = Server(*words[1:], command=words[0])
    server.send(signal.SIGTERM)
    interrupted(server, signal.SIGTERM, seconds=SOON)


def test_a_script_stops_its_server(tmp_path):
    """As doc/server.md has it."""
    script = shell("""
        "$@" --ready-fd 5 5>port & server=$!
        until [ -s port ]; do sleep 0.05; done
        kill -TERM $server
        wait $server; echo ended with $?""",
                   BINARY, "serve", "-d", DEVICE, "-p", 0, cwd=tmp_path)
    out, err = script.communicate(timeout=SOON)
    assert out == "ended with 0\n", out + err


@pytest.mark.parametrize("words", (("--help",), ("devices",), ("faults",),
                                   ("write_bw", "--dump-options")))
def test_who_reads_no_further_needs_no_word(words):
    reader, writer = os.pipe()
    os.close(reader)
    program = Program(*words, stdout=writer)
    os.close(writer)
    program.wait(SOON)
    assert program.status == -signal.SIGPIPE and not program.err, str(program)


def test_a_lost_report_is_said():
    reader, writer = os.pipe()
    os.close(reader)
    program = loopback("write_bw", "-n", 100, stdout=writer)
    os.close(writer)
    failed(program, "cannot write to stdout: Broken pipe", seconds=SOON)
