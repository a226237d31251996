#!/usr/bin/env python3
"""Connections that are no clients, by the thousand, and what a server is left
with: usage bad_clients.py VERBSPERF FAKE_NIC [CONNECTIONS]

As a program it runs them against a server on the fake NIC of tests/bench,
FAKE_NIC being the library that has it, with real clients in between."""

import os
import random
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter

import wire

# Held at once: fewer than make a server drop the oldest.
HELD = 64
THREADS = 8
PATIENCE = 60
FRAMES = ("HELLO", "PLAN", "ENDPOINT", "READY", "START", "SENT", "DONE",
          "BYE", "ALIVE", "WAIT", "ABORT", "REFUSE", "ACCEPT", "REACHED",
          "AGAIN")


def payload(name):
    return {"HELLO": wire.hello, "PLAN": wire.plan, "READY": wire.ready,
            "DONE": wire.done, "ACCEPT": wire.port,
            "START": lambda: struct.pack(">Q", 64),
            "WAIT": lambda: struct.pack(">I", 1),
            "SENT": lambda: wire.sent(10)}.get(name, bytes)()


def close_at_once(_sock, _chance):
    return False


def reset(sock, _chance):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    return False


def say_nothing(_sock, _chance):
    return True


def garbage(sock, chance):
    sock.sendall(chance.randbytes(chance.randrange(1, 4000)))
    return False


def wrong_order(sock, chance):
    names = chance.choices(FRAMES, k=4)
    if names[0] == "HELLO":
        names[1] = "START"
    sock.sendall(b"".join(wire.frame(n, payload(n)) for n in names))
    return False


def hello_and_away(sock, _chance):
    sock.sendall(wire.frame("HELLO", wire.hello()))
    return False


def plan_and_away(sock, _chance):
    sock.sendall(wire.frame("HELLO", wire.hello())
                 + wire.frame("PLAN", wire.plan()))
    return False


def huge_length(sock, chance):
    sock.sendall(wire.frame(chance.choice(FRAMES), length=0xffffffff))
    return False


def largest_length(sock, _chance):
    """The most that a frame may announce, and none of it."""
    sock.sendall(wire.frame("DONE", length=1 << 20))
    return True


def half_a_frame(sock, chance):
    data = wire.frame("HELLO", wire.hello())
    sock.sendall(data[:chance.randrange(1, len(data))])
    return True


MISDEEDS = (close_at_once, reset, say_nothing, garbage, wrong_order,
            hello_and_away, plan_and_away, huge_length, largest_length,
            half_a_frame)


class Crowd:
    """Bad clients of the server on PORT, some of which stay for a while."""

    def __init__(self, port):
        self.port = port
        self.held = []
        self.counts = Counter()
        self.lock = threading.Lock()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def hold(self, sock):
        with self.lock:
            self.held.append(sock)
            leaves = self.held.pop(0) if len(self.held) > HELD else None
        if leaves:
            leaves.close()

    def one(self, number):
        misdeed = MISDEEDS[number % len(MISDEEDS)]
        sock = self.connect()
        try:
            stays = misdeed(sock, random.Random(number))
        except OSError:
            stays = False       # the server was faster
        if stays:
            self.hold(sock)
        else:
            sock.close()
        with self.lock:
            self.counts[misdeed.__name__] += 1

    def come(self, first, last):
        """Those from number FIRST to before LAST, several at once."""
        numbers = iter(range(first, last))
        failures = []

        def work():
            for number in numbers:
                try:
                    self.one(number)
                except OSError as problem:
                    failures.append(f"{number}: {problem}")
        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures

    def flood(self, n):
        """N more that say nothing, all at once."""
        for _ in range(n):
            self.held.append(self.connect())
        self.counts["say_nothing"] += n

    def leave(self):
        for sock in self.held:
            sock.close()
        self.held.clear()


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return file.read().split()


def memory_of(pid):
    """VmRSS and VmData in KiB."""
    with open(f"/proc/{pid}/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return [int(lines[name].split()[0]) for name in ("VmRSS", "VmData")]


class Possessions:
    """What the server at PID has while it serves nobody."""

    def __init__(self, pid, patience=PATIENCE):
        end = time.monotonic() + patience
        while children_of(pid):
            assert time.monotonic() < end, "processes that do not end"
            time.sleep(0.05)
        self.fds = sorted(os.listdir(f"/proc/{pid}/fd"))
        self.rss, self.data = memory_of(pid)

    def check(self, before):
        assert self.fds == before.fds, (self.fds, before.fds)
        # what the allocator keeps for the next ones
        assert self.data <= before.data + 64, (self.data, before.data)
        assert self.rss <= before.rss + 256, (self.rss, before.rss)

    def __str__(self):
        return (f"{len(self.fds)} descriptors, {self.rss} KiB resident, "
                f"{self.data} KiB of data")


def serve_one(verbsperf, port, environment):
    done = subprocess.run([verbsperf, "write_bw", "-n", "100", "--warmup",
                           "0", "-p", str(port), "--timeout", "30",
                           "127.0.0.1"], env=environment,
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def main():
    verbsperf, nic = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    part = max(total // 10, 1)
    environment = {**os.environ, "LD_PRELOAD": nic}
    read, write = os.pipe()
    server = subprocess.Popen([verbsperf, "serve", "-p", "0",
                               "--idle-timeout", "2", "--ready-fd",
                               str(write)], env=environment, pass_fds=[write],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        os.close(write)
        port = int(os.read(read, 16))
        start = time.monotonic()
        serve_one(verbsperf, port, environment)
        before = Possessions(server.pid)
        crowd = Crowd(port)
        for first in range(0, total, part):
            crowd.come(first, min(first + part, total))
            serve_one(verbsperf, port, environment)
        crowd.leave()
        crowd.flood(300)
        serve_one(verbsperf, port, environment)
        crowd.leave()
        after = Possessions(server.pid)
        serve_one(verbsperf, port, environment)
        for misdeed, n in crowd.counts.items():
            print(f"  {n:6} x {misdeed}")
        seconds = time.monotonic() - start
        server.terminate()
        assert server.wait(PATIENCE) == 0
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"  {sum(crowd.counts.values())} bad clients in {seconds:.1f} s, "
              f"which cost the server {usage.ru_utime + usage.ru_stime:.1f} s "
              f"of CPU\n  before: {before}\n  after:  {after}")
        after.check(before)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
