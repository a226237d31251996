"""The CPU time that is reported is what the system says of the process, too."""
import shutil

import pytest

from cpu_time import Clock, needs_time, used
from documents import measured, row_of
from lab import BINARY, DEVICE, Program, Server, client, environment, \
    succeeded

SIZE = ("-s", 64)
# What lies outside both readings: starting, and making objects.
WITHIN = 0.02


@needs_time
@pytest.mark.parametrize("args", (
    ("-D", 4), ("-n", 40000000), ("-D", 4, "-q", 2, "--threads", 2),
    ("-D", 4, "--rate", "1kpps")))
def test_like_usr_bin_time(tmp_path, args):
    clock = Clock(tmp_path / "times")
    # starting takes longer while the machine does much else
    for _ in range(3):
        program = client("write_bw", "--warmup", 0, *SIZE, *args, "--json",
                         port=Server().port, argv0=clock.argv0)
        ours = row_of(program)["cpu"]["client"]
        off = abs(used(ours) - clock.seconds)
        if off <= WITHIN * clock.seconds + 0.02:
            break
    else:
        pytest.fail(f"{used(ours)} s, of {clock.seconds} s in all")
    threads = ours["threads"]
    assert len(threads) == (2 if "--threads" in args else 1)
    # the rest is the monitor's
    assert sum(map(used, threads)) <= 1.01 * used(ours)
    assert sum(map(used, threads)) >= 0.98 * used(ours) - 0.02


def test_both_ends_and_what_they_say_of_it():
    server = Server("--json-lines=/dev/null")
    row = row_of(client("write_bw", "-D", 1, *SIZE, "--json", "--cpu",
                        port=server.port))
    mine, theirs = row["cpu"]["client"], row["cpu"]["server"]
    for end in mine, theirs:
        assert 0.9 < end["seconds"] < 3
        assert 0 <= end["host_utilization_percent"] <= 100
        assert end["interrupts"] is None
        assert abs(end["utilization_percent"]
                   - 100 * used(end) / end["seconds"]) < 1e-6
    # the loop polls; memory that is written to needs nobody
    assert mine["utilization_percent"] > 10 * theirs["utilization_percent"]
    assert theirs["threads"] == []
    rate = row["iterations"] / row["seconds"]
    assert abs(mine["ns_per_message"] * rate
               - 1e9 * used(mine) / mine["seconds"]) < 1e4
    assert abs(mine["ns_per_gb"] * 64e-9 / mine["ns_per_message"] - 1) < 1e-6


@pytest.fixture
def rare(fast_clock):
    """The environment of a process that has its CPU for a fifth of its time at
    most: its clock is five times as fast, as both ends' is."""
    env = environment()
    return {**env, "FAST_CLOCK": "5",
            "LD_PRELOAD": f"{fast_clock}:{env['LD_PRELOAD']}"}


def test_a_thread_without_its_cpu(rare):
    """It is the first doubt, and only where the end polls."""
    server = Server("--json-lines=/dev/null", env=rare)
    line = ("write_bw", "-D", 1, *SIZE)
    end = succeeded(client(*line, port=server.port, env=rare))
    assert end.out.splitlines()[-1].startswith(
        " the client polls, but its thread had a CPU for only "), str(end)
    cpu = row_of(client(*line, "--json", port=server.port, env=rare))["cpu"]
    assert 0 < cpu["client"]["threads"][0]["on_cpu_percent"] < 25
    assert 0.9 < cpu["client"]["threads"][0]["loop_seconds"] < 5
    assert cpu["server"]["threads"] == []
    end = succeeded(client(*line, "--events", port=server.port, env=rare))
    assert "polls" not in end.out


def test_perftests_table_stays(rare, tmp_path):
    """There it goes to standard error, as all doubts do."""
    name = tmp_path / "ib_write_bw"
    name.symlink_to(shutil.which(BINARY))
    server = Server(env=rare)
    end = succeeded(Program("-d", DEVICE, "-p", server.port, "-D", 1,
                            "127.0.0.1", argv0=(name,), env=rare))
    assert "polls" not in end.out
    assert end.err.count(" polls, but its thread had a CPU for") == 1, str(end)


def test_a_line_for_each_end():
    server = Server()
    line = ("write_bw", "-D", 0.5, *SIZE)
    out = succeeded(client(*line, "--cpu", port=server.port)).out
    for end in "client", "server":
        assert f"\n   {end}: CPU " in out, out
    assert ": CPU " not in succeeded(client(*line, port=server.port)).out


def test_each_size_has_its_own():
    server = Server()
    program = client("write_bw", "-D", 0.5, "--warmup", 0, "-s", "64,128,256",
                     "--json", port=server.port)
    for row in measured(program)["results"]:
        end = row["cpu"]["client"]
        assert 0.4 < end["seconds"] < 3
        assert 0 < used(end) <= 1.05 * end["seconds"]
