"""The table of verbsperf-compare, as a user reads it."""
import json
import re

import pytest

from verbsperf.base import tables
from conftest import document

STEADY = [50 * (1 + i / 1000) for i in (0, 3, -2, 5, -4, 1, 2, -1, 4, -3)]


@pytest.fixture
def table(compare, write):
    """(lines, the only point of --json) of two lists of values."""
    def show(base, new, *options, **kind):
        key = kind.get("key", "gbps")
        paths = [write(name, [document(**{key: v}) for v in values])
                 for name, values in (("base", base), ("new", new))]
        text = compare(*options, *paths)[1]
        point, = json.loads(compare("--json", *options, *paths)[1])["points"]
        return text.splitlines(), point
    return show


def cells(lines):
    """The columns of the only point."""
    line, = (line for line in lines if line.startswith(" write_"))
    return re.split(r"  +", line.strip())


def test_too_few_rounds_are_said(table):
    lines, point = table([100.0] * 3, [97.0, 97.01, 96.99])
    assert cells(lines)[-1] == ("inconclusive: too few rounds, 3 of at least "
                                "6; 3 more allow a verdict")
    assert point["reason"] == "too few rounds, 3 of at least 6"


def test_a_percentile_that_rounds_lack_is_said(compare, write):
    """Six rounds are enough, and four values are not; of five rounds three
    give one."""
    files = []
    for name, values in (("base", [9.0] * 4 + [None] * 2),
                         ("new", [9.0, None, 9.1, None, 9.2])):
        rows = [document(p99=9.0) for _ in values]
        for row, value in zip(rows, values):
            row["results"][0]["latency"]["p99"] = value
        files.append(write(name, rows))
    said = "p99 was measured in 4 and 3 of 6 and 5 rounds: too few samples"
    assert cells(compare(*files)[1].splitlines())[-1] == (
        "inconclusive: too few rounds, 3 of at least 6; 5 more allow a "
        f"verdict; {said}")
    point, = json.loads(compare("--json", *files)[1])["points"]
    assert said in point["notes"] and point["more_rounds"] == 5


def test_digits_tell_what_differs(table):
    """An interval that is not a point does not look like one."""
    lines, _ = table([100.0 + i / 1000 for i in range(8)],
                     [97.0 + i / 1000 for i in range(8)])
    change, interval = cells(lines)[4:6]
    low, high = interval.split(" .. ")
    assert len({change, low, high}) == 3
    assert float(low[:-1]) < float(change[:-1]) < float(high[:-1])


@pytest.mark.parametrize("new, verdict, reason", [
    (97.9, "regression", None), (98.1, "within tolerance", None)])
def test_a_verdict_can_be_read_off_the_change(table, new, verdict, reason):
    """-2.1% is a regression and -1.9% is not, with a tolerance of 2%."""
    lines, point = table([100 + i / 1e4 for i in range(10)],
                         [new + i / 1e4 for i in range(10)])
    assert (point["verdict"], point["reason"]) == (verdict, reason)
    change = float(cells(lines)[4].rstrip("%"))
    assert (change < -2) == (verdict == "regression")
    assert cells(lines)[-1] == (f"{verdict}: {reason}" if reason else verdict)


def test_where_an_interval_reaches(table):
    noisy = [50, 56, 44, 53, 47, 58, 42, 51, 49, 55]
    lines, _ = table(noisy, [v * 1.001 for v in noisy])
    assert cells(lines)[-1].startswith(
        "inconclusive: the interval reaches across the tolerance; over 500 ")
    lines, _ = table(noisy, [v * 0.9 for v in noisy])
    assert cells(lines)[-1].startswith(
        "inconclusive: the interval reaches across the tolerance; about ")


def test_the_change_is_that_of_the_trimmed_means(table):
    """Also of rounds of two kinds."""
    base = [0.080] * 4 + [0.1149] * 2 + [0.1150] * 4
    new = [0.1101] * 6 + [0.16] * 4
    _, point = table(base, new, "--metric", "p99", key="p99")
    assert point["base"] == pytest.approx((0.080 + 0.1149 + 0.115) / 3)
    assert point["ratio"] == pytest.approx(point["new"] / point["base"])
    _, point = table(STEADY, [v * 1.01 for v in STEADY])
    assert point["notes"] == []


def test_tolerances_are_above_the_table(table, compare, write):
    lines, _ = table(STEADY, [v * 1.001 for v in STEADY])
    above = lines[:[line.startswith(" point ") for line in lines].index(True)]
    assert " tolerance: 2% of Gb/s" in above
    lines, _ = table(STEADY, [v * 1.001 for v in STEADY],
                     "--latency-tolerance", "7", key="p99")
    assert " tolerance: 7% of p99 us" in lines[:3]
    base = write("b", [document(v) for v in STEADY])
    new = write("n", [document(v) for v in STEADY])
    assert "- tolerance: 2% of Gb/s\n" in compare("--markdown", base, new)[1]


@pytest.mark.parametrize("value, text", [
    (None, "-"), (0, "0.000"), (2.16e-05, "2.160e-05"), (9e-10, "9.000e-10"),
    (0.00018, "0.0001800"), (0.5, "0.5000"), (51, "51.00"), (1234.5, "1234"),
    (123456.7, "123457")])
def test_number(value, text):
    """What was measured is not shown as 0."""
    assert tables.number(value) == text


def test_a_small_rate_is_no_zero(table):
    """Neither side of a comparison says 0 of 2e-5 Mpps."""
    base = [2.16e-05 * (1 + i / 1000) for i in range(6)]
    lines, _ = table(base, base[::-1], "--metric", "mpps", key="mpps")
    assert cells(lines)[1:4] == ["Mpps", "2.165e-05", "2.165e-05"]


@pytest.mark.parametrize("ratio, digits, text", [
    (0.97, 1, "-3.0%"), (0.9999, 1, "+0.0%"), (0.9999, 2, "-0.01%"),
    (15.0, 1, "+1400%"), (None, 1, "-"), (1e12, 1, "from 0")])
def test_percent(ratio, digits, text):
    assert tables.percent(ratio, digits) == text
