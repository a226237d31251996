"""The line that shows on a terminal how far a test is."""
import os
import pty
import re

from lab import deadline, environment, loopback, succeeded

LINE = "\r\033[K"


class Terminal:
    """What a program writes to it, as it comes."""

    def __init__(self):
        self.fd, self.far = pty.openpty()
        os.set_blocking(self.fd, False)
        self.text = ""

    def look(self):
        try:
            self.text += os.read(self.fd, 1 << 16).decode()
        except (BlockingIOError, OSError):
            pass
        return self.text

    def lines(self):
        """Each state of the line, without those that end in a newline."""
        return [part for part in re.split(re.escape(LINE) + "|\r\n", self.text)
                if " bytes, " in part]


def shown(test, *args, **settings):
    """The lines of a run on a terminal, and the rows of its table.  SETTINGS
    are the fake NIC's."""
    terminal = Terminal()
    program = loopback(test, *args, stderr=terminal.far, env={
        **environment(), **{key: str(settings[key]) for key in settings}})
    deadline(60, lambda: (terminal.look(), program.status)[1] is not None,
             "the end")
    terminal.look()
    succeeded(program)
    os.close(terminal.fd)
    os.close(terminal.far)
    assert terminal.lines(), terminal.text
    # nothing of it is left
    assert terminal.text.endswith(LINE)
    assert all(len(line) < 80 for line in terminal.lines())
    rows = [line.split() for line in program.out.splitlines()]
    return terminal.lines(), [row for row in rows if row[0].isdigit()]


def test_of_a_sweep():
    """What is left: of this size, and 0.2 s of warm-up and 2 s for each."""
    lines, _ = shown("write_bw", "-s", "64,128", "-D", 2)
    found = [re.fullmatch(r"size (\d) of 2, (\d+) bytes, (\d+) s left: "
                          r"[\d.]+ Gb/s, [\d.]+ Mpps", line) for line in lines]
    assert all(found), lines
    words = [[int(word) for word in match.groups()] for match in found]
    assert words[0] == [1, 64, 4] and words[-1][:2] == [2, 128]
    assert words[-1][2] in (1, 2)
    left = [word[2] for word in words]
    assert left == sorted(left, reverse=True)


def test_of_one_size():
    lines, _ = shown("write_bw", "-s", 64, "-D", 1.5)
    assert all(re.fullmatch(r"write_bw, 64 bytes, [\d.]+ of 1.5 s: "
                            r"[\d.]+ Gb/s, [\d.]+ Mpps", line)
               for line in lines), lines


def test_of_latency():
    """In the unit of the table, and about what that says; an interval in which
    the machine did something else may be much slower."""
    lines, rows = shown("read_lat", "-s", 64, "-D", 1.5, FAKE_DELAY=20000)
    found = [re.fullmatch(r"read_lat, 64 bytes, [\d.]+ of 1.5 s: "
                          r"t_avg ([\d.]+) us", line) for line in lines]
    assert all(found), lines
    shown_us = [float(match[1]) for match in found]
    average = float(rows[0][5])
    assert min(shown_us) >= 20
    assert min(shown_us) / 2 < average < max(shown_us) * 2


def test_of_an_open_loop():
    """Its operations overlap: no time of each follows from the rate."""
    lines, _ = shown("read_lat", "-s", 64, "-D", 1.5, "--rate", "0.1mpps")
    rates = [re.search(r": ([\d.]+) Mpps$", line) for line in lines]
    assert all(rates), lines
    assert 0.05 < float(rates[-1][1]) < 0.15


def test_of_a_count():
    """How long it takes is not known."""
    lines, _ = shown("read_lat", "-s", "64,128", "-n", 50000, "--warmup", 0,
                     FAKE_DELAY=20000)
    assert re.fullmatch(r"size 1 of 2, 64 bytes, [\d.]+ s: t_avg [\d.]+ us",
                        lines[0]), lines
