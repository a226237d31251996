"""What travels between two hosts, packet by packet: how many a message takes,
and how they are marked."""

import collections
import socket
import struct

import pytest

from documents import measured
from lab import PATIENT, client
from test_two_hosts import MANAGEMENT, NETDEV, ROCE6, here, there
from test_two_hosts import pytestmark, remote  # noqa: used by pytest

ALL_PROTOCOLS, RCVBUFFORCE = 3, 33
IPV6, UDP, ROCE_V2_PORT = 0x86dd, 17, 4791
# of InfiniBand's base transport header, without the bits of the transport
SEND, WRITE, READ_RESPONSE = (0, 1, 2), (6, 7, 8), (13, 14, 15)
MESSAGES, SIZE = 20, 16384

Packet = collections.namedtuple("Packet", "here opcode tclass")


class Capture:
    """Packets of RoCE v2, in both directions, from now on."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                    socket.htons(ALL_PROTOCOLS))
        self.socket.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, 1 << 26)
        self.socket.bind((NETDEV, ALL_PROTOCOLS))
        self.socket.setblocking(False)

    def packets(self):
        found = []
        while True:
            try:
                data, address = self.socket.recvfrom(1 << 16)
            except BlockingIOError:
                return found
            packet = parse(data, address[2] == socket.PACKET_OUTGOING)
            if packet:
                found.append(packet)


def parse(data, outgoing):
    """None for what is no RoCE v2."""
    kind, = struct.unpack(">H", data[12:14])
    header = 40 if kind == IPV6 else 20
    protocol = data[14 + 6] if kind == IPV6 else data[14 + 9]
    if protocol != UDP:
        return None
    _, port = struct.unpack(">HH", data[14 + header:18 + header])
    if port != ROCE_V2_PORT:
        return None
    first, = struct.unpack(">H", data[14:16])
    tclass = first >> 4 & 0xff if kind == IPV6 else first & 0xff
    return Packet(outgoing, data[22 + header] & 0x1f, tclass)


@pytest.fixture(scope="module")
def long_packets():
    """Room for the largest path MTU."""
    command = f"ip link set dev {NETDEV} mtu %d"
    for run in (here, there):
        run(command % 4500)
    yield
    for run in (here, there):
        run(command % 1500)


@pytest.fixture
def capture():
    capture = Capture()
    yield capture
    capture.socket.close()


@pytest.mark.parametrize("mtu", (256, 512, 1024, 2048, 4096))
@pytest.mark.parametrize("test,transport,opcodes,from_here", (
    ("write_bw", "RC", WRITE, True), ("write_bw", "UC", WRITE, True),
    ("send_bw", "RC", SEND, True), ("read_bw", "RC", READ_RESPONSE, False)))
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


@pytest.mark.parametrize("host", (MANAGEMENT, ROCE6))
@pytest.mark.parametrize("tclass", (0, 184))
@pytest.mark.parametrize("test,transport", (
    ("write_bw", "RC"), ("send_bw", "UC"), ("send_lat", "UD")))
def test_traffic_class_of_each_packet(remote, capture, test, transport,
                                      tclass, host):
    measured(client(test, "--json", "-c", transport, "-n", MESSAGES,
                    "--warmup", 0, "--tclass", tclass, "-s", 64,
                    port=remote.port, host=host))
    packets = capture.packets()
    assert len(packets) >= MESSAGES
    assert {packet.tclass for packet in packets} == {tclass}
