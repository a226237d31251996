"""The nightly job, and how to build, word for word as documents have them."""
import os
import shutil
import subprocess
import sys
import time

import pytest

import guides
from conftest import FAKE, SCRIPTS

TOP = SCRIPTS.parent
FOLDER = "/var/lib/verbsperf"


def marked(path, mark):
    """The blocks of a document with a MARK, as texts."""
    return ["\n".join(block.lines) + "\n" for block in guides.blocks(path)
            if block.mark == mark]


def recipe():
    """The job, out of the guide."""
    job, = marked(TOP / "doc/regression.md", "nightly")
    return job


def runner(folder):
    """Runs the job in FOLDER on the fake; its (status, output, measurements
    made)."""
    text = recipe()
    assert text.count(FOLDER) == text.count(" regression ") == 1
    job, log, suite = (folder / name for name in ("job", "log", "suite"))
    # as few points and rounds as will do for a verdict
    suite.write_text("write_bw: --size 64,4K\nsend_lat:\n")
    job.write_text(text.replace(FOLDER, str(folder / "kept"))
                   .replace(" regression ", f" --rounds 8 {suite} "))
    programs = folder / "bin"
    programs.mkdir()
    (programs / "verbsperf").symlink_to(FAKE)
    # a Python that has SciPy, as this one has
    path = (f"{programs}:{os.path.dirname(sys.executable)}:{SCRIPTS}:"
            + os.environ["PATH"])

    def run(server="node1", **more):
        # a job names its file by the second
        time.sleep(1 - time.time() % 1)
        log.write_text("")
        environment = {**os.environ, "PATH": path, "FAKE_LOG": str(log),
                       **more}
        environment.pop("VERBSPERF", None)
        done = subprocess.run(["sh", job, server], env=environment, text=True,
                              capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL)
        return (done.returncode, done.stdout + done.stderr,
                log.read_text().count(" --json "))
    return run


@pytest.fixture
def night(tmp_path):
    return runner(tmp_path)


@pytest.fixture(scope="module")
def first_night(tmp_path_factory):
    """The folder that the first job left, and how much it measured."""
    folder = tmp_path_factory.mktemp("first")
    status, text, measured = runner(folder)()
    assert (status, measured) == (0, 3 * 8), text
    return folder / "kept", measured


@pytest.fixture
def second_night(first_night, night, tmp_path):
    """As night, after the first job."""
    shutil.copytree(first_night[0], tmp_path / "kept")
    return night


def test_a_second_job_on_one_day_measures(second_night, first_night, tmp_path):
    """And says that the target has become slower, or has not."""
    status, text, again = second_night(FAKE_SLOW="yes")
    assert (status, again) == (1, first_night[1]), text
    assert "**regression: " in text
    status, text, again = second_night()
    assert (status, again) == (0, first_night[1]), text
    assert "**within tolerance: " in text
    files = {path.name for path in (tmp_path / "kept").iterdir()}
    assert "base.jsonl" in files and len(files) == 4


def test_a_job_whose_file_names_the_day_only(second_night, tmp_path):
    """As the recipe was: the second job of a day is refused."""
    job = tmp_path / "job"
    job.write_text(job.read_text().replace("%F-%H%M%S", "%F"))
    new, = (tmp_path / "kept").glob("2*")
    new.rename(new.with_name(new.name[:len("2026-11-25")] + ".jsonl"))
    status, text, again = second_night(FAKE_SLOW="yes")
    assert (status, again) == (2, 0), text
    assert "nothing is left to measure" in text and "--resume" in text


def test_a_job_that_compares_the_base_with_itself(second_night, tmp_path):
    job = tmp_path / "job"
    new, = (tmp_path / "kept").glob("2*")
    job.write_text(job.read_text().replace("$(date +%F-%H%M%S).jsonl",
                                           new.name)
                   .replace(" -o ", " --resume -o "))
    status, text, again = second_night(FAKE_SLOW="yes")
    assert (status, again) == (2, 0), text
    assert "same session" in text


def test_a_folder_that_cannot_be_used(night, tmp_path):
    """That is a failure, not a comparison without an answer."""
    (tmp_path / "kept").write_text("in its place")
    status, text, measured = night()
    assert (status, measured) == (1, 0), text


def test_a_point_that_fails(night):
    status, text, _ = night("down")
    assert status == 1, text


# Stand in for what takes long: each says where it was and what it was told.
FUZZER = "tests/fuzz/fuzz_server"
TOOLS = {
    "apt": "",
    "autoreconf": "cp stub configure",
    "dnf": "",
    "make": f"""[ "$*" ] || {{
cp ../stub verbsperf
mkdir -p tests/fuzz && cp ../stub {FUZZER}
echo '[ -d "$2" ] && [ -d "$3" ]' >>{FUZZER}
}}""",
    "sudo": '"$@"',
}
IN_CLONE = ("check", "demo", "release", "verbsperf-lab")


@pytest.fixture
def clone(tmp_path):
    """Runs a text in a folder that stands in for a fresh clone; the log."""
    programs, folder = tmp_path / "bin", tmp_path / "clone"
    programs.mkdir()
    (folder / "tests/fuzz/corpus/server").mkdir(parents=True)
    (folder / "scripts").mkdir()
    log = 'echo "${PWD##*/}: ${0##*/} $*" >>"$LOG"\n'
    for name, text in TOOLS.items():
        guides.write_program(programs / name, "#!/bin/sh\n" + log + text)
    for path in (folder / "stub", *(folder / "scripts" / name
                                    for name in IN_CLONE)):
        guides.write_program(path, "#!/bin/sh\n" + log)

    def run(text):
        environment = {**os.environ, "LOG": str(tmp_path / "log"),
                       "PATH": f"{programs}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "-e"], cwd=folder, env=environment,
                              input=text, capture_output=True, text=True,
                              timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done
        return (tmp_path / "log").read_text().splitlines()
    return run


@pytest.mark.parametrize("name", ["README.md", "doc/install.md"])
def test_build_and_use(clone, name):
    """The program is where the lab is told to find it; twice."""
    lab, = marked(TOP / "doc/lab.md", "build")
    text = "".join(marked(TOP / name, "build")) + lab
    said = [line for line in clone(2 * text) if " install " not in line]
    once = ["clone: autoreconf -i", "build: configure ", "build: make ",
            "build: make check", "build: sudo make install",
            "build: make install"]
    if name != "README.md":
        once += ["clone: release packages", "clone: demo ", "clone: check "]
    lab = "clone: verbsperf-lab -- ./build/verbsperf write_lat --loopback"
    assert said == 2 * (once + [lab])


@pytest.mark.parametrize("number, made, last", [
    (0, 4, "build-tsan: make check-threads"),
    (1, 2, "build-fuzz: fuzz_server -max_total_time=600 found "
     "../tests/fuzz/corpus/server"),
])
def test_sanitizers_and_fuzzers(clone, number, made, last):
    """Twice, and the folders that are named are there."""
    clone("autoreconf -i\n")
    said = clone(2 * marked(TOP / "doc/testing.md", "build")[number])
    assert said[-1] == last
    assert sum(": configure --enable-" in line for line in said) == made
