#!/usr/bin/python3
"""verbsperf-cluster between network namespaces of this machine, with faults
that are planted, and what it says of them.

usage: planted.py [-n NODES] [--fault NAME]... [--seconds S] [OPTION...]

NODES (8) namespaces on a bridge, each with an agent and a fake NIC; the links
between the NICs are those of racks of a quarter of the nodes with two halves
(fake_fabric.c), one rate for each port, and one for each uplink and trunk that
all share.  OPTIONs go to verbsperf-cluster, instead of --pattern all-pairs.
For each fault: the status, the findings and notes, and whether they name what
was planted and nothing else.  Exit status 1 when one is wrong.

Everything is in namespaces of its own, which end with this program; it needs
unshare and nsenter (util-linux), ip, gcc, and either root or a kernel that
lets users have namespaces.  VERBSPERF names the program."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from programs import NIC_SOURCES  # noqa: E402

INSIDE = "PLANTED_INSIDE"
NET, HUB = "10.9.0", "10.9.0.254"
RATE = 1.0          # Gb/s of a port: what a busy machine can keep up with
TRAFFIC = ("write_bw", "--size", "64K", "--events", "--warmup", "0.3")
PATIENCE = 900


class Fabric:
    """The links between NODES, and what is planted in them."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.racks = [nodes[i:i + len(nodes) // 4]
                      for i in range(0, len(nodes), len(nodes) // 4)]
        self.rates = {}     # of a link for all that use it, in ports
        self.each = {}      # of it for each pair
        self.expected = []      # a test of the nodes of each finding
        self.odd = {}           # {node: what its NIC has in its environment}
        self.differs = set()    # the facts that are told of it

    def rack(self, node):
        return next(i for i, some in enumerate(self.racks) if node in some)

    def hops(self, a, b):
        """The shared links from A to B: {name: its rate, in ports}."""
        found = {f"out-{a}": 1, f"in-{b}": 1}
        one, other = self.rack(a), self.rack(b)
        size = len(self.racks[0])
        if one != other:
            found.update({f"up-{one}": size, f"down-{other}": size})
        if one // 2 != other // 2:
            found[f"trunk-{one // 2}"] = 2 * size
        return found

    def path(self, a, b):
        """All links from A to B; a fault of each pair is one of its own."""
        found = {**self.hops(a, b)}
        found.update((name, self.rates[name])
                     for name in found if name in self.rates)
        each = min(self.each.get(name, 1)
                   for name in (*found, f"{a}-{b}"))
        if each < 1:
            found[f"pair-{a}-{b}"] = each
        return found

    def text(self, addresses):
        paths = {(a, b): self.path(a, b) for a in self.nodes
                 for b in self.nodes if a != b}
        links = {name: rate for own in paths.values()
                 for name, rate in own.items()}
        return "".join(
            [f"link {name} {rate * RATE}\n" for name, rate in links.items()]
            + [f"path {addresses[a]} {addresses[b]} {' '.join(own)}\n"
               for (a, b), own in paths.items()])


def of_node(share):
    def plant(fabric):
        node = fabric.nodes[2]
        fabric.rates = {f"out-{node}": share, f"in-{node}": share}
        fabric.expected = [lambda found: found == {node}]
    return plant


def of_odd_node(fabric):
    """Slow, and with another firmware, MTU, and number of lanes."""
    of_node(0.25)(fabric)
    fabric.odd = {fabric.nodes[2]: {
        "FAKE_FIRMWARE": "0.0.1", "FAKE_MTU": "1024",
        "SYSFS_PATH": "one-lane"}}
    fabric.differs = {"fake0 firmware", "fake0 mtu", "fake0 link"}


def of_pair(fabric):
    a, b = fabric.nodes[1], fabric.nodes[4]
    fabric.each = {f"{a}-{b}": 0.5, f"{b}-{a}": 0.5}
    fabric.expected = [lambda found: found == {a, b}]


def of_direction(fabric):
    node = fabric.nodes[5]
    fabric.rates = {f"out-{node}": 0.5}
    fabric.expected = [lambda found: found == {node}]


def of_uplink(kind, rate):
    """The uplink of a rack, both ways, has RATE for each pair or for all."""
    def plant(fabric):
        setattr(fabric, kind, {"up-1": rate, "down-1": rate})
        rack = set(fabric.racks[1])
        fabric.expected = [lambda found: bool(rack & found)]
    return plant


def of_trunk(kind, rate):
    """The trunk between the halves, both ways."""
    def plant(fabric):
        setattr(fabric, kind, {"trunk-0": rate, "trunk-1": rate})
        half = len(fabric.nodes) // 2
        halves = set(fabric.nodes[:half]), set(fabric.nodes[half:])
        fabric.expected = [lambda found: any(half <= found
                                             for half in halves)]
    return plant


FAULTS = {
    "healthy": lambda fabric: None,
    "node 50%": of_node(0.5),
    "node 5%": of_node(0.95),
    "odd node": of_odd_node,
    "pair": of_pair,
    "direction": of_direction,
    "uplink": of_uplink("each", 0.5),
    "trunk": of_trunk("each", 0.5),
    "shared uplink": of_uplink("rates", 1),
    "shared trunk": of_trunk("rates", 1),
}


def run(*words, **more):
    return subprocess.run(list(map(str, words)), check=True, **more)


class Namespaces:
    """A namespace for each node, on a bridge of this one."""

    def __init__(self, folder, names):
        self.folder, self.names = folder, names
        self.addresses = {name: f"{NET}.{i}"
                          for i, name in enumerate(names, 1)}
        self.nic = folder / "fake_nic.so"
        run("gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", self.nic,
            *(HERE / name for name in NIC_SOURCES))
        for name, text in (("four-lanes", "100 Gb/sec (4X EDR)"),
                           ("one-lane", "25 Gb/sec (1X EDR)")):
            port = folder / name / "class/infiniband/fake0/ports/1"
            port.mkdir(parents=True)
            (port / "rate").write_text(f"{text}\n")
        run("ip", "link", "add", "hub", "type", "bridge")
        run("ip", "address", "add", f"{HUB}/24", "dev", "hub")
        run("ip", "link", "set", "hub", "up")
        run("ip", "link", "set", "lo", "up")
        for i, name in enumerate(names):
            self.add(i, name)

    def add(self, number, name):
        """A namespace lives as long as a process in it, which all end."""
        holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{holder.pid}/ns/net") == own:
            time.sleep(0.01)
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name",
            "eth0", "netns", holder.pid)
        run("ip", "link", "set", f"v{number}", "master", "hub", "up")
        inside = ("nsenter", "--net", "--target", holder.pid)
        run(*inside, "ip", "address", "add", f"{self.addresses[name]}/24",
            "dev", "eth0")
        run(*inside, "ip", "link", "set", "eth0", "up")
        run(*inside, "ip", "link", "set", "lo", "up")
        start = self.folder / name
        start.write_text(
            f"#!/bin/sh\ncd {self.folder}\nexec "
            + " ".join(map(str, inside))
            + f" env LD_PRELOAD={self.nic} FAKE_FABRIC={self.folder}/fabric"
            f" FAKE_ADDRESS={self.addresses[name]} SYSFS_PATH=four-lanes"
            f" $(cat {name}.odd) \"$@\"\n")
        start.chmod(0o755)

    def measure(self, fabric, seconds, words):
        """Run verbsperf-cluster; return (status, lines of its file, text)."""
        (self.folder / "fabric").write_text(fabric.text(self.addresses))
        for name in self.names:
            (self.folder / f"{name}.odd").write_text("\n".join(
                map("=".join, fabric.odd.get(name, {}).items())))
        path = self.folder / "results.jsonl"
        path.unlink(missing_ok=True)
        program = os.environ.get("VERBSPERF", TOP / "build/verbsperf")
        done = subprocess.run(
            [sys.executable, TOP / "scripts/verbsperf-cluster", "--nodes",
             ",".join(self.names), "--listen", HUB, "--launch",
             f"{self.folder}/%h", "--program", program, "-o", path, *words,
             *TRAFFIC, "--duration", str(seconds)],
            env={**os.environ, "VERBSPERF": str(program), "COLUMNS": "200"},
            check=False, timeout=PATIENCE, capture_output=True, text=True)
        lines = [json.loads(line) for line in
                 path.read_text().splitlines()[1:]] if path.exists() else []
        return done.returncode, lines, done.stdout + done.stderr


def nodes_of(finding):
    """The nodes that FINDING is about."""
    return {end["node"] for end in finding["ends"]}


def differences(finding):
    """What stands below FINDING: {fact: (here, elsewhere)}."""
    return {one["fact"]: (one["here"], one["elsewhere"])
            for seen in finding["beside"].values() for one in seen["differs"]}


def is_right(fabric, status, findings):
    """Each fault is named by a finding, and nothing else is."""
    named = [nodes_of(one) for one in findings]
    told = {fact for one in findings for fact in differences(one)}
    return (status == (3 if fabric.expected else 0)
            and len(named) == len(fabric.expected) and told == fabric.differs
            and all(test(found)
                    for test, found in zip(fabric.expected, named)))


def spread_of(lines):
    """The values of the rounds, as the least, the middle and the most."""
    values = sorted(one["value"] for one in lines if one["type"] == "pair"
                    and not one["alone"] and one["value"] is not None)
    return (f"{values[0]:.3f}, {values[len(values) // 2]:.3f}, "
            f"{values[-1]:.3f} Gb/s" if values else "nothing measured")


def try_fault(places, name, seconds, words):
    """Plant the fault NAME, and say what comes of it."""
    fabric = Fabric(places.names)
    FAULTS[name](fabric)
    began = time.monotonic()
    status, lines, text = places.measure(fabric, seconds, words)
    findings = [one for one in lines if one["type"] == "finding"]
    right = is_right(fabric, status, findings)
    again = sum(one["type"] == "round" and one["alone"] for one in lines)
    print(f"{name}: {'right' if right else 'WRONG'}, status {status}, "
          f"{spread_of(lines)}, {again} tests again, "
          f"{time.monotonic() - began:.0f} s")
    for one in lines:
        if one["type"] in ("finding", "note"):
            print(f"  {one.get('kind', 'note')}: {one['sentence']}")
        for fact, both in (differences(one).items()
                           if one["type"] == "finding" else ()):
            print(f"    {fact}: %s, elsewhere %s" % both)
    if status not in (0, 3):
        print(text)
    sys.stdout.flush()
    return right


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-n", type=int, default=8, choices=(8, 16, 32, 64),
                        metavar="NODES")
    parser.add_argument("--fault", action="append", choices=FAULTS,
                        metavar="NAME",
                        help=", ".join(FAULTS).replace("%", "%%"))
    parser.add_argument("--seconds", type=float, default=0.5, metavar="S",
                        help="that each pair measures")
    return parser.parse_known_args()


def main():
    options, words = arguments()
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", [
            "unshare", "--map-root-user", "--net", "--mount", "--pid",
            "--fork", "--kill-child", "--mount-proc", sys.executable,
            *sys.argv])
    names = [f"n{i:02}" for i in range(1, options.n + 1)]
    with tempfile.TemporaryDirectory() as folder:
        places = Namespaces(pathlib.Path(folder), names)
        print(f"{options.n} nodes, ports of {RATE:g} Gb/s, "
              f"{options.seconds:g} s each")
        wrong = sum(not try_fault(places, name, options.seconds,
                                  words or ["--pattern", "all-pairs"])
                    for name in options.fault or FAULTS)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
