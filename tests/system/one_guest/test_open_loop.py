"""Traffic at a rate that was asked for: paced bandwidth, and latency under a
load that does not wait.  Rates are small: Soft-RoCE in the lab does some
thousand messages a second, with pauses."""

import math

import pytest

from documents import measured, row_of
from lab import PATIENT, failed, loopback, needs_device, succeeded

pytestmark = [needs_device, pytest.mark.data]

OPEN = ("write_lat", "send_lat", "read_lat")


def run(test, *args):
    return loopback(test, "--json", *args)


@pytest.mark.parametrize("arrival", ("fixed", "poisson"))
@pytest.mark.parametrize("test", OPEN)
def test_open_loop_reaches_its_rate(test, arrival):
    # two ends that share a processor take a slice of it each: 10 ms for both
    document = measured(run(test, "--rate", "50pps", "-D", 2, "--warmup", 0,
                            "--arrival", arrival))
    assert document["test"]["load"] == "open"
    assert document["parameters"]["arrival"] == arrival
    assert document["parameters"]["rate"] == {"value": 0.00005,
                                              "unit": "Mpps"}
    latency = document["results"][0]["latency"]
    assert math.isclose(latency["requested_mpps"], 0.00005)
    # 100 arrivals of a Poisson process are 100 +- 10; and the lab may pause
    assert math.isclose(latency["achieved_mpps"], 0.00005, rel_tol=0.4)
    assert latency["saturated"] is False


@pytest.mark.parametrize("test", (*OPEN, "atomic_lat"))
def test_a_gap_is_no_part_of_the_latency(test):
    whole = ["--round-trip"] if test in ("write_lat", "send_lat") else []
    document = measured(run(test, "--gap", "2ms", "-n", 50, "--warmup", 0,
                            *whole))
    row = document["results"][0]
    assert document["parameters"]["gap"] == 0.002
    samples = row["latency"]["mean"] * 50 / 1e6
    assert row["seconds"] >= 49 * 0.002 + samples * 0.99


@pytest.mark.parametrize("test", OPEN)
def test_exact_count_of_an_open_loop(test):
    row = row_of(run(test, "--rate", "1kpps", "-n", 300, "--histogram"))
    assert row["iterations"] == row["latency"]["samples"] == 300
    assert sum(count for _, _, count in row["histogram"]["bins"]) == 300


@pytest.mark.parametrize("test", OPEN)
@pytest.mark.parametrize("depth", (1, 3))
def test_more_than_the_device_can_do_is_saturated(test, depth):
    program = run(test, "--rate", "100mpps", "-D", 0.5, "--depth", depth)
    row = row_of(program)
    latency = row["latency"]
    assert latency["saturated"] is True
    assert latency["achieved_mpps"] < 50
    assert latency["late"] > latency["samples"] // 2
    # the longer the run, the longer the latency
    assert latency["max"] > row["seconds"] * 1e6 / 4
    assert "saturated: " in program.err


def test_several_sizes_and_slots_go_round():
    document = measured(run("write_lat", "--rate", "1kpps", "-n", 200,
                            "-s", "1,64,4K", "--depth", 2, "--warmup", 0))
    assert [row["size"] for row in document["results"]] == [1, 64, 4096]
    assert all(row["iterations"] == 200 for row in document["results"])


def test_queues_are_as_deep_as_needed():
    row = row_of(run("send_lat", "--rate", "1kpps", "-n", 50, "--depth", 100,
                     "-t", 2, "-r", 2))
    assert row["tx_depth"] == 200


def test_samples_of_an_open_loop(tmp_path):
    path = tmp_path / "s.csv"
    row = row_of(run("read_lat", "--rate", "1kpps", "-n", 200, "--warmup", 0,
                     "--samples", path))
    lines = path.read_text().splitlines()[1:]
    starts = [float(line.split(",")[1]) for line in lines]
    assert len(lines) == row["iterations"] == 200
    # from when they were to start, one millisecond each
    gaps = [b - a for a, b in zip(starts, starts[1:])]
    assert all(math.isclose(gap, 0.001, rel_tol=1e-3) for gap in gaps)


def test_the_table_says_what_was_asked_for():
    program = loopback("read_lat", "--rate", "500pps", "-n", 50,
                       "--verbose")
    out = succeeded(program).out
    assert "open loop: 0.0005 Mpps requested" in out
    assert "latency: round trip from the intended start" in out


@pytest.mark.parametrize("test,rate,args,mpps", (
    ("write_bw", "300pps", (), 300e-6),
    ("send_bw", "0.5mbps", ("-s", 250), 250e-6),
    ("read_bw", "400pps", ("-q", 4, "--threads", 2), 400e-6),
    ("write_bw", "600pps", ("--burst", 6, "-l", 4), 600e-6),
    ("write_bw", "300pps", ("-D", 0.5, "--warmup", 0), 300e-6)))
def test_bandwidth_keeps_to_its_rate(test, rate, args, mpps):
    row = row_of(run(test, "--rate", rate, "-s", 64, *args))
    # how exact it is, tests/bench/run rate says: the lab may pause
    assert math.isclose(row["bandwidth"]["mpps"], mpps, rel_tol=0.5)


def test_paced_count_is_exact():
    row = row_of(run("send_bw", "--rate", "1kpps", "-n", 101, "-q", 3,
                     "-s", 64))
    assert row["iterations"] == 303
    assert row["bandwidth"]["sent"] == row["bandwidth"]["received"]


def test_a_rate_that_is_not_reached_is_said():
    # the highest rate: a fake NIC moves no data, and is fast
    out = succeeded(loopback("write_bw", "--rate", 1000000, "-D", 0.5,
                             *PATIENT)).out
    assert "the rate asked for was not reached: " in out


@pytest.mark.parametrize("args,message", (
    (("write_bw", "--depth", 4), "only for latency, as in write_lat"),
    (("read_lat", "--rate", "1kpps", "--burst", 4), "only for bandwidth"),
    (("send_bw", "--rate", 1, "-s", 0), "messages of 0 bytes")))
def test_refused(args, message):
    failed(loopback(*args), message, status=2)
