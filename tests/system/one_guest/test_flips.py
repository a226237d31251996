"""A bit that flips on its way is found, whatever carries it; by the end that
looks, and both ends say so (tests/system/flip.c is preloaded there)."""

import os
import re
from collections import namedtuple

import pytest

from documents import measured, parse
from lab import (Server, beside, client, environment, needs_device,
                 succeeded)

pytestmark = [
    needs_device, pytest.mark.data,
    pytest.mark.skipif(not os.path.exists(beside("flip.so")),
                       reason="make did not build " + beside("flip.so"))]

MESSAGES, SIZE, MASK = 20, 100, 0x10
# enum ibv_wc_opcode
READ, COMP_SWAP, FETCH_ADD, RECV, RECV_WITH_IMM = 2, 3, 4, 128, 129
# All at once: one notice tells of all of them.
LIST = ("-l", MESSAGES)
# Each read or atomic tells of itself.
ALL_TELL = ("-Q", 1)
# Where both ends send, what comes in is behind what goes out: as far as a walk.
SECOND = 4096

# Over UC and UD a receive takes the packet that proves the address before.
Way = namedtuple("Way", "test options finder opcode once step first before",
                 defaults=(False, 128, 0, 0))

# What a real device does, too.
REAL = ("send", "send over UD", "write with imm", "read", "fetch and add")
# The N-th message is there with the N-th completion, or the first has all.
WAYS = {
    "send": Way("send_bw", (), "server", RECV),
    "send, reversed": Way("send_bw", ("--reversed",), "client", RECV),
    "send, both ways": Way("send_bw", ("-b", "-r", 24), "server", RECV, False,
                           128, SECOND),
    "send with imm": Way("send_bw", ("--imm",), "server", RECV),
    "send over UC": Way("send_bw", ("-c", "UC"), "server", RECV, before=1),
    "send over UD": Way("send_bw", ("-c", "UD"), "server", RECV, False, 192,
                        40, 1),
    "write": Way("write_bw", LIST, "server", RECV, True),
    "write with imm": Way("write_bw", ("--imm", *LIST), "server",
                          RECV_WITH_IMM),
    "write with imm over UC": Way("write_bw", ("--imm", "-c", "UC", *LIST),
                                  "server", RECV_WITH_IMM),
    "read": Way("read_bw", ALL_TELL, "client", READ),
    "read, one by one": Way("read_lat", (), "client", READ),
    "fetch and add": Way("atomic_bw", ALL_TELL, "client", FETCH_ADD, False,
                         64),
    "compare and swap": Way("atomic_bw", ("-A", "CMP_AND_SWAP", *ALL_TELL),
                            "client", COMP_SWAP, False, 64),
}
PINGPONGS = {
    "send": Way("send_lat", ("-r", 16), "server", RECV, False, 128, SECOND),
    "send, the answer": Way("send_lat", ("-r", 16), "client", RECV, False,
                            128, SECOND),
    "write": Way("write_lat", (), "server", RECV, False, 128, SECOND),
}


def both_ends(way, operation, offset, mask):
    """A run with that bit of that operation flipped, by the end that finds
    it."""
    place = way.first + operation * way.step + offset
    count = way.before + (1 if way.once else operation + 1)
    usual = environment() or os.environ
    envs = {end: dict(usual) for end in ("client", "server")}
    envs[way.finder].update(
        LD_PRELOAD=f"{beside('flip.so')} {usual.get('LD_PRELOAD', '')}",
        VERBSPERF_FLIP=f"{way.opcode},{count},{place},{mask}")
    server = Server("--once", "--json", env=envs["server"])
    size = 8 if "atomic" in way.test else SIZE
    program = client(way.test, "--json", "-n", MESSAGES, "-s", size,
                     "--warmup", 0, "--verify", *way.options,
                     port=server.port, env=envs["client"])
    return {"client": program, "server": server}


def check_found(way, operation, offset):
    ends = both_ends(way, operation, offset, MASK)
    messages = {}
    for end, program in ends.items():
        program.wait()
        assert program.status == 4, str(program)
        error = parse(program.out)["error"]
        assert (error["stage"], error["code"]) == ("traffic", "EBADMSG")
        messages[end] = error["message"]
    found = messages.pop(way.finder)
    assert messages.popitem()[1] == f"the {way.finder}: {found}"
    match = re.fullmatch(
        r"RDMA (\w+) on QP 0x[0-9a-f]{6}: wrong (data|value returned) in "
        r"operation (\d+) of (\d+) bytes, at offset (\d+): "
        r"expected 0x([0-9a-f]+), found 0x([0-9a-f]+)", found)
    assert match, found
    atomic = match[1] == "atomic"
    assert match[1] == way.test.split("_")[0]
    assert match[2] == ("value returned" if atomic else "data")
    assert int(match[3]) == operation
    assert int(match[4]) == (8 if atomic else SIZE)
    assert int(match[5]) == (0 if atomic else offset)
    # a value returned is one number, and counts
    flipped = int(match[6], 16) ^ int(match[7], 16)
    assert flipped == MASK << (8 * offset if atomic else 0)
    assert not atomic or int(match[6], 16) == operation


@pytest.mark.parametrize("way, where", [
    pytest.param(way, where, id=f"{name}-{where}",
                 marks=[pytest.mark.real] * (where == "last" and name in REAL))
    for name, way in WAYS.items() for where in ("first", "last")])
def test_flipped_bit_is_found(way, where):
    size = 8 if "atomic" in way.test else SIZE
    if where == "first":
        # what may be lost says itself which it is, in the first eight bytes
        check_found(way, 0, 8 if "-c" in way.options else 0)
    else:
        check_found(way, 7 if "lat" in way.test else MESSAGES - 1, size - 1)


@pytest.mark.parametrize("way", PINGPONGS.values(), ids=PINGPONGS)
def test_flipped_bit_is_found_in_a_ping_pong(way):
    check_found(way, 7, SIZE // 2)


@pytest.mark.parametrize("way", (*WAYS.values(), *PINGPONGS.values()),
                         ids=(*WAYS, *(f"{way} ping" for way in PINGPONGS)))
def test_same_run_without_the_flip_is_fine(way):
    ends = both_ends(way, 7, 0, 0)
    row, = measured(ends["client"])["results"]
    ways = 2 if "-b" in way.options else 1
    assert row["verified"] and row["iterations"] == ways * MESSAGES
    succeeded(ends["server"])
