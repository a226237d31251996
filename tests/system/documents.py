"""The JSON report: one document, valid, and consistent in itself."""

import csv
import datetime
import math
import operator
import re

import schemas
from lab import Program, succeeded

# A percentile q needs ln 0.05 / ln q samples.
NEEDED = {"p50": 5, "p90": 29, "p99": 299, "p99_9": 2995, "p99_99": 29956}


def parse(text):
    """The one document that TEXT must be."""
    document = schemas.load(text, "verbsperf-1")
    check(document)
    return document


def lines_of(text):
    """The lines of one run that TEXT must be, from the first to the last."""
    assert text.endswith("\n")
    lines = [schemas.load(line, "verbsperf-lines-1")
             for line in text.splitlines()]
    kinds = "".join(line["type"][0] for line in lines)
    assert re.fullmatch("(s(i*r)*)?e", kinds), kinds
    assert len({line["started"] for line in lines}) == 1
    times = [line["time"] for line in lines]
    assert times == sorted(times)
    check_lines(lines)
    return lines


def csv_rows(path):
    """The rows of the CSV that is in PATH, by column."""
    text = path.read_bytes().decode()
    assert text.endswith("\r\n")
    return list(csv.DictReader(text.splitlines(keepends=True), strict=True))


def check_lines(lines):
    """Each interval begins where the one before ended."""
    end = 0
    for line in lines:
        if line["type"] == "interval":
            one = line["interval"]
            assert math.isclose(one["start"], end, abs_tol=1e-3)
            end = one["start"] + one["seconds"]
        else:
            end = 0


def check(document):
    moment = datetime.datetime.fromisoformat(
        document["started"].replace("Z", "+00:00"))
    age = datetime.datetime.now(datetime.timezone.utc) - moment
    assert abs(age.total_seconds()) < 600
    if document["test"]["name"]:
        assert document["test"]["name"].startswith(
            document["test"]["operation"])
    assert (sorted(document["parameters"])
            == sorted(option_names() | {"allow-inject", "inject"}))
    for row in document["results"]:
        check_row(document, row)
    check_preflight(document)
    check_limits(document)


# What the table has of each limit.
LIMITS = {"min-gbps": ("bandwidth", "gbps"), "min-mpps": ("bandwidth", "mpps"),
          "min-interval-gbps": None,
          "max-mean": ("latency", "mean"), "max-p50": ("latency", "p50"),
          "max-p90": ("latency", "p90"), "max-p99": ("latency", "p99"),
          "max-p99.9": ("latency", "p99_9"),
          "max-p99.99": ("latency", "p99_99"),
          "max-latency": ("latency", "max"), "max-lost": None}


def limits_asked(parameters):
    """(name, counter or None, number or percentage) of each limit."""
    plain = [(name, None, parameters[name]) for name in LIMITS
             if parameters[name] is not None]
    counters = (parameters["max-counter"] or "").split(",")
    return plain + [("max-counter", name, int(most)) for name, _, most
                    in (one.partition("=") for one in counters if one)]


def check_limits(document):
    """Each that was asked for, at every size, by the number of its row."""
    parameters, rows = document["parameters"], document["results"]
    got = document["limits"] or []
    if not document["limits"]:
        return
    assert ([(one["name"], one["counter"], one["asked"]
              if one["percent"] is None else f"{one['percent']:.15g}%",
              one["size"]) for one in got]
            == [(*limit, size) for limit in limits_asked(parameters)
                for size in parameters["size"]])
    for i, one in enumerate(got):
        assert one["qps"] == parameters["qps"]
        assert (one["seen"] is None) == (one["reason"] is not None)
        assert not one["met"] or one["seen"] is not None
        index = i % len(parameters["size"])
        row = rows[index] if index < len(rows) else None
        check_limit(one, row)


def check_limit(one, row):
    if row is None or row["failed"]:
        assert one["seen"] is None
        return
    if one["counter"]:
        known = row["counters"][one["end"] or "client"]["values"]
        seen = known.get(one["counter"], one["seen"])
    elif one["name"] == "max-lost":
        part = row["bandwidth"] or row["latency"]
        sent = part.get("sent", row["iterations"] + part["lost"])
        seen = 100 * part["lost"] / sent
    elif one["name"] == "min-interval-gbps":
        directions = row["directions"] or [row]
        seen = min(interval["gbps"] for direction in directions
                   for interval in direction["intervals"])
        assert one["interval"]["gbps"] == one["seen"]
    else:
        part, key = LIMITS[one["name"]]
        seen = row[part][key]
    assert seen is None and one["seen"] is None or near(seen, one["seen"])
    if seen is not None:
        least = one["name"].startswith("min-")
        assert one["met"] == (one["seen"] >= one["asked"] if least
                              else one["seen"] <= one["asked"])


def check_preflight(document):
    """Each check that is not ok says why; the first problem is the error."""
    if document["preflight"] is None:
        return
    assert document["parameters"]["check"] and not document["results"]
    for row in document["preflight"]:
        assert (row["verdict"] == "ok") == (row["message"] is None)
        assert row["message"] or row["advice"] is None
    problems = [row["message"] for row in document["preflight"]
                if row["verdict"] == "error"]
    error = document["error"]
    assert problems[:1] == ([error["message"]] if error else [])


def option_names():
    """Every long option in the usage text but those that only show text."""
    if not option_names.cache:
        text = succeeded(Program("--help")).out
        found = re.findall(r"^  (?:-\w,|   ) --([a-z][a-z0-9.-]*)", text, re.M)
        option_names.cache = set(found) - {"help", "version"}
    return option_names.cache


option_names.cache = None


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def sizes_of(document):
    """The sizes of a run; None where there are none."""
    return document["parameters"]["size"] or [None]


def check_row(document, row):
    assert row["bandwidth"] or row["latency"]
    assert bool(row["bandwidth"] and row["latency"]) == bool(row["batch"])
    assert row["size"] in sizes_of(document)
    parameters = document["parameters"]
    assert row["qps"] == parameters["qps"]
    if row["control"]:
        check_control(row, row["control"])
        return
    assert row["post_list"] <= row["tx_depth"]
    assert row["post_list"] <= parameters["post-list"] or row["batch"]
    assert (row["cq_mod"] % row["post_list"] == 0
            or row["post_list"] % row["cq_mod"] == 0)
    assert ((document["test"]["direction"] == "bi")
            == bool(row["directions"]))
    assert row["verified"] == (parameters["verify"] and not row["failed"])
    if row["directions"]:
        check_directions(parameters, row)
    elif row["bandwidth"]:
        assert document["test"]["metric"] == "bandwidth"
        check_bandwidth(row, row["bandwidth"])
        assert row["histogram"] is None or row["batch"]
        if row["batch"]:
            check_batches(parameters, row)
    else:
        assert document["test"]["metric"] == "latency"
        check_latency(row, row["latency"])
        check_percentiles(parameters["percentiles"], row["latency"])
        check_load(document["test"]["load"], row, row["latency"])
        assert row["intervals"] is None and row["threads"] is None
    if row["intervals"]:
        check_intervals(row, row["intervals"])
    if row["threads"]:
        check_threads(parameters, row, row["threads"])
    if row["histogram"]:
        check_histogram(row["latency"], row["histogram"]["bins"])


def check_control(row, control):
    """The parts of an operation make up its time, and so do the spans."""
    latency = row["latency"]
    assert row["tx_depth"] is row["verified"] is row["directions"] is None
    assert latency["definition"] == "time of the calls"
    assert latency["samples"] == row["iterations"]
    if [one["name"] for one in control["parts"]] == ["server"]:
        # which knows only its own part of a connection
        assert control["existing"] is control["time"]["wall_ns"] is None
        return
    assert (control["existing"] is None) == (
        control["pattern"] == "churn" or not row["iterations"])
    if not row["iterations"]:
        return
    parts = [one for one in control["parts"] if one["in_latency"]]
    # the sum of means is the mean of sums
    assert math.isclose(sum(one["mean"] for one in parts), latency["mean"],
                        rel_tol=1e-6)
    spans = control["existing"] or []
    assert sum(one["latency"]["samples"] for one in spans) == (
        row["iterations"] if spans else 0)
    for before, after in zip(spans, spans[1:]):
        assert after["from"] == before["to"] + 1
    times = control["time"]
    assert times["wall_ns"] >= 980 * latency["mean"]
    if times["user_ns"] is not None:
        assert near(times["user_ns"] + times["system_ns"], times["cpu_ns"])
    if times["cpu_ns"] is None:
        # an attempt that failed used some of it
        assert control["limit"] or row["failed"]
        assert times["waiting_ns"] is None
    else:
        assert times["waiting_ns"] >= (times["wall_ns"] * (1 - 1e-9)
                                       - times["cpu_ns"])
    if row["intervals"] and not row["failed"]:
        # from before the first thread began until after the last one ended
        end = end_of_intervals(row, row["intervals"])
        assert row["seconds"] <= end <= row["seconds"] + 0.1


def check_load(load, row, latency):
    """An open loop says what was asked for; nothing else does."""
    names = ("requested_mpps", "achieved_mpps", "late", "saturated")
    if load == "closed":
        assert all(latency[name] is None for name in names)
        return
    assert latency["definition"] == "round trip from the intended start"
    assert latency["late"] <= latency["samples"]
    rate = row["iterations"] / row["seconds"] / 1e6
    assert near(latency["achieved_mpps"], rate)
    short = rate < 0.99 * latency["requested_mpps"]
    most = latency["late"] > latency["samples"] // 2
    assert latency["saturated"] == (short and most)


def check_directions(parameters, row):
    """Each of the two is a row of its own; the row has their sums."""
    assert row["intervals"] is None and row["threads"] is None
    total = row["bandwidth"]
    assert total["peak_gbps"] is None and total["ci95_gbps"] is None
    both = row["directions"]
    assert [one["from"] for one in both] == ["client", "server"]
    for one in both:
        like = {**one, "size": row["size"], "qps": row["qps"],
                "failed": row["failed"]}
        check_bandwidth(like, one["bandwidth"])
        if one["intervals"]:
            check_intervals(like, one["intervals"])
        if one["threads"]:
            check_threads({**parameters, "cpus": None}, like, one["threads"])
    assert row["iterations"] == sum(one["iterations"] for one in both)
    assert near(row["seconds"], max(one["seconds"] or 0 for one in both))
    for key in ("gbps", "mib_per_s", "mpps", "sent", "received", "lost"):
        parts = [one["bandwidth"][key] for one in both]
        assert (total[key] is None) == (None in parts)
        assert total[key] is None or near(total[key], sum(parts))


def check_percentiles(asked, latency):
    got = latency["percentiles"]
    assert (got is None) == (asked is None)
    for percentile in asked or ():
        value = got[f"{percentile:.6g}"]
        needed = math.ceil(math.log(0.05) / math.log(percentile / 100))
        assert (value is None) == (latency["samples"] < needed)
        assert value is None or latency["min"] <= value <= latency["max"]


def end_of_intervals(row, intervals):
    """They are one after the other, and have all iterations."""
    end = 0
    for one in intervals:
        assert near(one["start"], end)
        end = one["start"] + one["seconds"]
        rate = one["iterations"] / one["seconds"]
        assert near(one["mpps"], rate / 1e6)
        if row.get("control"):
            assert one["gbps"] is one["mib_per_s"] is None
        else:
            assert near(one["gbps"], rate * row["size"] * 8 / 1e9)
            assert near(one["mib_per_s"], rate * row["size"] / 2 ** 20)
    assert sum(one["iterations"] for one in intervals) == row["iterations"]
    return end


def check_intervals(row, intervals):
    """All of the window, and what is made of them."""
    end = end_of_intervals(row, intervals)
    assert math.isclose(end, row["seconds"], rel_tol=1e-6)
    bandwidth = row["bandwidth"]
    assert (bandwidth["peak_gbps"] is None) == (len(intervals) < 10)
    if len(intervals) < 10:
        assert bandwidth["ci95_gbps"] is None
        return
    rates = [one["gbps"] for one in intervals]
    assert near(bandwidth["peak_gbps"], max(rates))
    low, high = bandwidth["ci95_gbps"]
    mean = sum(rates) / len(rates)
    assert low <= mean * (1 + 1e-9) and mean <= high * (1 + 1e-9)


def check_threads(parameters, row, threads):
    assert len(threads) == parameters["threads"]
    assert [one["thread"] for one in threads] == list(range(len(threads)))
    shares = [one["qps"] for one in threads]
    assert sum(shares) == row["qps"] and max(shares) - min(shares) <= 1
    assert sum(one["iterations"] for one in threads) == row["iterations"]
    for one, cpu in zip(threads, parameters["cpus"] or [None] * len(threads)):
        assert one["cpu"] == cpu or parameters["bidirectional"]
        if one["seconds"]:
            assert one["seconds"] <= row["seconds"] * (1 + 1e-6)
            assert near(one["mpps"], one["iterations"] / one["seconds"] / 1e6)


def check_histogram(latency, bins):
    assert sum(count for _, _, count in bins) == latency["samples"]
    assert all(count > 0 for _, _, count in bins)
    edges = [edge for low, high, _ in bins for edge in (low, high)]
    assert edges == sorted(edges)
    assert all(a[1] < b[0] for a, b in zip(bins, bins[1:]))
    assert near(edges[0], latency["min"] * 1000)
    assert near(edges[-1], latency["max"] * 1000)


def check_bandwidth(row, bandwidth):
    copies = len(row.get("receivers") or [1])
    if row["seconds"] is None:
        assert row["failed"] and bandwidth["gbps"] is None
    else:
        rate = row["iterations"] / row["seconds"]
        assert near(bandwidth["gbps"], rate * row["size"] * 8 / 1e9)
        assert near(bandwidth["mib_per_s"], rate * row["size"] / 2 ** 20)
        assert near(bandwidth["mpps"], rate / 1e6)
    if bandwidth["sent"] is None:
        assert row["failed"] and bandwidth["received"] is None
    else:
        assert bandwidth["sent"] * copies >= row["iterations"]
    if not row["intervals"]:
        assert bandwidth["peak_gbps"] is None
        assert bandwidth["ci95_gbps"] is None
    if bandwidth["peak_gbps"] is None:
        assert bandwidth["peak_error_percent"] is None
    for name in ("error_percent", "dry_percent"):
        assert bandwidth[name] is None or 0 <= bandwidth[name] <= 100
    if bandwidth["received"] is not None:
        assert (bandwidth["lost"]
                == bandwidth["sent"] * copies - bandwidth["received"])


def check_batches(parameters, row):
    """Sizes add up to that of a batch, and times to no more than all."""
    parts = [part.split("x") for part in parameters["batch"].split(",")]
    counts = [int(part[1]) if len(part) > 1 else 1 for part in parts]
    units = {"K": 2 ** 10, "M": 2 ** 20}
    sizes = [int(size.rstrip("KM")) * units.get(size[-1], 1)
             for size, *_ in parts]
    assert row["batch"]["requests"] == sum(counts)
    assert row["size"] == sum(map(operator.mul, counts, sizes))
    assert row["tx_depth"] == -(-sum(counts) // row["qps"])
    assert near(row["batch"]["per_second"], row["iterations"] / row["seconds"])
    check_latency(row, row["latency"])
    check_percentiles(parameters["percentiles"], row["latency"])
    assert (row["latency"]["mean"] * row["iterations"]
            <= row["seconds"] * 1e6 * (1 + 1e-6))


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
        == sizes_of(document)
    assert not any(row["failed"] for row in document["results"])
    return document


def row_of(program, seconds=30):
    """The only row of such a document."""
    rows = measured(program, seconds)["results"]
    assert len(rows) == 1
    return rows[0]
