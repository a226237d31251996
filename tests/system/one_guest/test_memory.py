"""Where memory is, what it is made of, and what it is registered for."""

import os
import re
import subprocess

import pytest

from documents import measured, row_of
from lab import (DEVICE, PATIENCE, PATIENT, QUICK, SYSFS, TESTS, Program,
                 Server, client, complained_and_serves, deadline, failed,
                 loopback, needs_device, needs_lab, succeeded)

pytestmark = needs_device

HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
NODES = "/sys/devices/system/node"
needs_node = pytest.mark.skipif(
    not os.path.isdir(NODES + "/node0"), reason="this kernel has no nodes")


def run(test, *args, **popen):
    return loopback(test, "--json", *QUICK, *args, **popen)


def text_of(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(str(text))


def real_of(*real):
    """Every test: for these only a real device will do."""
    return [pytest.param(test, marks=pytest.mark.real if test in real
                         else pytest.mark.data) for test in TESTS]


def numa_nodes(program):
    document = measured(program)
    return (document["client"]["numa_node"], document["server"]["numa_node"])


@pytest.mark.parametrize("test", real_of("write_bw", "send_lat"))
@pytest.mark.parametrize("option", ("mr-per-qp", "relaxed-ordering"))
def test_registered_otherwise(test, option):
    document = measured(run(test, "--" + option))
    assert document["parameters"][option] is True


def regions():
    """Memory regions of the device, by process."""
    text = subprocess.run(("rdma", "resource", "show", "mr", "dev", DEVICE),
                          check=True, capture_output=True, text=True).stdout
    owners = re.findall(r" pid (\d+) ", text)
    return sorted(owners.count(pid) for pid in set(owners))


@needs_lab
@pytest.mark.parametrize("args,number", (
    (("write_bw", "-q", 5), 1), (("write_bw", "-q", 5, "--mr-per-qp"), 5),
    (("write_lat",), 2), (("write_bw", "-q", 5, "-b"), 2),
    (("write_bw", "-q", 5, "-b", "--mr-per-qp"), 10)))
def test_number_of_regions(args, number):
    program = loopback(*args, "-s", 64, "-D", 3)
    deadline(PATIENCE, lambda: regions() == [number, number],
             f"{number} memory regions at each end")
    program.kill()


def test_every_queue_pair_has_its_region():
    row = row_of(run("write_bw", "-q", 64, "-s", 64, "--mr-per-qp"))
    assert row["iterations"] == 640


def device_pages_on_demand():
    text = subprocess.run(("ibv_devinfo", "-v", "-d", DEVICE), check=True,
                          capture_output=True, text=True).stdout
    return "ODP_SUPPORT" in text


@pytest.mark.parametrize("test", ("write_bw", "atomic_lat"))
def test_on_demand_paging_is_there_or_refused(test, shared_server):
    program = client(test, *QUICK, "--json", "--odp",
                     port=shared_server.port)
    if device_pages_on_demand():
        assert measured(program)["parameters"]["odp"] is True
        return
    text = f"--odp: the client's {DEVICE} does not support on-demand paging"
    failed(program, text, "leave --odp out")
    complained_and_serves(shared_server, text)


@pytest.fixture
def huge_pages():
    """A function that sets how many there are."""
    before = text_of(HUGE_PAGES)
    yield lambda n: write(HUGE_PAGES, n)
    write(HUGE_PAGES, before)


def in_use():
    """Huge pages that are."""
    words = dict(re.findall(r"HugePages_(\w+): +(\d+)",
                            text_of("/proc/meminfo")))
    return int(words["Total"]) - int(words["Free"])


@needs_lab
def test_too_few_huge_pages_are_refused_at_both_ends(huge_pages):
    huge_pages(2)
    server = Server()
    failed(client("write_bw", *QUICK, "--hugepages", "-s", "8M", "-q", 1,
                  port=server.port),
           "--hugepages: messages need 4 pages of 2048 KiB, 2 are free",
           "sysctl vm.nr_hugepages=4")
    complained_and_serves(server, "--hugepages: messages need 4 pages")


@needs_lab
def test_messages_in_huge_pages(huge_pages):
    huge_pages(8)
    program = loopback("write_bw", "--json", "-D", 2, "--hugepages", "-s",
                       "1M", "-q", 5)
    deadline(PATIENCE, lambda: in_use() == 6, "three huge pages at each end")
    document = measured(program)
    assert document["parameters"]["hugepages"] is True
    assert document["results"][0]["size"] == 1 << 20
    deadline(PATIENCE, lambda: in_use() == 0, "no huge pages in use")


@needs_lab
def test_huge_pages_with_a_region_each(huge_pages):
    huge_pages(4)
    assert row_of(run("send_bw", "-q", 3, "--hugepages",
                      "--mr-per-qp"))["iterations"] == 30


@pytest.mark.parametrize("test", ("write_lat", "read_lat", "send_bw",
                                  "atomic_bw"))
@pytest.mark.parametrize("ours,theirs", (
    ("shared", "anonymous"), ("file:/dev/shm", "shared"),
    ("anonymous", "file:/dev/shm,offset=64K")))
def test_each_end_has_memory_of_its_own(test, ours, theirs):
    server = Server("--memory", theirs)
    document = measured(client(test, "--json", *QUICK, "--verify",
                               "--memory", ours, port=server.port))
    assert document["parameters"]["memory"].startswith(ours.split(",")[0])
    assert document["client"]["memory"] == ours.split(":")[0]
    assert document["server"]["memory"] == theirs.split(":")[0]
    assert document["results"][0]["verified"] is True


@needs_lab
def test_huge_pages_of_one_end(huge_pages):
    huge_pages(4)
    server = Server("--memory", "file:/dev/shm")
    document = measured(client("send_bw", "--json", *QUICK, "--verify",
                               "--memory=hugepages=2M", port=server.port))
    assert document["client"]["memory"] == "hugepages=2M"
    assert document["server"]["memory"] == "file"
    # an end that chose nothing takes what the client asks for
    document = measured(run("write_bw", "--hugepages"))
    assert document["server"]["memory"] == "hugepages=2M"


@needs_lab
@pytest.mark.parametrize("kind,problem,advice", (
    ("device", f"{DEVICE} has no memory of its own", "another --memory"),
    ("cuda:1", "--memory=cuda:1: cannot load libcuda.so.1", "driver"),
    ("hip", "--memory=hip:0: cannot load libamdhip64.so", "ROCm"),
    ("hugepages=1G", "--memory=hugepages=1G: ", "")))
def test_memory_that_is_not_there(kind, problem, advice):
    server = Server()
    failed(client("write_bw", *QUICK, "--memory", kind, port=server.port),
           problem, advice)
    complained_and_serves(server, problem)


@needs_lab
@pytest.mark.skipif(not os.path.exists("/dev/udmabuf"),
                    reason="this kernel makes no dma-buf of a memfd")
def test_a_device_that_takes_no_dma_buf():
    program = client("write_bw", *QUICK, "--memory", "dmabuf:udmabuf",
                     port=Server().port)
    failed(program, rf"{DEVICE}: cannot register \d+ bytes: as a dma-buf: "
           "Operation not supported", re.escape(os.uname().release),
           "another --memory")


@pytest.mark.dialogue
def test_no_such_kind_of_memory():
    failed(Program("write_bw", "-d", DEVICE, "--memory", "gpu", "localhost"),
           "--memory 'gpu': must be anonymous, hugepages", status=2)


@pytest.mark.dialogue
def test_no_node():
    program = run("write_bw", "--numa", "none")
    assert numa_nodes(program) == (None, None)
    assert "NUMA" not in program.err


@pytest.mark.dialogue
@needs_node
def test_node_by_number():
    program = run("write_bw", "--numa", 0)
    assert numa_nodes(program) == (0, 0)
    assert len(re.findall(r", NUMA node 0\n", program.err)) == 2


@pytest.mark.dialogue
@needs_node
@pytest.mark.parametrize("test", ("write_bw", "serve"))
def test_node_that_is_not_there(test):
    online = text_of(NODES + "/online").strip()
    failed(Program(test, "-d", DEVICE, "-p", 0, "--numa", 999),
           "--numa 999: no such node", f"expected {online}", "none")


@pytest.mark.dialogue
@needs_node
def test_each_end_has_its_own_node():
    server = Server("--numa", 0)
    program = client("write_bw", "--json", *QUICK, "--numa", "none",
                     port=server.port)
    assert numa_nodes(program) == (None, 0)


@pytest.fixture
def near_node_0(tmp_path):
    """The device says that it is near node 0, which Soft-RoCE never does."""
    folder = tmp_path / "infiniband"
    device = folder / DEVICE
    (device / "device").mkdir(parents=True)
    for name in os.listdir(SYSFS):
        (device / name).symlink_to(
            os.path.join(os.path.realpath(SYSFS), name))
    (device / "device" / "numa_node").write_text("0\n")
    parent = os.path.dirname(SYSFS)
    subprocess.run(("mount", "--bind", folder, parent), check=True)
    yield
    subprocess.run(("umount", parent), check=True)


@needs_lab
@needs_node
def test_node_of_the_device(near_node_0):
    assert numa_nodes(run("write_bw")) == (0, 0)
    assert numa_nodes(run("send_lat")) == (0, 0)
    assert numa_nodes(run("write_bw", "--numa", "none")) == (None, None)


@needs_lab
@needs_node
def test_what_was_chosen_from_outside_stays(near_node_0):
    only = {"preexec_fn": lambda: os.sched_setaffinity(0, {1})}
    server = Server(**only)
    program = client("write_bw", "--json", *QUICK, port=server.port)
    assert numa_nodes(program) == (0, None)
    program = client("write_bw", "--json", *QUICK, "--numa", 0,
                     port=server.port, **only)
    assert numa_nodes(program) == (0, None)
    assert os.sched_getaffinity(server.process.pid) == {1}


@needs_lab
@needs_node
def test_memory_prefers_the_node():
    server = Server("--numa", 0)
    program = client("write_bw", "-D", 1, *PATIENT, port=server.port)
    program.wait_for_traffic()
    maps = text_of(f"/proc/{server.process.pid}/numa_maps")
    assert "prefer:0" in maps or "prefer=relative:0" in maps
    succeeded(program)


@pytest.mark.dialogue
@needs_node
def test_cpus_come_first():
    program = run("write_bw", "--numa", 0, "--cpus", "0")
    assert numa_nodes(program) == (0, 0)
