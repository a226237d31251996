"""No file is lost: what is whole stays whole, what is not ours stays as it is,
and no status says what was not found."""
import errno
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import sys

import pytest

from conftest import FAKE, SCRIPTS, document, refused, run, sweep_lines
from test_cluster import cluster, document as cluster_document, write as store
from test_history import keep, months, night  # noqa: F401
from verbsperf.base import command
from verbsperf.base.errors import Refused
from verbsperf.documents import formats, writer
from verbsperf.history import file as history
from verbsperf.plan import program

COMMANDS = ("cluster", "compare", "plot", "selftest", "sweep")
PAGE = "<!DOCTYPE html><p>what was here before"
PAIRS = ("--nodes", "n[1-2]", "--pattern", "pairs")


@pytest.fixture
def results(tmp_path):
    """A file of verbsperf-cluster."""
    return store(tmp_path / "in.jsonl", *cluster_document())


def alone(path, *others):
    """Nothing was left beside PATH and OTHERS."""
    return {one.name for one in path.parent.iterdir()} == {
        path.name, *(one.name for one in others)}


# --- whole files ---

@pytest.mark.parametrize("option, name, text", (
    ("--html", "x", "my notes\n"), ("--picture", "x.svg", '{"a": 1}\n'),
    ("--picture", "x.png", "my notes")))
def test_another_kind_of_file_is_left_as_it_is(results, tmp_path, option,
                                               name, text):
    """Before anything is read or measured; --force says that it is meant."""
    path = tmp_path / name
    path.write_text(text)
    refused(cluster(option, path, results), 2, f"{path}: ", "--force")
    refused(cluster(option, path, *PAIRS, "write_bw"), 2, f"{path}: ")
    assert path.read_text() == text and alone(path, results)
    assert cluster("--force", option, path, results)[0] == 0
    assert path.read_bytes()[:4] != text.encode()[:4]


@pytest.mark.parametrize("force", ((), ("--force",)))
def test_what_is_read_is_never_written(results, force):
    before = results.read_bytes()
    refused(cluster(*force, "--html", results, results), 2, str(results))
    assert results.read_bytes() == before


def test_a_page_is_written_over_a_page(results, tmp_path):
    """With its rights, and also where a link leads; an empty file is any."""
    path, link = tmp_path / "x.html", tmp_path / "link"
    path.write_text(PAGE)
    path.chmod(0o640)
    link.symlink_to(path)
    assert cluster("--html", link, results)[0] == 0
    assert link.is_symlink() and "<h2>Nodes</h2>" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o640
    path.write_text("")
    assert cluster("--html", path, results)[0] == 0
    assert alone(path, link, results)


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize("option, name, begin", (
    ("--html", "x.html", PAGE), ("--picture", "x.svg", "<?xml ")))
def test_a_full_disk_leaves_what_was_there(results, tmp_path, option, name,
                                           begin):
    path = tmp_path / name
    path.write_text(begin)
    refused(cluster(option, path, results, preexec_fn=small_files), 1,
            f"{path}: cannot write: File too large")
    assert path.read_text() == begin and alone(path, results)


def test_a_kill_leaves_what_was_there(tmp_path):
    path = tmp_path / "x.html"
    path.write_text(PAGE)
    code = ("import os, sys; from verbsperf.documents import writer; "
            "os.replace = lambda *_: os.kill(os.getpid(), 9); "
            "writer.write_whole(sys.argv[1], 'new' * 10000)")
    done = subprocess.run([sys.executable, "-B", "-c", code, path], check=False,
                          env={**os.environ, "PYTHONPATH": str(SCRIPTS)})
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == PAGE


@pytest.mark.parametrize("name, why", (
    ("none/x.svg", "No such file"), ("x.svg", "Is a directory")))
def test_where_no_file_can_be(results, tmp_path, name, why):
    (tmp_path / "x.svg").mkdir()
    refused(cluster("--picture", tmp_path / name, *PAIRS, "write_bw"), 1, why)
    refused(cluster("--picture", tmp_path / name, results), 1, why)


def test_pictures_and_reports_over_notes(write, tmp_path):
    """Of verbsperf-plot and verbsperf-compare --nics."""
    one, two = (write(name, [document()]) for name in ("a.json", "b.json"))
    refused(run("verbsperf-compare", "--nics", one, two, "-o",
                "/nowhere/x.md"), 1, "/nowhere/x.md: cannot write: No such")
    for name in ("x.png", "x.md"):
        path = tmp_path / name
        path.write_text("my notes")
        words = (("verbsperf-plot", one) if name == "x.png" else
                 ("verbsperf-compare", "--nics", one, two))
        refused(run(*words, "-o", path), 2, f"{path}: ", "--force")
        assert path.read_text() == "my notes"
    status, _, err = run(*words, "-o", path, "--force")
    assert status == 0, err
    (tmp_path / "c.svg").symlink_to(one)
    refused(run("verbsperf-plot", one, "-o", tmp_path / "c.svg", "--force"),
            2, "read, too")


def test_pictures_are_asked_for_before_measuring(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError('none')")
    refused(cluster(*PAIRS, "--launch", "false %h", "--picture",
                    tmp_path / "x.svg", "write_bw",
                    env={"PYTHONPATH": str(tmp_path)}), 1, "matplotlib")


# --- lines ---

@pytest.mark.parametrize("text", (
    "my notes", "my notes\nthe last line", '{"schema": "verbsperf/1"}\n{"x',
    '{"schema": "verbsperf-clu', "\n"))
def test_files_of_others_are_not_opened(tmp_path, text):
    path = tmp_path / "notes"
    path.write_text(text)
    for schema in (formats.SWEEP, formats.HISTORY, "verbsperf-cluster/1"):
        with pytest.raises(Refused, match=f"{path}:1: not a x; left as it is"):
            writer.Lines(str(path), schema, "x", "")
    assert path.read_text() == text


def test_files_of_others_are_not_cut(sweep, write_suite, tmp_path):
    path = tmp_path / "notes"
    path.write_text("my notes\nthe last line")
    suite = write_suite("write_bw:")
    refused(cluster(*PAIRS, "-o", path, "--resume", "write_bw"), 2,
            f"{path}:1: not a file of verbsperf-cluster; left as it is")
    refused(sweep("-o", path, "--resume", suite, "a=x"), 2,
            f"{path}:1: not a sweep; left as it is")
    refused(sweep("-o", "out", "--history", path, suite, "a=x"), 2,
            f"{path}:1: not a history")
    assert path.read_text() == "my notes\nthe last line"


def test_a_file_of_ours_is_cut_by_resume_only(results, tmp_path):
    path = str(results)
    whole = results.read_bytes()
    results.write_bytes(whole + b'{"type": "pai')
    status, out, err = cluster(path)
    assert status == 1 and "nothing is slow" in out
    assert f"left out: {path}:{len(whole.splitlines()) + 1}: cut off" in err
    words = (*PAIRS, "--launch", "false %h", "-o", path, "write_bw")
    refused(cluster(*words), 2, "--resume continues it")
    refused(cluster("--resume", *words), 2, "another 'pattern'")
    assert results.read_bytes() == whole + b'{"type": "pai'
    lines = writer.Lines(path, "verbsperf-cluster/1", "x", "y")
    assert lines.cut_torn() == 13 and results.read_bytes() == whole
    lines.close()


def test_bad_lines_are_named_and_the_rest_is_read(sweep, write, keep, plot,
                                                  tmp_path):
    lines = sweep_lines({"a": [1.0, 2.0, 3.0]})
    lines[2] = lines[2].replace('"gbps": 2.0', '"gbps": -1')
    path = tmp_path / "out"
    path.write_text("\n".join([*lines, '{"target": "a", ']))
    status, out, err = sweep(path)
    assert status == 1 and "2.000" in out   # of 1 and 3
    assert err.splitlines() == [
        f"verbsperf-sweep: left out: {path}:5: cut off or not JSON: Expecting "
        "property name enclosed in double quotes",
        f"verbsperf-sweep: left out: {path}:3: a row of \"results\" is not as "
        "verbsperf writes it"]
    assert run("verbsperf-compare", path, path)[0] == 2
    nights = keep(months([50, 51, 52]))
    with open(nights, encoding="utf-8") as file:
        text = file.read()
    with open(nights, "w", encoding="utf-8") as file:
        file.write(text.replace("51.0", "-51.0"))
    status, out, err = plot("--history", nights)
    assert status == 1 and "history.png: " in out
    assert f"left out: {nights}:2: a point of the line" in err


@pytest.fixture
def plot(tmp_path):
    return lambda *arguments: run("verbsperf-plot", *arguments, cwd=tmp_path)


def test_a_number_that_cannot_be_is_no_result(sweep, write_suite, tmp_path):
    """Neither in the sweep nor in the history."""
    fake = tmp_path / "fake"
    fake.write_text(f"#!/bin/sh\n{FAKE} \"$@\" | "
                    "sed 's/\"gbps\": [0-9.]*/\"gbps\": -1/'\n")
    fake.chmod(0o755)
    status, _, _ = sweep("-o", "out", "--rounds", 1, "--history", "all",
                         "--program", fake, write_suite("write_bw:"), "a=x")
    assert status == 1
    entry = json.loads((tmp_path / "out").read_text().splitlines()[1])
    assert "verbsperf wrote no document" in entry["error"]
    night, = history.read([str(tmp_path / "all")])
    assert [one.failed for one in night.points.values()] == [1]
    assert not command.Unread.some


@pytest.mark.parametrize("number", writer.NO_LOCKS)
def test_file_systems_without_locks(tmp_path, monkeypatch, capsys, number):
    def flock(_fd, _how):
        raise OSError(number, os.strerror(number))
    monkeypatch.setattr(fcntl, "flock", flock)
    path = str(tmp_path / "all")
    history.append(path, months([50]))
    history.append(path, months([51, 52])[1:])
    assert len(history.read([path])) == 2
    err = capsys.readouterr().err
    assert err.count(f"{path}: no locks in this file system") == 2
    number = errno.EIO
    with pytest.raises(Refused, match="cannot lock: Input/output error"):
        history.append(path, months([50]))


def test_several_that_append_at_once(tmp_path):
    path = str(tmp_path / "all")
    code = ("import json, sys; from verbsperf.history import file\n"
            "for line in json.loads(sys.argv[2]):\n"
            "    file.append(sys.argv[1], [line])")
    four = [subprocess.Popen(
        [sys.executable, "-B", "-c", code, path,
         json.dumps([night(i, {"gbps": [50]}, target=name)
                     for i in range(20)])],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)}) for name in "abcd"]
    assert [one.wait(300) for one in four] == [0] * 4
    assert len(history.read([path])) == 80 and not command.Unread.some


def test_a_line_is_written_at_once(tmp_path, monkeypatch):
    written = []
    lines = writer.Lines(str(tmp_path / "x"), formats.SWEEP, "sweep", "")
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: written.append(data)
                        or write(fd, data))
    lines.append({"a": "x" * 100000})
    lines.close()
    assert len(written) == 1 and written[0].endswith(b"\n")


# --- what a command ends with ---

def to(stdout, script, *arguments, **more):
    """SCRIPT's (status, stderr), while it writes to STDOUT."""
    done = subprocess.run(
        [sys.executable, SCRIPTS / script, *map(str, arguments)],
        stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=300,
        check=False, stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stderr


@pytest.fixture
def written(results, write, write_suite):
    """Command lines that write to stdout."""
    one, two = (write(name, [document()]) for name in ("a.json", "b.json"))
    suite = write_suite("write_bw:")
    faults = results.parent / "faults"
    faults.write_text("#!/bin/sh\n[ \"$1\" = faults ] && exec printf "
                      "'case\\ttest\\toptions\\trequester\\tresponder\\t"
                      "what\\nx\\twrite_bw\\t\\tok\\tok\\tx\\n'\n"
                      f"exec {FAKE} \"$@\"\n")
    faults.chmod(0o755)
    return [("verbsperf-cluster", results), ("verbsperf-compare", one, two),
            ("verbsperf-compare", "--nics", one, two), ("verbsperf-plot", one),
            ("verbsperf-sweep", one), ("verbsperf-sweep", "--list", suite),
            ("verbsperf-sweep", "--format", "json", one),
            ("verbsperf-selftest", "--verbsperf", faults, "x"),
            ("verbsperf-plot", "--version"),
            *((f"verbsperf-{name}", "--help") for name in COMMANDS)]


ENVIRONMENT = {**os.environ, "VERBSPERF": str(FAKE),
               "PATH": f"{os.path.dirname(os.environ['FAKE_REAL'])}:"
                       f"{os.environ['PATH']}"}


def test_stdout_that_is_full(written):
    for words in written:
        with open("/dev/full", "w", encoding="ascii") as full:
            assert to(full, *words, env=ENVIRONMENT) == (
                1, f"{words[0]}: error: cannot write to stdout: No space left "
                "on device\n"), words


def test_stdout_that_nobody_reads(written):
    """As of others: it ends without a word."""
    for words in written[1::4]:
        read, write = os.pipe()
        os.close(read)
        try:
            assert to(write, *words, env=ENVIRONMENT) == (
                -signal.SIGPIPE, ""), words
        finally:
            os.close(write)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_nobody_expected_is_no_verdict(name, monkeypatch, capsys):
    def wrong():
        raise KeyError("x")
    monkeypatch.setattr(f"verbsperf.commands.{name}.main", wrong)
    monkeypatch.setattr(sys, "argv", [f"verbsperf-{name}"])
    with pytest.raises(SystemExit) as ended:
        command.start(name)
    assert ended.value.code == 70
    assert "this is a bug, please report it: KeyError: 'x'" in refused(
        (70, "", capsys.readouterr().err.replace("Traceback", "")), 70)


@pytest.mark.parametrize("text", ("", "nothing\n", "case\ttest\n"))
def test_no_case_to_run_is_no_success(tmp_path, text):
    fake = tmp_path / "verbsperf"
    fake.write_text(f"#!/bin/sh\nprintf '{text}'\n")
    fake.chmod(0o755)
    refused(run("verbsperf-selftest", "--verbsperf", fake, "x"), 1,
            "it lists no cases to run")
    refused(run("verbsperf-selftest", "--verbsperf", os.environ["FAKE_REAL"],
                "--only", "", "x"), 2, "no such case")


def test_a_busy_program_is_waited_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program, "ANSWERS_SOON", 0.05)
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\necho >>$0.log; sleep 1\n"
                    f"exec {os.environ['FAKE_REAL']} \"$@\"\n")
    slow.chmod(0o755)
    for _ in range(2):
        assert program.examine(str(slow), 300).tests
    assert (tmp_path / "slow.log").read_text() == "\n"
    assert capsys.readouterr().err.endswith(
        f": waiting up to 300 s for an answer of '{slow} --dump-options'\n")
    with pytest.raises(Refused, match="--dump-options: no answer in 0.2 s"):
        program.examine(str(slow), 0.2)


def test_more_rounds_in_the_file_than_asked_for(sweep, write_suite):
    suite = write_suite("write_bw: --size 64,4K\n")
    words = (suite, "a=x", "b=y")
    assert sweep("-o", "out", "--rounds", 4, *words,
                 env={"FAKE_DOWN": "y"})[0] == 1
    status, _, err = sweep("-o", "out", "--rounds", 3, *words)
    assert status == 0
    found = re.findall(r"round (\d): (\d+) of (\d+), 0 failed, about (\d+) s",
                       err)
    assert [one[:3] for one in found] == [
        ("1", "10", "14"), ("2", "12", "14"), ("3", "14", "14")]
    assert found[-1][3] == "0"


def test_no_signal_is_lost_after_a_fork():
    """What logging does then would swallow the exception of one."""
    code = "import verbsperf.commands.sweep, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True,
        check=True, env={**os.environ, "PYTHONPATH": str(SCRIPTS)})
    assert not {"logging", "asyncio"} & set(done.stdout.split())
