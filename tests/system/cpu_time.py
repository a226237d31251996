"""What the system says of the CPU time of a program: /usr/bin/time."""
import os

import pytest

from lab import BINARY

TIME = "/usr/bin/time"
needs_time = pytest.mark.skipif(not os.path.exists(TIME),
                                reason="needs " + TIME)


class Clock:
    """Times a Program that is started with its argv0."""

    def __init__(self, path):
        self.path = path
        self.argv0 = (TIME, "-f", "%U %S", "-o", path, BINARY)

    @property
    def seconds(self):
        """User and system time, once the program is over."""
        return sum(map(float, self.path.read_text().split()))


def used(end):
    """The same of an end in the JSON, over the time measured."""
    return end["user_seconds"] + end["system_seconds"]
