"""Which kernel verbsperf-lab --kernel means."""
import subprocess

import pytest

from conftest import SCRIPTS

# As Debian names them.
KNOWN = [f"linux-image-{name}" for name in (
    "6.1.0-56-amd64", "6.12.9+deb13-amd64", "6.12.107+deb13-amd64",
    "6.12.107+deb13-amd64-unsigned", "6.12.107+deb13-cloud-amd64",
    "6.12.108+deb13-rt-amd64", "7.2.11+deb13-amd64", "amd64", "cloud-amd64")]


@pytest.mark.parametrize("wrong", ["", "newest", "amd64", "6/12",
                                   "linux-image-", "linux-image-amd64"])
def test_not_a_version(wrong):
    done = subprocess.run(
        [SCRIPTS / "verbsperf-lab", "--kernel", wrong, "--", "true"],
        check=False, text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("verbsperf-lab: --kernel needs a version as 6.12, "
                           f"not '{wrong}'; see --help\n")


@pytest.mark.parametrize("version, found", [
    ("6.1", "6.1.0-56-amd64"), ("6.12", "6.12.107+deb13-amd64"),
    ("6", "6.12.107+deb13-amd64"), ("7", "7.2.11+deb13-amd64"),
    ("6.12.9+deb13-amd64", "6.12.9+deb13-amd64"), ("6.13", "")])
def test_newest_of_a_version(version, found):
    script = f". {SCRIPTS}/lab/image; kernel={version}; pick_kernel"
    done = subprocess.run(["bash", "-c", script], input="\n".join(KNOWN) + "\n",
                          check=True, text=True, capture_output=True)
    assert done.stdout.strip() == found
