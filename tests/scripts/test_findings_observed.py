"""What is compared of rounds, and when it is sure; by hand."""
import math

import pytest

from verbsperf.findings import evidence, observed
from verbsperf.findings.observed import (ANY, IN, OUT, PAIR, Comparison,
                                         Observed)
from verbsperf.pairs.patterns import End, Pair

A, B, C, D = (End(name, "") for name in "abcd")


@pytest.mark.parametrize("metric, value, speed", (
    ("gbps", 0.0, 0.0), ("mpps", 7.0, 7.0), ("p50", 4.0, 0.25),
    ("p50", 0.0, 0.0)))
def test_speeds(metric, value, speed):
    assert observed.speed_of(value, metric) == speed


def test_no_speed_has_a_logarithm():
    assert observed.logarithm(0.0) == math.log(1e-12)
    assert observed.logarithm(1.0) == 0.0


# a sends to two, and c receives of two
ROUND = {Pair(A, B): 2.0, Pair(A, C): 6.0, Pair(D, C): 8.0}


def test_who_shares_a_port():
    assert observed.are_shared([{Pair(A, B): 1.0}, ROUND])
    assert not observed.are_shared([{Pair(A, B): 1.0, Pair(B, A): 1.0}])
    assert observed.most_pairs([ROUND, {Pair(A, one): 1.0 for one in (
        B, C, D)}]) == {OUT: 3, IN: 2}


def test_shares():
    """To the middle one of the slower port; none of who has both alone."""
    assert observed.shares_of({**ROUND, Pair(B, D): 1.0}) == {
        Pair(A, B): 0.5, Pair(A, C): 1.5, Pair(D, C): 8 / 7}
    assert observed.shares_of({Pair(A, B): 0.0, Pair(A, C): 0.0}) == {}


@pytest.mark.parametrize("metric, out, into", (
    ("gbps", 8.0, 14.0), ("p50", 4.0, 7.0)))
def test_loads(metric, out, into):
    """Of ports that have two pairs at least, and half of the most."""
    def loads(most):
        return {(one.pair, one.sort): math.exp(one.value)
                for one in observed.loads_of([ROUND], most, metric)}

    both = {(Pair(A, ANY), OUT): pytest.approx(out),
            (Pair(ANY, C), IN): pytest.approx(into)}
    assert loads({OUT: 2, IN: 4}) == both
    assert loads({OUT: 2, IN: 5}) == {(Pair(A, ANY), OUT): both[
        Pair(A, ANY), OUT]}


def test_what_is_compared_of_rounds():
    """Pairs as they are, unless some share a port: then ports, and shares."""
    apart = {Pair(A, B): 2.0, Pair(C, D): 4.0}
    assert observed.observed_of([apart], "gbps", {OUT: 1, IN: 1}) == [
        Observed(Pair(A, B), math.log(2)), Observed(Pair(C, D), math.log(4))]
    assert [one.sort for one in observed.observed_of(
        [ROUND], "gbps", {OUT: 2, IN: 2})] == [OUT, IN, PAIR, PAIR, PAIR]


def test_too_few_ports():
    """Three are enough, of either side."""
    two = [Observed(Pair(end, ANY), 0.0, OUT) for end in (A, B)]
    three = [Observed(Pair(ANY, end), 0.0, IN) for end in (A, B, C)]
    assert observed.too_few([*two, *three]) == {one.pair for one in two}
    assert observed.too_few([*two, *two, *three[:1]]) == {
        one.pair for one in (*two, three[0])}


SEEN = Comparison(0.9, 0.85, 0.95, 0.001, 6, 12, 0.01)
LEAST = -math.log(0.97)


@pytest.mark.parametrize("changes, is_sure", (
    ({}, True), ({"p": 0.0026}, False), ({"p": 0.0025}, True),
    ({"ratio": 0.971}, False), ({"ratio": 0.969}, True)))
def test_what_is_sure(changes, is_sure):
    assert SEEN._replace(**changes).is_sure(LEAST) == is_sure


def test_what_is_slower_by_just_as_much():
    least = 0.5
    assert math.log(math.exp(-least)) == -least
    assert SEEN._replace(ratio=math.exp(-least)).is_sure(least)


@pytest.mark.parametrize("changes, is_clear", (
    ({}, False), ({"low": 0.971}, True), ({"low": 0.969}, False),
    ({"p": 0.5, "ratio": 0.99}, False),
    ({"p": 0.5, "ratio": 1.21, "low": 0.67, "high": 3.45}, False)))
def test_what_is_clear(changes, is_clear):
    """Its interval excludes that it is slower."""
    assert SEEN._replace(**changes).is_clear(LEAST) == is_clear


def test_a_comparison():
    others = [math.log(100 + i % 3) for i in range(30)]
    own = [math.log(50 + i % 3) for i in range(9)]
    seen = observed.compared(own, others)
    assert (seen.tests, seen.others) == (9, 30)
    assert seen.ratio == pytest.approx(51 / 101, rel=0.01)
    assert seen.low <= seen.ratio <= seen.high < 0.55 and seen.low > 0.45
    assert seen.spread == pytest.approx(0.0148, abs=0.0002)
    assert seen.p < 1e-4
    few = observed.compared(own[:1], others[:1])
    assert (few.low, few.high) == (0.0, math.inf)


@pytest.mark.parametrize("count, some", ((40, 40), (41, 21), (400, 40)))
def test_some_of_many_values(count, some):
    seen = observed.compared([1.0] * 8, [float(i) for i in range(count)])
    assert (seen.tests, seen.others) == (8, some)


@pytest.mark.parametrize("others, odd", (
    ((1, 1), True), ((1,), False), ((1, 1, 1, 1, 3), True),
    ((1, 1, 1, 3), False), ((2, 2, 2), False), ((None, None), False)))
def test_what_nearly_all_others_have(others, odd):
    facts = {"x": {"smt": 2}, **{f"n{i}": {"smt": one}
                                 for i, one in enumerate(others)}}
    assert evidence.odd_facts("x", facts) == [
        {"fact": "smt", "here": 2, "elsewhere": 1}] * odd


@pytest.mark.parametrize("name", ("cpu_mhz", "huge_pages_free",
                                  "pcie_address"))
def test_what_is_of_the_moment(name):
    facts = {f"n{i}": {name: i > 0, "smt": i > 0} for i in range(4)}
    assert [one["fact"] for one in evidence.odd_facts("n0", facts)] == ["smt"]


def test_evidence():
    """Of those nodes of which there is some."""
    rose = {"end": "server", "counter": "x", "value": 2, "meaning": "bad"}
    assert evidence.risen({"counters": {"rose": [rose]}}, "server") == [rose]
    assert evidence.risen({}, "server") == []
    facts = {f"n{i}": {"smt": i > 0} for i in range(4)}
    found = evidence.evidence_of(["n0", "n1", "n2"], facts, {"n1": [rose]})
    assert list(found) == ["n0", "n1"]
    assert list(evidence.lines_of({"beside": found})) == [
        "n0: smt is False, elsewhere True", "n1: x rose by 2: bad"]
    assert list(evidence.lines_of({"beside": None})) == []
