"""Addresses and service: what was asked is what both ends' queue pairs say."""

import pytest

from documents import measured
from lab import (QUICK, TESTS, Program, Server, client, failed, loopback,
                 needs_device, needs_lab, succeeded)

pytestmark = needs_device

SEND = ("write_bw", *QUICK, "-s", 64)


def run(*args):
    return loopback(*SEND, "--json", *args)


def queue_pairs(document):
    return [document[end]["qp"] for end in ("client", "server")]


@pytest.mark.parametrize("option,value,parameter,key,effective", (
    ("--tclass", 96, "tclass", "traffic_class", 96),
    ("--tclass", 255, "tclass", "traffic_class", 255),
    ("--dscp", 26, "dscp", "traffic_class", 104),
    ("--dscp", 0, "dscp", "traffic_class", 0),
    ("--retry-count", 3, "retry-count", "retry_cnt", 3),
    ("--rnr-retry", 5, "rnr-retry", "rnr_retry", 5),
    ("--min-rnr-timer", 20, "min-rnr-timer", "min_rnr_timer", 20),
    ("-u", 18, "qp-timeout", "timeout", 18),
    ("-m", 512, "mtu", "path_mtu", 512),
    ("--pkey-index", 0, "pkey-index", "pkey_index", 0)))
def test_option_is_effective_at_both_ends(option, value, parameter, key,
                                          effective):
    document = measured(run(option, value))
    assert document["parameters"][parameter] == value
    assert [qp[key] for qp in queue_pairs(document)] == [effective] * 2


@pytest.mark.parametrize("text,values", (
    ("7", [7]), ("0xabcde,1,2", [0xabcde, 1, 2]), ("0", [0])))
def test_flow_labels(text, values):
    document = measured(run("--flow-label", text, "-q", 4))
    assert document["parameters"]["flow-label"] == values
    # of the first queue pair
    assert [qp["flow_label"] for qp in queue_pairs(document)] == \
        values[:1] * 2


@pytest.mark.parametrize("value", (7, 255))
def test_hop_limit(value):
    program = run("--hop-limit", value)
    document = measured(program)
    assert document["parameters"]["hop-limit"] == value
    got = {qp["hop_limit"] for qp in queue_pairs(document)}
    # Linux takes that of the route for a connected queue pair on RoCE
    assert got in ({value}, {64})
    assert (f"hop limit {value} (the QP says 64)" in program.err) == (
        got == {64})


def test_service_level():
    document = measured(run("-S", 3))
    assert document["parameters"]["sl"] == 3
    # Soft-RoCE forgets it, Ethernet has none
    assert all(qp["sl"] in (0, 3) for qp in queue_pairs(document))


@pytest.mark.parametrize("test", TESTS)
def test_defaults(test):
    document = measured(loopback(test, "--json", *QUICK, "-s", 64,
                                 "--qp-timeout", 14))
    for qp in queue_pairs(document):
        assert (qp["traffic_class"], qp["flow_label"]) == (0, 0)
        assert (qp["hop_limit"], qp["timeout"]) == (64, 14)
        assert (qp["retry_cnt"], qp["rnr_retry"]) == (7, 7)
        assert qp["min_rnr_timer"] == 12
        assert qp["path_mtu"] == document["parameters"]["mtu"]
        assert qp["max_send_sge"] >= 1 and qp["max_recv_wr"] >= 1
    assert document["client"]["qp"]["max_send_wr"] >= \
        document["results"][0]["tx_depth"]
    assert document["client"]["pkey"] == document["server"]["pkey"]


def test_reads_are_those_of_the_queue_pair():
    document = measured(loopback("read_bw", "--json", *QUICK, "-o", 2))
    assert document["client"]["qp"]["max_rd_atomic"] == 2
    assert document["server"]["qp"]["max_dest_rd_atomic"] == 2


@pytest.mark.data
def test_server_says_the_same():
    server = Server("--once", "--json")
    mine = measured(client(*SEND, "--json", "--tclass", 40,
                           port=server.port))
    theirs = measured(server)
    assert queue_pairs(mine) == queue_pairs(theirs)
    assert theirs["parameters"]["tclass"] == 40


def test_table_shows_what_is_not_usual():
    out = succeeded(loopback(*SEND, "--dscp", 24, "--flow-label", "1,2")).out
    assert (" service: traffic class 96, DSCP 24, "
            "flow labels 0x00001/0x00002\n") in out
    assert "service" not in succeeded(loopback(*SEND)).out


@pytest.mark.dialogue
@pytest.mark.parametrize("args,texts", (
    (("--tclass", 256), ("--tclass", "256")),
    (("--dscp", 64), ("--dscp", "64")),
    (("--tclass", 4, "--dscp", 1), ("--tclass 4 and --dscp 1", "one of")),
    (("--flow-label", "1048576"), ("--flow-label", "1048576")),
    (("--flow-label", "1,x"), ("--flow-label", "1,x")),
    (("--hop-limit", 0), ("--hop-limit",)),
    (("--retry-count", 8), ("--retry-count", "8")),
    (("--rnr-retry", 8), ("--rnr-retry", "8")),
    (("--min-rnr-timer", 32), ("--min-rnr-timer", "32")),
    (("-S", 16), ("-S", "16"))))
def test_bad_value_is_refused(args, texts):
    failed(loopback(*SEND, *args), *texts, status=2)


@needs_lab
def test_pkey_index_beyond_the_table():
    failed(loopback(*SEND, "--pkey-index", 65535),
           "--pkey-index 65535: .* port 1 has a table of [0-9]+ P_Key")
    failed(Program("serve", "-p", 0, "--pkey-index", 65535),
           "--pkey-index 65535")
