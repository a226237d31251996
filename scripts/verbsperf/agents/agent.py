"""The end of verbsperf-cluster on a node, of the standard library only.

The coordinator sends this file to python3 on the node, or it is started as
'verbsperf-cluster --agent'.  It connects to the coordinator; both prove that
they have the job's key; then it starts and ends verbsperf as it is told.  When
the coordinator is gone, it ends what it started, and itself.

A line each way is at most LONGEST bytes: the HMAC of its number, its direction
and its text, with a key made of the job's and of both sides' random numbers,
and then its text, an object of JSON.
"""
import argparse
import base64
import contextlib
import ctypes
import hashlib
import hmac
import json
import os
import pathlib
import re
import secrets
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple

PROTOCOL = 1
LONGEST = 8 << 20           # bytes of a line
HELLO_LONGEST = 4096        # bytes of a line before the keys are proved
JOIN_WITHIN = 60            # seconds to be taken by the coordinator, all in all
HELLO_WITHIN = 20           # seconds for its answers until it is known
SILENT_AT_MOST = 30         # seconds without a line of it
SAY_WITHIN = 20             # seconds for a line to be taken
ASK_WITHIN = 30             # seconds for verbsperf to list its devices
PARTING = 3                 # seconds for verbsperf to end by itself
STOPPED_AT_MOST = 60        # seconds that the agent itself does not run
MOST_OUTPUT = 4 << 20       # bytes kept of a stream of one verbsperf
# Letters of a stream in a line, which has two of them.
MOST_TEXT = LONGEST // 2 - 4096
LETTERS_EACH = 12           # that JSON needs for one, at most
MOST_CHILDREN = 4096
KEY_VARIABLE = "VERBSPERF_CLUSTER_KEY"
WARM = b"warm: "
UNKNOWN = "the coordinator asked for something unknown"

# What the server of a pair is started with, and a client besides its test.
SERVER = ("serve", "--once", "--port=0", "--ready-fd=%ready", "--key-file=%key")
CLIENT = ("--key-file=%key", "--json")
# The options that a round may have besides: they shape its traffic, or say what
# is told of it.  None names a file, serves others or injects a fault.
OPTIONS = frozenset("""
    arrival atomic-type batch bidirectional burst clock counters cpu cpus cq-mod
    depth device dscp duration events fence flow-label gap histogram hold
    hop-limit hugepages imm inline inline-recv interval max-counter max-latency
    max-lost max-mean max-p50 max-p90 max-p99 max-p99.9 max-p99.99 mcast memory
    min-gbps min-interval-gbps min-mpps min-rnr-timer mr-per-qp mtu numa odp
    outstanding-reads pacing percentiles perftest-defaults pkey-index poll port
    post post-list qp-timeout qps rate rdma-cm receivers recv-post-list
    relaxed-ordering retry-count reversed rnr-retry round-trip rx-depth sge size
    sl solicited srq tclass threads timeout transport tx-depth vector verify
    walk warmup""".split())
VALUE = "[A-Za-z0-9_.,:=+-]{1,1024}"
# Those whose values are of another form.
RATE = "[0-9.]+(e[+-]?[0-9]+)?[A-Za-z]*(/s|/sec)?"
FORMS = {"memory": "anonymous|shared|device|dmabuf:udmabuf|hugepages(=[0-9]+"
                   "[KMG]?(i?B)?)?|(cuda|hip)(:auto|:[0-9A-Fa-f:.]+)?",
         "min-gbps": RATE + "|[0-9.]+%", "min-interval-gbps": RATE +
         "|[0-9.]+%", "min-mpps": RATE, "rate": RATE,
         "max-lost": "[0-9.e-]+%?", "percentiles": "[0-9.,%]{1,1024}"}
TEST = "(send|write|read|atomic)_(bw|lat)"
# A port, as verbsperf devices prints it.
PORT = (r"^(\S+) port (\d+): (\w+)(?:, ([^,]*), MTU (\d+))?(?:, LID \d+)?"
        "(?:, firmware (.*))?")
ADDRESS = "[A-Za-z0-9_.:][A-Za-z0-9_.:-]*(%[A-Za-z0-9_.-]+)?"

Object = Dict[str, Any]


class Ended(Exception):
    """The agent cannot go on; the text says why."""


class NotTaken(Ended):
    """The coordinator did not take the agent, which may try again."""


def mac(key: bytes, *parts: bytes) -> bytes:
    """Return the HMAC of PARTS, none of which can be taken for another."""
    text = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hmac.new(key, text, hashlib.sha256).digest()


def proof(key: bytes, side: bytes, nonces: Tuple[bytes, bytes], node: str
          ) -> str:
    """Return what only SIDE can say that has KEY."""
    return mac(key, b"proof " + side, *nonces, node.encode()).hex()


def is_proof(said: object, due: str) -> bool:
    """SAID, which may be anything, is the proof that is DUE."""
    return isinstance(said, str) and hmac.compare_digest(
        said.encode("utf-8", "replace"), due.encode())


def session_key(key: bytes, nonces: Tuple[bytes, bytes]) -> bytes:
    """Return the key of the lines of one connection."""
    return mac(key, b"session", *nonces)


def verbsperf_key(key: bytes) -> bytes:
    """Return the key that the job's verbsperf prove to each other."""
    return base64.b64encode(mac(key, b"verbsperf")) + b"\n"


class Lines:
    """The lines of one connection, each with its HMAC, at SIDE."""

    def __init__(self, key: bytes, side: bytes) -> None:
        self.key, self.side = key, side
        self.other = b"agent" if side == b"coordinator" else b"coordinator"
        self.sent = self.taken = 0

    def wrap(self, message: Object) -> bytes:
        """Return MESSAGE as the next line to send."""
        text = json.dumps(message).encode()
        seal = mac(self.key, self.side, b"%d" % self.sent, text)
        self.sent += 1
        return seal.hex().encode() + b" " + text + b"\n"

    def unwrap(self, line: bytes) -> Object:
        """Return the message of the next LINE that came."""
        seal, _, text = line.rstrip(b"\n").partition(b" ")
        good = mac(self.key, self.other, b"%d" % self.taken, text)
        if not hmac.compare_digest(seal, good.hex().encode()):
            raise Ended("a line of the connection is not the other side's")
        self.taken += 1
        return object_of(text)


def object_of(text: bytes) -> Object:
    """Return the object of JSON that TEXT is."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise Ended("a line of the connection is not JSON") from None
    if not isinstance(message, dict):
        raise Ended("a line of the connection is no object")
    return message


def plain(**message: Any) -> bytes:
    """Return MESSAGE as a line before the keys are proved."""
    return json.dumps(message).encode() + b"\n"


def printable(text: str) -> str:
    """Return TEXT, which another host may have sent, without what a terminal
    would obey or cannot show (as in tables.py, which is not sent)."""
    return "".join(one if one.isprintable() else "?" for one in text)


def versions(agent: int, coordinator: int) -> str:
    """Say that both sides are of different versions."""
    return (f"the agent speaks protocol {agent}, the coordinator "
            f"{coordinator}: both must be of the same version of verbsperf")


def nonce_of(message: Object) -> bytes:
    """Return the random number that MESSAGE has."""
    text = message.get("nonce")
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        raise Ended("the other side gave no random number")
    return bytes.fromhex(text)


def die_with_parent() -> None:
    """Ask the kernel to end this child with the agent."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def is_option(word: str) -> bool:
    """WORD is an option that a round may have."""
    name, equals, value = word.partition("=")
    form = FORMS.get(name[2:], VALUE)
    return (word.startswith("--") and name[2:] in OPTIONS
            and (not equals or bool(re.fullmatch(form, value))))


def refused(words: Sequence[str]) -> Optional[str]:
    """Return the first of WORDS that verbsperf is not run with, or None."""
    if tuple(words[:len(SERVER)]) == SERVER:
        return next((word for word in words[len(SERVER):]
                     if not re.fullmatch("--device=" + VALUE, word)), None)
    test, *options, address = words if len(words) > 1 else [*words, "", ""]
    if not re.fullmatch(TEST, test):
        return test
    for word in options:
        if word not in CLIENT and not is_option(word):
            return word
    return None if re.fullmatch(ADDRESS, address) else address


def command_of(words: Sequence[str]) -> List[str]:
    """Return WORDS so that no option takes the address for its value, after
    which verbsperf would be a server, without a key."""
    if tuple(words[:len(SERVER)]) == SERVER:
        return list(words)
    return [*words[:-1], "--", words[-1]]


class Guard:
    """Has the kernel kill this process, and with it what it started, when it
    has not run for long: one that is stopped cannot end itself."""

    def __init__(self) -> None:
        self.library, self.timer = ctypes.CDLL(None), ctypes.c_void_p()
        # a struct sigevent: a pointer, the signal, and 0 for sending it
        event = (ctypes.c_int * 16)()
        event[ctypes.sizeof(ctypes.c_void_p) // ctypes.sizeof(ctypes.c_int)
              ] = signal.SIGKILL
        self.works = hasattr(self.library, "timer_create") and (
            self.library.timer_create(time.CLOCK_MONOTONIC, event,
                                      ctypes.byref(self.timer)) == 0)

    def put_off(self, seconds: int) -> None:
        """Kill it SECONDS from now, unless this is called again."""
        if self.works:
            times = (ctypes.c_long * 4)(0, 0, seconds, 0)
            self.library.timer_settime(self.timer, 0, times, None)


class Child:
    """One running verbsperf."""

    def __init__(self, number: int, words: List[str], key: bytes) -> None:
        self.number = number
        self.output: Dict[str, bytes] = {"stdout": b"", "stderr": b""}
        self.lost = False
        self.opened: Optional[float] = None
        self.warm = self.told = False
        memory = os.memfd_create("key")
        ready, self.ready = os.pipe()
        try:
            os.fchmod(memory, 0o600)
            os.write(memory, key)
            words = [word.replace("%key", f"/proc/self/fd/{memory}")
                     .replace("%ready", str(self.ready)) for word in words]
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, pass_fds=(memory, self.ready),
                start_new_session=True, preexec_fn=die_with_parent)
        except OSError:
            os.close(ready)
            raise
        finally:
            os.close(memory)
            os.close(self.ready)
        self.files: Dict[int, str] = {ready: "ready"}
        for name in ("stdout", "stderr"):
            self.files[getattr(self.process, name).fileno()] = name

    def keep(self, name: str, data: bytes) -> None:
        """Keep DATA of the stream NAME, up to a limit."""
        room = MOST_OUTPUT - len(self.output[name])
        self.lost = self.lost or len(data) > room
        self.output[name] += data[:max(0, room)]

    def text_of(self, name: str) -> str:
        """Return what was kept of the stream NAME, as much as a line has room
        for."""
        text = self.output[name].decode("utf-8", "replace")
        if len(json.dumps(text)) > MOST_TEXT:
            self.lost = True
            text = text[:MOST_TEXT // LETTERS_EACH]
        return text

    def open_window(self) -> None:
        """Let it measure."""
        assert self.process.stdin is not None
        # it may have ended, and says why
        with contextlib.suppress(OSError):
            os.write(self.process.stdin.fileno(), b"\n")
            self.opened = time.time()

    def signal(self, number: int) -> None:
        """Send the signal NUMBER to it and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def close(self) -> None:
        """Close what is left of it."""
        for stream in (self.process.stdin, self.process.stdout,
                       self.process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def rate_of(device: str, port: str) -> Optional[str]:
    """Return what the kernel says of the speed and width of PORT, such as 100
    Gb/sec (4X EDR), if it has the device."""
    try:
        return pathlib.Path(
            os.environ.get("SYSFS_PATH") or "/sys", "class/infiniband",
            device, "ports", port, "rate").read_text("utf-8").strip() or None
    except (OSError, ValueError):
        return None


def why_none(done: "subprocess.CompletedProcess[str]") -> str:
    """Return why verbsperf, which is DONE, named no device."""
    said = (done.stderr.strip().splitlines() or [""])[-1].split("error: ")[-1]
    if done.returncode in (0, 1):
        return said or "there is no RDMA device"
    return (f"{' '.join(done.args)} ended with status {done.returncode}"
            + f": {said}" * bool(said))


def describe(program: str) -> Object:
    """Say what there is on this node: verbsperf and its devices."""
    found: Object = {"hostname": socket.gethostname(), "verbsperf": None,
                     "devices": [], "error": None}
    path = shutil.which(program)
    if path is None:
        found["error"] = f"there is no {program} in PATH"
        return found
    try:
        version, listed = (subprocess.run(
            [path, word], capture_output=True, text=True, errors="replace",
            timeout=ASK_WITHIN, check=False, stdin=subprocess.DEVNULL)
            for word in ("--version", "devices"))
    except (OSError, subprocess.TimeoutExpired) as error:
        found["error"] = f"{path} does not run: {error}"
        return found
    found["verbsperf"] = version.stdout.strip().partition("\n")[0]
    found["devices"] = [
        {"name": match[1], "port": int(match[2]), "state": match[3],
         "mtu": match[5] and int(match[5]), "firmware": match[6],
         "link": rate_of(match[1], match[2]) or match[4]}
        for match in re.finditer(PORT, listed.stdout, re.MULTILINE)]
    paths = paths_of(path)
    for one in found["devices"]:
        one["path"] = paths.get(one["name"], [])
    if version.returncode or not found["devices"]:
        found["error"] = why_none(version if version.returncode else listed)
    return found


def paths_of(path: str) -> Dict[str, List[Object]]:
    """Return the PCIe functions from each device up, as the verbsperf at PATH
    shows them, if it does."""
    try:
        done = subprocess.run(
            [path, "devices", "--topology", "--json"], capture_output=True,
            timeout=ASK_WITHIN, check=False, stdin=subprocess.DEVNULL)
        return {nic["device"]: [
            {"address": step["address"], "gbps": step["gbps"]}
            for step in nic["place"]["path"]]
            for nic in json.loads(done.stdout)["nics"]}
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError,
            TypeError):
        return {}


class Agent:
    """The agent of a node, connected to its coordinator."""

    def __init__(self, sock: socket.socket, lines: Lines, program: str,
                 key: bytes) -> None:
        self.sock, self.lines, self.key = sock, lines, key
        self.path = shutil.which(program) or program
        self.children: Dict[int, Child] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(sock, selectors.EVENT_READ, None)
        self.buffer = bytearray()
        self.heard = time.monotonic()

    def say(self, **message: Any) -> None:
        """Send a line to the coordinator."""
        try:
            self.sock.settimeout(SAY_WITHIN)
            self.sock.sendall(self.lines.wrap(message))
        except OSError as error:
            raise Ended(f"the coordinator is gone: {error}") from None

    def run(self) -> None:
        """Do as told until the coordinator is gone."""
        guard = Guard()
        while True:
            guard.put_off(STOPPED_AT_MOST)
            for key, _ in self.selector.select(1):
                if key.data is None:
                    self.hear()
                else:
                    self.look(key.fd, *key.data)
            if time.monotonic() - self.heard > SILENT_AT_MOST:
                raise Ended(f"the coordinator said nothing for "
                            f"{SILENT_AT_MOST} s")

    def hear(self) -> None:
        """Take what came from the coordinator."""
        try:
            data = self.sock.recv(1 << 16)
        except OSError as error:
            raise Ended(f"the coordinator is gone: {error}") from None
        if not data:
            raise Ended("the coordinator is gone")
        self.heard = time.monotonic()
        first, *more = data.split(b"\n")
        self.buffer += first
        if len(self.buffer) > LONGEST:
            raise Ended("a line of the coordinator is too long")
        for piece in more:
            line, self.buffer = bytes(self.buffer), bytearray(piece)
            self.obey(self.lines.unwrap(line))

    def obey(self, message: Object) -> None:
        """Do what MESSAGE says."""
        kind = message.get("type")
        if kind == "ping":
            self.say(type="pong", t=message.get("t"), now=time.time())
        elif kind == "start":
            self.start(message)
        elif kind == "open":
            for child in self.named(message):
                child.open_window()
        elif kind == "kill":
            for child in self.named(message):
                child.signal(signal.SIGTERM)
        elif kind == "refuse":
            raise Ended(f"refused: {message.get('why')}")
        elif kind == "bye":
            raise Ended("")
        else:
            raise Ended(UNKNOWN)

    def named(self, message: Object) -> List[Child]:
        """Return the running ones that MESSAGE names."""
        numbers = message.get("ids")
        if not isinstance(numbers, list) or not all(
                type(number) is int for number in numbers):
            raise Ended(UNKNOWN)
        return [self.children[number] for number in numbers
                if number in self.children]

    def start(self, message: Object) -> None:
        """Start one verbsperf."""
        number, words = message.get("id"), message.get("words")
        if (type(number) is not int or number in self.children
                or len(self.children) >= MOST_CHILDREN
                or not isinstance(words, list)
                or not all(isinstance(word, str) for word in words)):
            raise Ended(UNKNOWN)
        wrong = refused(words)
        if wrong is not None:
            self.not_run(number, f"the agent does not run it with '{wrong}', "
                         "which no round has")
            return
        try:
            child = Child(number, [self.path, *command_of(words)], self.key)
        except OSError as error:
            self.not_run(number, f"cannot run {self.path}: {error.strerror}")
            return
        self.children[number] = child
        for fd, name in child.files.items():
            self.selector.register(fd, selectors.EVENT_READ, (child, name))

    def not_run(self, number: int, why: str) -> None:
        """Say why the verbsperf NUMBER was not started."""
        self.say(type="ended", id=number, status=None, stdout="",
                 stderr=f"error: {why}", opened=None, lost=False)

    def look(self, fd: int, child: Child, name: str) -> None:
        """Take what CHILD wrote to NAME."""
        data = os.read(fd, 1 << 16)
        if name == "ready":
            port = data.partition(b"\n")[0]
            if port.isdigit() and not child.told:
                child.told = True
                self.say(type="listening", id=child.number, port=int(port))
        else:
            child.keep(name, data)
        if (name == "stderr" and not child.warm
                and WARM in child.output["stderr"]):
            child.warm = True
            self.say(type="warm", id=child.number)
        if data:
            return
        self.selector.unregister(fd)
        del child.files[fd]
        if name == "ready":
            os.close(fd)
        if not child.files:
            self.end(child)

    def end(self, child: Child) -> None:
        """CHILD has closed all that it had: say how it ended."""
        try:
            status = child.process.wait(timeout=PARTING)
        except subprocess.TimeoutExpired:
            child.signal(signal.SIGKILL)
            status = child.process.wait()
        child.close()
        del self.children[child.number]
        texts = {name: child.text_of(name) for name in child.output}
        self.say(type="ended", id=child.number, status=status,
                 opened=child.opened, lost=child.lost, **texts)

    def close(self) -> None:
        """End all that was started, first politely, and wait for it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            deadline = time.monotonic() + PARTING
            for child in self.children.values():
                child.signal(number)
            for child in self.children.values():
                # the pipes are not read any more: let nothing wait
                child.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(max(0.01, deadline - time.monotonic()))


def connect(places: List[str], port: int) -> socket.socket:
    """Connect to the first of PLACES that answers."""
    why = "no address"
    for place in places:
        try:
            return socket.create_connection((place, port), timeout=5)
        except OSError as error:
            why = f"{place} port {port}: {error}"
    raise NotTaken(f"cannot reach the coordinator at {why}")


def read_line(sock: socket.socket) -> bytes:
    """Return a short line that is waited for."""
    line, deadline = b"", time.monotonic() + HELLO_WITHIN
    while not line.endswith(b"\n"):
        if len(line) > HELLO_LONGEST or time.monotonic() > deadline:
            raise Ended("the coordinator does not speak as one")
        try:
            byte = sock.recv(1)
        except OSError as error:
            raise NotTaken(f"the coordinator is gone: {error}") from None
        if not byte:
            raise NotTaken("the coordinator closed the connection")
        line += byte
    return line


def send_plain(sock: socket.socket, **message: Any) -> None:
    """Send MESSAGE, before the keys are proved."""
    try:
        sock.sendall(plain(**message))
    except OSError as error:
        raise NotTaken(f"the coordinator is gone: {error}") from None


def shake_hands(sock: socket.socket, key: bytes, node: str) -> Lines:
    """Prove the key to the coordinator, and have it proved."""
    mine = secrets.token_bytes(32)
    send_plain(sock, type="hello", protocol=PROTOCOL, node=node,
               nonce=mine.hex())
    answer = object_of(read_line(sock))
    theirs = answer.get("protocol")
    if type(theirs) is int and theirs != PROTOCOL:
        raise Ended(versions(PROTOCOL, theirs))
    nonces = mine, nonce_of(answer)
    if not is_proof(answer.get("proof"),
                    proof(key, b"coordinator", nonces, node)):
        raise Ended("the coordinator has another key")
    lines = Lines(session_key(key, nonces), b"agent")
    send_plain(sock, type="proof", proof=proof(key, b"agent", nonces, node))
    return lines


def join_coordinator(places: List[str], port: int, key: bytes, node: str,
                     seconds: float) -> Tuple[socket.socket, Lines, Object]:
    """Have the coordinator at PORT of one of PLACES take this agent of NODE,
    trying for SECONDS: it may not be there yet, or close the connection to make
    room. Return the connection, its lines and the first message."""
    deadline, pause = time.monotonic() + seconds, 0.2
    while True:
        try:
            sock = connect(places, port)
            try:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.settimeout(HELLO_WITHIN)
                lines = shake_hands(sock, key, node)
                return sock, lines, lines.unwrap(read_line(sock))
            except BaseException:
                sock.close()
                raise
        except NotTaken as error:
            if time.monotonic() + pause > deadline:
                raise Ended(f"{error}; it tried for {seconds:g} s") from None
        time.sleep(pause)
        pause = min(2, pause * 2)


def stop(number: int, _frame: object) -> NoReturn:
    """End because of a signal."""
    raise Ended(f"signal {number}")


def key_of() -> bytes:
    """Return the job's key, of the environment or of standard input."""
    text = os.environ.pop(KEY_VARIABLE, None) or sys.stdin.readline().strip()
    if len(text) < 16:
        raise Ended(f"no key in {KEY_VARIABLE} and none on standard input")
    return text.encode()


def node_name(name: str) -> str:
    """Return what this node is called: NAME, or as its job or host says."""
    return name or os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def places_of(text: str) -> Tuple[List[str], int]:
    """Return the addresses and the port of TEXT, ADDRESS[,ADDRESS...]:PORT."""
    places, _, port = text.rpartition(":")
    if not port.isdigit():
        raise Ended(f"'{text}': expected ADDRESS[,ADDRESS...]:PORT")
    found = [place.strip("[]") for place in places.split(",") if place]
    # the host from which ssh started this
    ssh = os.environ.get("SSH_CONNECTION", "").split()
    return found + [one for one in ssh[:1] if one not in found], int(port)


def serve(address: str, name: str, program: str, seconds: float) -> None:
    """Be the agent of the coordinator at ADDRESS, if it takes it in SECONDS."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    places, port = places_of(address)
    key, node = key_of(), node_name(name)
    sock, lines, first = join_coordinator(places, port, key, node, seconds)
    with sock:
        agent = Agent(sock, lines, program, verbsperf_key(key))
        try:
            agent.obey(first)
            agent.say(type="node", **describe(program))
            agent.run()
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            agent.close()


def main(arguments: Optional[List[str]] = None) -> int:
    """Run the agent; return its exit status."""
    p = argparse.ArgumentParser(
        prog="verbsperf-cluster --agent", allow_abbrev=False,
        description="The end of verbsperf-cluster on a node. The key is in "
                    f"{KEY_VARIABLE}, or a line on standard input.")
    p.add_argument("coordinator", metavar="ADDRESS[,ADDRESS...]:PORT")
    p.add_argument("--node", default="", help="the name of this node")
    p.add_argument("--program", default="verbsperf",
                   help="the verbsperf to run [verbsperf]")
    p.add_argument("--join-timeout", type=float, default=JOIN_WITHIN,
                   metavar="SECONDS", help="for the coordinator to take this "
                   f"agent [{JOIN_WITHIN}]")
    given = p.parse_args(arguments)
    try:
        serve(given.coordinator, given.node, given.program,
              given.join_timeout)
    except Ended as ended:
        if str(ended):
            print(f"verbsperf-cluster: agent of {node_name(given.node)}: "
                  f"{printable(str(ended))}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
