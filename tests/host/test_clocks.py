"""Two hosts whose clocks disagree: no run is lost, and it is said."""
import json
import shutil

import pytest

from lab import BINARY, DEVICE, Program, Server, client, environment, \
    succeeded

pytestmark = pytest.mark.usefixtures("data")
TESTS = (
    "write_lat", "send_lat", "read_lat", "atomic_lat", "write_bw", "send_bw",
    "read_bw", "atomic_bw", "send_bw -c UD -s 512 -D 2", "send_lat -c UD -s 8",
    "write_bw -c UC --imm -D 2", "write_bw --reversed", "send_bw -b",
    "send_bw -q 2 --threads 2", "write_bw --interval 0.05",
    "write_bw -s 64,4K", "read_lat --rate 1000pps",
    "write_lat --clock monotonic_raw",
    "send_bw -n 5000", "send_lat -n 500",
)
SAID = "the clocks of both hosts disagree: "


def by(fast_clock, factor):
    """What a process gets whose clock is FACTOR times as fast."""
    env = environment()
    return {**env, "FAST_CLOCK": str(factor),
            "LD_PRELOAD": f"{fast_clock}:{env['LD_PRELOAD']}"}


@pytest.mark.parametrize("factor, tests", ((1.2, TESTS[3::4]), (3, TESTS)))
@pytest.mark.parametrize("fast", ("server", "client"))
def test_no_run_is_lost(fast_clock, fast, factor, tests, tmp_path):
    envs = {fast: {"env": by(fast_clock, factor)}}
    server = Server(**envs.get("server", {}))
    ratio = factor if fast == "server" else 1 / factor
    path = tmp_path / "json"
    for test in tests:
        usual = () if " -n" in test or " -D" in test else ("-D", 0.3)
        end = succeeded(client(*test.split(), *usual, f"--json={path}",
                               port=server.port, **envs.get("client", {})))
        clocks = json.loads(path.read_text())["clocks"]
        low, high = clocks["server_to_client"]
        assert low <= ratio * 1.001 and high >= ratio * 0.999, clocks
        if " -n" not in test:
            assert end.out.count(SAID) == 1, str(end)


@pytest.mark.parametrize("fast", ("server", "client"))
@pytest.mark.parametrize("test", ("write_bw", "send_lat"))
def test_both_ends_say_it_first(fast_clock, fast, test):
    """The server, too, although only the client takes both DONEs."""
    envs = {fast: {"env": by(fast_clock, 6)}}
    server = Program(test, "-d", DEVICE, "-p", 0, **envs.get("server", {}))
    port = server.wait_for(r"serving on TCP port (\d+)")[1]
    end = succeeded(client(test, "-D", 1, port=port, **envs.get("client", {})))
    for one in end, succeeded(server):
        doubt = [line for line in one.out.splitlines() if line][-1]
        assert doubt.startswith(f" {SAID}"), str(one)


@pytest.mark.parametrize("name, cells", (("ib_write_bw", 5), ("ib_send_lat", 9)))
def test_perftests_table(fast_clock, server, name, cells, tmp_path):
    """It is said in one line on standard error, and the table is whole."""
    program = tmp_path / name
    program.symlink_to(shutil.which(BINARY))
    end = succeeded(Program("-d", DEVICE, "-p", server.port, "-n", 2000,
                            "127.0.0.1", argv0=(program,),
                            env=by(fast_clock, 3)))
    *_, row, rule = end.out.splitlines()
    assert len(row.split()) == cells and set(rule) == {"-"}, str(end)
    assert all(float(cell) > 0 for cell in row.split()), row
    assert end.err.count("\n") == end.err.count(SAID) == 1, str(end)


def test_clocks_that_agree(server, tmp_path):
    path = tmp_path / "json"
    end = succeeded(client("write_bw", "-D", 0.5, f"--json={path}",
                           port=server.port))
    clocks = json.loads(path.read_text())["clocks"]
    low, high = clocks["server_to_client"]
    assert low <= 1.0001 and high >= 0.9999
    assert "disagree" not in end.out
    for name in "client", "server":
        assert abs(clocks[name]["drift_ppm"]) < 1000


def test_a_clock_that_its_kernel_contradicts(fast_clock, server):
    """Only CLOCK_MONOTONIC_RAW is wrong."""
    env = {**by(fast_clock, 1.05), "FAST_CLOCK_RAW": "1"}
    end = succeeded(client("write_bw", "-D", 0.5, "--verbose",
                           port=server.port, env=env))
    assert "the client's clock (tsc) differs from its kernel's by 5%" in \
        end.out, str(end)


@pytest.mark.parametrize("words", (
    ("write_bw", "-D", 0.5, "--warmup", 2), ("connect", "-D", 1),
    ("write_bw", "-D", 1, "--warmup", 2, "--reversed"),
    ("write_bw", "-D", 1, "--bidirectional")))
def test_a_slow_server_is_waited_for(data, fast_clock, words):
    """Its clock needs three seconds for one, and --timeout is short."""
    server = Server(env=by(fast_clock, 0.3333))
    succeeded(client(*words, "--timeout", 2, port=server.port))
