"""Starts verbsperf, waits for it with a deadline, and keeps what it said.

VERBSPERF is the program under test, VERBSPERF_TEST_DEVICE an RDMA device of
this machine to use instead of the lab's.
"""

import contextlib
import glob
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

BINARY = os.environ.get("VERBSPERF", "verbsperf")
DEVICE = (os.environ.get("VERBSPERF_TEST_DEVICE")
          or os.environ.get("VERBSPERF_LAB_DEVICE") or "rxe0")
SYSFS = "/sys/class/infiniband/" + DEVICE
# Data moves over it only if FAKE_DATA is set (tests/bench/fake_data.c).
FAKE = DEVICE == "fake0"
HAS_DEVICE = FAKE or os.path.isdir(SYSFS)
IN_LAB = os.environ.get("VERBSPERF_LAB") == "1"
TESTS = ("write_lat", "send_lat", "read_lat", "write_bw", "send_bw",
         "read_bw")
PATIENCE = 60
# An end that has nothing to wait for is done by then, on a busy machine, too.
SOON = 30
# Soft-RoCE refuses a message of several packets that is sent a second time,
# which it is when an acknowledgement seems late on a busy machine.
PATIENT = ("--qp-timeout", 18)
QUICK = ("-n", 10, "--warmup", 0, *PATIENT)

needs_device = pytest.mark.skipif(
    not HAS_DEVICE, reason="there is no RDMA device " + DEVICE)
needs_lab = pytest.mark.skipif(
    not (IN_LAB and HAS_DEVICE), reason="it changes the machine: lab only")

running = []

# What nohup, or a shell's '&', has these tests ignore, the programs that they
# start must not; a program starts without its parent's handlers.
for number in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda _number, _frame: None)


def beside(name):
    """What was built for system tests, beside the program."""
    program = os.path.abspath(shutil.which(BINARY) or BINARY)
    return os.path.join(os.path.dirname(program), "tests/system", name)


def deadline(seconds, condition, what):
    """Waits until CONDITION() is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            pytest.fail(f"not within {seconds} seconds: {what}")
        time.sleep(0.02)


def read_line(path):
    """Nothing of what is gone meanwhile."""
    try:
        with open(path) as file:
            return file.readline().rstrip()
    except OSError:
        return None


def environment():
    """With the library that is to be loaded before others, if there is one."""
    if "VERBSPERF_PRELOAD" not in os.environ:
        return None
    return {**os.environ, "LD_PRELOAD": os.environ["VERBSPERF_PRELOAD"]}


class Program:
    """One verbsperf, with its output in files, that cannot block it."""

    def __init__(self, *args, argv0=(BINARY,), **popen):
        self.argv = [str(word) for word in (*argv0, *args)]
        self.files = {"stdout": tempfile.TemporaryFile(),
                      "stderr": tempfile.TemporaryFile()}
        options = {"stdin": subprocess.DEVNULL, "start_new_session": True,
                   **self.files, "env": environment(), **popen}
        self.process = subprocess.Popen(self.argv, **options)
        self.forgotten = 0
        self.shared = False
        running.append(self)

    def read(self, name):
        file = self.files[name].fileno()
        data = os.pread(file, os.fstat(file).st_size, 0)
        return data.decode("utf-8", "replace")

    @property
    def out(self):
        return self.read("stdout")

    @property
    def err(self):
        return self.read("stderr")[self.forgotten:]

    def forget(self):
        """What it said so far is of no interest any more."""
        self.forgotten += len(self.err)

    @property
    def status(self):
        return self.process.poll()

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if "error: " in line]

    def wait(self, seconds=PATIENCE):
        """Waits for the end, which must come; returns itself."""
        if self.status is None:
            end = os.pidfd_open(self.process.pid)
            select.select([end], [], [], seconds)
            os.close(end)
        if self.status is None:
            pytest.fail(f"not within {seconds} seconds: the end of {self}")
        return self

    def wait_for(self, pattern, seconds=PATIENCE):
        """Waits for PATTERN on standard error."""
        return deadline(seconds, lambda: re.search(pattern, self.err),
                        f"/{pattern}/ from {self}")

    def wait_for_output(self, text, count=1):
        """Waits until standard output has TEXT that often."""
        deadline(PATIENCE, lambda: self.out.count(text) >= count,
                 f"{count} x {text!r} on standard output of {self}")

    def wait_for_traffic(self, seconds=PATIENCE, thread="monitor"):
        """While traffic runs there is a thread that watches it."""
        pattern = f"/proc/{self.process.pid}/task/*/comm"
        deadline(seconds, lambda: any(read_line(name) == thread
                                      for name in glob.glob(pattern)),
                 f"traffic of {self}")

    def children(self):
        """The process identifiers of its children."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        for number in (signal.SIGCONT, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
        self.process.wait()

    def __str__(self):
        return (f"{' '.join(self.argv)}\nstatus {self.status}\n"
                f"stdout:\n{self.out}\nstderr:\n{self.err}")


class Server(Program):
    """A server on a port of its own choice, once it listens."""

    def __init__(self, *args, command="serve", **popen):
        super().__init__(command, "-d", DEVICE, "-p", 0, *args, **popen)
        self.port = int(self.wait_for(r"serving on TCP port (\d+)")[1])


def gid_of_ipv4():
    """The index of the IPv4 address's: perftest 6.06 takes the first GID."""
    folder = pathlib.Path(f"/sys/class/infiniband/{DEVICE}/ports/1/gids")
    for path in sorted(folder.iterdir(), key=lambda path: int(path.name)):
        if "ffff:" in path.read_text()[20:30]:
            return path.name
    return pytest.skip(f"{DEVICE} has no IPv4 address")


def client(test, *args, port, host="127.0.0.1", **popen):
    """Starts a client of the server on PORT."""
    return Program(test, "-d", DEVICE, "-p", port, *args, host, **popen)


def loopback(test, *args, **popen):
    """Starts both ends in one command."""
    return Program(test, "-d", DEVICE, "--loopback", *args, **popen)


def succeeded(program, seconds=PATIENCE):
    """PROGRAM ends with 0 and without a complaint; returns it."""
    program.wait(seconds)
    assert program.status == 0 and not program.errors, str(program)
    return program


def failed(program, *texts, status=1, seconds=PATIENCE):
    """PROGRAM ends with STATUS and one line that has all TEXTS."""
    program.wait(seconds)
    assert program.status == status, str(program)
    return complained(program, *texts)


def interrupted(program, number, *texts, seconds=PATIENCE):
    """PROGRAM ends by the signal NUMBER, as a shell expects, and says so."""
    name = signal.Signals(number).name
    return failed(program, f"error: interrupted by {name}$", *texts,
                  status=-number, seconds=seconds)


def complained(program, *texts):
    """One line of error from PROGRAM has all TEXTS; returns it."""
    program.wait_for(r"error: .*\n")
    assert len(program.errors) == 1, str(program)
    line = program.errors[0]
    for text in texts:
        assert re.search(text, line), f"no /{text}/ in: {line}"
    return line


def serves(server):
    """The next client is served."""
    succeeded(client("write_bw", *QUICK, port=server.port))


def complained_and_serves(server, *texts, next_client=serves):
    """SERVER said why one client failed, and takes the next one."""
    complained(server, *texts)
    next_client(server)
    line = complained(server, *texts)
    assert server.status is None, str(server)
    return line


def free_port(address="127.0.0.1"):
    """A TCP port that nobody has, nor gets unless they name it: those that the
    kernel gives to others in the meantime are above."""
    while True:
        port = random.randrange(20000, 32000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind((address, port))
            return port


def kill_leftovers(shared_too=False):
    """Ends every program, but those that tests share."""
    for program in [p for p in running if shared_too or not p.shared]:
        program.kill()
        for file in program.files.values():
            file.close()
        running.remove(program)
