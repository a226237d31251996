"""Whether what is reported is what happened.

The fake NIC delays each completion by what it is told, and writes down when
each request was posted and when its completion was taken.  Programs take
turns, round by round; each figure is the median of the rounds.  Where the
machine's own interruptions matter (tails, spread, rates), a program is
compared with what the device saw in the same run: interruptions are in both.
"""
import math
import statistics

from programs import read_samples, table

PERCENTILES = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999)]
# Positions in the result line of perftest's latency tests, in us.
PERFTEST = {"p50": 4, "stddev": 6, "p99": 7, "p99_9": 8}


def median(values):
    return statistics.median(values)


def device_view(path):
    """Latencies that the device saw, by name, in ns."""
    samples = read_samples(path)
    spans = sorted(taken - posted for posted, taken in samples)
    view = {name: spans[math.ceil(q * len(spans) - 1e-6) - 1]
            for name, q in PERCENTILES}
    view["stddev"] = statistics.stdev(spans)
    view["whole run"] = samples[-1][1]
    return view


def device_rate(path, size, every):
    """Gb/s that the device saw, from the first post to the last completion."""
    samples = read_samples(path)
    return len(samples) * every * size * 8 / max(t for _, t in samples)


class Latency:
    """One round of read_lat with each program on one kind of device."""

    def __init__(self, bench, delay, n):
        self.bench, self.n = bench, n
        self.fake = {"FAKE_DELAY": delay}
        self.step = None

    def logged(self, run):
        """What RUN reports and what the device saw meanwhile."""
        path = self.bench.device_log()
        figures = run({**self.fake, "FAKE_SAMPLES": str(path)})
        return figures, device_view(path)

    def bare(self, fake):
        figures = self.bench.run_bare(["lat", "read", 2, self.n], fake)
        return {**figures, "p50": figures["median"]}

    def verbsperf(self, fake):
        document = self.bench.run_verbsperf(
            "read_lat", ["-s", "2", "-n", str(self.n), "--warmup", "0"], fake)
        self.step = document["clock"]["resolution_ns"]
        latency = document["results"][0]["latency"]
        return {name: latency[name] * 1000
                for name in [p for p, _ in PERCENTILES] + ["stddev"]}

    def perftest(self, fake):
        words = self.bench.run_perftest("read_lat", ["-s", "2", "-n",
                                                     str(self.n)], fake)
        return {name: words[i] * 1000 for name, i in PERFTEST.items()}

    def silent(self, run):
        """What RUN reports: without a log, a completion is 10 ns sooner."""
        return run(self.fake), None

    def round(self, take):
        """(reported, seen by the device) for each program."""
        turns = {"bare": take(self.bare), "verbsperf": take(self.verbsperf)}
        if self.bench.has_perftest:
            turns["perftest"] = take(self.perftest)
        return turns


def reported(rounds, program, name):
    """Median of what PROGRAM says of NAME; None when it does not."""
    values = [turns[program][0].get(name) for turns in rounds
              if program in turns]
    return median(values) if values and None not in values else None


def difference(rounds, program, name):
    """Median of what PROGRAM says less what its device saw."""
    return median(turns[program][0][name] - turns[program][1][name]
                  for turns in rounds)


def text(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def signed(value, digits=1, unit=""):
    return "-" if value is None else f"{value:+,.{digits}f}{unit}"


def medians(bench, rounds):
    print(f"accuracy: median of read_lat, ns, {rounds} rounds; the difference "
          "to the bare loop\nof clock, post, poll and clock, and that in "
          "steps of the clock")
    rows = []
    for delay in (1000, 2000, 10000):
        test = Latency(bench, str(delay), 10000)
        taken = [test.round(test.silent) for _ in range(rounds)]
        bare = reported(taken, "bare", "p50")
        row = [f"{delay:,}", text(bare, 1)]
        for program in ("verbsperf", "perftest"):
            value = reported(taken, program, "p50")
            more = None if value is None else value - bare
            steps = None if more is None else more / test.step
            row += [text(value, 1), signed(more), signed(steps, 2)]
        rows.append(row)
    table(["delay", "bare", "verbsperf", "more", "steps", "perftest", "more",
           "steps"], rows)
    print(f"(one step is {test.step:.2f} ns here)\n")


def percentiles(bench, rounds, mix):
    print(f"accuracy: percentiles of read_lat, ns, of delays {mix}; "
          f"{rounds} rounds;\n'off': less what the device saw in the same run")
    test = Latency(bench, mix, 20000)
    taken = [test.round(test.logged) for _ in range(rounds)]
    rows = []
    for name, _ in PERCENTILES:
        row = [name]
        for program in ("bare", "verbsperf", "perftest"):
            value = reported(taken, program, name)
            off = None if value is None else difference(taken, program, name)
            row += [text(value), signed(off)]
        rows.append(row)
    table(["", "bare", "off", "verbsperf", "off", "perftest", "off"], rows)
    print()


def least_disturbed(rounds, program):
    """(reported, seen) of PROGRAM's shortest run: one interruption of 50 us,
    which the device does not see when it comes between two messages, makes
    more spread than the delays."""
    return min((turns[program] for turns in rounds if program in turns),
               key=lambda turn: turn[1]["whole run"], default=None)


def spread(bench, rounds):
    print(f"accuracy: standard deviation of read_lat, ns; the least "
          f"interrupted of {rounds} rounds;\n'told': to the device; 'seen': "
          "by the device in the same run, with what interruptions\nthere "
          "were; 'off': reported against seen")
    rows = []
    for mix, told in (("50%2000,50%2600", 300),
                      ("50%20000,50%120000", 50000)):
        test = Latency(bench, mix, 10000)
        taken = [test.round(test.logged) for _ in range(rounds)]
        row = [mix, f"{told:,}"]
        for program in ("bare", "verbsperf", "perftest"):
            turn = least_disturbed(taken, program)
            if not turn:
                row += ["-"] * 3
                continue
            said, seen = turn[0]["stddev"], turn[1]["stddev"]
            row += [text(said), text(seen),
                    signed(100 * (said / seen - 1), 2, "%")]
        rows.append(row)
    table(["delays", "told", "bare", "seen", "off", "verbsperf", "seen",
           "off", "perftest", "seen", "off"], rows)
    print()


class Rate:
    """write_bw of each program on a wire of GBPS."""

    every = 100

    def __init__(self, bench, gbps, size, qps, seconds):
        self.bench, self.size, self.qps = bench, size, qps
        self.fake = {"FAKE_GBPS": str(gbps)}
        groups = seconds * gbps * 1e9 / 8 / size / qps / self.every
        self.n = max(1, round(groups)) * self.every
        self.common = ["-s", str(size), "-q", str(qps), "-n", str(self.n),
                       "-t", "128", "-Q", str(self.every)]

    def bare(self, fake):
        return self.bench.run_bare(["bw", "write", self.size, self.n,
                                    self.every, 1, self.qps], fake)["gbps"]

    def verbsperf(self, fake):
        document = self.bench.run_verbsperf(
            "write_bw", self.common + ["--warmup", "0"], fake)
        return document["results"][0]["bandwidth"]["gbps"]

    def perftest(self, fake):
        return self.bench.run_perftest(
            "write_bw", self.common + ["-N", "--report_gbits"], fake)[3]

    def logged(self, run):
        """Gb/s as RUN reports, and as the device saw."""
        path = self.bench.device_log()
        gbps = run({**self.fake, "FAKE_SAMPLES": str(path)})
        return gbps, device_rate(path, self.size, self.every)

    def row(self, rounds):
        programs = [self.bare, self.verbsperf]
        if self.bench.has_perftest:
            programs.append(self.perftest)
        taken = [[self.logged(run) for run in programs]
                 for _ in range(rounds)]
        cells = [str(self.size), str(self.qps)]
        for turns in zip(*taken):
            cells += [text(median(gbps for gbps, _ in turns), 3),
                      signed(median(100 * (gbps / seen - 1)
                                    for gbps, seen in turns), 3, "%")]
        return cells + ["-"] * (8 - len(cells))


def rates(bench, rounds):
    gbps = 100
    print(f"accuracy: Gb/s of write_bw on a wire of {gbps}; {rounds} rounds; "
          "'off': against what the\ndevice saw from first post to last "
          "completion in the same run")
    seconds = 0.1 if bench.quick else 0.4
    table(["#bytes", "QPs", "bare", "off", "verbsperf", "off", "perftest",
           "off"],
          [Rate(bench, gbps, size, qps, seconds).row(rounds)
           for size in (4096, 65536) for qps in (1, 16)])


def run(bench):
    rounds = 3 if bench.quick else 7
    medians(bench, rounds)
    # Of the first, p99 is the slowest of the 2 us ones: a single late one
    # lifts it.  The second has room for some.
    percentiles(bench, rounds, "99%2000,1%50000")
    percentiles(bench, rounds, "99.5%2000,0.5%50000")
    spread(bench, 2 * rounds)
    rates(bench, rounds)
