"""What is measured, with every option that shapes it."""

import math
import struct

import pytest

import wire
from documents import measured, row_of
from lab import (DEVICE, PATIENT, QUICK, SOON, TESTS, Program, Server, client,
                 failed, loopback, needs_device, succeeded)

pytestmark = [needs_device, pytest.mark.data]

LATENCY = [test for test in TESTS if test.endswith("lat")]
BANDWIDTH = [test for test in TESTS if test.endswith("bw")]


def run(test, *args, **popen):
    return loopback(test, "--json", *args, **popen)


@pytest.mark.parametrize("test", TESTS)
def test_runs_for_the_duration(test):
    row = row_of(run(test, "-D", "0.4", "--warmup", "0.1", *PATIENT))
    assert 0.2 < row["seconds"] < SOON
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
    ("-n", 1), ("-n", 300, "-t", 7, "-r", 3), ("-n", 50, "-q", 4),
    ("-D", 0.3), ("-D", 0.3, "-q", 3, "-r", 1)))
def test_every_message_sent_is_received(args):
    sent = row_of(run("send_bw", "-s", 64, *args))["bandwidth"]
    assert sent["sent"] == sent["received"] > 0
    assert sent["lost"] == 0


@pytest.mark.parametrize("args", (("-c", "UD"), ("-c", "UC", "-b"),
                                  ("-c", "UD", "--reversed", "-q", 3)))
def test_receivers_count_what_comes_after_the_warm_up(args):
    row = row_of(run("send_bw", "-n", 100, "-s", 64, "--warmup", 0.1, *args))
    total = 100 * row["qps"] * len(row["directions"] or [0])
    assert row["bandwidth"]["sent"] == total
    assert row["iterations"] == row["bandwidth"]["received"]
    assert row["bandwidth"]["lost"] == total - row["iterations"]


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


@pytest.mark.real
@pytest.mark.parametrize("test", TESTS)
def test_largest_message_of_the_port(test, largest_message):
    row = row_of(run(test, "-n", 2, "-t", 2, "-s", largest_message,
                     "--warmup", 0), seconds=60)
    assert (row["size"], row["iterations"]) == (largest_message, 2)


@pytest.mark.real
def test_larger_message_is_refused(largest_message):
    failed(loopback("send_bw", "-s", largest_message + 1),
           f"--size.* {largest_message + 1}", f"max_msg_sz {largest_message}")


@pytest.mark.real
def test_1024_queue_pairs_connect_in_one_exchange(shared_server):
    proxy = wire.Proxy(shared_server.port)
    program = client("write_bw", "--json", "-q", 1024, "-n", 2, "-s", 64,
                     "-t", 4, "--warmup", 0, "--timeout", 30, port=proxy.port)
    assert row_of(program, seconds=90)["iterations"] == 2048
    # the client sends, and says how much
    steps = (("PLAN", "SENT"), ("ACCEPT",))
    for frames, (answer, *told) in zip(proxy.frames(), steps):
        assert [name for name in frames if name != "ALIVE"] == [
            "HELLO", answer, "ENDPOINT", "READY", "START", *told, "DONE",
            "BYE"]


@pytest.mark.parametrize("option,name,value,test", (
    ("-t", "tx-depth", 16, "write_bw"), ("-t", "tx-depth", 1, "send_lat"),
    ("-r", "rx-depth", 8, "send_bw"), ("-Q", "cq-mod", 4, "write_bw"),
    ("-m", "mtu", 256, "write_bw"), ("-u", "qp-timeout", 18, "write_bw"),
    ("-o", "outstanding-reads", 2, "read_bw"), ("-S", "sl", 3, "write_bw"),
    ("--walk", "walk", 65536, "write_bw"), ("--walk", "walk", 0, "read_bw"),
    ("--timeout", "timeout", 7, "send_bw"),
    ("-l", "post-list", 8, "write_bw"), ("-l", "post-list", 128, "send_bw"),
    ("--post-list", "post-list", 3, "read_bw"),
    pytest.param("--post", "post", "wr", "write_bw",
                 marks=pytest.mark.real),
    ("--post", "post", "legacy", "send_lat"),
    ("--post", "post", "auto", "read_bw"),
    ("--threads", "threads", 1, "write_bw"),
    ("--interval", "interval", 0.05, "write_bw"),
    ("--clock", "clock", "monotonic_raw", "write_lat"),
    ("--clock", "clock", "monotonic_raw", "send_bw"),
    ("--clock", "clock", "auto", "read_lat"),
    ("--warmup", "warmup", 0.25, "write_lat"),
    ("--title", "title", "one \"two\" \u00e9", "write_lat"),
    ("-x", "gid-index", 0, "write_bw"), ("-i", "ib-port", 1, "write_bw"),
    ("--tx-depth", "tx-depth", 5, "read_bw"), ("--qps", "qps", 2, "send_bw"),
    ("--outstanding-reads", "outstanding-reads", 1, "read_lat"),
    ("--iterations", "iterations", 3, "send_lat"),
    ("--device", "device", DEVICE, "write_bw")))
def test_option_is_used_and_reported(option, name, value, test):
    usual = ["-s", 64, "--warmup", 0]
    if option != "--iterations":
        usual += ["-D", 0.1]
    document = measured(run(test, *usual, option, value))
    assert document["parameters"][name] == value


def test_defaults_are_reported_as_used():
    document = measured(run("send_bw", *PATIENT))
    parameters = document["parameters"]
    assert parameters["device"] == DEVICE
    assert parameters["duration"] == 3
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


def test_whole_round_trip_on_request():
    for test in ("write_lat", "send_lat"):
        document = measured(run(test, *QUICK, "--round-trip"))
        assert document["parameters"]["round-trip"] is True
        latency = document["results"][0]["latency"]
        assert latency["definition"] == "round trip"


@pytest.mark.parametrize("test", LATENCY)
def test_percentiles_of_choice(test):
    document = measured(run(test, "-n", 100, "--warmup", 0,
                            "--percentiles", "99.5,50,0.1,99.9999"))
    assert document["parameters"]["percentiles"] == [99.5, 50, 0.1, 99.9999]
    got = document["results"][0]["latency"]["percentiles"]
    assert list(got) == ["99.5", "50", "0.1", "99.9999"]
    assert got["99.5"] is None and got["99.9999"] is None
    assert got["50"] == document["results"][0]["latency"]["p50"]


@pytest.mark.parametrize("test", LATENCY)
def test_histogram_has_every_sample(test):
    row = row_of(run(test, "-n", 80, "--warmup", 0, "--histogram"))
    assert sum(count for _, _, count in row["histogram"]["bins"]) == 80
    assert row_of(run(test, *QUICK))["histogram"] is None


def test_intervals_of_a_tenth_of_a_second():
    row = row_of(run("write_bw", "-D", 3, "-s", 64))
    assert 10 <= len(row["intervals"]) <= 35
    assert row["bandwidth"]["peak_gbps"] >= row["bandwidth"]["gbps"]


def test_intervals_as_long_as_asked():
    program = run("write_bw", "-D", 1, "-s", 64, "--interval", 0.25)
    row = row_of(program)
    assert 2 <= len(row["intervals"]) <= 5
    assert row["bandwidth"]["peak_gbps"] is None    # of so few
    assert program.err.count("\n") > 5      # the table, and a row for each


@pytest.mark.parametrize("test", BANDWIDTH)
def test_threads_share_the_queue_pairs(test):
    row = row_of(run(test, "-n", 40, "-q", 5, "--threads", 2, "-s", 64,
                     "--warmup", 0))
    assert [one["qps"] for one in row["threads"]] in ([3, 2], [2, 3])
    assert row["iterations"] == 200


@pytest.mark.parametrize("count,post_list", ((37, 8), (100, 32), (5, 16)))
def test_lists_send_exactly_as_many_as_asked(count, post_list):
    sent = row_of(run("send_bw", "-n", count, "-l", post_list, "-s", 64,
                      "--warmup", 0))
    assert sent["iterations"] == count
    assert sent["bandwidth"]["received"] == sent["bandwidth"]["sent"] == count


@pytest.mark.parametrize("name", ("s.csv", "s.bin"))
def test_samples_are_those_of_the_statistics(tmp_path, name):
    path = tmp_path / name
    row = row_of(run("read_lat", "-n", 500, "-s", 64, "--warmup", 0,
                     "--samples", path))
    if name.endswith(".csv"):
        lines = path.read_text().splitlines()
        assert lines[0] == "size,at_s,us"
        samples = [tuple(map(float, line.split(","))) for line in lines[1:]]
    else:
        samples = list(struct.iter_unpack("<Qdd", path.read_bytes()))
    latency = row["latency"]
    assert len(samples) + latency["samples_dropped"] == 500
    assert {sample[0] for sample in samples} == {64}
    starts = [sample[1] for sample in samples]
    assert starts == sorted(starts) and starts[0] >= 0
    if not latency["samples_dropped"]:
        values = [sample[2] for sample in samples]
        assert math.isclose(min(values), latency["min"], rel_tol=1e-3)
        assert math.isclose(sum(values) / 500, latency["mean"],
                            rel_tol=1e-3)
