"""Packets are lost between two hosts: transports that do not notice go on, say
how many messages that cost, and what came is still what was sent."""

import time

import pytest

from documents import csv_rows, measured, parse, row_of
from hosts import MANAGEMENT, NETDEV, there
from lab import SOON, client, failed

BANDWIDTH = (("send_bw", "-c", "UD"), ("send_bw", "-c", "UC"),
             ("send_bw", "-c", "UD", "--imm"),
             ("write_bw", "-c", "UC", "--imm"))
LATENCY = (("send_lat", "-c", "UD"), ("send_lat", "-c", "UC"),
           ("write_lat", "-c", "UC"), ("write_lat", "-c", "UC", "--imm"))
# of plain writes only the notice behind them says how many came
VERIFIED = (*BANDWIDTH, ("write_bw", "-c", "UC"), *LATENCY)
MESSAGES, PINGS, PERCENT = 500, 100, 5
# of 100 pings at least one is then lost, in all but 1 of 37,000 runs
MORE_PERCENT = 10

each = pytest.mark.parametrize


def run(remote, words, *args):
    return client(words[0], "--json", *words[1:], *args, "--warmup", 0,
                  port=remote.port, host=MANAGEMENT)


def check_lost(counts, asked, packets=1):
    """About that part of the messages, each of so many packets."""
    assert counts["sent"] == asked
    assert counts["sent"] == counts["received"] + counts["lost"]
    most = 3 * packets * PERCENT / 100 * asked
    assert 0 < counts["lost"] < most


# the others are verified below, and counted, too
@each("words", BANDWIDTH[::3], ids=" ".join)
def test_messages_lost_are_counted(lossy, remote, words, tmp_path):
    lossy(PERCENT)
    path = tmp_path / "rows"
    row = row_of(run(remote, words, "-n", MESSAGES, "-s", 1000,
                     f"--csv={path}"))
    check_lost(row["bandwidth"], MESSAGES)
    assert row["iterations"] == row["bandwidth"]["received"]
    cells, = csv_rows(path)
    for key in ("sent", "received", "lost"):
        assert cells[f"bandwidth_{key}"] == str(row["bandwidth"][key])


def test_message_with_a_packet_lost_does_not_count(lossy, remote):
    # not of a write: of Linux 6.1's rxe, do_class_d1e_error() waits for ever
    # for the rest of one
    lossy(PERCENT)
    row = row_of(run(remote, ("send_bw", "-c", "UC"), "-n", MESSAGES, "-s",
                     3000))
    check_lost(row["bandwidth"], MESSAGES, 3)


def test_what_rxe_does_with_writes_of_several_packets_is_said(lossy, remote):
    lossy(PERCENT)
    program = client("write_bw", "-c", "UC", "--imm", "-n", MESSAGES, "-s",
                     3000, port=remote.port, host=MANAGEMENT)
    failed(program, "received 0; once a packet of a write of several packets "
           "is lost, Soft-RoCE accepts no more")


@each("words", BANDWIDTH[::3], ids=" ".join)
def test_run_for_a_time_ends_in_time(lossy, remote, words):
    lossy(PERCENT)
    start = time.monotonic()
    row = row_of(run(remote, words, "-D", 1, "-s", 1000))
    assert time.monotonic() - start < SOON
    assert 0.8 < row["seconds"] < SOON
    check_lost(row["bandwidth"], row["bandwidth"]["sent"])


def test_more_is_lost_than_may_be(lossy, remote):
    lossy(PERCENT)
    program = run(remote, ("send_bw", "-c", "UD"), "-n", MESSAGES, "-s", 1000,
                  "--max-lost", 0.1)
    assert program.wait().status == 3, str(program)
    document = parse(program.out)
    check_lost(document["results"][0]["bandwidth"], MESSAGES)
    one, = document["limits"]
    assert not one["met"] and one["seen"] > 0.1
    assert f"limit not met: --max-lost 0.1: {one['seen']:g}% at size 1000" \
        in program.err


@each("words", LATENCY, ids=" ".join)
def test_ping_that_is_lost_is_not_the_last(lossy, remote, words):
    lossy(MORE_PERCENT)
    start = time.monotonic()
    row = row_of(run(remote, words, "-n", PINGS, "-s", 64))
    assert time.monotonic() - start < SOON
    assert row["iterations"] + row["latency"]["lost"] == PINGS
    assert 0 < row["latency"]["lost"] < PINGS / 4


@each("words", (("send_lat", "-c", "UD"), ("write_lat", "-c", "UC")),
      ids=" ".join)
def test_answers_are_lost_too(remote, words):
    there(f"tc qdisc add dev {NETDEV} root netem loss {MORE_PERCENT}%")
    try:
        row = row_of(run(remote, words, "-n", PINGS, "-s", 64))
    finally:
        there(f"tc qdisc del dev {NETDEV} root")
    assert row["iterations"] + row["latency"]["lost"] == PINGS
    assert row["latency"]["lost"] > 0


@each("words", VERIFIED, ids=" ".join)
def test_what_came_through_is_verified(lossy, remote, words):
    lossy(PERCENT)
    latency = words[0].endswith("lat")
    count = PINGS if latency else MESSAGES
    row = row_of(run(remote, words, "-n", count, "-s", 900, "--verify"))
    assert row["verified"]
    if latency:
        assert row["iterations"] + row["latency"]["lost"] == count
    else:
        check_lost(row["bandwidth"], count)


def test_reliable_transport_loses_nothing(lossy, remote):
    lossy(PERCENT)
    document = measured(run(remote, ("write_bw",), "-n", 200, "-s", 1000,
                            "--verify"))
    row, = document["results"]
    assert row["verified"] and row["iterations"] == 200
    assert row["bandwidth"]["lost"] == 0
