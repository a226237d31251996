"""Files that are named, and text: what does not do is said at once."""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import pytest

from lab import (BINARY, DEVICE, Program, Server, client, complained,
                 environment, failed, loopback, serves, succeeded)

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
QUICK = ("-n", 100, "--warmup", 0)
SECRET = b"a secret of sixteen bytes or more\n"


@pytest.mark.parametrize("option", ("--samples", "--key-file"))
@pytest.mark.parametrize("form", ("{}=-", "{} -"))
def test_file_named_dash_is_refused(option, form, tmp_path):
    program = loopback("read_lat", *QUICK, *form.format(option).split(),
                       cwd=tmp_path)
    failed(program, f"{option} -: expected a file, not stdin or stdout; "
           r"write \./- for a file", status=2)
    assert not os.listdir(tmp_path)


def test_file_in_this_folder_may_be_named_dash(tmp_path):
    succeeded(loopback("read_lat", *QUICK, "--samples=./-", cwd=tmp_path))
    assert os.listdir(tmp_path) == ["-"]


@pytest.mark.parametrize("title", (b"\xff", b"a\x80z", b"\xed\xa0\x80"))
def test_title_that_is_not_utf8_is_refused(title):
    done = subprocess.run([BINARY, "calibrate", b"--title=" + title],
                          capture_output=True)
    assert done.returncode == 2
    assert b"--title: not valid UTF-8" in done.stderr


def test_title_is_utf8():
    program = succeeded(loopback("write_bw", *QUICK, "--json",
                                 "--title=naïve 測試"))
    assert json.loads(program.out)["title"] == "naïve 測試"


def test_failure_of_a_name_that_is_not_utf8_has_a_message(tmp_path):
    """The name is no text: its bytes are replaced, not the sentence."""
    path = os.fsencode(tmp_path) + b"/\xff/samples"
    done = subprocess.run(
        [BINARY, "read_lat", "-d", DEVICE, "--loopback", "--json",
         b"--samples=" + path],
        env={**os.environ, "LD_PRELOAD": os.environ["VERBSPERF_PRELOAD"]},
        capture_output=True)
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert "/?/samples: No such file" in error["message"]


def limit_files(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("test,option", (
    ("read_lat", "--samples=samples"), ("write_bw", "--json=json"),
    ("write_bw", "--json-lines=lines"), ("write_bw", "--csv=csv")))
def test_file_that_may_not_grow_is_an_error(test, option, tmp_path):
    with open(tmp_path / "err", "w+") as err:
        program = loopback(test, "-n", 1000, "--warmup", 0, option,
                           cwd=tmp_path, stderr=err, stdout=subprocess.PIPE,
                           preexec_fn=lambda: limit_files(300))
        out = program.process.stdout.read().decode()
        program.wait()
        err.seek(0)
        name = option.split("=")[1]
        assert f"{name}: File too large" in err.read()
    assert program.status == 1
    assert "#bytes" in out      # the table is not lost


def test_server_outlives_a_file_that_may_not_grow(tmp_path):
    server = Server(preexec_fn=lambda: limit_files(4096),
                    stdout=open(tmp_path / "out", "w"))
    for _ in range(12):
        succeeded(client("write_bw", *QUICK, port=server.port))
    server.wait_for("cannot write to stdout: File too large")
    assert "signal" not in server.err
    assert server.status is None


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(SECRET)
    path.chmod(0o600)
    return path


def serve_with(key, mode, owner=None):
    key.chmod(mode)
    if owner is not None:
        os.chown(key, owner, -1)
    return Program("serve", "-d", DEVICE, "-p", 0, "--key-file", key)


@pytest.mark.parametrize("mode", (0o660, 0o620))
def test_key_that_others_can_write_is_refused(key, mode):
    failed(serve_with(key, mode), f"{key}: its group can write it")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files away")
def test_key_of_another_user_is_refused(key):
    failed(serve_with(key, 0o600, owner=12345),
           f"{key}: belongs to another user .12345.")


@pytest.mark.parametrize("mode", (0o400, 0o440, 0o600, 0o640))
def test_key_of_this_user_is_taken(key, mode):
    key.chmod(mode)
    server = Server("--key-file", key)
    succeeded(client("write_bw", *QUICK, "--key-file", key, port=server.port))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another")
def test_key_of_root_is_taken_by_another():
    """As systemd gives a service its credentials.  Not in tmp_path: what lies
    above it is made private by whichever pytest starts next."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        key = pathlib.Path(folder, "key")
        key.write_bytes(SECRET)
        key.chmod(0o440)
        os.chown(key, 0, 12345)
        program = client("write_bw", "--key-file", key, port=1,
                         user=12345, group=12345, extra_groups=[])
        program.wait()
    assert "--key-file" not in program.err, str(program)


def test_refusal_does_not_tell_who_is_allowed():
    server = Server("--allow", "10.9.8.0/24,127.0.0.2")
    line = failed(client("write_bw", *QUICK, port=server.port),
                  "the server: this server accepts no clients from 127.0.0.1 "
                  r"port \d+ \(--allow\)")
    assert "10.9.8.0" not in line and "127.0.0.2" not in line
    complained(server, r"from 127.0.0.1 port .*10\.9\.8\.0/24,127\.0\.0\.2")
    succeeded(client("write_bw", *QUICK, "--bind", "127.0.0.2",
                     port=server.port))


@pytest.mark.parametrize("option", ("--openmetrics={}",
                                    "--format=openmetrics={}"))
def test_gauges_can_be_read_by_all(option, tmp_path):
    """Whatever the umask is, and of a run that fails, too."""
    path = tmp_path / "rdma.prom"
    for words, up in ((QUICK, 1), (("--device", "none"), 0)):
        done = subprocess.run(
            ["bash", "-c", 'umask 077; exec "$@"', "bash", BINARY, "write_bw",
             "-d", DEVICE, "--loopback", *map(str, words),
             option.format(path)], env=environment(), check=False,
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 - up, done
        text = path.read_text()
        assert path.stat().st_mode & 0o777 == 0o644
        assert re.search(rf"^verbsperf_up{{.*}} {up}$", text, re.M), text
        assert text.endswith("# EOF\n")
        assert ("#bytes" in done.stdout) == bool(up)
    assert os.listdir(tmp_path) == ["rdma.prom"]


def test_gauges_are_those_of_a_sweep(tmp_path):
    """One collector reads both, and refuses two helps for one name."""
    sys.path.insert(0, str(TOP / "scripts"))
    from verbsperf.forms import reports
    text = loopback("write_bw", *QUICK, "--min-gbps=1e-6",
                    "--openmetrics").wait().out
    found = dict(re.findall(r"^# HELP (\w+) (.*)$", text, re.M))
    shared = set(found) & set(reports.HELP)
    assert {"verbsperf_bandwidth_bytes_per_second", "verbsperf_limit_asked",
            "verbsperf_limit_verdict"} <= shared
    assert all(found[name] == reports.HELP[name] for name in shared)
