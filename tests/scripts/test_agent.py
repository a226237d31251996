"""The agent and the coordinator: who may speak, and what is refused."""
import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import complete
from conftest import SCRIPTS
from verbsperf.agents import agent, coordinator, fleet
from verbsperf.agents.coordinator import Clock, Coordinator
from verbsperf.agents.fleet import Job, Outcome
from verbsperf.base.errors import Refused
from verbsperf.pairs.patterns import End, Pair
from verbsperf.plan import options, program

KEY = b"0123456789abcdef"
MODULE = SCRIPTS / "verbsperf/agents/agent.py"


def both():
    return (agent.Lines(b"k", b"agent"), agent.Lines(b"k", b"coordinator"))


def test_lines():
    here, there = both()
    for n in range(3):
        assert there.unwrap(here.wrap({"n": n})) == {"n": n}


@pytest.mark.parametrize("spoil", (
    lambda line: line[:-3] + b" }\n",       # changed
    lambda line: b"0" * 64 + line[64:],     # without the key
    lambda line: b"{}\n",
    lambda line: b"\n"))
def test_lines_of_others(spoil):
    here, there = both()
    with pytest.raises(agent.Ended):
        there.unwrap(spoil(here.wrap({"n": 1})))


def test_lines_again_and_back():
    here, there = both()
    line = here.wrap({"n": 1})
    there.unwrap(line)
    with pytest.raises(agent.Ended):        # a second time
        there.unwrap(line)
    with pytest.raises(agent.Ended):        # to who said it
        here.unwrap(here.wrap({"n": 1}))


@pytest.mark.parametrize("message", (
    {"type": "shell"}, {"type": ["node"]}, {},
    {"type": "node", "devices": "x", "error": None},
    {"type": "node", "devices": [{"name": 1, "state": "x"}], "error": None},
    {"type": "listening", "id": 1, "port": 0},
    {"type": "listening", "id": 1, "port": "22"},
    {"type": "pong", "t": "now", "now": 1},
    {"type": "pong", "t": 1, "now": float("nan")},
    {"type": "pong", "t": 1, "now": 10 ** 400},
    {"type": "pong", "t": float("inf"), "now": 1},
    {"type": "warm", "id": True}, {"type": "warm", "id": 1.0},
    {"type": "ended", "id": 1, "status": 0, "stdout": "", "stderr": "",
     "opened": 1e300, "lost": False},
    {"type": "ended", "id": 1, "status": "0", "stdout": "", "stderr": "",
     "opened": None, "lost": False},
    {"type": "ended", "id": 1, "status": 0, "stdout": "", "stderr": "",
     "opened": None}))
def test_messages_that_no_agent_says(message):
    with pytest.raises(agent.Ended):
        coordinator.check_message(message)


@pytest.mark.parametrize("text", (
    b"", b"[]", b"x", b"[" * 100000, b'{"nonce": "00"}', b'{"nonce": 7}'))
def test_greetings_that_are_none(text):
    with pytest.raises(agent.Ended):
        agent.nonce_of(agent.object_of(text))


def test_clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(time, "monotonic", lambda: now[0] + 7)
    clock = Clock()
    assert clock.offset() is None
    for trip in (2, 0.2):           # as much each way, 50 s ahead
        sent = clock.ask()
        now[0] += trip
        clock.take(sent, sent + trip / 2 + 50)
    assert clock.offset() == pytest.approx(50)
    assert clock.uncertainty() == pytest.approx(0.1)


def test_a_ping_that_was_not_sent():
    clock = Clock()
    sent = clock.ask()
    for wrong in (sent - 3600, sent + 1e-3):
        with pytest.raises(agent.Ended, match="what it was not asked"):
            clock.take(wrong, sent)
    clock.take(sent, sent)
    with pytest.raises(agent.Ended):        # a second time
        clock.take(sent, sent)
    assert len(clock.readings) == 1


def start(port, node="n1", program="/nonexistent", more=()):
    return subprocess.Popen(
        [sys.executable, MODULE, f"127.0.0.1:{port}", "--node", node,
         "--program", program, *more], stdin=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)


def tell_key(process, key=KEY):
    process.stdin.write(key.decode() + "\n")
    process.stdin.close()
    process.stdin = None


async def joined(nodes, **keys):
    """What a coordinator of NODES says of agents with KEYS, and what they
    say."""
    hub = Coordinator(nodes, KEY)
    agents = []
    async with hub.listening("127.0.0.1", 0):
        for node, key in keys.items():
            process = start(hub.port, node=node)
            tell_key(process, key)
            agents.append(process)
        missing = await hub.gather(9, lambda: {})
    loop = asyncio.get_running_loop()
    said = [await loop.run_in_executor(None, one.communicate)
            for one in agents]
    return missing, [err for _, err in said], [one.returncode
                                               for one in agents]


def test_without_verbsperf_and_with_another_key():
    missing, said, statuses = asyncio.run(joined(
        ["n1", "n2", "n3", "n5"], n1=KEY, n2=b"another key than ours",
        n4=KEY, **{"n5.example.org": KEY}))
    assert missing["n5"] == "there is no /nonexistent in PATH"
    assert missing["n1"] == "there is no /nonexistent in PATH"
    assert "used this name, but has another key" in missing["n2"]
    assert missing["n3"] == "its agent did not connect in 9 s"
    assert "the coordinator has another key" in said[1]
    assert statuses[1] == 1


def test_agents_that_are_not_wanted(tmp_path):
    """They are told why."""
    program = tmp_path / "verbsperf"
    program.write_text("#!/bin/sh\necho 'rxe0 port 1: ACTIVE'\n")
    program.chmod(0o755)

    async def several():
        hub = Coordinator(["n1", "n2"], KEY)
        loop = asyncio.get_running_loop()
        async with hub.listening("127.0.0.1", 0):
            waits = []
            for node, path in (("n1", program), ("n1", program),
                               ("n4", program), ("n2", "/nonexistent")):
                process = start(hub.port, node=node, program=str(path))
                tell_key(process)
                waits.append(loop.run_in_executor(None, process.communicate))
            await asyncio.wait(waits[2:], timeout=20)
            await asyncio.wait(waits[:2], timeout=20,
                               return_when=asyncio.FIRST_COMPLETED)
        return [(await one)[1] for one in waits]
    one, other, unknown, lacking = asyncio.run(several())
    assert sorted((one, other)) == [
        "", "verbsperf-cluster: agent of n1: refused: an agent of this node is"
        " connected already\n"]
    assert "agent of n4: refused: 'n4' is none of the nodes; --node" in unknown
    assert "agent of n2: refused: there is no /nonexistent in" in lacking


@pytest.mark.parametrize("version", (0, 2, 10 ** 30))
def test_another_version(version):
    """Both sides say so, and name both; no key is needed for it."""
    async def knock():
        hub = Coordinator(["n1"], KEY)
        async with hub.listening("127.0.0.1", 0):
            reader, writer = await asyncio.open_connection("127.0.0.1",
                                                           hub.port)
            writer.write(json.dumps({
                "type": "hello", "protocol": version, "node": "n1",
                "nonce": "0" * 64}).encode() + b"\n")
            answer = json.loads(await asyncio.wait_for(reader.read(), 10))
            writer.close()
            return answer, await hub.gather(0.1, lambda: {})
    answer, missing = asyncio.run(knock())
    assert answer == {"type": "refuse", "protocol": agent.PROTOCOL}
    assert (f"used this name, but the agent speaks protocol {version}, the "
            f"coordinator {agent.PROTOCOL}: both must be of the same version "
            "of verbsperf") in missing["n1"]


@pytest.mark.parametrize("answer", (
    {"type": "refuse", "protocol": 2},
    {"type": "challenge", "protocol": 2, "nonce": "0" * 64, "proof": "x"}))
def test_a_coordinator_of_another_version(answer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = start(server.getsockname()[1])
        tell_key(process)
        conn, _ = server.accept()
        with conn, conn.makefile("rb") as file:
            assert json.loads(file.readline())["protocol"] == agent.PROTOCOL
            conn.sendall(json.dumps(answer).encode() + b"\n")
            assert file.readline() == b""
        _, said = process.communicate(timeout=20)
        assert (f"the agent speaks protocol {agent.PROTOCOL}, the coordinator"
                " 2: both must be") in said


def test_a_line_that_is_too_long(monkeypatch):
    monkeypatch.setattr(agent, "LONGEST", 1 << 20)

    async def long_line():
        hub = Coordinator(["n1"], KEY)
        async with hub.listening("127.0.0.1", 0):
            reader, writer = await asyncio.open_connection("127.0.0.1",
                                                           hub.port)
            mine = b"x" * 32
            writer.write(json.dumps({
                "type": "hello", "protocol": agent.PROTOCOL, "node": "n1",
                "nonce": mine.hex()}).encode() + b"\n")
            nonces = mine, agent.nonce_of(json.loads(await reader.readline()))
            writer.write(json.dumps({"proof": agent.proof(
                KEY, b"agent", nonces, "n1")}).encode() + b"\n")
            writer.write(b"x" * (2 << 20) + b"\n")
            missing = await hub.gather(10, lambda: {})
            writer.close()
            return missing
    assert asyncio.run(long_line()) == {
        "n1": "its agent sent a line of more than 1 MiB"}


@pytest.mark.parametrize("letter", (b"\0", b"\xff", b'"',
                                    "\U0001f600".encode()))
def test_the_longest_line_of_an_agent(letter):
    """However long JSON makes what verbsperf wrote."""
    data = letter * (agent.MOST_OUTPUT // len(letter))
    child = agent.Child(1, ["true"], b"k")
    child.process.communicate()
    for name in child.output:
        child.keep(name, data)
    texts = {name: child.text_of(name) for name in child.output}
    line = agent.Lines(b"k", b"agent").wrap({
        "type": "ended", "id": 10 ** 9, "status": -11, "opened": 1.5e9,
        "lost": child.lost, **texts})
    assert child.lost and len(line) < agent.LONGEST
    assert all(data.decode("utf-8", "replace").startswith(text) and text
               for text in texts.values())


def test_what_is_short_is_whole():
    child = agent.Child(1, ["true"], b"k")
    child.process.communicate()
    child.keep("stdout", b"{}" * 1000)
    assert child.text_of("stdout") == "{}" * 1000 and not child.lost


@pytest.mark.parametrize("message", (
    {"type": "open", "ids": 7}, {"type": "open"},
    {"type": "open", "ids": {"a": 1}}, {"type": "kill", "ids": [[1]]},
    {"type": "kill", "ids": [True]}, {"type": "kill", "ids": None},
    {"type": "start", "id": "1", "words": []}, {"type": "x"}, {},
    {"type": "start", "id": 1, "words": "serve"}))
def test_what_no_coordinator_says(message):
    with socket.socket() as sock:
        one = agent.Agent(sock, agent.Lines(b"k", b"agent"), "true", b"k")
        with pytest.raises(agent.Ended, match="something unknown"):
            one.obey(message)


CALL = ["write_bw", "--size=64", "--port=7", *agent.CLIENT, "node2"]


def test_lines_in_pieces(monkeypatch):
    """However they are cut; and a long one costs no more than its length."""
    here, there = socket.socketpair()
    with here, there:
        one = agent.Agent(here, agent.Lines(b"k", b"agent"), "true", b"k")
        other, taken = agent.Lines(b"k", b"coordinator"), []
        monkeypatch.setattr(one, "obey", taken.append)
        data = b"".join(other.wrap({"n": n}) for n in range(4))
        for piece in (data[:10], data[10:-3], data[-3:]):
            there.sendall(piece)
            one.hear()
        assert taken == [{"n": n} for n in range(4)]
        began = time.process_time()
        with pytest.raises(agent.Ended, match="too long"):
            for _ in range(0, agent.LONGEST + 1, 4096):
                there.sendall(b"x" * 4096)
                one.hear()
        assert time.process_time() - began < 2


def said_of(words):
    """What an agent says of WORDS, or None when it runs them."""
    here, there = socket.socketpair()
    with here, there, there.makefile("rb") as file:
        one = agent.Agent(here, agent.Lines(b"k", b"agent"), "true", b"k")
        one.obey({"type": "start", "id": 1, "words": words})
        started = list(one.children.values())
        one.close()
        if started:
            return None
        return agent.Lines(b"k", b"coordinator").unwrap(file.readline())


@pytest.mark.parametrize("words, wrong", (
    # another command, or another server
    ([], ""), (["--version"], "--version"), (["faults"], "faults"),
    (["serve"], "serve"), (["check", "--json=x", "y"], "check"),
    (["reg_mr", "--json", "n"], "reg_mr"), (["connect", "n"], "connect"),
    ([*agent.SERVER, "--allow-inject"], "--allow-inject"),
    ([*agent.SERVER, "--bind=0.0.0.0"], "--bind=0.0.0.0"),
    ([*agent.SERVER, "--parallel=256"], "--parallel=256"),
    ([*agent.SERVER, "--json=x"], "--json=x"),
    ([*agent.SERVER, "--device=../x"], "--device=../x"),
    (["serve", "--port=18515", *agent.SERVER[1:]], "serve"),
    # a file, or another key
    *((CALL[:1] + [word] + CALL[1:], word) for word in (
        "--json=/tmp/x", "--json=-", "--json-lines=x", "--csv=x",
        "--samples=x", "--key-file=/etc/shadow", "--key-file=%ready",
        "--memory=file:/dev/mem", "--memory=file:x", "--title=x",
        # what a round has not
        "--inject=qp_reset", "--loopback", "--bind=::1", "--check",
        "--wait=9", "--iterations=5", "--once", "--ready-fd=3", "--verbose",
        "--dump-options", "--help",
        # another form
        "-s", "64", "--js", "--", "--size=64 ", "--size=%key", "--qps=$(x)",
        "--counters=../../x", "--rate=/x", "--rate=1/../x", "--cpus=1\n")),
    # another end
    (CALL[:-1] + ["--loopback"], "--loopback"), (CALL[:-1] + ["-"], "-"),
    (CALL[:-1] + [""], ""), (CALL[:-1] + ["a b"], "a b")))
def test_what_an_agent_does_not_run(words, wrong):
    said = said_of(words)
    assert (said["type"], said["status"]) == ("ended", None)
    assert said["stderr"] == (f"error: the agent does not run it with "
                              f"'{wrong}', which no round has")


@pytest.mark.parametrize("words", (
    list(agent.SERVER), [*agent.SERVER, "--device=mlx5_0"], CALL,
    CALL[:-1] + ["fe80::1%eth0"], CALL[:-1] + ["10.0.0.1"],
    *([*CALL[:1], word, *CALL[1:]] for word in (
        "--rate=12.5GB/s", "--rate=1.5mpps", "--rate=1e3Mb/s",
        "--min-gbps=92.5Gb/s", "--min-gbps=90%", "--max-lost=0.1%",
        "--max-p99.99=20us", "--percentiles=50%,99.9%", "--tclass=0x68", "--bidirectional",
        "--memory=cuda:0000:17:00.0", "--memory=hugepages=2M", "--cpus=0-3,8",
        "--mcast=ff12::1", "--counters=ethtool.rx_prio3_pause,b",
        "--max-counter=out_of_sequence=10", "--flow-label=1,0x3a",
        "--min-gbps=90", "--device=mlx5_0"))))
def test_what_an_agent_runs(words):
    assert said_of(words) is None


def test_an_address_is_no_value(tmp_path):
    """With a file as its memory, verbsperf would have served anybody."""
    program, said = tmp_path / "program", tmp_path / "said"
    program.write_text(f'#!/bin/sh\necho "$@" >>{said}\n')
    program.chmod(0o755)
    for words in (["write_bw", "--memory", "file:x"], list(agent.SERVER)):
        child = agent.Child(1, [str(program), *agent.command_of(words)], b"k")
        child.process.wait()
        child.close()
    client, server = said.read_text().splitlines()
    assert client == "write_bw --memory -- file:x"
    assert server.split()[:-2] == list(agent.SERVER[:-2])


def test_a_round_may_have_what_a_suite_may():
    """All but what is refused on the command line."""
    found = program.examine(os.environ["FAKE_REAL"])
    allowed = {name for name, option in found.options.items()
               if options.speaker_of(option) is None
               and any(re.fullmatch(agent.TEST, test)
                       for test in option.commands)}
    assert agent.OPTIONS == (allowed - {"iterations"}) | {"device", "port"}
    assert {test for test in found.tests
            if re.fullmatch(agent.TEST, test)} == {
                test for test in found.tests if test.endswith(("bw", "lat"))}


def test_why_an_agent_is_refused():
    with socket.socket() as sock:
        one = agent.Agent(sock, agent.Lines(b"k", b"agent"), "true", b"k")
        with pytest.raises(agent.Ended, match="refused: \x1b"):
            one.obey({"type": "refuse", "why": "\x1b[2J"})
    assert agent.printable("refused: \x1b[2J") == "refused: ?[2J"


def test_strangers_of_all_kinds():
    async def knock():
        hub = Coordinator(["n1"], KEY)
        async with hub.listening("127.0.0.1", 0):
            for text in (b"", b"GET / HTTP/1.0\r\n\r\n", b"x" * 100000,
                         b"[" * 5000 + b"\n", json.dumps({
                             "type": "hello", "node": 7,
                             "nonce": "0" * 64}).encode() + b"\n"):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", hub.port)
                writer.write(text)
                writer.write_eof()
                try:
                    assert await asyncio.wait_for(reader.read(), 10) == b""
                except ConnectionError:
                    pass
                writer.close()
        assert not hub.nodes
    asyncio.run(knock())


@pytest.mark.parametrize("said", ("\u00e9" * 32, "\ud800", 7, None, []))
def test_proofs_that_are_none(said):
    """The connection ends at once, and nothing is written on stderr."""
    async def knock():
        wrong = []
        hub = Coordinator(["n1"], KEY)
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: wrong.append(context))
        async with hub.listening("127.0.0.1", 0):
            reader, writer = await asyncio.open_connection("127.0.0.1",
                                                           hub.port)
            for line in ({"type": "hello", "protocol": agent.PROTOCOL,
                          "node": "n1", "nonce": "0" * 64},
                         {"type": "proof", "proof": said}):
                writer.write(json.dumps(line).encode() + b"\n")
            text = await asyncio.wait_for(reader.read(), 10)
            assert text.count(b"\n") == 1
            writer.close()
        assert not hub.nodes and not wrong
    asyncio.run(knock())


def test_a_crowd_of_strangers(monkeypatch):
    """Those that came first and say nothing are sent away; an agent comes
    in."""
    monkeypatch.setattr(coordinator, "MOST_STRANGERS", 4)

    async def crowd():
        hub = Coordinator(["n1"], KEY)
        async with hub.listening("127.0.0.1", 0):
            some = [await asyncio.open_connection("127.0.0.1", hub.port)
                    for _ in range(12)]
            for reader, _ in some[:7]:
                assert await asyncio.wait_for(reader.read(), 10) == b""
            process = start(hub.port)
            tell_key(process)
            missing = await hub.gather(10, lambda: {})
            assert missing == {"n1": "there is no /nonexistent in PATH"}
            assert len(hub.unproved.hosts) <= 5
            for _, writer in some:
                writer.close()
        process.communicate()
    asyncio.run(crowd())


@pytest.mark.parametrize("address, host", (
    ("10.0.0.1", "10.0.0.1"), ("2001:db8::1:2", "2001:db8::/64"),
    ("fe80::1%eth0", "fe80::/64")))
def test_what_tells_hosts_apart(address, host):
    assert coordinator.host_of(address) == host


class Connection:
    """One from ADDRESS, as a coordinator sees it."""

    def __init__(self, address):
        self.address, self.closed = address, False

    def get_extra_info(self, _):
        return self.address, 1

    def close(self):
        self.closed = True


def test_room_is_made_by_the_host_with_most():
    some = coordinator.Unproved(5)
    mine = [Connection("10.0.0.1"), Connection("10.0.0.2")]
    strangers = [Connection("::ffff:10.0.0.9") for _ in range(2)]
    strangers += [Connection(f"2001:db8::{i}") for i in range(4)]
    for one in (*mine, *strangers):
        some.enter(one)
    assert [one.closed for one in mine + strangers] == [
        False, False, True, False, True, True, False, False]
    for one in mine * 2:
        some.leave(one)
    assert len(some.hosts) == 3 and len(some.by_host) == 2


def test_a_crowd_of_another_address(monkeypatch):
    """However many come later, an agent that came first can prove the key."""
    monkeypatch.setattr(coordinator, "MOST_STRANGERS", 4)

    async def crowd():
        hub = Coordinator(["n1"], KEY)
        async with hub.listening("127.0.0.1", 0):
            reader, writer = await asyncio.open_connection("127.0.0.1",
                                                           hub.port)
            some = [await asyncio.open_connection(
                "127.0.0.1", hub.port, local_addr=("127.0.0.9", 0))
                for _ in range(20)]
            for other, _ in some[:15]:
                assert await asyncio.wait_for(other.read(), 10) == b""
            writer.write(agent.plain(type="hello", protocol=agent.PROTOCOL,
                                     node="n1", nonce="0" * 64))
            assert b"challenge" in await asyncio.wait_for(
                reader.readline(), 10)
            for _, one in (*some, (reader, writer)):
                one.close()
    asyncio.run(crowd())


async def door_that_closes(times, after):
    """A coordinator to which an agent comes through a door that closes TIMES
    connections, each after AFTER lines of the agent; what is said of it."""
    hub = Coordinator(["n1"], KEY)
    closed = []

    async def forward(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
        except OSError:
            pass
        writer.close()

    async def meet(reader, writer):
        there, here = await asyncio.open_connection("127.0.0.1", hub.port)
        if len(closed) < times:
            closed.append(after)
            for left in range(after)[::-1]:
                line = await reader.readline()
                if left:
                    here.write(line)
                    writer.write(await there.readline())
            for one in (here, writer):
                one.close()
            return
        await asyncio.gather(forward(reader, here), forward(there, writer))

    async with hub.listening("127.0.0.1", 0):
        door = await asyncio.start_server(meet, "127.0.0.1", 0)
        process = start(door.sockets[0].getsockname()[1])
        tell_key(process)
        missing = await hub.gather(20, lambda: {})
        door.close()
    process.kill()
    process.communicate()
    return len(closed), missing


@pytest.mark.parametrize("after", (0, 1, 2))
def test_an_agent_that_is_sent_away_tries_again(after):
    assert asyncio.run(door_that_closes(2, after)) == (
        2, {"n1": "there is no /nonexistent in PATH"})


def test_an_agent_tries_until_its_time_is_over():
    """Of a coordinator that takes it and closes, as of one that is absent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        process = start(port, more=["--join-timeout", "1"])
        tell_key(process)
        server.settimeout(10)
        for _ in range(2):
            server.accept()[0].close()
    _, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "it tried for 1 s" in said


def test_an_agent_ends_with_its_coordinator():
    """It proves the key by hand, and vanishes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = start(server.getsockname()[1])
        tell_key(process)
        conn, _ = server.accept()
        with conn, conn.makefile("rb") as file:
            hello = json.loads(file.readline())
            nonces = bytes.fromhex(hello["nonce"]), b"x" * 32
            conn.sendall(json.dumps({
                "nonce": nonces[1].hex(), "proof": agent.proof(
                    KEY, b"coordinator", nonces, "n1")}).encode() + b"\n")
            assert json.loads(file.readline())["proof"] == agent.proof(
                KEY, b"agent", nonces, "n1")
            conn.sendall(agent.Lines(agent.session_key(
                KEY, nonces), b"coordinator").wrap({"type": "ping", "t": 1}))
            assert b"pong" in file.readline()
        _, said = process.communicate(timeout=20)
        assert process.returncode == 1 and "coordinator is gone" in said


GUARDED = """
import os, signal, time
from verbsperf.agents.agent import Guard
guard = Guard()
guard.put_off(60)
guard.put_off(1)
os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(60)
"""


def test_an_agent_that_is_stopped_is_killed():
    done = subprocess.run([sys.executable, "-c", GUARDED], cwd=SCRIPTS,
                          timeout=30, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("said", ("0" * 64, "\u00e9", None))
def test_an_agent_refuses_what_is_not_its_coordinator(said):
    """A server that does not know the key is told no proof."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = start(server.getsockname()[1])
        tell_key(process)
        conn, _ = server.accept()
        with conn, conn.makefile("rb") as file:
            file.readline()
            conn.sendall(json.dumps({"nonce": "0" * 64,
                                     "proof": said}).encode() + b"\n")
            assert file.readline() == b""
        _, said = process.communicate(timeout=20)
        assert "the coordinator has another key" in said


def outcome(start_at, seconds=1.0, gbps=10.0, intervals=None, probe=False):
    one = Outcome(Job(Pair(End("a", ""), End("b", "")), [], 1, probe))
    one.opened = start_at
    one.row = {"seconds": seconds, "bandwidth": {"gbps": gbps},
               "latency": None, "intervals": intervals}
    return one


def test_only_what_was_measured_together_is_added():
    some = [outcome(100.0), outcome(100.05), outcome(99.98), outcome(100.5)]
    span, gbps, added = fleet.add_up(some)
    assert [one.marked for one in some] == [False, False, False, True]
    assert span == pytest.approx((100.05, 100.98))
    assert (gbps, added) == (30, 3)
    assert some[3].overlap == pytest.approx(0.525, abs=0.01)


def test_intervals_within_the_common_time():
    halves = [{"start": 0.0, "seconds": 0.05, "gbps": 100.0},
              {"start": 0.05, "seconds": 0.95, "gbps": 10.0}]
    span, gbps, _ = fleet.add_up([outcome(100.0, intervals=halves),
                                  outcome(100.05), outcome(100.05)])
    assert span == pytest.approx((100.05, 101.0))
    assert gbps == pytest.approx(30)


@pytest.mark.parametrize("stdout", (
    "", "[]", "1", "[" * 100000, "9" * 10000, '{"schema": NaN}',
    json.dumps(complete.document({"results": [{"seconds": "1"}]})),
    json.dumps(complete.document({"results": []}))))
def test_documents_of_an_agent_that_are_none(stdout):
    pair = Pair(End("a", ""), End("b", ""))
    one = fleet.Running(Coordinator(["a", "b"], KEY), Job(pair, [], 1))
    one.read({"status": 0, "stdout": stdout, "stderr": "", "opened": None,
              "lost": False})
    assert one.error and one.row is None


def test_a_document_that_was_cut_off():
    pair = Pair(End("a", ""), End("b", ""))
    one = fleet.Running(Coordinator(["a", "b"], KEY), Job(pair, [], 1))
    one.read({"status": 0, "stdout": '{"schema": 1', "stderr": "",
              "opened": None, "lost": True})
    assert one.error.startswith("verbsperf wrote more than")


def test_a_window_of_no_time():
    assert fleet.overlap_of((1e9, 1e9), (1e9, 1e9 + 1)) == 0


def test_nothing_together():
    assert fleet.add_up([]) == (None, None, 0)
    failed = Outcome(Job(Pair(End("a", ""), End("b", "")), [], 1))
    assert fleet.add_up([failed]) == (None, None, 0)
    assert not failed.marked


def test_probes_are_not_added():
    assert fleet.add_up([outcome(1.0), outcome(1.0, probe=True)])[1:] == (10,
                                                                          1)


def test_threads_are_not_needed():
    assert threading.active_count() == 1


def test_where_nobody_can_listen():
    """An address of another host, and a port that is taken."""
    with pytest.raises(Refused, match="--listen 192.0.2.1, port 0: Cannot"):
        coordinator.listener("192.0.2.1", 0)
    with coordinator.listener("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Refused, match=f"--listen 127.0.0.1, port {port}: "
                                          "Address already in use"):
            coordinator.listener("127.0.0.1", port)


def test_one_port_for_both_families():
    """An agent is told one port, and comes by either family."""
    async def connect():
        async with Coordinator([], KEY).listening(None, 0) as hub:
            for address in ("127.0.0.1", "::1"):
                _, writer = await asyncio.open_connection(address, hub.port)
                writer.close()

    if not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    asyncio.run(connect())


def test_an_ipv4_address_is_one():
    """It is what the other end of a pair connects to."""
    async def addresses():
        hub = Coordinator([], KEY)
        seen = []

        async def meet(_, writer):
            seen.append(coordinator.address_of(writer))
            writer.close()

        hub.meet = meet
        async with hub.listening(None, 0):
            reader, writer = await asyncio.open_connection("127.0.0.1",
                                                           hub.port)
            await reader.read()
            writer.close()
        return seen

    assert asyncio.run(addresses()) == ["127.0.0.1"]


@pytest.mark.parametrize("status, sentence", (
    (-9, "verbsperf was killed by SIGKILL"),
    (-4000, "verbsperf was killed by signal 4000"),
    (1, "verbsperf: warm: go on"), (None, "verbsperf: warm: go on")))
def test_what_a_killed_program_says(status, sentence):
    assert program.sentence_of("verbsperf: warm: go on\n", status) == sentence
    assert program.sentence_of("verbsperf: error: no\n", status) == "no"


def answers(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("text, error", (
    ("exit 7", "%s --version ended with status 7"),
    ("echo broken >&2; exit 7", "%s --version ended with status 7: broken"),
    ("[ $1 = --version ] || kill -9 $$", "%s devices ended with status -9"),
    ("[ $1 = --version ] || { echo 'verbsperf: error: no driver' >&2; exit 1;"
     " }", "no driver"),
    ("exit 0", "there is no RDMA device")))
def test_a_verbsperf_that_names_no_device(tmp_path, text, error):
    path = answers(tmp_path, "verbsperf", text)
    found = agent.describe(str(path))
    assert found["error"] == error.replace("%s", str(path))
    assert found["devices"] == []


def test_there_is_no_verbsperf(tmp_path):
    assert agent.describe(str(tmp_path / "none"))["error"] == (
        f"there is no {tmp_path}/none in PATH")
    bad = answers(tmp_path, "bad", "")
    bad.write_text("#!/nowhere\n")
    assert agent.describe(str(bad))["error"].startswith(
        f"{bad} does not run: ")


LISTED = """echo 'verbsperf 9'
[ $1 = --version ] || cat <<END
broken0: cannot open /dev/infiniband/uverbs900: No such file or directory
mlx5_0 port 1: ACTIVE, Ethernet 100 Gb/s, MTU 1024, firmware 28.39.1002
  *     0  RoCE v2  ::ffff:127.0.0.1                         lo
mlx5_1 port 2: DOWN, InfiniBand 200 Gb/s, MTU 4096, LID 7, firmware 1 (x)
rxe0 port 1: INIT, Ethernet, MTU 256
old port 1: ACTIVE
END"""


def test_what_is_known_of_ports(tmp_path, monkeypatch):
    """The kernel says more of a link than verbsperf, where it has it."""
    rate = tmp_path / "class/infiniband/mlx5_1/ports/2/rate"
    rate.parent.mkdir(parents=True)
    rate.write_text("50 Gb/sec (1X HDR)\n")
    monkeypatch.setenv("SYSFS_PATH", str(tmp_path))
    found = agent.describe(str(answers(tmp_path, "verbsperf", LISTED)))
    assert found["error"] is None and found["verbsperf"] == "verbsperf 9"
    assert [tuple(one[name] for name in (
        "name", "port", "state", "link", "mtu", "firmware"))
        for one in found["devices"]] == [
        ("mlx5_0", 1, "ACTIVE", "Ethernet 100 Gb/s", 1024, "28.39.1002"),
        ("mlx5_1", 2, "DOWN", "50 Gb/sec (1X HDR)", 4096, "1 (x)"),
        ("rxe0", 1, "INIT", "Ethernet", 256, None),
        ("old", 1, "ACTIVE", None, None, None)]
    coordinator.check_message({"type": "node", **found})
    for spoil in ({"mtu": "x"}, {"link": 7}, {"firmware": []},
                  {"port": None}):
        with pytest.raises(agent.Ended):
            coordinator.check_message({"type": "node", **found, "devices": [
                {**found["devices"][0], **spoil}]})
