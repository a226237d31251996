"""What the command line says to those who mistype it; no device needed."""

import os
import re

import pytest

from lab import BINARY, IN_LAB, Program, failed, succeeded

pytestmark = pytest.mark.dialogue

VALUED = ("-d", "-i", "-x", "-p", "-s", "-n", "-D", "-q", "-t", "-r", "-Q",
          "-m", "-u", "-o", "-S", "--warmup", "--timeout", "--bind",
          "--title", "--walk", "--max-memory", "--device", "--size", "--qps")

BAD_VALUES = (
    ("-s", "abc"), ("-s", "-1"), ("-s", "4X"), ("-s", "8..2"), ("-s", ""),
    ("-s", "3G"), ("-s", "64,"), ("-s", "99999999999999999999"), ("-n", "0"),
    ("-n", "1.5"), ("-n", "ten"), ("-D", "x"), ("-D", "2d"), ("-D", "1.x"),
    ("-q", "0"), ("-q", "16385"), ("-q", "0x"), ("-t", "0"), ("-t", "-5"),
    ("-r", "0"), ("-Q", "0"), ("-m", "1000"), ("-m", "8192"), ("-u", "32"),
    ("-o", "0"), ("-o", "256"), ("-S", "16"), ("-p", "65536"), ("-p", "http"),
    ("-x", "256"), ("-x", "first"), ("-i", "0"), ("-i", "256"),
    ("--warmup", "-1"), ("--timeout", "0.5"), ("--timeout", "soon"),
    ("--walk", "4Q"), ("--wait", "later"), ("-l", "0"), ("-l", "1025"),
    ("--post", "fast"), ("--threads", "0"), ("--threads", "65"),
    ("--interval", "9ms"), ("--interval", "0"), ("--percentiles", "100"),
    ("--percentiles", "0"), ("--percentiles", "99.99999"),
    ("--percentiles", "50,"), ("--cpus", "65536"), ("--cpus", "3-1"),
    ("--cpus", "0-64"), ("--clock", "tsc"), ("--min-gbps", "nan"),
    ("--min-mpps", "0"), ("--max-p50", "-1"), ("--max-p99.9", "1e10"),
    ("--max-lost", "101"))

MISTAKES = (
    (["frobnicate"], ["frobnicate", "write_bw", "serve", "devices"]),
    (["write_bw", "--frob", "h"], ["--frob"]),
    (["write_bw", "-Z", "h"], ["-Z"]),
    (["write_bw", "--qps=2", "-z", "h"], ["-z"]),
    (["write_bw", "a", "b"], ["'b'"]),
    (["serve", "a"], ["'a'"]),
    (["devices", "a"], ["'a'"]),
    (["write_bw", "-n", "5", "-D", "5", "h"], ["--iterations", "--duration"]),
    (["write_bw", "-D", "0", "h"], ["--duration 0"]),
    (["write_bw", "-t", "8", "-Q", "9", "h"], ["--cq-mod 9", "--tx-depth"]),
    (["write_lat", "-s", "0", "h"], ["--size 0"]),
    (["atomic_bw", "-s", "0", "h"], ["--size 0", "8 bytes"]),
    (["read_lat", "-c", "UC", "h"], ["--transport UC", "RC and XRC only"]),
    (["write_lat", "-q", "2", "h"], ["--qps 2", "latency"]),
    (["write_lat", "--threads", "2", "h"], ["--threads 2", "latency"]),
    (["write_lat", "-l", "2", "h"], ["--post-list 2", "latency"]),
    (["write_lat", "--interval", "1", "h"], ["--interval", "bandwidth"]),
    (["write_bw", "--histogram", "h"], ["--histogram", "latency"]),
    (["write_bw", "--percentiles", "9", "h"], ["--percentiles", "latency"]),
    (["write_bw", "--samples", "x", "h"], ["--samples", "latency"]),
    (["write_lat", "--min-gbps", "1", "h"], ["--min-gbps", "bandwidth"]),
    (["write_bw", "--max-p99.9", "1", "h"], ["--max-p99.9", "latency"]),
    (["send_bw", "--max-lost", "1", "h"], ["--max-lost", "UC and UD"]),
    (["read_lat", "--round-trip", "h"], ["--round-trip", "ping-pong"]),
    (["write_bw", "--round-trip", "h"], ["--round-trip", "ping-pong"]),
    (["write_bw", "--threads", "2", "h"], ["--threads 2", "--qps"]),
    (["write_bw", "-t", "8", "-l", "9", "h"], ["--post-list 9", "depth"]),
    (["write_bw", "-q", "2", "--threads", "2", "--cpus", "0", "h"],
     ["--cpus", "--threads 2"]),
    (["calibrate", "a"], ["'a'"]),
    (["calibrate", "-n", "4"], ["--iterations"]),
    (["serve", "--threads", "2"], ["--threads", "client"]),
    (["write_bw", "-p", "0", "h"], ["--port 0"]),
    (["write_bw", "--loopback", "h"], ["--loopback", "'h'"]),
    (["write_bw", "--once", "h"], ["--once", "server"]),
    (["write_bw", "--max-memory", "1G", "h"], ["--max-memory", "server"]),
    (["serve", "-s", "64"], ["--size", "client"]),
    (["serve", "--max-memory", "0"], ["--max-memory 0"]),
    (["serve", "--wait"], ["--wait", "client"]),
    (["devices", "-n", "4"], ["--iterations"]),
    (["serve", "--once=0"], ["--once 0"]),
    (["serve", "--once=now"], ["--once 'now'", "forever"]),
    (["serve", "--once", "2"], ["--once", "--once=2"]),
    (["write_bw", "--loopback=yes"], ["--loopback", "value"]),
)


def test_nothing_at_all_is_answered_with_what_there_is():
    program = Program().wait()
    assert program.status == 2
    assert program.err == "" and "verbsperf serve" in program.out
    assert len(program.out.splitlines()) <= 12, program.out


@pytest.mark.parametrize("args,texts", MISTAKES,
                         ids=[" ".join(args) for args, _ in MISTAKES])
def test_mistake_is_a_usage_error(args, texts):
    program = Program(*args)
    failed(program, *texts, status=2)
    assert program.out == ""


@pytest.mark.parametrize("option,value", BAD_VALUES)
def test_bad_value_is_named_with_its_option(option, value):
    given = [f"{option}={value}"] if option == "--wait" else [option, value]
    program = Program("write_bw", *given, "somewhere")
    # -m 1000 is a number, but no MTU: a later rule, which says --mtu
    failed(program, "--mtu" if value == "1000" else option,
           re.escape(value), status=2)


@pytest.mark.parametrize("option", VALUED)
def test_missing_value_is_named(option):
    failed(Program("write_bw", option), option, "needs a value", status=2)


def test_usage_names_every_test_and_goes_to_stdout():
    program = succeeded(Program("--help"))
    for word in ("write_bw", "write_lat", "send_bw", "send_lat", "read_bw",
                 "read_lat", "serve", "devices", "calibrate", "--json",
                 "Exit status"):
        assert word in program.out
    assert program.err == ""


def test_usage_fits_a_terminal():
    lines = succeeded(Program("-h")).out.splitlines()
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("args", (["write_bw", "-h"], ["serve", "--help"]))
def test_help_works_after_a_command(args):
    assert "Usage:" in succeeded(Program(*args)).out


@pytest.mark.parametrize("option", ("-V", "--version"))
def test_version_tells_the_protocol(option):
    out = succeeded(Program(option)).out
    assert re.fullmatch(r"verbsperf \S+, protocol \d+\n", out)


def test_help_to_a_full_disk_fails():
    with open("/dev/full", "w") as full:
        failed(Program("--help", stdout=full), "stdout", "No space left")


def test_name_it_is_called_by_is_its_test(tmp_path):
    link = tmp_path / "ib_write_bw"
    link.symlink_to(BINARY)
    failed(Program("-q", "0", "h", argv0=[str(link)]), "-q 0", status=1)


@pytest.mark.skipif(IN_LAB, reason="in the lab there is a device")
def test_without_a_device_it_says_how_to_get_one():
    for command in (["serve"], ["devices"], ["write_bw", "127.0.0.1"]):
        failed(Program(*command, env=dict(os.environ)), "RDMA device",
               "rdma link add")
