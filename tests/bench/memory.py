"""Memory of a long latency run against that of a short one.

The peak of the resident set (VmHWM) as the program leaves, which the fake NIC
writes down: wait4() would count the launcher's memory, too."""
from programs import table

SHORT = 1000


def peak(bench, run):
    """KiB resident at most in the client that RUN starts."""
    path = bench.directory / "peak"
    path.unlink(missing_ok=True)
    run({"FAKE_PEAK": str(path)})
    return int(path.read_text(encoding="ascii").split()[0])


def row(name, short, long):
    return [name, f"{short / 1024:.1f}", f"{long / 1024:.1f}",
            f"{(long - short) / 1024:.1f}"]


def run(bench):
    n = 1_000_000 if bench.quick else 10_000_000
    print(f"memory: most resident at once, MiB, in read_lat of {SHORT:,} and "
          f"{n:,} samples")
    rows = [row("verbsperf", *(
        peak(bench, lambda fake, count=count: bench.run_verbsperf(
            "read_lat", ["-n", str(count), "--warmup", "0"], fake))
        for count in (SHORT, n)))]
    if bench.has_perftest:
        rows.append(row("perftest", *(
            peak(bench, lambda fake, count=count: bench.run_perftest(
                "read_lat", ["-n", str(count)], fake))
            for count in (SHORT, n))))
    table(["", f"n = {SHORT:,}", f"n = {n:,}", "growth"], rows)
