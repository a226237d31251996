"""The CPU time of both ends, and what makes it less."""
import pytest

from cpu_time import Clock, needs_time, used
from documents import row_of
from lab import PATIENT, Server, client, needs_device, succeeded

pytestmark = needs_device


def both_ends(folder, *args):
    """What both ends say that they used, and what the system says; the number
    of messages."""
    clocks = {name: Clock(folder / name) for name in ("server", "client")}
    server = Server("--once", argv0=clocks["server"].argv0)
    row = row_of(client(*args, "--warmup", 0, "--json", *PATIENT,
                        port=server.port, argv0=clocks["client"].argv0), 120)
    succeeded(server)
    return ({end: used(row["cpu"][end]) for end in clocks},
            {end: clock.seconds for end, clock in clocks.items()},
            row["iterations"])


def compare(folder, *args):
    """How far what both ends say is from what the system says of them, as a
    part of it, but for what it takes to start and to make objects: that is
    much on an emulated processor."""
    *_, number = both_ends(folder, *args, "-D", 0.5)
    before = both_ends(folder, *args, "-n", 1)
    after = both_ends(folder, *args, "-n", 6 * number)
    off = []
    for end in "server", "client":
        ours, theirs = (late[end] - early[end]
                        for early, late in zip(before[:2], after))
        print(f"{end}: {ours:.2f} s, {theirs:.2f} s")
        off.append(abs(ours - theirs) / theirs)
    return max(off)


@needs_time
@pytest.mark.parametrize("args", ((), ("-e",)))
def test_both_ends_like_usr_bin_time(tmp_path, args):
    # an emulated kernel counts by ticks, which come late beside other guests;
    # a thread or an end that was forgotten would be half
    assert any(compare(tmp_path, "send_lat", *args) <= 0.1
               for _ in range(4))


def test_events_use_less_than_polling():
    server = Server()
    line = ("send_lat", "-D", 1, "--json", *PATIENT)
    polling, events = (row_of(client(*line, *more, port=server.port))["cpu"]
                       for more in ((), ("-e",)))
    # an emulated processor that both share has little rest
    assert (sum(events[end]["utilization_percent"] for end in events) < 1.1
            * sum(polling[end]["utilization_percent"] for end in polling))
    for end in "client", "server":
        assert (events[end]["voluntary_switches"]
                > 5 * polling[end]["voluntary_switches"])
