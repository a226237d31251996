"""The side of verbsperf-cluster that the agents of the nodes connect to.

One task reads what each agent says; nothing polls, and every wait has a
deadline.  What an agent says is checked: it is on the network."""
import asyncio
import contextlib
import ipaddress
import itertools
import secrets
import socket
import statistics
import time
from typing import (Any, AsyncContextManager, AsyncIterator, Callable, Iterable, NoReturn, Optional,
                    Sequence)

from verbsperf.agents import agent as protocol
from verbsperf.base.errors import Refused
from verbsperf.documents import formats
from verbsperf.documents.fields import (Fields, having, list_of, of, optional,
                                        wrong)
from verbsperf.documents.jsonfile import Object

PING_EVERY = 5.0            # seconds
SILENT_AT_MOST = 30.0       # seconds
CLOCK_READINGS = 8          # kept of each agent
LATEST = 1e11               # seconds since 1970
MOST_STRANGERS = 256        # connections without a proof, besides one a node
SEND_WITHIN = 20.0          # seconds for an agent to take a line
BACKLOG = 1024              # connections that nobody has taken yet
# Of these so many are taken at once. Then what they and others have said is
# read, so that none is sent away before it could say something.
TAKEN_AT_ONCE = 16
IPV6_PREFIX = 64            # bits that all addresses of a host may share


class NodeFailed(Exception):
    """A node does not take part any more; the text says why."""


def is_time(value: object) -> bool:
    """VALUE is a time in seconds, of this age: a float can add to it."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and 0 <= value < LATEST)


def is_port(value: Any) -> bool:
    """VALUE is a port of TCP."""
    return type(value) is int and 0 < value < 65536


TEXT, NUMBER = of(str), of(int)
# What an agent may say, and what it has.
MESSAGES: dict[str, Fields] = {
    "node": {"error": optional(TEXT), "devices": list_of(having(
        name=TEXT, state=TEXT, port=NUMBER, mtu=optional(NUMBER),
        link=optional(TEXT), firmware=optional(TEXT),
        path=optional(list_of(having(
            address=optional(TEXT), gbps=formats.is_optional_amount)))))},
    "pong": {"t": is_time, "now": is_time},
    "listening": {"id": NUMBER, "port": is_port},
    "warm": {"id": NUMBER},
    "ended": {"id": NUMBER, "stdout": TEXT, "stderr": TEXT, "lost": of(bool),
              "status": optional(NUMBER), "opened": optional(is_time)},
}


def check_message(message: Object) -> str:
    """Return the type of MESSAGE, and refuse what no agent says."""
    kind = message.get("type")
    fields = MESSAGES.get(kind) if isinstance(kind, str) else None
    if fields is None or wrong(message, fields):
        raise protocol.Ended("its agent sent a message of an unknown kind")
    return str(kind)


class Clock:
    """How far the clock of a node is from this one's, by round trips: the
    quickest of the last ones says it best."""

    def __init__(self) -> None:
        self.readings: list[tuple[float, float]] = []  # (round trip, offset)
        # when the node was asked, which it repeats: by the steady clock
        self.asked: dict[float, float] = {}

    def ask(self) -> float:
        """Return the time, to be sent to the node."""
        now = time.time()
        self.asked[now] = time.monotonic()
        return now

    def take(self, sent: float, there: float) -> None:
        """Take the answer to what was SENT: it was THERE at the node."""
        if sent not in self.asked:
            raise protocol.Ended("its agent answered what it was not asked")
        trip = time.monotonic() - self.asked.pop(sent)
        self.readings.append((trip, there - sent - trip / 2))
        del self.readings[:-CLOCK_READINGS]

    def offset(self) -> Optional[float]:
        """Return how many seconds the node's clock is ahead of this one's."""
        return min(self.readings)[1] if self.readings else None

    def uncertainty(self) -> Optional[float]:
        """Return by how much that may be wrong."""
        return min(self.readings)[0] / 2 if self.readings else None


class Process:
    """A verbsperf that an agent runs, as it is known here."""

    def __init__(self, number: int) -> None:
        loop = asyncio.get_running_loop()
        self.number = number
        self.events: dict[str, "asyncio.Future[Object]"] = {
            name: loop.create_future()
            for name in ("listening", "warm", "ended")}

    def tell(self, name: str, message: Object) -> None:
        """Event NAME came; when it is the last one, no other will."""
        if not self.events[name].done():
            self.events[name].set_result(message)

    def fail(self, why: str) -> None:
        """Nothing will come any more."""
        for future in self.events.values():
            if not future.done():
                future.set_exception(NodeFailed(why))
                # asyncio complains of an exception that nobody asks for
                future.exception()

    async def wait(self, name: str, seconds: float) -> Optional[Object]:
        """Return the event NAME, or None when the end came instead."""
        event, ended = self.events[name], self.events["ended"]
        await asyncio.wait({event, ended}, timeout=seconds,
                           return_when=asyncio.FIRST_COMPLETED)
        if event.done():
            return event.result()
        if ended.done():
            ended.result()
            return None
        raise asyncio.TimeoutError


class Node:
    """An agent that has connected."""

    def __init__(self, name: str, address: str, lines: protocol.Lines,
                 writer: asyncio.StreamWriter) -> None:
        self.name, self.address = name, address
        self.lines, self.writer = lines, writer
        self.clock = Clock()
        self.facts: Object = {}
        self.failure: Optional[str] = None
        self.processes: dict[int, Process] = {}
        self.heard = time.monotonic()

    def say(self, **message: Any) -> None:
        """Send a line; it goes out when there is room."""
        if self.failure is None:
            self.writer.write(self.lines.wrap(message))

    def start(self, number: int, words: Sequence[str]) -> Process:
        """Let the agent start verbsperf with WORDS."""
        if self.failure is not None:
            raise NodeFailed(f"{self.name}: {self.failure}")
        process = self.processes[number] = Process(number)
        self.say(type="start", id=number, words=list(words))
        return process

    def fail(self, why: str) -> None:
        """The node takes part no more."""
        if self.failure is None:
            self.failure = why
            for process in self.processes.values():
                process.fail(f"{self.name}: {why}")
            self.processes.clear()
            self.writer.close()

    def take(self, message: Object) -> None:
        """Take what the agent said."""
        kind = check_message(message)
        self.heard = time.monotonic()
        if kind == "pong":
            self.clock.take(message["t"], message["now"])
        elif kind in ("listening", "warm", "ended"):
            process = self.processes.get(message["id"])
            if process is not None:
                process.tell(kind, message)
            if kind == "ended":
                self.processes.pop(message["id"], None)


def local_address(node: str) -> Optional[str]:
    """Return the address that this host would reach NODE from, or None."""
    try:
        found = socket.getaddrinfo(node, 9, type=socket.SOCK_DGRAM)
        with socket.socket(found[0][0], socket.SOCK_DGRAM) as sock:
            sock.connect(found[0][4])
            return str(sock.getsockname()[0])
    except OSError:
        return None


def listener(bind: Optional[str], port: int) -> socket.socket:
    """Return a socket that listens at BIND, else at all addresses, at PORT."""
    try:
        if bind:
            family, _, _, _, place = socket.getaddrinfo(
                bind, port, type=socket.SOCK_STREAM)[0]
            return socket.create_server(place[:2], family=family,
                                        backlog=BACKLOG)
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6,
                                        backlog=BACKLOG, dualstack_ipv6=True)
        return socket.create_server(("", port), backlog=BACKLOG)
    except OSError as error:
        why, _, _ = str(error.strerror).partition(" (while attempting")
        raise Refused(f"--listen {bind or '*'}, port {port}: {why}") from None


def address_of(writer: asyncio.StreamWriter) -> str:
    """Return the address at the other end; IPv4 as such."""
    return str(writer.get_extra_info("peername")[0]).replace("::ffff:", "")


def host_of(address: str) -> str:
    """Return what tells the host of ADDRESS from others, as verbsperf serve
    does: of IPv6 its network, in which a host may have any address."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))


class Unproved:
    """Connections that have not proved the key yet, MOST at the same time: of
    more than that, one of the host with most of them is closed.  So programs
    without the key do not keep the agents of other hosts out."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.hosts: dict[asyncio.StreamWriter, str] = {}
        # of each host, the oldest first
        self.by_host: dict[str, dict[asyncio.StreamWriter, None]] = {}

    def enter(self, writer: asyncio.StreamWriter) -> None:
        """Let WRITER prove the key."""
        host = self.hosts[writer] = host_of(address_of(writer))
        self.by_host.setdefault(host, {})[writer] = None
        if len(self.hosts) > self.most:
            crowd = max(self.by_host.values(), key=len)
            # the oldest: an agent needs little time
            oldest = next(iter(crowd))
            self.leave(oldest)
            oldest.close()

    def leave(self, writer: asyncio.StreamWriter) -> None:
        """Forget WRITER, unless that was done."""
        host = self.hosts.pop(writer, None)
        if host is not None:
            del self.by_host[host][writer]
            if not self.by_host[host]:
                del self.by_host[host]


class Coordinator:
    """The nodes of a job, by name."""

    def __init__(self, nodes: Sequence[str], key: bytes) -> None:
        self.expected, self.key = list(nodes), key
        self.nodes: dict[str, Node] = {}
        self.refused: dict[str, str] = {}
        self.strangers: dict[str, str] = {}
        self.unproved = Unproved(MOST_STRANGERS + len(nodes))
        self.changed = asyncio.Event()
        self.numbers = itertools.count(1)
        self.port = 0

    def listening(self, bind: Optional[str], port: int
                  ) -> AsyncContextManager["Coordinator"]:
        """Take agents at BIND and PORT in this context, then let them end."""
        return self.listening_on(listener(bind, port))

    @contextlib.asynccontextmanager
    async def listening_on(self, sock: socket.socket
                           ) -> AsyncIterator["Coordinator"]:
        """Take agents at SOCK, which listens, as above."""
        server = await asyncio.start_server(
            self.meet, sock=sock, backlog=TAKEN_AT_ONCE,
            limit=protocol.LONGEST + 2)
        # which asyncio takes for both
        sock.listen(BACKLOG)
        self.port = sock.getsockname()[1]
        pinging = asyncio.ensure_future(self.ping())
        try:
            yield self
        finally:
            pinging.cancel()
            server.close()
            for node in self.nodes.values():
                node.say(type="bye")
                node.fail("it was told to end")
            await asyncio.sleep(0)

    async def ping(self) -> None:
        """Ask every agent for the time, and give up on those without answer."""
        while True:
            self.ask_time(self.nodes.values())
            await asyncio.sleep(PING_EVERY)
            for node in self.nodes.values():
                if time.monotonic() - node.heard > SILENT_AT_MOST:
                    node.fail("no sign of life from its agent "
                              f"for {SILENT_AT_MOST:g} s")
            self.changed.set()

    @staticmethod
    def ask_time(nodes: Iterable[Node]) -> None:
        """Read the clocks of NODES."""
        for node in nodes:
            node.say(type="ping", t=node.clock.ask())

    async def meet(self, reader: asyncio.StreamReader,
                   writer: asyncio.StreamWriter) -> None:
        """Take a connection: of an agent, once it has proved the key."""
        self.unproved.enter(writer)
        try:
            node = await asyncio.wait_for(self.shake_hands(reader, writer),
                                          protocol.HELLO_WITHIN)
        except (OSError, ValueError, EOFError, asyncio.TimeoutError,
                protocol.Ended):
            writer.close()
            return
        finally:
            self.unproved.leave(writer)
        why = "its agent ended, or its host did"
        try:
            await self.listen(node, reader)
        except OSError:
            why = "the connection to its agent broke"
        except ValueError:
            why = ("its agent sent a line of more than "
                   f"{protocol.LONGEST >> 20} MiB")
        except protocol.Ended as error:
            why = str(error)
        node.fail(why)
        self.changed.set()

    async def shake_hands(self, reader: asyncio.StreamReader,
                          writer: asyncio.StreamWriter) -> Node:
        """Prove the key to an agent, and have it proved."""
        hello = protocol.object_of(await short_line(reader))
        name, theirs = hello.get("node"), protocol.nonce_of(hello)
        if not isinstance(name, str):
            raise protocol.Ended("the greeting names no node")
        self.check_version(name, hello.get("protocol"), writer)
        nonces = theirs, secrets.token_bytes(32)
        writer.write(protocol.plain(
            type="challenge", protocol=protocol.PROTOCOL,
            nonce=nonces[1].hex(),
            proof=protocol.proof(self.key, b"coordinator", nonces, name)))
        try:
            answer = protocol.object_of(await short_line(reader))
        except protocol.Ended:
            answer = {}
        if writer.is_closing():
            raise protocol.Ended("it made room for others")
        proved = protocol.proof(self.key, b"agent", nonces, name)
        if not protocol.is_proof(answer.get("proof"), proved):
            self.note_stranger(name, writer, "but has another key")
            raise protocol.Ended("another key")
        lines = protocol.Lines(protocol.session_key(self.key, nonces),
                               b"coordinator")
        return self.admit(Node(name, address_of(writer), lines, writer))

    def note_stranger(self, name: str, writer: asyncio.StreamWriter, but: str
                      ) -> None:
        """Remember that a program used the NAME of a node, BUT is no agent of
        it: only a hint, as every program may say a name."""
        if name in self.expected:
            self.strangers[name] = (
                "its agent did not connect; a program at "
                f"{address_of(writer)} used this name, {but}")

    def check_version(self, name: str, theirs: object,
                      writer: asyncio.StreamWriter) -> None:
        """Refuse the agent of NAME when THEIRS is not the protocol here."""
        if type(theirs) is not int:
            raise protocol.Ended("the greeting has no protocol")
        if theirs != protocol.PROTOCOL:
            writer.write(protocol.plain(type="refuse",
                                        protocol=protocol.PROTOCOL))
            why = protocol.versions(theirs, protocol.PROTOCOL)
            self.note_stranger(name, writer, f"but {why}")
            raise protocol.Ended(why)

    def admit(self, node: Node) -> Node:
        """Take NODE, which has proved the key, if it is wanted."""
        self.unproved.leave(node.writer)
        if node.name not in self.expected:
            # what a host calls itself may have its domain
            node.name = node.name.partition(".")[0]
        if node.name not in self.expected:
            self.refused[node.name] = (f"'{node.name}' connected, and is none "
                                       "of the nodes; its agent needs --node")
            self.changed.set()
            self.refuse(node, f"'{node.name}' is none of the nodes; --node "
                        "says what this one is called")
        if node.name in self.nodes and not self.nodes[node.name].failure:
            self.refuse(node, "an agent of this node is connected already")
        self.nodes[node.name] = node
        # with which the agent knows that it was taken
        self.ask_time([node])
        return node

    @staticmethod
    def refuse(node: Node, why: str) -> NoReturn:
        """Send the agent NODE away, and tell it WHY."""
        node.say(type="refuse", why=why)
        raise protocol.Ended(why)

    async def listen(self, node: Node, reader: asyncio.StreamReader) -> None:
        """Take what NODE says until it ends."""
        while True:
            line = await reader.readline()
            if not line.endswith(b"\n"):
                return
            message = node.lines.unwrap(line)
            node.take(message)
            if message["type"] == "node":
                node.facts = message
                if message["error"]:
                    node.say(type="refuse", why=message["error"])
                    node.fail(str(message["error"]))
                self.changed.set()

    def is_known(self, name: str) -> bool:
        """The node NAME has said what it has, or failed."""
        node = self.nodes.get(name)
        return node is not None and bool(node.facts or node.failure)

    async def gather(self, seconds: float,
                     gave_up: Callable[[], dict[str, str]],
                     tell: Callable[[int], None] = lambda known: None
                     ) -> dict[str, str]:
        """Wait until all nodes have connected, SECONDS at most; return why
        others have not. GAVE_UP says which never will, and why; TELL is told
        how many have."""
        deadline = time.monotonic() + seconds
        while True:
            left = [one for one in self.expected if not self.is_known(one)]
            tell(len(self.expected) - len(left))
            lost = gave_up()
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0 or not set(left) - set(lost):
                break
            self.changed.clear()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.changed.wait(),
                                       min(0.5, seconds_left))
        missing: dict[str, str] = {
            name: f"its agent did not connect in {seconds:g} s"
            for name in left}
        for why in (lost, self.strangers):
            missing.update((name, why[name]) for name in left if name in why)
        return {**missing, **self.failed()}

    def failed(self) -> dict[str, str]:
        """Return why nodes that had connected take part no more."""
        return {name: node.failure for name, node in self.nodes.items()
                if node.failure is not None}

    async def flush(self) -> None:
        """Wait until what was said is out, as far as agents take it."""
        async def one(node: Node) -> None:
            try:
                await asyncio.wait_for(node.writer.drain(), SEND_WITHIN)
            except (OSError, asyncio.TimeoutError):
                node.fail("its agent does not read any more")
        await asyncio.gather(*(one(node) for node in self.nodes.values()
                               if not node.failure
                               and node.writer.transport is not None
                               and node.writer.transport
                               .get_write_buffer_size()))

    def worst_clock(self) -> Optional[float]:
        """Return by how much the middle node's clock is known."""
        known = [one for one in (node.clock.uncertainty()
                                 for node in self.nodes.values())
                 if one is not None]
        return statistics.median(known) if known else None


async def short_line(reader: asyncio.StreamReader) -> bytes:
    """Return a line of a program that has proved nothing yet."""
    line = b""
    while not line.endswith(b"\n"):
        piece = await reader.read(1)
        if not piece or len(line) >= protocol.HELLO_LONGEST:
            raise protocol.Ended("not an agent")
        line += piece
    return line
