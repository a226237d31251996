"""--check: both ends compared, side by side, and nothing else done."""

import re
import subprocess

import pytest

import wire
from documents import parse
from lab import (DEVICE, PATIENCE, SOON, Program, Server, client,
                 complained, complained_and_serves, failed, loopback,
                 needs_device, needs_lab, succeeded)

pytestmark = needs_device
RUNS = "this test can run"


def last_line(program):
    return program.out.splitlines()[-1]


def cannot_run(program, *texts, problems=1):
    """It says so, and each of TEXTS once, on one of its lines."""
    failed(program, f"this test cannot run: {problems} problem"
           + "s" * (problems > 1))
    said = program.out + program.err
    lines = [line for line in said.splitlines()
             if all(re.search(text, line) for text in texts)]
    assert len(lines) == 1, str(program)


def marked(program, mark):
    """The first words of the table's lines with that mark."""
    return re.findall(rf"^{mark} (\S.*?)  ", program.out, re.M)


def queue_pairs():
    text = subprocess.run(("rdma", "resource", "show", "qp"), check=True,
                          capture_output=True, text=True,
                          timeout=PATIENCE).stdout
    return text.count("comm verbsperf")


@pytest.mark.parametrize("args", (
    ("write_bw",), ("read_lat", "-o", 4), ("send_bw", "-c", "UD", "--srq"),
    ("write_bw", "-b", "-q", 64, "--threads", 4, "--mr-per-qp")),
    ids=lambda args: " ".join(map(str, args)))
def test_what_can_run(shared_server, args):
    program = succeeded(client(*args, "--check", port=shared_server.port))
    assert last_line(program).startswith(RUNS)
    assert not marked(program, "X")
    for text in (f"{DEVICE} port 1", "ACTIVE", "RoCE v2", "active MTU",
                 "max_qp", "P_Key"):
        assert text in program.out
    assert not shared_server.errors
    wire.serves(shared_server)


def test_both_ends_here():
    program = succeeded(loopback("send_lat", "--check"))
    assert last_line(program).startswith(RUNS)


@pytest.mark.parametrize("args,rows,texts", (
    (("write_bw", "-m", 4096), ["active MTU"], ("--mtu: 4096", "client's")),
    (("write_bw", "-s", "2G", "-m", 4096), ["active MTU", "max_msg_sz"],
     ("--mtu: 4096",)),
    (("read_bw", "-o", 255), ["outstanding reads"],
     ("--outstanding-reads 255",)),
    (("send_bw", "-r", 65536), ["max_cqe, receives"],
     ("--rx-depth: 65536", "max_cqe", "server's")),
    (("send_bw", "-c", "UD", "-s", 1025), ["UD message"], ("--size 1025",)),
    (("write_bw", "--odp"), ["on-demand paging"], ("--odp", "client's"))),
    ids=lambda a: " ".join(map(str, a)) if isinstance(a, tuple) else "")
def test_what_cannot_run_is_named_at_both_ends(shared_server, args, rows,
                                               texts):
    program = client(*args, "--check", port=shared_server.port)
    cannot_run(program, *texts, problems=len(rows))
    assert marked(program, "X")[:len(rows)] == rows
    complained_and_serves(shared_server, *texts, next_client=wire.serves)


def test_link_local_gid_is_a_warning(shared_server):
    index = next(i for i, _, gid in wire.own_gids() if gid[:2] == b"\xfe\x80")
    program = client("write_bw", "--check", "-x", index,
                     port=shared_server.port).wait()
    assert "link-local" in program.out
    assert marked(program, "!")[0] == "GID"


@pytest.mark.dialogue
def test_gid_that_does_not_exist(shared_server):
    program = client("write_bw", "--check", "-x", 200,
                     port=shared_server.port)
    cannot_run(program, "--gid-index", "client's", "no GID")
    assert "on the client" in program.out
    assert marked(program, "X")[0] == "GID types"
    assert "max_qp" in program.out
    complained(shared_server, "--gid-index", "client's")


@pytest.mark.dialogue
def test_memory_that_the_server_does_not_give():
    server = Server("--max-memory", "1M")
    program = client("write_bw", "--check", "-s", "2M", port=server.port)
    cannot_run(program, "the server: ", "2097152 for messages", "--max-memory")
    assert "max_qp" in program.out
    assert "X plan: the server: the test needs 2" in program.out
    complained_and_serves(server, "2097152 for messages")


@pytest.mark.dialogue
def test_no_server():
    program = Program("write_bw", "-d", DEVICE, "--check", "127.0.0.1",
                      "-p", 1)
    cannot_run(program, "127.0.0.1 port 1")
    assert "X connect: " in program.out and f"{DEVICE} port 1" in program.out


@pytest.mark.parametrize("args,status", (((), 0), (("-m", 4096), 1)))
def test_json(shared_server, args, status):
    program = client("write_bw", "--check", "--json", *args,
                     port=shared_server.port).wait()
    assert program.status == status, str(program)
    document = parse(program.out)
    verdicts = {row["check"]: row["verdict"] for row in document["preflight"]}
    assert verdicts["active MTU"] == ("error" if status else "ok")
    assert verdicts["state"] == "ok"
    assert document["server"]["gid"] and document["client"]["gid"]


@pytest.mark.dialogue
def test_json_without_check_has_none(shared_server):
    program = client("write_bw", "--json", "-m", 4096,
                     port=shared_server.port).wait()
    assert parse(program.out)["preflight"] is None


@pytest.mark.dialogue
def test_samples_are_not_begun(tmp_path):
    path = tmp_path / "samples"
    succeeded(loopback("send_lat", "--check", "--samples", path))
    assert not path.exists()


@needs_lab
def test_no_queue_pair_is_made():
    """Looked at while the client waits for an answer: to its BYE, and of
    another, for comparison, to its ENDPOINT."""
    seen = []
    for args, step in ((("--check",), "BYE"), ((), "ENDPOINT")):
        fake = wire.FakeServer()
        program = client("write_bw", "-q", 3, *args, port=fake.port)
        peer = fake.accept()
        fake.play("HELLO", "ACCEPT")
        peer.expect(step)
        seen.append(queue_pairs())
        peer.send("BYE")
        program.wait()
        fake.close()
    assert seen == [0, 3]


@pytest.mark.dialogue
def test_limits_of_the_server_are_compared():
    fake = wire.FakeServer()
    program = client("write_bw", "--check", "-q", 8, port=fake.port)
    peer = fake.accept()
    fake.play("HELLO")
    peer.expect("PLAN")
    peer.send("ACCEPT", wire.port(max_qp=4, mtu=1))
    peer.expect("BYE")
    peer.send("BYE")
    cannot_run(program, "--qps: 8 is above", "server's fake0", "max_qp 4")
    assert "another device at the server" in program.out
    assert marked(program, "X")[0] == "max_qp"
    assert "active MTU" in marked(program, "!")
    fake.close()


@pytest.mark.dialogue
def test_silent_server_is_a_problem_in_time():
    fake = wire.FakeServer()
    program = client("write_bw", "--check", "--timeout", 1, port=fake.port)
    peer = fake.accept()
    fake.play("HELLO", "ACCEPT")
    peer.expect("BYE")
    program.wait(SOON)
    cannot_run(program, "X bye: ", "BYE")
    fake.close()


@pytest.mark.dialogue
def test_server_does_not_decide_it():
    failed(Program("serve", "--check"), "--check", "client", status=2)
