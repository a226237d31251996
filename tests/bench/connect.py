"""How long many queue pairs take to connect, and with how much memory."""
from programs import table

USUAL = (1, 1024, 4096, 16384)
QUICK = (1, 1024)


def connect(bench, qps):
    """Seconds from HELLO to START, and MiB resident at most in the client."""
    path = bench.directory / "peak"
    path.unlink(missing_ok=True)
    options = ["-q", str(qps), "-n", "1", "-s", "64", "--warmup", "0"]
    document = bench.run_verbsperf("write_bw", options,
                                   {"FAKE_PEAK": str(path)})
    row = document["results"][0]
    assert row["iterations"] == qps, row
    kib = int(path.read_text(encoding="ascii").split()[0])
    return document["setup_seconds"], kib / 1024


def run(bench):
    counts = QUICK if bench.quick else USUAL
    print("connect: from HELLO to the first START of write_bw, one message "
          "on each QP; the best of 3")
    rows = []
    for qps in counts:
        seconds, mib = min(connect(bench, qps) for _ in range(3))
        rows.append([f"{qps:,}", f"{seconds * 1000:.1f}", f"{mib:.1f}"])
    table(["QPs", "ms", "MiB"], rows)
