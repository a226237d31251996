"""What is shown on a terminal meanwhile, and going on after an interruption."""
import os
import pty
import re
import signal
import threading

import guests
from conftest import Cluster

N = len(guests.NODES)


class Terminal:
    """A terminal that keeps what is written to it."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.data = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            try:
                piece = os.read(self.master, 4096)
            except OSError:
                return
            if not piece:
                return
            self.data += piece

    def shown(self):
        """What stood on its last line, one after the other."""
        return [re.sub(r"\x1b\[K", "", text).strip("\n")
                for text in self.data.decode().split("\r") if text.strip()]


def test_progress(ssh, nothing_left):
    terminal = Terminal()
    run = Cluster(ssh, "--pattern", "all-pairs", stderr=terminal.slave)
    os.close(terminal.slave)
    run.end(0)
    shown = terminal.shown()
    with open(os.path.join(os.environ["VERBSPERF_LAB_RESULTS"], "terminal"),
              "w") as file:
        file.write("\n".join(shown))
    assert any(re.search(rf"^{N} nodes, round 2 of 3, about \d+ s left$", one)
               for one in shown), shown


def test_resume_after_kill(ssh, nothing_left):
    run = Cluster(ssh, "--pattern", "incast")
    run.wait_for_rounds(1)
    os.kill(run.pid(), signal.SIGKILL)
    run.wait()
    run.keep()
    before = run.rounds()
    assert 1 <= len(before) < N
    again = Cluster(ssh, "--pattern", "incast", resume=run.path)
    again.end(0, 2, 3)
    rounds = again.rounds()
    assert rounds[:len(before)] == before
    assert [one["round"] for one in rounds] == list(range(1, N + 1))
