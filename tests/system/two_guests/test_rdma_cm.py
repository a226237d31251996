"""Queue pairs that rdma_cm connects: every test over it, and what is said when
it cannot.

The client is here, the server in the other guest.
"""

import re
import signal
import socket
import struct
import threading
import time

import pytest

from documents import measured
from hosts import MANAGEMENT, NETDEV, ROCE6, RemoteServer, here, there
from lab import (BINARY, DEVICE, PATIENCE, PATIENT, QUICK, SOON, Program,
                 client, complained, deadline, failed, interrupted, succeeded)

each = pytest.mark.parametrize

HEADER = struct.Struct(">4sHHI")
ENDPOINT = 5
# The value of that field is u16 port, 16 bytes token; its length, u32, comes
# between.
FIELD = b"\0\7rdma-cm"
LOSE_ALL = f"tc qdisc add dev {NETDEV} root netem loss 100%"
LOSE_NONE = f"tc qdisc del dev {NETDEV} root"
CM_IDS = "rdma resource show cm_id"
SIZES = ("-n", 50, "-s", 64, "--warmup", 0)


@pytest.fixture(scope="module", autouse=True)
def has_manager():
    program = Program("write_bw", "--rdma-cm", "--loopback", "-c", "UC")
    program.wait()
    if "built without" in program.err:
        pytest.skip("a build without librdmacm")


def run(test, *args, port, host=MANAGEMENT, **popen):
    return client(test, "--rdma-cm", *args, port=port, host=host, **popen)


def qps_of(document):
    return [document[end]["qp"] for end in ("client", "server")]


# those that LINES have not, and one that they have
@each("test", ("write_bw", "write_lat", "send_lat", "read_lat", "atomic_bw",
               "atomic_lat"))
def test_every_test(remote, test):
    document = measured(run(test, "--json", *QUICK, port=remote.port))
    assert document["parameters"]["rdma-cm"] is True
    assert [document[end]["gid"] for end in ("client", "server")] == [
        "::ffff:10.0.0.1", "::ffff:10.0.0.2"]


LINES = ("send_bw -c UD", "send_lat -c UD", "send_bw -c UD -b",
         "send_bw -c UD --reversed", "send_bw -c UD -q 40 --srq",
         "send_bw -c UD -q 4 --threads 2 -e", "send_bw -c UD --verify",
         "send_bw -c UD --imm", "send_bw -q 40", "write_bw -q 40 -b",
         "write_bw -q 4 --threads 2 --verify", "send_bw -b -q 8 --srq -e",
         "read_bw -q 8 -b", "write_bw --reversed", "write_bw --imm",
         "write_bw --mtu 512", "read_bw -o 3 --qp-timeout 18")


@each("line", LINES)
def test_every_kind(remote, line):
    test, *words = line.split()
    document = measured(run(test, "--json", *words, *SIZES, *PATIENT,
                            port=remote.port))
    qps = int(words[words.index("-q") + 1]) if "-q" in words else 1
    assert document["results"][0]["qps"] == qps


def test_hundreds_of_queue_pairs(remote):
    measured(run("write_bw", "--json", "-q", 200, "-t", 4, "-n", 4, "-s", 64,
                 "--warmup", 0, *PATIENT, port=remote.port))


def test_connections(remote):
    """Each of them as a test of its own, and all of them at once."""
    for pattern in ("churn", "hold"):
        row, = measured(run("connect", "--json", "-n", 8, "--warmup", 0,
                            "--pattern", pattern,
                            port=remote.port))["results"]
        assert row["control"]["parts"][3]["name"] == "connect"
        assert row["control"]["most"] == (1 if pattern == "churn" else 8)


def test_ipv6(remote):
    document = measured(run("write_bw", "--json", *QUICK, host=ROCE6,
                            port=remote.port))
    assert document["server"]["gid"] == "fd00::2"


@each("words,value", ((("--tclass", 96), 96), (("--dscp", 46), 184)))
def test_type_of_service(remote, words, value):
    document = measured(run("write_bw", "--json", *QUICK, *words,
                            port=remote.port))
    assert [qp["traffic_class"] for qp in qps_of(document)] == [value] * 2


def test_what_the_plan_says(remote):
    words = ("--flow-label", 77, "--retry-count", 5, "--rnr-retry", 3,
             "--min-rnr-timer", 9, "-m", 512, "-u", 17)
    document = measured(run("send_bw", "--json", "-n", 10, "--warmup", 0,
                            *words, port=remote.port))
    for qp in qps_of(document):
        assert [qp[name] for name in (
            "flow_label", "retry_cnt", "rnr_retry", "min_rnr_timer",
            "path_mtu", "timeout")] == [77, 5, 3, 9, 512, 17]


def test_with_a_key(tmp_path):
    """The address and the token of the manager come sealed."""
    key = "/tmp/rdma_cm.key"
    for where in (here, there):
        where(f"umask 077; echo 0123456789abcdef0123 >{key}")
    server = RemoteServer("--key-file", key)
    measured(run("write_bw", "--json", *QUICK, "--key-file", key,
                 port=server.port))


def test_check_names_it(remote):
    program = succeeded(run("write_bw", "--check", port=remote.port))
    assert re.search("rdma_cm +10.0.0.1 +10.0.0.2", program.out), program.out


def test_both_ends_on_one_device():
    succeeded(Program("write_bw", "-d", DEVICE, "--loopback", "--rdma-cm",
                      *QUICK))


@each("name,words", (
    ("ib_write_bw", "-R"), ("ib_write_bw", "-R -b -q 4 -T 96"),
    ("ib_send_lat", "-R -c UD"), ("ib_read_lat", "--rdma_cm"),
    ("ib_send_bw", "-R -c UD"), ("ib_atomic_lat", "-R")))
def test_perftests_names(remote, name, words):
    program = succeeded(Program(
        *words.split(), "-d", DEVICE, "-p", remote.port, "-n", 50, "-F",
        MANAGEMENT, argv0=(name,), executable=BINARY))
    assert "rdma_cm QPs\t : ON" in program.out


# What goes wrong

class Relay:
    """Between a client and a server: it changes the server's ENDPOINT."""

    def __init__(self, port, change):
        self.change = change
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.server = socket.create_connection((MANAGEMENT, port))
        threading.Thread(target=self.forth, daemon=True).start()

    def forth(self):
        self.client = self.listener.accept()[0]
        threading.Thread(target=self.back, daemon=True).start()
        while True:
            data = self.client.recv(65536)
            if not data:
                break
            self.server.sendall(data)
        self.server.close()

    def receive(self, length):
        data = bytearray()
        while len(data) < length:
            part = self.server.recv(length - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def back(self):
        try:
            while True:
                header = self.receive(HEADER.size)
                _, _, kind, length = HEADER.unpack(header)
                payload = self.receive(length)
                if kind == ENDPOINT:
                    self.change(payload)
                self.client.sendall(header + payload)
        except (EOFError, OSError):
            self.client.close()


def value_at(payload):
    return payload.index(FIELD) + len(FIELD) + 4


def another_token(payload):
    payload[value_at(payload) + 2] ^= 1


def another_port(payload):
    struct.pack_into(">H", payload, value_at(payload), 7)


@each("words,change,says", (
    ((), another_token, "REJECTED \\(status 28: the listener there does "
     "not know this session"),
    ((), another_port, "10.0.0.2 port 7, was refused the connection: "
     "RDMA_CM_EVENT_REJECTED \\(status 8: nobody listens there"),
    (("-c", "UD"), another_token, "RDMA_CM_EVENT_"),
    (("-c", "UD"), another_port, "RDMA_CM_EVENT_")))
def test_rejected(remote, words, change, says):
    relay = Relay(remote.port, change)
    program = run("send_bw", *words, *QUICK, port=relay.port,
                  host="127.0.0.1")
    failed(program, says, seconds=SOON)
    complained(remote, "the client: rdma_cm")
    remote.forget()
    measured(run("write_bw", "--json", *QUICK, port=remote.port))


@pytest.fixture
def deaf(neighbours):
    """Nothing leaves this host on the network of the devices."""
    here(LOSE_ALL)
    yield
    here(LOSE_NONE)


@pytest.fixture
def strangers():
    """No host knows the other's MAC, nor learns it: nothing leaves either, or
    a request for ours would tell us theirs."""
    for where in (here, there):
        where(LOSE_ALL)
    here(f"ip neigh flush dev {NETDEV}")
    yield
    for where in (here, there):
        where(LOSE_NONE)


def test_no_neighbour(remote, strangers):
    """The manager finds no way to the address."""
    program = run("write_bw", *QUICK, "--timeout", 8, port=remote.port)
    failed(program, "RDMA_CM_EVENT_ADDR_ERROR", "looking for the device "
           "that leads to 10.0.0.2 port", "'ip neigh'", seconds=SOON)
    complained(remote, "the client: rdma_cm")


@each("words", ((), ("-c", "UD")))
def test_no_answer(remote, deaf, words):
    begin = time.monotonic()
    program = run("send_bw", *words, *QUICK, "--timeout", 2, port=remote.port)
    failed(program, "rdma_cm, asking for a connection with 10.0.0.2 port .*, "
           "took too long|RDMA_CM_EVENT_UNREACHABLE", "UDP port 4791",
           seconds=SOON)
    assert time.monotonic() - begin < 15
    complained(remote, "the client: rdma_cm")


@each("number", (signal.SIGINT, signal.SIGTERM))
def test_interrupted(remote, deaf, number):
    program = run("send_bw", *QUICK, "--timeout", 60, port=remote.port)
    deadline(PATIENCE, lambda: "verbsperf" in here(CM_IDS),
             f"the manager's work for {program}")
    program.send(number)
    interrupted(program, number, seconds=SOON)
    complained(remote, "interrupted by " + number.name)


@each("words", ((), ("-c", "UD", "-q", "8")))
def test_packets_lost_are_sent_again(remote, neighbours, words):
    here(f"tc qdisc add dev {NETDEV} root netem loss 20%")
    try:
        program = run("send_bw", *words, "-n", 20, "-s", 64, "--warmup", 0,
                      "--timeout", 30, *PATIENT, port=remote.port)
        program.wait(90)
    finally:
        here(f"tc qdisc del dev {NETDEV} root")
    succeeded(program)


def test_nothing_is_left(remote):
    measured(run("write_bw", "--json", *QUICK, port=remote.port))
    for where in (here, there):
        text = where(CM_IDS)
        assert "verbsperf" not in text, text
