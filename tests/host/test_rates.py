"""What is reported of a NIC of a known rate and delay.

FAKE_STEP makes the time of the NIC and of the program's clock go by with what
the program does, so that the machine changes nothing."""
import json
import os
import re
import shutil

import pytest

from lab import BINARY, DEVICE, Program, loopback, succeeded

RUN = ("-s", 4096, "--clock", "monotonic_raw")
SPAN = ("-D", 0.3)
# so long that a busy machine sees ten intervals, too
PEAK = ("-D", 1)
DRY = "the send queue ran dry before {}% of completions: raise --tx-depth"


@pytest.fixture
def wire(monkeypatch):
    """A wire of so many Gb/s and ns."""
    def make(gbps, delay):
        monkeypatch.setenv("FAKE_STEP", "10")
        monkeypatch.setenv("FAKE_GBPS", str(gbps))
        monkeypatch.setenv("FAKE_DELAY", str(delay))
    return make


def result(program):
    """The result of one size, and the table."""
    succeeded(program)
    return json.loads(program.out)["results"][0], program.err


def run(*options, span=SPAN):
    return result(loopback("write_bw", *RUN, *span, *options, "--json",
                           "--verbose"))


@pytest.mark.parametrize("gbps, delay", [(100, 2000), (200, 3000),
                                         (400, 3000)])
@pytest.mark.parametrize("options", [(), ("-q", 4), ("-b",)])
def test_defaults_fill_the_link(wire, gbps, delay, options):
    wire(gbps, delay)
    row, table = run(*options)
    ways = 2 if "-b" in options else 1
    assert row["bandwidth"]["gbps"] == pytest.approx(ways * gbps, rel=0.001)
    assert row["bandwidth"]["dry_percent"] == 0
    assert "dry" not in table
    assert row["cq_mod"] <= row["tx_depth"] / 4


def test_the_narrowest_link_is_the_rate(wire, monkeypatch, tmp_path):
    """Of those on the way through a fabric (fake_fabric.c)."""
    wire(100, 2000)
    fabric = tmp_path / "fabric"
    fabric.write_text("link wide 80\nlink narrow 40\nlink other 10\n"
                      "path 127.0.0.1 127.0.0.1 wide narrow\n"
                      "path 127.0.0.1 127.0.0.2 other\n")
    monkeypatch.setenv("FAKE_FABRIC", str(fabric))
    monkeypatch.setenv("FAKE_ADDRESS", "127.0.0.1")
    row, _ = run()
    assert row["bandwidth"]["gbps"] == pytest.approx(40, rel=0.001)


@pytest.mark.parametrize("options, advice", [
    (("-t", 128, "-Q", 100), " or lower --cq-mod"), (("-t", 16), ""),
    (("-t", 16, "-Q", 1), ""), (("-t", 8, "-Q", 8, "-l", 4),
                                " or lower --cq-mod")])
def test_a_queue_that_runs_dry(wire, options, advice):
    wire(400, 3000)
    row, table = run(*options)
    assert row["bandwidth"]["gbps"] < 380
    assert row["bandwidth"]["dry_percent"] > 90
    assert DRY.format(round(row["bandwidth"]["dry_percent"])) + advice + "\n" \
        in table


@pytest.mark.parametrize("options", [
    # 28 messages are 9 us here
    ("-t", 128, "-Q", 100), ("-t", 16), ("-t", 32, "-Q", 1)])
def test_a_queue_that_is_deep_enough(wire, options):
    wire(100, 2000)
    row, table = run(*options)
    # other threads look at the clock, too, which takes time
    assert row["bandwidth"]["gbps"] == pytest.approx(100, rel=0.01)
    assert row["bandwidth"]["dry_percent"] == 0 and "dry" not in table


@pytest.mark.parametrize("test, options", [
    ("write_bw", ()), ("write_bw", ("-q", 4)), ("read_bw", ("--reversed",))])
def test_the_time_of_a_batch(wire, test, options):
    """That of its bytes on the wire, and of the last acknowledgement."""
    wire(100, 2000)
    row, table = result(loopback(test, "--batch", "4Kx64,64Kx8,1M", *RUN[2:],
                                 "-n", 400, *options, "--json"))
    us = 1835008 * 8 / 100e3 + 2
    assert row["latency"]["min"] == pytest.approx(us, rel=0.01)
    assert row["latency"]["p99"] == pytest.approx(us, rel=0.01)
    assert row["seconds"] == pytest.approx(400 * us / 1e6, rel=0.01)
    assert row["bandwidth"]["gbps"] == pytest.approx(
        1835008 * 8 / us / 1e3, rel=0.01)
    assert row["bandwidth"]["error_percent"] == 0
    assert "batches of 73 requests, 6" in table and "99%[us]   148." in table


def test_a_queue_that_nobody_looked_at(wire):
    """Nothing was sent before the window: who knows how long it takes?"""
    wire(400, 3000)
    row, table = run("-t", 16, "--warmup", 0)
    assert row["bandwidth"]["dry_percent"] is None and "dry" not in table


@pytest.mark.parametrize("size, depth, every", [
    (64, 512, 100), (4096, 256, 64), (65536, 128, 16)])
def test_depth_for_the_link(wire, size, depth, every):
    wire(400, 3000)
    row, table = result(loopback("write_bw", *RUN[2:], *SPAN, "-s", size,
                                 "--json"))
    assert (row["tx_depth"], row["cq_mod"]) == (depth, every)
    assert f"tx depth {depth}\n" in table


def test_depth_under_the_name_of_perftest(tmp_path):
    """Its table says what they are."""
    name = tmp_path / "ib_write_bw"
    name.symlink_to(os.path.abspath(shutil.which(BINARY) or BINARY))
    server = Program("-d", DEVICE, "-p", 0, argv0=(str(name),))
    port = server.wait_for(r"serving on TCP port (\d+)")[1]
    program = succeeded(Program("-d", DEVICE, "-p", port, "-s", 4096,
                                "127.0.0.1", argv0=(str(name),)))
    assert " TX depth        : 128\n" in program.out
    assert " CQ Moderation   : 100\n" in program.out


def test_depth_as_perftest_has_it(wire):
    wire(400, 3000)
    row, table = run("--perftest-defaults")
    assert (row["tx_depth"], row["cq_mod"]) == (128, 100)
    assert "or lower --cq-mod" in table


@pytest.mark.parametrize("options", [(), ("-t", 128, "-Q", 100), ("-q", 4)])
@pytest.mark.parametrize("count", [1000, 5000])
def test_a_short_run_is_not_faster_than_the_link(wire, count, options):
    wire(100, 2000)
    row, table = run(*options, span=("-n", count))
    assert row["bandwidth"]["gbps"] == pytest.approx(100, rel=0.005)
    assert row["bandwidth"]["error_percent"] < 0.5
    assert "uncertain" not in table


@pytest.mark.parametrize("options", [
    # untold messages of 15 queue pairs, or the time until the first completion
    ("-n", 1000, "-q", 16, "-Q", 32), ("-n", 1000, "--warmup", 0)])
def test_what_is_too_short_says_so(wire, options):
    wire(100, 2000)
    row, table = run(span=options)
    error = row["bandwidth"]["error_percent"]
    assert 0.5 < error < 10
    count = re.search(rf" uncertain by {error:.2g}%: -n (\d+) brings it below "
                      r"0\.5%", table)[1]
    assert 2.4 * error <= int(count) / 1000 <= 3.3 * error
    assert row["bandwidth"]["gbps"] == pytest.approx(100, rel=error / 100)


def test_the_peak_is_not_faster_than_the_link(wire):
    wire(100, 2000)
    row, _ = run("--interval", 0.03, span=PEAK)
    assert len(row["intervals"]) > 10
    assert row["bandwidth"]["peak_gbps"] == pytest.approx(100, rel=0.005)
    assert row["bandwidth"]["peak_error_percent"] < 0.5


def test_a_peak_without_a_warm_up_is_as_sure(wire):
    """The first interval begins at the first completion, not at the first
    post."""
    wire(100, 2000)
    row, _ = run("--interval", 0.03, "--warmup", 0, span=PEAK)
    assert row["bandwidth"]["peak_error_percent"] < 0.5


def test_intervals_that_are_too_short_say_so(wire):
    """16 queue pairs with 15 untold messages of 64 KiB each, of 7600."""
    wire(50, 2000)
    row, table = run("--interval", 0.03, "-q", 16, "-s", 65536, "-Q", 16,
                     span=PEAK)
    error = row["bandwidth"]["peak_error_percent"]
    assert error > 0.5
    assert re.search(rf" peak uncertain by {error:.{2 + (error >= 10)}g}%: "
                     r"--interval \S+ with -D \S+ brings it below 0\.5%",
                     table)


def test_no_peak_is_said_before_and_after(wire):
    """Too few intervals for one, by --interval."""
    wire(100, 2000)
    # a clock that only steps is no clock by its kernel's, which is said first
    program = succeeded(loopback("write_bw", *RUN, *SPAN, "--interval", 0.1,
                                 "--verbose"))
    assert ("warning: --interval 0.1: there will be no peak and no +-95%, which "
            "need 10 intervals\n") in program.err
    assert " peak and +-95% need 10 intervals of 0.1 s: -D " in program.out
    program = succeeded(loopback("write_bw", *RUN, *SPAN, "--interval", 0.03))
    assert "there will be no peak" not in program.err
