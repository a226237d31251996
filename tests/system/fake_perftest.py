"""Ends that talk as perftest's do, and that stop where a test wants."""
import contextlib
import re
import selectors
import socket
import struct
import threading

SIZE_KEY = 108


def key(qpn=0x1000, gid="00" * 10 + "ffff" + "7f000001"):
    """A key with a GID: that of the fake NIC."""
    pairs = ":".join(gid[i:i + 2] for i in range(0, 32, 2))
    return (f"0000:0001:{qpn:06x}:123456:00000500:00007f0000000000:{pairs}:"
            "00000000:\0").encode()


def key_without_gid(lid):
    """A key of InfiniBand."""
    return (f"{lid:04x}:0001:001000:123456:00000500:00007f0000000000:"
            "00000000\0").encode()


def head(version="6.06"):
    return [version.encode().ljust(16, b"\0"), struct.pack(">I", 4096),
            struct.pack(">I", 64), b"3\0"]


# Where the settings of ib_write_bw's have each number, and what it is.
SETTINGS = {"method": (0, 0), "connection": (4, 0), "verb": (8, 2),
            "tst": (12, 1), "atomic": (16, 0), "timed": (20, 0),
            "format": (24, 1), "size": (36, 65536), "iters": (44, 60),
            "aes_xts": (48, 0), "qps": (52, 1), "duration": (56, 5),
            "rdma_cm": (60, 0), "imm": (64, 0), "offload": (72, 0),
            "validation": (76, 0)}


def settings(length=320, **changed):
    """What perftest from 6.28 on says of its test, with a device of which
    mlx5dv knows something."""
    message = bytearray(b"\0" * 80 + b"\xa5" * (length - 80))
    for name, (at, value) in SETTINGS.items():
        struct.pack_into(">I", message, at, changed.get(name, value))
    return bytes(message)


def of_write_bw(version="6.06"):
    """What a server of ib_write_bw says, message by message."""
    told = [settings()] if version == "6.28" else []
    return [*head(version), *told, *[key()] * 4, *[b"\xff" * 8] * 5, key()]


def client_of_write_bw(version="6.06", told=()):
    """What a client of ib_write_bw says; with the settings TOLD."""
    return [*head(version), *told, *[key()] * 4, b"\0\0\0\0\0\1\0\0",
            b"\0" * 7 + b"\x64", *[b"\x3f\xf0" + b"\0" * 6] * 3, key()]


class FakePerftest(threading.Thread):
    """Answers the first client, each message of its with the next of MESSAGES;
    the last one may be incomplete.  Then it closes the connection or, if it is
    SILENT, says nothing more until the client has gone."""

    def __init__(self, messages, silent=False):
        super().__init__(daemon=True)
        self.messages, self.silent = messages, silent
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.got = []
        self.start()

    def run(self):
        sock, _ = self.listener.accept()
        self.listener.close()
        with sock:
            try:
                for message in self.messages:
                    self.got.append(sock.recv(4096))
                    sock.sendall(message)
                while self.silent and sock.recv(4096):
                    pass
            except OSError:
                pass


def as_client(port, messages):
    """Says MESSAGES to the server on PORT, each after an answer of the same
    length to the one before; returns the socket, and the answers."""
    sock = socket.create_connection(("127.0.0.1", port))
    answers = []
    for i, message in enumerate(messages):
        sock.sendall(message)
        size = len(message)
        if i + 1 == len(messages):
            break
        answer = b""
        while len(answer) < size:
            part = sock.recv(size - len(answer))
            if not part:
                return sock, answers
            answer += part
        answers.append(answer)
    return sock, answers


class Relay(threading.Thread):
    """Passes what a client says to the server on PORT, and back: .said, in
    turn, the first message the client's."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.server = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.said = []
        self.start()

    def run(self):
        client, _ = self.listener.accept()
        self.listener.close()
        server = socket.create_connection(("127.0.0.1", self.server))
        with client, server, selectors.DefaultSelector() as ready:
            ready.register(client, selectors.EVENT_READ, (0, server))
            ready.register(server, selectors.EVENT_READ, (1, client))
            while ready.get_map():
                for one, _ in ready.select():
                    if not self.passes(one.fileobj, *one.data):
                        ready.unregister(one.fileobj)

    def passes(self, source, end, target):
        """Passes what END says; False: that was all."""
        try:
            part = source.recv(4096)
            target.sendall(part)
            if not part:
                target.shutdown(socket.SHUT_WR)
        except OSError:
            return False
        if part and len(self.said) % 2 == end:
            self.said.append(part)
        elif part:
            self.said[-1] += part
        return bool(part)


# The sixth value of a fork's report: its least bandwidth, 2.0.
LEAST = struct.pack(">d", 2)


class Fork(threading.Thread):
    """Stands between perftest and the other end of a test, and makes it a fork
    of VERSION that swaps a sixth value after the five of every report, without
    saying so: the client, or else the server on PORT is the fork.  .sixths are
    what the other end said there."""

    def __init__(self, port, version, is_client):
        super().__init__(daemon=True)
        self.server, self.is_client = port, is_client
        self.version = version.encode().ljust(16, b"\0")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sixths = []
        self.start()

    def run(self):
        client, _ = self.listener.accept()
        self.listener.close()
        server = socket.create_connection(("127.0.0.1", self.server))
        values = 0
        with client, server, contextlib.suppress(OSError):
            while self.swap(client, server):
                values = values + 1 if self.length == 8 else 0
                if values == 5 and not self.swap_sixth(client, server):
                    break
                values %= 5

    def swap(self, client, server):
        """Passes a message and its answer; False: one end has closed."""
        for source, target, is_fork in ((client, server, self.is_client),
                                        (server, client, not self.is_client)):
            message = source.recv(4096)
            self.length = len(message)
            if self.length == 16 and is_fork:
                message = self.version
            if not message:
                return False
            target.sendall(message)
        return True

    def swap_sixth(self, client, server):
        """As the fork does: a server reads 8 bytes, whatever comes.  False: more
        has come, and it ends after its answer."""
        if self.is_client:
            server.sendall(LEAST)
            self.sixths.append(server.recv(4096))
            return True
        self.sixths.append(client.recv(4096))
        client.sendall(LEAST)
        return len(self.sixths[-1]) == 8


def without_numbers(said):
    """The messages SAID without what differs from run to run: the padding of a
    version, the numbers and the address of a key, measurements, and what
    perftest says at its end, which nobody reads."""
    plain = []
    for i, message in enumerate(said):
        message = message.removesuffix(b"done\0")
        fields = message.split(b":")
        if len(fields) > 6:
            fields[2:6] = (b"?" * len(field) for field in fields[2:6])
            message = b":".join(fields)
        elif len(message) == 8 and (i % 2 or message[0]):
            message = b"?" * 8
        elif re.match(rb"\d\.\d\d\0", message):
            message = message[:5] + b"?" * (len(message) - 5)
        plain.append(message)
    return [message for message in plain if message]
