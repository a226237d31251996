"""Documents and sweeps that have all their keys, from parts of them."""
import schemas

FACTS = dict.fromkeys(schemas.parts_of("verbsperf-1", {})["verbsperf-1"][
    "definitions"]["facts"]["properties"])
END = {"hostname": "lab1", "device": "mlx5_0", "port": 1,
       "link_layer": "Ethernet", "gid_index": 3, "gid": "::ffff:10.0.0.1",
       "gid_type": "RoCE v2", "lid": None, "pkey": "0xffff", "mtu": 1024,
       "firmware": "1.0", "rate_gbps": 100.0, "numa_node": 0, "memory": None,
       "qp": None}
BANDWIDTH = dict.fromkeys(("gbps", "mib_per_s", "mpps", "peak_gbps",
                           "ci95_gbps", "error_percent",
                           "peak_error_percent", "dry_percent", "sent",
                           "received", "lost"))
LATENCY = {"definition": "half round trip", "unit": "us", "samples": 1000,
           **dict.fromkeys((
               "min", "mean", "stddev", "p50", "p90", "p99", "p99_9",
               "p99_99", "max", "percentiles", "lost", "samples_dropped",
               "requested_mpps", "achieved_mpps", "late", "saturated"))}
ROW = {"size": 64, "qps": 1, "iterations": 1000, "opened": None,
       "seconds": 1.0, "drain_seconds": None,
       **dict.fromkeys(("bandwidth", "latency", "directions", "intervals",
                        "histogram", "threads", "receivers", "counters",
                        "post", "opened")),
       "cpu": {"client": None, "server": None},
       "events": None,
       "tx_depth": 128, "cq_mod": 100, "post_list": 1, "inline": 0,
       "verified": False, "control": None, "failed": False}
DIRECTION = {"from": "client", "iterations": 1000, "seconds": 1.0,
             "bandwidth": None, "intervals": None, "threads": None}
INTERVAL = {"start": 0.0, "seconds": 1.0, "iterations": 1000, "gbps": 0.0,
            "mib_per_s": 0.0, "mpps": 0.0}
TEST = {"name": "write_bw", "operation": "write", "metric": "bandwidth",
        "transport": "RC", "direction": "uni", "load": "closed"}
ERROR = {"stage": "connect", "code": "ECONNREFUSED", "message": "no",
         "advice": None, "peer": None}
DOCUMENT = {
    "schema": "verbsperf/1",
    "tool": {"name": "verbsperf", "version": "1", "protocol": 5},
    "started": "2026-11-21T12:00:00.000Z", "title": None, "test": TEST,
    "parameters": {}, "client": END, "server": END,
    "environment": {"client": None, "server": None},
    "clock": {"source": "tsc", "resolution_ns": 0.5, "read_cost_ns": 9.0,
              "deviation_ppm": None},
    "clocks": dict.fromkeys(("client", "server", "server_to_client")),
    "setup_seconds": 0.1, "preflight": None, "results": [], "limits": None,
    "error": None}
HEADER = {
    "schema": "verbsperf-sweep/1",
    "tool": {"name": "verbsperf-sweep", "verbsperf": "1"},
    "started": "2026-11-21T12:00:00Z",
    "host": {"hostname": "lab1", "kernel": "6.1.0", "machine": "x86_64"},
    "suite": "quick", "points": [], "seed": 1, "targets": []}
TARGET = {"name": "a", "server": "node1", "options": {}}


def filled(made, template):
    """MADE, and what it lacks of TEMPLATE; what is null stays so."""
    return {**template, **made} if isinstance(made, dict) else made


def each_filled(made, template):
    """The same of a list of them."""
    if not isinstance(made, list):
        return made
    return [filled(one, template) for one in made]


def interval_lists(made):
    """A row or a direction with all keys in its intervals."""
    return {**made, "intervals": each_filled(made["intervals"], INTERVAL)}


def direction(made):
    """A direction of a row."""
    made = interval_lists(filled(made, DIRECTION))
    return {**made, "bandwidth": filled(made["bandwidth"], BANDWIDTH)}


def row(made):
    """A row of results."""
    made = interval_lists(filled(made, ROW))
    both = made["directions"]
    return {**made, "bandwidth": filled(made["bandwidth"], BANDWIDTH),
            "latency": filled(made["latency"], LATENCY),
            "directions": both and [direction(one) for one in both]}


def document(made):
    """A document."""
    made = filled(made, DOCUMENT)
    return {**made, "tool": filled(made["tool"], DOCUMENT["tool"]),
            "test": filled(made["test"], TEST),
            "client": filled(made["client"], END),
            "server": filled(made["server"], END),
            "environment": {end: filled(facts, FACTS) for end, facts
                            in made["environment"].items()},
            "results": [row(one) for one in made["results"]],
            "error": filled(made["error"], ERROR)}


def sweep(lines):
    """The lines of a sweep; its points are those that were measured."""
    points = []
    for line in lines[1:]:
        if line["point"] not in points:
            points.append(line["point"])
    header = filled({"points": points, **lines[0]}, HEADER)
    return [{**header, "targets": each_filled(header["targets"], TARGET)},
            *lines[1:]]
