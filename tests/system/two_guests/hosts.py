"""Two hosts: here, where the tests run, and the other guest, which they reach
through verbsperf-lab-peer."""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

from lab import BINARY, DEVICE, Program

needs_two_hosts = pytest.mark.skipif(
    os.environ.get("VERBSPERF_LAB_GUESTS") != "2",
    reason="it takes verbsperf-lab --guests 2")

NETDEV = os.environ.get("VERBSPERF_LAB_NETDEV", "eth0")
ROCE, MANAGEMENT, ROCE6 = "10.0.0.2", "10.0.1.2", "fd00::2"


def here(command):
    """Through a shell: kill(1) is its own, and may be no program. What it
    printed."""
    return subprocess.run(["sh", "-c", command], check=True, timeout=120,
                          stdout=subprocess.PIPE, text=True).stdout


def load_peer():
    """verbsperf-lab-peer as a module: to start Python for it takes as long as
    all that most commands do."""
    path = pathlib.Path(__file__).resolve().parents[3] / "scripts/lab/peer"
    loader = importlib.machinery.SourceFileLoader("peer", str(path))
    loader.set_data = lambda *_, **__: None     # no byte code beside it
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("peer", loader))
    loader.exec_module(module)
    return module


peer = load_peer()


def there(command):
    printed = b""
    with contextlib.closing(peer.start(["sh", "-c", command], 2, 0)) as conn:
        conn.settimeout(120)
        while True:
            kind, data = peer.receive_frame(conn)
            if kind == b"x":
                assert data[0] == 0, command
                return printed.decode()
            if kind == b"o":
                printed += data
            else:
                sys.stderr.write(data.decode())


class RemoteServer(Program):
    """A server in the other guest."""

    def __init__(self, *args):
        super().__init__("-c", 'echo "pid $$" >&2; exec "$@"', "sh", BINARY,
                         "serve", "-d", DEVICE, "-p", 0, *args,
                         argv0=("verbsperf-lab-peer", "sh"))
        self.port = int(self.wait_for(r"serving on TCP port (\d+)")[1])
        self.pid = int(self.wait_for(r"pid (\d+)")[1])

    def send(self, number):
        """To the server and what it started, not to who started it."""
        there(f"kill -{int(number)} {self.pid} $(pgrep -P {self.pid})")
