"""What is compared, as the options of a command say it: metrics and
tolerances."""
import argparse
from typing import Optional

from verbsperf.base.metrics import COMPARED, METRICS, RATES, TIMES, TOLERANCES
from verbsperf.compare.comparison import Question


def percentage(text: str) -> float:
    """Parse a tolerance, such as 2 or 2%."""
    value = float(text.removesuffix("%"))
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected 0 or more, below 100")
    return value


def metric_name(text: str) -> str:
    """Parse the name of a metric; 99.9 and p99.9 mean p99_9."""
    name = text.lower().replace(".", "_")
    name = "p" + name if name[:1].isdigit() else name
    if name not in METRICS:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected one of {', '.join(METRICS)}")
    return name


def add_options(p: argparse._ActionsContainer) -> None:
    """Add the options of a question to the command line of P."""
    p.add_argument("--metric", action="append", type=metric_name, default=[],
                   metavar="NAME",
                   help="metrics to compare [gbps, p99]: one for bandwidth"
                        f" ({', '.join(RATES)}), one for latency"
                        f" ({', '.join(TIMES)})")
    p.add_argument("--tolerance", type=percentage, metavar="PERCENT",
                   help="how much worse anything may be")
    for kind, word in (("bandwidth", "loss"), ("latency", "increase")):
        p.add_argument(f"--{kind}-tolerance", type=percentage,
                       metavar="PERCENT", help=f"{word} of {kind} that does "
                       f"not matter [{TOLERANCES[kind]:g}]")


def of(options: argparse.Namespace) -> Question:
    """Return what OPTIONS ask to compare."""
    metrics, tolerances = dict(COMPARED), dict(TOLERANCES)
    for name in options.metric:
        metrics["bandwidth" if name in RATES else "latency"] = name
    for kind in tolerances:
        for value in (options.tolerance, getattr(options, f"{kind}_tolerance")):
            tolerances[kind] = tolerances[kind] if value is None else value
    return Question(metrics, tolerances)


def given(options: argparse.Namespace) -> Optional[str]:
    """Return the name of one of these options that OPTIONS have, or None."""
    for name in ("metric", "tolerance", "bandwidth_tolerance",
                 "latency_tolerance"):
        if getattr(options, name) not in (None, []):
            return "--" + name.replace("_", "-")
    return None
