"""What a command shows on a terminal while it measures."""
import contextlib
import shutil
import sys
import time

from verbsperf.base import foreign
from verbsperf.base.tables import duration


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
            with contextlib.suppress(OSError):
                print(f"\r\033[K{foreign.terminal(text)[:width]}", end="",
                      file=sys.stderr, flush=True)


class Progress(Line):
    """Says how far it is of TOTAL parts, each of EACH seconds or so, and how
    ABOUT much time is left."""

    def __init__(self, total: int, each: float = 0.0, about: str = "about"
                 ) -> None:
        super().__init__()
        self.total, self.each, self.about = total, each, about
        self.done = self.measured = 0
        self.spent = 0.0        # seconds on those that were measured
        self.since = 0.0        # when this part began
        self.text = ""          # what is shown; the time left is added
        self.timed = False

    def begin(self, text: str) -> None:
        """The next part begins, which TEXT describes."""
        self.since, self.timed, self.text = time.monotonic(), True, text
        self.show()

    def end(self, skipped: bool = False) -> None:
        """A part is over, or was measured before and SKIPPED."""
        self.done += 1
        if not skipped:
            self.measured += 1
            self.spent += time.monotonic() - self.since

    def name(self, text: str) -> None:
        """What begins now is no part of the total: say what it is."""
        self.text, self.timed = text, False
        self.show()

    def left(self, running: int = 1) -> str:
        """Return how long it takes while RUNNING parts, or none, are begun."""
        each = self.spent / self.measured if self.measured else self.each
        here = max(0.0, each - (time.monotonic() - self.since)) * running
        seconds = here + each * max(0, self.total - self.done - running)
        return f"{self.about} {duration(seconds)} left"

    def show(self) -> None:
        """Show where it is, in the place of what was shown before."""
        if self.text:
            self.draw(self.text + (f", {self.left()}" if self.timed else ""))
