"""All tests on the fake NIC, where what is sent arrives."""
import pytest

from documents import measured
from lab import loopback

pytestmark = pytest.mark.usefixtures("data")


@pytest.mark.parametrize("line", (
    "write_lat", "send_lat", "read_lat", "atomic_lat", "write_lat --imm",
    "write_bw", "send_bw", "read_bw", "atomic_bw", "send_bw -b -q 3",
    "send_bw --srq -q 2", "write_bw --imm -l 4", "send_lat -c UC",
    "write_bw -b -s 2..64", "atomic_bw -A CMP_AND_SWAP",
    "send_bw -c UD --srq -q 16 -s 64", "write_bw -c UC -q 16 --reversed --imm"))
def test_every_byte_arrives(line):
    document = measured(loopback(*line.split(), "--json", "-D", 0.2, "--verify"))
    assert all(row["iterations"] for row in document["results"])


@pytest.mark.parametrize("line", ("send_bw -c UD -s 512", "send_bw -c UC",
                                  "write_bw -c UC --imm"))
def test_what_no_receive_was_posted_for_is_lost(line):
    document = measured(loopback(*line.split(), "--json", "-D", 0.2))
    bandwidth = document["results"][0]["bandwidth"]
    assert bandwidth["sent"] == bandwidth["received"] + bandwidth["lost"]
    assert bandwidth["received"]
