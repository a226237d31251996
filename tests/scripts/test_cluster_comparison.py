"""verbsperf-compare of two files of verbsperf-cluster."""
import json
import math
import random
import re
import statistics

import pytest

from conftest import refused, run
from test_cluster import NODES, document, entry
from verbsperf.base.errors import ResultsError
from verbsperf.cluster import comparison
from verbsperf.pairs.patterns import End, Pair
from verbsperf.stats import noise

EIGHT = [f"n{i}" for i in range(1, 9)]
OK = FASTER = "within tolerance"
TOLERANCES = {"bandwidth": 2.0, "latency": 5.0}
SESSIONS = (" two sessions: anything that changed between them counts as a "
            "difference\n")


def every(nodes):
    return [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1:]]


def fabric(nodes, value, noise=0.0, seed=1):
    """What each pair reaches: VALUE(a, b), with NOISE."""
    source = random.Random(seed)
    return {(a, b): value(a, b) * (1 + source.gauss(0, noise))
            for a, b in every(nodes)}


def file_of(path, nodes, points):
    """A file of POINTS, [(metric, {(a, b): its value, or why there is
    none})]."""
    header, _ = document(nodes)
    header["points"] = [
        {**header["points"][0], "size": 1 << i, "metric": metric,
         "test": "write_bw" if metric == "gbps" else "write_lat"}
        for i, (metric, _) in enumerate(points)]
    lines = [{**entry(1, Pair(End(a, ""), End(b, "")), 1.0, metric, point=i),
              **({"value": None, "error": value} if isinstance(value, str)
                 else {"value": value})}
             for i, (metric, values) in enumerate(points)
             for (a, b), value in values.items()]
    path.write_text("".join(json.dumps(one) + "\n"
                            for one in (header, *lines)))
    return str(path)


def compared(tmp_path, old, new, metric="gbps", nodes=EIGHT, new_nodes=None,
             tolerances=TOLERANCES):
    """(verdict, text) of one point."""
    found = comparison.compare(
        file_of(tmp_path / "old", nodes, [(metric, old)]),
        file_of(tmp_path / "new", new_nodes or nodes, [(metric, new)]),
        tolerances)
    text = comparison.text(found)
    assert SESSIONS in text
    return comparison.outcome_of(found), text


def alike(_a, _b):
    return 100.0


def slow(share, *names):
    """Those with one of NAMES have SHARE."""
    return lambda a, b: 100.0 * (share if {a, b} & set(names) else 1)


def test_nothing_changed(tmp_path):
    old = fabric(EIGHT, alike, 0.002)
    outcome, text = compared(tmp_path, old, old)
    assert (outcome, text) == (
        OK, " write_bw RC 1 1 QP: 28 pairs; median pair: unchanged (+0.0% .. "
        f"+0.0%): {OK}\n tolerance: 2% of Gb/s\n{SESSIONS} {OK}\n")


@pytest.mark.parametrize("share, says", (
    (0.905, "9.5% slower"), (0.5, "50.0% slower"), (0.97, "3.0% slower")))
def test_a_node_without_any_spread(tmp_path, share, says):
    outcome, text = compared(tmp_path, fabric(EIGHT, alike),
                             fabric(EIGHT, slow(share, "n3")))
    assert outcome == "regression"
    assert text.splitlines()[1] == (
        f"   n3: {says} with 7 partners ({share - 1:+.1%} .. "
        f"{share - 1:+.1%}): regression")
    assert text.endswith(" 1 slower\n") and text.count("\n") == 5


def test_two_nodes_of_eight(tmp_path):
    """A pair of both is of the first; noise does not hide them."""
    outcome, text = compared(
        tmp_path, fabric(EIGHT, alike, 0.005),
        fabric(EIGHT, slow(0.5, "n1", "n8"), 0.005, seed=2))
    assert outcome == "regression"
    named = re.findall(r"^   (n\d).*slower with (\d) partners", text, re.M)
    assert {name for name, _ in named} == {"n1", "n8"}
    assert sorted(count for _, count in named) == ["6", "7"]


def test_a_pair_by_itself(tmp_path):
    outcome, text = compared(
        tmp_path, fabric(EIGHT, alike, 0.001), fabric(
            EIGHT, lambda a, b: 90.0 if (a, b) == ("n2", "n7") else 100.0,
            0.001, seed=2))
    assert outcome == "regression"
    named, = re.findall(r"^   (n.*)$", text, re.M)
    assert named.startswith("n2 - n7: ") and named.endswith("regression")


def test_a_pair_of_a_ring_is_no_node(tmp_path):
    """Both of its nodes have another pair, which is as it was."""
    ring = list(zip(EIGHT, EIGHT[1:] + EIGHT[:1]))
    outcome, text = compared(
        tmp_path, dict.fromkeys(ring, 100.0),
        {pair: 50.0 if pair == ("n2", "n3") else 100.0 for pair in ring})
    assert outcome == "regression"
    assert re.findall(r"^   ([^:]*): 50.0% slower \(", text, re.M) == [
        "n2 - n3"]


def test_a_node_of_a_ring(tmp_path):
    """Both of its pairs are slower."""
    ring = list(zip(EIGHT, EIGHT[1:] + EIGHT[:1]))
    _, text = compared(tmp_path, dict.fromkeys(ring, 100.0), {
        pair: 50.0 if "n3" in pair else 100.0 for pair in ring})
    assert re.findall(r"^   (n3): 50.0% slower with 2 partners \(", text,
                      re.M) == ["n3"]


def test_faster_but_less_than_the_rest(tmp_path):
    """Nothing is slower than it was."""
    outcome, text = compared(
        tmp_path, fabric(EIGHT, alike), fabric(
            EIGHT, lambda a, b: 110.0 if (a, b) == ("n2", "n5") else 150.0))
    assert outcome == FASTER
    assert f": 50.0% faster (+50.0% .. +50.0%): {FASTER}\n" in text
    assert f"   n2 - n5: 10.0% faster (+10.0% .. +10.0%): {FASTER}\n" in text
    assert text.endswith(f" {FASTER}\n")


def test_all_of_a_little_and_one_of_more(tmp_path):
    """-1.5% is within the tolerance, and -3% is not, though it is near."""
    outcome, text = compared(tmp_path, fabric(EIGHT, alike), fabric(
        EIGHT, lambda a, b: 97.0 if "n1" in (a, b) else 98.5))
    assert outcome == "regression"
    assert f"median pair: 1.5% slower (-1.5% .. -1.5%): {OK}\n" in text
    assert "   n1: 3.0% slower with 7 partners" in text


def test_latency_everywhere(tmp_path):
    outcome, text = compared(
        tmp_path, fabric(EIGHT, lambda a, b: 2.0, 0.002),
        fabric(EIGHT, lambda a, b: 2.26, 0.002, seed=2), "p50")
    assert outcome == "regression"
    line, = re.findall(r"^ write_lat.*median pair: (.*)$", text, re.M)
    change, low, high = map(float, re.match(
        r"([\d.]+)% longer \(\+([\d.]+)% \.\. \+([\d.]+)%\): regression$",
        line).groups())
    assert 12 < low < change < high < 14
    assert "tolerance: 5% of p50 us" in text


@pytest.mark.parametrize("now, outcome", (
    (2.09, OK), (2.11, "regression"), (1.9, FASTER), (1.92, OK)))
def test_the_tolerance_of_latency(tmp_path, now, outcome):
    assert compared(tmp_path, fabric(EIGHT, lambda a, b: 2.0), fabric(
        EIGHT, lambda a, b: now), "p50")[0] == outcome


@pytest.mark.parametrize("now, percent, outcome", (
    (98.1, 2, OK), (97.9, 2, "regression"), (102.1, 2, FASTER),
    (97.9, 3, OK), (90.0, 10.1, OK)))
def test_the_tolerance(tmp_path, now, percent, outcome):
    found, text = compared(
        tmp_path, fabric(EIGHT, alike), fabric(EIGHT, lambda a, b: now),
        tolerances={**TOLERANCES, "bandwidth": percent})
    assert found == outcome
    assert f" tolerance: {percent:g}% of Gb/s\n" in text


def test_noise_that_hides_a_loss(tmp_path):
    """One pair may have lost more than 2% where all differ by 1%."""
    outcome, text = compared(tmp_path, fabric(EIGHT, alike, 0.01),
                             fabric(EIGHT, alike, 0.01, seed=2))
    assert outcome == "inconclusive"
    line, = re.findall(r"^   inconclusive: (.*)$", text, re.M)
    many, of, low = re.match(
        r"(\d+) of (\d+) changes may be a loss beyond the tolerance, such as "
        r"of n\d - n\d \(at worst -([\d.]+)%\): a larger tolerance decides, or "
        "more --rounds of verbsperf-cluster$", line).groups()
    assert int(of) == 1 + 8 + 28 and 5 < int(many) <= 36
    assert 2 < float(low) < 9
    assert text.endswith(" inconclusive\n")
    assert compared(tmp_path, fabric(EIGHT, alike, 0.01),
                    fabric(EIGHT, alike, 0.01, seed=2),
                    tolerances={**TOLERANCES, "bandwidth": 10})[0] == OK


@pytest.mark.parametrize("side, other", (("new", "old"), ("old", "new")))
def test_failed_pairs_of_either_side(tmp_path, side, other):
    six = EIGHT[:6]
    whole = fabric(six, alike)
    some = {pair: "n1: its agent ended" if i < 9 else value
            for i, (pair, value) in enumerate(whole.items())}
    sides = {side: some, other: whole}
    outcome, text = compared(tmp_path, sides["old"], sides["new"], nodes=six)
    assert outcome == "regression"
    name = {"old": "BASE", "new": "NEW"}[side]
    assert f"   failed in {name}: 9 pairs, such as n1 - n2\n" in text
    assert " 6 pairs; median pair: unchanged" in text
    assert text.endswith(" 1 point with what one side did not measure\n")


def test_a_value_that_is_null_without_an_error(tmp_path):
    whole = fabric(EIGHT, alike)
    outcome, text = compared(tmp_path, whole, {**whole, ("n1", "n2"): None})
    assert outcome == "regression" and "failed in NEW: n1 - n2\n" in text


@pytest.mark.parametrize("old, new, says", (
    (EIGHT, EIGHT[:7], "not in NEW: 7 pairs of n8"),
    (EIGHT[:7], EIGHT, "not in BASE: 7 pairs of n8"),
    (EIGHT[:3], EIGHT[:4], "not in BASE: n1 - n4, n2 - n4, n3 - n4")))
def test_missing_pairs_of_either_side(tmp_path, old, new, says):
    outcome, text = compared(tmp_path, fabric(old, alike), fabric(new, alike),
                             nodes=old, new_nodes=new)
    assert outcome == "regression"
    assert f"   {says}\n" in text


def test_all_of_a_point_failed(tmp_path):
    whole = fabric(EIGHT, alike)
    outcome, text = compared(tmp_path, whole, dict.fromkeys(whole, "no path"))
    assert outcome == "regression"
    assert text.startswith(
        " write_bw RC 1 1 QP: no pair was measured in both\n"
        "   failed in NEW: 28 pairs, such as n1 - n2\n")


def test_files_of_other_nodes(tmp_path):
    old, new = (file_of(tmp_path / nodes[0], nodes,
                        [("gbps", fabric(nodes, alike))])
                for nodes in (EIGHT, NODES))
    with pytest.raises(ResultsError, match=f"^{old} and {new} have no pair in "
                       "common that was to be measured in the same way$"):
        comparison.compare(old, new, TOLERANCES)


def test_files_of_more_processes(tmp_path):
    old, new = (file_of(tmp_path / name, EIGHT,
                        [("gbps", fabric(EIGHT, alike))])
                for name in ("old", "new"))
    header, *lines = (tmp_path / "new").read_text().splitlines(True)
    (tmp_path / "new").write_text("".join([
        json.dumps({**json.loads(header), "processes": 2}) + "\n", *lines]))
    with pytest.raises(ResultsError, match="the same --processes$"):
        comparison.compare(old, new, TOLERANCES)


def test_points_of_either_side(tmp_path):
    whole = fabric(EIGHT, alike)
    later = fabric(EIGHT, lambda a, b: 2.0)
    one = file_of(tmp_path / "one", EIGHT, [("gbps", whole)])
    both = file_of(tmp_path / "both", EIGHT, [("gbps", whole), ("p50", later)])
    for old, new, side in ((one, both, "BASE"), (both, one, "NEW")):
        found = comparison.compare(old, new, TOLERANCES)
        text = comparison.text(found)
        assert comparison.outcome_of(found) == "regression"
        assert (" write_lat RC 2 1 QP: no pair was measured in both\n"
                f"   not in {side}\n tolerance: 2% of Gb/s and 5% of p50 us\n"
                in text)


def test_few_pairs(tmp_path):
    """One pair says nothing of chance; three say it badly."""
    outcome, text = compared(tmp_path, {("n1", "n2"): 100.0},
                             {("n1", "n2"): 50.0})
    assert outcome == "inconclusive"
    assert text.startswith(
        " write_bw RC 1 1 QP: 1 pair; median pair: 50.0% slower: inconclusive"
        "\n   inconclusive: 2 of 2 changes may be a loss beyond the tolerance:"
        " one pair does not say what changes by chance\n")
    three = EIGHT[:3]
    outcome, text = compared(
        tmp_path, fabric(three, alike, 0.001),
        fabric(three, slow(0.9, *three), 0.001, seed=2), nodes=three)
    assert outcome == "regression" and "3 pairs; median pair: 10." in text
    outcome, _ = compared(
        tmp_path, fabric(three, alike, 0.001), fabric(
            three, lambda a, b: 50.0 if (a, b) == ("n1", "n2") else 100.0,
            0.001, seed=2), nodes=three)
    assert outcome == "inconclusive"


def test_either_end_may_have_been_the_client(tmp_path):
    whole = fabric(EIGHT, alike)
    turned = {(b, a): value for (a, b), value in whole.items()}
    assert compared(tmp_path, whole, turned)[0] == OK


def test_several_measurements_of_a_pair(tmp_path):
    """The median of them counts, and each that failed."""
    path = file_of(tmp_path / "old", EIGHT, [("gbps", fabric(EIGHT, alike))])
    lines = (tmp_path / "old").read_text().splitlines()
    first = json.loads(lines[1])
    more = [{**first, "value": value} for value in (50.0, 101.0)]
    (tmp_path / "new").write_text("\n".join(
        [*lines, *map(json.dumps, more)]) + "\n")
    found = comparison.compare(path, str(tmp_path / "new"), TOLERANCES)
    assert comparison.outcome_of(found) == OK
    more[0].update(value=None, error="x")
    (tmp_path / "new").write_text("\n".join(
        [*lines, *map(json.dumps, more)]) + "\n")
    found = comparison.compare(path, str(tmp_path / "new"), TOLERANCES)
    assert found[0].part.lost == ["failed in NEW: n1 - n2"]


def test_alone_and_probes_are_left_out(tmp_path):
    path = file_of(tmp_path / "old", EIGHT, [("gbps", fabric(EIGHT, alike))])
    lines = (tmp_path / "old").read_text().splitlines()
    for mark in ("alone", "probe"):
        slow_one = {**json.loads(lines[1]), "value": 1.0, mark: True}
        (tmp_path / "new").write_text("\n".join(
            [*lines, json.dumps(slow_one)]) + "\n")
        found = comparison.compare(path, str(tmp_path / "new"), TOLERANCES)
        assert comparison.outcome_of(found) == OK


def test_the_command(tmp_path):
    def compare(*arguments):
        return run("verbsperf-compare", *arguments)

    old, new = (file_of(tmp_path / name, EIGHT, [("gbps", values)])
                for name, values in (
                    ("old", fabric(EIGHT, alike, 0.001)),
                    ("new", fabric(EIGHT, slow(0.9, "n3"), 0.001, seed=2))))
    status, out, err = compare(old, new)
    assert (status, err) == (1, "")
    assert re.search(r"^   n3: (9|10)\.\d% slower with 7 partners", out, re.M)
    status, out, _ = compare("--bandwidth-tolerance", "15", old, new)
    assert status == 0 and " tolerance: 15% of Gb/s\n" in out
    status, _, _ = compare("--bandwidth-tolerance", "10", old, new)
    assert status == 2
    other = file_of(tmp_path / "other", NODES,
                    [("gbps", fabric(NODES, alike))])
    refused(compare(old, other), 2, "no pair in common")
    for option in (["--json"], ["--markdown"], ["--force"],
                   ["--metric", "mpps"]):
        refused(compare(*option, old, new), 2, "are compared without")


@pytest.mark.parametrize("pairs, share", (
    (1, 1), (2, 1), (3, math.sqrt(math.pi / 6)), (8, math.sqrt(math.pi / 16))))
def test_how_well_a_median_is_known(pairs, share):
    """From three values on it is known better than one of them."""
    part = comparison.Part("", "gbps", 2.0, {
        Pair(End(f"a{i}", ""), End(f"b{i}", "")): i / 100 for i in range(5)},
        [])
    judge = comparison.Judge(part, 9)
    spread = statistics.stdev([i / 100 for i in range(5)])
    assert (judge.spread, judge.freedom) == (pytest.approx(spread), 4)
    known = judge.known(0.1, pairs)
    assert known.rounds == pytest.approx((spread * share) ** 2)
    assert (known.estimate, known.freedom) == (0.1, 4)


def test_the_spread_of_changes():
    """One that is far from the rest does not move it, if there are six."""
    assert comparison.spread_of([1.0]) == math.inf
    assert comparison.spread_of([0.0, 0.0]) == noise.LEAST_NOISE
    five = [0.01, 0.02, 0.03, 0.04, 9.0]
    assert comparison.spread_of(five) == pytest.approx(
        statistics.stdev(five))
    assert comparison.spread_of([*five, 0.05]) == pytest.approx(
        0.015 * 1.4826, rel=1e-4)


def test_false_regressions():
    """In none of 200 unchanged fabrics with noise is anything slower, and a
    node that lost 5% is named in all, by itself."""
    named = []
    for seed in range(200):
        old = fabric(EIGHT, alike, 0.003, 2 * seed)
        for share in (1, 0.95):
            new = fabric(EIGHT, slow(share, "n4"), 0.003, 2 * seed + 1)
            part = comparison.part_of("", "gbps", 2.0, *(
                {Pair(End(a, ""), End(b, "")): [value]
                 for (a, b), value in side.items()} for side in (old, new)))
            found = comparison.judge(part, part.family())
            assert found.whole.verdict == OK
            named.append([one.what for one in found.named])
    assert named[::2] == [[]] * 200
    assert named[1::2] == [["n4"]] * 200
