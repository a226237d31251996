"""What a client can reach of the server's memory, and for how long."""

import fcntl
import os
import re
import signal
import subprocess

import pytest

import wire
from lab import (DEVICE, PATIENCE, QUICK, Server, client, complained, deadline,
                 failed, needs_device, needs_lab, serves, succeeded)
from wire import FakeClient, Proxy

pytestmark = needs_device


def regions(*others):
    """Memory regions, which are all that have keys, but those of OTHERS."""
    text = subprocess.run(("rdma", "resource", "show", "mr", "dev", DEVICE),
                          check=True, capture_output=True, text=True).stdout
    not_meant = {str(program.process.pid) for program in others}
    return len([pid for pid in re.findall(r" pid (\d+) ", text)
                if pid not in not_meant])


def none_is_left():
    deadline(PATIENCE, lambda: not regions(), "the end of all memory regions")


def rkey_of(proxy):
    """The key that the server gave to the client behind PROXY."""
    payload = dict(wire.split(proxy.bytes[1]))["ENDPOINT"]
    return wire.read_rkey(payload)


@needs_lab
@pytest.mark.parametrize("args,number", ((("write_bw",), 1),
                                         (("write_bw", "-b"), 2)))
def test_no_region_outlives_its_client(server, args, number):
    assert regions() == 0
    program = client(*args, "-D", 60, port=server.port)
    deadline(PATIENCE, lambda: regions(program) == number,
             "its memory regions")
    program.send(signal.SIGKILL)
    complained(server, "client")
    none_is_left()
    succeeded(client(*args, *QUICK, port=server.port))
    none_is_left()


def states():
    """Of the queue pairs that programs have."""
    text = subprocess.run(("rdma", "resource", "show", "qp"), check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r" type RC state (\w+) ", text))


@needs_lab
@pytest.mark.parametrize("args", (("write_bw",), ("read_bw", "-q", 3)))
def test_no_key_waits_for_a_report_that_nobody_takes(args):
    read, write = os.pipe()
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    os.write(write, b"x" * 4096)
    server = Server("--once", stdout=write)
    succeeded(client(*args, *QUICK, port=server.port))
    deadline(PATIENCE, lambda: not states() and not regions(),
             "no queue pair and no memory of who was served")
    assert server.status is None
    os.read(read, 4096)
    server.wait()
    os.close(read)
    os.close(write)
    none_is_left()


@needs_lab
@pytest.mark.parametrize("steps", range(1, len(FakeClient.STEPS)))
def test_no_region_outlives_a_client_that_leaves(shared_server, steps):
    peer = FakeClient(shared_server.port)
    peer.play(*FakeClient.STEPS[:steps])
    peer.close()
    complained(shared_server, "client")
    none_is_left()


@pytest.mark.parametrize("test", ("write_bw", "read_bw", "atomic_bw"))
def test_key_of_a_session_that_is_over(shared_server, test):
    first = Proxy(shared_server.port)
    succeeded(client(test, *QUICK, port=first.port))
    old = rkey_of(first)

    def reuse(name, payload):
        return wire.with_rkey(payload, old) if name == "ENDPOINT" else payload

    second = Proxy(shared_server.port, reuse)
    failed(client(test, *QUICK, port=second.port), "IBV_WC_REM_ACCESS_ERR")
    assert rkey_of(second) != old
    # an event where the device has one: not Soft-RoCE of Linux 6.1
    complained(shared_server, "client|IBV_EVENT_QP_ACCESS_ERR")
    serves(shared_server)
