"""Devices, ports and GIDs: listed, chosen, missing, down and going down.

The last file by its name: some of its tests take the device away.
"""

import os
import re
import signal
import subprocess
import time

import pytest

import wire
from lab import (DEVICE, PATIENCE, QUICK, SOON, Program, Server, client,
                 complained, deadline, failed, kill_leftovers, loopback,
                 needs_device, needs_lab, serves, succeeded)

pytestmark = needs_device
NETDEV = os.environ.get("VERBSPERF_LAB_NETDEV", "v0")


def run(command):
    subprocess.run(command.split(), check=True, timeout=PATIENCE)


def listing(*args):
    return succeeded(Program("devices", *args)).out


def ready():
    return (os.path.isdir(os.path.join(wire.SYSFS, "ports/1"))
            and "ACTIVE" in wire.sysfs("state")
            and any(b"\xff\xff\x0a\0\0" in gid
                    for *_, gid in wire.own_gids()))


def bring_back():
    """The lab's device as it was."""
    run(f"ip link set {NETDEV} up")
    if not os.path.isdir(wire.SYSFS):
        run(f"rdma link add {DEVICE} type rxe netdev {NETDEV}")
    run(f"ip addr replace 10.0.0.1/24 dev {NETDEV}")
    run(f"ip addr replace fd00::1/64 dev {NETDEV}")
    deadline(PATIENCE, ready, "the device as it was")


@pytest.fixture
def link_to_cut():
    yield lambda: run(f"ip link set {NETDEV} down")
    bring_back()


@pytest.fixture
def device_deleted():
    # it waits for whoever has the device open, which cannot be killed then
    kill_leftovers(shared_too=True)
    run(f"rdma link delete {DEVICE}")
    yield
    bring_back()


def test_every_gid_is_listed():
    out = listing()
    assert f"{DEVICE} port 1: ACTIVE" in out
    for index, _, gid in wire.own_gids():
        assert re.search(rf"^.... +{index} +RoCE v\d", out, re.M)
        if gid[:12] == bytes(10) + b"\xff\xff":
            assert ".".join(map(str, gid[12:])) in out


def test_one_gid_is_marked_as_chosen():
    marked = [line for line in listing("-d", DEVICE).splitlines()
              if line.startswith("  * ")]
    assert len(marked) == 1
    chosen = int(marked[0].split()[1])
    out = succeeded(loopback("write_bw", *QUICK)).out
    assert f"GID {chosen} " in out


@pytest.mark.dialogue
def test_gid_given_is_the_only_one_listed():
    out = listing("-x", 0)
    assert out.count("RoCE v") == 1 and "  * " in out


@pytest.mark.dialogue
@pytest.mark.parametrize("args,texts", (
    (("-d", "none0"), ("--device none0", DEVICE)),
    (("-i", 9), ("--ib-port 9", DEVICE)),
    (("-x", 200), ("--gid-index 200", "devices"))))
@pytest.mark.parametrize("command", (
    ("write_bw", "127.0.0.1"), ("write_bw", "--loopback"), ("serve",)),
    ids=" ".join)
def test_what_does_not_exist_is_named(command, args, texts):
    failed(Program(*command, *args), *texts)


@pytest.mark.dialogue
@pytest.mark.parametrize("args,texts", (
    (("-d", "none0"), ("--device none0", DEVICE)),
    (("-x", 200), ("--gid-index 200",)),
    (("-i", 9), ("--ib-port 9",))))
def test_devices_names_what_does_not_exist(args, texts):
    failed(Program("devices", *args), *texts)


@needs_lab
def test_port_that_was_down_while_idle_is_served_again(link_to_cut, server):
    serves(server)
    link_to_cut()
    deadline(PATIENCE, lambda: "ACTIVE" not in wire.sysfs("state"), "down")
    bring_back()
    serves(server)


@needs_lab
def test_port_that_is_down_is_named(link_to_cut):
    link_to_cut()
    deadline(PATIENCE, lambda: "ACTIVE" not in wire.sysfs("state"), "down")
    for command in (["write_bw", "127.0.0.1"], ["serve"],
                    ["read_lat", "--loopback"]):
        failed(Program(*command), f"port 1 of {DEVICE} is DOWN", "ip link")
    out = listing()
    assert f"{DEVICE} port 1: DOWN" in out
    assert "no GID would be chosen: the port is DOWN" in out
    assert "  * " not in out


@needs_lab
def test_check_shows_what_is_known_of_ports_that_are_down(link_to_cut,
                                                          server):
    link_to_cut()
    deadline(PATIENCE, lambda: "ACTIVE" not in wire.sysfs("state"), "down")
    texts = (f"port 1 of the client's {DEVICE} is DOWN", "on the client",
             f"port 1 of the server's {DEVICE} is DOWN", "on the server")
    program = client("write_bw", "--check", port=server.port)
    failed(program, "cannot run: 1 problem")
    for text in texts:
        assert text in program.out
    assert re.search("^X state +DOWN +DOWN +ACTIVE$", program.out, re.M)
    complained(server, texts[0])
    failed(loopback("write_bw", "--check"), "cannot run: 1 problem")


@needs_lab
@pytest.mark.parametrize("test", ("write_bw", "send_lat", "read_bw"))
def test_port_that_goes_down_in_mid_run_ends_both(link_to_cut, server, test):
    program = client(test, "-D", 60, "--timeout", 3, port=server.port)
    program.wait_for_traffic()
    time.sleep(0.3)
    link_to_cut()
    failed(program, "IBV_EVENT_PORT_ERR|IBV_WC_", DEVICE + "|QP", seconds=SOON)
    complained(server, "IBV_EVENT_PORT_ERR|IBV_WC_")


@needs_lab
def test_server_of_a_port_that_was_down_serves_again(link_to_cut, server):
    program = client("write_bw", "-D", 60, "--timeout", 3, port=server.port)
    program.wait_for_traffic()
    link_to_cut()
    program.wait(15)
    complained(server)
    bring_back()
    serves(server)


@needs_lab
def test_address_that_comes_later_is_seen_by_a_running_server(server):
    """The server's GIDs are read for each client."""
    run(f"ip addr add 10.9.9.1/24 dev {NETDEV}")
    try:
        deadline(PATIENCE, lambda: any(b"\x0a\x09\x09\x01" in gid
                                 for *_, gid in wire.own_gids()), "the GID")
        program = client("write_bw", *QUICK, port=server.port,
                         host="10.9.9.1")
        assert "10.9.9.1" in succeeded(program).out
    finally:
        run(f"ip addr del 10.9.9.1/24 dev {NETDEV}")


@needs_lab
def test_without_a_device_it_says_how_to_make_one(device_deleted):
    for command in (["write_bw", "127.0.0.1"], ["serve"],
                    ["write_bw", "--loopback"]):
        failed(Program(*command), "RDMA device", "rdma link add")


@pytest.fixture
def device_to_delete():
    kill_leftovers(shared_too=True)
    yield lambda: run(f"rdma link delete {DEVICE}")
    bring_back()


@needs_lab
def test_device_that_is_deleted_ends_the_run(device_to_delete):
    """Soft-RoCE goes on until nobody uses it: nothing else would end it."""
    server = Server()
    program = client("write_bw", "-D", 60, port=server.port)
    program.wait_for_traffic()
    device_to_delete()
    cause = f"{DEVICE} is being removed from this host"
    failed(program, cause)
    complained(server, cause)


@needs_lab
def test_devices_says_that_there_is_none(device_deleted):
    program = Program("devices").wait()
    assert "RDMA device" in program.err + program.out


@pytest.fixture
def file_of_device_gone():
    path = "/dev/infiniband/uverbs0"
    kill_leftovers(shared_too=True)
    os.rename(path, path + ".gone")
    yield path
    os.rename(path + ".gone", path)


@needs_lab
def test_device_without_its_file_is_not_called_missing(file_of_device_gone):
    """As in a container that has /sys of the host, but not the file."""
    for command in (["devices"], ["serve"], ["write_bw", "127.0.0.1"]):
        failed(Program(*command), f"{DEVICE}: cannot open "
               f"{file_of_device_gone}: No such file", "container")


@needs_lab
def test_named_device_without_any_is_named(device_deleted):
    failed(Program("write_bw", "-d", DEVICE, "127.0.0.1"), "RDMA device")
