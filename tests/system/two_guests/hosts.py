"""Two hosts: here, where the tests run, and the other guest, which they reach
through verbsperf-lab-peer."""

import os
import subprocess

import pytest

from lab import BINARY, DEVICE, Program

needs_two_hosts = pytest.mark.skipif(
    os.environ.get("VERBSPERF_LAB_GUESTS") != "2",
    reason="it takes verbsperf-lab --guests 2")

NETDEV = os.environ.get("VERBSPERF_LAB_NETDEV", "eth0")
ROCE, MANAGEMENT, ROCE6 = "10.0.0.2", "10.0.1.2", "fd00::2"


def here(command, *prefix):
    """Through a shell: kill(1) is its own, and may be no program. What it
    printed."""
    return subprocess.run([*prefix, "sh", "-c", command], check=True,
                          timeout=120, stdout=subprocess.PIPE, text=True).stdout


def there(command):
    return here(command, "verbsperf-lab-peer")


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
