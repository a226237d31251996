"""The nodes that take part: their agents connect, and what is known of them is
written."""
import platform
import resource
from typing import Optional, Sequence

from verbsperf.agents.coordinator import Coordinator, Node, local_address
from verbsperf.agents.launch import Launcher
from verbsperf.base.command import say
from verbsperf.base.progress import Line
from verbsperf.cluster.file import Begun
from verbsperf.documents.jsonfile import Object
from verbsperf.pairs import nodesets

# Open files of a node, and of all else: mostly of strangers. All connections
# that the kernel has waiting are accepted before the first is closed.
FILES_EACH = 4
FILES_BESIDE = 2048


def places_of(nodes: Sequence[str], bind: Optional[str]
              ) -> dict[str, list[str]]:
    """Return the addresses of this host that each of NODES may reach."""
    if bind:
        return {node: [bind] for node in nodes}
    own = platform.node()
    return {node: [one for one in (local_address(node), own)
                   if one] for node in nodes}


def lacking(devices: Sequence[str], node: Node) -> Optional[str]:
    """Return what NODE lacks of DEVICES, or None."""
    there = {one["name"]: one["state"] for one in node.facts["devices"]}
    for device in devices:
        if device and device not in there:
            return (f"there is no device {device}; there is "
                    + ", ".join(sorted(there)))
        if device and there[device] != "ACTIVE":
            return f"the port of {device} is {there[device]}"
    if "ACTIVE" not in there.values():
        return "no device has an active port"
    return None


async def gather(fleet: Coordinator, devices: Sequence[str], seconds: float,
                 launcher: Launcher) -> dict[str, str]:
    """Wait SECONDS for agents; return why nodes will not take part."""
    line = Line()
    failed = await fleet.gather(
        seconds, lambda: launcher.failed,
        lambda known: line.draw(f"{known} of {len(fleet.expected)} nodes have "
                                "connected"))
    line.clear()
    for name, node in fleet.nodes.items():
        why = None if name in failed else lacking(devices, node)
        if why:
            failed[name] = why
    for why in fleet.refused.values():
        say(why)
    for names, why in nodesets.by_reason(failed):
        say(f"{names}: {why}")
    return failed


def allow_files(nodes: int) -> None:
    """Let this process have the files that NODES need, as far as it may: a
    connection each, and the pipes of what starts its agent."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = FILES_EACH * nodes + FILES_BESIDE
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def note_nodes(fleet: Coordinator, failed: dict[str, str],
               environments: dict[str, Object], file: Begun) -> None:
    """Write what is known of each node."""
    for name in fleet.expected:
        node = fleet.nodes.get(name)
        facts = node.facts if node else {}
        file.append({
            "type": "node", "node": name, "error": failed.get(name),
            **{one: facts.get(one)
               for one in ("hostname", "verbsperf", "devices")},
            "environment": environments.get(name),
            "clock_offset_seconds": node.clock.offset() if node else None,
            "clock_error_seconds": node.clock.uncertainty() if node else None})
