"""What verbsperf-cluster shows on a terminal while it measures."""
import asyncio
import shutil
import sys
import time

from verbsperf.base.tables import duration, printable


class Line:
    """A line on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.drawn = ""

    def clear(self) -> None:
        """Remove the line, so that another can be written."""
        self.draw("")

    def draw(self, text: str) -> None:
        """Put TEXT in the place of the line before."""
        if self.terminal and text != self.drawn:
            self.drawn = text
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{printable(text)[:width]}", end="",
                  file=sys.stderr, flush=True)


class Progress(Line):
    """Says how far it is, and how much time is left."""

    def __init__(self, rounds: int, each: float) -> None:
        super().__init__()
        self.rounds, self.each = rounds, each   # seconds of a round, about
        self.done = self.measured = 0
        self.spent = 0.0        # seconds on those that were measured
        self.since = 0.0        # when this round began
        self.text = ""          # what is shown; the time left is added
        self.timed = False

    def begin(self, nodes: int) -> None:
        """The next round begins, in which NODES take part."""
        self.since, self.timed = time.monotonic(), True
        self.text = f"{nodes} nodes, round {self.done + 1} of {self.rounds}"
        self.show()

    def end(self, skipped: bool) -> None:
        """A round is over, or was measured before and SKIPPED."""
        self.done += 1
        if not skipped:
            self.measured += 1
            self.spent += time.monotonic() - self.since

    def name(self, text: str) -> None:
        """What begins now is no round of the pattern: say what it is."""
        self.text, self.timed = text, False
        self.show()

    def left(self) -> float:
        """Return the seconds until the last round is over."""
        each = self.spent / self.measured if self.measured else self.each
        here = max(0.0, each - (time.monotonic() - self.since))
        return here + each * (self.rounds - self.done - 1)

    def show(self) -> None:
        """Show where it is, in the place of what was shown before."""
        if self.text:
            self.draw(self.text + (f", about {duration(self.left())} left"
                                   if self.timed else ""))

    async def tick(self) -> None:
        """Show it again every second."""
        while self.terminal:
            self.show()
            await asyncio.sleep(1)
