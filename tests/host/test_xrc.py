"""XRC between whole processes: what moves no data, on a device that has XRC, and
what one says that has none."""
import os
import shutil

import pytest

from documents import row_of
from lab import BINARY, Program, failed, loopback, succeeded

QUICK = ("-n", 1000, "--warmup", 0)


@pytest.fixture
def xrc(monkeypatch):
    monkeypatch.setenv("FAKE_XRC", "1")


@pytest.mark.parametrize("words", (
    ("write_bw",), ("write_bw", "-b", "-q", 5, "--threads", 2), ("read_bw",),
    ("read_lat",), ("atomic_bw", "--reversed"), ("atomic_lat",)),
    ids=lambda words: " ".join(map(str, words)))
def test_measures(xrc, words):
    row = row_of(loopback(*words, "-c", "XRC", *QUICK, "--json"))
    assert row["iterations"] == 1000 * row["qps"] * (1 + ("-b" in words))


@pytest.mark.parametrize("words", (("send_bw",), ("send_lat", "-e")),
                         ids=" ".join)
def test_receives_that_nothing_takes(xrc, words):
    """No end dies of them: both say that nothing came."""
    program = loopback(*words, "-c", "XRC", *QUICK, "--timeout", 1).wait()
    assert program.status == 1, str(program)
    assert ("waited for DONE" in program.err
            or "did not send DONE within 1 s" in program.err
            or "nothing completed for 1 s" in program.err)


def test_under_the_name_of_perftest(xrc, tmp_path):
    name = tmp_path / "ib_write_bw"
    name.symlink_to(os.path.abspath(shutil.which(BINARY) or BINARY))
    words = ("-c", "XRC", "--use-srq", "-n", 1000, "-p")
    server = Program(*words, 0, argv0=(name,))
    port = server.wait_for(r"serving on TCP port (\d+)")[1]
    client = succeeded(Program(*words, port, "127.0.0.1", argv0=(name,)))
    assert "Connection type : XRC\t\tUsing SRQ      : ON" in client.out
    succeeded(server)


def test_a_device_without_xrc():
    failed(loopback("write_bw", "-c", "XRC", *QUICK),
           "--transport XRC: the client's fake0 has no XRC")
    program = loopback("write_bw", "-c", "XRC", "--check").wait()
    assert program.status == 1, str(program)
    assert "the server's fake0 has no XRC" in program.out
