"""verbsperf-compare --nics: several set-ups side by side."""
import json
import os
import subprocess
import xml.etree.ElementTree

import numpy
import pytest

import schemas
from verbsperf.nics import ranking
from conftest import HERE, document, refused, run, sweep_lines

VERBSPERF = os.environ.get("VERBSPERF")
BENCH = HERE.parent / "bench"
# As noisy as rounds are: by half a percent.
NOISE = [1, 1.003, 0.998, 1.005, 0.996, 1.001]
SIZES = (64, 4096, 65536)


def end(link, **more):
    layers = {"ib": "InfiniBand", "roce": "Ethernet"}
    types = {"ib": "IB", "roce": "RoCE v2"}
    return {"link_layer": layers[link], "gid_type": types[link],
            "device": f"{link}0", **more}


def bandwidth(link, rate, gbps, **row):
    """Documents of LINK with GBPS of each of SIZES."""
    made = []
    for factor in NOISE:
        for size, value in zip(SIZES, gbps):
            one = document(value * factor, size, mpps=value / size)
            for name in ("client", "server"):
                one[name] = {**one[name], **end(link), "rate_gbps": rate}
            one["results"][0].update(row)
            made.append(one)
    return made


def latency(link, rate, p99, bins=None):
    made = []
    for factor in NOISE:
        one = document(p99=p99 * factor, size=64)
        one["results"][0]["histogram"] = bins and {"unit": "ns", "bins": bins}
        for name in ("client", "server"):
            one[name] = {**one[name], **end(link), "rate_gbps": rate}
        made.append(one)
    return made


def counters(value):
    known = {"seconds": 1.0, "values": {}}
    return {"client": known, "server": known, "rose": [{
        "end": "server", "counter": "rx_discards", "value": value,
        "kind": "trouble", "meaning": "there was no buffer for a packet",
        "advice": "look at pause frames"}] if value else []}


@pytest.fixture
def pair(write):
    """Results over InfiniBand and RoCE, whose curves cross."""
    bins = [[100, 200, 900], [200, 300, 99], [300, 400, 1]]
    return (write("ib.json", bandwidth("ib", 100.0, (10, 60, 95))
                  + latency("ib", 100.0, 2.0, bins)),
            write("roce.json", bandwidth("roce", 200.0, (8, 60.1, 150),
                                         counters=counters(3))
                  + latency("roce", 200.0, 3.0, bins)))


def nics(compare, *arguments):
    status, out, err = compare("--nics", *arguments)
    assert (status, err) == (0, "")
    return out


def report(compare, *arguments):
    return schemas.load(nics(compare, "--json", *arguments),
                        "verbsperf-nics-1")


def difference(found, name):
    """The values of the fact NAME, by set-up; None when it is alike."""
    values = [fact["values"] for fact in found["differences"]
              if fact["name"] == name]
    return values[0] if values else None


def test_what_differs_is_at_the_head(compare, pair):
    found = report(compare, *pair)
    assert difference(found, "link layer") == {"ib": "InfiniBand",
                                               "roce": "Ethernet"}
    assert difference(found, "link rate in Gb/s") == {"ib": "100",
                                                    "roce": "200"}
    assert difference(found, "MTU") is None
    text = nics(compare, *pair).splitlines()
    assert text[0] == " ib against roce"
    assert ["device", "ib0", "roce0"] in map(str.split, text)
    assert any("the same: " in line and "firmware 1.0" in line
               for line in text)
    assert max(map(len, text)) < 160


def test_one_end_that_differs_is_named(compare, write):
    made = bandwidth("ib", 100.0, (1, 2, 3))
    for one in made:
        one["server"] = {**one["server"], "mtu": 512}
    found = report(compare, write("a.json", made), write(
        "b.json", bandwidth("ib", 100.0, (1, 2, 3))))
    assert difference(found, "server MTU") == {"a": "512", "b": "1024"}
    assert difference(found, "client MTU") is None


def test_facts_of_the_hosts(compare, pair, write, tmp_path):
    """Whatever "environment" has; what changes by itself is left out."""
    made = [json.loads(line)
            for line in (tmp_path / "roce.json").read_text().splitlines()]
    for i, one in enumerate(made):
        facts = {**(one["environment"]["client"] or {})}
        one["environment"] = {"client": {
            **facts, "pcie_width": 8, "cpu_mhz": 2000 + i,
            "governor": ("powersave", "performance")[i % 2]}, "server": None}
    path = tmp_path / "with.json"
    path.write_text("".join(json.dumps(one) + "\n" for one in made))
    found = report(compare, pair[0], path)
    assert difference(found, "client PCIe width")["with"] == "8"
    assert difference(found, "client governor")["with"] == (
        "powersave and performance")
    assert "mhz" not in json.dumps(found)


def test_crossing(compare, pair):
    found = report(compare, *pair)
    group, = [one for one in found["groups"] if one["kind"] == "bandwidth"]
    ahead, = group["ahead"]
    assert ahead["sentence"] == (
        "ib ahead at 64 bytes, by up to 25%; no clear difference at 4 KiB; "
        "roce ahead at 64 KiB, by up to 57.9%")
    text = nics(compare, *pair)
    assert "write_bw RC 1 QP, bandwidth: ib ahead at 64 bytes" in text
    assert ("write_lat RC 1 QP, median: ib ahead at 64 bytes, by up to 50%"
            in text)


def test_figures_side_by_side(compare, pair):
    found = report(compare, *pair)
    group, = [one for one in found["groups"] if one["kind"] == "bandwidth"]
    figures = group["points"][2]["figures"]
    assert figures["ib"]["share"] == pytest.approx(0.95, rel=1e-3)
    assert figures["roce"]["share"] == pytest.approx(0.75, rel=1e-3)
    assert figures["ib"]["ratios"] is None
    ratio = figures["roce"]["ratios"]["gbps"]
    assert ratio["low"] < ratio["ratio"] < ratio["high"]
    assert ratio["ratio"] == pytest.approx(150 / 95, rel=0.01)
    lines = [line.split() for line in nics(compare, *pair).splitlines()]
    assert ["64K", "ib", "95.05", "95.0%", "0.001450"] in lines
    assert any(line[:3] == ["roce", "150.1", "75.0%"] for line in lines)


def test_counters_that_rose(compare, pair):
    text = nics(compare, *pair)
    # 3 in each of 6 rounds
    assert ("rx_discards of the server rose (there was no buffer for a packet)"
            ": in roce by 18 at 64 bytes, by 18 at 4 KiB, by 18 at 64 KiB\n"
            ) in text
    assert "in ib by" not in text


def test_a_counter_has_one_line(compare, write):
    """However many sizes and set-ups it rose at."""
    paths = [write(f"{name}.json", [
        one for size in range(8) for one in bandwidth(
            "ib", 100.0, (50,), counters=counters(1)) for one in [{
                **one, "results": [{**one["results"][0], "size": 2 << size}]}]])
             for name in ("large", "small")]
    found = [line for line in nics(compare, *paths).splitlines()
             if "rx_discards" in line]
    assert len(found) == 1
    assert ": in large by 6 at 2 bytes, by 6 at 4 bytes, " in found[0]
    assert "and at 5 more sizes; in small by 6 at 2 bytes" in found[0]


def test_cpu_per_message(compare, write):
    def made(client):
        return bandwidth("ib", 100.0, (1, 2, 3), cpu={
            "client": client and {"ns_per_message": client},
            "server": None})
    paths = []
    for name, client in (("a", 30.0), ("b", None)):
        path = write(f"{name}.json", [])
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(one) for one in made(client)))
        paths.append(path)
    text = nics(compare, *paths)
    assert "CPU ns, client" in text and "CPU ns, server" not in text
    assert any(line.split()[-1] == "30.00" for line in text.splitlines()
               if line.startswith("     64  a"))


def test_directions_add_up(compare, write):
    """Both directions have the link's rate each."""
    made = bandwidth("ib", 100.0, (50, 100, 180))
    for one in made:
        one["test"] = {**one["test"], "direction": "bi"}
    path = write("a.json", made)
    found = report(compare, path, write("b.json", made))
    figures = found["groups"][0]["points"][2]["figures"]
    assert figures["a"]["share"] == pytest.approx(0.9, rel=1e-3)


def test_targets_of_a_sweep(compare, write):
    path = write("sweep.jsonl", sweep_lines({
        "a": [50 * one for one in NOISE], "b": [60 * one for one in NOISE],
        "c": [55 * one for one in NOISE]}))
    found = report(compare, path)
    assert [one["name"] for one in found["setups"]] == ["a", "b", "c"]
    assert found["groups"][0]["ahead"][0]["sentence"].startswith("b ahead")
    assert not any("several sessions" in note for note in found["notes"])
    assert len(report(compare, "--targets", "a,c", path)["setups"]) == 2
    assert len(report(compare, f"{path}:b", f"{path}:c")["setups"]) == 2


def test_options_of_a_set_up_are_not_the_test(compare, write):
    """An option with one value in each file is said at the head."""
    def made(**parameters):
        return [{**one, "parameters": {**one["parameters"], **parameters}}
                for one in bandwidth("ib", 100.0, (1, 2, 3))]
    found = report(compare, write("a.json", made(**{"qp-timeout": 14})),
                   write("b.json", made(**{"qp-timeout": 18})))
    assert difference(found, "--qp-timeout") == {"a": "14", "b": "18"}
    assert len(found["groups"]) == 1


def test_failures_and_few_rounds_are_said(compare, write):
    path = write("sweep.jsonl", sweep_lines({"a": [50, 51], "b": [60, None]}))
    text = nics(compare, path)
    assert "failed (cannot connect): in b 1 of 2 rounds at 64 bytes" in text
    assert "2 rounds of a set-up: 6 of each tell which is ahead" in text
    assert "not by chance" not in text


def test_markdown(compare, pair, tmp_path):
    text = nics(compare, "--markdown", *pair)
    assert text.startswith("## ib against roce\n")
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in tables[:3]}) == 1
    assert "### write\\_bw RC 1 QP" in text
    path = tmp_path / "report.md"
    assert nics(compare, *pair, "-o", path) == ""
    assert path.read_text() == text


def drawn(*arguments):
    pytest.importorskip("matplotlib")
    assert run("verbsperf-compare", "--nics", *arguments) == (0, "", "")


def test_what_a_terminal_would_obey(compare, write):
    """A document may come from another host."""
    paths = []
    for name in ("a", "b"):
        made, = bandwidth("ib", 100.0, (10,), counters=counters(3))[:1]
        made["client"]["firmware"] = f"{name}\x9b31m\n\u202e"
        made["results"][0]["counters"]["rose"][0]["meaning"] = "x\x1b]0;y\x07"
        paths.append(write(f"{name}.json", [made]))
    for form in ([], ["--markdown"]):
        text = nics(compare, *form, *paths)
        assert not [one for one in text if not one.isprintable()
                    and one != "\n"]
        assert "a?31m??" in text and "x?]0;y?" in text
    other = write("x\x1b[2J.json", [])
    refused(compare("--nics", paths[0], other), 2, "x?[2J.json: ")


def test_page(pair, tmp_path):
    path = tmp_path / "report.html"
    drawn(*pair, "-o", path)
    text = path.read_text()
    assert text.startswith("<!DOCTYPE html>")
    # bandwidth, latency and its distribution
    assert text.count("<svg") == 3 and text.count("</svg>") == 3
    for words in ("share of link", "message rate [Mpps]", "99%", "to ib",
                  "latency of 64 bytes", "rx_discards of the server rose",
                  "ib ahead at 64 bytes", "<td class=word>InfiniBand</td>"):
        assert words in text, words


def test_pictures_have_what_the_tables_have(compare, write):
    """The same intervals, also of few rounds; and what failed."""
    plots = pytest.importorskip("verbsperf.nics.plots")
    for rounds in (3, 4, 5, 10):
        found = report(compare, write("few.jsonl", sweep_lines({
            name: [(50.0 + n + i % 3) * factor for i in range(rounds)] + [
                None] * n for n, (name, factor) in enumerate(
                    (("a", 1), ("b", 0.9), ("c", 1.1)))})))
        group, = found["groups"]
        picture = plots.over_size(group, list("abc"))
        # of one link, whose share tells no more
        assert [panel.y_label for panel in picture.panels] == [
            "bandwidth [Gb/s]", "bandwidth\nto a"]
        values, ratios = picture.panels
        point, = group["points"]
        for name, value, ratio in zip("abc", values.curves, ratios.curves):
            one = point["figures"][name]
            assert (value.label, ratio.label) == (name, name)
            assert value.dots == [(64, one["gbps"], *value.dots[0][2:])]
            assert value.dots[0].low is None
            known = one["ratios"] and one["ratios"]["gbps"] or {
                "ratio": 1, "low": None, "high": None}
            assert ratio.dots[0][1:4] == (
                known["ratio"], known["low"], known["high"])
        assert (plots.RATIO_BARS in picture.notes) == any(
            curve.dots[0].low is not None for curve in ratios.curves)
        assert picture.notes[-1] == (f"failed: b 64: 1 of {rounds + 1}; c 64: "
                                     f"2 of {rounds + 2}")


def test_one_page_of_plots(pair, tmp_path):
    path = tmp_path / "report.svg"
    drawn(*pair, "-o", path)
    tree = xml.etree.ElementTree.parse(path).getroot()
    inner = [one for one in tree if one.tag.endswith("}svg")]
    tops = [float(one.get("y")) for one in inner]
    heights = [float(one.get("height")) for one in inner]
    assert tops == [sum(heights[:i]) for i in range(len(inner))]
    assert float(tree.get("height").removesuffix("pt")) == pytest.approx(
        sum(heights))


@pytest.mark.parametrize("arguments, words", [
    (["A"], ["two files or targets"]),
    (["A", "A"], ["each only once"]),
    (["A", "B", "--metric", "p50"], ["--metric"]),
    (["A", "B", "--force"], ["--force"]),
    (["A", "B", "-o", "x.pdf"], ["'x.pdf'", ".html, .svg or .md"]),
    (["A", "C"], ["no test in common"]),
    (["A", "D"], ["d: no measurement in it succeeded"]),
])
def test_refusals(compare, write, pair, arguments, words):
    files = {"A": pair[0], "B": pair[1],
             "C": write("c.json", [
                 {**one, "test": {**one["test"], "name": "read_bw"}}
                 for one in bandwidth("ib", 100.0, (1, 2, 3))]),
             "D": write("d.json", sweep_lines({"d": [None]}))}
    refused(compare("--nics", *(files.get(word, word) for word in arguments)),
            2, *words)


def broken(path, change):
    """The documents of PATH after CHANGE; nobody checked them."""
    with open(path, encoding="utf-8") as file:
        made = [json.loads(line) for line in file]
    for one in made:
        change(one)
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(json.dumps(one) + "\n" for one in made))
    return path


@pytest.mark.parametrize("change", [
    lambda one: one["client"].update(rate_gbps="fast"),
    lambda one: one.update(environment={"client": 5}),
    lambda one: one["results"][0].update(cpu=[1]),
    lambda one: one["results"][0].update(cpu={"client": {
        "ns_per_message": "few"}}),
    lambda one: one["results"][0].update(counters={"rose": [{}]}),
    lambda one: one["results"][0].update(counters=3),
])
def test_what_verbsperf_does_not_write_is_refused(compare, pair, change):
    path = broken(pair[1], change)
    outcome = compare("--nics", pair[0], path)
    refused(outcome, 2, f"{path}: nothing in it can be used")
    assert f"left out: {path}:1: " in outcome[2]


def test_output_is_of_nics_only(compare, pair):
    refused(compare(*pair, "-o", "x.md"), 2, "-o: only with --nics")


@pytest.mark.parametrize("leaders, wanted", [
    ({64: "a", 128: "a", 256: "b"},
     "a ahead up to 128 bytes, by up to 20%; b ahead at 256 bytes, by up to "
     "20%"),
    ({64: "a", 1024: None, 2048: None, 1 << 20: "b", 1 << 21: "b"},
     "a ahead at 64 bytes, by up to 20%; no clear difference from 1 KiB to 2 "
     "KiB; b ahead from 1 MiB, by up to 20%"),
    ({1: "b", 2: "b"}, "b ahead at all sizes, by up to 20%"),
    ({}, "not measured by two set-ups"),
])
def test_sentence(leaders, wanted):
    found = ranking.stretches({size: ranking.Lead(name, 1.2 if name else 1.0, None)
                               for size, name in leaders.items()})
    assert ranking.sentence(found, 9) == wanted


def leader(values, more_is_better=True, tolerance=0.02):
    """Which of set-ups with VALUES is ahead, and by what factor."""
    return ranking.leaders({0: ranking.Cell(values, more_is_better, tolerance,
                                            True)}).get(0)


def test_less_latency_is_ahead():
    name, factor, doubtful = leader(
        {"a": [2.0, 2.1, 1.9] * 2, "b": [1.0, 1.01, 0.99] * 2,
         "c": [3.0, 3.1, 2.9] * 2}, False, 0.05)
    assert (name, factor, doubtful) == ("b", pytest.approx(2), None)


def test_what_may_be_chance_is_no_lead():
    assert leader({"a": [80.0, 120.0, 100.0, 90.0, 130.0, 100.0],
                   "b": [100.0, 70.0, 90.0, 110.0, 95.0, 90.0]}) == (
                       None, 1.0, None)
    # rounds of two clusters
    assert leader({"a": [1.0, 1.0, 1.0, 10.0, 10.0, 10.0],
                   "b": [0.9, 0.9, 2.0, 2.0, 2.0, 2.0]})[0] is None
    # five rounds have no interval
    assert leader({"a": [1.0] * 5, "b": [9.0] * 5}) == (None, 1.0, None)
    assert leader({"a": [1.0] * 6}) is None


def test_an_interval_beyond_the_tolerance_that_is_no_lead():
    """Of so many points one is beyond it by chance: said, and at which size."""
    source = numpy.random.RandomState(2)
    noisy = {name: list(numpy.exp(source.normal(0, 0.3, 6)))
             for name in ("a", "b")}
    cells = {size: ranking.Cell(noisy, True, 0.02, True)
             for size in (2, 64, 4096)}
    slow = [value / 2 for value in noisy["a"][::-1]]
    cells[65536] = ranking.Cell({**noisy, "b": slow}, True, 0.02, True)
    found = ranking.leaders(cells)
    assert found[65536] == (None, 1.0, "a")
    sentence = ranking.sentence(ranking.stretches(found), len(cells))
    assert sentence == ("no clear difference at any size; a perhaps ahead at "
                        "64 KiB, but not significant among 4 points")


def test_the_ratio_is_that_of_compare():
    """Of the means that are shown, in rounds of two clusters, too."""
    a, b = [49.26] * 3 + [70] * 2, [40] * 2 + [62.84] * 3
    cell = ranking.Cell({"a": a, "b": b}, True, 0.02, True)
    assert ranking.ratios({0: cell}, "a")[0, "b"].ratio == pytest.approx(
        (40 + 2 * 62.84) / (2 * 49.26 + 70))


@pytest.fixture(scope="module")
def nic(tmp_path_factory):
    """The NIC that is not there."""
    library = tmp_path_factory.mktemp("fake") / "fake_nic.so"
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-fno-tree-slp-vectorize",
                    "-shared", "-fPIC", "-o", library, *(
                        BENCH / f"fake_{part}.c"
                        for part in ("nic", "path", "time", "data",
                                     "fabric"))],
                   check=True)
    return library


def measured(nic, path, **fake):
    """Measure with a FAKE NIC, six rounds of two sizes, into PATH."""
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(6):
            for test in ("write_bw", "read_lat"):
                subprocess.run(
                    [VERBSPERF, test, "--loopback", "-s", "64,4K", "-n",
                     "2000", "--warmup", "0", "--histogram"
                     if test == "read_lat" else "--json", "--json"],
                    env={**os.environ, "LD_PRELOAD": str(nic), **fake},
                    stdout=file, stderr=subprocess.DEVNULL, check=True,
                    timeout=60)
    return path


@pytest.mark.skipif(not VERBSPERF, reason="VERBSPERF in the environment")
def test_infiniband_against_roce(compare, nic, tmp_path):
    """As on a machine that has both."""
    ib = measured(nic, tmp_path / "ib.json", FAKE_LINK="infiniband",
                  FAKE_GBPS="100", FAKE_DELAY="2000")
    roce = measured(nic, tmp_path / "roce.json", FAKE_GBPS="200",
                    FAKE_MTU="1024", FAKE_DELAY="9000")
    found = report(compare, ib, roce)
    assert difference(found, "link layer") == {"ib": "InfiniBand",
                                               "roce": "Ethernet"}
    assert difference(found, "MTU") == {"ib": "4096", "roce": "1024"}
    assert difference(found, "link rate in Gb/s") == {"ib": "100",
                                                    "roce": "200"}
    groups = {group["test"]: group for group in found["groups"]}
    assert groups["read_lat"]["ahead"][0]["stretches"][0]["ahead"] == "ib"
    for point in groups["write_bw"]["points"]:
        for figure in point["figures"].values():
            assert 0 < figure["share"] < 1.1
            assert figure["cpu_ns"]["client"] > 0
    drawn(ib, roce, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().count("<svg") == 3


def test_a_test_without_sizes(write):
    made = []
    for rate in (100.0, 200.0):
        one = latency("roce", rate, 2000 / rate)
        for each in one:
            each["test"] = {**each["test"], "name": "create_qp",
                            "operation": "create_qp", "transport": None,
                            "direction": None, "load": None}
            each["results"][0].update(size=None, qps=None)
        made.append(write(f"{rate:g}.json", one))
    status, out, err = run("verbsperf-compare", "--nics", *made)
    assert (status, err) == (0, "") and "create_qp" in out, (out, err)
