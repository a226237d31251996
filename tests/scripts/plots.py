"""Documents that verbsperf-plot has something to draw of."""
import complete
from conftest import document


def bw_row(size, gbps, mpps=None, ci95=None, **more):
    """A row of a bandwidth test; GBPS None: it was not measured."""
    bandwidth = {"gbps": gbps, "mpps": mpps, "ci95_gbps": ci95}
    return {**complete.row({"size": size, "bandwidth": bandwidth}), **more}


def lat_row(size, p50, p99=None, p99_9=None, bins=None, **more):
    """A row of a latency test."""
    latency = {"p50": p50, "p99": p99, "p99_9": p99_9, **more}
    return complete.row({"size": size, "latency": latency,
                         "histogram": bins and {"unit": "ns", "bins": bins}})


def result(rows, title=None, host="lab1", **parameters):
    """A document of ROWS."""
    test = "write_lat" if rows[0]["latency"] else "write_bw"
    made = document(test={"name": test, "transport": "RC"}, results=rows)
    for end, name in (("client", host), ("server", "lab2")):
        made[end] = {**made[end], "hostname": name, "gid": "::ffff:10.0.0.1"}
    return {**made, "title": title, "parameters": parameters}


def sweep(values):
    """Lines of a sweep; VALUES are {target: {size: [gbps or None]}}."""
    lines = [{"targets": [{"name": target} for target in values]}]
    for target, sizes in values.items():
        for size, rounds in sizes.items():
            for number, gbps in enumerate(rounds, 1):
                point = {"test": "write_bw", "transport": "RC", "size": size,
                         "qps": 1, "options": {}}
                made = gbps and result([bw_row(size, gbps, gbps / 2)])
                lines.append({
                    "target": target, "round": number, "point": point,
                    "document": made, "fingerprint": {},
                    "error": None if made else "cannot connect"})
    return complete.sweep(lines)


def loads(cap, title):
    """Documents of an open loop that can do CAP Mpps."""
    return [result([lat_row(64, 1.0 + rate, 5.0, 9.0, requested_mpps=rate,
                            achieved_mpps=min(rate, cap),
                            saturated=rate > cap)], title, rate=f"{rate}Mpps")
            for rate in (3.0, 1.0, 2.0)]


RUN = result([bw_row(64, 1.0, 2.0, [0.9, 1.2]), bw_row(128, None),
              bw_row(256, 4.0, 2.0), bw_row(512, 9.0, failed=True)])
LATENCY = result([lat_row(2, 1.0, 2.0, 3.0), lat_row(1 << 20, 90.0, 95.0)])
