"""The server's process of --loopback does not end."""
import json
import os
import signal
import time

from lab import deadline, loopback, succeeded

QUICK = ("-n", 100, "--warmup", 0)
# what it has to end, and the rest on a busy machine
WITHIN = 10 + 10


def stuck():
    """Both ends, of which the server stands still from now on."""
    program = loopback("write_bw", "-D", 60, "--timeout", 2, "--json")
    program.wait_for_traffic()
    time.sleep(0.3)
    child, = program.children()
    os.kill(child, signal.SIGSTOP)
    return program, child


def is_gone(child):
    return not os.path.exists(f"/proc/{child}")


def test_a_server_that_stands_still_is_killed():
    program, child = stuck()
    program.wait(2 + WITHIN)
    assert program.status == 1, str(program)
    assert f"warning: the server's process {child} does not end" in program.err
    assert len(program.errors) == 1, str(program)
    assert json.loads(program.out)["error"]["code"] == "ETIMEDOUT"
    assert is_gone(child)


def test_who_has_had_enough_interrupts():
    program, child = stuck()
    deadline(WITHIN, lambda: program.out.endswith("}\n"), "the document")
    assert program.status is None
    program.send(signal.SIGINT)
    program.wait(3)
    assert program.status == -signal.SIGINT, str(program)
    assert is_gone(child)


def test_who_ends_is_not_waited_for():
    start = time.monotonic()
    program = succeeded(loopback("write_bw", *QUICK))
    assert time.monotonic() - start < 5
    assert "warning" not in program.err
