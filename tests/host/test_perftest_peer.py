"""A test with perftest at the other end: the distribution's on the fake NIC,
and one that stops anywhere."""
import json
import os
import shutil
import signal
import time

import pytest

import fake_perftest
from fake_perftest import FakePerftest
from lab import (DEVICE, Program, Server, client, deadline, failed, free_port,
                 succeeded)

needs_perftest = pytest.mark.skipif(not shutil.which("ib_write_bw"),
                                    reason="needs perftest")
TESTS = [f"{operation}_{metric}" for metric in ("bw", "lat")
         for operation in ("write", "read", "send", "atomic")]
KEY = fake_perftest.key()
CLIENT = fake_perftest.client_of_write_bw()
# Both ends of these wait for each other's messages.
WITH_DATA = ("send_bw", "send_lat", "write_lat")


def listens(port):
    """True when somebody listens on PORT, without connecting: perftest takes
    one connection."""
    with open("/proc/net/tcp") as file:
        return any(line.split()[1].endswith(f":{port:04X}")
                   and line.split()[3] == "0A" for line in file)


class Perftest(Program):
    """perftest's server, once it listens."""

    def __init__(self, test, *options):
        self.port = free_port()
        super().__init__("-d", DEVICE, "-p", self.port, *options,
                         argv0=(f"ib_{test}",))
        deadline(10, lambda: listens(self.port), f"{self} listens")


def row(out):
    """The numbers of the last row of a table."""
    return [line.split() for line in out.splitlines()
            if line.strip()[:1].isdigit()][-1]


def measure(test, *options, own=()):
    """Our client and perftest's server, with the same options; the client's
    document."""
    server = Perftest(test, *options)
    ours = client(test, "--peer", "perftest", "--json", *options, *own,
                  port=server.port)
    succeeded(ours, 50)
    server.wait()
    assert server.status == 0, str(server)
    return json.loads(ours.out), server


def cases():
    for test in TESTS:
        yield test, ("-n", 60)
    for test in ("write_bw", "send_bw"):
        yield test, ("-n", 60, "-b")
    for test in ("read_bw", "send_bw"):
        yield test, ("-n", 60, "-q", 3, "-l", 4, "-t", 16)
    yield "write_bw", ("-D", 1)
    yield "send_bw", ("-D", 1, "-b")
    yield "send_lat", ("-D", 1)
    yield "write_lat", ("-D", 1)
    yield "send_bw", ("-n", 60, "-c", "UC")
    yield "send_lat", ("-n", 60, "-c", "UD", "-s", 64)
    yield "write_lat", ("-n", 60, "-c", "UC", "-m", 1024)
    yield "write_bw", ("-n", 5, "-a")


@needs_perftest
@pytest.mark.parametrize("test, options", [
    pytest.param(*case, id=" ".join(map(str, (case[0], *case[1]))))
    for case in cases()])
def test_perftest_serves_our_client(data, test, options):
    found, server = measure(test, *options, own=("--timeout", 5))
    assert found["server"]["hostname"] == "perftest 6.06"
    assert found["server"]["device"] is None and not found["error"]
    assert len(found["results"]) == (23 if "-a" in options else 1)
    last = found["results"][-1]
    assert last["counters"]["server"] is None
    if "lat" in test:
        assert last["latency"]["samples"] > 0
    else:
        assert last["bandwidth"]["gbps"] > 0
    if "-n" not in options:
        return
    # of a ping-pong the first or the last round trip is not measured
    each = options[options.index("-n") + 1] - (
        test in ("write_lat", "send_lat"))
    ways = (3 if "-q" in options else 1) * (2 if "-b" in options else 1)
    assert last["iterations"] == each * ways
    # one end's numbers are the other's
    if test in ("write_bw", "read_bw", "atomic_bw") and "-b" not in options:
        said = [float(word) for word in row(server.out)]
        assert said[3] == pytest.approx(last["bandwidth"]["mib_per_s"],
                                        rel=0.01, abs=0.01)
        assert said[1] == last["iterations"]


@needs_perftest
@pytest.mark.parametrize("test", ("write_lat", "send_bw", "read_lat"))
def test_without_gids(data, monkeypatch, test):
    """On InfiniBand the keys are shorter."""
    monkeypatch.setenv("FAKE_LINK", "infiniband")
    found, _ = measure(test, "-n", 60)
    assert found["server"]["lid"] and found["server"]["gid"] is None


@needs_perftest
@pytest.mark.parametrize("options", ((), ("--report_gbits",)))
def test_a_server_prints_its_own_unit(options):
    server = Perftest("write_bw", "-n", 60, *options)
    ours = succeeded(Program("-d", DEVICE, "-p", server.port, "-n", 60,
                             *options, "127.0.0.1",
                             argv0=names("ib_write_bw")))
    server.wait()
    assert row(server.out)[:5] == row(ours.out)[:5]
    assert ours.err.startswith("verbsperf: the server is perftest 6.06\n")


def names(name):
    """Our program under perftest's NAME."""
    import lab
    program = os.path.abspath(shutil.which(lab.BINARY) or lab.BINARY)
    return ("bash", "-c", f'exec -a {name} {program} "$@"', name)


def test_a_name_of_perftest_finds_verbsperf():
    server = Server("--once")
    ours = succeeded(Program("-d", DEVICE, "-p", server.port, "-n", 60,
                             "127.0.0.1", argv0=names("ib_write_bw")))
    succeeded(server)
    assert "this is" in server.err and "perftest" not in ours.err


# Every test that has reports.
REPORTS = (("write_bw",), ("read_bw",), ("atomic_bw",), ("read_bw", "-b"),
           ("send_bw", "-b"))


@needs_perftest
@pytest.mark.parametrize("line", REPORTS, ids=" ".join)
def test_a_fork_with_a_sixth_value_serves(data, line):
    """The version that is known to be its."""
    test, *options = *line, "-n", 60
    server = Perftest(test, *options)
    fork = fake_perftest.Fork(server.port, "6.15", False)
    ours = client(test, "--peer", "perftest", "--json", *options,
                  port=fork.port)
    succeeded(ours, 50)
    assert server.wait().status == 0, str(server)
    assert json.loads(ours.out)["results"]
    assert [len(value) for value in fork.sixths] == [8]


@needs_perftest
@pytest.mark.parametrize("line", (
    ("read_bw",), ("send_bw", "-b"), ("read_bw", "-b", "-a")), ids=" ".join)
def test_a_fork_with_a_sixth_value_serves_unseen(data, line):
    """It takes a key for the value, and ends."""
    test, *options = *line, "-n", 60
    fork = fake_perftest.Fork(Perftest(test, *options).port, "6.24", False)
    ours = client(test, "--peer", "perftest", "--json", *options,
                  port=fork.port)
    if "-a" in line:
        failed(ours, "another number of values", seconds=50)
    else:
        succeeded(ours, 50)
        assert ours.err.count("the result is complete") == 1
    assert len(json.loads(ours.out)["results"]) >= 1


@needs_perftest
@pytest.mark.parametrize("line", REPORTS, ids=" ".join)
def test_a_fork_with_a_sixth_value_is_the_client(data, line):
    test, *options = *line, "-n", 60
    server, port = our_server(test, *options)
    fork = fake_perftest.Fork(port, "6.24", True)
    program = Program("-d", DEVICE, "-p", fork.port, *options, "127.0.0.1",
                      argv0=(f"ib_{test}",))
    assert program.wait(50).status == 0, str(program)
    succeeded(server, 50)
    assert fork.sixths == [fake_perftest.LEAST]


def test_a_perftest_that_has_the_version_of_the_fork():
    """It takes the sixth value for its last key, and ends."""
    fake = FakePerftest(fake_perftest.of_write_bw("6.15")[:-1])
    ours = succeeded(ours_against(fake))
    assert "the result is complete" in ours.err


@pytest.mark.parametrize("value", (b"\x7f\xf8" + b"\0" * 6, b"\xff" * 8,
                                   b"0000;000"))
def test_a_sixth_value_that_is_no_number_costs_nothing(value):
    server, port = our_server()
    said = [*CLIENT[:-1], value, KEY]
    sock, answers = fake_perftest.as_client(port, said)
    sock.close()
    succeeded(server)
    assert answers[-1] == value


def test_there_is_no_seventh_value():
    server, port = our_server()
    said = [*CLIENT[:-1], fake_perftest.LEAST, fake_perftest.LEAST]
    fake_perftest.as_client(port, said)[0].close()
    failed(server, "closed the connection")


@needs_perftest
def test_ends_that_were_given_a_number_and_a_time(data):
    """The server takes no more, and the rate would be that of a few messages in
    all of the time."""
    server = Perftest("send_bw", "-n", 60, "-s", 64)
    ours = client("send_bw", "--peer", "perftest", "--json", "-D", 2, "-s", 64,
                  port=server.port)
    failed(ours, "given a number of messages .*--duration or --iterations",
           seconds=20)
    (last,) = json.loads(ours.out)["results"]
    assert last["failed"]


@needs_perftest
@pytest.mark.parametrize("test", ("send_bw", "read_lat"))
def test_a_server_named_like_a_test_serves_perftest(data, test):
    """What it was given is the test, where --peer says that nothing else does."""
    port = free_port()
    options = ("-n", 60, "-s", 64)
    server = Program(test, "--peer", "perftest", "-d", DEVICE, "-p", port,
                     *options)
    server.wait_for("serving on TCP port")
    program = Program("-d", DEVICE, "-p", port, *options, "127.0.0.1",
                      argv0=(f"ib_{test}",))
    assert program.wait(50).status == 0, str(program)
    succeeded(server, 20)
    assert "ignored" not in server.err
    assert test != "send_bw" or row(server.out)[:2] == ["64", "60"]


def test_a_server_named_like_a_test_refuses_what_perftest_cannot():
    failed(Program("write_bw", "--peer", "perftest", "-d", DEVICE, "--verify"),
           "--verify: perftest", status=2)


@needs_perftest
def test_without_the_option_the_error_names_it():
    server = Perftest("send_bw", "-n", 60)
    failed(client("send_bw", port=server.port), "it is perftest 6.06",
           "use --peer perftest")


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(b"0123456789abcdef")
    path.chmod(0o600)
    return "--key-file", path


NOT_WELCOME = ("--perftest", "write_bw", "--allow-perftest", "192.0.2.0/24")


@pytest.mark.parametrize("options, words", [
    ((), "does not say which test it is; start this server with --perftest"),
    (NOT_WELCOME[:2], "cannot prove the key"),
    (NOT_WELCOME, "does not accept from there")])
def test_a_server_refuses_a_perftest(key_file, options, words):
    own = key_file if options else ()
    server = Server(*options, *own)
    sock, answers = fake_perftest.as_client(server.port, CLIENT)
    sock.close()
    assert not answers
    server.wait_for(f"error: the client is perftest 6.06, .*{words}")
    succeeded(client("write_bw", "-n", 60, *own, port=server.port))


def test_a_server_with_a_key_may_allow_a_perftest(key_file):
    server = Server("--once", "--perftest", "write_bw -n 100",
                    "--allow-perftest", "127.0.0.0/8", *key_file)
    fake_perftest.as_client(server.port, CLIENT)[0].close()
    assert row(succeeded(server).out)[:2] == ["65536", "100"]


def leftovers(server):
    """Descriptors and children of SERVER, and its memory in KiB."""
    pid = server.process.pid
    with open(f"/proc/{pid}/statm") as file:
        pages = int(file.read().split()[1])
    return (len(os.listdir(f"/proc/{pid}/fd")), len(server.children()),
            pages * os.sysconf("SC_PAGESIZE") // 1024)


def test_clients_one_after_the_other_leave_nothing_behind():
    """Every other one leaves after a key."""
    server = Server("--perftest", "write_bw -n 100")
    seen = []
    for i in range(24):
        said = CLIENT[:5] if i % 2 else CLIENT
        sock, answers = fake_perftest.as_client(server.port, said)
        sock.close()
        assert len(answers) == len(said) - 1
        deadline(20, lambda: not server.children(), server)
        seen.append(leftovers(server))
    assert seen[-1][:2] == seen[3][:2]
    # no more than pages that were shared before
    assert seen[-1][2] <= seen[3][2] + 512


@pytest.mark.parametrize("text, words", [
    ("", "expected a test"), ("wite_bw", "expected a test"),
    pytest.param("write_bw " + "-b " * 166 + " ", "at most 507", id="long"),
    pytest.param("write_bw " + "-b " * 160 + "-q 0", "-q 0", id="words"),
    ("write_bw node1", "without a host"), ("write_bw --help", "without a host"),
    ("write_bw -d mlx5_0", "--device is not an option of the test"),
    ("ib_write_bw -R", "--rdma-cm: not possible"),
    ("write_bw -q 0", "-q 0"), ("write_bw --szie 4", "--szie")])
def test_a_wrong_test_for_clients_is_refused(text, words):
    failed(Program("serve", "--perftest", text), words, status=2)


@pytest.mark.parametrize("length", (312, 320))
@pytest.mark.parametrize("version", ("6.28", "6.29"))
def test_a_server_is_told_the_test(version, length):
    server = Server("--once")
    told = fake_perftest.settings(length, qps=2)
    said = fake_perftest.client_of_write_bw(version, [told])
    said[5:9] = [KEY] * 6
    sock, answers = fake_perftest.as_client(server.port, said)
    sock.close()
    succeeded(server)
    assert answers[0] == b"6.28\0verbsperf\0\0"
    assert answers[4] == told[:312] + b"\0" * (length - 312)
    assert "write_bw: RC, 2 QPs" in server.out


@pytest.mark.parametrize("transport, is_taken", ((2, True), (0, False)))
def test_all_sizes_over_ud_end_with_the_mtu(transport, is_taken):
    server = Server("--once")
    told = fake_perftest.settings(method=1, connection=transport, verb=0,
                                  size=1024)
    said = fake_perftest.client_of_write_bw("6.29", [told])[:6]
    sock, answers = fake_perftest.as_client(server.port, said)
    sock.close()
    assert (told[:80] in [answer[:80] for answer in answers]) == is_taken


def test_a_client_without_an_end_says_nothing_of_it():
    server = Server("--once", "--perftest", "write_bw --run_infinitely")
    fake_perftest.as_client(server.port, CLIENT)[0].close()
    failed(server, "was stopped")


def test_a_client_that_did_not_trust_its_clock():
    """As perftest -F on a busy host."""
    server = Server("--once", "--perftest", "write_bw -n 100")
    said = [*CLIENT[:-4], *[b"\0" * 8] * 3, KEY]
    fake_perftest.as_client(server.port, said)[0].close()
    failed(server, "reported a rate of 0")


NOT_HERE = {
    "aes_xts": 1, "rdma_cm": 1, "offload": 1, "validation": 1, "verb": 1,
    "connection": 4, "tst": 2, "method": 3, "atomic": 1, "timed": 2,
    "format": 2, "iters": 0, "qps": 0xffffffff, "duration": 6, "imm": 1,
    "size": 0xffffffff}


@pytest.mark.parametrize("lid", (0, 0xc000))
def test_ends_at_no_hosts_lid(data, monkeypatch, lid):
    monkeypatch.setenv("FAKE_LINK", "infiniband")
    bad = fake_perftest.key_without_gid(lid)
    server = Server("--once", "--perftest", "send_lat -c UD")
    said = [*fake_perftest.head(), bad]
    # one that left at once would only be said to have left
    peer = fake_perftest.as_client(server.port, said)[0]
    failed(server, f"the client gave LID {lid} as its address")
    peer.close()
    fake = FakePerftest([*fake_perftest.head(), bad], silent=True)
    failed(client("send_lat", "--peer", "perftest", "-c", "UD", "-n", 60,
                  "-s", 64, port=fake.port),
           f"the server gave LID {lid} as its address")


# No host's: groups, all hosts of a network, nobody.
NO_HOST = {"224.0.0.1": "00" * 10 + "ffffe0000001",
           "255.255.255.255": "00" * 10 + "ffffffffffff",
           "0.0.0.0": "00" * 10 + "ffff00000000",
           "ff02::1": "ff02" + "00" * 13 + "01",
           "::": "00" * 16}
# As perftest numbers RC, UC and UD, and a test that each has.
CONNECTIONS = {"RC": (0, "write_bw"), "UC": (1, "write_bw"),
               "UD": (2, "send_lat")}


def no_host(address, peer):
    """What is said of a PEER that gives ADDRESS."""
    return (rf"the {peer} gave GID (::ffff:)?{address} as its address, "
            "which is")


@pytest.mark.parametrize("address", NO_HOST)
@pytest.mark.parametrize("transport", CONNECTIONS)
def test_a_client_at_no_hosts_address(data, transport, address):
    """Its server would send to all hosts, or to none."""
    number, _ = CONNECTIONS[transport]
    told = fake_perftest.settings(connection=number, verb=0, size=1024)
    bad = fake_perftest.key(gid=NO_HOST[address])
    said = [*fake_perftest.head("6.29"), told, bad]
    server = Server("--once")
    fake_perftest.as_client(server.port, said)[0].recv(108)
    failed(server, no_host(address, "client"))


@pytest.mark.parametrize("address", NO_HOST)
@pytest.mark.parametrize("transport", CONNECTIONS)
def test_a_server_at_no_hosts_address(data, transport, address):
    _, test = CONNECTIONS[transport]
    bad = fake_perftest.key(gid=NO_HOST[address])
    fake = FakePerftest([*fake_perftest.head(), bad], silent=True)
    failed(client(test, "--peer", "perftest", "-c", transport, "-n", 60, "-s",
                  64, port=fake.port), no_host(address, "server"))


def test_settings_that_are_not_possible_here():
    server = Server()
    for name, value in NOT_HERE.items():
        told = fake_perftest.settings(**{name: value})
        sock, answers = fake_perftest.as_client(
            server.port, fake_perftest.client_of_write_bw("6.29", [told]))
        sock.close()
        assert len(answers) == 4, name
    deadline(20, lambda: server.err.count("that is not possible here")
             == len(NOT_HERE), server)


def test_a_server_that_asks_for_settings_is_told_them():
    fake = FakePerftest(fake_perftest.of_write_bw("6.28"))
    succeeded(ours_against(fake))
    assert fake.got[4][:80] == fake_perftest.settings()[:80]
    fake = FakePerftest([*fake_perftest.head("6.28"),
                         fake_perftest.settings(size=4096)])
    failed(ours_against(fake), "perftest 6.28. has another size")
    fake = FakePerftest([*fake_perftest.head("6.28"),
                         fake_perftest.settings(312)], silent=True)
    failed(ours_against(fake), "perftest 6.28. was built without mlx5dv")


@pytest.mark.parametrize("options, words", [
    (("--verify",), "--verify"), (("--rdma-cm",), "--rdma-cm"),
    (("-c", "XRC"), "XRC"), (("--reversed",), "--reversed"),
    (("-s", "64,4K"), "--size"), (("--check",), "--check"),
    (("--key-file", "/dev/null"), "key"),
    (("--hold", 5), "--hold"), (("--mcast", "-c", "UD"), "--mcast")])
def test_what_cannot_be_had_is_refused(options, words):
    test = "send_bw" if "--mcast" in options else "write_bw"
    failed(Program(test, "--peer", "perftest", "-d", DEVICE, *options,
                   "127.0.0.1:9"), words, status=2)


def ours_against(fake, *options):
    return client("write_bw", "--peer", "perftest", "-n", 60, "--timeout", 1,
                  *options, port=fake.port)


def test_the_stand_in_is_believed():
    fake = FakePerftest(fake_perftest.of_write_bw())
    succeeded(ours_against(fake))
    assert fake.got[0] == b"6.06\0verbsperf\0\0"
    assert [len(message) for message in fake.got] == [
        len(message) for message in fake_perftest.of_write_bw()]


@pytest.mark.parametrize("silent", (False, True), ids=("closes", "silent"))
def test_a_server_that_stops_anywhere_is_one_line(silent):
    """At each message: after none of it, its first byte, all but one."""
    messages = fake_perftest.of_write_bw()
    stopped = []
    for i, message in enumerate(messages):
        for cut in (0, 1, len(message) - 1):
            fake = FakePerftest([*messages[:i], message[:cut]], silent)
            stopped.append(ours_against(fake))
        if i % 4 == 3:
            wait_for_all(stopped)
    wait_for_all(stopped)


def wait_for_all(programs):
    for program in programs:
        failed(program, "said nothing|closed the connection|lost the conn",
               seconds=20)
    programs.clear()


WRONG = {
    "no version": (0, b"SSH-2.0-OpenSSH_", "neither perftest nor"),
    "a frame": (0, b"vbsp\0\7\0\1\0\0\0\0....", "does not know clients"),
    "too old": (0, b"5.70".ljust(16, b"\0"), "5.80 or later"),
    "a page of 3 bytes": (1, b"\0\0\0\3", "page size that cannot be read"),
    "a huge cache line": (2, b"\xff\0\0\0", "cache line that cannot"),
    "an MTU of 9": (3, b"9\0", "MTU that cannot be read"),
    "no digits": (4, b"x" * 108, "key that cannot be read"),
    "no colons": (4, b"0" * 107 + b"\0", "key that cannot be read"),
    "a GID of IPv6": (4, fake_perftest.key(gid="20" * 16), "IPv6"),
}


@pytest.mark.parametrize("i, message, words", WRONG.values(), ids=WRONG)
def test_a_wrong_message_is_refused(i, message, words):
    messages = fake_perftest.of_write_bw()
    fake = FakePerftest([*messages[:i], message, *messages[i + 1:]])
    failed(ours_against(fake), words)


def test_values_that_mean_nothing_are_ignored():
    """What a server that only takes messages reports, and its later keys."""
    messages = fake_perftest.of_write_bw()
    fake = FakePerftest([*messages[:6], fake_perftest.key(0xffffff),
                         *messages[7:]])
    succeeded(ours_against(fake))


def our_server(test="write_bw", *options):
    """Ours under perftest's name, once it listens, and its port."""
    port = free_port()
    server = Program("-d", DEVICE, "-p", port, *options,
                     argv0=names(f"ib_{test}"))
    server.wait_for("serving on TCP port")
    return server, port


@needs_perftest
@pytest.mark.parametrize("test, options", [
    pytest.param(*case, id=" ".join(map(str, (case[0], *case[1]))))
    for case in cases() if "-m" not in case[1]])
def test_perftest_is_a_client_of_ours(data, test, options):
    server, port = our_server(test, *options)
    theirs = Program("-d", DEVICE, "-p", port, *options, "127.0.0.1",
                     argv0=(f"ib_{test}",)).wait(50)
    assert theirs.status == 0, f"{theirs}\n{server}"
    succeeded(server)
    if test in ("read_lat", "atomic_lat"):
        return
    ours, said = row(server.out), row(theirs.out)
    assert ours[0] == said[0] and float(ours[2]) > 0
    if test in ("write_bw", "read_bw", "atomic_bw"):
        assert float(ours[3]) == pytest.approx(float(said[3]), rel=0.01,
                                               abs=0.01)


def test_the_stand_in_is_believed_as_a_client():
    server, port = our_server()
    sock, answers = fake_perftest.as_client(port, CLIENT)
    sock.close()
    server.wait()
    assert server.status == 0, str(server)
    assert answers[0] == b"6.06\0verbsperf\0\0"
    assert [len(answer) for answer in answers] == [
        len(message) for message in CLIENT[:-1]]
    assert row(server.out)[:2] == ["65536", "100"]


def test_a_client_that_stops_anywhere_is_one_line():
    """At each message after the version: none of it, all but one byte."""
    servers = []
    for i, message in list(enumerate(CLIENT))[1:]:
        for cut in (0, len(message) - 1):
            server, port = our_server()
            sock, _ = fake_perftest.as_client(
                port, [*CLIENT[:i], message[:cut]])
            sock.close()
            servers.append(server)
        if i % 4 == 0:
            wait_for_all(servers)
    wait_for_all(servers)


NO_GID = b"0001:0001:001000:123456:00000500:00007f0000000000:00000000\0"


def test_a_client_without_a_gid_is_one_line():
    server, port = our_server()
    sock, answers = fake_perftest.as_client(port, [*CLIENT[:4], NO_GID, KEY])
    sock.close()
    assert len(answers) == 4
    failed(server, r"the client \(perftest 6.06\) has no GID, and this end has "
           "one; choose GIDs")


def test_a_client_that_falls_silent_is_left():
    """Before its traffic, and during it: sends, writes and reads."""
    silent = []
    for test, i in (("write_bw", 1), ("write_bw", 3), ("write_bw", 5),
                    ("write_bw", 9), ("write_bw", 7), ("send_bw", 8),
                    ("read_lat", 8)):
        server, port = our_server(test, "-n", 60)
        silent.append((server, fake_perftest.as_client(port, CLIENT[:i])[0]))
    for server, sock in silent:
        failed(server, "said nothing|nothing completed|did not end its traffic",
               seconds=20)
        sock.close()


def test_a_version_that_cannot_be_served():
    server, port = our_server()
    sock, _ = fake_perftest.as_client(port, [b"5.70".ljust(16, b"\0")])
    server.wait_for("error: the client is perftest")
    sock.close()
    # it was no client
    assert server.status is None
    fake_perftest.as_client(port, CLIENT)[0].close()
    server.wait()
    assert server.status == 0, str(server)


def overhear(test, options, our_end=None):
    """What the ends of TEST say, of which perftest is the other one."""
    if our_end == "server":
        server, port = our_server(test, *options)
    else:
        server = Perftest(test, *options)
        port = server.port
    relay = fake_perftest.Relay(port)
    name = f"ib_{test}"
    one = Program("-d", DEVICE, "-p", relay.port, *options, "127.0.0.1",
                  argv0=names(name) if our_end == "client" else (name,))
    for program in (one, server):
        assert program.wait(50).status == 0, f"{one}\n{server}"
    relay.join(20)
    return fake_perftest.without_numbers(relay.said)


@needs_perftest
@pytest.mark.parametrize("test, options", [
    ("read_bw", ("-n", 60, "-q", 2)), ("send_lat", ("-n", 60)),
    ("write_bw", ("-n", 60, "-b"))])
def test_the_bytes_are_those_of_perftest(data, test, options):
    theirs = overhear(test, options)
    assert len(theirs) > 16
    assert overhear(test, options, "client") == theirs
    assert overhear(test, options, "server") == theirs


@needs_perftest
@pytest.mark.parametrize("test", ("send_lat", "write_bw"))
def test_a_perftest_that_is_killed_ends_the_run(data, test):
    server = Perftest(test, "-D", 30)
    began = time.monotonic()
    ours = client(test, "--peer", "perftest", "--json", "-D", 30,
                  "--timeout", 3, port=server.port)
    ours.wait_for_traffic()
    # perftest may take a while to begin
    time.sleep(3)
    server.send(signal.SIGKILL)
    failed(ours, "server", seconds=20)
    assert time.monotonic() - began < 15
    (last,) = json.loads(ours.out)["results"]
    assert last["failed"] and last["iterations"] > 0


@needs_perftest
def test_a_perftest_that_is_stopped_ends_the_run(data):
    server = Perftest("send_lat", "-D", 30)
    ours = client("send_lat", "--peer", "perftest", "--json", "-D", 30,
                  "--timeout", 3, port=server.port)
    ours.wait_for_traffic()
    time.sleep(3)
    server.send(signal.SIGSTOP)
    failed(ours, "nothing completed", "--iterations", seconds=20)
    assert json.loads(ours.out)["results"][0]["failed"]
