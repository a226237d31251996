"""How the agents get onto the nodes: by ssh, by srun, by any command, or by
other means.

Whatever it is starts Python on the node, and hands it on standard input the
agent and the key; so nothing need be installed there but verbsperf, no file is
left behind, and no key is seen in a list of processes."""
import asyncio
import contextlib
import os
import shlex
import signal
import sys
from typing import Optional, Sequence

from verbsperf.agents import agent
from verbsperf.base.errors import Refused

# What Python runs on the node: the agent is as many bytes as its first line
# says, and the key comes after it.
BOOT = ("import sys;b=sys.stdin.buffer;n=int(b.readline());"
        "s=compile(b.read(n),'agent','exec');"
        "exec(s,{'__name__':'__main__'})")
AT_ONCE = 64            # programs that start at the same time
PARTING = 3             # seconds for a launcher to end by itself
SSH = ("ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 "
       "-o LogLevel=ERROR %h")
# One program that starts the agents of all nodes: %n is their set, %c their
# number.  clush is of ClusterShell, and goes through a tree of gateways where
# its topology.conf has one.
STEPS = {"clush": "clush -q -S -f %c -w %n",
         "slurm": "srun --overlap --input=all --kill-on-bad-exit=0 "
                  "--ntasks-per-node=1 --nodelist=%n --nodes=%c"}
# They give one line to a shell there.
BY_SHELL = ("ssh", "clush")


def load(key: str) -> bytes:
    """Return what the agent's Python reads: the agent, and the KEY."""
    with open(agent.__file__, "rb") as file:
        source = file.read()
    return b"%d\n" % len(source) + source + key.encode() + b"\n"


def python_words(places: Sequence[str], port: int, node: str,
                 options: Sequence[str]) -> list[str]:
    """Return the command of the agent on a node, with OPTIONS of it."""
    words = ["python3", "-c", BOOT, f"{','.join(places)}:{port}"]
    words += ["--node", node] if node else []
    return [*words, *options]


def command_of(template: str, values: dict[str, str], remote: list[str]
               ) -> list[str]:
    """Return the command of TEMPLATE, with VALUES, that starts REMOTE."""
    words = shlex.split(template)
    for name, value in values.items():
        words = [word.replace(name, value) for word in words]
    return words + ([shlex.join(remote)] if words[0] in BY_SHELL else remote)


class Launcher:
    """Starts programs, each GIVEN the same input, and ends them."""

    def __init__(self, given: bytes) -> None:
        self.given = given
        self.running: list["asyncio.subprocess.Process"] = []
        self.failed: dict[str, str] = {}
        self.tasks: list["asyncio.Task[None]"] = []
        self.room = asyncio.Semaphore(AT_ONCE)

    def begin(self, words: list[str], nodes: Sequence[str]) -> None:
        """Start WORDS for NODES."""
        self.tasks.append(asyncio.ensure_future(self.watch(words, nodes)))

    async def watch(self, words: list[str], nodes: Sequence[str]) -> None:
        """Run WORDS, and remember why it failed for NODES."""
        async with self.room:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE, start_new_session=True)
            except OSError as error:
                self.note(nodes, f"cannot run {words[0]}: {error.strerror}")
                return
            self.running.append(process)
            assert process.stdin is not None
            process.stdin.write(self.given)
            with contextlib.suppress(OSError):
                await process.stdin.drain()
            # srun ends its tasks when its input ends only if they read it
            with contextlib.suppress(OSError):
                process.stdin.close()
        tail = await last_line(process.stderr)
        status = await process.wait()
        self.note(nodes, tail or f"{words[0]} ended with status {status}")

    def note(self, nodes: Sequence[str], why: str) -> None:
        """The program of NODES has ended: they will not connect any more."""
        for node in nodes:
            self.failed.setdefault(node, why)

    async def end(self) -> None:
        """End all programs that still run, which get the time for it."""
        if not self.tasks:
            return
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            for process in self.running:
                if number is not None and process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
            _, left = await asyncio.wait(self.tasks, timeout=2 * PARTING)
            if not left:
                return


async def last_line(stream: Optional[asyncio.StreamReader]) -> str:
    """Return the last line of STREAM, once it has ended, for a sentence."""
    tail = b""
    while stream is not None:
        piece = await stream.read(4096)
        if not piece:
            break
        tail = (tail + piece)[-4096:]
    lines = tail.decode("utf-8", "replace").strip().splitlines()
    text = lines[-1] if lines else ""
    # an agent says first of which node it is
    said = text.rpartition("agent of ")[2].partition(": ")[2]
    return said if said and "agent of " in text else text


def check(how: str) -> None:
    """Refuse HOW if it starts no agents."""
    if how not in ("ssh", "none", *STEPS) and "%h" not in how:
        raise Refused(f"--launch '{how}': expected ssh, slurm, clush,"
                      " none or a command with %h for the node")


def start(how: str, nodes: Sequence[str], places: dict[str, list[str]],
          port: int, key: str, options: Sequence[str]) -> Launcher:
    """Start the agents of NODES by HOW: ssh, slurm, clush, none or a command,
    with OPTIONS.  They connect to the PLACES of this host for their node, at
    PORT."""
    every = list(dict.fromkeys(one for node in nodes for one in places[node]))
    launcher = Launcher(load(key))
    template = SSH if how == "ssh" else how
    if how == "none":
        print("verbsperf-cluster: start on each node, with the same "
              f"{agent.KEY_VARIABLE}: verbsperf-cluster --agent "
              f"{','.join(every)}:{port} --node NAME", file=sys.stderr)
    elif how in STEPS:
        # one command for all nodes, which know their names
        launcher.begin(command_of(
            STEPS[how], {"%n": ",".join(nodes), "%c": str(len(nodes))},
            python_words(every, port, "", options)), nodes)
    else:
        for node in nodes:
            launcher.begin(command_of(template, {"%h": node}, python_words(
                places[node], port, node, options)), [node])
    return launcher
