import json
import os
import pathlib
import time

import pytest

import guests
import lab

CLUSTER = guests.TOP / "scripts/verbsperf-cluster"
LONG = 300
# An agent that hears nothing waits 30 s, and one that is stopped 60 s.
GONE_WITHIN = 100


def write_bw(seconds, rate=0.002):
    """Slow enough for emulated processors, whatever else they do."""
    return ("write_bw", "--size", "1K", "--tx-depth", "8", "--rate", str(rate),
            "--qp-timeout", "18", "--duration", str(seconds))


def pytest_collection_modifyitems(items):
    """They need three guests, and those that a guest dies in come last."""
    if len(guests.NODES) < 3:
        pytest.exit("they need verbsperf-lab --guests 3; see run", 2)
    items.sort(key=lambda item: item.path.name == "test_vanished.py")


def pytest_runtest_logreport(report):
    """It is long to wait for the reason until all have run."""
    if report.failed:
        folder = pathlib.Path(os.environ["VERBSPERF_LAB_RESULTS"])
        with open(folder / "failures", "a") as file:
            file.write(f"{report.nodeid}, {report.when}\n"
                       f"{report.longreprtext}\n\n")


class Cluster(lab.Program):
    """A running verbsperf-cluster, started by HOW."""

    count = 0

    def __init__(self, how, *words, traffic=write_bw(2), resume=None, **popen):
        Cluster.count += 1
        self.path = resume or guests.WORK / f"{Cluster.count}.jsonl"
        self.began = time.monotonic()
        self.words = [*map(str, words), *traffic]
        place = {"ssh": ["--nodes", guests.SET],
                 "slurm": ["--launch", "slurm"]}.get(how, [])
        argv0 = ["/usr/bin/python3", "-B", CLUSTER]
        if how == "slurm":
            argv0 = ["salloc", "-Q", f"-N{len(guests.NODES)}", *argv0]
        env = {**os.environ, "PATH": guests.PATH, "COLUMNS": "120",
               **popen.pop("env", {})}
        super().__init__(*place, "-o", self.path,
                         *(["--resume"] if resume else []), *self.words,
                         argv0=argv0, **{"env": env, **popen})

    def lines(self, kind=None):
        """Return the lines of its file, or those of KIND."""
        every = [json.loads(line)
                 for line in self.path.read_text().splitlines()]
        return [one for one in every if kind in (None, one.get("type"))]

    def rounds(self):
        """Return the lines of the rounds of its pattern."""
        return [one for one in self.lines("round") if not one["alone"]]

    def end(self, *statuses, seconds=LONG):
        """Wait for its end, with one of STATUSES; return what it said."""
        self.wait(seconds)
        self.keep()
        assert self.status in statuses, (self.err, self.out)
        assert "Traceback" not in self.err, self.err
        return self.out

    def keep(self):
        """Add what a user saw to the results."""
        folder = pathlib.Path(os.environ["VERBSPERF_LAB_RESULTS"])
        line = " ".join(self.argv).replace(f"/usr/bin/python3 -B {CLUSTER}",
                                           "verbsperf-cluster")
        with open(folder / "seen", "a") as file:
            file.write(f"$ {line}\n"
                       f"{self.err}{self.out}exit status {self.status}, "
                       f"{time.monotonic() - self.began:.0f} s\n\n")

    def wait_for_rounds(self, number):
        """Wait until NUMBER rounds are in its file."""
        guests.wait_for(lambda: self.path.exists()
                        and len(self.rounds()) >= number, LONG,
                        f"{number} rounds")

    def pid(self):
        """The coordinator itself, which salloc may have started."""
        pid, = (pid for pid in guests.processes(1, str(CLUSTER), "--pattern")
                if "salloc" not in lab.read_line(f"/proc/{pid}/cmdline"))
        return pid


def when_measuring(number, command="true"):
    """Wait until a client runs on the guest NUMBER, and has had time to
    connect; then run COMMAND there, at once: a round does not last long."""
    guests.shell(number, f"""
        until pgrep -f -- '--hol[d]' >/dev/null; do sleep 0.2; done
        sleep 4
        {command}""", timeout=LONG)


@pytest.fixture(scope="session")
def ssh():
    guests.start_sshd()
    return "ssh"


@pytest.fixture(scope="session")
def slurm(ssh):
    guests.start_slurm()
    return "slurm"


@pytest.fixture
def how(request):
    """How the agents are started: parametrize it with "ssh" and "slurm"."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def before(request, ssh, slurm):
    """What is on the guests, for left_behind()."""
    return guests.states()


@pytest.fixture
def nothing_left(before):
    """Nothing is left on any guest, at the end of a test."""
    yield before
    seen = {}

    def clean():
        seen["left"] = guests.left_behind(before)
        return not seen["left"]

    try:
        guests.wait_for(clean, GONE_WITHIN, "the end of all")
    except AssertionError:
        pytest.fail(f"left behind: {seen['left']}")
