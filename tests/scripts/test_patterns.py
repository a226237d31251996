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


@pytest.fixture(params=("with ClusterShell", "without"))
def library(request, monkeypatch):
    """ClusterShell, or None where it is not installed."""
    if request.param == "without":
        monkeypatch.setattr(nodesets, "clustershell", None)
    elif nodesets.clustershell is None:
        pytest.skip("ClusterShell is not installed")
    return nodesets.clustershell


# What a set has, in this order, on every host; None is refused on every host.
SETS = {
    "n[01-03,10],x7": ["n01", "n02", "n03", "n10", "x7"],
    "s1,c1,s2,c2": ["s1", "c1", "s2", "c2"],
    "mlx5_1,mlx5_0": ["mlx5_1", "mlx5_0"],
    "mlx5_[0-1]": ["mlx5_0", "mlx5_1"],
    "n[3,1-2]": ["n3", "n1", "n2"],
    "n2,n1,n2": ["n2", "n1"],
    "n10,n9": ["n10", "n9"],
    "n[1-4]!n3": ["n1", "n2", "n4"],
    "n[1-3]!n2,n2": ["n1", "n3", "n2"],
    "n1,n01": ["n1", "n01"],
    "n[9-11]": ["n9", "n10", "n11"],
    "n[0-10]!n[1-9]": ["n0", "n10"],
    "r[1-2]n[3-4]": ["r1n3", "r1n4", "r2n3", "r2n4"],
    "n[1-2][3-4]": ["n13", "n14", "n23", "n24"],
    "n2, n1": ["n2", "n1"],
    "n[ 1 - 2 ]": ["n1", "n2"],
    "10.0.0.[2-1,1]": None,
    "10.0.0.2,fe80::1%eth0": ["10.0.0.2", "fe80::1%eth0"],
    "user@n1": ["user@n1"],
    "n[9-011]": None, "n[08-9]": None, "n[01-100]": None, "n[1-010]": None,
    "n[1-": None, "n[a-b]": None, "n[3-1]": None, "n1,,n2]": None,
    "n1,,n2": None, "n1,": None, ",n1": None, "!n1": None, "n[]": None,
    "n[+1]": None, "n[-1]": None, "n1 n2": None, "n1\nn2": None,
    "n1!n1": None, "-oProxyCommand=x": None,
    "n[1-1000][1-1000]": None, "n[0-9999999999]": None,
}
# What only ClusterShell reads, in this order; and what it is called.
THERE = {
    "n[1-3]&n2": (["n2"], "'&'"),
    "n[3,1]^n[1-2]": (["n3", "n2"], "'^'"),
    "n[1-5/2]": (["n1", "n3", "n5"], "[1-9/2]"),
    "n[1-5]!n2&n[2-4],n1": (["n1", "n3", "n4"], "'&'"),
    "b[1-3/2],a": (["b1", "b3", "a"], "step"),
    "n[1-3]&": (None, "'&'"),
    "@nobody-knows-it": (None, "@group"),
    "n*": (None, "'*'"), "n?": (None, "'?'"),
}


@pytest.mark.parametrize("text", SETS)
def test_a_set_is_the_same_everywhere(library, text):
    if SETS[text] is None:
        with pytest.raises(Refused):
            nodesets.expand(text)
    else:
        assert nodesets.expand(text) == SETS[text]


@pytest.mark.parametrize("text", THERE)
def test_what_only_clustershell_reads(library, text):
    names, called = THERE[text]
    if library is None:
        with pytest.raises(Refused, match="python3-clustershell") as refused:
            nodesets.expand(text)
        assert called in str(refused.value)
    elif names is None:
        with pytest.raises(Refused):
            nodesets.expand(text)
    else:
        assert nodesets.expand(text) == names


def test_groups_of_clustershell():
    """As a site has them: they are in its order, beside those of the user."""
    utils = pytest.importorskip("ClusterShell.NodeUtils")
    source = utils.GroupSource("site", {"rack": "n[3-4]", "all": "n[1-4]"})
    nodesets.clustershell.set_std_group_resolver(utils.GroupResolver(source))
    try:
        assert nodesets.expand("x,@rack,n1") == ["x", "n3", "n4", "n1"]
        assert nodesets.expand("n[2-3]&@rack") == ["n3"]
        assert nodesets.expand("n*!n1") == ["n2", "n3", "n4"]
    finally:
        nodesets.clustershell.set_std_group_resolver(None)


@pytest.mark.parametrize("names", (["@all", "n1"], ["n&", "n1"], ["n[", "n1"]))
def test_names_that_are_no_set_are_shown(library, names):
    """A file of another host may have them."""
    shown = nodesets.fold(names)
    assert all(name in shown for name in names)


def test_reasons():
    found = nodesets.by_reason({"n1": "x", "n3": "y", "n2": "x"})
    assert found in ([("n[1-2]", "x"), ("n3", "y")],
                     [("n1,n2", "x"), ("n3", "y")])


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
