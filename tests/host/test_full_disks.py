"""A document that cannot be written leaves the one before as it was."""
import json
import os
import resource
import stat
import subprocess

import pytest

from lab import Server, client, deadline, failed, loopback, succeeded

QUICK = ("-n", 100, "--warmup", 0)
BEFORE = "what was here before"


def limit_files():
    """As on a disk that is full, for whoever writes more than that."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


def run(path, **popen):
    return loopback("write_bw", *QUICK, f"--json={path}", **popen)


def run_on_a_full_disk(path, tmp_path):
    """Its own output is in no file."""
    with open(tmp_path / "err", "w+") as err:
        program = run(path, preexec_fn=limit_files, stdout=subprocess.PIPE,
                      stderr=err)
        out = program.process.stdout.read()
        program.wait()
        assert program.status == 1 and b"#bytes" in out
        err.seek(0)
        assert f"cannot write {path}: File too large" in err.read()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "out" / "json"
    path.parent.mkdir()
    path.write_text(BEFORE)
    return path


def is_document(path):
    return json.loads(path.read_text())["schema"] == "verbsperf/1"


def alone(path):
    return os.listdir(path.parent) == [path.name]


def test_a_full_disk_leaves_what_was_there(path, tmp_path):
    run_on_a_full_disk(path, tmp_path)
    assert path.read_text() == BEFORE and alone(path)


def test_a_full_disk_leaves_nothing_new(path, tmp_path):
    path.unlink()
    run_on_a_full_disk(path, tmp_path)
    assert not os.listdir(path.parent)


def test_a_killed_run_leaves_what_was_there(path):
    for name in path, path.parent / "other":
        program = loopback("write_bw", "-D", 60, f"--json={name}")
        program.wait_for_traffic()
        program.kill()
        assert path.read_text() == BEFORE and alone(path)


def test_a_run_that_cannot_begin_leaves_rows_until_there_are_others(path):
    program = client("write_bw", "--wait=20", f"--csv={path}", port=1)
    program.wait_for("waiting for")
    assert path.read_text() == BEFORE
    program.kill()


def test_a_server_replaces_rows(path):
    server = Server(f"--csv={path}")
    succeeded(client("write_bw", *QUICK, port=server.port))
    deadline(20, lambda: path.read_text().startswith("started,"), "rows")
    assert alone(path)


def test_a_file_keeps_its_rights(path):
    path.chmod(0o640)
    succeeded(run(path))
    assert is_document(path) and alone(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_rights(path):
    path.unlink()
    succeeded(run(path, umask=0o027))
    assert is_document(path) and alone(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files away")
def test_a_file_keeps_its_owner(path):
    os.chown(path, 12345, 12345)
    succeeded(run(path))
    assert is_document(path) and path.stat().st_uid == 12345


def test_a_link_remains_one(path):
    link = path.parent.parent / "link"
    link.symlink_to(path)
    succeeded(run(link))
    assert link.is_symlink() and is_document(path) and alone(path)


def test_a_link_to_nothing_makes_a_file(path):
    path.unlink()
    link = path.parent.parent / "link"
    link.symlink_to(path)
    succeeded(run(link))
    assert link.is_symlink() and is_document(path)


def test_all_names_of_a_file_have_the_document(path):
    other = path.parent.parent / "other"
    os.link(path, other)
    succeeded(run(path))
    assert other.samefile(path) and is_document(other)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another")
def test_a_file_in_a_folder_that_cannot_be_written(path):
    path.chmod(0o666)
    for folder in path.parents:
        folder.chmod(folder.stat().st_mode | 0o055)
    succeeded(run(path, user=12345, group=12345, extra_groups=[]))
    assert is_document(path) and alone(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another")
def test_a_file_that_cannot_be_written_in_a_folder_that_can(path):
    path.chmod(0o444)
    for folder in path.parents:
        folder.chmod(folder.stat().st_mode | 0o055)
    path.parent.chmod(0o777)
    failed(run(path, user=12345, group=12345, extra_groups=[]),
           "json: Permission denied")
    assert path.read_text() == BEFORE


def test_devices_are_written_as_ever(tmp_path):
    failed(run("/dev/full"), "/dev/full: No space left")
    succeeded(run("/dev/null"))
    with open(tmp_path / "out", "w+") as out:
        program = run("/dev/stdout", stdout=out)
        program.wait()
        assert program.status == 0
        out.seek(0)
        assert '"verbsperf/1"' in out.read()
