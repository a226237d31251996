"""A device of AWS EFA: it is named so, UD runs on it by its GID, and what it lacks
is refused by that name."""
import json

import pytest

from documents import measured
from lab import Program, failed, loopback, succeeded

pytestmark = pytest.mark.usefixtures("data")


@pytest.fixture(autouse=True)
def efa(monkeypatch):
    monkeypatch.setenv("FAKE_LINK", "efa")


def test_its_kind():
    port = json.loads(succeeded(Program("devices", "--json")).out)["ports"][0]
    assert port["link_layer"] == "unspecified"
    assert "efa" in port["port_kind"] and port["lid"] is None
    assert port["gids"][0]["chosen"]
    text = succeeded(Program("devices")).out
    assert "efa" in text and "LID" not in text and "InfiniBand" not in text


@pytest.mark.parametrize("line", ("send_bw", "send_bw -b -q 4 -l 4 -x 0",
                                  "send_lat --imm", "send_bw --post legacy"))
def test_datagrams(line):
    document = measured(loopback(*line.split(), "-c", "UD", "-D", 0.2,
                                 "--json"))
    assert document["client"]["gid_index"] == 0
    assert document["client"]["lid"] is None
    assert document["results"][0]["cq_mod"] == 1


@pytest.mark.parametrize("line, lacking", (
    ("write_bw --loopback", "RC"), ("send_bw -c UC --loopback", "UC"),
    ("atomic_lat --loopback", "atomics"), ("create_qp", "RC"),
    ("send_bw -c UD -Q 16 --loopback", "--cq-mod"),
    ("send_bw -c UD --rdma-cm --loopback", "--rdma-cm")))
def test_what_it_lacks(line, lacking):
    said = failed(Program(*line.split()), "EFA", lacking)
    assert "subnet manager" not in said


def test_checks():
    program = Program("send_bw", "-c", "UD", "--loopback", "--check").wait()
    assert "efa" in program.out and "LID" not in program.out
    assert "subnet manager" not in Program("check").wait().out
