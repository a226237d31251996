"""--key-file: who has the key is served, and nobody else."""

import os
import socket

import pytest

import wire
from lab import (DEVICE, QUICK, Program, Server, client, complained,
                 complained_and_serves, failed, loopback, needs_device,
                 succeeded)
from wire import FakeClient, FakeServer, Proxy

pytestmark = [needs_device, pytest.mark.dialogue]

SECRET = b"a secret for the lab"
DIFFER = "the keys of client and server differ"


def write_key(path, secret, mode=0o600):
    path.write_bytes(secret + b"\n")
    path.chmod(mode)
    return path


@pytest.fixture
def keys(tmp_path):
    """Options: the right key, a wrong one, none."""
    return {"right": ("--key-file", write_key(tmp_path / "key", SECRET)),
            "wrong": ("--key-file", write_key(tmp_path / "other",
                                              SECRET[::-1])),
            "none": ()}


@pytest.fixture
def locked(keys):
    return Server("--verbose", *keys["right"])


def with_key(keys):
    """For complained_and_serves(): the next client has the key."""
    return lambda server: succeeded(client("write_bw", *QUICK, *keys["right"],
                                           port=server.port))


def test_same_key_on_both_ends(locked, keys):
    with_key(keys)(locked)
    line = locked.wait_for(r"127\.0\.0\.1 port \d+: this is (.*)\n")
    assert line[1].startswith(socket.gethostname() + ", with verbsperf ")
    assert line[1].endswith(", and has proved the key")
    assert SECRET.decode() not in locked.err
    assert not locked.errors


REFUSALS = (
    ("wrong", "right", "the server: " + DIFFER, DIFFER),
    ("none", "right", "the server requires a key, this client has none; "
     ".*--key-file", "this server requires a key, the client has none"),
    ("right", "none", "this client requires a key, the server has none; "
     ".*--key-file", "the client requires a key, this server has none"))


@pytest.mark.parametrize("mine,theirs,said,logged", REFUSALS)
def test_ends_that_do_not_fit(keys, mine, theirs, said, logged):
    server = Server(*keys[theirs])
    program = client("write_bw", *QUICK, *keys[mine], port=server.port)
    failed(program, said)
    complained(server, logged)
    server.wait_for(r"127\.0\.0\.1 port \d+: this is "
                    + socket.gethostname())
    assert "proved" not in server.err
    succeeded(client("write_bw", *QUICK, *keys[theirs], port=server.port))
    assert server.status is None and len(server.errors) == 1


def test_loopback_with_a_key(keys):
    succeeded(loopback("write_bw", *QUICK, *keys["right"]))


def test_server_without_a_key_says_who_came(server):
    peer = FakeClient(server.port)
    peer.play("HELLO")
    server.wait_for(r"127\.0\.0\.1 port \d+: this is fakehost, with "
                    r"verbsperf 0\.fake, without a key")
    peer.close()


BAD_FILES = ((b"short", 0o600, "16 to 4096 bytes, this one has 5"),
             (b"k" * 4097, 0o600, "has over 4096"),
             (SECRET, 0o644, "open to everybody.*mode 644"))


@pytest.mark.parametrize("secret,mode,text", BAD_FILES)
def test_file_that_is_no_key(tmp_path, secret, mode, text):
    path = write_key(tmp_path / "key", secret, mode)
    failed(client("write_bw", "--key-file", path, port=1), f"{path}.*{text}")
    failed(client("write_bw", "--key-file", tmp_path / "none", port=1),
           "No such file")
    failed(loopback("write_bw", "--key-file", path), text)
    failed(Program("serve", "-d", DEVICE, "-p", 0, "--key-file", path), text)


def greeted(server, **of_hello):
    """A client that has exchanged HELLO; with what both said."""
    peer = FakeClient(server.port)
    mine = wire.hello(**{"has_key": 1, **of_hello})
    peer.send("HELLO", mine)
    return peer, mine, peer.expect("HELLO")


def turned_away(server, peer, keys, text=DIFFER, detail=""):
    """PEER, and nobody else, is told TEXT by SERVER, which logs DETAIL, too."""
    stage, code, message, _ = peer.expect_error("REFUSE")
    assert text in message and stage == "key"
    with pytest.raises(EOFError):
        peer.receive()
    complained_and_serves(server, text, detail, next_client=with_key(keys))
    return code


def test_session_as_another_program_seals_it(locked):
    peer = FakeClient(locked.port, SECRET)
    peer.play(*FakeClient.STEPS)
    peer.close()
    assert not locked.errors


def auth(secret, role, mine, theirs):
    return wire.Transcript(secret, mine, theirs).auth(role, bytes(24))


@pytest.mark.parametrize("role,secret", (
    ("client", b"another secret of the lab"), ("server", SECRET)))
def test_proof_that_is_not_the_clients(locked, keys, role, secret):
    peer, mine, theirs = greeted(locked)
    peer.send("AUTH", auth(secret, role, mine, theirs))
    assert turned_away(locked, peer, keys) == "EACCES"


def test_recorded_proof(locked, keys):
    proxy = Proxy(locked.port)
    succeeded(client("write_bw", *QUICK, *keys["right"], port=proxy.port))
    recorded = wire.split(proxy.bytes[0])
    assert [name for name, _ in recorded[:3]] == ["HELLO", "AUTH", "PLAN"]
    peer = FakeClient(locked.port)
    peer.send(*recorded[0])
    peer.expect("HELLO")
    peer.send(*recorded[1])
    turned_away(locked, peer, keys)


@pytest.mark.parametrize("step", ("PLAN", "ENDPOINT", "HELLO", "BYE"))
def test_proof_that_is_left_out(locked, keys, step):
    peer, _, _ = greeted(locked)
    peer.send(step, peer.payload(step))
    turned_away(locked, peer, keys, "the client's answer does not fit",
                f"sent {step} where AUTH was expected")


def test_proof_of_another_length(locked, keys):
    peer, mine, theirs = greeted(locked)
    peer.send("AUTH", auth(SECRET, "client", mine, theirs)[:-1])
    turned_away(locked, peer, keys, "proof of the key does not fit",
                "malformed AUTH")


@pytest.fixture
def asked(keys):
    """A server without the key, and a client that wants one."""
    fake = FakeServer()
    program = client("write_bw", *QUICK, "--verbose", *keys["right"],
                     port=fake.port)
    peer = fake.accept()
    yield program, peer, peer.expect("HELLO")
    fake.close()


def test_reflected_hello(asked):
    program, peer, theirs = asked
    peer.send("HELLO", theirs)
    failed(program, "the server sent the nonce of this end back")
    assert peer.expect_error("ABORT")[0] == "key"


def test_reflected_proof(asked):
    program, peer, _ = asked
    peer.send("HELLO", wire.hello(1))
    peer.send("AUTH", peer.expect("AUTH"))
    failed(program, "error: " + DIFFER)
    # ABORT, which only the server that it expected could read
    assert DIFFER.encode() not in peer.expect("ABORT")


def test_server_that_goes_on_without_a_proof(asked):
    program, peer, _ = asked
    peer.send("HELLO", wire.hello(1))
    peer.expect("AUTH")
    peer.send("ACCEPT", wire.port())
    failed(program, "the server sent ACCEPT where AUTH was expected")


def test_key_that_went_away(locked, keys):
    path = keys["right"][1]
    os.rename(path, f"{path}.moved")
    peer = FakeClient(locked.port)
    peer.send("HELLO", wire.hello(1))
    message = peer.expect_error("REFUSE")[2]
    assert message == "this server cannot read its key"
    os.rename(f"{path}.moved", path)
    locked.wait_for("error: --key-file .*: No such file or directory")
    with_key(keys)(locked)
