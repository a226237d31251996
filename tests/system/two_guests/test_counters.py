"""What the counters of both hosts' ports say of packets that are lost on the
way, and of a receiver that is not ready."""

import os
import re

import pytest

from documents import parse, row_of
from hosts import MANAGEMENT, there
from lab import BINARY, SOON, Program, client, succeeded

# of one packet each: Soft-RoCE refuses longer ones that come again
SMALL = ("-s", 1000, "-n", 500, "--warmup", 0)
# no ACK is so late, however busy the machine is
LATE = ("--qp-timeout", 19)
LOST = 3


def counters_of(program):
    return row_of(program)["counters"]


def value(counters, end, name):
    return counters[end]["values"][name]


def risen(counters):
    return {(one["end"], one["counter"]) for one in counters["rose"]}


def run(remote, test, *args):
    return client(test, *args, port=remote.port, host=MANAGEMENT)


def test_nothing_is_lost(neighbours, remote):
    counters = counters_of(run(remote, "write_bw", "--json", *SMALL, *LATE))
    assert counters["rose"] == []
    for end in ("client", "server"):
        assert counters[end]["seconds"] > 0
        assert value(counters, end, "completer_retry_err") == 0
        assert value(counters, end, "netdev.tx_dropped") == 0
    # a packet each, there, and at least one ACK for every few
    assert value(counters, "client", "sent_pkts") >= 500
    assert value(counters, "server", "rcvd_pkts") >= 500
    text = succeeded(run(remote, "write_bw", *SMALL, *LATE, "--counters",
                         "interest")).out
    assert "rose by" not in text
    assert " counters: none that indicates trouble or congestion rose at " \
        "either end\n" in text


def test_packets_are_lost(neighbours, lossy, remote):
    """The end that sends again has counted that, the other one the gap."""
    lossy(LOST)
    counters = counters_of(run(remote, "write_bw", "--json", *SMALL))
    assert value(counters, "client", "completer_retry_err") > 0
    assert value(counters, "server", "completer_retry_err") == 0
    assert value(counters, "server", "out_of_seq_request") > 0
    assert value(counters, "client", "out_of_seq_request") == 0
    assert {("client", "completer_retry_err"),
            ("server", "out_of_seq_request")} <= risen(counters)
    text = succeeded(run(remote, "write_bw", *SMALL, "--verbose")).out
    assert re.search(r"^ client: completer_retry_err rose by \d+: packets "
                     "were sent again; look for discards", text, re.M)
    assert re.search(r"^ server: out_of_seq_request rose by \d+: packets "
                     "arrived out of sequence", text, re.M)


def test_a_limit(neighbours, lossy, remote):
    """Of what rises, of what does not, and of what nobody counts."""
    lossy(LOST)
    program = run(remote, "write_bw", "--json", *SMALL, "--max-counter",
                  "out_of_seq_request=0,link_downed=0", "--max-counter",
                  "nothing=5").wait()
    assert program.status == 3, str(program)
    risen_limit, down, nothing = parse(program.out)["limits"]
    assert not risen_limit["met"] and risen_limit["seen"] > 0
    assert risen_limit["end"] == "server" and risen_limit["unit"] is None
    assert down["met"] and down["seen"] == 0
    assert not nothing["met"] and nothing["seen"] is None
    assert nothing["reason"] == "neither end has that counter"
    assert re.search(r"limit not met: --max-counter out_of_seq_request=0: \d+ "
                     "at the server at size 1000 on 1 QP\n", program.err)


def test_receiver_is_not_ready(neighbours, remote):
    """A receive at a time for many messages."""
    program = run(remote, "send_bw", "--json", "-s", 64, "-n", 300, "-r", 1,
                  "-t", 64, "--warmup", 0, *LATE)
    counters = counters_of(program)
    assert value(counters, "client", "rcvd_rnr_err") > 0
    assert value(counters, "server", "send_rnr_err") > 0
    assert value(counters, "server", "rcvd_rnr_err") == 0
    assert ("client", "rcvd_rnr_err") in risen(counters)
    meaning, = {one["meaning"] for one in counters["rose"]
                if one["counter"] == "rcvd_rnr_err"}
    assert "the other end had no receive posted" in meaning


def test_choices(neighbours, remote):
    counters = counters_of(run(
        remote, "write_bw", "--json", *SMALL, *LATE, "--counters",
        "rdma_sends,netdev.tx_packets,hw_counters/sent_pkts,nothing"))
    for end in ("client", "server"):
        assert set(counters[end]["values"]) == {
            "rdma_sends", "netdev.tx_packets", "sent_pkts", "nothing"}
        assert value(counters, end, "nothing") is None
        assert value(counters, end, "netdev.tx_packets") > 0
    program = run(remote, "write_bw", *SMALL, "--counters", "nothing").wait()
    assert "warning: no counter 'nothing' at either end\n" in program.err
    counters = counters_of(run(remote, "write_bw", "--json", *SMALL,
                               "--counters=all"))
    assert len(counters["client"]["values"]) > 30
    assert counters_of(run(remote, "write_bw", "--json", *SMALL,
                           "--counters=none")) is None


@pytest.fixture
def named(tmp_path):
    """The program under perftest's name, on both hosts."""
    name = f"/tmp/verbsperf-counters-{os.getpid()}/ib_write_bw"
    for where in (os.makedirs, lambda path: there(f"mkdir -p {path}")):
        where(os.path.dirname(name))
    os.symlink(BINARY, name)
    there(f"ln -s {BINARY} {name}")
    return name


def test_counters_of_perftest(neighbours, named):
    """Each end prints its own, those that its command line names."""
    server = Program("-W", "hw_counters/rcvd_pkts", "-p", 7471,
                     argv0=("verbsperf-lab-peer", named))
    server.wait_for("serving on TCP port 7471")
    program = Program("-s", 1000, "-n", 2000, "-p", 7471, "-u", 19,
                      "--report-counters=hw_counters/sent_pkts,nothing",
                      MANAGEMENT, argv0=(named,)).wait(SOON)
    assert program.status == 0, str(program)
    sent, = re.findall("\n\thw_counters/sent_pkts=(\\d+)\n\tnothing=-\n\n",
                       program.out)
    assert int(sent) >= 2000
    server.wait(SOON)
    came, = re.findall("\n\thw_counters/rcvd_pkts=(\\d+)\n\n", server.out)
    assert int(came) >= 2000
    assert "nothing" not in server.out
