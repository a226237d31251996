"""A multicast group between two hosts."""

import pytest

from documents import row_of
from hosts import MANAGEMENT
from lab import client


@pytest.mark.parametrize("group", (
    "--mcast", "--mcast=239.255.7.8", "--mcast --rdma-cm"))
def test_messages_to_a_group(remote, group):
    program = client("send_bw", "-c", "UD", *group.split(), "--json", "-n",
                     500, "-s",
                     1000, "--warmup", 0, "--verify", port=remote.port,
                     host=MANAGEMENT)
    counts = row_of(program)["bandwidth"]
    assert counts["sent"] == counts["received"] + counts["lost"] == 500
    assert counts["received"] > 0


def test_a_group_of_the_other_family(remote):
    program = client("send_bw", "-c", "UD", "--mcast=ff12::1", "-n", 5,
                     port=remote.port, host=MANAGEMENT)
    program.wait(20)
    assert program.status == 1
    assert "--mcast ff12::1: the path goes by IPv4 addresses" in program.err
