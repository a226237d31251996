"""A dip that the mean hides: the way is slow for 300 ms, and the interval that
misses a limit is one of those."""
import re
import time

from documents import parse, row_of
from hosts import MANAGEMENT, NETDEV, here
from lab import client, deadline

SLOW, FAST = "100kbit", "10gbit"
ROW = re.compile(r"^ +([0-9.]+)-([0-9.]+) +s +([0-9.]+) Gb/s", re.M)


def rows(program):
    """Begin and end in seconds, and Gb/s, of each interval shown so far."""
    return [tuple(map(float, row)) for row in ROW.findall(program.err)]


def shape(verb, rate):
    here(f"tc qdisc {verb} dev {NETDEV} root tbf rate {rate} burst 4k "
         "latency 1s")


def run(remote, *args):
    return client("write_bw", "-s", 1000, "-t", 16, "--qp-timeout", 18,
                  "--json", *args, port=remote.port, host=MANAGEMENT)


def test_slow_for_300_ms(neighbours, remote):
    """When it was is known from the intervals shown before and after."""
    shape("add", FAST)
    try:
        usual = row_of(run(remote, "-n", 1000))["bandwidth"]["gbps"]
        program = run(remote, "-D", 4, "--interval", 0.1,
                      "--min-interval-gbps", usual / 2)
        before = deadline(60, lambda: rows(program)[5:], "intervals")[-1]
        shape("change", SLOW)
        time.sleep(0.3)
        shape("change", FAST)
        shown = len(rows(program)) + 2
        after = deadline(60, lambda: [
            row for row in rows(program)[shown:] if row[2] > usual / 10],
            "an interval as usual")[0]
        assert program.wait().status == 3, str(program)
    finally:
        here(f"tc qdisc del dev {NETDEV} root")
    found, = parse(program.out)["limits"]
    start = found["interval"]["start"]
    assert before[1] - 0.001 <= start < after[0], str(program)
    assert found["seen"] < usual / 4, str(program)
    assert "this process used" in found["meanwhile"]
