"""The unit verbsperf.service under a systemd that has a part of the guest.  The
first of all files: nothing else has used the port that the unit uses."""

import os
import pathlib
import re
import shutil
import socket
import subprocess

import pytest

from lab import (BINARY, DEVICE, PATIENCE, PATIENT, QUICK, Program, deadline,
                 failed, needs_lab, succeeded)

SYSTEMD = "/lib/systemd/systemd"
PORT = 18515
pytestmark = [needs_lab, pytest.mark.skipif(
    not os.path.exists(SYSTEMD), reason="there is no systemd")]

UNIT = (pathlib.Path(__file__).resolve().parents[3]
        / "scripts/verbsperf.service.in")
# With a key, as the unit says one is given; and of the rest of a system that
# is started nothing is here.
LOCAL = """[Unit]
DefaultDependencies=no
After=
[Service]
LoadCredential=key:{folder}/key
ExecStart=
ExecStart=/usr/local/bin/verbsperf serve $VERBSPERF_OPTIONS --key-file %d/key
"""
# What systemd needs to write to, as the first process of its own.
START = """set -e
mount --make-rshared /
mount -t proc proc /proc
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /var/tmp
mount --bind {folder}/bin /usr/local/bin
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/systemd/system/verbsperf.service.d
cp {unit} /run/systemd/system
cp {folder}/local.conf /run/systemd/system/verbsperf.service.d
export SYSTEMD_UNIT_PATH=/run/systemd/system SYSTEMD_GENERATOR_PATH=/none
exec env container=lab {systemd} --system --unit=verbsperf.service \\
	--log-target=console
"""


def listens():
    """To ask systemd instead takes so long that little is left for it."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", PORT)) == 0


class Service:
    """The unit, and the namespaces that it is in."""

    def __init__(self, folder):
        self.key = folder / "key"
        unit = folder / "verbsperf.service"
        unit.write_text(UNIT.read_text().replace("@bindir@", "/usr/local/bin"))
        words = {"folder": folder, "unit": unit, "systemd": SYSTEMD}
        (folder / "bin").mkdir()
        shutil.copy(shutil.which(BINARY) or BINARY, folder / "bin/verbsperf")
        (folder / "local.conf").write_text(LOCAL.format(**words))
        (folder / "start").write_text(START.format(**words))
        self.key.write_bytes(os.urandom(32))
        self.key.chmod(0o600)
        self.outer = Program("--pid", "--fork", "--mount", "--kill-child",
                             "sh", folder / "start", argv0=("unshare",))
        self.outer.shared = True
        try:
            deadline(PATIENCE, listens, f"somebody listens: {self.outer}")
        except pytest.fail.Exception as error:
            error.msg += self.run("systemctl", "status", "verbsperf")
            raise

    def run(self, *command):
        """In the namespaces; what it prints."""
        inner = self.outer.children()
        return subprocess.run(
            ["nsenter", "-t", str(*inner), "-p", "-m", "-r", "-w", *command],
            capture_output=True, text=True, timeout=PATIENCE,
            check=False).stdout if inner else ""

    def show(self, name):
        return self.run("systemctl", "show", "-P", name,
                        "verbsperf").strip()

    def client(self, test, *args, key=True):
        keys = ("--key-file", self.key) if key else ()
        return Program(test, "-d", DEVICE, *args, *keys, "127.0.0.1")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("service"))
    yield service
    service.outer.kill()


def test_serves_those_who_have_the_key(service):
    assert service.show("ActiveState") == "active"
    succeeded(service.client("write_bw", *QUICK, "-s", "1M"))
    failed(service.client("write_bw", *QUICK, key=False), "--key-file")


def test_has_no_rights(service):
    pid = service.show("MainPID")
    status = service.run("cat", f"/proc/{pid}/status")
    found = dict(re.findall(r"(\w+):\s+(\w+)", status))
    assert int(found["Uid"]) > 0
    for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(found[name], 16) == 0
    assert found["NoNewPrivs"] == "1" and found["Seccomp"] == "2"


def test_is_started_again_when_killed(service):
    before = service.show("MainPID")
    service.run("systemctl", "kill", "-s", "KILL", "verbsperf")
    succeeded(service.client("send_lat", "--wait", *QUICK))
    assert service.show("MainPID") not in (before, "0")


def test_stop_tells_the_client(service):
    program = service.client("write_bw", "-D", 60, *PATIENT)
    program.wait_for_traffic()
    service.run("systemctl", "stop", "verbsperf")
    failed(program, "the server: interrupted by SIGTERM")
    assert service.show("Result") == "success"
