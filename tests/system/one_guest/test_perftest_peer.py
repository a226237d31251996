"""Ours at one end and perftest at the other, on a device whose messages arrive:
each test in either role.  PERFTEST names the folder of another perftest, with
which all cases are run; without it some are, as an emulated processor is slow
and the fake NIC has them, too."""
import os
import pathlib
import re
import shutil

import pytest

from lab import (BINARY, DEVICE, Program, deadline, free_port, gid_of_ipv4,
                 needs_lab)

FOLDER = os.environ.get("PERFTEST")
THEIRS = shutil.which("ib_write_bw", path=FOLDER)
TESTS = [f"{operation}_{metric}" for metric in ("bw", "lat")
         for operation in ("write", "read", "send", "atomic")]
ROW = re.compile(r"^ \d.*$", re.M)
# -u 18: a guest may stand still for a while
COMMON = "-u 18"

pytestmark = [needs_lab, pytest.mark.real, pytest.mark.skipif(
    not THEIRS, reason="needs perftest")]


def program(name, ours):
    """The words that run ours, or perftest's, under its name."""
    if not ours:
        return (str(pathlib.Path(THEIRS).parent / name),)
    path = os.path.abspath(shutil.which(BINARY) or BINARY)
    return ("bash", "-c", f'exec -a {name} {path} "$@"', name)


def listens(port):
    with open("/proc/net/tcp") as tcp, open("/proc/net/tcp6") as tcp6:
        return any(f":{port:04X}" in line.split()[1] and
                   line.split()[3] == "0A" for line in [*tcp, *tcp6])


def run(test, options, client_is_ours):
    """Both ends; they end well.  Once more when perftest does not trust its
    clock, which a busy host does to it."""
    for _ in range(4):
        client, server = run_once(test, options, client_is_ours)
        if "Can't produce a report" not in client.err + server.err:
            break
    assert client.status == 0, f"{client}\n{server}"
    assert server.status == 0, f"{client}\n{server}"
    return client, server


def run_once(test, options, client_is_ours):
    port, name = free_port(), f"ib_{test}"
    words = ["-d", DEVICE, "-p", port, "-x", gid_of_ipv4(),
             *f"{options} {COMMON}".split()]
    server = Program(*words, argv0=program(name, not client_is_ours))
    deadline(30, lambda: listens(port), f"{server} listens")
    client = Program(*words, "127.0.0.1",
                     argv0=program(name, client_is_ours))
    client.wait(120)
    server.wait(30)
    return client, server


def numbers(end):
    return [float(word) for word in ROW.findall(end.out)[-1].split()]


def cases():
    for test in TESTS:
        yield test, "-n 100"
    if not FOLDER:
        yield "write_bw", "-D 2"
        yield "write_lat", "-D 2"
        yield "send_bw", "-n 100 -b"
        yield "read_bw", "-n 50 -q 4"
        yield "send_lat", "-n 50 -c UD -s 512"
        return
    for test in TESTS:
        yield test, "-D 2"
        if test.endswith("_bw"):
            yield test, "-n 100 -b"
            yield test, "-n 50 -q 4"
        if "atomic" not in test:
            yield test, "-n 10 -a"
    yield "send_bw", "-D 2 -b"
    yield "send_bw", "-n 10 -a -b -s 64"
    yield "write_bw", "-n 10 -a -b"
    yield "write_bw", "-n 100 -l 5 -t 20 -Q 5 -m 256 --report_gbits"
    yield "send_bw", "-n 100 -e -r 64 -I 32 -s 32"
    yield "read_lat", "-n 100 -e"
    for test in ("write_bw", "write_lat", "send_bw", "send_lat"):
        yield test, "-n 50 -c UC -s 512"
    for test in ("send_bw", "send_lat"):
        yield test, "-n 50 -c UD -s 512"


@pytest.mark.parametrize("role", ("client", "server"))
@pytest.mark.parametrize("test, options", [
    pytest.param(*case, id=" ".join(case)) for case in cases()])
def test_both_ends_end_well(role, test, options):
    ends = run(test, options, role == "client")
    ours, theirs = ends if role == "client" else ends[::-1]
    print(f"{role} {test} {options}: "
          + " | ".join((ROW.findall(end.out) or ["no row"])[-1]
                       for end in (ours, theirs)))
    if role == "server" and test in ("read_lat", "atomic_lat"):
        assert not ROW.search(ours.out)
        return
    # a slow rate is 0.00 in the table
    assert min(numbers(ours)[:2]) > 0
    # what one end alone measures is what the other prints
    if test.endswith("_bw") and test != "send_bw":
        assert numbers(ours)[0] == numbers(theirs)[0]
        assert numbers(ours)[3] == pytest.approx(numbers(theirs)[3], rel=0.02,
                                                 abs=0.02)


@pytest.mark.parametrize("role", ("client", "server"))
def test_ends_of_other_sizes(role):
    """perftest does not say its size: that is the first suspect."""
    port = free_port()
    words = ["-d", DEVICE, "-p", port, "-x", gid_of_ipv4(), "-n", 100]
    ours, theirs = ("-s", 65536), ("-s", 1024)
    if role == "server":
        ours, theirs = theirs, ours
    server = Program(*words, *(ours if role == "server" else theirs),
                     argv0=program("ib_send_bw", role == "server"))
    deadline(30, lambda: listens(port), f"{server} listens")
    client = Program(*words, *(ours if role == "client" else theirs),
                     "127.0.0.1", argv0=program("ib_send_bw",
                                                role == "client"))
    ended = {"client": client.wait(60), "server": server.wait(60)}[role]
    assert ended.status == 1 and "first compare test, --size" in ended.err
