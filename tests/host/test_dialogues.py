"""Peers that leave a dialogue at any step: a few of the exchanges of
tests/system/bad_dialogues.py, which has all of them."""
import os
import socket
import time

import pytest

import bad_dialogues
import fake_perftest
from bad_dialogues import AT_CLIENT, AT_SERVER, OLD, PATIENCE, Crowded, Server
from lab import BINARY

NIC = os.environ["VERBSPERF_PRELOAD"]
# What holds a server for this long, holds it for ever.
FOREVER = 30 * PATIENCE


def test_a_server_is_left_at_any_step():
    """By early bytes, FIN, RST and silence: no process stays, and the next
    client is served."""
    with Server(BINARY, NIC, "--parallel", "8") as server:
        played = bad_dialogues.in_threads(
            server.exchange, bad_dialogues.several(AT_SERVER, 64, 1))
        assert sum(reached for _, reached in played) > 56
        assert server.honest_wait(FOREVER) is not None
        assert not server.children_after(bad_dialogues.ALL_GONE * PATIENCE)


def test_a_client_is_left_at_any_step():
    results = bad_dialogues.in_threads(
        lambda number, exchange: bad_dialogues.run_client(
            BINARY, NIC, number, exchange),
        bad_dialogues.several(AT_CLIENT, 48, 1))
    assert not bad_dialogues.clients_that_failed_to_end(results)


@pytest.mark.parametrize("dialogue, step", (
    (OLD, 4), (OLD, 8), ("read_bw 6.29", 5)))
def test_a_crowd_that_is_silent_holds_nobody(dialogue, step):
    """Before its turn no time at all; in its turn it has one place."""
    with Server(BINARY, NIC, old=dialogue == OLD) as server:
        crowd = Crowded(server, dialogue, step)
        time.sleep(0.3)
        assert server.honest_wait(FOREVER) is not None
        crowd.close()
        assert not server.children_after(bad_dialogues.ALL_GONE * PATIENCE)


def first_messages():
    """What an old perftest says up to its first key, for which it waits."""
    return [*fake_perftest.head(), fake_perftest.key()]


def test_an_old_perftest_waits_for_its_turn_in_silence():
    """For longer than a client may be silent, and is told nothing before the
    answer to its key."""
    with Server(BINARY, NIC) as server:
        with server.connect() as first, server.connect("127.0.0.2") as second:
            for sock in (first, second):
                bad_dialogues.play_texts(sock, first_messages()[:-1])
            first.sendall(fake_perftest.key())
            assert first.recv(4096)
            second.sendall(fake_perftest.key())
            second.settimeout(0.2)
            # two more keys of the first's, in its turn
            for _ in range(2):
                with pytest.raises(socket.timeout):
                    second.recv(4096)
                time.sleep(1.2)
                first.sendall(fake_perftest.key())
                assert first.recv(4096)
            first.close()
            second.settimeout(20 * PATIENCE)
            assert len(second.recv(4096)) == len(fake_perftest.key())


def test_a_server_that_stops_serves_nobody_who_has_not_said_its_test():
    """--once is for the first with a test, not for the first to connect."""
    with Server(BINARY, NIC, "--once") as server:
        with server.connect() as early:
            bad_dialogues.play_texts(early, first_messages()[:-1])
            assert server.honest_wait(FOREVER) is not None
        server.process.wait(20 * PATIENCE)
