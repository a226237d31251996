"""What a device, a server or the system refuses."""

import os
import resource
import shutil
import tempfile

import pytest

from documents import measured, row_of
from lab import (BINARY, DEVICE, QUICK, Program, Server, client,
                 complained_and_serves, failed, loopback, needs_device,
                 needs_lab)
from wire import FakeServer
import wire

pytestmark = needs_device

REFUSED = (
    (("write_bw", "-t", 65536, "-Q", 1), ("--tx-depth|-Q", "max_cqe")),
    (("send_bw", "-r", 65536), ("--rx-depth", "max_cqe")),
    (("send_bw", "--srq", "-r", 40000), ("--rx-depth", "max_cqe")),
    (("send_bw", "-c", "UD", "-s", 1025), ("--size 1025", "MTU")),
    (("write_bw", "-m", 4096), ("--mtu", "4096", "active MTU")),
    (("read_bw", "-o", 255), ("--outstanding-reads 255", DEVICE)),
    # which newer kernels' Soft-RoCE takes, but not the memory of a guest
    (("send_bw", "-s", "2G"), ("--size", "max_msg_sz|cannot allocate")),
)


@pytest.mark.parametrize("args,texts", REFUSED,
                         ids=[" ".join(map(str, a)) for a, _ in REFUSED])
def test_limit_of_the_device_is_named_at_both_ends(shared_server, args,
                                                    texts):
    failed(client(*args, port=shared_server.port), *texts)
    complained_and_serves(shared_server, *texts, next_client=wire.serves)


@needs_lab
def test_soft_roce_has_no_xrc(shared_server):
    why = f"--transport XRC: the client's {DEVICE} has no XRC"
    failed(client("send_bw", "-c", "XRC", port=shared_server.port), why,
           "use -c RC")
    complained_and_serves(shared_server, why, next_client=wire.serves)


@pytest.mark.dialogue
def test_completions_that_no_queue_could_hold_have_several():
    row = row_of(loopback("send_bw", "--json", "-q", 100, "-r", 512, "-n", 3,
                          "-s", 64, "--warmup", 0), seconds=60)
    assert row["iterations"] == row["bandwidth"]["received"] == 300


@pytest.mark.dialogue
def test_memory_the_server_does_not_give_is_refused():
    server = Server("--max-memory", "1M")
    failed(client("write_bw", "-s", "2M", port=server.port),
           "2097152 for messages", "1048576", "--max-memory")
    complained_and_serves(server, "2097152 for messages", "--max-memory")


@pytest.mark.dialogue
def test_limit_of_the_server_stops_the_client():
    fake = FakeServer()
    program = client("write_bw", "-q", 8, port=fake.port)
    peer = fake.accept()
    fake.play("HELLO")
    peer.expect("PLAN")
    peer.send("ACCEPT", wire.port(max_qp=4))
    failed(program, "--qps", "8", "the server's fake0", "max_qp 4")
    assert "max_qp 4" in peer.expect_error("ABORT")[2]
    fake.close()


@pytest.mark.dialogue
def test_smaller_mtu_of_the_server_is_used():
    fake = FakeServer()
    program = client("write_bw", port=fake.port)
    peer = fake.accept()
    fake.play("HELLO")
    peer.expect("PLAN")
    peer.send("ACCEPT", wire.port(mtu=1))
    assert wire.read_endpoint(peer.expect("ENDPOINT")).mtu == 1
    fake.close()
    failed(program, "closed the connection")


def unprivileged(*args, locked):
    """A client as nobody, who may lock that many bytes; the program is copied
    out of folders that may be closed to that user."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    binary = shutil.copy(BINARY, folder)

    def limit():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (locked, locked))
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    return Program(*args, argv0=(binary,), cwd="/", preexec_fn=limit)


@pytest.fixture
def device_for_all():
    """Device files that everybody may open, as udev has it."""
    folder = "/dev/infiniband"
    names = [n for n in os.listdir(folder) if n.startswith("uverbs")]
    modes = {n: os.stat(f"{folder}/{n}").st_mode for n in names}
    for name in names:
        os.chmod(f"{folder}/{name}", 0o666)
    yield
    for name, mode in modes.items():
        os.chmod(f"{folder}/{name}", mode)


@needs_lab
def test_limit_on_locked_memory_is_named(server, device_for_all):
    program = unprivileged("write_bw", "-d", DEVICE, "-p", server.port, "-s",
                           "1M", "127.0.0.1", locked=65536)
    failed(program, "locked memory", "65536", "ulimit -l")
    complained_and_serves(server, "the client: ", "locked memory")


@needs_lab
def test_measures_without_privileges(device_for_all):
    program = unprivileged("write_bw", "-d", DEVICE, "--loopback", "--json",
                           *QUICK, "-s", 64, locked=1 << 20)
    measured(program)


@needs_lab
def test_device_that_may_not_be_opened_is_named():
    folder = "/dev/infiniband"
    names = [n for n in os.listdir(folder) if n.startswith("uverbs")]
    for name in names:
        os.chmod(f"{folder}/{name}", 0o600)
    failed(unprivileged("write_bw", "-d", DEVICE, "--loopback",
                        locked=1 << 20),
           f"{DEVICE}: cannot open /dev/infiniband/uverbs0: Permission denied",
           "let this user")


def test_too_little_memory_is_said():
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
    program = Program("write_bw", "-d", DEVICE, "--loopback", "-s", "8M",
                      "-q", 64, preexec_fn=limit)
    failed(program, "536870912 bytes", "memory")


def test_too_few_descriptors_are_said():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))
    program = loopback("write_bw", *QUICK, preexec_fn=limit)
    failed(program, "Too many open files|cannot open")
