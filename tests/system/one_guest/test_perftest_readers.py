"""What programs in the field take from tests for which messages must arrive: of
perftest, and of ours under its names.  All others are in tests/host."""
import ipaddress
import pathlib
import shutil

import pytest

import perftest_readers as readers
from lab import DEVICE, SYSFS, needs_lab, read_line
from perftest_readers import Imbue, Lnst, Shell, plain, take

pytestmark = [needs_lab, pytest.mark.real, pytest.mark.skipif(
    not shutil.which("ib_write_bw"), reason="needs perftest")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return readers.tools(tmp_path_factory.mktemp("names"))


def address():
    """Where librdmacm finds the device."""
    for path in sorted(pathlib.Path(SYSFS, "ports/1/gids").iterdir()):
        gid = ipaddress.ip_address(read_line(path) or "::")
        if gid.ipv4_mapped:
            return str(gid.ipv4_mapped)
    return pytest.skip(f"{DEVICE} has no IPv4 address")


@pytest.mark.parametrize("tool, name, options", [
    ("perftest", "ib_send_bw", "-n 100 -s 4096"),
    ("perftest", "ib_write_lat", "-n 100"),
    ("ours", "ib_send_bw", "-n 100 -s 4096"),
    ("ours", "ib_write_lat", "-n 100"), ("ours", "ib_send_lat", "-n 100")])
def test_cases(folders, tool, name, options):
    ran = Shell(folders[tool]).run(plain(name, f"{options} -u 18"))
    for reader in (*readers.OF_TABLES, readers.Ngc()):
        if reader.reads(name, options):
            take(reader, ran)
    # its owner's server reads as its client does
    Imbue().read(ran.server.out)


# perftest's client with -R ends with a segmentation fault now and then
def test_both_ends_print_one_number(folders):
    host = address()
    reader = Lnst(rdma_cm=True, source=f"--source_ip {host}")
    ran = Shell(folders["ours"], host).run(reader.lines("ib_send_bw"))
    assert min(take(reader, ran)) > 0


def test_a_multicast_group_in_a_latency_test(folders):
    """perftest takes -g there, and measures over UD."""
    ran = Shell(folders["ours"]).run(plain("ib_send_lat", "-g -n 20"))
    readers.ended_well(ran.client, ran.server)
    assert " Connection type : UD" in ran.client.out
    assert ran.client.err.count("-g has no effect in latency tests") == 1
