"""What verbsperf-cluster shows of a file, word by word."""
import pytest

from complete import DOCUMENT, LATENCY, PARTS, ROW, keys
from test_cluster import FINDING, document, entry
from verbsperf.agents.fleet import Job, Outcome, Several
from verbsperf.cluster import limits, view
from verbsperf.cluster.file import pair_of
from verbsperf.pairs import patterns
from verbsperf.pairs.patterns import End, Pair, Wanted

NAMES = [f"n{i}.example.org" for i in range(1, 5)]


def round_of(number, point=0, **more):
    return {"type": "round", "round": number, "point": point, "alone": False,
            "pairs": 3, "added": 3, "gbps": 300.0 - 10 * number, **more}


def probe(number, p50, p99, samples=500):
    pair = Pair(End(NAMES[1], ""), End(NAMES[2], ""))
    return {**entry(number, pair, p50, "p50"), "probe": True, "result": {
        **ROW, "latency": {**LATENCY, "p50": p50, "p99": p99,
                           "samples": samples}}}


def everything():
    """A file with a line of each kind: rounds in which each node sends to all,
    and times between two rails."""
    header, lines = document(NAMES)
    header["points"].append({**header["points"][0], "test": "write_lat",
                             "size": 2, "metric": "p50"})
    found = [one for one in lines if one["type"] == "node"]
    for node, (version, error) in zip(found, (
            ("1.0", None), ("1.1", None), ("1.0", None),
            (None, "its agent did not connect"))):
        node.update(verbsperf=version, error=error)
    for number, pairs in enumerate(patterns.rounds_of(
            "outcast", Wanted(NAMES[:3]), dict.fromkeys(NAMES, [""])), 1):
        found += [entry(number, pair, 100.0 - 10 * number) for pair in pairs]
        found.append(round_of(number))
    found[4].update(value=None, result=None, error="no path")
    found[5].update(marked=True, overlap=0.876)
    found[6]["added"] = 1
    again = Pair(End(NAMES[0], ""), End(NAMES[2], ""))
    found += [entry(4, again, 94.0), round_of(4, pairs=1, added=1, gbps=290.0),
              # which are no rounds of the pattern
              entry(5, again, 1.0, alone=True), round_of(5, alone=True),
              round_of(0, gbps=1.0)]
    for rail, (a, b) in enumerate((("x0", "x0"), ("x0", "x1"), ("x1", "x1"))):
        pair = Pair(End(NAMES[0], a), End(NAMES[1], b), rail // 2)
        found.append({**entry(1, pair, 2.5 + rail, "p50"), "point": 1,
                      "rail": pair.rail, "client": pair.client._asdict(),
                      "server": pair.server._asdict()})
    found += [probe(0, 2.0, 3.0), probe(0, 2.5, 3.5), probe(1, 8.0, None, 60),
              probe(2, 9.0, None, 70)]
    found += [{**FINDING, "sentence": "n3: slow", "ratio": 0.9,
               "beside": None}, FINDING]
    found += [{"type": "note", "point": 0, "sentence": text} for text in (
        "n1: slow once: not again", "n2: slow once: not again", "odd")]
    return header, found


TEXT = """\

 (tables have the nodes' names without .example.org)

 write_bw RC 64K 1 QP, Gb/s: median 80.00, lowest 70.00, highest 92.00, 5 \
pairs, 1 failed
 (a row for each client, a column for each server; - not measured)
        n1     n2     n3  n4
 n1      .      X  92.00   -
 n2  80.00      .  80.00   -
 n3  70.00  70.00      .   -
 n4      -      -      -   .

 write_lat RC 2 1 QP, x0, p50 us: median 2.500, lowest 2.500, highest \
2.500, 1 pair
 (a row for each client, a column for each server; - not measured)
     n1     n2  n3  n4
 n1   .  2.500   -   -
 n2   -      .   -   -
 n3   -      -   .   -
 n4   -      -   -   .

 write_lat RC 2 1 QP, x0 to x1, p50 us: median 3.500, lowest 3.500, highest \
3.500, 1 pair
 (a row for each client, a column for each server; - not measured)
     n1     n2  n3  n4
 n1   .  3.500   -   -
 n2   -      .   -   -
 n3   -      -   .   -
 n4   -      -   -   .

 write_lat RC 2 1 QP, x1, p50 us: median 4.500, lowest 4.500, highest \
4.500, 1 pair
 (a row for each client, a column for each server; - not measured)
     n1     n2  n3  n4
 n1   .  4.500   -   -
 n2   -      .   -   -
 n3   -      -   .   -
 n4   -      -   -   .

 together: 285.0 Gb/s, the median of 4 rounds; lowest 270.0 from \
n3.example.org, of 8 of 10 pairs
 not measured together with the rest, and not added: 1 pair, such as \
n1.example.org - n3.example.org (overlap 88%)
 latency of n2.example.org - n3.example.org: alone p50 2.250 us, p99 3.250 \
us; under load p50 8.500 us, p99 - (70 samples: too few)

 slow:
   n03: 61% of the median <b>
     n03: pcie_width is 8, elsewhere 16
     n03: out_of_sequence rose by 7: packets came out of order
   n3: slow
 note: n1, n2: slow once: not again
 note: odd
 another version: 1.1 on n2.example.org, elsewhere 1.0

 nodes that failed:
   n4.example.org: its agent did not connect

 3 of 4 nodes took part; 1 pair failed; 2 findings
"""


def test_all_of_it(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert view.text(*everything()) == TEXT


@pytest.mark.parametrize("name, values, said", (
    ("error_percent", [None, 0.5, 0.1], []),
    ("error_percent", [0.6, 2.94, 0.1], [
        "uncertain by 2.9%: 2 pairs, such as {1}: --duration 9 brings "
        "it below 0.5%"]),
    ("lost", [0, 0, 0], []),
    ("lost", [0, 3, 20], ["messages were lost, up to 20: 2 pairs, such as "
                          "{2}"]),
    ("lost", ["x", -1, True], [])))
def test_doubts_beside_values(name, values, said):
    """What verbsperf says below its own table, and the file has."""
    header, lines = document()
    pairs = [one for one in lines if one["type"] == "pair"]
    names = []
    for one, value in zip(pairs, values):
        one["result"]["bandwidth"][name] = value
        one["result"]["seconds"] = 1.5
        names.append(pair_of(one).text())
    assert list(view.sum_lines(header, lines))[1:] == [
        line.format(*names) for line in said]


def test_names_are_short_in_a_matrix_only():
    """Of nodes that all failed there is none, and rails have a table with
    whole names."""
    header, lines = document(NAMES)
    assert view.text(header, [{**one, "error": "no route"} for one in lines
                              if one["type"] == "node"]) == """\

 nodes that failed:
   n[1-4].example.org: no route

 0 of 4 nodes took part; nothing was measured
"""
    text = view.text({**header, "pattern": "rails"}, lines)
    assert "\n n1.example.org  " in text and "names without" not in text


def test_a_matrix_as_wide_as_the_terminal(monkeypatch):
    """Else the worst are listed: a line has a space more than its table."""
    header, lines = document(NAMES[:3])
    widths = {}
    for columns in range(20, 60):
        monkeypatch.setenv("COLUMNS", str(columns))
        text = view.text(header, lines)
        widths[columns] = (view.READING in text, max(map(len, (
            line for line in text.splitlines() if line[:3] == " n1"))))
    narrowest = min(one for one, (grid, _) in widths.items() if grid)
    assert narrowest == widths[narrowest][1]
    assert all(grid == (one >= narrowest) for one, (grid, _)
               in widths.items())


@pytest.mark.parametrize("metric", ("gbps", "p50"))
def test_the_worst(metric):
    """The nodes and pairs that are worst, of more than are listed."""
    names = [f"n{i:02}" for i in range(22)]
    cells = {(a, b): 10.0 + i + j / 100 for i, a in enumerate(names)
             for j, b in enumerate(names) if a != b}
    matrix = view.Matrix("", metric, names, cells, set(), (0.0, 1.0))
    lines = view.worst_lines(matrix)
    heads = [i for i, line in enumerate(lines) if not line]
    assert len(heads) == 1 and heads[0] == 22
    assert lines[0].split() == ["node", "median", "lowest", "highest",
                                "pairs"]
    assert lines[21] == "and 2 nodes that are better"
    assert lines[23].split() == ["pair", *("Gb/s" if metric == "gbps"
                                           else "p50 us").split()]
    assert lines[44] == "and 442 pairs that are better" and len(lines) == 45
    # between what it had as a client and as a server
    first = ["n00", "10.61", "10.01", "31.00", "42"]
    last = ["n21", "30.61", "10.21", "31.20", "42"]
    assert lines[1].split() == (first if metric == "gbps" else last)
    assert lines[24].split() == (["n00", "-", "n01", "10.01"]
                                 if metric == "gbps" else
                                 ["n21", "-", "n20", "31.20"])


def test_as_many_as_are_listed():
    names = [f"n{i:02}" for i in range(20)]
    cells = {pair: 1.0 for pair in zip(names, names[1:] + names[:1])}
    lines = view.worst_lines(view.Matrix("", "gbps", names, cells, set(),
                                         (0.0, 1.0)))
    assert len(lines) == 43 and not any("better" in line for line in lines)


@pytest.mark.parametrize("metric, value, share", (
    ("gbps", 50.0, 0.0), ("gbps", 90.0, 0.8), ("p50", 90.0, 0.2),
    ("p50", 50.0, 1.0)))
def test_where_on_the_scale(metric, value, share):
    matrix = view.Matrix("", metric, [], {}, set(), (50.0, 100.0))
    assert matrix.share(value) == pytest.approx(share)
    alike = matrix._replace(scale=(50.0, 50.0))
    assert alike.share(50.0) == (1.0 if metric == "gbps" else 0.0)


@pytest.mark.parametrize("name, shown", (
    ("n" * 26, "n" * 26), ("n" * 27, "..." + "n" * 23),
    ("compute-rack07-chassis-01-node", "...-rack07-chassis-01-node"),
    ("n\x1b", "n?")))
def test_the_end_of_a_name(name, shown):
    assert view.ending(name) == shown


def test_several_processes_are_said():
    """The values are sums of theirs."""
    header, lines = document(NAMES[:2])
    assert " processes a pair" not in view.text(header, lines)
    header["processes"] = 3
    assert " write_bw RC 64K 1 QP, 3 processes a pair, Gb/s: " in view.text(
        header, lines)


def limit(name, asked, seen, **more):
    return {**keys(PARTS["limit"]), "name": name, "asked": asked, "seen": seen,
            "counter": None, "unit": "us" if "max" in name else "Gb/s",
            "met": False, **more}


def missed(client, server, *found):
    pair = Pair(End(client, ""), End(server, ""))
    return {**entry(1, pair, 10.0), "missed": list(found)}


def test_limits_that_were_missed():
    """One finding for each limit, which names the worst of the pairs, by their
    worst round; a file from before there were any has none."""
    names = [(a, b) for a in "abc" for b in "abc" if a != b]
    found = [missed(*pair, limit("min-gbps", 80, 70.0 - number))
             for number, pair in enumerate(names)]
    found.append(missed("a", "b", limit("min-gbps", 80, 20.0),
                        limit("max-p99", 5, 20.0)))
    found.append(missed("b", "a", limit(
        "max-counter", 0, None, counter="x", reason="nobody counts it")))
    found += [missed("c", "d"), {**missed("d", "c"), "missed": None}]
    rate, latency, counter = limits.findings_of(found)
    # a node may say anything
    for asked, seen in ((-5, 20), (5, -20), (None, 20)):
        odd, = limits.findings_of([missed("a", "b", limit("x", asked, seen))])
        assert odd["ratio"] is None
    alike, = limits.findings_of([missed(*pair, {"name": "x"})
                                 for pair in names])
    assert alike["sentence"] == \
        "--x - missed by 6 of 6 pairs; it could not be judged"
    assert rate["sentence"] == (
        "--min-gbps 80 missed by 6 of 8 pairs; a - b: 20 Gb/s, c - b: 65 Gb/s, "
        "c - a: 66 Gb/s, b - c: 67 Gb/s, and 2 more")
    assert rate["ratio"] == 0.25 == latency["ratio"]
    assert rate["ends"] == [{"node": "a", "device": ""},
                            {"node": "b", "device": ""}]
    assert latency["sentence"] == \
        "--max-p99 5 missed by 1 of 8 pairs; a - b: 20 us"
    assert counter["sentence"] == \
        "--max-counter x=0 missed by 1 of 8 pairs; b - a: nobody counts it"
    assert counter["ratio"] is None
    header, lines = document(NAMES)
    lines += [{**FINDING, **one, "beside": {}} for one in (rate, counter)]
    text = view.text(header, lines)
    _, _, said = text.partition("\n limits not met:\n")
    assert said.split("\n")[:2] == [f"   {counter['sentence']}",
                                    f"   {rate['sentence']}"]
    assert "slow:" not in text and "; 2 findings" in text


def test_a_limit_in_percent():
    """It is said as it was asked, with what it is for the ports of a pair."""
    wide, narrow, most, unknown = limits.findings_of([
        missed("a", "b", limit("min-gbps", 180.0, 90.0, percent=90)),
        missed("b", "c", limit("min-gbps", 88.25, 81.0, percent=90)),
        missed("c", "a", limit("max-p99", 999999.7, 1234567.8)),
        missed("a", "c", limit("min-gbps", None, None, percent=90,
                               reason="the port's rate is not known"))])
    assert wide["sentence"] == (
        "--min-gbps 90% (180 Gb/s) missed by 1 of 4 pairs; a - b: 90 Gb/s")
    assert narrow["sentence"] == (
        "--min-gbps 90% (88.25 Gb/s) missed by 1 of 4 pairs; b - c: 81 Gb/s")
    assert most["sentence"] == (
        "--max-p99 1000000 missed by 1 of 4 pairs; c - a: 1234568 us")
    assert unknown["sentence"] == (
        "--min-gbps 90% missed by 1 of 4 pairs; a - c: the port's rate is not "
        "known")


def test_limits_of_processes():
    """Each has its own."""
    parts = [Outcome(Job(Pair(End("a", ""), End("b", "")), [], 1.0))
             for _ in range(3)]
    wrong = limit("min-gbps", 80, 20.0)
    for part, found in zip(parts, ([wrong], [{**wrong, "met": True}], None)):
        part.document = {**DOCUMENT, "limits": found}
    assert Several(parts).missed() == [wrong]
    assert not Several(parts[1:]).missed()
