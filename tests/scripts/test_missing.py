"""What is said of a library that the Python which runs a command lacks."""
import sys

import pytest

from conftest import refused, run
from verbsperf.base import missing

PACKAGE = "python3-scipy"


@pytest.mark.parametrize("here, has, words", (
    # pyenv or conda first in PATH, and Debian's package is installed
    ("/opt/conda/bin/python3", True,
     "; /usr/bin/python3 can: /usr/bin/python3 /x/verbsperf-compare ..."),
    ("/opt/conda/bin/python3", False, "/opt/conda/bin/python3 -m pip install "
     "scipy, or the package python3-scipy and use /usr/bin/python3"),
    (missing.DISTRIBUTION, False, "; install the package python3-scipy")))
def test_which_python_is_named(monkeypatch, here, has, words):
    """The package helps only who runs the distribution's."""
    monkeypatch.setattr(sys, "executable", here)
    monkeypatch.setattr(sys, "argv", ["/x/verbsperf-compare"])
    monkeypatch.setattr(missing, "has", lambda *_: has)
    monkeypatch.setattr(missing.os.path, "exists", lambda _: True)
    monkeypatch.setattr(missing.os.path, "samefile", lambda a, b: a == b)
    text = str(missing.missing("scipy.special", PACKAGE, "No module"))
    assert text.startswith(f"{here} cannot import scipy (No module)")
    assert words in text


def test_an_interpreter_is_asked():
    assert missing.has(sys.executable, "json")
    assert not missing.has(sys.executable, "no_such_module")
    assert not missing.has("/nowhere/python3", "json")


@pytest.mark.parametrize("words, status, library", (
    (("verbsperf-compare", "a", "b"), 2, "scipy"),
    (("verbsperf-compare", "--nics", "--format", "text", "a", "b"), 2, None),
    (("verbsperf-plot", "a"), 1, "matplotlib"),
    (("verbsperf-sweep", "--format", "junit", "-o", "f", "quick", "t"), 2,
     "junitparser")))
def test_the_status_is_that_of_the_command(tmp_path, words, status, library):
    """Whichever library is missing; what does without them still works."""
    for name in ("scipy", "matplotlib", "junitparser"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('none')")
    for name in ("a", "b"):
        (tmp_path / name).write_text("{}")
    refused(run(*words, env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path),
            status, f"cannot import {library} (none)" if library else "a:1: ")
