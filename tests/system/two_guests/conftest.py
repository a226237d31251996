import functools
import pathlib
import socket
import subprocess
import time

import pytest

import lab
from capture import Capture
from hosts import NETDEV, RemoteServer, here, needs_two_hosts, there

HERE = pathlib.Path(__file__).resolve().parent
# scripts/check then begins anew, in other guests
NETWORK_DIED = 70
PATIENCE = 60
# nobody listens there, so that a host that lives refuses
CLOSED = ("10.0.0.2", 9)


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(needs_two_hosts)


def other_guest_answers():
    """The other guest answers on the network that the RDMA devices are on."""
    try:
        with socket.create_connection(CLOSED, timeout=5):
            return True
    except ConnectionRefusedError:
        return True
    except OSError:
        return False


@pytest.fixture(autouse=True)
def no_leftovers():
    """When a test is over, what it started is killed, and what it did to the
    network is undone.  If nothing arrives then, the emulated network died, as
    it does when a guest has one processor only: no later test can pass."""
    yield
    lab.kill_leftovers()
    end = time.monotonic() + PATIENCE
    while not other_guest_answers():
        if time.monotonic() > end:
            pytest.exit("the network between the guests died", NETWORK_DIED)
        time.sleep(0.1)


@functools.cache
def mac_of(where):
    return where(f"cat /sys/class/net/{NETDEV}/address").strip()


@pytest.fixture
def neighbours():
    """Each host knows the other's MAC for good: an ARP that is lost would end
    the run before any packet of the measurement is."""
    hosts = ((here, "10.0.0.2", there), (there, "10.0.0.1", here))
    for where, address, other in hosts:
        where(f"ip neigh replace {address} lladdr {mac_of(other)} dev {NETDEV} "
              "nud permanent")
    yield
    for where, address, _ in hosts:
        where(f"ip neigh change {address} dev {NETDEV} nud stale")


@pytest.fixture(scope="module")
def server_there():
    server = RemoteServer()
    server.shared = True
    return server


@pytest.fixture
def remote(server_there):
    """What it said in a test before, which may have failed, is forgotten."""
    server_there.forget()
    return server_there


@pytest.fixture
def fresh():
    return RemoteServer()


@pytest.fixture
def lossy():
    """Call it with a percentage of packets to lose, on their way there."""
    def lose(percent):
        here(f"tc qdisc add dev {NETDEV} root netem loss {percent}%")
    yield lose
    subprocess.run(f"tc qdisc del dev {NETDEV} root".split(), timeout=30)


@pytest.fixture
def capture():
    capture = Capture()
    yield capture
    capture.socket.close()
