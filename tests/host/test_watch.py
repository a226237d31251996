"""verbsperf watch on a device whose port, events and end the test makes."""
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time

import pytest

import schemas
from lab import BINARY, Program, deadline, environment, failed, succeeded

PORT_ERR, GID_CHANGE = 10, 18


class Device:
    """The device fake0, with a state and a FIFO for events."""

    def __init__(self, folder):
        self.state, self.events = folder / "state", folder / "events"
        self.set("ACTIVE")
        os.mkfifo(self.events)
        self.fifo = os.open(self.events, os.O_RDWR | os.O_NONBLOCK)
        self.env = {**environment(), "FAKE_STATE": str(self.state),
                    "FAKE_EVENTS": str(self.events),
                    "SYSFS_PATH": str(folder)}

    def set(self, state):
        part = self.state.with_suffix(".new")
        part.write_text(state)
        part.rename(self.state)

    def happens(self, event, times=1):
        os.write(self.fifo, bytes([event]) * times)


    def waiting(self):
        """The events that nobody has taken yet."""
        number = bytearray(4)
        fcntl.ioctl(self.fifo, termios.FIONREAD, number)
        return int.from_bytes(number, sys.byteorder)


@pytest.fixture
def device(tmp_path):
    return Device(tmp_path)


def says(program, *texts):
    """Waits until standard output has all TEXTS, in this order."""
    def has():
        place = 0
        for text in texts:
            place = program.out.find(text, place)
            if place < 0:
                return False
        return True
    deadline(10, has, f"{texts} from {program}")


def stopped(program, number=signal.SIGINT):
    program.send(number)
    program.wait()
    assert (program.status, program.err) == (0, ""), str(program)
    return program


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP))
def test_it_ends_by_a_signal(device, number):
    program = Program("watch", env=device.env)
    says(program, "fake0: present", "fake0 port 1: state ACTIVE", "\n")
    assert len(stopped(program, number).out.splitlines()) == 2


def test_events_and_states(device):
    program = Program("watch", env=device.env)
    says(program, "fake0: present\n")
    device.set("DOWN")
    device.happens(PORT_ERR)
    says(program, "fake0 port 1: IBV_EVENT_PORT_ERR: the port went down\n",
         "fake0 port 1: state ACTIVE -> DOWN\n")
    os.unlink(device.state)
    says(program, "fake0: removed\n")
    device.set("ACTIVE")
    says(program, "fake0: added\n", "fake0 port 1: state ACTIVE, ")
    stopped(program)


def test_json_lines(device, tmp_path):
    path = tmp_path / "lines"
    program = Program("watch", "-d", "fake0", f"--json-lines={path}",
                      env=device.env)
    deadline(10, lambda: path.exists() and '"port"' in path.read_text(),
             "the first look")
    device.happens(GID_CHANGE)
    deadline(10, lambda: "GID_CHANGE" in path.read_text(), "the event")
    assert stopped(program).out == ""
    lines = [schemas.load(line, "verbsperf-events-1")
             for line in path.read_text().splitlines()]
    assert [line["type"] for line in lines] == [
        "start", "device", "port", "async", "end"]
    assert [line["number"] for line in lines[1:-1]] == [1, 2, 3]
    assert lines[2]["now"]["state"] == "ACTIVE"
    assert lines[3]["event"] == "IBV_EVENT_GID_CHANGE"
    assert (lines[4]["events"], lines[4]["lost"]) == (3, 0)


def test_duration(device):
    began = time.monotonic()
    succeeded(Program("watch", "-D", "300ms", env=device.env))
    assert 0.3 <= time.monotonic() - began < 10


def test_device_that_comes_later(device):
    os.unlink(device.state)
    program = Program("watch", "-d", "fake0", env=device.env)
    program.wait_for("no RDMA device fake0 is here yet: waiting for it\n")
    device.set("ACTIVE")
    says(program, "fake0: added\n", "fake0 port 1: state ACTIVE")
    program.send(signal.SIGINT)
    assert program.wait().status == 0


def test_reader_that_goes_ends_it(device):
    with subprocess.Popen([BINARY, "watch"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=device.env) as process:
        assert b"fake0: present\n" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


def test_reader_that_does_not_read_learns_what_is_missing(device):
    """More events than 4 MiB of lines and a pipe can hold."""
    many, sent = 30000, 0
    with subprocess.Popen([BINARY, "watch", "--json-lines"], text=True,
                          stdout=subprocess.PIPE, env=device.env) as process:
        assert json.loads(process.stdout.readline())["type"] == "start"
        assert "fake0" in process.stdout.readline()
        while sent < many:
            try:
                device.happens(GID_CHANGE, 1000)
                sent += 1000
            except BlockingIOError:
                time.sleep(0.01)
        deadline(20, lambda: not device.waiting(), "all taken")
        process.send_signal(signal.SIGINT)
        lines = [json.loads(line) for line in process.stdout]
        assert process.wait(10) == 0
    missing = sum(line["count"] for line in lines if line["type"] == "lost")
    numbers = [line["number"] for line in lines if "number" in line]
    assert lines[-1]["type"] == "end" and lines[-1]["lost"] == missing > 0
    assert len(numbers) + missing == lines[-1]["events"] - 1


@pytest.mark.parametrize("options", ((), ("--json-lines",)))
def test_closed_standard_output_is_not_taken_for_a_reader(device, options):
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", BINARY, "watch",
                           *options], env=device.env, text=True,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1
    assert "cannot write to stdout: Bad file descriptor" in done.stderr


@pytest.mark.parametrize("words, text", (
    (("--json",), "--json: not for watch.*--json-lines"),
    (("-n", 5), "--iterations: not for watch"),
    (("-i", 0), "-i 0: expected 1"), (("rxe0",), "unexpected argument 'rxe0'")))
def test_mistakes(words, text):
    failed(Program("watch", *words), text, status=2)
