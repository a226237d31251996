"""Limits that the user sets: the exit status, the sentences, the JSON."""

import json
import re

import pytest

from documents import parse
from lab import (QUICK, client, failed, free_port, loopback, needs_device,
                 succeeded)

pytestmark = [needs_device, pytest.mark.data]

# No machine is as slow as that, and none as fast as that.
ALWAYS = {"--min-gbps": "0.000001", "--min-mpps": "0.000001",
          "--max-p50": "1000000000", "--max-p99": "1000000000"}
NEVER = {"--min-gbps": "1000000", "--min-mpps": "1000000",
         "--max-p50": "0.001", "--max-p99": "0.001"}
FEW = ("-n", 300, "--warmup", 0)


def words(limits):
    return [f"{name}={value}" for name, value in limits.items()]


def of_test(limits, test):
    kind = "--min" if test.endswith("_bw") else "--max"
    return {name: value for name, value in limits.items()
            if name.startswith(kind)}


def sentences(program):
    return re.findall(r"^verbsperf: limit not met: (.*)$", program.err, re.M)


@pytest.mark.parametrize("test", ("send_bw", "read_lat"))
def test_limits_that_are_met(test):
    limits = of_test(ALWAYS, test)
    program = succeeded(loopback(test, *FEW, "-s", "64,1K", *words(limits)))
    assert not sentences(program)
    assert re.search(r"^ limits: --.*: all met$", program.out, re.M)


@pytest.mark.parametrize("test", ("write_bw", "read_lat"))
def test_limits_that_are_not_met(test):
    """One sentence for each of them at each size, and all of the result."""
    limits = of_test(NEVER, test)
    program = loopback(test, *FEW, "-s", "64,1K", *words(limits), "--json")
    assert program.wait().status == 3 and not program.errors, str(program)
    document = parse(program.out)
    assert document["error"] is None and len(document["results"]) == 2
    said = sentences(program)
    assert len(said) == len(document["limits"]) == 4
    for text, one in zip(said, document["limits"]):
        assert not one["met"] and one["reason"] is None
        name, size = "--" + one["name"], one["size"]
        assert text.startswith(f"{name} {limits[name]}: ")
        assert text.endswith(f" {one['unit']} at size {size} on 1 QP")
        shown = float(text.split()[2])
        assert shown == pytest.approx(one["seen"], rel=1e-5)
    assert ": 4 of 4 not met\n" in program.err


def test_slowest_interval_is_judged():
    """It is said when it was, and what else happened; and so are percentages
    in Gb/s."""
    program = loopback("write_bw", "-D", 1, "-s", "1K", "--min-gbps", "0.1%",
                       "--min-interval-gbps", NEVER["--min-gbps"], "--json")
    assert program.wait().status == 3, str(program)
    document = parse(program.out)
    mean, slowest = document["limits"]
    assert mean["percent"] == 0.1 and slowest["percent"] is None
    link = document["client"]["rate_gbps"]
    assert 0.0005 * link < mean["asked"] < 0.001 * link
    assert re.search(r"[0-9] Gb/s at size 1024 on 1 QP, in the interval "
                     r"[0-9.]+-[0-9.]+ s$", sentences(program)[-1])
    assert slowest["seen"] <= document["results"][0]["bandwidth"]["gbps"]
    assert mean["meanwhile"] is None and slowest["meanwhile"]
    assert (f"\nverbsperf: meanwhile, at the client: {slowest['meanwhile']}\n"
            in program.err)


def test_one_size_of_several_is_enough():
    """The smaller one takes most devices too long."""
    program = loopback("write_bw", *FEW, "-s", "1,1K", "--min-gbps", "0.0001",
                       "--json").wait()
    met = [one["met"] for one in parse(program.out)["limits"]]
    assert len(met) == 2
    assert program.status == (0 if all(met) else 3)
    assert len(sentences(program)) == met.count(False)


def test_percentile_of_too_few_samples_is_not_met():
    program = loopback("write_lat", *QUICK, "--max-p50", "1000000000",
                       "--max-p99.9", "1000000000", "--json")
    assert program.wait().status == 3, str(program)
    median, tail = parse(program.out)["limits"]
    assert median["met"] and not tail["met"] and tail["seen"] is None
    assert sentences(program) == [
        "--max-p99.9 1000000000: cannot be judged at size 2 on 1 QP: 10 of "
        "the 2995 samples that it needs"]


@pytest.mark.parametrize("test", ("send_bw", "send_lat"))
def test_what_is_lost_is_judged(test):
    """A busy machine may take longer than one waits for a datagram."""
    program = succeeded(loopback(test, "-c", "UD", *QUICK, "-s", 64, "--json",
                                 "--max-lost", 100))
    one, = parse(program.out)["limits"]
    assert one["met"] and one["unit"] == "%"


def test_sum_of_both_directions_is_judged():
    program = loopback("write_bw", "-b", *FEW, "-s", 64, "--min-mpps",
                       NEVER["--min-mpps"], "--json")
    assert program.wait().status == 3, str(program)
    document = parse(program.out)
    row = document["results"][0]
    both = sum(d["bandwidth"]["mpps"] for d in row["directions"])
    assert document["limits"][0]["seen"] == pytest.approx(both)


def test_failure_is_more_than_a_limit():
    """No server, and so no result: 1, and what could not be judged."""
    program = client("write_bw", "-s", "64,4K,64K", "--min-gbps", 1, "--json",
                     port=free_port())
    failed(program, "cannot connect")
    document = parse(program.out)
    assert [one["seen"] for one in document["limits"]] == [None] * 3
    assert sentences(program) == [
        "--min-gbps 1: cannot be judged at size 64 and 2 more on 1 QP: the "
        "run ended before them"]


def test_server_judges_nothing(server, tmp_path):
    """It does not know what the client demands."""
    program = client("write_bw", *QUICK, *words(of_test(NEVER, "write_bw")),
                     port=server.port)
    assert program.wait().status == 3, str(program)
    server.wait_for("with verbsperf")
    assert not sentences(server) and " limits:" not in server.out


def test_check_leaves_limits_alone():
    program = succeeded(loopback("write_bw", "--check", "--json", *words(
        of_test(NEVER, "write_bw"))))
    assert json.loads(program.out)["limits"] is None
