"""Whether --rate is kept: what was achieved against what was asked for.

The fake NIC completes everything at once, or after FAKE_DELAY, so that only
the program and the machine's interruptions stand between the two.  Each
figure is the round that came nearest: a busy machine is not an error of the
program."""
from programs import Failed, table

# Options, bytes of a message
CASES = [
    ("65gbps", ["-s", "65536"]),
    ("0.1gbps", ["-s", "4096"]),
    ("97.3gbps", ["-s", "65536", "-q", "4"]),
    ("1.23mpps", ["-s", "64"]),
    ("1.23mpps", ["-s", "64", "-q", "16", "--burst", "8"]),
    ("2.5mpps", ["-s", "64", "-l", "16"]),
    ("333kpps", ["-s", "64", "-Q", "1"]),
    ("1000pps", ["-s", "64"]),
]
# The same of an open loop
OPEN = [("100kpps", []), ("1.23mpps", []), ("37kpps", ["--depth", "2"])]
TOLERANCE = 0.01
DELAY = "2000"


def mpps(rate, size):
    """Of the text of an option, as the program understands it."""
    number = float(rate.rstrip("abcdefghijklmnopqrstuvwxyz"))
    scale = {"mpps": 1, "kpps": 1e-3, "pps": 1e-6,
             "gbps": 1e3 / 8 / size}[rate.lstrip("0123456789.")]
    return number * scale


def ratio(bench, rate, options, seconds):
    document = bench.run_verbsperf(
        "write_bw", ["--rate", rate, "-D", str(seconds), "--warmup", "0.1"] +
        options, {"FAKE_DELAY": DELAY})
    row = document["results"][0]
    return row["bandwidth"]["mpps"] / mpps(rate, row["size"])


def nearest(got, options):
    """A row of the table, and how far off the nearest is."""
    best = min(got, key=lambda one: abs(one - 1))
    return [options, f"{best:.4f}", f"{min(got):.4f}",
            f"{max(got):.4f}"], abs(best - 1)


def open_ratio(bench, rate, options, seconds):
    document = bench.run_verbsperf(
        "read_lat", ["--rate", rate, "-D", str(seconds)] + options,
        {"FAKE_DELAY": DELAY})
    latency = document["results"][0]["latency"]
    return latency["achieved_mpps"] / latency["requested_mpps"]


def run(bench):
    rounds, seconds = (2, 0.5) if bench.quick else (3, 1)
    print(f"rate: achieved / requested of write_bw and of an open loop of "
          f"read_lat,\n{rounds} rounds of {seconds} s")
    rows, worst = [], 0
    for rate, options in CASES:
        got = [ratio(bench, rate, options, seconds) for _ in range(rounds)]
        row, off = nearest(got, f"write_bw --rate {rate} "
                                f"{' '.join(options)}")
        rows.append(row)
        worst = max(worst, off)
    for rate, options in OPEN:
        got = [open_ratio(bench, rate, options, seconds)
               for _ in range(rounds)]
        row, off = nearest(got, f"read_lat --rate {rate} "
                                f"{' '.join(options)}")
        rows.append(row)
        worst = max(worst, off)
    table(["options", "nearest", "least", "most"], rows)
    if worst > TOLERANCE:
        raise Failed(f"off by {worst:.1%}: more than {TOLERANCE:.0%}")
