"""What to say of a library that this Python lacks: which Python has it, or how
to get it."""
import os
import subprocess
import sys

from verbsperf.base.errors import Refused

# For which the distribution's packages are, whatever is first in PATH.
DISTRIBUTION = "/usr/bin/python3"
ANSWERS_WITHIN = 10.0


class Missing(Refused):
    """A library is missing. A command whose status 1 is a verdict has another
    one for that, MISSING."""

    status = 1


def has(python: str, module: str) -> bool:
    """The interpreter PYTHON can import MODULE."""
    try:
        return subprocess.run([python, "-c", f"import {module}"],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=ANSWERS_WITHIN, check=False
                              ).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def missing(module: str, package: str, why: object) -> Missing:
    """Return what to raise where MODULE, of the distribution's PACKAGE, cannot
    be imported: WHY."""
    here, name = sys.executable, module.partition(".")[0]
    other = not (os.path.exists(DISTRIBUTION)
                 and os.path.samefile(here, DISTRIBUTION))
    if other and has(DISTRIBUTION, name):
        cure = f"{DISTRIBUTION} can: {DISTRIBUTION} {sys.argv[0]} ..."
    elif other:
        cure = (f"install it with {here} -m pip install {name}, or the "
                f"package {package} and use {DISTRIBUTION}")
    else:
        cure = f"install the package {package}"
    return Missing(f"{here} cannot import {name} ({why}); {cure}")
