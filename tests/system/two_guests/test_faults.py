"""What may happen to a run between two hosts.  Whatever it is, both ends end
within --timeout and a second, say why, and report as failed what they had
measured until then; and the server takes the next client.
"""

import re
import signal
import time

import pytest

from documents import parse
from hosts import MANAGEMENT, NETDEV, ROCE, RemoteServer, here, there
from lab import PATIENCE, client, deadline

TIMEOUT = 3
# --timeout and a second, and what an emulated machine may be late
BOUND = TIMEOUT + 1 + 10
# a network of its own, for the control connection alone
CONTROL = "10.0.2"
# each with what both ends measure of it
BANDWIDTH = ("write_bw", "-b", "-s", 1024)
LATENCY = ("send_lat", "-s", 64)

SILENT = "said nothing for 3 s|nothing completed for 3 s"
CLOSED = "closed the connection"
# What an end sees itself, of the path or of a peer that has gone already.
PATH = "RETRY_EXC|LOC_QP_OP|REM_|nothing completed|PORT_ERR"


class Run:
    """A client here and a server there, with traffic between them."""

    def __init__(self, words, tmp_path, *args, host=MANAGEMENT):
        self.path = tmp_path / "client.json"
        self.server = RemoteServer("--json", "--timeout", TIMEOUT)
        self.client = client(*words, "-D", 60, "--warmup", 0, "--timeout",
                             TIMEOUT, f"--json={self.path}", *args,
                             port=self.server.port, host=host)
        self.started_at = time.monotonic()
        self.client.wait_for_traffic()
        time.sleep(0.5)
        self.server_measures = words[0] == "write_bw"
        self.broken_at = None

    def broken(self):
        self.broken_at = time.monotonic()

    def check_time(self, end):
        took = time.monotonic() - self.broken_at
        print(f"the {end} ended after {took:.2f} s")
        assert took < BOUND, end

    def check_failed(self, document, pattern, measured=True):
        """It says why, and has what was measured before."""
        assert re.search(pattern, document["error"]["message"])
        assert document["error"]["stage"] == "traffic"
        if not measured:
            return
        row, = document["results"]
        assert row["failed"] and row["iterations"] > 0
        assert 0 < row["seconds"] < time.monotonic() - self.started_at

    def client_document(self):
        text = self.path.read_text() if self.path.exists() else ""
        return parse(text) if text.endswith("}\n") else None

    def client_ends(self, pattern):
        document = deadline(2 * BOUND, self.client_document,
                            f"a report of {self.client}")
        self.check_time("client")
        self.check_failed(document, pattern)

    def client_exits(self):
        """Only when the network is as it was: Soft-RoCE holds a queue pair
        while a packet of it waits in a queue that does not move."""
        self.client.wait()
        assert self.client.status in (1, -signal.SIGINT)

    def server_document(self):
        """It goes on to serve: its document is all it has printed."""
        out = self.server.out.rstrip()
        return parse(out) if out.endswith("}") else None

    def server_ends(self, pattern):
        document = deadline(2 * BOUND, self.server_document,
                            f"a report of {self.server}")
        self.check_time("server")
        self.check_failed(document, pattern, self.server_measures)


def serves_again():
    """A new client, of a new server or the same."""
    def works():
        server = RemoteServer("--once")
        program = client("write_bw", "-n", 10, "--warmup", 0, "--timeout", 3,
                         port=server.port, host=ROCE).wait()
        if program.status == 0:
            server.wait()
        server.kill()
        return program.status == 0
    deadline(PATIENCE, works, "traffic between the guests again")


def link(where, state, number):
    where(f"ip link set {NETDEV} {state}")
    if state == "up":
        where(f"ip addr replace 10.0.0.{number}/24 dev {NETDEV}")
        where(f"ip addr replace fd00::{number}/64 dev {NETDEV}")


@pytest.mark.parametrize("words,where,number", (
    (BANDWIDTH, here, 1), (LATENCY, there, 2)), ids=("here", "there"))
def test_link_down(words, where, number, tmp_path):
    run = Run(words, tmp_path)
    link(where, "down", number)
    try:
        run.broken()
        run.client_ends(PATH)
        run.server_ends(PATH)
    finally:
        link(where, "up", number)
        serves_again()
    run.client_exits()


@pytest.mark.parametrize("words,where", (
    (LATENCY, here), (BANDWIDTH, there)), ids=("here", "there"))
def test_traffic_cut_while_control_runs(words, where, tmp_path):
    run = Run(words, tmp_path)
    where(f"tc qdisc add dev {NETDEV} root netem loss 100%")
    try:
        run.broken()
        run.client_ends(PATH)
        run.server_ends(PATH)
    finally:
        where(f"tc qdisc del dev {NETDEV} root")
        serves_again()
    run.client_exits()


@pytest.mark.parametrize("words,percent", ((BANDWIDTH, 1), (LATENCY, 10)),
                         ids=("1%", "10%"))
def test_loss_is_survived_or_explained(words, percent, tmp_path):
    """An RC queue pair retries; it may give up where much is lost."""
    run = Run((*words, "-t", 8), tmp_path)
    here(f"tc qdisc add dev {NETDEV} root netem loss {percent}%")
    try:
        time.sleep(2)
        run.broken()
        if run.client.status is None:
            run.client.send(signal.SIGINT)
        run.client_ends("SIGINT|" + PATH)
        run.server_ends("SIGINT|" + PATH)
    finally:
        here(f"tc qdisc del dev {NETDEV} root")
    run.client_exits()


@pytest.fixture
def control():
    """A network for the control connection, that can be cut for itself."""
    here(f"ip addr add {CONTROL}.1/24 dev eth1")
    there(f"ip addr add {CONTROL}.2/24 dev eth1")
    yield f"{CONTROL}.2"
    for where, number in ((here, 1), (there, 2)):
        where(f"ip route del blackhole {CONTROL}.{3 - number} || true")
        where(f"ip addr del {CONTROL}.{number}/24 dev eth1")


def test_control_cut_while_traffic_runs(control, tmp_path):
    run = Run(BANDWIDTH, tmp_path, host=control)
    there(f"ip route add blackhole {CONTROL}.1")
    here(f"ip route add blackhole {CONTROL}.2")
    run.broken()
    run.client_ends(SILENT + "|" + PATH)
    run.server_ends(SILENT + "|" + PATH)
    run.client_exits()


def test_client_killed(tmp_path):
    run = Run(LATENCY, tmp_path)
    run.client.send(signal.SIGKILL)
    run.broken()
    run.server_ends(CLOSED + "|lost the connection|" + PATH)


def test_server_killed(tmp_path):
    run = Run(BANDWIDTH, tmp_path)
    run.server.send(signal.SIGKILL)
    run.broken()
    run.client_ends(CLOSED + "|lost the connection|" + PATH)
    run.client_exits()


def test_client_stopped(tmp_path):
    run = Run(BANDWIDTH, tmp_path)
    run.client.send(signal.SIGSTOP)
    run.broken()
    run.server_ends(SILENT + "|" + PATH)
    run.client.send(signal.SIGCONT)
    run.broken()
    run.client_ends("the server: |" + CLOSED + "|" + SILENT + "|" + PATH)
    run.client_exits()


def test_server_stopped(tmp_path):
    run = Run(LATENCY, tmp_path)
    run.server.send(signal.SIGSTOP)
    run.broken()
    run.client_ends(SILENT + "|" + PATH)
    run.server.send(signal.SIGCONT)
    run.broken()
    run.server_ends("the client: |" + CLOSED + "|" + SILENT + "|" + PATH)
    run.client_exits()


def test_clock_of_the_server_jumps(tmp_path):
    """No time is taken from the clock on the wall: nothing happens."""
    server = RemoteServer("--once", "--timeout", TIMEOUT)
    program = client(*LATENCY, "-D", 2, "--timeout", TIMEOUT,
                     "--json", port=server.port, host=MANAGEMENT)
    program.wait_for_traffic()
    there("date -s @$(($(date +%s) + 7200))")
    try:
        row, = parse(program.wait().out)["results"]
        assert program.status == 0 and not row["failed"], str(program)
        assert 1.9 < row["seconds"] < 10
        assert server.wait().status == 0
    finally:
        there("date -s @$(($(date +%s) - 7200))")
