"""--key-file against somebody between both ends, who lets them prove the key to
each other, and then reads and changes what they send."""

import hashlib
import socket
import struct

import pytest

import wire
from lab import (Server, client, complained_and_serves, deadline, failed,
                 loopback, succeeded)
from wire import FakeClient, Proxy

SECRET = b"a secret for this host"
QUICK = ("-n", 100, "--warmup", 0)
# Long enough for a sign of life from each end, and one more frame.
LONGER = ("-D", 1, "--warmup", 0, "--timeout", 2)
ENDS = ("client", "server")
NOTICED = ("a frame from the {} was changed on its way, or the connection was "
           "taken over")
# what tests/bench/fake_nic.c gives
RKEY = struct.pack(">I", 0x56780000)


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(SECRET + b"\n")
    path.chmod(0o600)
    return "--key-file", path


@pytest.fixture
def locked(key):
    return Server(*key)


class Middle(Proxy):
    """Passes on what MEDDLE makes of the first frame NAME from SENDER: frames,
    or None to close both connections."""

    def __init__(self, number, sender, name, meddle):
        super().__init__(number)
        self.sender = ENDS.index(sender)
        self.name = name
        self.meddle = meddle
        self.last = [b"", b""]
        self.held = []      # to be passed on after the sender's next frame

    def change_frame(self, i, name, data):
        if i != self.sender:
            return [data]
        if name == self.name:
            self.name = None
            return self.meddle(self, data)
        held, self.held = self.held, []
        return [data, *held]

    def pump(self, i, source, sink):
        while header := source.recv(wire.HEADER.size, socket.MSG_WAITALL):
            _, _, kind, length = wire.HEADER.unpack(header)
            data = header
            if length:
                data += source.recv(length, socket.MSG_WAITALL)
            self.bytes[i] += data
            self.last[i] = data
            frames = self.change_frame(i, wire.TYPES[kind - 1], data)
            if frames is None:
                source.shutdown(socket.SHUT_RDWR)
                break
            sink.sendall(b"".join(frames))
        sink.shutdown(socket.SHUT_WR)


def flip(at):
    def flipped(_middle, data):
        bits = bytearray(data)
        bits[at] ^= 1
        return [bytes(bits)]
    return flipped


def inject(_middle, data):
    return [wire.frame("PLAN", wire.plan()), data]


def replace(_middle, data):
    """A frame in the clear in place of a sealed one."""
    name = wire.TYPES[wire.HEADER.unpack_from(data)[2] - 1]
    return [wire.frame(name, struct.pack(">Q", 65536))]


def put_abort(_middle, data):
    words = "traffic", "EIO", "believe me", ""
    return [wire.frame("ABORT", b"".join(map(wire.string, words))), data]


def drop(_middle, _data):
    return []


def replay(_middle, data):
    return [data, data]


def reorder(middle, data):
    middle.held = [data]
    return []


def truncate(_middle, data):
    """A byte less, of which the header says nothing wrong."""
    magic, protocol, kind, length = wire.HEADER.unpack_from(data)
    return [wire.HEADER.pack(magic, protocol, kind, length - 1)
            + data[wire.HEADER.size:-1]]


def reflect(middle, _data):
    """To an end what it has said itself."""
    return [middle.last[1 - middle.sender]]


def cut(_middle, _data):
    return None


TRICKS = {
    "PLAN put in": ("START", inject),
    "ABORT put in": ("START", put_abort),
    "replaced": ("START", replace),
    "magic": ("START", flip(3)),
    "protocol": ("START", flip(5)),
    "type": ("ALIVE", flip(7)),
    "length": ("START", flip(11)),
    "first byte": ("START", flip(12)),
    "last byte": ("START", flip(-1)),
    "dropped": ("ALIVE", drop),
    "replayed": ("START", replay),
    "reordered": ("ALIVE", reorder),
    "truncated": ("START", truncate),
    "reflected": ("START", reflect)}


def with_key(key):
    return lambda server: succeeded(client("write_bw", *QUICK, *key,
                                           port=server.port))


def run_between(server, key, sender, name, meddle):
    """A client, with somebody between it and SERVER."""
    middle = Middle(server.port, sender, name, meddle)
    return client("write_bw", *LONGER, *key, port=middle.port)


@pytest.mark.parametrize("sender", ENDS)
@pytest.mark.parametrize("trick", TRICKS)
def test_meddling_is_noticed(locked, key, sender, trick):
    program = run_between(locked, key, sender, *TRICKS[trick])
    noticed = NOTICED.format(sender)
    told = "" if sender == "server" else "the server: "
    failed(program, "error: " + told + noticed)
    told = "" if sender == "client" else "the client: "
    complained_and_serves(locked, "error: " + told + noticed,
                          next_client=with_key(key))


@pytest.mark.parametrize("sender", ENDS)
def test_server_of_one_client_fails(key, sender):
    server = Server("--once", *key)
    failed(run_between(server, key, sender, "START", flip(-1)),
           NOTICED.format(sender))
    failed(server, NOTICED.format(sender))


# The first frames that are sealed: PLAN or its answer, put in after the proofs
# have passed.
@pytest.mark.parametrize("sender,name", (("client", "PLAN"),
                                         ("server", "ACCEPT")))
@pytest.mark.parametrize("meddle", (inject, flip(-1), replay))
def test_at_once_after_the_proofs(locked, key, sender, name, meddle):
    program = run_between(locked, key, sender, name, meddle)
    failed(program, NOTICED.format(sender))
    complained_and_serves(locked, NOTICED.format(sender),
                          next_client=with_key(key))


def test_frames_of_another_session(locked, key):
    """The same key and the same test, recorded before."""
    proxy = Proxy(locked.port)
    succeeded(client("write_bw", *QUICK, *key, port=proxy.port))
    earlier = [wire.frame(*frame) for frame in wire.split(proxy.bytes[0])
               if frame[0] == "START"]
    assert len(earlier) == 1
    failed(run_between(locked, key, "client", "START", lambda *_: earlier),
           NOTICED.format("client"))
    complained_and_serves(locked, NOTICED.format("client"),
                          next_client=with_key(key))


@pytest.mark.parametrize("sender", ENDS)
def test_frame_that_both_wait_for(locked, key, sender):
    program = run_between(locked, key, sender, "START", drop)
    waited = "said nothing in time|" + NOTICED.format(".*")
    failed(program, waited)
    complained_and_serves(locked, waited, next_client=with_key(key))


def test_end_that_is_cut_off(locked, key):
    """The results are all there, but that was not the server's BYE."""
    program = run_between(locked, key, "server", "BYE", cut)
    failed(program, "the server closed the connection")


@pytest.mark.parametrize("sender", ENDS)
def test_proof_with_another_stream(locked, key, sender):
    """The proof holds for the stream that is sealed."""
    program = run_between(locked, key, sender, "AUTH", flip(-1))
    failed(program, "the keys of client and server differ")
    complained_and_serves(locked, "the keys of client and server differ",
                          next_client=with_key(key))


def conversation(server, *options):
    """The bytes of a run, and the names of both ends' frames."""
    proxy = Proxy(server.port)
    succeeded(client("write_bw", *QUICK, *options, port=proxy.port))
    return b"".join(proxy.bytes), proxy.frames()


def test_nothing_is_seen(locked, key, server):
    clear, frames = conversation(server)
    for text in b"fake0", RKEY:
        assert text in clear
    sealed, with_auth = conversation(locked, *key)
    for text in b"fake0", RKEY, SECRET:
        assert text not in sealed
    # the same frames, and a proof
    assert with_auth == [names[:1] + ["AUTH"] + names[1:] for names in frames]


def test_sealed_as_another_program_does_it(locked):
    peer = FakeClient(locked.port, SECRET)
    peer.play(*FakeClient.STEPS)
    peer.close()
    assert not locked.errors


def memory_of(pid):
    """What the process PID can write to."""
    with open(f"/proc/{pid}/maps") as maps, \
            open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            where, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            first, last = (int(word, 16) for word in where.split("-"))
            memory.seek(first)
            yield memory.read(last - first)


def has_key(pid):
    made = hashlib.blake2b(SECRET, digest_size=32).digest()
    return any(text in part for part in memory_of(pid)
               for text in (SECRET, made))


def test_key_is_forgotten_after_the_proofs(locked, key):
    program = client("write_bw", "-D", 60, *key, port=locked.port)
    program.wait_for_traffic()
    for pid in program.process.pid, locked.process.pid, *locked.children():
        assert not has_key(pid)


def test_key_is_found_where_it_is(locked):
    """So that the test above is one: a server whose client has begun to say
    HELLO waits for the rest with its key."""
    peer = FakeClient(locked.port)
    peer.sock.sendall(wire.frame("HELLO", length=100))
    deadline(30, lambda: any(map(has_key, locked.children())), "the key")
    peer.close()


def test_both_ends_in_one_command(key):
    succeeded(loopback("write_bw", *QUICK, *key))


def test_lengths_are_checked_before_they_are_believed(locked, key):
    peer = FakeClient(locked.port, SECRET)
    peer.play("HELLO")
    peer.sock.sendall(wire.frame("START", length=8 + 17 + 1))
    assert NOTICED.format("client") in peer.expect_error("REFUSE")[2]
    complained_and_serves(locked, NOTICED.format("client"),
                          next_client=with_key(key))
