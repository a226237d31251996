"""Peers that are not what they should be: silent, strange, or gone."""

import http.client
import os
import socket
import struct
import time

import pytest

import wire
from lab import (PATIENCE, SOON, Server, client, complained,
                 complained_and_serves, deadline, failed, needs_device)
from wire import FakeClient, FakeServer, serves

pytestmark = [needs_device, pytest.mark.dialogue]

PERFTEST = b"6.06".ljust(16, b"\0")
NOISE = bytes(range(7, 256, 3)) * 4


def refused(server, *texts):
    """SERVER said why, once, and serves the next client."""
    return complained_and_serves(server, *texts, next_client=serves)


@pytest.fixture
def fake():
    server = FakeServer()
    yield server
    server.listener.close()


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), 10)


@pytest.mark.parametrize("data", (NOISE, b"GET / HTTP/1.0\r\n\r\n",
                                  b"\0" * 64), ids=("noise", "http", "zeros"))
def test_server_knows_what_is_not_a_client(shared_server, data):
    with connect(shared_server) as sock:
        sock.sendall(data)
        complained(shared_server, "the client is not verbsperf",
                   data[:4].hex())
    refused(shared_server)


def test_server_knows_perftest(shared_server):
    """Which does not say what it wants to measure."""
    with connect(shared_server) as sock:
        sock.sendall(PERFTEST)
        complained(shared_server, "the client is perftest",
                   "--perftest TEST")
    refused(shared_server)


@pytest.mark.parametrize("data, what", (
    (NOISE, NOISE[:4].hex()), (PERFTEST, "it is perftest"),
    (b"HTTP/1.0 200 OK\r\n\r\n", "'HTTP...'"),
    (b"SSH-2.0-OpenSSH_9.2\r\n", "'SSH-...'")),
    ids=("noise", "perftest", "http", "ssh"))
def test_client_knows_what_is_not_a_server(fake, data, what):
    program = client("write_bw", port=fake.port)
    fake.accept().sock.sendall(data)
    failed(program, "the server is not verbsperf", what, seconds=SOON)


def test_http_client_gets_an_end(shared_server):
    http_client = http.client.HTTPConnection("127.0.0.1", shared_server.port,
                                             timeout=SOON)
    with pytest.raises((http.client.HTTPException, OSError)):
        http_client.request("GET", "/")
        http_client.getresponse()
    refused(shared_server, "not verbsperf")


@pytest.mark.parametrize("protocol,who", (
    (wire.PROTOCOL + 1, "this end"), (wire.PROTOCOL - 1, "that end"),
    (65535, "this end")))
def test_server_tells_another_protocol_apart(shared_server, protocol, who):
    peer = wire.Peer(connect(shared_server))
    peer.send("HELLO", wire.hello(), protocol=protocol)
    _, code, message, _ = peer.expect_error("REFUSE")
    assert f"protocol {protocol}" in message and code == "EPROTO"
    refused(shared_server, f"the client speaks protocol {protocol}",
                          f"upgrade verbsperf on {who}")


@pytest.mark.parametrize("protocol,who", (
    (wire.PROTOCOL + 1, "this end"), (wire.PROTOCOL - 1, "that end")))
def test_client_tells_another_protocol_apart(fake, protocol, who):
    program = client("write_bw", port=fake.port)
    peer = fake.accept()
    peer.expect("HELLO")
    peer.send("HELLO", b"other words", protocol=protocol)
    failed(program, f"the server speaks protocol {protocol}",
           f"upgrade verbsperf on {who}")
    assert f"protocol {protocol}" in peer.expect_error("ABORT")[2]


def test_client_reads_a_refusal(fake):
    program = client("write_bw", port=fake.port)
    peer = fake.accept()
    peer.expect("HELLO")
    peer.send("REFUSE", b"".join(map(wire.string, (
        "plan", "EBUSY", "the moon is \x1b[31mfull", "wait for a new one"))))
    line = failed(program, "the server: the moon is", "wait for a new one")
    assert "\x1b" not in line


@pytest.mark.parametrize("steps", range(len(FakeClient.STEPS)))
def test_server_survives_a_client_that_leaves(shared_server, steps):
    peer = FakeClient(shared_server.port)
    peer.play(*FakeClient.STEPS[:steps])
    peer.close()
    if not steps:  # as one of two connections that a client raced
        serves(shared_server)
        assert not shared_server.errors
        return
    refused(shared_server, "the client closed the connection|lost the conn",
                          "end of the run|DONE" if steps in (5, 6)
                          else "its turn|PLAN" if steps == 1
                          else FakeClient.STEPS[steps])


@pytest.mark.parametrize("steps", range(len(FakeServer.STEPS)))
def test_client_survives_a_server_that_leaves(fake, steps):
    program = client("write_lat", port=fake.port)
    fake.accept()
    fake.play(*FakeServer.STEPS[:steps])
    fake.close()
    failed(program, "the server closed the connection|lost the connection "
           "to the server", FakeServer.STEPS[steps], seconds=SOON)


def test_client_survives_a_server_that_leaves_traffic(fake):
    program = client("write_bw", port=fake.port)
    fake.accept()
    fake.play(*FakeServer.STEPS)
    fake.close()
    failed(program, "the server closed the connection", seconds=SOON)


@pytest.mark.parametrize("steps", (0, 1, 3, 5, 6, 7))
def test_server_gives_up_a_silent_client(steps):
    server = Server("--timeout", 1)
    peer = FakeClient(server.port)
    wire.PARAMETERS[5] = wire.SECOND
    try:
        peer.play(*FakeClient.STEPS[:steps])
    finally:
        wire.PARAMETERS[5] = 5 * wire.SECOND
    server.wait_for("error: the client said nothing", seconds=SOON)
    kind = "REFUSE" if steps < 2 else "ABORT"
    assert "said nothing" in peer.expect_error(kind)[2]
    refused(server, "the client said nothing")


@pytest.mark.parametrize("steps", (0, 1, 3, 4))
def test_client_gives_up_a_silent_server(fake, steps):
    program = client("write_lat", "--timeout", 1, port=fake.port)
    peer = fake.accept()
    fake.play(*FakeServer.STEPS[:steps])
    failed(program, "the server said nothing", "in time",
           FakeServer.STEPS[steps], seconds=SOON)
    peer.receive()
    assert "said nothing" in peer.expect_error("ABORT")[2]


def test_client_gives_up_a_server_that_never_accepts():
    with socket.create_server(("127.0.0.1", 0), backlog=8) as listener:
        program = client("write_bw", "--timeout", 1,
                         port=listener.getsockname()[1])
        failed(program, "the server said nothing", seconds=SOON)


def test_half_a_frame_is_not_waited_for(fake):
    program = client("write_bw", "--timeout", 1, port=fake.port)
    fake.accept().sock.sendall(wire.frame("HELLO", wire.hello())[:20])
    failed(program, "the server said nothing more in time", seconds=SOON)


def test_drop_by_drop_is_no_way_to_hold_the_server():
    server = Server("--timeout", 2)
    start = time.monotonic()
    with connect(server) as sock:
        for byte in wire.frame("PLAN", b"x" * 100):
            try:
                sock.sendall(bytes([byte]))
            except OSError:
                break
            if server.errors:
                break
            time.sleep(0.2)
    assert time.monotonic() - start < SOON
    refused(server, "client")


STRANGE_FIRST = (
    (wire.frame("", kind=99), "unknown type 99"),
    (wire.frame("", kind=0), "unknown type 0"),
    (wire.frame("PLAN", length=0xffffffff), "PLAN of 4294967295 bytes"),
    (wire.frame("HELLO", length=257), "HELLO of 257 bytes"),
    (wire.frame("READY"), "sent READY where HELLO was expected"),
    (wire.frame("HELLO"), "malformed HELLO"),
    (wire.frame("HELLO", wire.hello() + b"x"), "1 bytes too many"),
    (wire.frame("HELLO", b"\xff\xffab"), "malformed HELLO"),
    (wire.frame("ABORT", b""), "malformed ABORT"),
)


@pytest.mark.parametrize("data,text", STRANGE_FIRST,
                         ids=[text for _, text in STRANGE_FIRST])
def test_strange_first_frame_is_described(shared_server, data, text):
    with connect(shared_server) as sock:
        sock.sendall(data)
        refused(shared_server, text)


STRANGE_PLANS = (
    ({6: 0}, (64,), {}, "qps 0"), ({6: 1 << 40}, (64,), {}, "qps"),
    ({7: 1 << 33}, (64,), {}, "tx-depth"),
    ({10: 1000}, (64,), {}, "--mtu 1000"), ({12: 99}, (64,), {}, "qp-timeout"),
    ({5: 0}, (64,), {}, "timeout"), ({99: 1}, (64,), {}, "--parameter-99"),
    ({19: 4}, (64,), {}, "transport 4"), ({28: 2}, (64,), {}, "events 2"),
    ({29: 1 << 63}, (64,), {}, "rate"), ({36: 0}, (64,), {}, "hop-limit 0"),
    ({44: 1 << 32}, (64,), {}, "verify"),
    ({}, (), {}, "number of sizes 0"),
    ({}, (1 << 40,), {}, "size"), ({}, (64,), {"mtu": 77}, "active MTU 77"),
    ({6: 8}, (64,), {"max_qp": 4}, "--qps.*max_qp 4"),
    ({6: 1024, 14: 1 << 31}, (64,), {}, "max-memory"),
    ({2: 0, 3: 0}, (64,), {}, "duration"),
)


@pytest.mark.parametrize("parameters,sizes,of_port,text", STRANGE_PLANS,
                         ids=[text for *_, text in STRANGE_PLANS])
def test_strange_plan_is_refused(shared_server, parameters, sizes, of_port,
                                 text):
    peer = FakeClient(shared_server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan("write", sizes, parameters, **of_port))
    message = peer.expect_error("REFUSE")[2]
    assert refused(shared_server, text).find(message) > 0


@pytest.mark.parametrize("labels,text", (
    ((1 << 20,), "flow label 1048576"), ((7,) * 65, "flow labels 65")))
def test_strange_flow_labels_are_refused(shared_server, labels, text):
    peer = FakeClient(shared_server.port)
    peer.play("HELLO")
    peer.send("PLAN", wire.plan(labels=labels))
    peer.expect_error("REFUSE")
    refused(shared_server, text)


def strange_endpoint(**changes):
    index = wire.own_gids()[-1][0]
    e = wire.read_endpoint(wire.endpoint(index, index))
    return (wire.ENDPOINT.pack(*e._replace(**changes))
            + wire.QUEUE_PAIR.pack(0xfffff0, 1, wire.RKEY) + wire.fields())


@pytest.mark.parametrize("changes,text", (
    ({"n": 0}, "number of QPs 0"), ({"n": 2}, "ENDPOINT"),
    ({"mtu": 9}, "MTU 9"), ({"mtu": 1}, "MTU 256"),
    ({"length": 0}, "length 0"), ({"stride": 1}, "stride 1"),
    ({"va": (1 << 64) - 1}, "length"), ({"grh": 0}, "without GID"),
    ({"peer_gid_index": 200}, "GID 200"), ({"n": 1 << 31}, "QPs")))
def test_strange_endpoint_is_refused(shared_server, changes, text):
    peer = FakeClient(shared_server.port)
    peer.play("HELLO", "PLAN")
    peer.send("ENDPOINT", strange_endpoint(**changes))
    assert peer.expect_error("ABORT")
    refused(shared_server, text)


def test_size_that_was_not_planned_is_refused(shared_server):
    peer = FakeClient(shared_server.port)
    peer.play(*FakeClient.STEPS[:4])
    peer.send("START", struct.pack(">Q", 1 << 40))
    assert peer.expect_error("ABORT")[2] == (
        "the other end's message size does not fit this run")
    refused(shared_server, "size 1099511627776")


@pytest.mark.parametrize("payload,text", (
    (wire.sent(), "number of threads 0"),
    (wire.sent(*[1] * 64)[:-1], "malformed SENT"),
    (wire.sent(1 << 63), "messages 9223372036854775808")))
def test_strange_number_of_sent_messages_is_refused(shared_server, payload,
                                                    text):
    peer = FakeClient(shared_server.port)
    peer.play(*FakeClient.STEPS[:5])
    peer.send("SENT", payload)
    assert peer.expect_error("ABORT")
    refused(shared_server, text)


@pytest.mark.real
@pytest.mark.parametrize("test", ("write_bw", "send_lat", "read_lat"))
def test_queue_pair_that_never_acknowledges_is_explained(fake, test):
    # Soft-RoCE does not count 7, the default, down
    program = client(test, "-u", 10, "--retry-count", 6, "--timeout", 3,
                     port=fake.port)
    peer = fake.accept()
    fake.play(*FakeServer.STEPS)
    failed(program, "IBV_WC_RETRY_EXC_ERR", "never acknowledged", "QP 0x")
    stage, code, _, advice = peer.expect_error("ABORT")
    assert (stage, code) == ("traffic", "IBV_WC_RETRY_EXC_ERR")
    assert advice


def test_reset_connection_is_survived(shared_server):
    sock = connect(shared_server)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.sendall(wire.frame("HELLO", wire.hello())[:5])
    time.sleep(0.2)
    sock.close()
    refused(shared_server, "client")


def test_many_strangers_leave_the_server_well(server):
    for i in range(20):
        with connect(server) as sock:
            sock.sendall(os.urandom(i * 3))
    serves(server)
    assert server.status is None
    # nothing is said of the one that sent nothing
    deadline(PATIENCE, lambda: len(server.errors) == 19, "19 errors")
