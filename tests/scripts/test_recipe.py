"""The README's CI recipe, word for word, as a job runs it."""
import os
import subprocess

import pytest

from conftest import FAKE, SCRIPTS

README = SCRIPTS.parent / "README"
FOLDER = "/var/lib/verbsperf"


def recipe():
    """The job, out of the README."""
    chapter = README.read_text().split("\nCI recipe\n", 1)[1]
    lines = chapter.split("#!/bin/sh\n", 1)[1].splitlines()
    body = []
    for line in lines:
        if line and not line.startswith("    "):
            break
        body.append(line[4:])
    return "#!/bin/sh\n" + "\n".join(body)


@pytest.fixture
def night(tmp_path):
    """Runs the job on the fake; its (status, output, measurements made)."""
    text = recipe()
    assert text.count(FOLDER) == 1
    job, log = tmp_path / "job", tmp_path / "log"
    job.write_text(text.replace(FOLDER, str(tmp_path / "kept")))
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "verbsperf").symlink_to(FAKE)
    path = f"{programs}:{SCRIPTS}:{os.environ['PATH']}"

    def run(server="node1", **more):
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


def test_a_second_job_on_one_day_measures(night, tmp_path):
    """And says that the target has become slower, or has not."""
    status, text, first = night()
    assert status == 0 and first > 100, text
    status, text, again = night(FAKE_SLOW="yes")
    assert (status, again) == (1, first), text
    assert "**regression: " in text
    status, text, again = night()
    assert (status, again) == (0, first), text
    assert "**ok: " in text
    files = {path.name for path in (tmp_path / "kept").iterdir()}
    assert "base.jsonl" in files and len(files) == 4


def test_a_job_whose_file_names_the_day_only(night, tmp_path):
    """As the recipe was: the second job of a day is refused."""
    job = tmp_path / "job"
    job.write_text(job.read_text().replace("%F-%H%M%S", "%F"))
    assert night()[0] == 0
    status, text, again = night(FAKE_SLOW="yes")
    assert (status, again) == (2, 0), text
    assert "nothing is left to measure" in text and "--resume" in text


def test_a_job_that_compares_the_base_with_itself(night, tmp_path):
    job = tmp_path / "job"
    assert night()[0] == 0
    new, = (tmp_path / "kept").glob("2*")
    job.write_text(job.read_text().replace("$(date +%F-%H%M%S).jsonl",
                                           new.name)
                   .replace(" -o ", " --resume -o "))
    status, text, again = night(FAKE_SLOW="yes")
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
