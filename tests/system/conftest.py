import os
import pathlib

import pytest

import lab

shared = []
# What is sent over the fake NIC arrives.
FAKE_DATA = pathlib.Path(f"/dev/shm/verbsperf-fake-{os.getpid()}")
if lab.FAKE:
    os.environ["FAKE_DATA"] = str(FAKE_DATA)


@pytest.fixture(autouse=True)
def no_leftovers():
    yield
    lab.kill_leftovers()


def pytest_sessionfinish():
    lab.kill_leftovers(shared_too=True)
    FAKE_DATA.unlink(missing_ok=True)


@pytest.fixture
def shared_server():
    """A server that other tests had and will have, if it lives."""
    if not shared or shared[-1].status is not None:
        shared.append(lab.Server("--verbose"))
        shared[-1].shared = True
    shared[-1].forget()
    return shared[-1]


@pytest.fixture
def server():
    return lab.Server()
