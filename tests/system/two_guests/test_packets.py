"""What travels between two hosts, packet by packet: how many a message takes,
and how they are marked."""

import collections

import pytest

from documents import measured
from hosts import MANAGEMENT, NETDEV, ROCE6, here, there
from lab import PATIENT, client

# of InfiniBand's base transport header, without the bits of the transport
SEND, WRITE, READ_RESPONSE = (0, 1, 2), (6, 7, 8), (13, 14, 15)
MESSAGES, SIZE = 20, 16384


@pytest.fixture(scope="module")
def long_packets():
    """Room for the largest path MTU."""
    command = f"ip link set dev {NETDEV} mtu %d"
    for run in (here, there):
        run(command % 4500)
    yield
    for run in (here, there):
        run(command % 1500)


@pytest.mark.parametrize("test,transport,opcodes,from_here,mtu", (
    *(("write_bw", "RC", WRITE, True, mtu) for mtu in (
        256, 512, 1024, 2048, 4096)),
    ("write_bw", "UC", WRITE, True, 256), ("send_bw", "RC", SEND, True, 4096),
    ("read_bw", "RC", READ_RESPONSE, False, 512)))
def test_packets_of_a_message(long_packets, remote, capture, mtu, test,
                              transport, opcodes, from_here):
    measured(client(test, "--json", "-c", transport, "-m", mtu, "-s", SIZE,
                    "-n", MESSAGES, "--warmup", 0, *PATIENT,
                    port=remote.port, host=MANAGEMENT))
    seen = collections.Counter(packet.opcode for packet in capture.packets()
                               if packet.here == from_here)
    middle = SIZE // mtu - 2
    assert [seen[opcode] for opcode in opcodes] == [
        MESSAGES, MESSAGES * middle, MESSAGES]


@pytest.mark.parametrize("test,transport,tclass,host", (
    ("write_bw", "RC", 0, MANAGEMENT), ("write_bw", "RC", 184, ROCE6),
    ("send_bw", "UC", 184, MANAGEMENT), ("send_lat", "UD", 0, ROCE6),
    ("send_lat", "UD", 184, MANAGEMENT), ("send_lat", "UD", 184, ROCE6)))
def test_traffic_class_of_each_packet(remote, capture, test, transport,
                                      tclass, host):
    measured(client(test, "--json", "-c", transport, "-n", MESSAGES,
                    "--warmup", 0, "--tclass", tclass, "-s", 64,
                    port=remote.port, host=host))
    packets = capture.packets()
    assert len(packets) >= MESSAGES
    assert {packet.tclass for packet in packets} == {tclass}
