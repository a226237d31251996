"""verbsperf-compare --nics on two links that differ in MTU and speed."""

import json
import os
import subprocess
import sys

import pytest

from documents import measured
from hosts import MANAGEMENT, NETDEV, here
from lab import PATIENT, Program, client

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "../../../scripts")
ROUNDS = 3


@pytest.fixture
def narrow():
    """Call it for packets of 512 bytes at 8 Mbit/s on their way there."""
    mtu = here(f"cat /sys/class/net/{NETDEV}/mtu").strip()

    def change():
        here(f"ip link set {NETDEV} mtu 700 && tc qdisc add dev {NETDEV} root "
             "netem rate 8mbit limit 10000")
    yield change
    subprocess.run(f"tc qdisc del dev {NETDEV} root".split(), timeout=30)
    # below 1280 an interface loses its IPv6 addresses
    here(f"ip link set {NETDEV} mtu {mtu}; "
         f"ip addr replace fd00::1/64 dev {NETDEV} nodad")


def measure(path, port):
    """Rounds of bandwidth and latency, into PATH."""
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(ROUNDS):
            for words in (("write_bw", "-s", "2K", "-t", 8, "-D", 0.5),
                          ("read_lat", "-s", "512,2K", "-n", 50)):
                program = client(*words, "--json", "--warmup", 0.1, *PATIENT,
                                 port=port, host=MANAGEMENT)
                measured(program)
                file.write(program.out)
    return path


def compare(*arguments):
    """Python alone takes seconds to start in the lab."""
    program = Program("--nics", *arguments, argv0=(
        sys.executable, os.path.join(SCRIPTS, "verbsperf-compare"))).wait(200)
    assert program.status == 0, program.err
    return program.out


def test_two_mtus_and_two_speeds(remote, narrow, tmp_path):
    wide = measure(tmp_path / "wide", remote.port)
    narrow()
    files = wide, measure(tmp_path / "narrow", remote.port)
    found = json.loads(compare("--json", *files))
    facts = {fact["name"]: fact["values"] for fact in found["differences"]}
    assert facts["MTU"] == {"wide": "1024", "narrow": "512"}
    groups = {group["test"]: group for group in found["groups"]}
    # on a busy machine a difference need not be clear, but never is the
    # narrow link ahead
    stretch, = groups["write_bw"]["ahead"][0]["stretches"]
    assert stretch["ahead"] in ("wide", None)
    figures = groups["write_bw"]["points"][0]["figures"]
    assert 0 < figures["narrow"]["gbps"] < 0.0081
    assert 0 < figures["narrow"]["share"] < 1
    assert [point["size"] for point in groups["read_lat"]["points"]] == [
        512, 2048]
