"""What a work request asks of the device, on a NIC that has two entries."""
import json

import pytest

from lab import QUICK, client, failed, loopback, succeeded


def test_several_entries():
    for test in ("write_bw", "read_bw", "read_lat"):
        program = succeeded(loopback(test, "--sge", 2, "-s", 4096, *QUICK))
        assert " 4096 " in program.out


def test_more_entries_than_the_device_has():
    failed(loopback("write_bw", "--sge", 3, *QUICK),
           "--sge: 3 is above what the client's fake0 allows",
           "max_sge 2", "use --sge 2 or less")


def test_more_entries_than_the_server_has(server):
    failed(client("send_bw", "--sge", 3, "--reversed", *QUICK,
                  port=server.port), "--sge: 3 is above", "max_sge 2")


def test_entries_mean_nothing_to_atomics():
    failed(loopback("atomic_bw", "--sge", 2, *QUICK),
           "--sge 2: an atomic has one entry, of 8 bytes", status=2)


def test_a_fence_waits_for_each_operation(monkeypatch):
    """A read of 4 KiB takes 328 ns on the wire and 2 us to complete."""
    monkeypatch.setenv("FAKE_STEP", "10")
    monkeypatch.setenv("FAKE_GBPS", "100")
    monkeypatch.setenv("FAKE_DELAY", "2000")
    rates = []
    for options in (), ("--fence",):
        program = succeeded(loopback(
            "read_bw", "-s", 4096, "-D", 0.2, "--clock", "monotonic_raw",
            "--json", *options))
        rates.append(json.loads(program.out)["results"][0]["bandwidth"])
    assert rates[0]["gbps"] == pytest.approx(100, rel=0.01)
    assert rates[1]["mpps"] == pytest.approx(1 / 2.328, rel=0.02)


def test_a_fence_needs_something_to_wait_for():
    for test, why in (("write_bw", "write tests have none"),
                      ("read_lat", "one operation at a time")):
        failed(loopback(test, "--fence", *QUICK), "--fence: ", why, status=2)


def test_solicited_needs_a_receiver_that_sleeps():
    failed(loopback("send_bw", "--solicited", *QUICK),
           "--solicited: only with --events", status=2)
