#!/usr/bin/env python3
"""Peers that leave a dialogue at any step, by each way there is, and what both
roles are left with: usage bad_dialogues.py VERBSPERF FAKE_NIC [EXCHANGES]

As a program it has that many exchanges with a server, and with clients, on the
fake NIC of tests/bench, FAKE_NIC being the library that has it; then crowds that
are silent after each step, and how long another client waits for its turn."""

import itertools
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter, namedtuple

import fake_perftest
import wire
from bad_clients import children_of

# What a client or server of each test says: how many keys before and after its
# traffic, and whether there is a report; its settings' verb and metric.
Test = namedtuple("Test", "before after report verb tst")
TESTS = {"write_bw": Test(3, 2, True, 2, 1), "send_bw": Test(4, 1, False, 0, 1),
         "send_lat": Test(4, 1, False, 0, 0), "read_bw": Test(3, 2, True, 4, 1),
         "write_lat": Test(4, 0, False, 2, 0),
         "read_lat": Test(4, 1, False, 4, 0)}
COUNT = 60
# What a peer says too early, or not to its end, and how it goes.
SAYS = ("nothing", "a byte", "half a message", "two messages", "garbage")
GOES = ("closes", "resets", "closes one way", "falls silent")
# How long a silent one stays.
SILENCE = 0.5
THREADS = 8
IDLE = 2
# An end that looks is done by then.
ALL_GONE = 10
CROWD = 20
PATIENCE = float(os.environ.get("TEST_PATIENCE", 1))

Exchange = namedtuple("Exchange", "dialogue step says goes")


def texts(test, version="6.29", told=True):
    """What an end of TEST says, message by message."""
    t = TESTS[test]
    reports = [b"\x3f\xf0" + b"\0" * 6] * 3
    return [*fake_perftest.head(version),
            *([fake_perftest.settings(verb=t.verb, tst=t.tst, size=64,
                                      iters=COUNT)] if told else []),
            *[fake_perftest.key()] * (t.before + min(t.after, 1)),
            *([struct.pack(">Q", 64), struct.pack(">Q", COUNT), *reports]
              if t.report else []),
            *[fake_perftest.key()] * (t.after - 1)]


def client_frames():
    return [wire.frame(name, payload()) for name, payload in (
        ("HELLO", wire.hello), ("PLAN", wire.plan),
        ("ENDPOINT", lambda: wire.endpoint(0, 0)), ("READY", wire.ready),
        ("START", lambda: struct.pack(">Q", 64)),
        ("SENT", lambda: wire.sent(10)), ("DONE", wire.done), ("BYE", bytes))]


def all_exchanges(dialogues):
    """Every step of DIALOGUES, by their lengths, with every way to go wrong."""
    return [Exchange(name, step, says, goes)
            for name, length in dialogues.items()
            for step, says, goes in itertools.product(range(length + 1), SAYS,
                                                      GOES)]


def said_early(says, following, chance):
    """What the peer says of the messages FOLLOWING before it goes."""
    one = following[0] if following else b"?" * 108
    two = one + (following[1] if len(following) > 1 else one)
    return {"nothing": b"", "a byte": one[:1], "half a message":
            one[:len(one) // 2], "two messages": two,
            "garbage": chance.randbytes(chance.randrange(1, 4000))}[says]


def go(sock, goes):
    """Ends what SOCK says; it is closed by the caller."""
    if goes == "resets":
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
    elif goes == "closes one way":
        sock.shutdown(socket.SHUT_WR)
    if goes in ("closes one way", "falls silent"):
        time.sleep(SILENCE)


def misbehave(sock, exchange, following, chance):
    try:
        sock.sendall(said_early(exchange.says, following, chance))
        go(sock, exchange.goes)
    except OSError:
        pass            # the other end was faster


def play_texts(sock, messages):
    """Says MESSAGES as a client, each after the answer to the one before."""
    for message in messages:
        sock.sendall(message)
        left = len(message)
        while left:
            part = sock.recv(left)
            if not part:
                raise EOFError
            left -= len(part)


def play_client(sock, dialogue, step):
    """The first STEP messages of DIALOGUE; returns those that follow."""
    if dialogue == "frames":
        peer = wire.FakeClient.__new__(wire.FakeClient)
        wire.Peer.__init__(peer, sock)
        peer.secret, peer.payloads = None, {}
        peer.play(*peer.STEPS[:step])
        return client_frames()[step:]
    test, _, version = dialogue.partition(" ")
    messages = texts(test, version, told=version == "6.29")
    play_texts(sock, messages[:step])
    return messages[step:]


# Of an older one the server was told the test.
OLD = "send_bw 6.06"
AT_SERVER = {"frames": len(wire.FakeClient.STEPS), OLD: len(texts(
    "send_bw", "6.06", told=False)),
    **{f"{test} 6.29": len(texts(test)) for test in TESTS}}
AT_CLIENT = {"frames": len(wire.FakeServer.STEPS),
             **{test: len(texts(test, told=False)) for test in TESTS}}


class Server:
    """A server on the fake NIC, with the environment that its clients have; of
    OLD perftests, too, which do not say their test."""

    def __init__(self, verbsperf, nic, *options, old=True):
        self.verbsperf = verbsperf
        self.environment = {**os.environ, "LD_PRELOAD": nic}
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [verbsperf, "serve", "-p", "0", "--idle-timeout", str(IDLE),
             *(["--perftest", f"send_bw -n {COUNT} -s 64"] if old else []),
             "--ready-fd", str(write), *options], env=self.environment, pass_fds=[write],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        self.port = int(os.read(read, 16))
        os.close(read)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, source="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), 60,
                                        (source, 0))

    def exchange(self, number, exchange):
        """A client that goes wrong; False: the server was gone before."""
        with self.connect() as sock:
            try:
                following = play_client(sock, exchange.dialogue,
                                        exchange.step)
            except (OSError, EOFError, AssertionError):
                return False
            misbehave(sock, exchange, following, random.Random(number))
        return True

    def honest_wait(self, seconds):
        """How long a client takes from its start to its end; None: more than
        SECONDS."""
        start = time.monotonic()
        try:
            done = subprocess.run(
                [self.verbsperf, "write_bw", "-n", "10", "--warmup", "0", "-p",
                 str(self.port), "--timeout", "60", "127.0.0.1"],
                env=self.environment, capture_output=True, text=True,
                timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        assert done.returncode == 0, done.stderr
        return time.monotonic() - start

    def children(self):
        return children_of(self.process.pid)

    def children_after(self, seconds):
        """Those left after SECONDS, or none as soon as there is none."""
        end = time.monotonic() + seconds
        while self.children() and time.monotonic() < end:
            time.sleep(0.05)
        return self.children()


class OneServer(threading.Thread):
    """Plays a server for one client, and goes wrong."""

    def __init__(self, number, exchange):
        super().__init__(daemon=True)
        self.number, self.wrong = number, exchange
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(20)
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        with self.listener, self.listener.accept()[0] as sock:
            sock.settimeout(20)
            try:
                following = self.play(sock)
            except (OSError, EOFError, AssertionError):
                return
            misbehave(sock, self.wrong, following, random.Random(self.number))

    def play(self, sock):
        if self.wrong.dialogue == "frames":
            fake = wire.FakeServer.__new__(wire.FakeServer)
            fake.peer = wire.Peer(sock)
            fake.play(*fake.STEPS[:self.wrong.step])
            return [wire.frame("DONE", wire.done()), wire.frame("BYE")]
        messages = texts(self.wrong.dialogue, "6.06", told=False)
        for message in messages[:self.wrong.step]:
            if not sock.recv(4096):
                raise EOFError
            sock.sendall(message)
        return messages[self.wrong.step:]


def run_client(verbsperf, nic, number, exchange):
    """The status and the seconds of a client whose server goes wrong; None:
    it did not end."""
    server = OneServer(number, exchange)
    peer = ["--peer", "perftest"] if exchange.dialogue != "frames" else []
    test = exchange.dialogue if peer else "write_bw"
    start = time.monotonic()
    try:
        done = subprocess.run(
            [verbsperf, test, "-n", str(COUNT), "-s", "64", "--warmup", "0",
             "--timeout", "1", "-p", str(server.port), *peer, "127.0.0.1"],
            env={**os.environ, "LD_PRELOAD": nic}, timeout=60 * PATIENCE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - start
    return done.returncode, time.monotonic() - start


def in_threads(work, items, threads=THREADS):
    """WORK(number, item) for each of ITEMS, several at once; the results."""
    numbered = iter(list(enumerate(items)))
    lock, results, failures = threading.Lock(), [], []

    def run():
        while True:
            with lock:
                one = next(numbered, None)
            if one is None:
                return
            try:
                results.append((one[1], work(*one)))
            except Exception as problem:    # of any exchange, to be told
                failures.append(f"{one}: {problem!r}")
    each = [threading.Thread(target=run) for _ in range(threads)]
    for thread in each:
        thread.start()
    for thread in each:
        thread.join()
    assert not failures, failures
    return results


def clients_that_failed_to_end(results):
    """Those that took too long or ended by a signal."""
    return [(exchange, status, round(seconds, 1))
            for exchange, (status, seconds) in results
            if status is None or status < 0 or seconds > ALL_GONE * PATIENCE]


def several(dialogues, n, seed):
    """N exchanges: each of all as often as the others, in a random order."""
    every = all_exchanges(dialogues)
    chosen = [every[i % len(every)] for i in range(n)]
    if n < len(every):
        chosen = random.Random(seed).sample(every, n)
    random.Random(seed).shuffle(chosen)
    return chosen


class Crowded:
    """CROWD clients of SERVER, from another address, that are silent after
    STEP messages of DIALOGUE, or on their way there."""

    def __init__(self, server, dialogue, step):
        self.socks = [server.connect("127.0.0.2") for _ in range(CROWD)]
        for sock in self.socks:
            threading.Thread(target=self.play, args=(sock, dialogue, step),
                             daemon=True).start()

    @staticmethod
    def play(sock, dialogue, step):
        try:
            play_client(sock, dialogue, step)
        except (OSError, EOFError, AssertionError):
            pass

    def close(self):
        for sock in self.socks:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()


def shown(wait, most):
    return f"more than {most}" if wait is None else f"{wait:.2f}"


def with_server(verbsperf, nic, n):
    with Server(verbsperf, nic, "--parallel", str(THREADS)) as server:
        start = time.monotonic()
        done = in_threads(server.exchange, several(AT_SERVER, n, 44))
        wait = server.honest_wait(30)
        left = server.children_after(ALL_GONE)
        played = Counter(all_played for _, all_played in done)
        print(f"  {n} exchanges with a server in "
              f"{time.monotonic() - start:.0f} s, {played[True]} up to the "
              f"step meant: {len(left)} children left after {ALL_GONE} s, "
              f"another client took {shown(wait, 30)} s")
        return not left and wait is not None and wait < 2


def with_clients(verbsperf, nic, n):
    start = time.monotonic()
    results = in_threads(lambda number, exchange: run_client(
        verbsperf, nic, number, exchange), several(AT_CLIENT, n, 45))
    wrong = clients_that_failed_to_end(results)
    longest = max(seconds for _, (_, seconds) in results)
    statuses = Counter(status for _, (status, _) in results)
    print(f"  {n} exchanges with clients in {time.monotonic() - start:.0f} s: "
          f"{len(wrong)} that did not end in {ALL_GONE} s, the longest took "
          f"{longest:.1f} s; statuses {dict(statuses)}")
    for one in wrong[:20]:
        print(f"    {one}")
    return not wrong


def with_crowds(verbsperf, nic):
    print(f"  another client's time, in s, while {CROWD} clients from one "
          "address are silent after each step")
    for dialogue, length in AT_SERVER.items():
        waits = []
        for step in range(length + 1):
            with Server(verbsperf, nic, old=dialogue == OLD) as server:
                crowd = Crowded(server, dialogue, step)
                time.sleep(0.3)
                waits.append(shown(server.honest_wait(60), 60))
                crowd.close()
        print(f"    {dialogue:15} {'  '.join(waits)}", flush=True)


def main():
    verbsperf, nic = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    fine = with_server(verbsperf, nic, n)
    fine &= with_clients(verbsperf, nic, n)
    with_crowds(verbsperf, nic)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
