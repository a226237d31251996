"""What is measured, and how it is compared: the one table of metrics."""
from typing import Dict, NamedTuple


class Metric(NamedTuple):
    """One metric, by its name in JSON."""

    unit: str           # as people read it
    is_rate: bool       # more is better; else it is a time, in us
    gauge: str          # what programs call it
    factor: float       # from our unit to that of the gauge


BYTES = "verbsperf_bandwidth_bytes_per_second"
METRICS: Dict[str, Metric] = {
    "gbps": Metric("Gb/s", True, BYTES, 1e9 / 8),
    "mpps": Metric("Mpps", True, "verbsperf_messages_per_second", 1e6),
    "mib_per_s": Metric("MiB/s", True, BYTES, 2.0 ** 20),
    "peak_gbps": Metric("peak Gb/s", True, BYTES, 1e9 / 8),
    **{name: Metric(name.replace("_", ".") + " us", False,
                    "verbsperf_latency_seconds", 1e-6)
       for name in "min mean p50 p90 p99 p99_9 p99_99 max".split()}}
RATES = tuple(name for name, one in METRICS.items() if one.is_rate)
TIMES = tuple(name for name, one in METRICS.items() if not one.is_rate)
# What is compared of each kind of test unless something else is asked for, and
# by how many percent it may be worse.
COMPARED = {"bandwidth": "gbps", "latency": "p99"}
TOLERANCES = {"bandwidth": 2.0, "latency": 5.0}


def kind_of(test: str) -> str:
    """Return what TEST measures, which is what its metrics are of."""
    return "bandwidth" if test.endswith("_bw") else "latency"
