"""Whole processes on this machine, on the fake NIC of tests/bench.

VERBSPERF is the program under test, FAKE_NIC the library that has the NIC;
without FAKE_NIC it is built.  No RDMA device and no rights are needed.
"""
import atexit
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
BENCH = TESTS / "bench"
SOURCES = ("fake_nic.c", "fake_path.c", "fake_time.c", "fake_data.c",
           "fake_fabric.c")
sys.dont_write_bytecode = True
sys.path[:0] = [str(TESTS / "system"), str(TESTS / "scripts")]
# what lab.py reads when it is imported
os.environ["VERBSPERF_TEST_DEVICE"] = "fake0"


def fake_nic():
    """The library's path."""
    if "FAKE_NIC" in os.environ:
        return os.environ["FAKE_NIC"]
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    path = os.path.join(folder, "fake_nic.so")
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-fno-tree-slp-vectorize",
                    "-shared", "-fPIC", "-o", path,
                    *(str(BENCH / name) for name in SOURCES)], check=True)
    return path


os.environ["VERBSPERF_PRELOAD"] = fake_nic()

# found where the lines above say
import lab      # noqa: E402


@pytest.fixture(autouse=True)
def no_leftovers():
    yield
    lab.kill_leftovers()


@pytest.fixture
def data(monkeypatch):
    """What is sent arrives, between the programs of this test."""
    path = pathlib.Path(f"/dev/shm/verbsperf-fake-{os.getpid()}")
    monkeypatch.setenv("FAKE_DATA", str(path))
    yield
    lab.kill_leftovers()
    path.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def fast_clock(tmp_path_factory):
    """The library that makes a program's clocks FAST_CLOCK times as fast."""
    path = tmp_path_factory.mktemp("clock") / "fast_clock.so"
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o",
                    path, TESTS / "host/fast_clock.c", "-ldl"], check=True)
    return path


@pytest.fixture
def server():
    return lab.Server()
