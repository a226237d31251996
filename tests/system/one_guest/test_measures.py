"""What is measured, with every option that shapes it."""

import pytest

import wire
from documents import measured, row_of
from lab import (DEVICE, QUICK, TESTS, Program, Server, client, failed,
                 loopback, needs_device, succeeded)

pytestmark = needs_device

LATENCY = [test for test in TESTS if test.endswith("lat")]
BANDWIDTH = [test for test in TESTS if test.endswith("bw")]


def run(test, *args, **popen):
    return loopback(test, "--json", *args, **popen)


@pytest.mark.parametrize("test", TESTS)
def test_runs_for_the_duration(test):
    row = row_of(run(test, "-D", "0.4", "--warmup", "0.1"))
    assert 0.2 < row["seconds"] < 3
    assert row["iterations"] > 1
    assert row["size"] == (2 if test in LATENCY else 65536)


@pytest.mark.parametrize("test,warmup", (
    *((test, 0.1) for test in TESTS), ("write_bw", 0), ("send_lat", 0)))
def test_counts_exactly_as_many_as_asked(test, warmup):
    row = row_of(run(test, "-n", 37, "-s", 64, "--warmup", warmup))
    assert row["iterations"] == 37


@pytest.mark.parametrize("test,qps", (
    *((test, 16) for test in BANDWIDTH), ("write_bw", 2)))
def test_counts_that_many_on_each_queue_pair(test, qps):
    row = row_of(run(test, "-n", 11, "-q", qps, "-s", 64, "--warmup", 0.1))
    assert (row["iterations"], row["qps"]) == (11 * qps, qps)


@pytest.mark.parametrize("args", (
    ("-n", 1), ("-n", 1000, "-t", 7, "-r", 3), ("-n", 50, "-q", 4),
    ("-D", 0.3), ("-D", 0.3, "-q", 3, "-r", 1)))
def test_every_message_sent_is_received(args):
    sent = row_of(run("send_bw", "-s", 64, *args))["bandwidth"]
    assert sent["sent"] == sent["received"] > 0
    assert sent["lost"] == 0


@pytest.mark.parametrize("test", ("write_bw", "read_bw"))
def test_what_nobody_counts_is_null(test):
    sent = row_of(run(test, *QUICK))["bandwidth"]
    assert sent["received"] is None and sent["lost"] is None


@pytest.mark.parametrize("test", ("send_lat", "write_bw", "send_bw"))
def test_several_sizes_in_one_run(test):
    document = measured(run(test, "-n", 5, "-s", "1,64,4K", "--warmup", 0))
    assert [row["size"] for row in document["results"]] == [1, 64, 4096]
    assert all(row["iterations"] == 5 for row in document["results"])


@pytest.mark.parametrize("text,sizes", (
    ("2..64K", [2 << i for i in range(16)]), ("1..5", [1, 2, 4]),
    ("4k,64,1..4", [4096, 64, 1, 2, 4])))
def test_range_of_sizes(text, sizes):
    document = measured(run("write_bw", "-n", 3, "--warmup", 0, "-s", text))
    assert document["parameters"]["size"] == sizes


@pytest.mark.parametrize("test", ("send_bw", "send_lat"))
def test_send_of_nothing(test):
    row = row_of(run(test, "-n", 20, "-s", 0, "--warmup", 0))
    assert row["iterations"] == 20
    if row["bandwidth"]:
        assert row["bandwidth"]["gbps"] == 0
        assert row["bandwidth"]["mpps"] > 0


@pytest.fixture(scope="module")
def largest_message():
    """max_msg_sz, from the complaint about more."""
    line = failed(loopback("write_bw", "-s", 1 << 31), "max_msg_sz")
    return int(line.split("max_msg_sz ")[1].split(")")[0])


@pytest.mark.parametrize("test", TESTS)
def test_largest_message_of_the_port(test, largest_message):
    row = row_of(run(test, "-n", 2, "-t", 2, "-s", largest_message,
                     "--warmup", 0), seconds=60)
    assert (row["size"], row["iterations"]) == (largest_message, 2)


def test_larger_message_is_refused(largest_message):
    failed(loopback("send_bw", "-s", largest_message + 1),
           f"--size.* {largest_message + 1}", f"max_msg_sz {largest_message}")


def test_1024_queue_pairs_connect_in_one_exchange(shared_server):
    proxy = wire.Proxy(shared_server.port)
    program = client("write_bw", "--json", "-q", 1024, "-n", 2, "-s", 64,
                     "-t", 4, "--warmup", 0, "--timeout", 30, port=proxy.port)
    assert row_of(program, seconds=90)["iterations"] == 2048
    for frames, answer in zip(proxy.frames(), ("PLAN", "ACCEPT")):
        assert [name for name in frames if name != "ALIVE"] == [
            "HELLO", answer, "ENDPOINT", "READY", "START", "DONE", "BYE"]


@pytest.mark.parametrize("option,name,value,test", (
    ("-t", "tx-depth", 16, "write_bw"), ("-t", "tx-depth", 1, "send_lat"),
    ("-r", "rx-depth", 8, "send_bw"), ("-Q", "cq-mod", 4, "write_bw"),
    ("-m", "mtu", 256, "write_bw"), ("-u", "qp-timeout", 18, "write_bw"),
    ("-o", "outstanding-reads", 2, "read_bw"), ("-S", "sl", 3, "write_bw"),
    ("--walk", "walk", 65536, "write_bw"), ("--walk", "walk", 0, "read_bw"),
    ("--timeout", "timeout", 7, "send_bw"),
    ("--warmup", "warmup", 0.25, "write_lat"),
    ("--title", "title", "one \"two\" \u00e9", "write_lat"),
    ("-x", "gid-index", 0, "write_bw"), ("-i", "ib-port", 1, "write_bw"),
    ("--tx-depth", "tx-depth", 5, "read_bw"), ("--qp", "qps", 2, "send_bw"),
    ("--outs", "outstanding-reads", 1, "read_lat"),
    ("--iters", "iterations", 3, "send_lat"),
    ("--ib-dev", "device", DEVICE, "write_bw")))
def test_option_is_used_and_reported(option, name, value, test):
    usual = ["-s", 64, "--warmup", 0]
    if option != "--iters":
        usual += ["-D", 0.1]
    document = measured(run(test, *usual, option, value))
    assert document["parameters"][name] == value


def test_defaults_are_reported_as_used():
    document = measured(run("send_bw"))
    parameters = document["parameters"]
    assert parameters["device"] == DEVICE
    assert parameters["duration"] == 1
    assert document["results"][0]["tx_depth"] >= 1
    assert parameters["mtu"] in (256, 512, 1024, 2048, 4096)
    assert parameters["rx-depth"] >= 1
    assert parameters["gid-index"] is not None


@pytest.mark.parametrize("mtu", (256, 1024))
def test_mtu_is_that_of_both_ends(mtu):
    document = measured(run("write_bw", *QUICK, "-m", mtu))
    assert document["client"]["mtu"] == document["server"]["mtu"] == mtu


def test_moderation_is_in_the_result():
    assert row_of(run("write_bw", "-s", 64, *QUICK, "-n", 40, "-Q", 8
                      ))["cq_mod"] == 8


def test_first_device_is_the_default():
    document = measured(Program("write_bw", "--loopback", "--json", *QUICK))
    assert document["client"]["device"]


def test_chosen_gid_is_used_at_both_ends(shared_server):
    program = client("write_bw", "--json", *QUICK, "-x", 0,
                     port=shared_server.port)
    assert measured(program)["client"]["gid_index"] == 0


def test_gid_of_the_server_is_the_servers_choice():
    server = Server("-x", 0)
    document = measured(client("write_bw", "--json", *QUICK,
                               port=server.port))
    assert document["server"]["gid_index"] == 0


@pytest.mark.parametrize("host", ("127.0.0.1", "::1", "localhost"))
def test_connects_by_any_address(shared_server, host):
    succeeded(client("write_bw", *QUICK, port=shared_server.port, host=host))


def test_latency_is_defined():
    for test, definition in (("write_lat", "half round trip"),
                             ("send_lat", "half round trip"),
                             ("read_lat", "round trip")):
        row = row_of(run(test, *QUICK))
        assert row["latency"]["definition"] == definition
