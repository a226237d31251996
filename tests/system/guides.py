"""README and the guides, command by command, as who reads them runs them.

A block of code in a document begins with a line that says what it is:

  ```console           commands after "$ ", and what they print
  ```console lab       the same, but what is printed is that of the lab only
  ```sh                commands that print something, or nothing
  ```sh build          commands that build: tests/scripts/test_recipe.py
  ```sh nightly        a job: there, too
  ```sh hardware       commands that need what no test has: their options are
                       looked at, and nothing is run

All others are text.  The commands of a document run one after another in one
shell, in an empty folder, on a host called node2.  A server that they start
goes on in the background: in the lab on another host, which is called node1,
else here.  Each command must succeed, unless the next one shows its status
("echo $?").  What is shown must have the form of what is printed: the same
words in the same lines, and a number, an address or a dash where the other has
one.  "..." stands for any lines.

In the lab, on two hosts, this prints what the commands of a document print:

  guides.py [--here] [--write FOLDER] DOCUMENT...

and writes documents that show it into FOLDER, but for blocks with "...".  With
--here it is done on this host and the fake NIC (FAKE_NIC), and what only the lab
prints stays.
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TIME_LIMIT = 600
# The fake NIC has no memory windows, and librdmacm asks the kernel, which may
# have no rdma_ucm.
NEEDS_KERNEL = re.compile(r"--rdma-cm|\bmw_bind\b")
FILE = re.compile(r"[\w-]+\.(?:csv|html|jsonl?|md|png|svg)\b")
# Who is faster is up to the machine.
ANSWERS = {"verbsperf-compare": {0, 1, 2}, "verbsperf-cluster": {0, 3}}
# What a line of output is preceded by: the number of a command begins, and is
# over with a status.
BEGIN, END = "\x1e", "\x1f"
FENCE = re.compile(r"( *)```(\w*) ?(\w*)")
# What makes numbers doubtful; below perftest's table it is on standard error.  It
# depends on how busy the machine is, not on the command.
CAVEAT = re.compile(
    r"(?:verbsperf:)?"
    r" (?:size \d+: |peak )?(?:uncertain by|measured for|the send queue ran dry"
    r"|(?!warning).* needs? [\d, %.]*(?:samples|\d+ intervals)"
    r"|the clocks of both|the \w+'s clock|(?:client|server): \S+ rose by|with relaxed ordering"
    r"|this device does not promise|the latency includes|the sum of two dir"
    r"|what the other end says"
    r"|packets did not arrive|packets arrived damaged|the run did not wait"
    r"|the run went on|the \w+ polls, but"
    r"|more than the port carries|a few stalls|This host (?:is busy|was away))")
# A run that is to be seen by a person takes longer than a test of it may.
DURATION = re.compile(r"(\s(?:-D|--duration)[ =])(?:\d{1,2}|\d\.\d)s?(?![\d.])")


@dataclasses.dataclass
class Command:
    """A command, the line of the document that it is in, and what the document
    shows of its output: None if it shows nothing."""
    text: str
    line: int
    shown: list = None
    document: str = ""
    printed: str = ""
    status: int = None

    @property
    def shows_status(self):
        return self.text == "echo $?"

    @property
    def program(self):
        return self.text.split()[0]

    @property
    def is_server(self):
        return re.match(r"verbsperf serve(?! .*--ready-fd)", self.text)

    def is_good(self, status):
        """It may end with that status where no other is shown."""
        if re.search(r" --(?:min|max)-(?:gbps|p\d|counter|lost)", self.text):
            return status in (0, 3)
        return status in ANSWERS.get(self.program, {0})


@dataclasses.dataclass
class Block:
    """A block of code: its first line, its kind, and its lines."""
    line: int
    kind: str
    mark: str
    lines: list


def documents():
    """README and the guides."""
    return [TOP / "README.md", *sorted((TOP / "doc").glob("*.md"))]


def blocks(path):
    """The blocks of code of a document."""
    block, indent = None, 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = FENCE.fullmatch(line)
        if not fence and block:
            block.lines.append(line[indent:])
        elif fence and block:
            yield block
            block = None
        elif fence:
            indent = len(fence[1])
            block = Block(number, *fence.groups()[1:], [])


def is_complete(text):
    """TEXT is one command or several, and not the beginning of one."""
    done = subprocess.run(["bash", "-n"], input=text + "\n", text=True,
                          capture_output=True, check=False)
    return not (done.returncode or done.stderr or text.endswith("\\"))


def split(lines, first):
    """The commands in LINES, of which the first has the number FIRST."""
    text = ""
    for number, line in enumerate(lines, first):
        if not text:
            if not line.strip() or line.startswith("#"):
                continue
            first = number
        text = f"{text}\n{line}" if text else line
        if is_complete(text):
            yield Command(text, first)
            text = ""
    assert not text, f"line {first}: an unfinished command: {text}"


def transcript(block):
    """The commands of a console, and what they print."""
    command, text = None, ""
    for number, line in enumerate(block.lines, block.line + 1):
        if text or line.startswith("$ "):
            text = f"{text}\n{line}" if text else line[2:]
            if not is_complete(text):
                continue
            if command:
                yield command
            command, text = Command(text, number, []), ""
        else:
            assert command, f"line {number}: no command before it"
            command.shown.append(line)
    assert not text, f"line {block.line}: an unfinished command: {text}"
    yield command


def commands(path, in_lab):
    """The commands of a document that are to be run."""
    found = []
    for block in blocks(path):
        if block.kind == "console":
            some = list(transcript(block))
            for command in some if block.mark == "lab" and not in_lab else ():
                command.shown = None
            found += some
        elif block.kind == "sh" and not block.mark:
            found += split(block.lines, block.line + 1)
    for command in found:
        command.document = path.name
    return list(without_cluster(found)) if in_lab else found


def without_cluster(found):
    """Those of FOUND for which two hosts without ssh are enough."""
    files = set()
    for command in found:
        named = set(FILE.findall(command.text))
        if "verbsperf-cluster" in command.text or named & files:
            files |= named
        else:
            yield command


def that_need_the_kernel(found):
    """Those of FOUND that need a real device, or the files of those that do."""
    files, before = set(), None
    for command in found:
        named = set(FILE.findall(command.text))
        if (NEEDS_KERNEL.search(command.text) or named & files
                or (command.shows_status and before)):
            files |= named
            before = command
            yield command
        else:
            before = None


def form(line):
    """The words of LINE; N is a word with a digit, or the dash that stands for
    a number."""
    line = re.sub(r"[#=]{2,}|[|]", " ", line)
    return ["N" if word == "-" or re.search(r"\d", word) else word
            for word in re.split(r"[\s(),;]+", line) if word]


def forms(lines):
    """The forms of LINES that are always there."""
    return [form(line) for line in lines
            if line.strip() and not CAVEAT.match(line)]


def difference(command):
    """What of the output of COMMAND is not what is shown; "" if all is."""
    if command.shows_status:
        return ("" if command.printed.split() == "".join(command.shown).split()
                else f"it was {command.printed}")
    printed = forms(command.printed.splitlines())
    at, skipping = 0, False
    for line in forms(command.shown):
        if line == ["..."]:
            skipping = True
            continue
        if skipping and line in printed[at:]:
            at = printed.index(line, at)
        skipping = False
        if at == len(printed) or printed[at] != line:
            found = " ".join(printed[at]) if at < len(printed) else "nothing"
            return f"'{' '.join(line)}' is shown, '{found}' was printed"
        at += 1
    if at < len(printed) and not skipping:
        return f"'{' '.join(printed[at])}' was printed and is not shown"
    return ""


def problems(found):
    """What is wrong with the commands of a document that have been run."""
    for command, after in zip(found, [*found[1:], None]):
        where = f"{command.document}:{command.line}: {command.text}"
        if command.status is None:
            yield f"{where}\n  was not reached"
        elif not (command.is_good(command.status)
                  or (after and after.shows_status)):
            yield f"{where}\n  status {command.status}: {command.printed}"
        elif command.shown is not None and difference(command):
            yield (f"{where}\n  {difference(command)}\n"
                   + command.printed)


def doubt(text):
    """The form of a caveat, at either end and of any counter."""
    text = text.removeprefix("verbsperf:")
    text = re.sub(r"^ ?size \d+:| \(--verbose: \d+ more\)$", "", text)
    text = re.sub(r"^ ?(?:client|server): \S+ rose by", "counter N rose by", text)
    text = text.replace("the peak is the average; one of its own needs",
                        "peak and +-95% need")
    text = re.sub(r"[\d.]+% needs .* samples", "N needs N samples", text)
    text = re.sub(r"\bserver's clock", "client's clock", text)
    text = text.replace("the server polls", "the client polls")
    return form(text.replace(":", " "))


def caveats(lines):
    """Those of LINES that say what makes numbers doubtful, as forms."""
    return [doubt(line) for line in lines if CAVEAT.match(line)]


def explained(text):
    """The caveats that TEXT explains, as forms: what is bold at the beginning of
    an item of a list."""
    return [doubt(bold) for bold in re.findall(r"^- \*\*([^*]+)\*\*", text,
                                               re.M)]


def unexplained(lines, text):
    """The first of the caveats in LINES that TEXT does not explain."""
    known = explained(text)
    return next((" ".join(one) for one in caveats(lines)
                 if not any(one[:len(words)] == words for words in known)), "")


# Programs in PATH before all others.  $REAL is the program that was built.
SERVER = r"""#!/bin/bash
# verbsperf, but a server stays in the background, at the other host in the same
# folder and with the same key.  The previous one is ended.
export LD_PRELOAD=${FAKE_NIC:-}
[ -n "$LD_PRELOAD" ] || unset LD_PRELOAD
# moving data takes longer than the wire of the fake NIC
case $* in
serve* | *_lat* | *send* | *--imm* | *--verify* | *atomic*) ;;
*) unset FAKE_DATA ;;
esac
case $1,$* in
serve,*--ready-fd* | serve,*--help*) ;;
serve,*)
	while [ -e "$STATE/server" ] && kill "$(cat "$STATE/server")"; do
		sleep 0.1
	done 2>/dev/null
	if [ "$SERVE" ]; then
		folder=$PWD key=$(cat key 2>/dev/null)
		(cd / && $SERVE mkdir -p "$folder")
		[ ! "$key" ] || $SERVE sh -c "umask 077; echo '$key' >key"
	fi
	setsid $SERVE "$REAL" "$@" >"$STATE/log" 2>&1 &
	echo $! >"$STATE/server"
	until grep -s 'serving on' "$STATE/log"; do
		kill -0 $! || { cat "$STATE/log"; exit 1; }
		sleep 0.05
	done
	exit 0 ;;
*-D* | *--duration* | *-n* | *--iterations* | *devices* | *check* | *faults* | \
	*calibrate*) ;;
# a receiver that the machine gives no processor meanwhile must have received
*" UC "* | *" UD "*) [ -z "${QUICK:-}" ] || set -- "$@" --duration 2 ;;
*) [ -z "${QUICK:-}" ] || set -- "$@" --duration 0.2 ;;
esac
exec "$REAL" "$@"
"""


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def make_programs(folder, environment):
    """Commands that the documents name, in FOLDER."""
    folder.mkdir()
    write_program(folder / "verbsperf", SERVER)
    for name in ("cluster", "compare", "plot", "selftest", "sweep"):
        script = TOP / "scripts" / f"verbsperf-{name}"
        measures = environment["MEASURES"]
        write_program(folder / script.name, "#!/bin/sh\n"
                      f"VERBSPERF={shlex.quote(measures)} exec "
                      f"/usr/bin/python3 -B {shlex.quote(str(script))} "
                      '"$@"\n')
    for name in ("ib_write_bw", "ib_write_lat", "ib_send_bw", "ib_send_lat",
                 "ib_read_bw", "ib_read_lat"):
        (folder / name).symlink_to(environment["REAL"])


def script(found, quick):
    """What the shell runs."""
    lines = ["exec 2>&1", "status=0"]
    for number, command in enumerate(found):
        text = command.text
        if quick:
            text = DURATION.sub(r"\g<1>0.3", text)
            # what it starts on nodes is not in PATH; and pairs that share
            # this host are slow by chance, and would be tried again and again
            text = re.sub(r"verbsperf-cluster (.*\b\w+_(?:bw|lat))\b.*$",
                          r"verbsperf-cluster --tolerance 95 \1 "
                          "--duration 0.1 --warmup 0.02", text, flags=re.S)
            text = re.sub(r"verbsperf-sweep (?!.*--rounds)(.* quick )",
                          r"verbsperf-sweep --rounds 6 \1", text)
        lines += [f"printf '\\n{BEGIN}{number}\\n'", "(exit $status)", text,
                  "status=$?", f"printf '\\n{END}{number} %d\\n' $status"]
    return "\n".join(lines) + "\n"


def read(found, output):
    """What each command printed, and its status."""
    pattern = re.compile(rf"\n{BEGIN}(\d+)\n(.*?)\n{END}\1 (\d+)\n", re.S)
    for number, printed, status in pattern.findall(output):
        found[int(number)].printed = printed
        found[int(number)].status = int(status)


def run(found, folder, environment, prefix=()):
    """Runs the commands FOUND in FOLDER, which has the programs."""
    programs, place, state = (folder / name
                              for name in ("bin", "work", "state"))
    place.mkdir()
    state.mkdir()
    path = f"{programs}:{os.environ['PATH']}"
    text = script(found, "QUICK" in environment)
    (folder / "script").write_text(text)
    with open(folder / "output", "w+b") as output:
        subprocess.run(
            [*prefix, "bash", folder / "script"], cwd=place,
            stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False,
            env={**environment, "PATH": path, "STATE": str(state),
                 "HOME": str(folder)})
        output.seek(0)
        read(found, "\n" + output.read().decode("utf-8", "replace"))


LAB_HOSTS = """
grep -q node1 /etc/hosts || cat >>/etc/hosts <<END
10.0.0.1 node2
10.0.0.2 node1
END
hostname node2
verbsperf-lab-peer hostname node1
mount -t tmpfs tmpfs /var/lib
"""


def run_in_lab(found, folder, real, quick=False):
    """Runs FOUND between two guests of the lab."""
    subprocess.run(["sh", "-e"], input=LAB_HOSTS, text=True, check=True)
    try:
        environment = {**os.environ, "REAL": real, "MEASURES": real,
                       "SERVE": "verbsperf-lab-peer",
                       **({"QUICK": "yes"} if quick else {})}
        make_programs(folder / "bin", environment)
        run(found, folder, environment)
    finally:
        subprocess.run("hostname lab1; verbsperf-lab-peer hostname lab2; "
                       "umount /var/lib", shell=True, check=False)
        leave(folder)


# A network, names and a folder of their own, for commands as they stand.
NAMESPACES = ["unshare", "--map-root-user", "--mount", "--net", "--uts"]
HOST = r"""
mount --bind "$HOSTS" /etc/hosts
mount -t tmpfs tmpfs /var/lib
hostname node2
ip link set lo up
ip addr add 10.0.0.1/24 dev lo
ip addr add 10.0.0.2/24 dev lo
exec "$@"
"""
HOSTS = "127.0.0.1 localhost\n10.0.0.1 node2\n10.0.0.2 node1\n" + "".join(
    f"127.0.0.{n + 10} n{n:02}\n" for n in range(1, 5))
NODE1 = r"""#!/bin/sh
export FAKE_ADDRESS=10.0.0.2
exec unshare --uts sh -c 'hostname node1; exec "$@"' sh "$@"
"""
# All nodes are here; what runs on them is the program, not what stands in.
SSH = r"""#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
shift
export PATH="$NODES:/usr/bin:/bin" LD_PRELOAD="$FAKE_NIC"
exec sh -c "$*"
"""


def run_here(found, folder, real, nic, **others):
    """Runs FOUND on this host and the fake NIC."""
    nodes, data = folder / "nodes", f"/dev/shm/verbsperf-guides-{os.getpid()}"
    nodes.mkdir()
    (nodes / "verbsperf").symlink_to(os.path.abspath(shutil.which(real)))
    (folder / "hosts").write_text(HOSTS)
    environment = {
        **os.environ, "REAL": str(nodes / "verbsperf"), "SERVE": "at-node1",
        "FAKE_NIC": nic, "FAKE_GBPS": "100", "FAKE_DELAY": "2000",
        "FAKE_ADDRESS": "10.0.0.1", "FAKE_DATA": data,
        "HOSTS": str(folder / "hosts"), "NODES": str(nodes),
        "FAKE_REAL": str(nodes / "verbsperf"),
        "MEASURES": str(folder / "bin/verbsperf"), **others}
    make_programs(folder / "bin", environment)
    write_program(folder / "bin/ssh", SSH)
    write_program(folder / "bin/at-node1", NODE1)
    try:
        run(found, folder, environment,
            [*NAMESPACES, "sh", "-ec", HOST, "sh"])
    finally:
        leave(folder)
        pathlib.Path(data).unlink(missing_ok=True)


def leave(folder):
    """Ends the server that is left."""
    pid = folder / "state/server"
    if pid.exists():
        subprocess.run(["kill", pid.read_text().strip()], check=False)


def rewrite(path, found):
    """PATH with what the commands FOUND printed, but not where "..." is."""
    lines = path.read_text().splitlines()
    for command in reversed(found):
        if command.shown is None or "..." in map(str.strip, command.shown):
            continue
        end = command.line
        lines[end:end + len(command.shown)] = command.printed.splitlines()
    return "\n".join(lines) + "\n"


def main():
    """The exit status."""
    words = sys.argv[1:]
    here = words[0] == "--here"
    words = words[here:]
    target = words[1] if words[0] == "--write" else None
    wrong = 0
    for name in words[2:] if target else words:
        path = pathlib.Path(name).resolve()
        found = commands(path, not here)
        folder = pathlib.Path(tempfile.mkdtemp())
        if here:
            run_here([one for one in found
                      if one not in list(that_need_the_kernel(found))],
                     folder, os.environ["VERBSPERF"], os.environ["FAKE_NIC"])
        else:
            run_in_lab(found, folder, os.environ["VERBSPERF"])
        for command in found:
            print(f"{path.name}:{command.line}: $ {command.text}\n"
                  f"{command.printed}[{command.status}]")
        for problem in problems(found):
            print(problem, file=sys.stderr)
            wrong = 1
        if target:
            (pathlib.Path(target) / path.name).write_text(rewrite(path, found))
        shutil.rmtree(folder)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
