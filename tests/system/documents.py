"""The JSON report: one document, valid, and consistent in itself."""

import datetime
import json
import math
import os
import re

import jsonschema

from lab import Program, succeeded

FOLDER = os.path.dirname(os.path.abspath(__file__))
# A percentile q needs ln 0.05 / ln q samples.
NEEDED = {"p50": 5, "p90": 29, "p99": 299, "p99_9": 2995, "p99_99": 29956}


def load_schema():
    with open(os.path.join(FOLDER, "schema.json")) as file:
        return json.load(file)


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text):
    """The one document that TEXT must be."""
    document = json.loads(text, parse_constant=refuse_constant)
    jsonschema.validate(document, load_schema())
    check(document)
    return document


def check(document):
    moment = datetime.datetime.fromisoformat(
        document["started"].replace("Z", "+00:00"))
    age = datetime.datetime.now(datetime.timezone.utc) - moment
    assert abs(age.total_seconds()) < 600
    if document["test"]["name"]:
        assert document["test"]["name"].startswith(
            document["test"]["operation"])
    assert sorted(document["parameters"]) == sorted(option_names())
    for row in document["results"]:
        check_row(document, row)


def option_names():
    """Every long option in the usage text but those that only show text."""
    if not option_names.cache:
        text = succeeded(Program("--help")).out
        found = re.findall(r"^  (?:-\w,|   ) --([a-z-]+)", text, re.M)
        option_names.cache = set(found) - {"help", "version"}
    return option_names.cache


option_names.cache = None


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def check_row(document, row):
    measured = row["bandwidth"] or row["latency"]
    assert measured and not (row["bandwidth"] and row["latency"])
    assert row["size"] in document["parameters"]["size"]
    assert row["qps"] == document["parameters"]["qps"]
    if row["bandwidth"]:
        assert document["test"]["metric"] == "bandwidth"
        check_bandwidth(row, row["bandwidth"])
    else:
        assert document["test"]["metric"] == "latency"
        check_latency(row, row["latency"])


def check_bandwidth(row, bandwidth):
    rate = row["iterations"] / row["seconds"]
    assert near(bandwidth["gbps"], rate * row["size"] * 8 / 1e9)
    assert near(bandwidth["mib_per_s"], rate * row["size"] / 2 ** 20)
    assert near(bandwidth["mpps"], rate / 1e6)
    assert bandwidth["sent"] >= row["iterations"]
    if bandwidth["received"] is not None:
        assert (bandwidth["lost"]
                == bandwidth["sent"] - bandwidth["received"])


def check_latency(row, latency):
    assert latency["samples"] == row["iterations"]
    for name, needed in NEEDED.items():
        assert (latency[name] is None) == (latency["samples"] < needed)
    order = [latency[name] for name in ("min", *NEEDED, "max")]
    order = [value for value in order if value is not None]
    assert order == sorted(order)
    assert latency["min"] <= latency["mean"] <= latency["max"]
    if latency["samples"] > 1:
        assert latency["stddev"] <= latency["max"] - latency["min"]


def measured(program, seconds=30):
    """The document of a run that must succeed, with --json to stdout."""
    document = parse(succeeded(program, seconds).out)
    assert document["error"] is None
    assert [row["size"] for row in document["results"]] \
        == document["parameters"]["size"]
    assert not any(row["failed"] for row in document["results"])
    return document


def row_of(program, seconds=30):
    """The only row of such a document."""
    rows = measured(program, seconds)["results"]
    assert len(rows) == 1
    return rows[0]
