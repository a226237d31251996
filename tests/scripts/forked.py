"""Commands of the package as processes of their own, forked from one that has
imported it and what takes long: to import SciPy costs more than most tests."""
import importlib
import multiprocessing
import os
import runpy
import sys
import tempfile
from unittest import mock

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["scipy.special", "scipy.stats", "matplotlib.figure",
     "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"]
    + [f"verbsperf.commands.{name}" for name in
       ("cluster", "compare", "plot", "selftest", "sweep")]
    + ["simulated", "frozen"])


def start(folder):
    """Start the process that the others come from, with the package that is in
    FOLDER."""
    here = os.path.dirname(os.path.abspath(__file__))
    with mock.patch.dict(os.environ, PYTHONPATH=f"{folder}:{here}"):
        first = CONTEXT.Process()
        first.start()
        first.join()


def become(words, outputs, environment, folder):
    """Be the script that WORDS begin with."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate((os.devnull, *outputs)):
        file = os.open(path, os.O_RDWR)
        os.dup2(file, number)
        os.close(file)
    sys.argv = words
    # which takes a copy of all that was imported, for each measurement
    importlib.import_module("verbsperf.plan.program").die_with_parent = None
    runpy.run_path(words[0], run_name="__main__")


def run(words, environment, folder, seconds):
    """The (status, stdout, stderr) of the script that WORDS begin with."""
    with tempfile.NamedTemporaryFile("r+") as out, \
            tempfile.NamedTemporaryFile("r+") as err:
        process = CONTEXT.Process(target=become, args=(
            words, (out.name, err.name), environment, folder))
        process.start()
        process.join(seconds)
        assert process.exitcode is not None, words
        return process.exitcode, out.read(), err.read()
