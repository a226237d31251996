"""Where the program verbsperf is, which the scripts run."""
import os
import shutil
import sys


def places(command):
    """The folder of COMMAND, and of all that it links to."""
    while True:
        yield os.path.dirname(command)
        if not os.path.islink(command):
            return
        command = os.path.join(os.path.dirname(command),
                               os.readlink(command))


def find(path):
    """The file PATH, or the verbsperf beside this command, or in PATH; None
    when there is none."""
    if path:
        return shutil.which(path)
    beside = os.pathsep.join(places(os.path.abspath(sys.argv[0])))
    return shutil.which("verbsperf", path=beside) or shutil.which("verbsperf")
