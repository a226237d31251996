"""The programs that are compared, on the fake NIC: built, run, read.

Every run has a deadline.  The client is on one CPU and the server, which
sleeps in a one-sided test, on another."""
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DEADLINE = 120
NIC_SOURCES = ["fake_nic.c", "fake_path.c", "fake_time.c", "fake_data.c",
               "fake_fabric.c"]
# Without vectorisation, as descriptors are written field by field.
CFLAGS = ["-std=gnu11", "-O2", "-g", "-fno-tree-slp-vectorize", "-Wall"]
# A port of its own for every run: none waits for the last one's to be free.
PORTS = itertools.count(21000)


class Failed(Exception):
    """A program that should have run did not."""


class Refused(Failed):
    """A program does not have the option it was given."""


def listening(port):
    """Does a socket of this machine listen on PORT?"""
    wanted = f":{port:04X}"
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as table:
            for line in table:
                words = line.split()
                if words[1].endswith(wanted) and words[3] == "0A":
                    return True
    return False


class Bench:
    """Where things are, and how they are run."""

    def __init__(self, directory, verbsperf, verbose=False, quick=False):
        self.directory = pathlib.Path(directory)
        self.verbsperf = verbsperf
        self.verbose = verbose
        self.quick = quick
        self.nic = str(self.directory / "fake_nic.so")
        self.bare = str(self.directory / "bare")
        self.has_perftest = shutil.which("ib_read_lat") is not None
        cpus = sorted(os.sched_getaffinity(0))
        self.server_cpu, self.client_cpu = str(cpus[0]), str(cpus[-1])

    def build(self):
        compiler = os.environ.get("CC", "cc")
        sources = [str(HERE / name) for name in NIC_SOURCES]
        self.tool([compiler] + CFLAGS + ["-shared", "-fPIC", "-o", self.nic] +
                  sources)
        self.tool([compiler] + CFLAGS + ["-o", self.bare,
                                         str(HERE / "bare.c"), "-libverbs",
                                         "-lm"])

    def say(self, command, fake, how=""):
        if self.verbose:
            setting = [f"{name}={value}" for name, value in fake.items()]
            print(f"$ {shlex.join(setting + command)}{how}", file=sys.stderr,
                  flush=True)

    def tool(self, command):
        """Run COMMAND without a NIC."""
        self.say(command, {})
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=DEADLINE)
        if done.returncode:
            raise Failed(f"{shlex.join(command)}: {done.stderr}")
        return done.stdout

    def alone(self, command, fake=None, before=()):
        """Run COMMAND, a client without a server; its output."""
        fake = {"LD_PRELOAD": self.nic, **(fake or {})}
        command = ["taskset", "-c", self.client_cpu, *before, *command]
        self.say(command, fake)
        try:
            done = subprocess.run(command, capture_output=True, text=True,
                                  timeout=DEADLINE, env={**os.environ, **fake})
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{shlex.join(command)}: not done after "
                         f"{DEADLINE} s") from late
        if done.returncode == 2:
            raise Refused(done.stderr)
        if done.returncode:
            raise Failed(f"{shlex.join(command)}: exit status "
                         f"{done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def pair(self, server, client, port, fake=None, before=()):
        """Run SERVER and CLIENT, the client with FAKE and below BEFORE."""
        preload = {"LD_PRELOAD": self.nic}
        server = ["taskset", "-c", self.server_cpu] + server
        self.say(server, preload, " &")
        end = subprocess.Popen(server, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               env={**os.environ, **preload})
        try:
            give_up = time.monotonic() + 20
            while not listening(port):
                if end.poll() is not None or time.monotonic() > give_up:
                    raise Failed(f"{shlex.join(server)}: does not serve")
                time.sleep(0.02)
            output = self.alone(client, fake, before)
            end.wait(timeout=10)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{shlex.join(server)}: does not end") from late
        finally:
            end.kill()
            end.wait()
        return output

    def run_verbsperf(self, test, options, fake=None, before=()):
        """The JSON document of one run over TCP."""
        port = next(PORTS)
        own = ["-p", str(port)]
        output = self.pair([self.verbsperf, "serve", "--once"] + own,
                           [self.verbsperf, test] + own + options +
                           ["--json", "127.0.0.1"], port, fake, before)
        return json.loads(output)

    def run_perftest(self, test, options, fake=None, before=()):
        """The numbers of the result line of one run."""
        port = next(PORTS)
        command = [f"ib_{test}", "-F", "-p", str(port)] + options
        output = self.pair(command, command + ["127.0.0.1"], port, fake,
                           before)
        rows = [line.split() for line in output.splitlines()
                if re.fullmatch(r"\s*\d[\d.\s]*", line)]
        if not rows:
            raise Failed(f"{shlex.join(command)}: no result in: {output}")
        return [float(word) for word in rows[-1]]

    def run_bare(self, arguments, fake=None, before=()):
        command = [self.bare] + [str(a) for a in arguments]
        return json.loads(self.alone(command, fake, before))

    def device_log(self):
        """A file for FAKE_SAMPLES, not there yet."""
        path = self.directory / "samples"
        path.unlink(missing_ok=True)
        return path


def read_samples(path):
    """What the device saw: (posted, taken) of each completion, in ns."""
    with open(path, encoding="ascii") as lines:
        return [tuple(float(word) for word in line.split()) for line in lines]


def table(heading, rows):
    """Print ROWS, lists of text, in columns below HEADING."""
    lines = [heading] + rows
    widths = [max(len(line[i]) for line in lines)
              for i in range(len(heading))]
    for line in lines:
        print("  ".join([line[0].ljust(widths[0])] +
                        [text.rjust(width) for text, width
                         in zip(line[1:], widths[1:])]).rstrip(), flush=True)
