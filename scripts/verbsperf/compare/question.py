"""What is compared, as the options of a command say it: metrics and
tolerances."""
import argparse
from typing import Optional

from verbsperf.compare.comparison import RATES, TIMES, Question


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
    if name not in RATES + TIMES:
        raise argparse.ArgumentTypeError(
            f"'{text}': expected one of {', '.join(RATES + TIMES)}")
    return name


def add_options(p: argparse._ActionsContainer) -> None:
    """Add the options of a question to the command line of P."""
    p.add_argument("--metric", action="append", type=metric_name, default=[],
                   metavar="NAME",
                   help="metrics to compare [gbps, p99]: one for bandwidth"
                        f" ({', '.join(RATES)}), one for latency"
                        f" ({', '.join(TIMES)})")
    p.add_argument("--bandwidth-tolerance", type=percentage, metavar="PERCENT",
                   help="loss of bandwidth that does not matter [2]")
    p.add_argument("--latency-tolerance", type=percentage, metavar="PERCENT",
                   help="increase of latency that does not matter [5]")


def of(options: argparse.Namespace) -> Question:
    """Return what OPTIONS ask to compare."""
    metrics = {"bandwidth": "gbps", "latency": "p99"}
    for name in options.metric:
        metrics["bandwidth" if name in RATES else "latency"] = name
    tolerances = {"bandwidth": 2.0, "latency": 5.0}
    for kind in tolerances:
        given = getattr(options, f"{kind}_tolerance")
        if given is not None:
            tolerances[kind] = given
    return Question(metrics, tolerances)


def given(options: argparse.Namespace) -> Optional[str]:
    """Return the name of one of these options that OPTIONS have, or None."""
    for name in ("metric", "bandwidth_tolerance", "latency_tolerance"):
        if getattr(options, name) not in (None, []):
            return "--" + name.replace("_", "-")
    return None
