"""An end of the same protocol with more parameters and fields than this one."""
import struct

import pytest

import wire
from lab import Server, client, complained, failed
from wire import FakeClient, FakeServer, field, serves

INDEX = 0           # of the only GID
NEW = field(900, "new-thing", b"\x00\x01", wire.OPTIONAL)
NEEDED = field(901, "needed-thing", b"", 0)


@pytest.fixture(name="server")
def start_server():
    return Server()


def payloads(more):
    """What a client says, with MORE at the end of each list of fields."""
    return {"PLAN": wire.plan(more=[field(1000, "new-option", b"x",
                                          wire.OPTIONAL)]),
            "ENDPOINT": wire.endpoint(INDEX, INDEX, more=more),
            "DONE": wire.done(more=more)}


def test_optional_fields_of_a_newer_client_are_skipped(server):
    said = payloads([NEW])
    said["PLAN"] = wire.port(more=[NEW]) + said["PLAN"][len(wire.port()):]
    peer = FakeClient(server.port, **said)
    peer.play(*FakeClient.STEPS)
    peer.close()
    serves(server)


@pytest.mark.parametrize("step", ("ENDPOINT", "DONE"))
def test_other_fields_of_a_newer_client_are_refused(server, step):
    peer = FakeClient(server.port, **payloads([NEW, NEEDED]))
    steps = FakeClient.STEPS
    for earlier in steps[:steps.index(step)]:
        peer.payloads.pop(earlier, None)
        peer.play(earlier)
    peer.send(step, peer.payload(step))
    _, code, message, advice = peer.expect_error("ABORT")
    assert message.endswith(" has needed-thing, which this version does not "
                            "know")
    assert code == "EPROTO" and "upgrade verbsperf" in advice
    complained(server, "needed-thing")
    serves(server)


def test_a_new_option_is_refused_by_name(server):
    peer = FakeClient(server.port, PLAN=wire.plan(
        more=[field(1000, "new-option", struct.pack(">Q", 1))]))
    peer.play("HELLO")
    peer.send("PLAN", peer.payload("PLAN"))
    _, code, message, advice = peer.expect_error("REFUSE")
    assert message == ("the client asks for --new-option, which this version "
                       "does not know")
    assert code == "EPROTO"
    assert advice == ("upgrade verbsperf on the server, or leave --new-option "
                      "out")
    complained(server, "--new-option")
    serves(server)


def test_what_is_left_out_has_its_default(server):
    values = {2: 10, 4: 0}
    peer = FakeClient(server.port, PLAN=wire.port() + b"\x01\x00"
                      + wire.parameter_list(values, (64,), ()))
    peer.play(*FakeClient.STEPS)
    peer.close()
    serves(server)


class NewerServer(FakeServer):
    """Says MORE at the end of each list of fields."""

    def __init__(self, more):
        super().__init__()
        self.more = more

    def answer(self, step, payload):
        if step == "ACCEPT":
            return wire.port(more=self.more)
        if step == "ENDPOINT":
            e = wire.read_endpoint(payload)
            return wire.endpoint(e.peer_gid_index, e.gid_index, e.mtu,
                                 e.stride, e.n, more=self.more)
        return super().answer(step, payload)


def test_optional_fields_of_a_newer_server_are_skipped():
    server = NewerServer([NEW])
    program = client("write_bw", "-n", 10, port=server.port)
    server.accept()
    server.play(*FakeServer.STEPS)
    server.close()
    failed(program, "the server closed the connection")


def test_other_fields_of_a_newer_server_are_refused():
    server = NewerServer([NEEDED])
    program = client("write_bw", "-n", 10, port=server.port)
    peer = server.accept()
    server.play("HELLO", "ACCEPT")
    line = failed(program, "the other end's description of its port has "
                  "needed-thing, which this version does not know")
    assert "upgrade verbsperf on the end that does not know it" in line
    assert "needed-thing" in peer.expect_error("ABORT")[2]
    server.close()
