"""perftest's command lines, taken by perftest and by verbsperf under the same
names, both on the fake NIC: the same lines, the same blanks, whatever the
numbers; and the same keys in JSON."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

from conftest import HERE

VERBSPERF = os.environ.get("VERBSPERF")
BENCH = HERE.parent / "bench"
RULE = "-" * 87
PROGRAMS = [f"ib_{operation}_{metric}" for operation in (
    "send", "write", "read", "atomic") for metric in ("bw", "lat")]

pytestmark = pytest.mark.skipif(
    not VERBSPERF or not shutil.which("ib_write_bw"),
    reason="needs perftest, and VERBSPERF in the environment")


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """With a NIC that completes each message after 2 us."""
    library = tmp_path_factory.mktemp("fake") / "fake_nic.so"
    sources = [BENCH / f"fake_{part}.c"
               for part in ("nic", "path", "time", "data", "fabric")]
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-fno-tree-slp-vectorize",
                    "-shared", "-fPIC", "-o", library, *sources], check=True)
    return {**os.environ, "LD_PRELOAD": str(library), "FAKE_DELAY": "2000"}


@pytest.fixture(scope="session")
def ours(tmp_path_factory):
    """A folder where perftest's names are verbsperf's."""
    folder = tmp_path_factory.mktemp("perftest")
    for name in PROGRAMS:
        (folder / name).symlink_to(pathlib.Path(VERBSPERF).resolve())
    return folder


@pytest.fixture(scope="session")
def theirs():
    """Where perftest is."""
    return pathlib.Path(shutil.which("ib_write_bw")).parent


def wait_for_listener(port, process):
    """Until somebody listens on PORT; a connection would be taken for one."""
    end = time.monotonic() + 30
    wanted = f":{port:04X} "
    while process.poll() is None and time.monotonic() < end:
        for path in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(path) as file:
                if any(wanted in line and " 0A " in line for line in file):
                    return
        time.sleep(0.05)
    raise subprocess.SubprocessError("the server does not listen")


def both_ends(environment, folder, line, cwd=None):
    """What the client prints of the command LINE, given to both ends."""
    for _ in range(3):
        try:
            return try_both_ends(environment, folder, line, cwd)
        except subprocess.SubprocessError as error:
            last = error
    if folder == pathlib.Path("/usr/bin"):
        return pytest.skip(f"perftest does not run here: {last}")
    raise last


def free_port():
    """A port that the kernel gives to nobody who asks for any."""
    while True:
        port = random.randrange(12000, 20000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def try_both_ends(environment, folder, line, cwd):
    """The same, once."""
    port = free_port()
    name, *options = line.split()
    words = [folder / name, "-p", str(port), *options]
    # its files are not the client's
    with tempfile.TemporaryDirectory() as elsewhere, subprocess.Popen(
            words, env=environment, cwd=elsewhere, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as server:
        try:
            wait_for_listener(port, server)
            return subprocess.run(
                [*words, "127.0.0.1"], env=environment, text=True, check=True,
                timeout=60, capture_output=True, cwd=cwd).stdout
        finally:
            server.kill()


def lines_of(text):
    """From the rule above the title on."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.endswith(" Test"))
    return lines[start - 1:]


# What stands in a cell.
CELL = r"(\d[\d.]*|nan)"


def fields(line):
    """Each number of LINE with the blanks after it, and all between."""
    line = re.sub(r"\b(QPN|PSN|RKey|VAddr) (0x)?[0-9a-f]+", r"\1 X", line)
    line = re.sub(r"\b(ON|OFF)\b", "OFF", line)
    numbers = re.findall(CELL + "( *)", line)
    return ([(len(n), len(blanks)) for n, blanks in numbers],
            re.sub(CELL + " *", "#", line))


def gaps(digits, blanks):
    """The blanks after a number by how wide it is made, if it is not wider."""
    return {(width, blanks - max(0, width - digits)) for width in (0, 7, 10)}


def check_alike(mine, theirs):
    """A number may have other digits."""
    numbers, rest = fields(mine)
    others, wanted = fields(theirs)
    assert rest == wanted
    for one, other in zip(numbers, others, strict=True):
        assert gaps(*one) & gaps(*other), (mine, theirs)


@pytest.mark.parametrize("line", [
    "ib_write_bw -n 100 -s 2 -F",
    "ib_write_bw -n 100 -s 2 -b --CPU-freq",
    "ib_write_bw -n 1000 -s 512 -b --report-both",
    "ib_write_bw -n 4000 -s 64 --report-both --report_gbits",
    "ib_write_bw -n 4000 -s 8 -q 2 -l 4 --report_gbits",
    "ib_write_bw --iters=100 --size=8 --tx-depth=16",
    "ib_write_bw -n 20000 -s 64 -Q 4 -t 8",
    "ib_write_bw -D 1 -s 2 --cpu_util",
    "ib_write_bw -n 100 -s 2 --cpu_util",
    "ib_read_bw -n 20 -a",
    "ib_atomic_bw -n 100 -A CMP_AND_SWAP",
    "ib_read_lat -n 100 -s 2",
    "ib_read_lat -F",
    "ib_read_lat -D 1 -s 64 --cpu_util",
    "ib_atomic_lat -n 100",
])
def test_lines_are_those_of_perftest(environment, ours, theirs, line):
    mine = lines_of(both_ends(environment, ours, line))
    others = lines_of(both_ends(environment, theirs, line))
    assert RULE in mine and len(mine) == len(others), (mine, others)
    for one, other in zip(mine, others):
        check_alike(one, other)


# What scripts write, perftest takes, and its own rules or ours would refuse; and
# what is said of it, in one line.
@pytest.mark.parametrize("line, said", [
    ("ib_write_bw -n 100 -w 100M --report_gbits", "-w 100M: only the number"),
    ("ib_write_bw -n 100 -y 0.01G", "-y 0.01G: only the number is read"),
    ("ib_read_lat -n 100 -w 100M", "-w has no effect in latency tests"),
    ("ib_read_lat -n 100 -y 10G", "-y has no effect in latency tests"),
    ("ib_read_lat -n 100 -Q 10", None),
    ("ib_write_bw -n 200 --rate_limit=50 --burst_size=2147483647",
     "--burst_size 2147483647: reduced to the send queue's 128"),
    ("ib_read_lat -n 100 --burst_size=2147483647",
     "--burst_size has no effect without --rate_limit"),
    ("ib_write_bw -n 100 --retry_count=10", "--retry_count 10: reduced to 7"),
    ("ib_write_bw -n 100 -s 64 -a", "-s has no effect with -a"),
    ("ib_write_bw -n 100 -m 9000", "-m 9000: no MTU of a path"),
    ("ib_write_bw -n 100 -m 4096", "--mtu 4096: reduced to the active MTU"),
    ("ib_write_bw -n 100 --ipv6-addr -6", None),
    ("ib_write_bw -n 100 --recv_post_list=4", "--recv_post_list has no eff"),
    ("ib_read_lat -n 100 --recv_post_list=4", "--recv_post_list has no eff"),
    ("ib_write_bw -n 100 -O", "-O: one port is measured"),
    ("ib_write_bw -D 1 --report-per-port", "--report-per-port: one port"),
    ("ib_write_bw -n 100 --use-null-mr", "--use-null-mr: messages are read"),
    ("ib_write_bw -n 100 --use_data_direct", "--use_data_direct: GPU mem"),
    ("ib_write_bw -n 100 --payload_file_path=x", "--payload_file_path: mes"),
    ("ib_write_bw -n 100 --tclass=0x60 --report_gbit", None),
    ("ib_write_bw -n100 -Fbs64 -F", None),
])
def test_values_are_taken(environment, ours, line, said):
    port = free_port()
    name, *options = line.split()
    words = [ours / name, *options, "-p", str(port)]
    small = {**environment, "FAKE_MTU": "2048"}
    with subprocess.Popen(words, env=small, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as server:
        try:
            wait_for_listener(port, server)
            # the host stands between the options
            done = subprocess.run([*words[:-2], "127.0.0.1", *words[-2:]],
                                  env=small, text=True, timeout=30,
                                  capture_output=True, check=False)
            server.communicate(timeout=10)
        finally:
            server.kill()
    assert (done.returncode, server.returncode) == (0, 0), done.stderr
    assert re.search(r"^ \d+ +\d+ ", done.stdout, re.M)
    assert re.search("error|fail", done.stderr, re.I) is None
    lines = [one for one in done.stderr.splitlines()
             if one.startswith("verbsperf: -")]
    assert len(lines) == (1 if said else 0), lines
    assert not said or said in lines[0]


@pytest.mark.parametrize("line", [
    "ib_write_bw -n 20000 -s 64 --output=bandwidth",
    "ib_write_bw -n 20000 -s 64 --output=message_rate --report_gbits",
    "ib_read_lat -n 100 --output=latency",
])
def test_one_number(environment, ours, theirs, line):
    for folder in ours, theirs:
        last = both_ends(environment, folder, line).splitlines()[-1]
        assert float(last) > 0
        assert len(last.partition(".")[2]) == 6


def read_theirs(text):
    """perftest's JSON, which is none in 6.06: names and words have no quotes,
    and commas stand before braces."""
    found, part = {}, None
    for line in text.splitlines():
        name, colon, value = (word.strip(' ",') for word in
                              line.partition(":"))
        if value == "{":
            part = found.setdefault(name, {})
        elif colon:
            part[name] = value
    return found


@pytest.mark.parametrize("option", ["-H", "-U"])
def test_all_samples(environment, ours, theirs, option):
    for folder in ours, theirs:
        text = both_ends(environment, folder, f"ib_read_lat -n 200 {option}")
        listed = re.findall(r"^(\d+), ([\d.e+]+)$", text, re.M)
        # perftest leaves some out
        assert len(listed) == 200 or folder == theirs
        assert [int(number) for number, _ in listed] == list(
            range(1, len(listed) + 1))
        values = [float(value) for _, value in listed]
        assert min(values) > 0 and len(values) > 190
        assert (values == sorted(values)) == (option == "-H")
        assert text.index("t_min[usec]") < text.index("#, usec")


# keys that only newer versions of perftest have, or older ones
OF_VERSIONS = {"Use_ROCm_memory", "Use_MUSA_memory", "WARNING1", "WARNING2",
               "Lock-free", "Using_Enhanced_Reorder"}


@pytest.mark.parametrize("line", [
    "ib_write_bw -n 20000 -s 64", "ib_write_bw -n 100 -b -s 64 --report_gbits",
    "ib_write_bw -n 100 -l 4 -s 64",
    "ib_write_bw -D 1 -s 64 --cpu_util", "ib_read_lat -D 1 --cpu_util",
    "ib_read_bw -n 100 -s 64", "ib_read_lat -n 100",
    "ib_atomic_lat -n 100",
])
def test_json_has_the_keys_of_perftest(environment, ours, theirs, line,
                                       tmp_path):
    documents = []
    for folder in ours, theirs:
        path = tmp_path / "out.json"
        both_ends(environment, folder,
                  f"{line} --out_json --out_json_file={path.name}", tmp_path)
        documents.append(path.read_text())
        path.unlink()
    mine, others = json.loads(documents[0]), read_theirs(documents[1])
    assert mine.keys() == others.keys()
    for part in mine:
        assert (set(mine[part]) - OF_VERSIONS
                == set(others[part]) - OF_VERSIONS)
    for key, value in others["test_info"].items():
        # of the device's default, and of how it is used
        if key not in ("Outstand_reads", "ibv_wr_API"):
            assert str(mine["test_info"][key]) == value
    for key, value in others["results"].items():
        assert isinstance(mine["results"][key], (int, float, type(None)))
        if key in ("MsgSize", "n_iterations") and "-D" not in line:
            assert str(mine["results"][key]) == value


def test_both_ends_get_the_same_line(environment, ours):
    """The server names what its client says otherwise."""
    with subprocess.Popen(
            [ours / "ib_write_bw", "-p", "0", "-s", "4096", "-q", "2"],
            env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as server:
        first = server.stderr.readline()
        port = re.search(r"TCP port (\d+)", first)[1]
        subprocess.run([ours / "ib_write_bw", "-p", port, "-s", "64", "-q",
                        "2", "127.0.0.1"], env=environment, check=True,
                       timeout=60, capture_output=True)
        out, err = server.communicate(timeout=60)
    assert server.returncode == 0
    assert "* Waiting for client to connect... *" in out
    lines = [line for line in err.splitlines() if "warning" in line]
    assert len(lines) == 1 and "--size" in lines[0]
    assert "--qps" not in lines[0]


@pytest.mark.parametrize("line, status", [
    ("ib_write_bw --help", 1), ("ib_write_bw -V", 1),
    ("ib_write_bw --zzz host", 1), ("ib_write_bw -c UD host", 1),
    ("ib_write_bw -d no-such-device 127.0.0.1", 1),
])
def test_exit_status(environment, ours, theirs, line, status):
    name, *options = line.split()
    for folder in ours, theirs:
        done = subprocess.run([folder / name, *options], env=environment,
                              capture_output=True, timeout=60, check=False)
        assert done.returncode == status, folder
