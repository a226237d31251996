"""The command verbsperf-cluster: measures between the nodes of a cluster, and
says which of them, and which paths, are slow.

Exit status: 0 all is well, 1 nodes or pairs failed, 2 inconclusive or usage, 3
something is slow.  SIGINT and SIGTERM end it as they end others."""
import argparse
import asyncio
import difflib
import os
import random
import re
import secrets
import socket
import sys
from typing import Optional, Sequence

from verbsperf.agents import agent, coordinator, fleet, launch
from verbsperf.base.command import (INTERRUPTED, Parser, say, time_limit,
                                    whole, write)
from verbsperf.base.errors import Refused
from verbsperf.base.tables import counted
from verbsperf.cluster import (file as clusterfile, nodes as clusternodes, page,
                               view)
from verbsperf.cluster.file import Begun
from verbsperf.cluster.running import Clustering, Point, Work
from verbsperf.documents import jsonfile, writer
from verbsperf.documents.jsonfile import Object
from verbsperf.pairs import nodesets, patterns
from verbsperf.pairs.patterns import End, Pair
from verbsperf.plan import program, suite
from verbsperf.plan.options import long_names, read_options
from verbsperf.plan.suite import Line, Planned
from verbsperf.stats import libraries
from verbsperf.plot.drawing import import_drawing

NAME = "verbsperf-cluster"
JOIN_WITHIN = 60.0
PROBE = "write_lat"


def percent(text: str) -> float:
    """Parse a percentage below 100; return the share."""
    try:
        found = float(text.rstrip("%"))
    except ValueError:
        found = -1.0
    if not 0 < found < 100:
        raise argparse.ArgumentTypeError(f"'{text}': expected percent, above 0"
                                         " and below 100")
    return found / 100


def parser() -> Parser:
    """Return the parser of the command line."""
    p = Parser(
        usage="%(prog)s [options] --pattern PATTERN TEST [options of it]\n"
              "       %(prog)s [options] --pattern PATTERN SUITE\n"
              "       %(prog)s [--picture FILE] [--html FILE] FILE\n"
              "       %(prog)s --agent ADDRESS:PORT [--node NAME]",
        description="Measure between the nodes of a cluster, and say which of "
                    "them are slow; or show what is in FILE.",
        epilog="Exit status: 0 all is well, 1 nodes or pairs failed, 2 "
               "inconclusive or usage, 3 something is slow.  See "
               "verbsperf-cluster(1).")
    p.add_argument("what", nargs=argparse.REMAINDER, metavar="TEST|SUITE|FILE")
    p.add_argument("--nodes", metavar="SET",
                   help="n[01-16],x7, @group [those of the Slurm job]")
    p.add_argument("--exclude", metavar="SET", help="nodes to leave out")
    p.add_argument("--devices", metavar="SET",
                   help="mlx5_[0-3]: rails [one device, verbsperf's choice]")
    p.add_argument("--cross-rails", action="store_true",
                   help="each device with those of other indexes, too")
    p.add_argument("--pattern", choices=list(patterns.PATTERNS),
                   help=" ".join(patterns.PATTERNS), metavar="PATTERN")
    p.add_argument("--rails", action="store_const", dest="pattern",
                   const="rails",
                   help="the rails of each node together and one by one")
    p.add_argument("--target", metavar="NODE",
                   help="incast, outcast: only this node [each in turn]")
    p.add_argument("--topology", metavar="FILE",
                   help="bisection: Slurm's topology.conf, or lines of the "
                        "nodes of a switch")
    p.add_argument("--groups", metavar="FILE",
                   help="racks, as --topology has them [found]")
    p.add_argument("--tolerance", type=percent, metavar="PERCENT",
                   help="by which something may be slower [3; latency 10]")
    p.add_argument("--rounds-file", metavar="FILE",
                   help="file: lines CLIENT SERVER, an empty line between "
                        "rounds")
    p.add_argument("--seed", type=whole(0, 2 ** 63 - 1), metavar="N",
                   help="random: seed [random]")
    p.add_argument("--rounds", type=whole(1, 10 ** 6), default=1, metavar="N",
                   help="random: number of rounds [1]")
    p.add_argument("--concurrent", type=whole(1, 10 ** 6), metavar="N",
                   help="pairs at most at the same time")
    p.add_argument("--processes", type=whole(1, 64), metavar="N",
                   help="that measure each pair together, added [1]")
    p.add_argument("--probe", action="append", default=[], metavar="A:B",
                   help=f"measure {PROBE} from node A to B meanwhile")
    p.add_argument("--launch", default="ssh", metavar="HOW",
                   help="ssh, slurm, clush, none, or a command with %%h for "
                        "the node [ssh]")
    p.add_argument("--listen", metavar="ADDRESS[:PORT]", default="",
                   help="where agents connect to [any]")
    p.add_argument("--join-timeout", type=time_limit,
                   default=JOIN_WITHIN, metavar="SECONDS",
                   help=f"for all agents to connect [{JOIN_WITHIN:g}]")
    p.add_argument("-o", "--output", metavar="FILE", help="JSON lines")
    p.add_argument("--resume", action="store_true",
                   help="continue FILE of -o where it ended")
    p.add_argument("--picture", metavar="FILE", action="append", default=[],
                   help="a heat map, FILE.svg or FILE.png")
    p.add_argument("--html", metavar="FILE", help="a page to open offline")
    p.add_argument("--force", action="store_true",
                   help="write over files of another kind")
    p.add_argument("--program", metavar="PATH", default="verbsperf",
                   help="the verbsperf to run on the nodes [verbsperf]")
    program.add_version(p)
    return p


# What of verbsperf itself is said otherwise here.
INSTEAD = {"device": "--devices SET", "json": "-o FILE"}


def check_place(what: Sequence[str], found: program.Program) -> None:
    """Refuse an option of this command behind the test, and what of the
    program's this command gives it."""
    own = re.findall(r"(?<!\S)-[a-z-]+", parser().format_help())
    for word in what[1:]:
        name = word.partition("=")[0]
        known = found.options.get(name[2:])
        if name in own and not (known and what[0] in known.commands):
            raise Refused(f"{name}: options of {NAME} stand before the test")
        for one in long_names(word, found.options):
            instead = INSTEAD.get(one.partition("=")[0][2:])
            if instead:
                raise Refused(f"{name}: {NAME} has {instead}, before the test")


def check_command(words: Sequence[str], found: program.Program) -> None:
    """Have the program check WORDS as pairs will have them, before an agent is
    started."""
    wrong = agent.refused([*words, suite.ANY_SERVER])
    if wrong is not None:
        raise Refused(f"'{wrong}': agents do not run verbsperf with it")
    try:
        found.values([*words, "--json", f"--hold={fleet.HOLD}", "--device=any",
                      suite.ANY_SERVER])
    except program.UsageError as error:
        raise Refused(f"{' '.join(words)}: {error}") from None


def points_of(what: Sequence[str], found: program.Program) -> list[Planned]:
    """Return the points of WHAT: a test and its options, or a suite."""
    if what[0] in found.tests:
        check_place(what, found)
        line = Line("the command line", 0, [what[0]],
                    read_options(found, "the command line", what[1:]))
        points = list(suite.points_of(line, found))
    else:
        hint = "".join(f"; did you mean {one}?" for one in
                       difflib.get_close_matches(what[0], found.tests, 1))
        if len(what) > 1:
            raise Refused(f"'{what[0]}' is no test, and behind a suite is "
                          f"nothing else: '{what[1]}'{hint}")
        points = suite.read(suite.known(what[0], hint), found, [])
    for point in points:
        if point.times["iterations"] is not None:
            raise Refused("--iterations: pairs that measure together need "
                          "the same time: use --duration")
        check_command(point.words(found), found)
    return points


def nodes_of(options: argparse.Namespace) -> list[str]:
    """Return the nodes that OPTIONS name."""
    text = (options.nodes or os.environ.get("SLURM_STEP_NODELIST")
            or os.environ.get("SLURM_JOB_NODELIST"))
    if not text:
        raise Refused("missing: --nodes; it is not needed inside a Slurm "
                      "job only")
    nodes = nodesets.expand(text)
    if options.exclude:
        left_out = set(nodesets.expand(options.exclude))
        nodes = [node for node in nodes if node not in left_out]
    return nodes


# Options that only some patterns know.
ONLY = {"target": ("incast", "outcast"), "topology": ("bisection",),
        "rounds_file": ("file",), "seed": ("random",)}


def check_options(options: argparse.Namespace) -> None:
    """Refuse what does not fit together."""
    if not options.pattern or not options.what:
        raise Refused("missing: " + ", ".join(
            name for name, value in (("--pattern", options.pattern),
                                     ("TEST or SUITE", options.what))
            if not value) + "; see --help; to show results, give a FILE of "
            f"{NAME}" + (f", which '{options.what[0]}' is not"
                         if options.what else ""))
    for name, known in ONLY.items():
        if getattr(options, name) is not None and options.pattern not in known:
            raise Refused(f"--{name.replace('_', '-')}: only for "
                          + " and ".join(known))
    if options.pattern == "file" and not options.rounds_file:
        raise Refused("missing: --rounds-file")
    if options.resume and not options.output:
        raise Refused("--resume needs -o FILE")


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse pictures and pages that cannot be written, before measuring."""
    wanted = {path: form_of(path) for path in options.picture}
    if options.html:
        wanted[options.html] = "html"
    read = [*options.what[:1], *filter(None, (
        options.output, options.topology, options.rounds_file))]
    for path, form in wanted.items():
        writer.check_whole(path, form, options.force, read)
    if options.picture:
        import_drawing()


def form_of(path: str) -> str:
    """Return the form of the picture PATH."""
    form = path.rpartition(".")[2]
    if form not in ("svg", "png"):
        raise Refused(f"--picture {path}: expected FILE.svg or FILE.png")
    return form


def metric_of(planned: Planned) -> str:
    """Return what pairs are compared by at a point."""
    return "p50" if planned.json["test"].endswith("_lat") else "gbps"


def point_of(planned: Planned, found: program.Program) -> Point:
    """Return PLANNED as it is run."""
    return Point(planned.words(found), planned.times["duration"]
                 + planned.times["warmup"], metric_of(planned))


def probes_of(options: argparse.Namespace, nodes: Sequence[str], device: str
              ) -> list[Pair]:
    """Return the pairs whose latency is measured meanwhile."""
    pairs = []
    for text in options.probe:
        a, colon, b = text.partition(":")
        if not colon or a == b or not {a, b} <= set(nodes):
            raise Refused(f"--probe {text}: expected A:B, two of the nodes")
        pairs.append(Pair(End(a, device), End(b, device)))
    return pairs


def ask(options: argparse.Namespace) -> tuple[Object, Work]:
    """Return what OPTIONS ask for: the header of the file, and the work."""
    check_options(options)
    libraries.check()
    # of this host, which knows its options
    found = program.examine(program.find(os.environ.get("VERBSPERF"),
                                         "VERBSPERF names it"))
    nodes, seed = nodes_of(options), options.seed
    if seed is None:
        seed = random.SystemRandom().getrandbits(32) \
            if options.pattern == "random" else 0
    planned = points_of(options.what, found)
    devices = nodesets.expand(options.devices) if options.devices else [""]
    if options.pattern == "rails" and len(devices) < 2:
        raise Refused("--rails needs several --devices, such as mlx5_[0-3]")
    if (options.processes or 1) > 1 and any(
            metric_of(one) != "gbps" for one in planned):
        raise Refused("--processes: only for bandwidth: latencies of several "
                      "processes cannot be added")
    probes, probe = probes_of(options, nodes, devices[0]), None
    if probes:
        seconds = max(one.times["duration"] for one in planned)
        planned_probe, = points_of([PROBE, f"--duration={seconds}"], found)
        probe = point_of(planned_probe, found)
    racks = options.groups or options.topology
    header = clusterfile.make_header(
        found.version, pattern=options.pattern, nodes=nodes,
        devices=devices, cross_rails=options.cross_rails,
        target=options.target, seed=seed, rounds=options.rounds,
        concurrent=options.concurrent, processes=options.processes,
        probes=options.probe,
        launch=options.launch,
        points=[{**one.json, "metric": metric_of(one)} for one in planned])
    return header, Work(
        options.pattern, patterns.Wanted(
            nodes, options.target, seed, options.rounds,
            options.topology or options.rounds_file or ""),
        devices, options.cross_rails, options.concurrent,
        [point_of(one, found) for one in planned], probes, probe,
        patterns.groups_of(racks, nodes) if racks else [], options.tolerance,
        options.processes or 1)


def listen_at(text: str) -> tuple[Optional[str], int]:
    """Return (address, port) of ADDRESS[:PORT]."""
    address, colon, port = text.rpartition(":")
    if not colon or (":" in address and not address.endswith("]")):
        return text.strip("[]") or None, 0
    if not port.isdigit() or int(port) > 65535:
        raise Refused(f"--listen {text}: expected ADDRESS[:PORT]")
    return address.strip("[]") or None, int(port)


def key_of(how: str) -> str:
    """Return the key of the job."""
    given = os.environ.pop(agent.KEY_VARIABLE, "")
    if given and len(given) < 16:
        raise Refused(f"{agent.KEY_VARIABLE} is too short for a key")
    if how == "none" and not given:
        raise Refused(f"--launch none needs a key in {agent.KEY_VARIABLE}, "
                      "the same here and at the agents, such as from "
                      "'head -c 32 /dev/urandom | base64'")
    return given or secrets.token_urlsafe(32)


async def measure(options: argparse.Namespace, work: Work, key: str,
                  sock: socket.socket, file: Begun) -> None:
    """Start the agents, which have KEY and connect to SOCK, and do all that is
    asked for."""
    nodes, (bind, _) = work.wanted.nodes, listen_at(options.listen)
    facts: dict[str, Object] = {}
    hub = coordinator.Coordinator(nodes, key.encode())
    async with hub.listening_on(sock):
        launcher = launch.start(
            options.launch, nodes, clusternodes.places_of(nodes, bind),
            hub.port, key, ["--program", options.program, "--join-timeout",
                              f"{options.join_timeout:g}"])
        try:
            failed = await clusternodes.gather(
                hub, work.devices, options.join_timeout, launcher)
            left = [node for node in nodes if node not in failed]
            if len(left) >= 2:
                clustering = Clustering(hub, work.of(left), file)
                await clustering.run()
                facts = clustering.facts
            else:
                say("fewer than two nodes are left: nothing was measured")
            clusternodes.note_nodes(hub, {**hub.failed(), **failed}, facts,
                                    file)
        finally:
            for node in hub.nodes.values():
                node.say(type="bye")
            await hub.flush()
            await launcher.end()


def status_of(entries: Sequence[Object]) -> int:
    """Return the exit status that ENTRIES deserve."""
    if (not any(entry["type"] == "pair" for entry in entries)
            or any(map(view.is_failure, entries))):
        return 1
    if any(entry["type"] == "finding" for entry in entries):
        return 3
    # as verbsperf-compare says it
    return 2 if any(map(view.is_inconclusive, entries)) else 0


def latest_nodes(entries: Sequence[Object]) -> list[Object]:
    """Return ENTRIES with only the last line of each node."""
    last = {entry["node"]: entry for entry in entries
            if entry["type"] == "node"}
    return [entry for entry in entries
            if entry["type"] != "node" or last[entry["node"]] is entry]


def show(options: argparse.Namespace, header: Object,
         entries: Sequence[Object]) -> int:
    """Show what was measured; return the exit status."""
    some = latest_nodes(entries)
    write(view.text(header, some))
    if options.picture:
        # matplotlib is needed only here
        from verbsperf.cluster import heatmap  # pylint: disable=C0415
        for path in options.picture:
            heatmap.save(path, form_of(path), header, some)
    if options.html:
        writer.write_whole(options.html, page.text(header, some))
    return status_of(some)


def is_results(path: str) -> bool:
    """PATH begins as results do; or it has no file, but the name of one, which
    no test has: reading it says so."""
    return jsonfile.begins_with_object(path) or (
        not os.path.exists(path) and bool(re.search("[./]", path)))


def run(options: argparse.Namespace) -> int:
    """Do what OPTIONS ask for; return the exit status."""
    what = options.what
    check_outputs(options)
    if len(what) == 1 and not options.pattern and is_results(what[0]):
        return show(options, *clusterfile.read(what[0]))
    header, work = ask(options)
    rounds = sum(1 for _ in work.rounds())
    launch.check(options.launch)
    key = key_of(options.launch)
    clusternodes.allow_files(len(work.wanted.nodes))
    sock = coordinator.listener(*listen_at(options.listen))
    file = clusterfile.start(options.output, header, options.resume)
    say(f"{len(work.wanted.nodes)} nodes, {options.pattern}: "
        f"{counted(rounds, 'round')} of {counted(len(work.points), 'point')}")
    asyncio.run(measure(options, work, key, sock, file))
    return show(options, header, file.entries)


def main() -> int:
    """Run the command and return its exit status."""
    if sys.argv[1:2] == ["--agent"]:
        return agent.main(sys.argv[2:])
    options = parser().parse_args()
    try:
        return run(options)
    except KeyboardInterrupt:
        say("interrupted; " + ("--resume continues it" if options.output
                               else "with -o FILE, --resume could continue "
                               "it"))
        return INTERRUPTED
