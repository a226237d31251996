#!/usr/bin/env python3
"""What a thousand runs leave behind in which something ran out:
verbsperf-lab --cpus 1 -- /usr/bin/python3 exhaust.py [RUNS]

At either end objects of the device (rdma.max of a control group), contexts of
it, locked memory or descriptors run out, at every object in turn.  Each run must
end soon, with one error that both the text and the document have, or, where a
test of the control path holds all that there is, with its limit.  One server is
there for all runs; what it has is shown before and after, as is what the device
and the kernel have.  VERBSPERF is the program to run.  The exit status is 1 if a
run was wrong or something is left."""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from programs import table

PROGRAM = os.environ.get("VERBSPERF") or str(
    pathlib.Path(__file__).resolve().parents[2] / "build/verbsperf")
DEVICE = os.environ.get("VERBSPERF_LAB_DEVICE", "rxe0")
GROUPS = pathlib.Path("/sys/fs/cgroup")
RUNS = 1000
# A run that fails ends by then.
SOON = 30
# A server without a descriptor waits 10 s for one.
TIMEOUT = 15
# Root may lock what it likes, and raise its limits, unless it cannot.
AS_USER = ["setpriv", "--bounding-set=-ipc_lock,-sys_resource",
           "--inh-caps=-ipc_lock,-sys_resource"]
HOLD = ("reg_mr", "create_qp", "create_cq", "create_ah", "qp_setup",
        "mw_bind", "connect", "connect --rdma-cm")

# At END there is at most N of WHAT; TEST is then run.
Case = collections.namedtuple("Case", "test end what n")


def cases():
    """Every object of a run in turn, at either end."""
    for end in "client", "server":
        for n in range(5):
            yield Case("send_lat -n 5", end, "hca_object", n)
        yield Case("write_bw -n 5 --qps 16", end, "hca_object", 12)
        yield Case("send_bw -n 5 -c UD --qps 8", end, "hca_object", 9)
        yield Case("send_bw -n 5 --srq --qps 4", end, "hca_object", 5)
        yield Case("connect -n 5", end, "hca_object", 1)
        yield Case("connect -n 5 --rdma-cm", end, "hca_object", 3)
        yield Case("write_lat -n 5", end, "hca_handle", 0)
        yield Case("write_bw -n 5 -s 1M", end, "locked", 256 * 1024)
        for n in (1, 3, 5) if end == "client" else (1, 3):
            yield Case("read_bw -n 5 -s 4K", end, "descriptors", n)
    for test in HOLD:
        yield Case(f"{test} --pattern hold -n 500", "client", "hca_object", 20)


def in_group(name):
    """Has a process begin in the control group NAME."""
    file = GROUPS / name / "cgroup.procs"
    return lambda: file.write_text("0", encoding="ascii")


def make_groups():
    if not (GROUPS / "cgroup.controllers").exists():
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", GROUPS],
                       check=True)
    (GROUPS / "cgroup.subtree_control").write_text("+rdma", encoding="ascii")
    for name in "client", "server":
        (GROUPS / name).mkdir(exist_ok=True)


def set_objects(name, **most):
    words = [DEVICE, *(f"{what}={most.get(what, 'max')}"
                       for what in ("hca_handle", "hca_object"))]
    (GROUPS / name / "rdma.max").write_text(" ".join(words), encoding="ascii")


def count(folder):
    return len(os.listdir(folder))


class Server:
    """The server of all runs."""

    def __init__(self):
        # pylint: disable=subprocess-popen-preexec-fn
        self.process = subprocess.Popen(
            [*AS_USER, PROGRAM, "serve", "-d", DEVICE, "-p", "0"], text=True,
            stderr=subprocess.PIPE, preexec_fn=in_group("server"))
        self.pid = self.process.pid
        for line in self.process.stderr:
            found = re.search(r"serving on TCP port (\d+)", line)
            if found:
                self.port = found[1]
                break
        # it says something of each client
        subprocess.Popen(["cat"], stdin=self.process.stderr,
                         stdout=subprocess.DEVNULL)
        self.descriptors = count(f"/proc/{self.pid}/fd")

    def children(self):
        path = f"/proc/{self.pid}/task/{self.pid}/children"
        return pathlib.Path(path).read_text(encoding="ascii").split()

    def wait_until_alone(self):
        """The process of a client ends after its client."""
        end = time.monotonic() + SOON
        while self.children() and time.monotonic() < end:
            time.sleep(0.02)

    def memory(self):
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text(
            encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1])


@contextlib.contextmanager
def limited(case, server):
    """While it is so, CASE's end has no more; what a client begins with."""
    start = {}
    pid = server.pid if case.end == "server" else None
    kinds = {"locked": (resource.RLIMIT_MEMLOCK, case.n),
             "descriptors": (resource.RLIMIT_NOFILE, case.n + (
                 server.descriptors if pid else 3))}
    if case.what in kinds:
        kind, n = kinds[case.what]
        if pid:
            before = resource.prlimit(pid, kind, (n, 1 << 20))
        else:
            start[kind] = (n, n)
    else:
        set_objects(case.end, **{case.what: case.n})
    try:
        yield start
    finally:
        if case.what not in kinds:
            set_objects(case.end)
        elif pid:
            resource.prlimit(pid, kind, before)


def measure(case, server):
    """Run CASE; what the program ended with, said, and wrote."""
    words = [*AS_USER, PROGRAM, *case.test.split(), "-d", DEVICE, "--warmup",
             "0", "--json"]
    if not re.match("reg_|create_|qp_setup", case.test):
        words += ["--timeout", str(TIMEOUT)]
    if not re.match("reg_|create_|qp_setup|mw_", case.test):
        words += ["-p", server.port, "127.0.0.1"]
    with limited(case, server) as start:
        def begin():
            in_group("client")()
            for kind, most in start.items():
                resource.setrlimit(kind, most)

        # pylint: disable=subprocess-popen-preexec-fn
        done = subprocess.run(words, capture_output=True, text=True,
                              timeout=SOON, preexec_fn=begin, check=False)
        server.wait_until_alone()
    return done


def problem(done):
    """What is wrong with a run that was to fail, or ""; and how it ended."""
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return "no document", done.stderr
    if done.returncode == 0:
        limit = (document["results"][0]["control"] or {}).get("limit")
        if not limit:
            return "nothing ran out", ""
        return "", f"limit: {limit['message']}; {limit['advice']}"
    if done.returncode != 1:
        return f"status {done.returncode}", done.stderr
    if len(errors) != 1:
        return f"{len(errors)} errors", done.stderr
    if document["error"]["message"] not in errors[0]:
        return "another error in the document", errors[0]
    return "", errors[0].partition("error: ")[2]


def figures(server):
    """What there is of everything that could be left behind."""
    time.sleep(1)
    objects = subprocess.run(["rdma", "resource", "show", DEVICE], check=True,
                             capture_output=True, text=True).stdout
    sockets = pathlib.Path("/proc/net/sockstat").read_text(encoding="ascii")
    memory = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    charged = "".join((GROUPS / name / "rdma.current").read_text(
        encoding="ascii").strip() + " " for name in ("client", "server"))
    return {
        "server: descriptors": count(f"/proc/{server.pid}/fd"),
        "server: threads": count(f"/proc/{server.pid}/task"),
        "server: processes of clients": len(server.children()),
        "server: resident KiB": server.memory(),
        "device: objects": re.sub(r"^\d+: \w+: ", "", objects.strip()),
        "control groups": re.sub(rf"{DEVICE} ", "", charged.strip()),
        "TCP sockets in use": re.search(r"TCP: inuse (\d+)", sockets)[1],
        "kernel: unreclaimable slab KiB": int(re.search(
            r"SUnreclaim:\s+(\d+)", memory)[1])}


def run_all(server, every, runs):
    """RUNS runs, each of EVERY case in turn; what was seen of each case."""
    seen = collections.defaultdict(collections.Counter)
    wrong = 0
    for number in range(runs):
        case = every[number % len(every)]
        try:
            what, end = problem(measure(case, server))
        except subprocess.TimeoutExpired:
            what, end = "it did not end", ""
        wrong += bool(what)
        end = re.sub(r"\bport \d{4,5}\b", "port N", end)
        seen[case][f"WRONG: {what}: {end}" if what else end] += 1
    return seen, wrong


def show(seen):
    for case, ends in seen.items():
        print(f"{case.test}; {case.end}, {case.what} {case.n}")
        for end, number in ends.most_common():
            print(f"  {number:4} {end}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    runs = parser.parse_args().runs
    every = list(cases())
    subprocess.run(["modprobe", "-q", "rdma_ucm"], check=False)
    make_groups()
    server = Server()
    try:
        # what is made once and kept is made by then
        run_all(server, every, len(every))
        before, start = figures(server), time.monotonic()
        seen, wrong = run_all(server, every, runs)
        after = figures(server)
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(SOON)
    show(seen)
    print(f"{runs} runs of {len(every)} cases in "
          f"{time.monotonic() - start:.0f} s, {wrong} wrong")
    table(["", "before", "after"],
          [[name, str(before[name]), str(after[name])] for name in before])
    same = ("server: descriptors", "server: threads", "device: objects",
            "server: processes of clients", "control groups")
    return 1 if wrong or any(before[name] != after[name]
                             for name in same) else 0


if __name__ == "__main__":
    sys.exit(main())
