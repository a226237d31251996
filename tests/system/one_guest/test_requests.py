"""What a work request asks of the device."""

import pytest

from documents import row_of
from lab import QUICK, failed, loopback, needs_device, succeeded

pytestmark = needs_device


@pytest.mark.parametrize("test,args", (
    ("send_lat", ()), ("send_bw", ("-c", "UD", "--srq")), ("read_bw", ())))
def test_several_entries(test, args):
    """1,000 bytes in 7 entries, of which the first ones are longer."""
    succeeded(loopback(test, "--sge", 7, "-s", "5,1000", "--verify", *QUICK,
                       *args))


@pytest.mark.dialogue
def test_more_entries_than_the_device_has():
    failed(loopback("write_bw", "--sge", 64, *QUICK),
           "--sge: 64 is above what the client's", "max_sge ")


def test_a_fence():
    succeeded(loopback("read_bw", "--fence", "-q", 2, "--verify", *QUICK))


@pytest.mark.parametrize("args", ((), ("-c", "UD", "--verify")))
def test_solicited_events(args):
    """The receiver takes an event for 16 messages, or for more."""
    row = row_of(loopback("send_bw", "-e", "--solicited", "-Q", 16, "-s", 64,
                          "-n", 160, "--warmup", 0, "--json", *args))
    events = row["events"]["server"]
    assert 0 < events["receives"] <= 10
    assert row["bandwidth"]["received"] == 160


@pytest.mark.dialogue
@pytest.mark.parametrize("test,args", (
    ("write_bw", ("-q", 3)), ("read_bw", ()),
    ("write_bw", ("--reversed", "-e", "--histogram", "--percentiles", "10"))))
def test_batches(test, args):
    """documents.py checks the sums."""
    row = row_of(loopback(test, "--batch", "4Kx20,64Kx3,100001", "--walk", "1M",
                          "-n", 20, "--json", *args))
    assert row["iterations"] == 20
    assert row["batch"]["requests"] == 24
    assert row["size"] == 20 * 4096 + 3 * 65536 + 100001
    assert bool(row["histogram"]) == ("--histogram" in args)


@pytest.mark.dialogue
def test_more_requests_than_a_queue_holds():
    failed(loopback("write_bw", "--batch", "64x65536", *QUICK),
           "--batch: 65536 requests on a queue pair", "use more --qps")


def test_receivers_of_a_group():
    row = row_of(loopback("send_bw", "-c", "UD", "--mcast", "--receivers", 3,
                          "--json", "-s", 64, "--verify", *QUICK))
    counts = row["bandwidth"]
    assert counts["sent"] == 10
    assert counts["received"] + counts["lost"] == 30
    assert [each["receiver"] for each in row["receivers"]] == [0, 1, 2]
    assert sum(each["received"] for each in row["receivers"]) == counts[
        "received"]


@pytest.mark.parametrize("group", (
    "--mcast", "--mcast=239.255.7.8", "--mcast --rdma-cm"))
def test_a_multicast_group(group):
    counts = row_of(loopback("send_bw", "-c", "UD", *group.split(), "--json",
                             "-s", 512, "--verify", *QUICK))["bandwidth"]
    assert counts["sent"] == counts["received"] + counts["lost"] == 10
    assert counts["received"] > 0
