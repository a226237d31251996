"""The frames of the dialogue, from the comment in src/net/frames.h."""

import contextlib
import hashlib
import os
import socket
import struct
import threading
from collections import namedtuple

import seal
from lab import FAKE, SYSFS

MAGIC = b"vbsp"
PROTOCOL = 7
TYPES = ("HELLO", "REFUSE", "PLAN", "ACCEPT", "ENDPOINT", "READY", "START",
         "DONE", "BYE", "ABORT", "ALIVE", "SENT", "WAIT", "AUTH", "REACHED",
         "AGAIN")
# Signs of life.
ALIVE = ("ALIVE", "WAIT")
# Frames that are not answered.
UNANSWERED = ("SENT",)
HEADER = struct.Struct(">4sHHI")
PROOF_SIZE = 32
DIRECTIONS = {"client": b"client to server", "server": b"server to client"}
ENDPOINT = struct.Struct(">H16sBIIBBIQQQI")
QUEUE_PAIR = struct.Struct(">III")
RKEY = 4711
PKEY = 0xffff
# What queue pairs are set to: model/endpoint.h.
READY = struct.Struct(">17I")
OPERATIONS = ("send", "write", "read", "atomic")
METRICS = ("bandwidth", "latency")
ANY = 0xffffffff
SECOND = 10 ** 9
# The flag of a field that who does not know it may skip.
OPTIONAL = 1
SIZES, LABELS = 1, 35
# Of PLAN, as numbers of 8 bytes.
PARAMETERS = {
    # iterations, duration, warm-up, timeout, queue pairs
    2: 10, 3: SECOND, 4: 0, 5: 5 * SECOND, 6: 1,
    # send and receive depth, moderation, MTU, reads
    7: 16, 8: ANY, 9: ANY, 10: ANY, 11: ANY,
    # acknowledge timeout, service level, walk, post list, post
    12: 14, 13: 0, 14: 4096, 15: 1, 16: 0,
    # threads, round trip, transport, bidirectional, reversed
    17: 1, 18: 0, 19: 0, 20: 0, 21: 0,
    # immediate data, atomic, all sizes, inline, receives posted at once
    22: 0, 23: 0, 24: 0, 25: ANY, 26: 1,
    # shared receive queue, events, rate, burst, arrival, open loop's depth
    27: 0, 28: 0, 29: 0, 30: 1, 31: 0, 32: 64,
    # traffic class, DSCP, hop limit, retries, RNR retries, RNR timer
    33: 0, 34: ANY, 36: 64, 37: 6, 38: 7, 39: 12,
    # huge pages, region per queue pair, relaxed ordering, ODP, verify,
    # intervals, check, fault to be provoked, perftest's defaults
    40: 0, 41: 0, 42: 0, 43: 0, 44: 0, 45: 0, 46: 0, 47: 0, 48: 0}

Endpoint = namedtuple("Endpoint", "lid gid gid_type gid_index peer_gid_index "
                      "grh mtu qkey va length stride n")


def frame(name, payload=b"", protocol=PROTOCOL, kind=None, length=None):
    kind = TYPES.index(name) + 1 if kind is None else kind
    length = len(payload) if length is None else length
    return HEADER.pack(MAGIC, protocol, kind, length) + payload


def string(text):
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def field(number, name, value, flags=0):
    """One of a list of FIELDS; VALUE is bytes."""
    return (struct.pack(">HB", number, flags) + string(name)
            + struct.pack(">I", len(value)) + value)


def fields(*several):
    return struct.pack(">H", len(several)) + b"".join(several)


def read_strings(payload):
    texts = []
    while payload:
        length = struct.unpack_from(">H", payload)[0]
        texts.append(payload[2:2 + length].decode())
        payload = payload[2 + length:]
    return texts


def hello(has_key=0, nonce=None):
    return (string("0.fake") + string("fakehost") + bytes([has_key])
            + (nonce or os.urandom(32)))


class Transcript:
    """What both ends know after HELLO: net/auth.h."""

    def __init__(self, secret, client_hello, server_hello):
        self.key = hashlib.blake2b(secret, digest_size=32).digest()
        self.hellos = (frame("HELLO", client_hello)
                       + frame("HELLO", server_hello))

    def derive(self, purpose, more=b""):
        return hashlib.blake2b(purpose + self.hellos + more, digest_size=32,
                               key=self.key).digest()

    def auth(self, role, stream):
        """What AUTH carries of ROLE, "client" or "server"."""
        return self.derive(b"verbsperf " + role.encode(), stream) + stream

    def outgoing(self, role):
        """What seals the frames of ROLE."""
        return seal.Outgoing(self.derive(DIRECTIONS[role]))

    def incoming(self, role, auth):
        """What opens the frames of ROLE, who sent AUTH, which must hold."""
        stream = auth[PROOF_SIZE:]
        assert auth == self.auth(role, stream)
        return seal.Incoming(self.derive(DIRECTIONS[role]), stream)


def sysfs(name):
    with open(os.path.join(SYSFS, "ports/1", name)) as file:
        return file.read().strip()


def own_gids():
    """Index, type and GID of what the device's table holds."""
    if FAKE:
        return [(0, 2, bytes(10) + bytes.fromhex("ffff7f000001"))]
    types = {"IB/RoCE v1": 1, "RoCE v2": 2}
    gids = []
    for index in range(16):
        try:
            kind = types[sysfs(f"gid_attrs/types/{index}")]
        except OSError:
            continue
        gids.append((index, kind,
                     bytes.fromhex(sysfs(f"gids/{index}").replace(":", ""))))
    return gids


def port(max_qp=65536, mtu=3, gids=None, more=()):
    """MORE are the fields at its end."""
    gids = gids or own_gids()
    text = string("fakehost") + string("fake0") + string("1.0")
    text += struct.pack(">BBBBBBHHII", 1, 4, 2, mtu, 0, 0, 0, PKEY, 10000,
                        ANY)
    text += struct.pack(">QIIIII", 1 << 23, max_qp, 16384, 32767, 16, 16)
    # shared receive queues and their length, memory regions, no ODP
    text += struct.pack(">IIIIII", 1024, 16384, 4096, 0, 0, 0)
    text += struct.pack(">H", len(gids))
    for index, kind, gid in gids:
        text += struct.pack(">IB16s", index, kind, gid)
    return text + fields(*more)


def parameter_list(values, sizes, labels, more=()):
    """The fields of PLAN: VALUES by number, and MORE that are made."""
    rows = {number: struct.pack(">Q", value)
            for number, value in values.items()}
    rows[SIZES] = struct.pack(f">{len(sizes)}Q", *sizes)
    rows[LABELS] = struct.pack(f">{len(labels)}I", *labels)
    return fields(*(field(number, f"parameter-{number}", rows[number])
                    for number in sorted(rows)), *more)


def plan(operation="write", sizes=(64,), parameters=None, labels=(),
         metric="bandwidth", more=(), **of_port):
    """With every parameter; PARAMETERS has those that differ from usual."""
    values = {**PARAMETERS, **(parameters or {})}
    return (port(**of_port)
            + struct.pack(">BB", OPERATIONS.index(operation),
                          METRICS.index(metric))
            + parameter_list(values, sizes, labels, more))


def endpoint(gid_index, peer_gid_index, mtu=3, stride=4096, n=1, gids=None,
             more=()):
    """Queue pairs that do not exist behind a GID that does, or is in GIDS."""
    gid = {index: gid for index, _, gid in gids or own_gids()}[gid_index]
    text = ENDPOINT.pack(0, gid, 2, gid_index, peer_gid_index, 1, mtu, 0,
                         1 << 20, n * stride, stride, n)
    text += b"".join(QUEUE_PAIR.pack(0xfffff0 - i, i, RKEY)
                     for i in range(n))
    return text + fields(*more)


def read_endpoint(payload):
    return Endpoint(*ENDPOINT.unpack_from(payload))


def read_rkey(payload):
    """Of the first queue pair of an ENDPOINT."""
    return QUEUE_PAIR.unpack_from(payload, ENDPOINT.size)[2]


def with_rkey(payload, rkey):
    """The same ENDPOINT, of one queue pair and no fields, with another key."""
    end = ENDPOINT.size + QUEUE_PAIR.size
    return payload[:end - 4] + struct.pack(">I", rkey) + payload[end:]


def ready(mtu=1024, transport=0):
    """Service level, class, label, hop limit, P_Key index, MTU; timeout,
    retries, RNR timer; outstanding reads; queues, their lists, inline. UC (1)
    and UD (2) lack some."""
    of_path = (0, 0, 0, 64, 0, mtu) if transport < 2 else (*[ANY] * 4, 0, ANY)
    of_rc = [ANY] * 6 if transport else (14, 6, 7, 12, 0, 0)
    return READY.pack(*of_path, *of_rc, 16, 1, 1, 1, 0)


def sent(*messages):
    """That many by each thread."""
    return struct.pack(f">I{len(messages)}Q", len(messages), *messages)


def rows(form, values):
    """A list of tuples, with their number."""
    return (struct.pack(">I", len(values))
            + b"".join(struct.pack(">" + form, *value) for value in values))


def done(posted=10, received=0, counted=None, window=10 ** 6, lost=0, late=0,
         errors=(2 ** 60, 2 ** 60), looks=0, dry=0, method=2, inline=0,
         clock=(1, 1, 0, 1), threads=(), intervals=(), samples=(0,), bins=(),
         more=()):
    """That many messages in a millisecond.  ERRORS, of the window and of an
    interval, are not known.  CLOCK: resolution, cost, deviation,
    ns per tick.  THREADS: CPU, queue pairs, messages, window.  INTERVALS:
    start, length, messages.  SAMPLES: their number, and if there are any least,
    most, sum, origin, and the squares.  BINS: number, samples."""
    counted = max(posted, received) if counted is None else counted
    text = struct.pack(">QQQQQQQQQQBI", posted, received, counted, window,
                       lost, late, *errors, looks, dry, method, inline)
    text += string("fake") + struct.pack(">dddd", *clock)
    text += rows("IIQQ", threads) + rows("QQQ", intervals)
    text += struct.pack(">Q", samples[0])
    if samples[0]:
        text += struct.pack(">QQQQd", *samples[1:]) + rows("IQ", bins)
    return text + fields(*more)


def seal_frame(outgoing, data):
    """The frame DATA as it is sent: net/seal.h."""
    magic, protocol, kind, length = HEADER.unpack_from(data)
    header = HEADER.pack(magic, protocol, kind, length + seal.SIZE)
    return header + outgoing.seal(data[HEADER.size:], header)


class Peer:
    """An end of the dialogue over SOCK.  What it says and hears is sealed once
    it has outgoing and incoming."""

    def __init__(self, sock):
        self.sock = sock
        self.outgoing = self.incoming = None
        sock.settimeout(60)

    def send(self, name, payload=b"", **header):
        data = frame(name, payload, **header)
        if self.outgoing:
            data = seal_frame(self.outgoing, data)
        self.sock.sendall(data)

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.sock.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def receive(self):
        """The next frame but a sign of life: its protocol, name and payload."""
        while True:
            header = self.read(HEADER.size)
            magic, protocol, kind, length = HEADER.unpack(header)
            assert magic == MAGIC
            payload = self.read(length)
            if self.incoming:
                payload = self.incoming.open(payload, header)
            if TYPES[kind - 1] not in ALIVE:
                return protocol, TYPES[kind - 1], payload

    def expect(self, name):
        _, got, payload = self.receive()
        assert got == name, (got, payload)
        return payload

    def expect_error(self, name):
        """REFUSE or ABORT: its stage, code, message and advice."""
        texts = read_strings(self.expect(name))
        assert len(texts) == 4
        return texts

    def close(self):
        self.sock.close()


class FakeClient(Peer):
    """Plays a client's steps without any traffic: one that sends.  With a
    SECRET it proves it after HELLO."""

    STEPS = ("HELLO", "PLAN", "ENDPOINT", "READY", "START", "SENT", "DONE",
             "BYE")
    ANSWERS = {"PLAN": "ACCEPT"}

    def __init__(self, number, secret=None, host="127.0.0.1", source=None,
                 **payloads):
        """From SOURCE, an address.  PAYLOADS: of some steps another one than
        usual."""
        super().__init__(socket.create_connection(
            (host, number), 20, source and (source, 0)))
        self.secret = secret
        self.payloads = payloads

    def greet(self):
        """HELLO and, with a key, AUTH."""
        mine = hello(self.secret is not None)
        self.send("HELLO", mine)
        theirs = self.expect("HELLO")
        if self.secret is None:
            return
        transcript = Transcript(self.secret, mine, theirs)
        outgoing = transcript.outgoing("client")
        self.send("AUTH", transcript.auth("client", outgoing.stream))
        self.incoming = transcript.incoming("server", self.expect("AUTH"))
        self.outgoing = outgoing

    def payload(self, step):
        if step in self.payloads:
            return self.payloads[step]
        return {"HELLO": hello, "PLAN": plan, "DONE": done,
                "ENDPOINT": lambda: endpoint(*2 * (own_gids()[-1][0],)),
                "READY": ready,
                "START": lambda: struct.pack(">Q", 64),
                "SENT": lambda: sent(10)
                }.get(step, bytes)()

    def play(self, *steps):
        for step in steps:
            if step == "HELLO":
                self.greet()
                continue
            self.send(step, self.payload(step))
            if step not in UNANSWERED:
                self.expect(self.ANSWERS.get(step, step))


def serves(server):
    """The next client is served: one without a program and traffic."""
    peer = FakeClient(server.port)
    peer.play(*FakeClient.STEPS)
    peer.close()


class FakeServer:
    """Plays a server's steps without any traffic."""

    STEPS = ("HELLO", "ACCEPT", "ENDPOINT", "READY", "START")

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(60)
        self.port = self.listener.getsockname()[1]

    def accept(self):
        self.peer = Peer(self.listener.accept()[0])
        return self.peer

    def answer_version(self):
        """A client under perftest's names begins as perftest does; the same
        bytes say that verbsperf is here, too."""
        self.peer.sock.sendall(self.peer.read(16))

    def answer(self, step, payload):
        if step == "HELLO":
            return hello()
        if step == "ACCEPT":
            return port()
        if step == "ENDPOINT":
            e = read_endpoint(payload)
            return endpoint(e.peer_gid_index, e.gid_index, e.mtu, e.stride,
                            e.n)
        return payload

    def play(self, *steps):
        for step in steps:
            got = self.peer.expect("PLAN" if step == "ACCEPT" else step)
            if step not in UNANSWERED:
                self.peer.send(step, self.answer(step, got))

    def close(self):
        self.peer.close()
        self.listener.close()


class Proxy:
    """Stands between both ends and notes the frames that pass; CHANGE may
    make others of those from the server, by name and payload."""

    def __init__(self, number, change=None):
        self.target = number
        self.change = change
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.bytes = [b"", b""]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        near = self.listener.accept()[0]
        far = socket.create_connection(("127.0.0.1", self.target))
        back = self.pump_frames if self.change else self.pump
        for pump, *args in (self.pump, 0, near, far), (back, 1, far, near):
            threading.Thread(target=self.until_reset, args=(pump, *args),
                             daemon=True).start()

    @staticmethod
    def until_reset(pump, *args):
        with contextlib.suppress(OSError):
            pump(*args)

    def pump(self, i, source, sink):
        while data := source.recv(65536):
            self.bytes[i] += data
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)

    def pump_frames(self, i, source, sink):
        while header := source.recv(HEADER.size, socket.MSG_WAITALL):
            _, _, kind, length = HEADER.unpack(header)
            payload = source.recv(length, socket.MSG_WAITALL) if length else b""
            self.bytes[i] += header + payload
            sink.sendall(header + self.change(TYPES[kind - 1], payload))
        sink.shutdown(socket.SHUT_WR)

    def frames(self):
        """The names of the frames from the client, and from the server."""
        return [[name for name, _ in split(data)] for data in self.bytes]


def split(data):
    """The names and payloads of the frames in DATA."""
    frames = []
    while data:
        _, _, kind, length = HEADER.unpack_from(data)
        end = HEADER.size + length
        frames.append((TYPES[kind - 1], data[HEADER.size:end]))
        data = data[end:]
    return frames
