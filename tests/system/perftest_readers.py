"""Nine programs that read what perftest prints, as far as they read it.

Each has the command lines that its owner's program writes, collects the output
as that does (both streams in one, or in a terminal), and takes its values in the
same way; where that is awk, grep or a shell, by awk, grep or a shell.

  perftest_readers.py [ours|perftest]...

prints which reader gets its value in which case, and why the others do not.
VERBSPERF is our program; see lab.py for the device.
"""
import ctypes
import dataclasses
import math
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import lab

OPERATIONS = ("write", "send", "read", "atomic")
NAMES = [f"ib_{operation}_{metric}" for metric in ("bw", "lat")
         for operation in OPERATIONS]
# The fake NIC moves data for these, and both ends of a latency test wait for
# each other.
WITH_DATA = ("ib_send_bw", "ib_write_lat", "ib_send_lat")
WITHOUT_DATA = tuple(name for name in NAMES if name not in WITH_DATA)
CASES = ("", "-a", "-n 1000", "-D 1", "-q 2", "--report_gbits")
TIME_LIMIT = 60
TERMINAL, APART, MERGED = "terminal", "apart", "merged"


class Unreadable(Exception):
    """The reader's own program would get no value, and why."""


@dataclasses.dataclass
class End:
    """What one end printed: OUT has both streams where they are one."""
    out: str
    err: str
    status: int


@dataclasses.dataclass
class Ran:
    """A test: its program's name, what both ends printed, and the client's
    JSON."""
    name: str
    server: End
    client: End
    json: str

    @property
    def is_latency(self):
        return self.name.endswith("_lat")


def is_taken(name, case):
    """CASE is a command line of perftest's for the program NAME."""
    return not ("-a" in case and "atomic" in name
                or "-q" in case and name.endswith("_lat"))


def cases(names=NAMES):
    """Each of NAMES with each case that it is run with."""
    for name in names:
        for case in CASES:
            if name in WITH_DATA and "-D" not in case:
                count = 5 if case == "-a" else 50
                case = f"{case.replace('-n 1000', '')} -n {count}"
            if is_taken(name, case):
                yield name, case.strip()


def rows(text):
    """The rows below the headings; what is no number is NaN."""
    found = re.search(r"^ #bytes.*\n((?: \d.*\n)*)", text, re.M)
    if not found or not found[1]:
        raise Unreadable("there is no row below the headings")
    return [[float("nan" if word == "-" else word) for word in line.split()]
            for line in found[1].splitlines()]


# ------------------------------------------------------------- running them


def make_names(folder):
    """perftest's names for our program, in FOLDER."""
    folder.mkdir(exist_ok=True)
    program = os.path.abspath(shutil.which(lab.BINARY) or lab.BINARY)
    # else the shell would find perftest
    assert os.access(program, os.X_OK), f"{program} cannot be run"
    for name in NAMES:
        (folder / name).symlink_to(program)
    return folder


def tools(folder):
    """The folders of both, by name; ours is made below FOLDER."""
    found = {"ours": make_names(pathlib.Path(folder) / "names")}
    if shutil.which("ib_write_bw"):
        found["perftest"] = pathlib.Path(shutil.which("ib_write_bw")).parent
    return found


def make_gpu(folder):
    """The drivers of a GPU that is none, in FOLDER; the environment in which
    programs find them."""
    folder = pathlib.Path(folder)
    sources = pathlib.Path(__file__).resolve().parent.parent / "standin"
    first, *others = ("libcuda.so.1", "libamdhip64.so",
                      "libhsa-runtime64.so.1")
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o",
                    folder / first, "cuda.c", "hip.c", "memory.c"],
                   cwd=sources, check=True)
    for name in others:
        (folder / name).symlink_to(first)
    return {"LD_LIBRARY_PATH": str(folder)}


class Shell:
    """Both ends' command lines, with the names of one tool first in PATH."""

    def __init__(self, names, host="127.0.0.1", device=lab.DEVICE, **more):
        environment = {**(lab.environment() or os.environ), **more}
        self.environment = {**environment,
                            "PATH": f"{names}:{os.environ['PATH']}"}
        if lab.FAKE:
            self.environment["FAKE_DELAY"] = "2000"
        self.host, self.device = host, device

    def start(self, line, folder, name, streams):
        """A process, with its output in files of FOLDER."""
        out = open(folder / f"{name}.out", "wb")
        err = (subprocess.STDOUT if streams == MERGED
               else open(folder / f"{name}.err", "wb"))
        try:
            return subprocess.Popen(
                ["sh", "-c", f"exec {line}"], env=self.environment,
                cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True)
        finally:
            out.close()
            if err != subprocess.STDOUT:
                err.close()

    def end_of(self, process, folder, name):
        texts = [(folder / f"{name}.{stream}") for stream in ("out", "err")]
        out, err = [path.read_text("utf-8", "replace") if path.exists() else ""
                    for path in texts]
        return End(out, err, process.returncode)

    def in_terminal(self, line, folder):
        """What LINE leaves in a terminal, which has both streams."""
        master, slave = pty.openpty()
        with subprocess.Popen(
                ["sh", "-c", f"exec {line}"], env=self.environment, cwd=folder,
                stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                start_new_session=True) as process:
            os.close(slave)
            text = read_all(master)
            process.wait(TIME_LIMIT)
        os.close(master)
        return End(text.decode("utf-8", "replace"), "", process.returncode)

    def run(self, lines, streams=APART):
        """Run the lines of both ends, the client once the server says or shows
        that it listens."""
        port = lab.free_port()
        server, client = [line.format(
            device=self.device, port=port, host=self.host) for line in lines]
        name = re.search(r"\bib_\w+", client)[0]
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "server").mkdir()
            # where messages are on the way
            self.environment.pop("FAKE_DATA", None)
            if name in WITH_DATA:
                self.environment["FAKE_DATA"] = str(folder / "data")
            process = self.start(server, folder / "server", "server", MERGED
                                 if streams == MERGED else APART)
            try:
                wait_for_server(process, folder / "server/server.out", port,
                                "--rdma_cm" in server)
                if streams == TERMINAL:
                    end = self.in_terminal(client, folder)
                else:
                    other = self.start(client, folder, "client", streams)
                    wait(other)
                    end = self.end_of(other, folder, "client")
                if end.status == 0:
                    wait(process)
            finally:
                kill(process)
            path = folder / "client.json"
            return Ran(name, self.end_of(process, folder / "server", "server"),
                       end, path.read_text() if path.exists() else "")


def read_all(master):
    """All that comes out of a terminal until nobody has it any more."""
    data, end = b"", time.monotonic() + TIME_LIMIT
    while select.select([master], [], [], end - time.monotonic())[0]:
        try:
            data += os.read(master, 65536)
        except OSError:
            break
    return data


def wait(process):
    try:
        process.wait(TIME_LIMIT)
    except subprocess.TimeoutExpired:
        kill(process)


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def listens(port):
    for path in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(path) as file:
            if any(f":{port:04X} " in line and " 0A " in line
                   for line in file):
                return True
    return False


def wait_for_server(process, path, port, hidden):
    """Its port is not shown here when librdmacm listens: wrappers sleep."""
    end = time.monotonic() + (2 if hidden else TIME_LIMIT)
    while process.poll() is None and time.monotonic() < end:
        if "Waiting for client" in path.read_text() and not hidden:
            break
        if listens(port):
            break
        time.sleep(0.02)


# ------------------------------------------------------------- the readers


class Reader:
    """STREAMS is how it collects output; OPTIONS are both ends' own."""
    title = ""
    streams = APART
    programs = NAMES
    options = ""

    def lines(self, name, options=None):
        """The command lines of both ends, of the program NAME."""
        options = self.options if options is None else options
        line = f"{name} -d {{device}} -p {{port}} {options}".rstrip()
        return line, f"{line} {{host}}"

    def reads(self, name, case):
        """It reads what NAME prints with the options CASE."""
        return is_taken(name, case) and name.endswith("_bw")

    def values(self, ran):
        """What it takes; raises Unreadable."""
        raise NotImplementedError

    def expected(self, ran):
        """What stands in the table."""
        return [rows(ran.client.out)[0][3]]


def number(word):
    try:
        value = float(word)
    except ValueError:
        raise Unreadable(f"'{word}' is no number") from None
    if not math.isfinite(value):
        raise Unreadable(f"'{word}' is not finite")
    return value


def ended_well(*ends):
    for end in ends:
        if end.status:
            raise Unreadable(f"status {end.status}: "
                             + (end.err or end.out)[-200:].strip())


class Nccl(Reader):
    """NCCL's diagnostics: sscanf() from the beginning of each line."""
    title = "NCCL diagnostics"
    streams = MERGED
    options = "-i 1 -s 65536 --report_gbits -q 1 -n 1000"
    # the owner's limit is 5 s, which a busy machine may need for nothing
    limit = f"timeout -k 2 {TIME_LIMIT} stdbuf -oL "

    def lines(self, name, options=None):
        return [self.limit + line for line in super().lines(name, options)]

    def values(self, ran):
        if not any("Waiting for client" in line
                   for line in ran.server.out.splitlines()):
            raise Unreadable("the server did not say that it waits")
        ended_well(ran.client, ran.server)
        scan = ctypes.CDLL(None).sscanf
        peak, average = ctypes.c_double(), ctypes.c_double()
        text = ran.client.out + ran.client.err
        while text:
            if scan(text.encode(), b"%*u %*u %lf %lf", ctypes.byref(peak),
                    ctypes.byref(average)) == 2 and (
                        math.isfinite(peak.value + average.value)):
                return [peak.value, average.value]
            text = text.partition("\n")[2]
        raise Unreadable("no line begins with two integers and two numbers")

    def expected(self, ran):
        return rows(ran.client.out)[0][2:4]


class SuperBench(Reader):
    """SuperBench's ib-traffic: the largest value of all lines."""
    title = "SuperBench"
    options = "-F -n 2000 -s 4096 --report_gbits"
    bandwidth = re.compile(r"\d+\s+\d+\s+\d+\.\d+\s+(\d+\.\d+)\s+\d+\.\d+")
    latency = re.compile(r"\d+\s+\d+\s+\d+\.\d+\s+\d+\.\d+\s+\d+\.\d+"
                         r"\s+(\d+\.\d+)\s+\d+\.\d+\s+\d+\.\d+\s+\d+\.\d+")

    def reads(self, name, case):
        return is_taken(name, case) and not (name.endswith("_lat")
                                             and "-D" in case)

    def values(self, ran):
        pattern = self.bandwidth if "BW" in ran.client.out else self.latency
        found = [pattern.search(line) for line in ran.client.out.split("\n")]
        values = [float(match[1]) for match in found if match]
        if not values:
            raise Unreadable("its pattern is in no line")
        return [max(values)]

    def expected(self, ran):
        column = 5 if ran.is_latency else 3
        return [max(row[column] for row in rows(ran.client.out))]


class Azure(Reader):
    """Azure's health checks: the first line that has the size in it."""
    title = "Azure NHC"
    options = "-s 8388608 -F --report_gbits --perform_warm_up"
    script = r"""
        IFS=$'\n'; lines=( $OUTPUT ); IFS=$' \t\n'
        for line in "${lines[@]}"; do
            if [[ "${line//$SIZE}" != "$line" ]]; then
                words=( $line )
                echo "${words[3]}"
                break
            fi
        done"""

    # 8 bytes of an atomic are in many a line
    def reads(self, name, case):
        return super().reads(name, case) and "atomic" not in name

    def values(self, ran):
        ended_well(ran.client)
        size = int(rows(ran.client.out)[-1][0])
        done = subprocess.run(
            ["bash", "-c", self.script], check=True, capture_output=True,
            text=True, env={**os.environ, "OUTPUT": ran.client.out,
                            "SIZE": str(size)})
        return [number(done.stdout.strip())]

    def expected(self, ran):
        return [rows(ran.client.out)[-1][3]]


class Ngc(Reader):
    """ngc_multinode_perf: a line of the client's JSON file."""
    title = "ngc_multinode_perf"
    options = "-D 1 -F --report_gbit -q 4"
    json = "--out_json --out_json_file=client.json"

    def lines(self, name, options=None):
        options = self.options if options is None else options
        return (f"{name} -d {{device}} -s 65536 -p {{port}} {options} "
                "--output=bandwidth",
                f"{name} -d {{device}} {{host}} -s 65536 -p {{port}} "
                f"{options} {self.json}")

    def reads(self, name, case):
        return super().reads(name, case) and "-a" not in case

    def values(self, ran):
        if not ran.json:
            raise Unreadable("there is no JSON file")
        done = subprocess.run(
            "awk -F'[:,]' '/BW_average/{print $2}' | cut -d. -f1 | xargs",
            shell=True, check=True, text=True, capture_output=True,
            input=ran.json)
        if not re.fullmatch(r"\d+\n", done.stdout):
            raise Unreadable(f"'{done.stdout.strip()}' is no number")
        return [float(done.stdout)]

    def expected(self, ran):
        """The row has two places, and the file all of them."""
        written = float(re.search(r'"?BW_average"?: ([\d.]+)', ran.json)[1])
        printed = rows(ran.client.out)[0][3]
        return [math.floor(written if abs(written - printed) < 0.0051
                           else printed)]


class K8sNetperf(Reader):
    """k8s-netperf: a line of words, in a terminal."""
    title = "k8s-netperf"
    streams = TERMINAL

    def lines(self, name, options=None):
        return (f"{name} -d {{device}} -x 0 -p {{port}} -F",
                f"stdbuf -oL -eL {name} -d {{device}} -x 0 -F {{host}} "
                "-p {port} " + ("-D 1" if options is None else options))

    def values(self, ran):
        ended_well(ran.client)
        for line in (ran.client.out + ran.client.err).split("\n"):
            words = line.split()
            if ("#bytes" in line or "---" in line or len(words) < 4
                    or not re.match(r"[+-]?\d", words[0])):
                continue
            value = re.match(r"[+-]?\d+(\.\d*)?", words[3])
            if value:
                return [float(value[0])]
        raise Unreadable("no line has an integer first and a number fourth")

    def expected(self, ran):
        return [rows(ran.client.out.replace("\r\n", "\n"))[0][3]]


class Rocm(Reader):
    """ROCm CVS: both streams in one file, in which nothing is wrong."""
    title = "ROCm CVS"
    streams = MERGED
    gpu = True
    options = "--use_rocm=0 -x 0 --report_gbits -F -s 4096 -n 1000"
    wrong = re.compile("Couldn't initialize ROCm device|Failed to init|"
                       "Unable to open file descriptor|ERROR|FAIL|"
                       "Segmentation fault", re.I)

    def reads(self, name, case):
        return is_taken(name, case) and not (name.endswith("_lat")
                                             and "-D" in case)

    def values(self, ran):
        for end in ran.server, ran.client:
            text = end.out + end.err
            if self.gpu and not re.search("bytes of GPU buffer", text, re.I):
                raise Unreadable("no 'bytes of GPU buffer'")
            found = self.wrong.search(text)
            if found:
                raise Unreadable(f"it says '{found[0]}'")
        size = int(rows(ran.client.out)[-1][0])
        count = 7 if ran.is_latency else 2
        found = re.search(
            rf"{size}\s+\d+\s+" + (r"[0-9.]+\s+" if count == 2 else "")
            + r"\s+".join([r"([0-9.]+)"] * count), text)
        if not found:
            raise Unreadable("its pattern is nowhere")
        return [number(word) for word in found.groups()]

    def expected(self, ran):
        row = rows(ran.client.out)[-1]
        return row[2:9] if ran.is_latency else row[3:5]


class WithoutGpu(Rocm):
    """The same where no GPU is used."""
    gpu = False
    options = Rocm.options.replace("--use_rocm=0 ", "")


class Oracle(Reader):
    """OCI's health check: six blanks between size and count; the peak."""
    title = "Oracle OCI"

    def lines(self, name, options=None):
        if options is None:
            options = ("-F -q 2 --report_gbits" if name.endswith("_bw")
                       else "-F -s 8 -n 10000")
        return super().lines(name, options)

    def reads(self, name, case):
        return (name, case) == ("ib_write_bw", "-q 2")

    def values(self, ran):
        ended_well(ran.client)
        if ran.is_latency:
            word = subprocess.run(
                r"grep '^ 8[[:space:]]\+10000' | awk '{print $6}'", shell=True,
                input=ran.client.out, text=True, check=True,
                capture_output=True).stdout.strip()
        else:
            word = next((line.split()[2] for line in
                         ran.client.out.splitlines()
                         if "65536      10000" in line), "")
        return [number(word)]

    def expected(self, ran):
        return [rows(ran.client.out)[0][5 if ran.is_latency else 2]]


class Lnst(Reader):
    """LNST: each end prints one number, in MiB/s."""
    title = "LNST"

    def __init__(self, rdma_cm=False, source=""):
        self.options = "--rdma_cm " * rdma_cm
        self.source = source

    def lines(self, name, options=None):
        options = "--duration 1" if options is None else options
        line = (f"--output bandwidth {self.options}--ib-dev {{device}} "
                f"--size 65536 {options} --port {{port}}")
        return (f"{name} {line}", f"{name} {{host}} {self.source} {line}")

    # perftest prints two lines at one end of ib_read_bw
    def reads(self, name, case):
        return (super().reads(name, case) and "-a" not in case
                and name in ("ib_send_bw", "ib_write_bw"))

    def values(self, ran):
        ended_well(ran.server, ran.client)
        found = []
        for end in ran.server, ran.client:
            lines = [line for line in end.out.split("\n")
                     if line.strip() and "WARNING:" not in line]
            if len(lines) != 1:
                raise Unreadable(f"{len(lines)} lines at one end")
            found.append(number(lines[0].strip()))
        return found

    def expected(self, ran):
        return self.values(ran)


class Imbue(Reader):
    """Imbue's cluster-health: what is between the last two runs of dashes."""
    title = "Imbue"

    def lines(self, name, options=None):
        if options is None:
            options = "--iters 5000" + (" -b --report_gbits" if
                                        name.endswith("_bw") else "")
        return super().lines(name, options)

    def reads(self, name, case):
        return is_taken(name, case) and not (name.endswith("_lat")
                                             and "-D" in case)

    def read(self, text):
        key = (r"99%percentile[usec]" if "percentile" in text else
               "BWaverage[" + ("Gb/sec]" if "Gb/sec" in text else "MB/sec]"))
        parts = re.split("-+", text)
        if len(parts) < 3:
            raise Unreadable("there is no table")
        part = parts[-2].strip().replace("% percentile", "%percentile")
        part = part.replace("BW ", "BW")
        lines = [line for line in part.splitlines() if line.strip()]
        if len(lines) < 2:
            raise Unreadable("the last part but one is no table")
        words = [word for word in re.split(r"\s+", lines[1]) if word]
        cells = dict(zip([word for word in re.split(r"\s+", lines[0]) if word],
                         [number(word) for word in words]))
        if key not in cells:
            raise Unreadable(f"no column is called {key}")
        return cells[key]

    def values(self, ran):
        ended_well(ran.client)
        return [self.read(ran.client.out)]

    def expected(self, ran):
        return [rows(ran.client.out)[0][7 if ran.is_latency else 3]]


READERS = (Nccl(), SuperBench(), Azure(), Ngc(), K8sNetperf(), Rocm(), Oracle(),
           Lnst(), Imbue())
# Those that read a table that was made without their own options.
OF_TABLES = (Nccl(), SuperBench(), Azure(), K8sNetperf(), WithoutGpu(),
             Oracle(), Imbue())


# What shell scripts do with a table, to get its average.
PIPELINES = (
    "tail -n 2 | head -n 1 | awk '{print $4}'",
    "grep -A 1 '#bytes' | tail -n 1 | awk '{print $4}'",
    "awk '/^ [0-9]/ {print $4}'",
    "awk 'NF == 5 && $1 ~ /^[0-9]+$/ {print $4}'",
    "grep -E '^ *65536' | awk '{print $(NF-1)}'",
    "grep '65536 ' | tr -s ' \\t' ' ' | cut -d ' ' -f 5",
    "sed -n '/BW average/,$p' | sed -n 2p | awk '{print $4}'",
    "grep -v -e '---' | tail -n 1 | awk '{print $4}'",
    "sed '/^---*$/d' | tail -1 | tr -s '[:space:]' | cut -d' ' -f5 | "
    "awk '{print $1}'",
    "awk '/BW average/ {getline; print $4}'",
    "grep -oP '^\\s*65536\\s+\\d+\\s+[\\d.]+\\s+\\K[\\d.]+'",
    "python3 -c 'import sys; print(sys.stdin.read()"
    ".strip().split(chr(10))[-2].split()[3])'",
)


def pipelines(text):
    """What each of them makes of the output TEXT."""
    return [subprocess.run(line, shell=True, input=text, text=True, check=True,
                           capture_output=True).stdout for line in PIPELINES]


def take(reader, ran):
    """Its values, which are those of the table; raises Unreadable."""
    values = reader.values(ran)
    expected = reader.expected(ran)
    if values != expected:
        raise Unreadable(f"it takes {values}, and {expected} was printed")
    return values


def plain(name, case):
    """The command lines of both ends for a case, with the client's JSON."""
    line = f"{name} -d {{device}} -p {{port}} {case}".rstrip()
    return line, f"{line} {Ngc.json} {{host}}"


# ---------------------------------------------------------------- the table


def judge(reader, ran):
    """Nothing, or why it gets no value."""
    try:
        take(reader, ran)
    except Unreadable as error:
        return str(error)
    except ValueError as error:
        return f"the table: {error}"
    return ""


def verdicts(shell, name, case):
    """What each reader makes of NAME with the options CASE."""
    ran = shell.run(plain(name, case))
    found = {}
    for reader in (*OF_TABLES, Ngc()):
        if reader.reads(name, case):
            found[reader.title] = judge(reader, ran)
    if Lnst().reads(name, case):
        reader = Lnst()
        found[reader.title] = judge(reader, shell.run(reader.lines(
            name, case), reader.streams))
    return found


def owners(gpu):
    """Each reader with a program that its owner runs; with a GPU, if there is
    one.  A latency test of which only one end measures is of the same form."""
    for reader in READERS:
        if isinstance(reader, Rocm) and not gpu:
            reader = WithoutGpu()
        if isinstance(reader, Lnst):
            yield reader, "ib_send_bw"
            continue
        yield reader, "ib_write_bw"
        if isinstance(reader, (SuperBench, Rocm, Oracle, Imbue)):
            yield reader, "ib_read_lat"


def show(tool, shell, gpu):
    """Print a table, and what stands behind it."""
    cells = {}
    for reader, name in owners(gpu):
        cells[reader.title, name, "own line"] = judge(
            reader, shell.run(reader.lines(name), reader.streams))
    for name, case in cases():
        for title, why in verdicts(shell, name, case).items():
            cells[title, name, case] = why
    titles = [reader.title for reader in READERS]
    print(f"\n{tool}")
    for title, name in sorted({key[:2] for key in cells}, key=lambda key: (
            titles.index(key[0]), NAMES.index(key[1]))):
        words = [f"{case or 'default'}: {'no' if why else 'yes'}"
                 for (*key, case), why in cells.items()
                 if key == [title, name]]
        print(f"{title:20}{name:14}" + ", ".join(words))
    print(f"{sum(not why for why in cells.values())} of {len(cells)} get their "
          "value")
    for (title, name, case), why in sorted(cells.items()):
        if why:
            print(f"  {title}, {name} {case}: {why}")


def main():
    with tempfile.TemporaryDirectory() as place:
        folders = tools(place)
        for tool in sys.argv[1:] or folders:
            gpu = lab.FAKE and tool == "ours"
            show(tool, Shell(folders[tool], **(make_gpu(place) if gpu else {})),
                 gpu)


if __name__ == "__main__":
    main()
