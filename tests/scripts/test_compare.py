"""verbsperf-compare as a user runs it."""
import json

import pytest

from conftest import document, refused, run, sweep_lines
from verbsperf.base import metrics
from verbsperf.compare import comparison, view

STEADY = [50 * (1 + i / 1000) for i in (0, 3, -2, 5, -4, 1, 2, -1, 4, -3)]


def scaled(factor, n=10):
    return [value * factor for value in STEADY[:n]]


@pytest.fixture
def pair(write):
    """A sweep of targets, with a twin."""
    return write("pair.jsonl", sweep_lines({
        "base": STEADY, "twin": scaled(1.002), "slow": scaled(0.96),
        "fast": scaled(1.05)}))


def verdict(outcome):
    """(status, verdict, the only point) of --json."""
    report = json.loads(outcome[1])
    point, = report["points"]
    return outcome[0], report["verdict"], point


@pytest.mark.parametrize("target, status, wanted", [
    ("twin", 0, "within tolerance"), ("slow", 1, "regression"),
    ("fast", 0, "within tolerance: better by more than the tolerance")])
def test_targets_of_one_sweep(compare, pair, target, status, wanted):
    got = verdict(compare("--json", "--targets", f"base,{target}", pair))
    assert got[:2] == (status, wanted.partition(":")[0])
    same = verdict(compare("--json", f"{pair}:base", f"{pair}:{target}"))
    assert same[2] == got[2]
    text = compare("--targets", f"base,{target}", pair)
    assert text[0] == status and text[2] == ""
    assert f"  {wanted}\n" in text[1]
    assert "write_bw RC 64 1 QP" in text[1]
    lines = text[1].replace(pair, "pair.jsonl").splitlines()
    assert max(map(len, lines[:-2])) < 130


def test_a_target_that_the_sweep_has_not(compare, write):
    """Not that it has one result: which there are."""
    one = write("one.jsonl", sweep_lines({"new": STEADY}))
    refused(compare("--targets", "old,new", one), 2,
            f"{one}: no target 'old', only new")
    refused(compare(one), 2, "has one result, and a comparison needs two")


def test_json_has_the_numbers(compare, pair):
    _, _, point = verdict(compare("--json", "--targets", "base,slow", pair))
    assert point["ratio"] == pytest.approx(0.96, abs=1e-3)
    assert point["low"] < 0.96 < point["high"] < 0.98
    assert point["p"] == point["p_adjusted"] < 1e-6
    assert point["ratio"] == pytest.approx(point["new"] / point["base"])
    assert point["metric"] == "gbps" and point["base"] == pytest.approx(
        50.025)
    assert (point["base_rounds"], point["new_rounds"]) == (10, 10)


@pytest.mark.parametrize("p, text", (
    (None, "-"), (0.00009, "<0.0001"), (0.0001, "0.0001"),
    (0.01234, "0.0123"), (1, "1.0000")))
def test_how_a_probability_is_written(p, text):
    assert view.p_text(p) == text


@pytest.mark.parametrize("ratio, digits", (
    (1.0304, 1), (1.0204, 2), (0.9796, 2), (1.02, 1), (1.0200004, 4)))
def test_digits_that_tell_a_change_from_the_tolerance(ratio, digits):
    assert view.digits_of({"tolerance_percent": 2.0, "ratio": ratio,
                           "low": None, "high": None}) == digits


def test_how_tolerances_are_written():
    report = {"tolerance_percent": {"bandwidth": 2.0, "latency": 7.5},
              "points": [{"metric": "p99"}, {"metric": "mpps"},
                         {"metric": "gbps"}]}
    assert view.tolerance(report) == "2% of Gb/s, Mpps and 7.5% of p99 us"
    report["points"] = report["points"][:1]
    assert view.tolerance(report) == "7.5% of p99 us"


def test_markdown(compare, pair):
    status, text, _ = compare("--markdown", "--targets", "base,slow", pair)
    assert status == 1
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3 and len({row.count("|") for row in rows}) == 1
    assert rows[:2] == [
        "| point | metric | base | new | change | 95% interval | p | verdict |",
        "|---|---|---:|---:|---:|---:|---:|---|"]
    assert "write\\_bw" in rows[2] and "**regression**" in rows[2]
    assert text.startswith("**regression: 1 point**")


def test_documents(compare, write):
    base = write("base.json", [document(v) for v in STEADY])
    slow = write("slow.json", [document(v * 0.9) for v in STEADY])
    status, text, _ = compare(base, slow)
    assert status == 1 and "one session of each: " in text
    few = write("few.json", [document(v * 0.9) for v in STEADY[:2]])
    status, _, point = verdict(compare("--json", base, few))
    assert (status, point["verdict"], point["more_rounds"]) \
        == (2, "inconclusive", 4)


def test_latency_is_worse_when_it_is_more(compare, write):
    base = write("base.json", [document(p99=v) for v in STEADY])
    more = write("more.json", [document(p99=v * 1.04) for v in STEADY])
    assert compare(base, more)[0] == 0
    assert compare("--latency-tolerance", 3, base, more)[0] == 1
    assert compare("--latency-tolerance", "3%", more, base)[0] == 0
    got = verdict(compare("--json", "--metric", "50", base, more))
    assert got[2]["metric"] == "p50" and got[2]["base"] == pytest.approx(
        25.0125)
    outcome = verdict(compare("--json", "--metric", "p99.9", base, more))
    assert outcome[:2] == (2, "inconclusive")
    assert outcome[2]["notes"] == [
        "p99.9 us was not measured in BASE: too few samples"]


def with_counters(one, *rose):
    """The document ONE, in which the client's counters rose so."""
    one["results"][0]["counters"] = {
        "client": None, "server": None,
        "rose": [{"end": "client", "counter": name, "value": value,
                  "kind": kind, "meaning": "m", "advice": "a"}
                 for name, value, kind in rose]}
    return one


def test_counters_that_rose_in_the_worse_run(compare, write):
    """Those that rose more than in the other one, trouble first."""
    base = write("base.json", [
        with_counters(document(v), ("out_of_sequence", 5, "trouble"),
                      ("np_cnp_sent", 2, "congestion")) for v in STEADY])
    slow = write("slow.json", [
        with_counters(document(v * 0.9), ("np_cnp_sent", 7, "congestion"),
                      ("out_of_sequence", 5, "trouble"),
                      ("packet_seq_err", 153, "trouble")) for v in STEADY])
    note = ("in NEW rose packet_seq_err of the client (153 a round, 0 in BASE)"
            ", np_cnp_sent of the client (7 a round, 2 in BASE)")
    status, outcome, point = verdict(compare("--json", base, slow))
    assert (status, outcome, point["notes"]) == (1, "regression", [note])
    assert "regression: " + note in compare(base, slow)[1]
    status, outcome, point = verdict(compare("--json", slow, base))
    assert (status, outcome) == (0, "within tolerance")
    assert point["notes"] == [note.replace("NEW", "x").replace(
        "BASE", "NEW").replace("x", "BASE")]
    again = write("again.json", [
        with_counters(document(v), ("packet_seq_err", 9, "trouble"))
        for v in STEADY])
    status, outcome, point = verdict(compare("--json", base, again))
    assert (status, outcome, point["notes"]) == (0, "within tolerance", [])


def test_many_counters_rose(compare, write):
    base = write("base.json", [document(v) for v in STEADY])
    slow = write("slow.json", [
        with_counters(document(v * 0.9), *(
            (f"res_{i}", 1, "trouble") for i in range(9))) for v in STEADY])
    note, = verdict(compare("--json", base, slow))[2]["notes"]
    assert note.endswith(", res_3 of the client (1 a round, 0 in BASE), 5 more")


def test_regression_wins_over_inconclusive(compare, write):
    """And inconclusive over what is within tolerance."""
    noisy = [50, 70, 40, 60, 80, 30]
    lines = sweep_lines({"a": STEADY, "b": scaled(0.9)}, size=64)
    lines += sweep_lines({"a": noisy, "b": noisy}, size=128)[1:]
    assert compare(write("one", lines))[0] == 1
    lines = sweep_lines({"a": STEADY, "b": scaled(1.1)}, size=64)
    lines += sweep_lines({"a": noisy, "b": noisy}, size=128)[1:]
    status, text, _ = compare(write("two", lines))
    assert status == 2 and "inconclusive: 1 of 2 points, 1 within tolerance" in text


def test_fingerprints_must_be_alike(compare, write):
    marks = {"a": {"client mtu": 1024, "kernel": "6.1"},
             "b": {"client mtu": 512, "kernel": "6.1", "option walk": "64"}}
    path = write("sweep", sweep_lines({"a": STEADY, "b": STEADY},
                                      marks=marks))
    line = refused(compare(path), 2, "client mtu: 1024 in BASE, 512 in NEW",
                   "option walk: none in BASE, 64 in NEW", "--force")
    assert "kernel" not in line
    status, text, _ = compare("--force", path)
    assert status == 0 and "note: the fingerprints differ: client mtu" in text


def hosts(**facts):
    """The environment of a document, of which both ends have FACTS."""
    return {"client": facts, "server": facts}


def test_environments_must_be_alike(compare, write):
    """What was not known, or changes from run to run, is no difference."""
    def of(name, **facts):
        return write(name, [document(value, environment=hosts(**facts))
                            for value in STEADY])
    base = of("base.json", governor="performance", pcie_width=16, smt=False,
              iommu=None, cpu_mhz=3000.5, huge_pages_free=5)
    alike = of("alike.json", governor="performance", smt=False, iommu="none",
               cpu_mhz=2999.5, huge_pages_free=4)
    other = of("other.json", governor="powersave", pcie_width=8, smt=True)
    assert compare(base, alike)[0] == 0
    line = refused(compare(base, other), 2,
                   "client governor: performance in BASE, powersave in NEW",
                   "client pcie width: 16 in BASE, 8 in NEW",
                   "server smt: False in BASE, True in NEW", "--force")
    assert "iommu" not in line
    status, text, _ = compare("--force", base, other)
    assert status == 0
    assert "note: the fingerprints differ: server governor" in text


def test_results_without_an_environment_are_compared(compare, write):
    def old(value):
        return json.dumps({key: part for key, part in document(value).items()
                           if key != "environment"})
    base = write("old.json", [old(value) for value in STEADY])
    new = write("new.json", [document(value, environment=hosts(kernel="6.1"))
                             for value in STEADY])
    assert compare(base, new)[0] == 0


def test_an_environment_of_another_shape(compare, write):
    for wrong in (1, [], {"client": 1}, {"client": {"kernel": []}}):
        path = write("wrong.json", [json.dumps(
            {**document(50), "environment": wrong})])
        refused(compare(path, path), 2, "\"environment\"")


def test_what_one_side_does_not_know_is_no_difference(compare, write):
    marks = {"a": {"kernel": "6.1"}, "b": {"client device": "mlx5_0"}}
    path = write("sweep", sweep_lines({"a": STEADY, "b": STEADY},
                                      marks=marks))
    assert compare(path)[0] == 0


def test_a_fingerprint_that_changed_within_one_side(compare, write):
    other = document(50)
    other["client"]["firmware"] = "2.0"
    base = write("base.json", [document(v) for v in STEADY] + [other])
    refused(compare(base, base), 2, "client firmware: 1.0 and 2.0 in BASE")


def test_rounds_of_one_side_are_of_one_pair_of_hosts(compare, write):
    """Two servers of one kind are not one; BASE and NEW may be two."""
    def of(server):
        made = [document(v) for v in STEADY]
        for one in made:
            one["server"] = {**one["server"], "hostname": server}
        return made
    base, new = write("base", of("node1")), write("new", of("node2"))
    assert compare(base, new)[0] == 0
    both = write("both", of("node1") + of("node2"))
    refused(compare(base, both), 2,
            "server hostname: node1 and node2 in NEW", "--force")
    status, text, _ = compare("--force", base, both)
    assert status == 0 and "server hostname: node1 and node2 in NEW" in text


@pytest.mark.parametrize("base, new, status, wanted, note", [
    (STEADY, [None] * 10, 1, "regression", "failed: cannot connect"),
    ([None] * 10, STEADY, 0, "within tolerance", "failed in BASE"),
    ([None], [None], 2, "inconclusive", "failed in both"),
    (STEADY, STEADY[:9] + [None], 2, "inconclusive",
     "1 of 10 rounds of NEW failed: cannot connect"),
    (STEADY[:9] + [None], STEADY, 0, "within tolerance", None),
])
def test_failures_count(compare, write, base, new, status, wanted, note):
    path = write("sweep", sweep_lines({"a": base, "b": new}))
    got = verdict(compare("--json", path))
    assert got[:2] == (status, wanted)
    assert got[2]["notes"] == ([note] if note else [])


def test_one_session_on_both_sides(compare, write, pair):
    """A copy is always as fast; so is what a sweep added to itself."""
    lines = sweep_lines({"a": STEADY})
    base = write("base.jsonl", lines[:-2])
    more = write("more.jsonl", lines)
    for options in ((), ("--force",)):
        line = refused(compare(*options, base, more), 2, base, more,
                       "same session", "both have 8 of its measurements")
        assert line.count(base) == 1
    refused(compare(pair, pair), 2, "same session")
    refused(compare(f"{pair}:slow", f"{pair}:slow"), 2, "same session")
    made = [document(v) for v in STEADY]
    refused(compare(write("one", made), write("two", made[::-1])), 2,
            "same session")


def test_inline_0_is_not_the_default(compare, write):
    """Each is compared with its own kind."""
    def runs(default, none):
        return [document(v * factor, parameters={"inline": inline})
                for v in STEADY
                for inline, factor in ((None, default), (0, none))]
    base, new = write("base", runs(1, 1)), write("new", runs(1.1, 0.9))
    report = json.loads(compare("--json", base, new)[1])
    assert [(p["label"], p["base_rounds"], p["verdict"])
            for p in report["points"]] == [
        ("write_bw RC 64 1 QP no inline", 10, "within tolerance"),
        ("write_bw RC 64 1 QP inline=0", 10, "regression")]


def test_nothing_arrived(compare, write):
    """0 Gb/s is measured, and slower than anything."""
    base = write("base", [document(v) for v in STEADY])
    none = write("none", [document(0.0) for _ in STEADY])
    same = write("same", [document(0.0) for _ in STEADY])
    status, text, _ = compare(base, none)
    assert status == 1 and " -100.0%  " in text
    assert verdict(compare("--json", base, none))[2]["new"] == 0
    status, text, _ = compare(none, base)
    assert status == 0 and "from 0" in text and "better by" in text
    assert compare(none, same)[0] == 0


def test_points_of_one_side_only(compare, write):
    base = write("base", [document(v) for v in STEADY])
    new = write("new", [document(v, size=size) for size in (64, 128)
                        for v in STEADY])
    status, text, _ = compare(base, new)
    assert status == 0 and "1 point of NEW not in BASE" in text
    status, text, _ = compare(new, base)
    assert status == 2 and "inconclusive: not in NEW" in text
    other = write("other", [document(v, size=256) for v in STEADY])
    refused(compare(base, other), 2, "no point in common")


def side(values=(), failures=(), rounds=0):
    """What a side has of a point; ROUNDS gave a result without a value."""
    return comparison.Measured(len(values) + rounds, {"one": values} if values
                               else {}, failures, [], {})


FAILED, LACKS, SOME = side((), ["gone"]), side(rounds=1), side([1.0])


@pytest.mark.parametrize("base, new, outcome, note", [
    (SOME, side(), "inconclusive", "not in NEW"),
    (SOME, FAILED, "regression", "failed: gone"),
    (FAILED, SOME, "within tolerance", "failed in BASE"),
    (FAILED, FAILED, "inconclusive", "failed in both"),
    (SOME, LACKS, "inconclusive", "p99 us was not measured in NEW: "
     "too few samples"),
    (LACKS, SOME, "inconclusive", "p99 us was not measured in BASE: "
     "too few samples"),
    (LACKS, FAILED, "inconclusive", "p99 us was not measured in BASE: "
     "too few samples")])
def test_a_point_without_values(base, new, outcome, note):
    entry = comparison.Entry("", None, None, "p99", 5.0, base, new)
    assert comparison.without_values(entry) == (outcome, note)


def test_targets_are_matched_by_name(compare, write):
    base = write("base", sweep_lines({"a": STEADY, "b": STEADY}))
    new = write("new", sweep_lines({"a": STEADY, "b": scaled(0.9)}))
    status, text, _ = compare(base, new)
    assert status == 1
    lines = {line.split(":")[0].strip(): line for line in text.splitlines()}
    assert lines["a"].endswith("  within tolerance")
    assert lines["b"].endswith("  regression")
    assert (lines["a"].index("within tolerance")
            == lines["b"].index("regression"))
    refused(compare(base, f"{new}:b"), 2, "which target?", "a b")


def test_what_is_refused(compare, pair, write):
    broken = write("broken", ["hello"])
    alone = write("alone", [document(v) for v in STEADY])
    for arguments, words in (
            ((), "FILE"),
            ((pair,), "--targets A,B of: base twin slow fast"),
            ((alone,), "a comparison needs two"),
            (("--targets", "base,x", pair), "no target 'x'"),
            (("--targets", "base,base", pair), "two targets"),
            (("--targets", "a,b", pair, pair), "BASE:TARGET"),
            ((f"{pair}:x", pair), "no target 'x', only base"),
            ((pair, pair, pair), "NEW --base FILE..."),
            ((pair, "/none"), "/none: No such file"),
            ((pair, "--json", "/none"), "/none: No such file"),
            ((broken, broken), "broken:1: not JSON"),
            (("--metric", "p98", pair), "'p98': expected one of gbps"),
            (("--bandwidth-tolerance", "100", pair), "expected 0 or more, below 100"),
            (("--json", "--markdown", pair), "not allowed with"),
            (("--nonsense", pair), "--nonsense")):
        refused(compare(*arguments), 2, words)


def test_output_that_cannot_be_written(pair):
    import subprocess
    import sys
    from conftest import SCRIPTS
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run(
            [sys.executable, SCRIPTS / "verbsperf-compare", "--targets",
             "base,twin", pair], stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == ("verbsperf-compare: error: cannot write to stdout:"
                           " No space left on device\n")


def test_several_sessions_are_the_base(compare, write):
    """What they differ by is in the interval; the table says so."""
    def session(name, factor):
        return write(name, [document(v * factor) for v in STEADY])
    bases = [session(f"base{i}", factor)
             for i, factor in enumerate((1, 0.99, 1.01, 0.995, 1.005))]
    new = session("new", 0.975)
    alone = verdict(compare("--json", bases[0], new))[2]
    status, text, _ = compare(new, "--base", *bases)
    assert "base4, 5 sessions of 10 rounds" in text
    assert "of the trimmed means of 5 sessions; new: trimmed mean" in text
    assert "one session" not in text and status == 2
    report = json.loads(compare("--json", new, "--base", *bases)[1])
    point, = report["points"]
    assert report["base"]["sessions"] == 5
    assert point["high"] - point["low"] > 2 * (alone["high"] - alone["low"])
    assert point["base"] == pytest.approx(50.025, rel=1e-3)
    refused(compare(new, new, "--base", new), 2, "--base: expected one file")
    refused(compare(new, "--base", new), 2, "same session")


def test_one_tolerance_for_all(compare, write):
    base = write("base.json", [document(p99=v) for v in STEADY])
    more = write("more.json", [document(p99=v * 1.04) for v in STEADY])
    assert compare("--tolerance", 3, base, more)[0] == 1
    assert compare("--tolerance", 3, "--latency-tolerance", 5, base,
                   more)[0] == 0


def test_a_program_without_scipy_says_so(tmp_path):
    (tmp_path / "scipy.py").write_text("raise ImportError('none')")
    refused(run("verbsperf-compare", "a", "b",
                env={"PYTHONPATH": str(tmp_path)}), 2, "python3-scipy",
            "(none)")


@pytest.mark.parametrize("sessions, family, words", (
    (1, 0, "base, new: trimmed means; change: new to base"),
    (1, 7, "base, new: trimmed means; change: new to base; 95% interval: of "
     "the change, by the spread of rounds; p: that any of 7 points (Sidak) "
     "differs as much where nothing changed"),
    (3, 1, "base: geometric mean of the trimmed means of 3 sessions; new: "
     "trimmed mean; change: new to base; 95% interval: of the change, by the "
     "spread of rounds and sessions; p: that the point differs as much where "
     "nothing changed")))
def test_what_the_columns_mean(sessions, family, words):
    """Of what the table has: without a point that was judged, no p."""
    assert view.definition({"base": {"sessions": sessions},
                            "family": family}) == words


# As rounds of a busy host: by half.
NOISY = [50 * factor for factor in (1, 1.6, 0.6, 1.3, 0.7, 1.5)]


@pytest.mark.parametrize("new, headline", (
    ([value * 0.42 for value in NOISY[::-1]], "probably slower: write_bw RC 64 "
     "1 QP -58.0% (p 0.0"),
    ([value * 0.42 for value in NOISY[:3]], "perhaps slower: write_bw RC 64 1 "
     "QP "), (NOISY[::-1], "perhaps as fast: none is seen slower by more")))
def test_the_headline_says_what_is_likely(compare, write, new, headline):
    """A loss that may be chance does not look as a night without a change."""
    both = (write("a.json", [document(v) for v in NOISY]),
            write("b.json", [document(v) for v in new]))
    status, text, _ = compare(*both)
    assert status == 2
    assert f" inconclusive: 1 point; {headline}" in text.splitlines()[-1]
    assert compare("--markdown", *both)[1].startswith(
        "**inconclusive: 1 point; " + headline[:8])
    _, _, point = verdict(compare("--json", *both))
    assert headline.startswith(point["likely"])


def test_no_regression_looks_as_if_by_chance():
    """0.00996 is below the 0.01 of a regression, and 0.01004 is not."""
    assert [view.p_text(p) for p in (0.00996, 0.01004)] == ["<0.0100",
                                                            "0.0100"]


@pytest.mark.parametrize("name, samples", (
    ("p50", 5), ("p99", 299), ("p99_9", 2995), ("p99_99", 29956),
    ("mean", None), ("gbps", None)))
def test_samples_of_a_percentile(name, samples):
    """As verbsperf-measurement(7) has them."""
    assert metrics.samples_for(name) == samples


def test_too_few_samples_have_an_advice(compare, write):
    """Not only that p99 was not measured, at every point."""
    rows = [document(p99=9.0) for _ in STEADY]
    for row in rows:
        row["results"][0]["latency"]["p99"] = None
    both = write("a.json", rows), write("b.json", [document(p99=9.0)
                                                   for _ in STEADY])
    advice = "p99 needs 299 samples of a run: measure for longer (-D)"
    status, text, _ = compare(*both)
    assert status == 2
    assert text.count(advice) == 1 and ", or compare --metric p50" in text
    assert advice not in compare("--metric", "p50", *both)[1]
