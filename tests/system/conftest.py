import pytest

import lab

shared = []


@pytest.fixture(autouse=True)
def no_leftovers():
    yield
    lab.kill_leftovers()


def pytest_sessionfinish():
    lab.kill_leftovers(shared_too=True)


@pytest.fixture
def shared_server():
    """A server that other tests had and will have, if it lives."""
    if not shared or shared[-1].status is not None:
        shared.append(lab.Server())
        shared[-1].shared = True
    shared[-1].forget()
    return shared[-1]


@pytest.fixture
def server():
    return lab.Server()
