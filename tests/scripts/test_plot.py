"""What verbsperf-plot draws, seen through matplotlib's own objects."""
import itertools
import math

import pytest

import complete
from verbsperf.base.errors import NotDrawn
from verbsperf.documents import results
from verbsperf.documents.points import Point
from verbsperf.plot import curves, figure, labels, looks, series
from verbsperf.plot.axes import ZERO
from verbsperf.stats import verdict
from plots import LATENCY, RUN, bw_row, lat_row, loads, result, sweep

NAN = math.nan
GAP = NAN, NAN      # between sizes that no line joins


@pytest.fixture
def drawn(write):
    """Draws files, each a list of documents or lines; (picture, figure)."""
    def draw(*files, kind=None, size=None, title="a title"):
        records = []
        for number, lines in enumerate(files):
            records += results.read(write(f"file{number}.json", lines))
        picture = series.picture(kind or series.kinds(records)[0], records)
        return picture, figure.draw(picture, labels.origins(records), title,
                                    size)
    return draw


def lines_of(axes):
    """{label: its line} of the curves."""
    return {line.get_label(): line for line in axes.lines
            if not line.get_label().startswith("_")}


def points(line):
    return list(zip(line.get_xdata(), line.get_ydata()))


def same(found, wanted):
    """Equal, and gaps where there are gaps."""
    assert len(found) == len(wanted), found
    for one, other in zip(found, wanted):
        assert one == pytest.approx(other, nan_ok=True)


def bars(axes):
    """{x: (low, high)} of the bars."""
    return {segment[0][0]: (segment[0][1], segment[1][1])
            for container in axes.collections
            for segment in container.get_segments()}


def failures(axes):
    return [x for line in axes.lines if line.get_gid() == "failed"
            for x in line.get_xdata()]


def ticks(fig):
    """The labels of all axes; those beyond their ends are not drawn."""
    fig.canvas.draw()
    return [tick.label1 for axes in fig.axes
            for axis in (axes.xaxis, axes.yaxis)
            for tick in axis.get_major_ticks()
            if axis.get_view_interval()[0] <= tick.get_loc() <=
            axis.get_view_interval()[1]
            and tick.label1.get_text() and tick.label1.get_visible()]


def shown(fig):
    """All text of FIG."""
    texts = ticks(fig) + [text for axes in fig.axes
                          for text in (axes.title, axes.yaxis.label)]
    texts += list(fig.texts)
    for legend in fig.legends:
        texts += legend.get_texts()
    return [text for text in texts if text.get_text() and text.get_visible()]


def words(fig):
    return [text.get_text() for text in shown(fig)]


def test_bandwidth_of_one_run(drawn):
    picture, fig = drawn([RUN])
    assert picture.kind == "bandwidth"
    top, bottom = fig.axes
    same(points(lines_of(top)["lab1 mlx5_0"]),
         [(64, 1.0), (128, NAN), (256, 4.0), (512, NAN)])
    same(points(lines_of(bottom)["lab1 mlx5_0"]),
         [(64, 2.0), (128, NAN), (256, 2.0), (512, NAN)])
    assert bars(top)[64] == pytest.approx((0.9, 1.2))
    # in messages, the same interval
    assert bars(bottom)[64] == pytest.approx((1.8, 2.4))
    assert list(bars(top)) == [64]
    assert failures(top) == failures(bottom) == [512]
    assert top.get_ylabel() == "bandwidth [Gb/s]"
    assert bottom.get_ylabel() == "message rate [Mpps]"
    assert top.get_ylim()[0] == 0
    found = words(fig)
    assert curves.RUN_BARS in found
    assert found.count("message size [bytes]") == 1
    assert "failed: lab1 mlx5_0 512: 1 of 1" in found
    assert ("lab1 mlx5_0 (RoCE v2 ::ffff:10.0.0.1, MTU 1024) \u2192 lab2 "
            "mlx5_0 (RoCE v2 ::ffff:10.0.0.1, MTU 1024), verbsperf 1") in found


def test_rounds_of_a_sweep(drawn):
    six = [5.0, 1.0, 6.0, 2.0, 4.0, 3.0]
    _, fig = drawn(sweep({
        "new": {64: six, 4096: [7.0, None, 9.0]},
        "old": {64: [None, None], 4096: [8.0]}}))
    top = fig.axes[0]
    new, old = lines_of(top)["new"], lines_of(top)["old"]
    # of two set-ups a fifth of an octave to the left and to the right
    left, right = 2 ** -0.2, 2 ** 0.2
    same(points(new), [(64 * left, 3.5), GAP, (4096 * left, 8.0)])
    same(points(old), [(64 * right, NAN), GAP, (4096 * right, 8.0)])
    (one, ends), (other, rounds) = bars(top).items()
    assert (one, other) == pytest.approx((64 * left, 4096 * left))
    assert 1.0 < ends[0] < 3.5 < ends[1] and rounds == (7.0, 9.0)
    assert [bar.get_linestyle()[0][1] is not None
            for bar in top.collections] == [False, True]
    assert sorted(failures(top)) == pytest.approx([64 * right, 4096 * left])
    assert {curves.ROUND_BARS, curves.RANGE_BARS,
            "failed: new 4K: 1 of 3; old 64: 2 of 2"} <= set(words(fig))
    assert new.get_linestyle() != old.get_linestyle()
    assert new.get_marker() != old.get_marker()


def test_the_interval_is_narrower_than_all_rounds():
    rows = [bw_row(64, 50.0 + n) for n in (4, 9, 1, 7, 2, 10, 5, 3, 8, 6)]
    records = [results.Record("t", n, Point("write_bw", "RC", 64, 1,
                                                    ()), row, None, None, {},
                              "p", 1) for n, row in enumerate(rows)]
    panel = series.picture("bandwidth", records).panels[0]
    (dot,) = panel.curves[0].dots
    assert dot.y == 55.5 and 51 < dot.low < 54 and 57 < dot.high < 60


@pytest.mark.parametrize("rounds", range(1, 8))
def test_intervals_are_those_of_compare(rounds):
    """From as many rounds on, and by the same spread."""
    base = [50.0 + n % 3 for n in range(rounds)]
    same = verdict.judge([verdict.Sample({"": base}, base, True, 0.02, True)])
    found = curves.intervals_of({64: base})
    assert bool(found) == (same[0].low is not None)
    if found:
        # two sides have twice the variance, which is known better
        ends = [math.log(end / 51) * math.sqrt(2) for end in found[64]]
        assert ends[0] == pytest.approx(-ends[1], rel=0.05)
        assert 1 < ends[1] / math.log(same[0].high) < 1.5


def test_every_look_differs_in_line_and_marker():
    for one, other in itertools.combinations(looks.STYLES, 2):
        assert one[0] != other[0]
        assert one[1] != other[1]
        assert one[2] != other[2]


def test_latency_of_one_result(drawn):
    picture, fig = drawn([LATENCY])
    assert picture.kind == "latency"
    (axes,) = fig.axes
    lines = lines_of(axes)
    same(points(lines["median"]), [(2, 1.0), GAP, (1 << 20, 90.0)])
    same(points(lines["99%"]), [(2, 2.0), GAP, (1 << 20, 95.0)])
    same(points(lines["99.9%"]), [(2, 3.0), GAP, (1 << 20, NAN)])
    assert axes.get_ylabel() == "latency [\u00b5s]\nhalf round trip"
    assert axes.get_title() == "lab1 mlx5_0"
    assert axes.get_yscale() == "log"


def test_latency_of_several_results(drawn):
    other = result([lat_row(2, 1.5, 2.5)], title="InfiniBand")
    _, fig = drawn([LATENCY], [other])
    assert [axes.get_ylabel() for axes in fig.axes] == [
        f"{what} [\u00b5s]\nhalf round trip"
        for what in ("median", "99%", "99.9%")]
    for axes, value in zip(fig.axes, (1.5, 2.5)):
        same(points(lines_of(axes)["InfiniBand"]), [(2 * 2 ** 0.2, value)])
    assert [list(lines_of(axes)) for axes in fig.axes] == [
        ["lab1 mlx5_0", "InfiniBand"]] * 2 + [["lab1 mlx5_0"]]


def test_sizes_are_powers_of_two_in_words(drawn):
    rows = [bw_row(1 << n, 1.0 + n, 1.0) for n in range(4, 24)]
    _, fig = drawn([result([bw_row(0, 0.0, 3.0), *rows])])
    found = words(fig)
    for label in ("0", "64", "4K", "1M"):
        assert label in found
    assert "4096" not in found
    same(points(lines_of(fig.axes[1])["lab1 mlx5_0"])[:4],
         [(ZERO, 3.0), GAP, (16, 1.0), (32, 1.0)])


def test_distribution(drawn):
    bins = [[0, 1000, 90], [1000, 2000, 9], [2000, 3000, 0], [3000, 4000, 1]]
    picture, fig = drawn([result([lat_row(64, 1.0, bins=bins)])])
    assert picture.kind == "distribution"
    (axes,) = fig.axes
    curve = picture.panels[0].curves[0]
    same([(d.x, d.y) for d in curve.dots],
         [(1, 1.0), (10, 1.0), (100, 2.0), (100, 4.0)])
    # 100 samples say the 97th percentile: n >= ln 0.05 / ln q
    assert curve.trusted == pytest.approx(1 / (1 - 0.05 ** 0.01))
    same(points(lines_of(axes)["lab1 mlx5_0"]), [(1, 1.0), (10, 1.0)])
    thin = [line for line in axes.lines if line.get_linestyle() == ":"]
    same(points(thin[0]), [(10, 1.0), (100, 2.0), (100, 4.0)])
    assert {"0%", "50%", "90%", "99%", series.THIN} <= set(words(fig))


def test_distribution_of_rounds_is_of_all_samples(drawn):
    rounds = [result([lat_row(64, 1.0, bins=[[0, 1000, n], [1000, 2000, 1]])])
              for n in (3, 5)]
    picture, _ = drawn(rounds, kind="distribution")
    same([(d.x, d.y) for d in picture.panels[0].curves[0].dots],
         [(1, 1.0), (5, 1.0), (10, 2.0)])


def test_load(drawn):
    picture, fig = drawn(loads(2.5, "RoCE"))
    assert picture.kind == "load"
    (axes,) = fig.axes
    same(points(lines_of(axes)["median"]), [(1, 2.0), (2, 3.0), (3, 4.0)])
    hollow = [line for line in axes.lines
              if line.get_markerfacecolor() == "white"]
    assert [points(line) for line in hollow] == [
        [(3.0, 4.0)], [(3.0, 5.0)], [(3.0, 9.0)]]
    assert "offered load [Mpps]" in words(fig)
    assert ("hollow: saturated; most that was achieved there: RoCE 2.5 Mpps"
            in words(fig))


def test_load_of_two(drawn):
    picture, fig = drawn(loads(5.0, "RoCE"), loads(1.5, "IB"))
    assert picture.kind == "load"
    assert len(fig.axes) == 3
    for panel in picture.panels:
        roce, ib = panel.curves
        assert [d.saturated for d in roce.dots] == [False] * 3
        assert [d.saturated for d in ib.dots] == [False, True, True]


def over_time(*gbps):
    return [{"start": n * 0.5, "seconds": 0.5, "gbps": value}
            for n, value in enumerate(gbps)]


def test_intervals(drawn):
    picture, fig = drawn([result([bw_row(
        65536, 9.0, intervals=over_time(9.0, 0.0, 9.5))])])
    assert picture.kind == "intervals"
    (axes,) = fig.axes
    same(points(lines_of(axes)["lab1 mlx5_0"]),
         [(0.25, 9.0), (0.75, 0.0), (1.25, 9.5)])
    assert axes.get_ylim()[0] == 0
    assert {"time [s]", "bandwidth [Gb/s]"} <= set(words(fig))


def test_intervals_without_a_bandwidth(drawn):
    picture, _ = drawn([result([bw_row(
        65536, 9.0, intervals=over_time(9.0, None, 9.5))])])
    (curve,) = picture.panels[0].curves
    assert [dot.y for dot in curve.dots] == [9.0, None, 9.5]


def test_intervals_of_two_directions(drawn):
    directions = [{"from": end, "intervals": over_time(value)}
                  for end, value in (("client", 7.0), ("server", 8.0))]
    _, fig = drawn([result([bw_row(64, 15.0, directions=directions)])],
                   kind="intervals")
    lines = lines_of(fig.axes[0])
    same(points(lines["from client"]), [(0.25, 7.0)])
    same(points(lines["from server"]), [(0.25, 8.0)])


def test_curves_are_told_apart_by_what_differs(drawn):
    one = result([bw_row(64, 1.0)], **{"tx-depth": "128"})
    other = result([{**bw_row(64, 2.0), "qps": 4}], **{"tx-depth": "16"})
    _, fig = drawn([one, other])
    assert list(lines_of(fig.axes[0])) == [
        "1 QP tx-depth=128", "4 QPs tx-depth=16"]


def test_options_of_another_test_tell_nothing(drawn):
    one = result([bw_row(64, 1.0)], **{"tx-depth": "128"})
    other = {**result([bw_row(64, 2.0)], **{"tx-depth": "16"}),
             "test": {**complete.TEST, "name": "send_bw"}}
    _, fig = drawn([one], [other])
    assert list(lines_of(fig.axes[0])) == ["write_bw", "send_bw"]


def test_small_rates_have_no_exponent(drawn):
    _, fig = drawn([result([bw_row(64, 1.0, 0.3), bw_row(128, 1.0, 3e-6)])])
    assert "0.00001" in words(fig)


def test_equal_names_are_told_apart_by_file(drawn):
    _, fig = drawn([RUN], [RUN])
    one, other = lines_of(fig.axes[0])
    assert one.startswith("lab1 mlx5_0 (") and one.endswith("file0.json)")
    assert other.startswith("lab1 mlx5_0 (") and other.endswith("file1.json)")
    assert len(fig.legends[0].get_texts()) == 3  # and "failed"


def on(link_layer, gbps, **changes):
    """A document of a device whose port has LINK_LAYER."""
    made = result([bw_row(64, gbps), bw_row(128, 2 * gbps)], **changes)
    kind = {"link_layer": link_layer,
            "gid_type": "RoCE v2" if link_layer == "Ethernet" else "IB"}
    return {**made, "client": {**made["client"], **kind},
            "server": {**made["server"], **kind}}


def test_one_curve_is_of_one_pair_of_devices(drawn):
    """RoCE and InfiniBand of one file are no rounds of each other."""
    _, fig = drawn([on("Ethernet", 10.0), on("InfiniBand", 20.0),
                    on("Ethernet", 12.0)])
    lines = lines_of(fig.axes[0])
    assert list(lines) == ["lab1 mlx5_0 Ethernet", "lab1 mlx5_0 InfiniBand"]
    for (name, line), values in zip(lines.items(), ((11, 22), (20, 40))):
        assert list(line.get_ydata()) == pytest.approx(values), name


def test_one_curve_has_one_title(drawn):
    _, fig = drawn([on("Ethernet", 10.0, title="a"),
                    on("Ethernet", 20.0, title="b")])
    lines = lines_of(fig.axes[0])
    assert list(lines["a"].get_ydata()) == pytest.approx([10, 20])
    assert list(lines["b"].get_ydata()) == pytest.approx([20, 40])
    # the same of bandwidth over time, and of latency
    picture, _ = drawn([
        result([bw_row(64, 1.0, intervals=over_time(gbps))], title)
        for gbps, title in ((1.0, "a"), (2.0, "b"))], kind="intervals")
    assert [c.label for c in picture.panels[0].curves] == ["a", "b"]
    for kind in ("latency", "distribution"):
        picture, _ = drawn([
            result([lat_row(64, 1.0, bins=[[0, high, 9]])], title)
            for high, title in ((1000, "a"), (2000, "b"))], kind=kind)
        assert [c.label for c in picture.panels[0].curves] == ["a", "b"]
    picture, _ = drawn(loads(5.0, "a") + loads(5.0, "b"))
    assert [c.label for c in picture.panels[0].curves] == ["a", "b"]


@pytest.mark.parametrize("end, key, value, words", [
    ("client", "device", "mlx5_1", ["lab1 mlx5_0", "lab1 mlx5_1"]),
    ("server", "device", "mlx5_1", ["lab1 mlx5_0 \u2192 mlx5_0",
                                    "lab1 mlx5_0 \u2192 mlx5_1"]),
    ("server", "hostname", "lab3", ["lab1 mlx5_0 \u2192 lab2",
                                    "lab1 mlx5_0 \u2192 lab3"]),
    ("client", "port", 2, ["lab1 mlx5_0 port 1", "lab1 mlx5_0 port 2"]),
    ("client", "gid_index", 0, ["lab1 mlx5_0 GID index 3",
                                "lab1 mlx5_0 GID index 0"]),
    ("client", "mtu", 4096, ["lab1 mlx5_0 MTU 1024", "lab1 mlx5_0 MTU 4096"]),
    ("client", "firmware", "2.0", ["lab1 mlx5_0 firmware 1.0",
                                   "lab1 mlx5_0 firmware 2.0"]),
    ("client", "numa_node", None, ["lab1 mlx5_0 NUMA node 0",
                                   "lab1 mlx5_0 no client numa node"]),
])
def test_what_tells_sources_apart(drawn, end, key, value, words):
    other = on("Ethernet", 20.0)
    other[end] = {**other[end], key: value}
    _, fig = drawn([on("Ethernet", 10.0), other])
    assert list(lines_of(fig.axes[0])) == words


def test_a_target_that_changed_is_two_curves(drawn, write):
    lines = sweep({"a": {64: [1.0, 2.0, None]}})
    lines[2] = {**lines[2], "fingerprint": {"kernel": "6.2"}}
    picture, _ = drawn(lines)
    assert [(c.label, [d.y for d in c.dots]) for c in
            picture.panels[0].curves] == [
        ("a no kernel", [1.0]), ("a kernel 6.2", [2.0]),
        ("a (device unknown)", [None])]


def test_what_failed_is_of_the_curve_that_it_must_be_of(drawn):
    """Before it connected, a run knows its own end only, or nothing."""
    error = {**complete.ERROR, "message": "cannot connect"}
    early = {**on("Ethernet", 0.0), "error": error}
    early["results"] = [{**row, "failed": True} for row in early["results"]]
    early["server"] = dict.fromkeys(early["server"])
    one, two = on("Ethernet", 10.0), on("Ethernet", 20.0)
    two["client"] = {**two["client"], "device": "mlx5_1"}
    picture, _ = drawn([one, two, early])
    assert [(c.label, c.failed) for c in picture.panels[0].curves] == [
        ("lab1 mlx5_0", [64, 128]), ("lab1 mlx5_1", [])]


def lat_of(test, definition, p50, title=None):
    made = result([lat_row(64, p50, p50 * 2, p50 * 3, definition=definition,
                           bins=[[0, int(p50 * 1000), 99]])], title)
    return {**made, "test": {**made["test"], "name": test}}


HALVES = [lat_of("write_lat", "half round trip", 1.0),
          lat_of("send_lat", "half round trip", 1.2)]
WHOLE = lat_of("read_lat", "round trip", 2.0)


@pytest.mark.parametrize("kind, rows", [("latency", 3), ("distribution", 1)])
def test_half_and_whole_round_trips_are_not_on_one_axis(drawn, kind, rows):
    picture, fig = drawn(HALVES + [WHOLE], kind=kind)
    assert picture.columns == 1 and len(fig.axes) == 2 * rows
    half, whole = fig.axes[0], fig.axes[rows]
    assert half.get_ylabel().endswith("\nhalf round trip")
    assert whole.get_ylabel().endswith("\nround trip")
    assert not half.get_shared_y_axes().joined(half, whole)
    for panel, labels_of in zip((picture.panels[0], picture.panels[rows]),
                                (["write_lat", "send_lat"], ["read_lat"])):
        assert [c.label for c in panel.curves] == labels_of
    # a look is of one curve of the picture
    assert len({c.style for p in picture.panels for c in p.curves}) == 3
    assert len(fig.legends[0].get_texts()) == 3


def test_each_line_of_the_foot_names_its_curve(drawn):
    other = on("InfiniBand", 20.0, title="IB")
    other["client"] = {**other["client"], "hostname": "lab9"}
    _, fig = drawn([on("Ethernet", 10.0, title="RoCE"), other])
    foot = [text for text in words(fig) if "verbsperf 1" in text][::-1]
    assert len(foot) == 2
    assert foot[0].startswith("RoCE: lab1 mlx5_0 (RoCE v2 ")
    assert foot[1].startswith("IB: lab9 mlx5_0 (IB ")


def spans_of(*documents, **options):
    """The y axes' (low, high, scale) of a figure of DOCUMENTS."""
    records = []
    for n, one in enumerate(documents):
        records += results.read_documents(f"{n}.json", [(1, one)])
    picture = series.picture(series.kinds(records)[0], records)
    fig = figure.draw(picture, [], "a title", **options)
    return [(*axes.get_ylim(), axes.get_yscale()) for axes in fig.axes]


def test_a_loss_of_3_percent_is_visible():
    """It takes a third of the axis, and a change of nothing does not."""
    base, slow, same_again = (
        result([bw_row(65536, g, g), bw_row(131072, g, g)], str(g))
        for g in (100.0, 97.0, 99.99))
    (low, high, scale), _ = spans_of(base, slow)
    assert low <= 96.5 and 100.5 <= high and scale == "linear"
    assert 3 / (high - low) > 0.33
    (low, high, _), _ = spans_of(base, same_again)
    assert 0.01 / (high - low) < 0.01
    (low, high, _), _ = spans_of(base, slow, from_zero=True)
    assert low == 0 and high > 100


def test_an_axis_that_does_not_begin_at_0_says_so(drawn):
    _, fig = drawn([result([bw_row(65536, 100.0, 1.0)])])
    assert figure.NOT_FROM_ZERO in words(fig)
    _, fig = drawn([result([bw_row(2, 1.0, 1.0), bw_row(4, 100.0, 50.0)])])
    assert figure.NOT_FROM_ZERO not in words(fig)


def test_latency_has_a_logarithmic_axis():
    near = result([lat_row(2, 1.80, 1.85, 1.9)])
    (low, high, scale), = spans_of(near)
    assert scale == "log" and 1.7 < low < 1.8 and 1.9 < high < 2
    (low, high, scale), = spans_of(near, from_zero=True)
    assert (low, scale) == (0, "linear") and high > 1.9
    (low, high, scale), = spans_of(result([lat_row(2, 0.0, 0.0, 0.0)]))
    assert low == 0 and high > 0


def test_lines_join_sizes_that_follow_each_other(drawn):
    """Between 128 and 1K it is not known."""
    _, fig = drawn([result([bw_row(n, 1.0, 1.0) for n in (
        0, 2, 64, 100, 128, 1024)])])
    same(points(lines_of(fig.axes[0])["lab1 mlx5_0"]),
         [(ZERO, 1.0), (2, 1.0), GAP, (64, 1.0), (100, 1.0),
          (128, 1.0), GAP, (1024, 1.0)])


def overlap(one, other):
    return (one.x0 < other.x1 - 1 and other.x0 < one.x1 - 1
            and one.y0 < other.y1 - 1 and other.y0 < one.y1 - 1)


EIGHT = sweep({f"a target with quite a long name {n}": {64: [1.0], 1 << 20: [
    100.0 + n]} for n in range(looks.CURVES_MAX)})
HUGE = result([lat_row(2, 123456.7, 2345678.9, 99999999.9)])


@pytest.mark.parametrize("size", [(4, 8), None])
@pytest.mark.parametrize("files", [
    [[RUN]], [[LATENCY], [HUGE]], [loads(1.5, "a"), loads(2.5, "b")],
    [[result([lat_row(64, 1.0, bins=[[0, 123456789, 3]])])]],
    # whose last label is at the edge
    [[result([lat_row(64, 1.0, bins=[[100, 200, 990000], [200, 300, 9999],
                                     [300, 400, 1]])])]],
    [[result([bw_row(64, 99.97, 99.98), bw_row(128, 99.99, 100.0)])]],
    [[result([lat_row(64, 1.871, 1.872, 1.873)])]],
    [HALVES, [WHOLE]]])
def test_nothing_is_cut_or_covered(drawn, files, size):
    _, fig = drawn(*files, size=size)
    fig.canvas.draw()
    renderer = fig.canvas.get_renderer()
    for text in shown(fig):
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0 and box.y0 >= 0, text
        assert box.y1 <= fig.bbox.height, text
        assert box.x1 <= fig.bbox.width + 1, text
    boxes = [axes.get_window_extent(renderer) for axes in fig.axes]
    outside = [legend.get_window_extent(renderer) for legend in fig.legends]
    outside += [text.get_window_extent(renderer) for text in fig.texts]
    for one, other in itertools.combinations(boxes + outside, 2):
        assert not overlap(one, other)
    named = [text.get_window_extent(renderer) for text in ticks(fig)]
    assert len(named) > 3
    for one, other in itertools.combinations(named, 2):
        assert not overlap(one, other)


def test_eight_curves_with_long_names(drawn):
    _, fig = drawn(EIGHT)
    assert len(fig.legends[0].get_texts()) == looks.CURVES_MAX
    with pytest.raises(NotDrawn, match="--size 4x5.3$"):
        drawn(EIGHT, size=(4, 3))
    drawn(EIGHT, size=(4, 5.3))


def set_ups(count, rounds=6, lost=()):
    """A sweep of all sizes of COUNT set-ups that are equal, but for those that
    are LOST."""
    return sweep({f"set-up {n}": {
        1 << e: [None if n in lost else 1.0 + e] * rounds
        for e in range(1, 24)} for n in range(count)})


@pytest.mark.parametrize("count", [2, 4, looks.CURVES_MAX])
def test_set_ups_are_beside_each_other(drawn, count):
    """Their marks do not touch, and are in the band of their size."""
    _, fig = drawn(set_ups(count))
    fig.canvas.draw()
    for axes in fig.axes:
        bands = [patch.get_xy()[:, 0] for patch in axes.patches]
        assert [(min(xs), max(xs)) for xs in bands] == [pytest.approx(
            (2 ** (e - 0.5), 2 ** (e + 0.5))) for e in range(1, 24, 2)]
        marks = sorted(
            (axes.transData.transform((x, y))[0], x,
             line.get_markersize() + line.get_markeredgewidth())
            for line in lines_of(axes).values() for x, y in points(line))
        assert len(marks) == 23 * count
        for (left, _, size), (right, _, _) in zip(marks, marks[1:]):
            assert right - left > 0.9 * size * fig.dpi / 72
        for place, (_, x, _) in enumerate(marks):
            assert abs(math.log2(x) - 1 - place // count) < 0.5
    assert figure.BESIDE in words(fig)


def test_what_is_alone_is_where_its_size_is(drawn):
    _, fig = drawn(set_ups(1))
    (line,) = lines_of(fig.axes[0]).values()
    assert list(line.get_xdata()) == [2 ** e for e in range(1, 24)]
    assert not fig.axes[0].patches and figure.BESIDE not in words(fig)


def test_the_legend_has_what_is_drawn_as_it_is_drawn(drawn):
    """A set-up that always failed is no line, but has its crosses."""
    _, fig = drawn(set_ups(3, lost=(1,)))
    (top, _), (legend,) = fig.axes, fig.legends
    found = {line.get_label(): line for line in top.lines}
    entries = {text.get_text(): line for text, line in zip(
        legend.get_texts(), legend.get_lines())}
    assert list(entries) == ["set-up 0", "set-up 1", "set-up 2", "failed"]
    for name in ("set-up 0", "set-up 2"):
        for what in ("color", "linestyle", "linewidth", "marker"):
            get = f"get_{what}"
            assert (getattr(found[name], get)()
                    == getattr(entries[name], get)())
    assert "set-up 1" not in found
    crosses, = [line for line in top.lines if line.get_gid() == "failed"]
    assert crosses.get_color() == entries["set-up 1"].get_color()
    assert entries["set-up 1"].get_linestyle() == "None"
    assert "failed: set-up 1 2 to 8M: 6 of 6" in words(fig)
