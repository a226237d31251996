"""Instructions per message of the client, counted by callgrind.

Two runs that differ in nothing but their length: the difference, divided by
the messages more, is what a message costs, and what a loop does once cancels.
Counted is the thread that posts, from its first post to its last completion.
The fake NIC completes everything at once, so that nobody waits."""
import shutil

from programs import Failed, Refused, table

# What each program is told, and which lengths it gets, per queue pair.
SIGNALS = [("-Q 100", 100, 1), ("-Q 1", 1, 1), ("-l 16", 16, 16)]
TOTALS = (25600, 76800)


def callgrind(bench, completions, run):
    """Instructions of the program that RUN starts below a command."""
    path = bench.directory / "callgrind.out"
    path.unlink(missing_ok=True)
    run({"FAKE_COUNT": str(completions)},
        ["valgrind", "--tool=callgrind", "--collect-atstart=no",
         f"--callgrind-out-file={path}"])
    with open(path, encoding="ascii", errors="replace") as lines:
        for line in lines:
            if line.startswith(("totals:", "summary:")):
                return int(line.split()[1])
    raise Failed(f"{path}: callgrind has no total")


def per_message(bench, qps, every, run):
    """Instructions per message; None when the program refused."""
    counts = []
    for total in TOTALS:
        try:
            counts.append(callgrind(
                bench, total // every,
                lambda *how, n=total // qps: run(n, *how)))
        except Refused:
            return None
    return (counts[1] - counts[0]) / (TOTALS[1] - TOTALS[0])


def costs(bench, test, signal, size, qps):
    """Of the bare loop, of verbsperf and of perftest."""
    _, every, posts = signal
    common = ["-s", str(size), "-q", str(qps), "-Q", str(every), "-t", "128"]
    if posts > 1:
        common += ["-l", str(posts)]
    bare = per_message(
        bench, qps, every, lambda n, *how: bench.run_bare(
            ["bw", test.split("_")[0], size, n, every, posts, qps], *how))
    ours = per_message(
        bench, qps, every, lambda n, *how: bench.run_verbsperf(
            test, common + ["-n", str(n), "--warmup", "0"], *how))
    theirs = None
    if bench.has_perftest:
        # -N: without the reading of the clock at each message that it does
        # up to 20,000 of them
        theirs = per_message(
            bench, qps, every, lambda n, *how: bench.run_perftest(
                test, common + ["-n", str(n), "-N"], *how))
    return bare, ours, theirs


def cells(bare, other):
    if other is None:
        return ["-", "-"]
    return [f"{other:.1f}", f"{other / bare:.2f}"]


def run(bench):
    print("cost: instructions per message of the client, and the ratio to "
          "the bare loop")
    if not shutil.which("valgrind"):
        raise Failed("no valgrind: apt-get install valgrind")
    rows = []
    for test in ("write_bw", "read_bw"):
        for size in (64,) if bench.quick else (64, 65536):
            for qps in (1, 16):
                for signal in SIGNALS:
                    bare, ours, theirs = costs(bench, test, signal, size, qps)
                    rows.append([test, str(size), str(qps), signal[0],
                                 f"{bare:.1f}"] + cells(bare, ours) +
                                cells(bare, theirs))
    table(["test", "#bytes", "QPs", "signals", "bare", "verbsperf", "ratio",
           "perftest", "ratio"], rows)
