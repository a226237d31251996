"""Sets of nodes, and the rounds that patterns make of them."""
import itertools

import pytest

from verbsperf.base.errors import Refused
from verbsperf.pairs import nodesets, patterns
from verbsperf.pairs.patterns import End, Pair, Wanted


def nodes(n):
    return [f"n{i:02}" for i in range(1, n + 1)]


def rounds(pattern, wanted, devices=("",), **options):
    return list(patterns.rounds_of(
        pattern, wanted, {node: list(devices) for node in wanted.nodes},
        **options))


def names(pattern, wanted):
    return [[(p.client.node, p.server.node) for p in pairs]
            for pairs in rounds(pattern, wanted)]


@pytest.mark.parametrize("expand", (nodesets.expand, nodesets.expand_here))
def test_sets(expand):
    assert expand("n[01-03,10],x7") == ["n01", "n02", "n03", "n10", "x7"]
    assert expand("n[1-4]!n3") == ["n1", "n2", "n4"]
    assert expand("mlx5_[0-1]") == ["mlx5_0", "mlx5_1"]
    assert len(expand("r[1-2]n[1-3]")) == 6
    for text in ("n[1-", "n[a-b]", "n[3-1]", "n1,,n2]"):
        with pytest.raises(Refused):
            expand(text)


def test_reasons():
    found = nodesets.by_reason({"n1": "x", "n3": "y", "n2": "x"})
    assert found in ([("n[1-2]", "x"), ("n3", "y")],
                     [("n1,n2", "x"), ("n3", "y")])


def test_sets_that_are_refused():
    for text in ("n1!n1", "-oProxyCommand=x"):
        with pytest.raises(Refused):
            nodesets.expand(text)
    with pytest.raises(Refused, match="python3-clustershell"):
        nodesets.expand_here("@all")


@pytest.mark.parametrize("n", (2, 3, 4, 7, 16, 33))
def test_all_pairs_meet_once(n):
    found = names("all-pairs", Wanted(nodes(n)))
    assert len(found) == n - 1 + n % 2
    for pairs in found:
        busy = list(itertools.chain(*pairs))
        assert len(busy) == len(set(busy))
    met = [frozenset(pair) for pairs in found for pair in pairs]
    assert len(met) == len(set(met)) == n * (n - 1) // 2


def test_all_pairs_are_clients_in_turns():
    found = names("all-pairs", Wanted(nodes(16)))
    clients = [a for pairs in found for a, _ in pairs]
    for node in nodes(16):
        assert 7 <= clients.count(node) <= 8


def test_patterns():
    four = Wanted(nodes(4))
    assert names("pairs", four) == [[("n01", "n02"), ("n03", "n04")]]
    assert names("pairs", Wanted(nodes(3))) == [[("n01", "n02")]]
    assert len(names("all-to-all", four)[0]) == 12
    assert len(names("incast", four)) == 4
    assert names("incast", four._replace(target="n02")) == [
        [("n01", "n02"), ("n03", "n02"), ("n04", "n02")]]
    assert names("outcast", four._replace(target="n02")) == [
        [("n02", "n01"), ("n02", "n03"), ("n02", "n04")]]
    assert names("bisection", four) == [[("n01", "n03"), ("n02", "n04")]]
    assert names("ring", four) == [[("n01", "n02"), ("n02", "n03"),
                                    ("n03", "n04"), ("n04", "n01")]]
    with pytest.raises(Refused, match="n09"):
        names("incast", four._replace(target="n09"))
    with pytest.raises(Refused, match="two nodes"):
        names("pairs", Wanted(["n01"]))


def test_random_repeats():
    wanted = Wanted(nodes(8), seed=7, rounds=3)
    found = names("random", wanted)
    assert found == names("random", wanted)
    assert found != names("random", wanted._replace(seed=8))
    assert len(found) == 3 and len(found[0]) == 4


def test_bisection_by_switch(tmp_path):
    path = tmp_path / "topology.conf"
    path.write_text("SwitchName=s0 Nodes=n01,n03  # one\n"
                    "SwitchName=s1 Nodes=n[02,04]\n"
                    "SwitchName=top Switches=s[0-1]\n")
    wanted = Wanted(nodes(4), path=str(path))
    assert names("bisection", wanted) == [[("n01", "n02"), ("n03", "n04")]]
    with pytest.raises(Refused, match="no switch of n05"):
        names("bisection", wanted._replace(nodes=nodes(5)))


def test_file(tmp_path):
    path = tmp_path / "rounds"
    wanted = Wanted(nodes(4), path=str(path))
    path.write_text("# first\nn01 n02\nn03 n04\n\n\nn01 n03\n")
    assert names("file", wanted) == [[("n01", "n02"), ("n03", "n04")],
                                     [("n01", "n03")]]
    for text in ("n01\n", "n01 n01\n", "n01 n02 n03\n", "n01 n09\n"):
        path.write_text(text)
        with pytest.raises(Refused, match=":1: "):
            names("file", wanted)


def test_rails():
    two = Wanted(nodes(2))
    straight = [Pair(End("n01", "a"), End("n02", "a"), 0),
                Pair(End("n01", "b"), End("n02", "b"), 1)]
    assert rounds("pairs", two, ("a", "b")) == [straight]
    crossed = rounds("pairs", two, ("a", "b"), cross=True)
    assert crossed[0] == straight
    assert crossed[1] == [Pair(End("n01", "a"), End("n02", "b"), 0),
                          Pair(End("n01", "b"), End("n02", "a"), 1)]


def test_concurrent():
    found = rounds("pairs", Wanted(nodes(10)), concurrent=2)
    assert [len(pairs) for pairs in found] == [2, 2, 1]
