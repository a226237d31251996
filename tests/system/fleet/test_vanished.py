"""Guests are switched off without a word, one after the other: a node, and then
the host of the coordinator.  No test can come after these."""
import contextlib

import guests
from conftest import (CLUSTER, GONE_WITHIN, Cluster, when_measuring,
                      write_bw)
from test_failures import others_stand

N = len(guests.NODES)


def switch_off_when_measuring(number):
    """Nobody says how the command ended."""
    with contextlib.suppress(AssertionError):
        when_measuring(number, "echo o >/proc/sysrq-trigger; sleep 60")


def all_gone(before, numbers):
    """Nothing is left on guests NUMBERS, but of sshd, which does not know yet
    that the other end is gone."""
    before = {number: before[number] for number in numbers}
    guests.wait_for(
        lambda: not guests.left_behind(before, (*guests.OURS, "sshd:")),
        2 * GONE_WITHIN, "the end of all")


def test_a_node(before):
    run = Cluster("ssh", "--pattern", "ring", traffic=write_bw(30))
    switch_off_when_measuring(3)
    out = run.end(1)
    others_stand(run, "mgmt3")
    assert "mgmt3: no sign of life from its agent for 30 s" in run.err
    assert f"{N - 1} of {N} nodes took part; 2 pairs failed" in out
    all_gone(before, [1, 2])


def test_the_host_of_the_coordinator(ssh):
    """What it started on the first guest ends by itself."""
    before = guests.states([1, 2])
    guests.shell(2, f"""
        (cd /tmp/fleet && PATH={guests.PATH} setsid /usr/bin/python3 -B \\
            {CLUSTER} --nodes 'mgmt[1-2]' --pattern ring \\
            {' '.join(write_bw(100))}) >/dev/null 2>&1 &
        """)
    switch_off_when_measuring(2)
    all_gone(before, [1])
