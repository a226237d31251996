"""Whatever a peer says of itself: a sentence or a document that is valid."""
import math
import os
import shutil
import struct

import pytest

import wire
from lab import (BINARY, DEVICE, Program, Server, client, complained,
                 failed)
from schemas import load
from wire import ANY, SECOND, FakeClient, done

INDEX = 0           # of the only GID
MANY = 10 ** 5      # messages that a device may send within a round
BY_TIME = {2: 0}
READS = {"operation": "read", "metric": "latency"}


def payloads(done, posted=10, qps=1, threads=1, size=64, metric="bandwidth",
             operation="write", **plan):
    """What a client says that sends POSTED messages."""
    parameters = {6: qps, 17: threads, **plan.pop("parameters", {})}
    sent = [posted] if threads == 1 else [posted // threads] * threads
    return {"PLAN": wire.plan(operation, (size,), parameters, metric=metric,
                              **plan),
            "ENDPOINT": wire.endpoint(INDEX, INDEX, n=qps),
            "START": struct.pack(">Q", size),
            "SENT": wire.sent(*sent), "DONE": done}


class Round:
    """A client that says PAYLOADS, and the document of the server."""

    def __init__(self, path, *args, **payloads):
        self.path = path
        self.server = Server("--once", "--histogram", f"--json={path}", *args)
        self.peer = FakeClient(self.server.port, **payloads)

    def play(self):
        self.peer.play("HELLO", "PLAN", "ENDPOINT", "READY", "START", "SENT")
        self.peer.send("DONE", self.peer.payload("DONE"))

    def document(self):
        return load(self.path.read_text(), "verbsperf-1")

    def is_taken(self):
        self.play()
        self.peer.expect("DONE")
        self.peer.play("BYE")
        assert self.server.wait().status == 0, str(self.server)
        assert "nan" not in self.server.out and "inf" not in self.server.out
        return self.document()["results"][0]

    def is_refused(self, text):
        self.play()
        message = self.peer.expect_error("ABORT")[2]
        assert message == "the other end's result does not fit this run"
        failed(self.server, message, text)
        document = self.document()
        assert document["error"]["message"] == message
        assert document["error"]["code"] == "EPROTO"
        return document


def threads(*rows):
    return {"threads": rows, "qps": 2}


ACCEPTED = {
    "nothing in no time": ({"counted": 0, "window": 0},
                           {"parameters": BY_TIME}),
    "all in a nanosecond": ({"posted": MANY, "window": 1},
                            {"parameters": BY_TIME, "posted": MANY}),
    "few of many": ({"posted": MANY, "counted": 1, "window": 10 ** 8},
                    {"parameters": BY_TIME, "posted": MANY}),
    "a clock of another world": ({"clock": (1e18, 1e-300, math.nan, 1e-300)},
                                 {}),
    "a clock that runs": ({"clock": (5e-324, 1e18, 1e18, 1e18)}, {}),
    "a clock whose percents are no number": (
        {"more": (wire.field(5, "clock", struct.pack(">dQQ", 1e307, 1, 1)
                             + wire.string("tsc"), wire.OPTIONAL),)}, {}),
    "more inline than sent": ({"inline": 65536}, {}),
    "one thread that did all": (
        {"posted": 20, "threads": ((1023, 1, 0, 0), (ANY, 1, 20, 1))},
        {"posted": 20, "qps": 2, "threads": 2}),
    "short intervals": (
        {"posted": 10, "window": 10,
         "intervals": tuple((i, 1, 10 * (i == 3)) for i in range(11))}, {}),
    "long intervals": (
        {"window": 10 ** 8,
         "intervals": ((0, 1, 0), (1, 10 ** 8 - 1, 10))}, {}),
    "one slow ping": (
        {"posted": 1, "window": 10 ** 8,
         "samples": (1, 10 ** 8, 10 ** 8, 10 ** 8, 10 ** 8, 0),
         "bins": ((17909, 1),)},
        {**READS, "posted": 1, "parameters": {2: 1}}),
    "pings of no time": (
        {"window": 1, "clock": (1, 1, 0, 1e-300),
         "samples": (10, 0, 1 << 40, 1 << 40, 0, 2.0 ** 80),
         "bins": ((0, 9), (31744, 1))},
        READS),
}


@pytest.mark.parametrize("table", ("text", "perftest"))
@pytest.mark.parametrize("name", ACCEPTED)
def test_extreme_but_possible(tmp_path, name, table):
    said, plan = ACCEPTED[name]
    row = Round(tmp_path / "server.json", "--format", table,
                **payloads(done(**said), **plan)).is_taken()
    assert row["iterations"] == said.get("counted", said.get("posted", 10))


REFUSED = {
    "posted 1152921504606846976": ({"posted": 1 << 60}, {}),
    "counted 0: expected 1 to 10": ({"counted": 0}, {}),
    "window 0: expected 1 to": ({"window": 0}, {}),
    "tick nan": (
        {"clock": (1, 1, 0, math.nan), "window": 10 ** 8,
         "samples": (10, 1, 1, 10, 1, 0), "bins": ((1, 10),)}, READS),
    "samples 0: expected 10 to 10": ({}, READS),
    "counted 10: expected at least 10, but at most 0": ({}, {"metric": "latency"}),
    # their sum would be 2^64, which is 0
    f"maximum {1 << 54}: expected 0 to {(1 << 54) - 1}": (
        {"posted": 1024, "samples": (1024, 1 << 54, 1 << 54, 0, 1 << 54, 0),
         "bins": ((35839, 1024),)},
        {**READS, "posted": 1024, "parameters": {2: 1024}}),
}


@pytest.mark.parametrize("text", REFUSED)
def test_impossible(tmp_path, text):
    said, plan = REFUSED[text]
    Round(tmp_path / "server.json", "--verbose",
          **payloads(done(**said), **plan)).is_refused(text)


LEFT_OUT = {
    "messages of a thread 18446744073709551615": (
        {"posted": 20,
         "threads": ((0, 1, 2 ** 64 - 1, 1), (1, 1, 21, 1))},
        {"posted": 20, "qps": 2, "threads": 2}),
    "CPU of a thread 4294967294": (
        {"posted": 20, "threads": ((ANY - 1, 1, 10, 1), (1, 1, 10, 1))},
        {"posted": 20, "qps": 2, "threads": 2}),
    "QPs of a thread 3: expected 1 to 2": (
        {"posted": 20, "threads": ((0, 3, 10, 1), (1, 1, 10, 1))},
        {"posted": 20, "qps": 2, "threads": 2}),
    "start of an interval 3": (
        {"window": 10, "intervals": ((0, 2, 5), (3, 7, 5))}, {}),
}


@pytest.mark.parametrize("text", LEFT_OUT)
def test_what_makes_no_number_wrong_is_left_out(tmp_path, text):
    said, plan = LEFT_OUT[text]
    test = Round(tmp_path / "server.json", "--verbose",
                 **payloads(done(**said), **plan))
    row = test.is_taken()
    assert not row["threads"] and not row["intervals"]
    assert text in test.server.out, str(test.server)


def test_more_sent_than_asked_for(tmp_path):
    """Said while traffic runs."""
    test = Round(tmp_path / "server.json", "--verbose",
                 **payloads(done(), posted=11))
    test.peer.play("HELLO", "PLAN", "ENDPOINT", "READY", "START", "SENT")
    text = "the other end's count of messages does not fit this run"
    assert text in test.peer.expect_error("ABORT")[2]
    failed(test.server, text, "SENT with messages 11: expected 10 to 10")
    assert text in test.document()["error"]["message"]


DETAIL = "DONE with counted 11: expected 1 to 10"
HINT = "; --verbose shows what was wrong"


@pytest.mark.parametrize("name, words, detail", [
    (None, ["write_bw", "-n", 10, "--warmup", 0, "--verbose"], True),
    (None, ["write_bw", "-n", 10, "--warmup", 0], False),
    # under perftest's names there is no --verbose
    ("ib_write_bw", ["-n", 10], True)])
def test_server_that_measures(tmp_path, name, words, detail):
    """The client's document is made of what a server says, too.  What was wrong
    is for those who ask, and no option is named that is not there."""
    path = tmp_path / "client.json"
    fake = wire.FakeServer()
    if name:
        (tmp_path / name).symlink_to(os.path.abspath(shutil.which(BINARY)
                                                     or BINARY))
        program = Program(*words, "--reversed", "-d", DEVICE, "-p", fake.port,
                          "127.0.0.1", argv0=(str(tmp_path / name),))
    else:
        program = client(*words, "--reversed", f"--json={path}",
                         port=fake.port)
    fake.accept()
    if name:
        fake.answer_version()
    fake.play("HELLO", "ACCEPT", "ENDPOINT", "READY", "START")
    fake.peer.send("SENT", wire.sent(10))
    fake.peer.expect("DONE")
    fake.peer.send("DONE", done(counted=11))
    text = "the other end's result does not fit this run"
    assert text in fake.peer.expect_error("ABORT")[2]
    line = failed(program, text)
    assert (DETAIL in line, HINT in line) == (detail, not detail)
    if not name:
        assert text in load(path.read_text(), "verbsperf-1")["error"]["message"]
    fake.close()


def strange_port(**changes):
    """Names that say nothing, and numbers at their end."""
    gids = wire.own_gids() + [(ANY, 255, bytes(range(16)))]
    values = {"state": 4, "layer": 2, **changes}
    text = wire.string("") + wire.string("\x00\x7f'\"") + wire.string("")
    text += struct.pack(">BBBBBBHHII", 255, values["state"], values["layer"],
                        3, 0, 0, 0, wire.PKEY, ANY, ANY - 1)
    text += struct.pack(">QIIIII", 2 ** 64 - 1, *[ANY] * 5)
    text += struct.pack(">IIIIII", *[ANY] * 6)
    return text + wire.rows("IB16s", gids)[2:] + wire.fields()


@pytest.mark.parametrize("changes", ({}, {"layer": 255}, {"state": 255}))
def test_strange_ports(tmp_path, changes):
    path = tmp_path / "server.json"
    server = Server("--once", f"--json={path}")
    plan = wire.plan()[len(wire.port()):]
    peer = FakeClient(server.port, PLAN=strange_port(**changes) + plan)
    if changes:
        peer.play("HELLO")
        peer.send("PLAN", peer.payload("PLAN"))
        peer.expect_error("REFUSE")
        complained(server)
    else:
        peer.play(*FakeClient.STEPS)
    server.wait()
    load(path.read_text(), "verbsperf-1")


@pytest.mark.parametrize("place,value,text", (
    (5, 77, "READY with path_mtu 77: expected 1024 to 1024"),
    (12, ANY, "READY without max_send_wr"),
    (4, ANY, "READY without pkey_index")))
def test_ready(tmp_path, place, value, text):
    words = list(wire.READY.unpack(wire.ready()))
    words[place] = value
    test = Round(tmp_path / "server.json", "--verbose",
                 READY=wire.READY.pack(*words))
    test.peer.play("HELLO", "PLAN", "ENDPOINT")
    test.peer.send("READY", test.peer.payload("READY"))
    message = test.peer.expect_error("ABORT")[2]
    assert message == (
        "the other end's report of its queue pair does not fit this run")
    failed(test.server, message, text)
    assert test.document()["error"]["message"] == message
