"""Interleaved runs of verbsperf and perftest on one device: medians, ratios.

The ratio of a round is verbsperf's figure over perftest's, taken one after the
other; the interval around the median ratio is that of order statistics, so it
assumes nothing about the distribution."""
import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import time

from programs import listening

VERBSPERF = os.environ.get("VERBSPERF", "verbsperf")
DEADLINE = 120
# A port of its own for every run: none waits for the last one's to be free.
PORTS = itertools.count(20000)

# test, size, messages of either (none has a warm-up, both count from the first
# post), is larger better
CASES = [
    ("write_lat", 2, 3000, False),
    ("send_lat", 2, 3000, False),
    ("read_lat", 2, 3000, False),
    ("write_bw", 65536, 1000, True),
    ("write_bw", 64, 20000, True),
    ("send_bw", 65536, 1000, True),
    ("send_bw", 64, 20000, True),
    ("read_bw", 65536, 1000, True),
    ("read_bw", 64, 20000, True),
]


def pair(server, client, port):
    """Both ends, each on a CPU of its own; what the client prints."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    end = subprocess.Popen(["taskset", "-c", str(first)] + server,
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    try:
        give_up = time.monotonic() + 20
        while not listening(port) and time.monotonic() < give_up:
            time.sleep(0.05)
        done = subprocess.run(["taskset", "-c", str(second)] + client,
                              capture_output=True, text=True,
                              timeout=DEADLINE)
        if done.returncode:
            raise RuntimeError(f"{client}: {done.stdout}{done.stderr}")
        end.wait(timeout=10)
    finally:
        end.kill()
        end.wait()
    return done.stdout


def run_verbsperf(test, size, messages, port, args):
    """Median latency in us, or MiB/s."""
    own = ["-d", args.device, "-x", str(args.gid), "-p", str(port)]
    output = pair([VERBSPERF, "serve", "--once"] + own,
                  [VERBSPERF, test, "-s", str(size), "-n", str(messages),
                   "--warmup", "0", "--json", "127.0.0.1"] + own, port)
    row = json.loads(output)["results"][0]
    if test.endswith("_lat"):
        return row["latency"]["p50"]
    return row["bandwidth"]["mib_per_s"]


def perftest_figure(test, size, output):
    for line in output.splitlines():
        words = line.split()
        if words and words[0] == str(size):
            return float(words[4] if test.endswith("_lat") else words[3])
    raise ValueError("no result line in:\n" + output)


def run_perftest(test, size, messages, port, args):
    command = [f"ib_{test}", "-d", args.device, "-x", str(args.gid), "-s",
               str(size), "-n", str(messages), "-F", "-p", str(port)]
    output = pair(command, command + ["127.0.0.1"], port)
    return perftest_figure(test, size, output)


def median_interval(values):
    """The narrowest of order statistics that covers at least 95%."""
    n, skip, outside = len(values), 0, 0.0
    while True:
        outside += 2 * math.comb(n, skip) / 2 ** n
        if outside > 0.05:
            break
        skip += 1
    ordered = sorted(values)
    low = max(skip - 1, 0)
    return ordered[low], ordered[n - 1 - low]


def compare(case, args):
    test, size, messages, larger = case
    ours, theirs = [], []
    run_verbsperf(test, size, messages, next(PORTS), args)  # caches
    turns = [lambda: ours.append(run_verbsperf(test, size, messages,
                                               next(PORTS), args)),
             lambda: theirs.append(run_perftest(test, size, messages,
                                                next(PORTS), args))]
    for _ in range(args.rounds):
        for turn in turns:
            turn()
        turns.reverse()     # A B B A: a drift favours neither
    best = max if larger else min
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
          f"[{low:.3f}, {high:.3f}]  {best(ours):8.2f} {best(theirs):8.2f}  "
          f"{verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", required=True)
    parser.add_argument("--gid", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20,
                        help="at least 6, for an interval of 95%%")
    parser.add_argument("--only", help="tests, by the start of their name")
    args = parser.parse_args()
    if args.rounds < 6:
        parser.error("--rounds: at least 6")
    print(f"{args.rounds} rounds, medians; ratio verbsperf / perftest with "
          "its interval")
    print(f"{'test':10} {'#bytes':>6} {'verbsperf':>10} {'perftest':>10} "
          f"{'unit':6} {'ratio':>6} {'95% interval':>14}  "
          f"{'best of each':>17}")
    for case in CASES:
        if not args.only or case[0].startswith(args.only):
            compare(case, args)


main()
