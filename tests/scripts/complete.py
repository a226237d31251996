"""Documents and sweeps that have all their keys, from parts of them."""
import json
import re

import schemas

SCHEMA = schemas.parts_of("verbsperf-1", {})["verbsperf-1"]
PARTS = SCHEMA["definitions"]
PLAIN = {"string": "", "integer": 0, "number": 0.0, "boolean": False,
         "array": []}


def plainest(part):
    """A value that PART of the schema allows: null, if it does."""
    if "$ref" in part:
        return plainest(PARTS[part["$ref"].rpartition("/")[2]])
    choices = part.get("oneOf") or part.get("anyOf")
    if choices:
        found = [plainest(choice) for choice in choices]
        return None if None in found else found[0]
    if "const" in part:
        return part["const"]
    if "null" in part.get("type", ()) or None in part.get("enum", ()):
        return None
    if "enum" in part:
        return part["enum"][0]
    return keys(part) if part["type"] == "object" else PLAIN[part["type"]]


def keys(part):
    """PART of the schema, an object, with all its keys."""
    return {key: plainest(value)
            for key, value in part.get("properties", {}).items()}


FACTS = keys(PARTS["facts"])
END = {**keys(PARTS["end"]), "hostname": "lab1", "device": "mlx5_0", "port": 1,
       "link_layer": "Ethernet", "port_kind": "Ethernet", "gid_index": 3,
       "gid": "::ffff:10.0.0.1", "gid_type": "RoCE v2", "pkey": "0xffff",
       "mtu": 1024, "firmware": "1.0", "rate_gbps": 100.0, "numa_node": 0}
BANDWIDTH = keys(PARTS["bandwidth"])
LATENCY = {**keys(PARTS["latency"]), "definition": "half round trip",
           "samples": 1000}
ROW = {**keys(PARTS["row"]), "size": 64, "qps": 1, "iterations": 1000,
       "seconds": 1.0, "tx_depth": 128, "cq_mod": 100, "post_list": 1,
       "inline": 0, "verified": False}
DIRECTION = {**keys(PARTS["direction"]), "from": "client", "iterations": 1000,
             "seconds": 1.0}
INTERVAL = {**keys(PARTS["interval"]), "seconds": 1.0, "iterations": 1000}
TEST = {"name": "write_bw", "operation": "write", "metric": "bandwidth",
        "transport": "RC", "direction": "uni", "load": "closed"}
ERROR = {"stage": "connect", "code": "ECONNREFUSED", "message": "no",
         "advice": None, "peer": None}
DOCUMENT = {
    **keys(SCHEMA),
    "tool": {"name": "verbsperf", "version": "1", "protocol": 5},
    "started": "2026-11-21T12:00:00.000Z", "test": TEST, "client": END,
    "server": END,
    "clock": {"source": "tsc", "resolution_ns": 0.5, "read_cost_ns": 9.0,
              "deviation_ppm": None},
    "setup_seconds": 0.1}
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


def template(made):
    """MADE as JSON between the shell's quotes, in which fake_verbsperf puts the
    value of a variable of its own where a value is "$name", or "=name" if it is
    no text."""
    return re.sub(r'"=(\w+)"', r"$\1", json.dumps(made)).replace('"', '\\"')


def for_fake():
    """What fake_verbsperf makes its documents of."""
    end = {**END, "hostname": "fake", "device": "fake0", "gid_index": 0,
           "numa_node": None, "mtu": "=mtu"}
    clock = {"source": "tsc", "kernel": "hpet", "drift_ppm": None}
    test = {**TEST, "name": "$test", "operation": "${test%_*}",
            "metric": "$metric", "transport": "$transport"}
    bandwidth = {**BANDWIDTH, "gbps": "=value"}
    latency = {**LATENCY, "definition": "round trip", "p99": "=tail"}
    row = {**ROW, "size": "=size", "qps": "=qps", "cq_mod": 1,
           "bandwidth": "=bandwidth", "latency": "=latency",
           "failed": "=failed"}
    made = {**DOCUMENT, "test": test, "client": end, "server": end,
            "clocks": {"client": clock, "server": clock,
                       "server_to_client": "=ratio"},
            "results": ["=row"], "limits": "=limits", "error": "=error"}
    error = {**ERROR, "stage": "traffic", "code": "EIO", "message": "$message",
             "advice": "see there"}
    limit = {**keys(PARTS["limit"]), "name": "min-gbps", "asked": 60,
             "unit": "Gb/s", "seen": 50.125, "size": "=size", "qps": "=qps",
             "met": False}
    parts = {"DOCUMENT": made, "ROW": row, "BANDWIDTH": bandwidth,
             "LATENCY": latency, "ERROR": error, "LIMIT": limit}
    return {f"FAKE_{name}": template(part) for name, part in parts.items()}
