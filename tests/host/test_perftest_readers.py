"""What programs in the field take from the output under perftest's names, and
what they rely on; the programs are those of perftest_readers.py."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

import lab
import perftest_readers as readers
from perftest_readers import (MERGED, NAMES, WITH_DATA, Imbue, Lnst, Shell,
                              cases, plain, rows, take)

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

needs_perftest = pytest.mark.skipif(not shutil.which("ib_write_bw"),
                                    reason="needs perftest")


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return readers.tools(tmp_path_factory.mktemp("names"))


@pytest.fixture(scope="session")
def gpu(tmp_path_factory):
    """The environment in which there are GPUs."""
    return readers.make_gpu(tmp_path_factory.mktemp("gpu"))


@pytest.fixture
def ours(folders, gpu):
    return Shell(folders["ours"], **gpu)


@pytest.fixture
def perftest(folders):
    return Shell(folders["perftest"])


def named(pairs):
    return [pytest.param(*pair, id=f"{pair[0].title}-{pair[1]}")
            for pair in pairs]


def check_own_line(shell, reader, name):
    assert take(reader, shell.run(reader.lines(name), reader.streams))[-1] > 0


def check_case(shell, name, case):
    """Nothing that scripts look for is wrong; all who read the table, one after
    another; and who has one number."""
    ran = shell.run(plain(name, case))
    for end in ran.client, ran.server:
        assert not re.search("error|fail", end.out + end.err, re.I)
        assert not (ran.is_latency and "BW" in end.out + end.err)
    for reader in (*readers.OF_TABLES, readers.Ngc()):
        if reader.reads(name, case):
            assert take(reader, ran)
    lnst = Lnst()
    if lnst.reads(name, case):
        take(lnst, shell.run(lnst.lines(name, case)))


@needs_perftest
@pytest.mark.parametrize("reader, name", named(readers.owners(False)))
def test_readers_read_perftest(perftest, reader, name):
    check_own_line(perftest, reader, name)


# -n 1000, -D and --report_gbits are in own lines.
@needs_perftest
@pytest.mark.parametrize("name, case", [
    ("ib_read_bw", "-a -n 5"), ("ib_write_bw", "-q 2"),
    *((name, "-n 50" if name in WITH_DATA else "") for name in NAMES)])
def test_cases_of_perftest(perftest, name, case):
    check_case(perftest, name, case)


@pytest.mark.parametrize("reader, name", named(readers.owners(True)))
def test_own_lines(ours, reader, name):
    check_own_line(ours, reader, name)


@pytest.mark.parametrize("name, case", cases())
def test_cases(ours, name, case):
    check_case(ours, name, case)


@pytest.mark.parametrize("tool", ("ours", pytest.param(
    "perftest", marks=needs_perftest)))
@pytest.mark.parametrize("options", ("", "-n 5", "--report_gbits"))
def test_what_shell_scripts_do(folders, tool, options):
    out = Shell(folders[tool]).run(plain("ib_write_bw", options)).client.out
    average = out.splitlines()[-2].split()[3]
    assert readers.pipelines(out) == [average + "\n"] * len(
        readers.PIPELINES)


# Runs of which little is known: too short for a peak or a percentile.
SHORT = ("-n 1", "-n 5", "-n 5 -q 2", "-b -n 5", "-n 8 -l 4", "-D 1",
         "-D 1 --cpu_util", "-n 5 --report_gbits")


@pytest.mark.parametrize("name, options", [
    (name, options) for name in NAMES for options in SHORT
    if name.endswith("_bw") or not re.search("-[qbl] ", options)])
def test_a_number_in_every_column(ours, name, options):
    ran = ours.run(plain(name, options))
    readers.ended_well(ran.client, ran.server)
    assert not re.search(r"(^|\s)(-|nan|inf)(\s|$)", ran.client.out, re.I)
    columns = {True: 4 if "-D" in options else 9, False: 5}[ran.is_latency]
    (row,) = rows(ran.client.out)
    assert len(row) == columns + ("--cpu_util" in options)
    assert min(row[:4]) > 0
    found = json.loads(ran.json)["results"]
    assert found and all(isinstance(value, (int, float))
                         for value in found.values()), found
    # what is in doubt is said elsewhere, and in one line
    doubts = [line for line in ran.client.err.splitlines()
              if "uncertain" in line or "need" in line]
    assert len(doubts) <= 1, ran.client.err


def test_each_direction_has_its_numbers(ours):
    ran = ours.run(plain("ib_write_bw", "-b --report-both -n 50"))
    readers.ended_well(ran.client, ran.server)
    found = re.findall(r"^ \d.*$", ran.client.out, re.M)
    assert len(found) == 3
    assert all(float(word) > 0 for line in found for word in line.split())


# Where perftest's server has a row: that of ib_read_lat has none.
@pytest.mark.parametrize("tool", ("ours", pytest.param(
    "perftest", marks=needs_perftest)))
@pytest.mark.parametrize("name, options", [
    *((name, "-n 50") for name in NAMES
      if name not in ("ib_read_lat", "ib_atomic_lat")),
    ("ib_write_bw", "-D 1"), ("ib_write_bw", "-b -n 1000")])
def test_a_server_prints_what_its_client_does(folders, tool, name, options):
    ran = Shell(folders[tool]).run(plain(name, options))
    readers.ended_well(ran.server, ran.client)
    (row,) = rows(ran.server.out)
    assert row[:2] == rows(ran.client.out)[0][:2]
    # both ends of a latency test measure, and perftest's of ib_send_bw
    if not ran.is_latency and (tool, name) != ("perftest", "ib_send_bw"):
        assert [row] == rows(ran.client.out)
        assert Imbue().read(ran.server.out) == row[3]


@pytest.mark.parametrize("size", (65536, 1048576, 8388608))
@pytest.mark.parametrize("name", ("ib_write_bw", "ib_read_lat"))
def test_the_size_stands_first_in_its_row(ours, name, size):
    ran = ours.run(plain(name, f"-s {size} -n 200"), MERGED)
    for end in ran.client, ran.server:
        lines = [line for line in end.out.splitlines() if str(size) in line]
        assert not lines or lines[0].split()[0] == str(size), lines
    assert rows(ran.client.out)


def options_of(text):
    return set(re.findall(r"--([\w-]+)", text))


def help_of(shell, name):
    return subprocess.run(["sh", "-c", f"{name} --help"], text=True,
                          env=shell.environment, capture_output=True,
                          timeout=lab.PATIENCE, check=False).stdout


def refused():
    """The names of options that are not taken."""
    text = (SOURCE / "cli/perftest_table.c").read_text()
    return set(re.findall(r'OTHER\("([\w-]+)"', text))


@needs_perftest
@pytest.mark.parametrize("name", NAMES)
def test_help_has_all_that_perftest_says(ours, perftest, name):
    """What perftest has and we take, for scripts that probe it."""
    found = options_of(help_of(ours, name))
    wanted = options_of(help_of(perftest, name)) - refused()
    assert wanted - found == set()


@pytest.mark.parametrize("name, transports", [
    ("ib_write_bw", "RC UC XRC"), ("ib_send_lat", "RC UC UD XRC"),
    ("ib_read_bw", "RC XRC"), ("ib_atomic_lat", "RC XRC")])
def test_help_has_the_transports(ours, name, transports):
    """As ngc_multinode_perf reads them, to try all of them."""
    found = subprocess.run(
        f"{name} --help | awk -F'[<>]' '/--connection=/"
        "{gsub(/\\//,\" \");print $2}'", shell=True, text=True, check=True,
        env=ours.environment, capture_output=True, timeout=lab.PATIENCE).stdout
    assert found.split() == transports.split()


@pytest.mark.parametrize("options", (
    "--use_cuda=0", "--use_rocm=0", "--use_cuda=0 --use_hugepages",
    "--use_cuda=0 --use_cuda_dmabuf --use_data_direct",
    "--use_cuda_bus_id=0000:19:00.0", "--use_rocm=0 --use_rocm_dmabuf"))
@pytest.mark.parametrize("name", ("ib_write_bw", "ib_read_lat"))
def test_gpu_memory(ours, name, options):
    ran = ours.run(plain(name, f"{options} -n 1000"), MERGED)
    for end in ran.server, ran.client:
        assert end.status == 0, end.out
        found = re.findall(r"^allocated (0x[0-9a-f]+) bytes of GPU buffer at "
                           r"0x[0-9a-f]+$", end.out, re.M)
        assert len(found) == 1 and int(found[0], 16) > 0, end.out
        assert end.out.index("bytes of GPU buffer") < end.out.index(" Test\n")


def test_host_memory_is_no_gpu(ours):
    ran = ours.run(plain("ib_write_bw", "-n 1000"), MERGED)
    assert "GPU" not in ran.client.out + ran.server.out


# Of 6.06's rows; blanks before a number are those of the one before it.
BANDWIDTH = (r" {size:<7d}    {count:<10d}       [\d.]+ *            [\d.]+ *"
             "\t\t" r"   \d+\.\d{{6}} *")
LATENCY = (r" {size:<7d} {count:d}          [\d.]+ *        [\d.]+ *      "
           "[\\d.]+ *  \t       [\\d.]+ *     \t[\\d.]+ *\t\t[\\d.]+ * "
           "\t\t[\\d.]+ *")


@pytest.mark.parametrize("name, form, size, count", [
    ("ib_write_bw", BANDWIDTH, 2, 1000), ("ib_write_bw", BANDWIDTH, 65536, 5),
    ("ib_read_bw", BANDWIDTH, 8388608, 12345),
    ("ib_read_lat", LATENCY, 2, 1000), ("ib_read_lat", LATENCY, 8, 10000)])
def test_widths_of_columns(ours, name, form, size, count):
    out = ours.run(plain(name, f"-s {size} -n {count}")).client.out
    (line,) = re.findall(r"^ \d.*$", out, re.M)
    assert re.fullmatch(form.format(size=size, count=count), line), repr(line)
