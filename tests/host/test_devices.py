"""Devices of which some cannot be opened, as in a container."""
import json

import pytest

from lab import Program, failed, succeeded

REASON = "broken0: cannot open /dev/infiniband/uverbs900: No such file"
QUICK = ("-n", 100, "--warmup", 0)


@pytest.fixture(autouse=True)
def broken_device(monkeypatch, tmp_path):
    """The first of two devices does not open; this machine's do not count."""
    monkeypatch.setenv("FAKE_BROKEN_DEVICE", "1")
    monkeypatch.setenv("SYSFS_PATH", str(tmp_path))


def unlisted_device(sysfs):
    """One that libibverbs leaves out, because it has no file."""
    (sysfs / "class/infiniband/rxe7").mkdir(parents=True)
    verbs = sysfs / "class/infiniband_verbs/uverbs907"
    verbs.mkdir(parents=True)
    (verbs / "ibdev").write_text("rxe7\n")


def test_the_others_are_shown():
    program = succeeded(Program("devices"))
    lines = program.out.splitlines()
    assert lines[0].startswith(REASON)
    assert lines[1].startswith("  -> ")
    assert lines[2].startswith("fake0 port 1: ACTIVE")
    assert program.err == ""


def test_one_that_libibverbs_leaves_out_is_shown(tmp_path):
    unlisted_device(tmp_path)
    program = succeeded(Program("devices"))
    assert "fake0 port 1: ACTIVE" in program.out
    assert "\nrxe7: cannot open /dev/infiniband/uverbs907: " in program.out


def test_all_as_json(tmp_path):
    unlisted_device(tmp_path)
    path = tmp_path / "devices.json"
    program = succeeded(Program("devices", "--json"))
    found = {port["device"]: port for port in json.loads(program.out)["ports"]}
    assert program.err == "" and set(found) == {"broken0", "rxe7", "fake0"}
    assert found["fake0"]["state"] == "ACTIVE" and not found["fake0"]["error"]
    assert [gid["chosen"] for gid in found["fake0"]["gids"]].count(True) == 1
    assert found["broken0"]["error"]["message"].startswith(REASON)
    assert found["rxe7"]["port"] is None and found["rxe7"]["gids"] == []
    # beside the text
    program = succeeded(Program("devices", f"--json={path}"))
    assert "fake0 port 1: ACTIVE" in program.out
    assert len(json.loads(path.read_text())["ports"]) == 3


def test_no_topology_of_a_device_that_is_not_there():
    """No device is opened; this machine may have others, or none."""
    said = failed(Program("devices", "--topology", "-d", "none0"))
    assert ("--device none0: not found" in said
            or "there is no RDMA device on this machine" in said)


def test_none_that_can_be_used():
    failed(Program("devices", "-d", "broken0"), REASON, "container")
    program = Program("devices", "-i", 2)
    failed(program, "none of the RDMA devices can be used")
    assert REASON in program.out
    assert "fake0 has ports 1 to 1" in program.out


def test_a_test_takes_one_that_opens():
    assert "fake0" in succeeded(Program("write_bw", "--loopback", *QUICK)).out


def test_a_test_says_why_the_one_it_is_told_to_use_does_not_open():
    failed(Program("write_bw", "--loopback", "-d", "broken0"), REASON)
