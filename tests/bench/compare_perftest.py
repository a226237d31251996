"""Interleaved runs of verbsperf and perftest on one device: medians, ratios.

The ratio of a round is verbsperf's figure over perftest's, taken one after the
other; the interval around the median ratio is that of order statistics, so it
assumes nothing about the distribution."""
import argparse
import json
import math
import os
import statistics
import subprocess
import time

VERBSPERF = os.environ["VERBSPERF"]
DEADLINE = 120

# test, size, perftest's iterations, seconds of verbsperf, is larger better
CASES = [
    ("write_lat", 2, 5000, 1, False),
    ("send_lat", 2, 5000, 1, False),
    ("read_lat", 2, 5000, 1, False),
    ("write_bw", 65536, 1000, 3, True),
    ("write_bw", 64, 20000, 2, True),
    ("send_bw", 65536, 1000, 3, True),
    ("send_bw", 64, 20000, 2, True),
    ("read_bw", 65536, 1000, 3, True),
    ("read_bw", 64, 20000, 2, True),
]


def run_verbsperf(test, size, seconds, args):
    """Median latency in us, or MiB/s."""
    done = subprocess.run(
        [VERBSPERF, test, "-d", args.device, "-x", str(args.gid), "-s",
         str(size), "-D", str(seconds), "--loopback", "--json"],
        capture_output=True, text=True, timeout=DEADLINE, check=True)
    row = json.loads(done.stdout)["results"][0]
    if test.endswith("_lat"):
        return row["latency"]["p50"]
    return row["bandwidth"]["mib_per_s"]


def perftest_figure(test, size, output):
    for line in output.splitlines():
        words = line.split()
        if words and words[0] == str(size):
            return float(words[4] if test.endswith("_lat") else words[3])
    raise ValueError("no result line in:\n" + output)


def run_perftest(test, size, iterations, args):
    command = [f"ib_{test}", "-d", args.device, "-x", str(args.gid), "-s",
               str(size), "-n", str(iterations), "-F"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        done = subprocess.run(command + ["127.0.0.1"], capture_output=True,
                              text=True, timeout=DEADLINE, check=True)
        server.wait(timeout=10)
    finally:
        server.kill()
        server.wait()
    return perftest_figure(test, size, done.stdout)


def median_interval(values):
    """At least 95% by order statistics; the whole range below 6 values."""
    n, k = len(values), 0
    below = 0.0
    while k < n // 2:
        below += math.comb(n, k) / 2 ** n
        if 2 * below > 0.05:
            break
        k += 1
    ordered = sorted(values)
    low = max(k - 1, 0)
    return ordered[low], ordered[n - 1 - low]


def compare(case, args):
    test, size, iterations, seconds, larger = case
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(run_verbsperf(test, size, seconds, args))
        theirs.append(run_perftest(test, size, iterations, args))
    ratios = [a / b for a, b in zip(ours, theirs)]
    low, high = median_interval(ratios)
    ratio = statistics.median(ratios)
    if (low > 1) if larger else (high < 1):
        verdict = "better"
    elif (high < 1) if larger else (low > 1):
        verdict = "worse"
    else:
        verdict = "same within noise"
    unit = "us" if test.endswith("_lat") else "MiB/s"
    print(f"{test:10} {size:6} {statistics.median(ours):10.2f} "
          f"{statistics.median(theirs):10.2f} {unit:6} {ratio:6.3f} "
          f"[{low:.3f}, {high:.3f}]  {verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", required=True)
    parser.add_argument("--gid", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", help="one test")
    args = parser.parse_args()
    print(f"{args.rounds} rounds, medians; ratio verbsperf / perftest with "
          "its interval")
    print(f"{'test':10} {'#bytes':>6} {'verbsperf':>10} {'perftest':>10} "
          f"{'unit':6} {'ratio':>6}")
    for case in CASES:
        if args.only in (None, case[0]):
            compare(case, args)


main()
