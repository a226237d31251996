"""verbsperf check: one end, without a server."""
import json

import pytest

import documents
from lab import Program, succeeded


def test_facts_findings_and_verdict():
    program = succeeded(Program("check"))
    lines = program.out.splitlines()
    assert lines[0] == "  host"
    assert any(line.startswith("    kernel ") for line in lines)
    assert any(line.split()[:3] == ["check", "this", "host"] for line in lines)
    assert "  state  " in program.out
    assert "client" not in program.out and "server" not in program.out
    assert lines[-1].startswith("this host can run tests")
    assert program.err == ""


def test_document():
    program = succeeded(Program("check", "--json", "--title", "x"))
    document = documents.parse(program.out)
    assert document["test"]["name"] is None
    assert document["environment"]["client"]["kernel"]
    assert document["environment"]["server"] is None
    assert document["server"]["device"] is None
    assert document["title"] == "x" and not document["results"]
    assert "this host can run tests" in program.err


@pytest.mark.parametrize("options", [("-d", "none0"), ("-i", 9)])
def test_without_the_device(options):
    """What is known of the host is shown all the same."""
    program = Program("check", "--json", *options).wait()
    assert program.status == 1 and f" {options[1]}: " in program.err
    document = json.loads(program.out)
    assert document["environment"]["client"]["kernel"]
    assert document["error"]["stage"] == "device"
    assert document["preflight"][0]["verdict"] == "error"


def test_what_the_test_would_need():
    """This machine has no such memory."""
    program = Program("check", "--hugepages", "--size", "2G", "--qps", 1000)
    program.wait()
    assert program.status == 1
    assert "\nX free huge pages: this host's kernel has " in program.out
    assert "costs: the memory of the messages cannot be allocated" in (
        program.out)
    assert "this host cannot run tests: " in program.err


@pytest.mark.parametrize("options, message", [
    (("host",), "unexpected argument 'host'"),
    (("--duration", 2), "--duration: not for check"),
    (("--tclass", 4, "--dscp", 1), "--tclass 4 and --dscp 1")])
def test_usage(options, message):
    program = Program("check", *options).wait()
    assert program.status == 2 and message in program.err, str(program)
