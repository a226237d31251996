import socket
import time

import pytest

import lab

# scripts/check then begins anew, in other guests
NETWORK_DIED = 70
PATIENCE = 60
# nobody listens there, so that a host that lives refuses
CLOSED = ("10.0.0.2", 9)


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
    it did once in some thirty runs: no later test can pass."""
    yield
    lab.kill_leftovers()
    end = time.monotonic() + PATIENCE
    while not other_guest_answers():
        if time.monotonic() > end:
            pytest.exit("the network between the guests died", NETWORK_DIED)
        time.sleep(0.1)
