"""What a sweep says on stderr while it runs."""
import shutil
import sys
import time


def say(sentence):
    """A line on stderr."""
    print(f"verbsperf-sweep: {sentence}", file=sys.stderr, flush=True)


def duration(value):
    """SECONDS for people."""
    value = int(value)
    if value < 60:
        return f"{value} s"
    if value < 3600:
        return f"{value // 60} min {value % 60} s"
    return f"{value // 3600} h {value // 60 % 60} min"


def estimate(seconds, unknown, most):
    """How long a sweep takes: SECONDS, and as long as UNKNOWN measurements
    with --iterations do; with MOST it may be done before."""
    text = f"{'at most' if most else 'about'} {duration(seconds)}"
    if not unknown:
        return text
    more = f"{unknown} measurement{'s' * (unknown > 1)} with --iterations"
    return f"{text} and {more}" if seconds else more


def make_progress(total, most):
    """A function that shows what is measured, and the time that is left."""
    start, shown = time.monotonic(), {"runs": 0}
    terminal = sys.stderr.isatty()

    def left(done):
        each = (time.monotonic() - start) / shown["runs"]
        at = "at most " if most else ""
        return f"{at}{duration(each * (total - done))} left"

    def measured(done, number, text):
        shown["runs"] += 1
        if terminal:
            line = f"{done} of {total}, round {number}, {left(done)}: {text}"
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{line[:width]}", end="", file=sys.stderr,
                  flush=True)

    def interrupt():
        if terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def round_ends(done, number, failed):
        interrupt()
        if shown["runs"]:
            say(f"round {number}: {done} of {total}, {failed} failed, "
                + left(done))

    return measured, interrupt, round_ends
