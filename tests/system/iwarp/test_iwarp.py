"""On an iWARP device, such as siw0 of 'verbsperf-lab --siw', which
VERBSPERF_TEST_DEVICE names."""

import json

import pytest

import lab

RNIC = (lab.read_line(lab.SYSFS + "/node_type") or "").endswith("RNIC")
pytestmark = pytest.mark.skipif(
    not RNIC, reason=f"{lab.DEVICE} is not an iWARP device")

# A kernel that shares its processors with those who poll makes little haste.
FEW = ("-n", 100, "--warmup", 0)
SAYS_ONCE = "rdma_cm connects the queue pairs, as with --rdma-cm"


def measure(test, *args):
    """The result of both ends here, which say how they are connected."""
    program = lab.succeeded(lab.loopback(test, *FEW, "--json", *args))
    assert program.err.count(SAYS_ONCE) == ("--rdma-cm" not in args)
    return json.loads(program.out[program.out.index("{"):])


@pytest.mark.parametrize("test", lab.TESTS)
def test_every_test_has_right_data(test):
    result = measure(test, "--verify", "-s", "64,9000")
    assert result["error"] is None
    assert [row["size"] for row in result["results"]] == [64, 9000]
    for end in (result["client"], result["server"]):
        assert end["gid_type"] == "iWARP"
        assert end["link_layer"] == "Ethernet"


@pytest.mark.parametrize("args", [
    ("write_bw", "-b", "--verify"), ("write_bw", "-q", 3), ("write_lat",),
    ("send_bw", "-b", "-q", 3, "--verify"), ("send_bw", "--srq"),
    ("send_lat", "-e"), ("read_bw", "-q", 3, "--rdma-cm")])
def test_options(args):
    assert measure(*args)["results"][0]["iterations"] >= 100


def test_receives_never_run_out():
    """iWARP ends the connection otherwise."""
    measure("send_bw", "-n", 2000, "-r", 8, "-s", 64)


@pytest.mark.parametrize("args, what", [
    (("atomic_bw",), "atomics"), (("send_bw", "-c", "UD"), "UD"),
    (("write_bw", "-c", "UC"), "UC"), (("write_bw", "-c", "XRC"), "XRC"),
    (("write_bw", "--imm"), "immediate data"),
    (("write_bw", "--pkey-index", 1), "P_Keys")])
def test_what_it_lacks_is_named(args, what):
    lab.failed(lab.loopback(*args, *FEW),
               f"{lab.DEVICE} is an iWARP device, which has no {what}")


@pytest.mark.parametrize("test", ["reg_mr", "create_qp", "create_cq"])
def test_control_path(test):
    lab.succeeded(lab.Program(test, "-d", lab.DEVICE, "-n", 10))


@pytest.mark.parametrize("test", ["qp_setup", "create_ah", "post_poll",
                                  "mw_bind"])
def test_no_queue_pair_is_moved_by_hand(test):
    lab.failed(lab.Program(test, "-d", lab.DEVICE, "-n", 10),
               "is an iWARP device, which has no")


def test_connections():
    lab.succeeded(lab.loopback("connect", "-n", 10))


def test_devices():
    out = lab.succeeded(lab.Program("devices", "-d", lab.DEVICE)).out
    assert ", iWARP " in out and "*     0  iWARP    " in out
    assert " IB " not in out


def test_check():
    out = lab.succeeded(lab.Program("check", "-d", lab.DEVICE)).out
    assert "iWARP" in out
    for word in ("RoCE", "P_Key", "GID"):
        assert word not in out


def test_a_server_that_dies():
    """The connection is reset, which flushes what was posted."""
    server = lab.Server("--once")
    program = lab.client("write_bw", "-D", 30, "--warmup", 0,
                         port=server.port)
    program.wait_for_traffic()
    server.kill()
    program.wait()
    assert program.status == 1 and len(program.errors) == 1, str(program)


def test_perftest_cannot_be_there():
    """It would move the queue pairs by hand, or have no TCP connection."""
    server = lab.Server("--once", "--perftest", "write_bw")
    perftest = lab.Program("-d", lab.DEVICE, "-p", server.port, "127.0.0.1",
                           argv0=("ib_write_bw",))
    lab.complained(server.wait(), "is an iWARP device, .*perftest")
    perftest.kill()
