"""What is measured, and how it is compared: the one table of metrics."""
import math
from typing import NamedTuple, Optional


class Metric(NamedTuple):
    """One metric, by its name in JSON."""

    unit: str           # as people read it
    title: str          # what it is, without its unit
    is_rate: bool       # more is better; else it is a time, in us
    gauge: str          # what programs call it
    factor: float       # from our unit to that of the gauge
    scale: str = "linear"   # of an axis, see curves.Panel

    def label(self) -> str:
        """Return what an axis of it is called."""
        unit = self.unit if self.is_rate else "\N{MICRO SIGN}s"
        return f"{self.title} [{unit}]"


def title_of(name: str) -> str:
    """Return what the statistic NAME of latency, such as p99_9, is."""
    text = name.replace("_", ".")
    if text[1:2].isdigit():
        return "median" if text == "p50" else f"{text[1:]}%"
    return text


BYTES = "verbsperf_bandwidth_bytes_per_second"
METRICS: dict[str, Metric] = {
    "gbps": Metric("Gb/s", "bandwidth", True, BYTES, 1e9 / 8),
    "mpps": Metric("Mpps", "message rate", True,
                   "verbsperf_messages_per_second", 1e6, "wide"),
    "mib_per_s": Metric("MiB/s", "bandwidth", True, BYTES, 2.0 ** 20),
    "peak_gbps": Metric("peak Gb/s", "peak bandwidth", True, BYTES, 1e9 / 8),
    **{name: Metric(name.replace("_", ".") + " us", title_of(name), False,
                    "verbsperf_latency_seconds", 1e-6, "log")
       for name in "min mean p50 p90 p99 p99_9 p99_99 max".split()}}
RATES = tuple(name for name, one in METRICS.items() if one.is_rate)
TIMES = tuple(name for name, one in METRICS.items() if not one.is_rate)
# What is compared of each kind of test unless something else is asked for, and
# by how many percent it may be worse.
COMPARED = {"bandwidth": "gbps", "latency": "p99"}
TOLERANCES = {"bandwidth": 2.0, "latency": 5.0}


def samples_for(name: str) -> Optional[int]:
    """Return how many samples of a run verbsperf needs for the percentile
    NAME, such as p99_9, so that one of them is beyond it in 95% of cases; None
    of what is no percentile."""
    if not name[1:2].isdigit():
        return None
    share = float(name[1:].replace("_", ".")) / 100
    return math.ceil(math.log(0.05) / math.log(share))


def kind_of(test: str) -> str:
    """Return what TEST measures, which is what its metrics are of."""
    return "bandwidth" if test.endswith("_bw") else "latency"
