"""What a sweep says on stderr while it runs."""
import shutil
import sys
import time

from verbsperf.base.tables import duration, printable


def say(sentence: str) -> None:
    """Write SENTENCE on stderr."""
    print(f"verbsperf-sweep: {printable(sentence)}", file=sys.stderr,
          flush=True)


def estimate(seconds: float, unknown: int, at_most: bool) -> str:
    """Say how long a sweep takes: SECONDS, and the time of UNKNOWN
    measurements with --iterations. With AT_MOST it may be done earlier."""
    text = f"{'at most' if at_most else 'about'} {duration(seconds)}"
    if not unknown:
        return text
    more = f"{unknown} measurement{'s' * (unknown > 1)} with --iterations"
    return f"{text} and {more}" if seconds else more


class Progress:
    """Shows on a terminal what was measured last, and how much time is
    left."""

    def __init__(self, total: int, at_most: bool) -> None:
        self.total, self.at_most = total, at_most
        self.start, self.runs = time.monotonic(), 0
        self.terminal = sys.stderr.isatty()

    def left(self, done: int) -> str:
        """Return how long the rest takes, when DONE measurements are done."""
        each = (time.monotonic() - self.start) / self.runs
        at_most = "at most " if self.at_most else ""
        return f"{at_most}{duration(each * (self.total - done))} left"

    def measured(self, done: int, number: int, text: str) -> None:
        """Show that TEXT was measured in round NUMBER, as number DONE of
        all."""
        self.runs += 1
        if self.terminal:
            line = (f"{done} of {self.total}, round {number}, "
                    f"{self.left(done)}: {text}")
            width = shutil.get_terminal_size().columns - 1
            self.draw(line[:width])

    def clear(self) -> None:
        """Remove the line, so that another can be written."""
        if self.terminal:
            self.draw("")

    def draw(self, line: str) -> None:
        """Put LINE in the place of the one before."""
        print(f"\r\033[K{printable(line)}", end="", file=sys.stderr,
              flush=True)

    def round_ends(self, done: int, number: int, failed: int) -> None:
        """Say that round NUMBER is over, and DONE measurements are done."""
        self.clear()
        if self.runs:
            say(f"round {number}: {done} of {self.total}, {failed} failed, "
                + self.left(done))
