"""Packets of RoCE v2 as they pass the interface of this host."""

import collections
import socket
import struct

from hosts import NETDEV

ALL_PROTOCOLS, RCVBUFFORCE = 3, 33
IPV6, UDP, ROCE_V2_PORT = 0x86dd, 17, 4791

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
