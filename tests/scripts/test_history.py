"""Nights in one file, and since when they are slower."""
import datetime
import fcntl
import itertools
import json
import os
import random
import re
import subprocess
import sys

import pytest

import schemas
from conftest import FAKE, SCRIPTS, refused, run
from verbsperf.base.errors import Refused, ResultsError
from verbsperf.compare.comparison import Question
from verbsperf.history import file as history, nights, steps

TARGET, HOUR = "node1", "2026-{:02}-{:02}T02:00:00Z"
POINT = {"test": "write_bw", "transport": "RC", "size": 65536, "qps": 1,
         "options": {}}
NOISE = 0.01


def series(seed, step=None, factor=0.97, n=60, noise=NOISE):
    """Medians of N nights of 10 rounds, other ones from STEP on."""
    source = random.Random(seed)
    return [sorted(source.gauss(0, noise) for _ in range(10))[5]
            * 50 + 50 * (factor if step is not None and i >= step else 1)
            for i in range(n)]


def found(values, higher=True, tolerance=0.02):
    return [(one.night, "improvement" if one.is_better else "regression")
            for one in
            steps.steps_of(values, higher, tolerance)]


def night(number, values, target=TARGET, facts=None, point=None, failed=0):
    """A line of a history, of one point."""
    month, day = divmod(number, 28)
    return {"schema": "verbsperf-history/1",
            "started": HOUR.format(1 + month, 1 + day),
            "suite": "regression", "target": target, "facts": facts or {},
            "points": [{"point": {**POINT, **(point or {})}, "values": values,
                        "failed": failed,
                        "error": "cannot connect" if failed else None}]}


def months(values, **more):
    return [night(i, {"gbps": [value, value * 1.001, value * 0.999]}, **more)
            for i, value in enumerate(values)]


@pytest.fixture
def keep(tmp_path):
    """Writes a history, which must be right; its path."""
    def save(lines, name="history.jsonl"):
        for line in lines:
            schemas.check(line, "verbsperf-history-1")
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)
    return save


@pytest.fixture
def plot(tmp_path):
    return lambda *arguments: run("verbsperf-plot", *arguments, cwd=tmp_path)


# --- steps ---

@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_found_where_nothing_changed(seed):
    assert found(series(seed)) == []


@pytest.mark.parametrize("seed", range(5))
def test_a_loss_is_found_within_three_nights(seed):
    values = series(seed, 40)
    assert found(values[:40]) == []
    step, = steps.steps_of(values[:43], True, 0.02)
    assert (step.night, step.is_better) == (40, False)
    assert step.found <= 42
    last, = steps.steps_of(values, True, 0.02)
    assert (last.night, last.found) == (40, step.found)
    assert last.ratio == pytest.approx(0.97, abs=0.005)
    assert last.low < last.ratio < last.high


def test_what_recovered_is_two_steps():
    values = [*series(1)[:25], *series(2, 0)[:10], *series(3)[:25]]
    assert found(values) == [(25, "regression"), (35, "improvement")]
    assert found(values, higher=False) == [(25, "improvement"),
                                           (35, "regression")]


def test_a_step_within_the_tolerance_is_none():
    assert found(series(1, 40, 0.99)) == []
    assert found(series(1, 40, 0.97), tolerance=0.05) == []
    assert found(series(1, 40, 0.90), tolerance=0.05) == [(40, "regression")]


def test_two_slow_nights_are_no_step():
    values = series(1)
    values[20] *= 0.7
    values[21] *= 0.7
    values[59] = 0
    assert found(values) == []


def test_few_nights_say_nothing():
    assert found([]) == found([50]) == found([50, 40, 30]) == []
    assert found([50, 50, 50, 40, 40, 40]) == []


def test_a_latency_that_is_more_is_worse():
    step, = steps.steps_of([3 + one / 1000 for one in series(4, 40, 1.2)],
                           True, 0.0001)
    assert step.is_better
    values = [1 / one for one in series(4, 40)]
    step, = steps.steps_of(values, False, 0.02)
    assert not step.is_better
    assert step.ratio == pytest.approx(1 / 0.97, abs=0.005)
    assert step.low < step.ratio < step.high


# --- the file ---

def test_a_sweep_is_a_line_for_each_target(sweep, write_suite, tmp_path):
    suite = write_suite("write_bw: --size 64,4K\n")
    for name in ("a", "b"):
        status, out, _ = sweep("-o", name, "--rounds", 2, "--history", "all",
                               suite, "up=node1", "down")
        assert (status, out) == (1, "")
    lines = [json.loads(line) for line in
             (tmp_path / "all").read_text().splitlines()]
    assert [line["target"] for line in lines] == ["up", "down"] * 2
    for line in lines:
        schemas.check(line, "verbsperf-history-1")
    up, down = lines[:2]
    assert len(up["points"]) == 2
    assert len(up["points"][0]["values"]["gbps"]) == 2
    assert up["facts"]["client firmware"] == "1.0"
    assert (down["points"][0]["values"], down["points"][0]["failed"],
            down["points"][0]["error"]) == (
        {}, 2, "cannot connect to down: Connection refused")


def test_a_file_is_appended_later(sweep, write_suite, tmp_path):
    """Which counts once, however often it is."""
    suite = write_suite("write_bw: --size 64\n")
    sweep("-o", "a", "--rounds", 2, suite, "node1")
    for _ in range(2):
        assert sweep("--history", "all", "a")[0] == 0
    assert len((tmp_path / "all").read_text().splitlines()) == 2
    kept, = history.read([str(tmp_path / "all")])
    assert [kept] == history.read([str(tmp_path / "a")])


def test_listing_begins_no_file(sweep, write_suite, tmp_path):
    suite = write_suite("write_bw: --size 64\n")
    assert sweep("--list", "--history", "all", suite)[0] == 0
    assert not (tmp_path / "all").exists()


@pytest.mark.parametrize("text, why", (
    ("hello\n", "not a history"), ('{"schema": "verbsperf-sweep/1"}\n',
                                   "not a history")))
def test_another_file_is_left_as_it_is(sweep, write_suite, tmp_path, text,
                                       why):
    """Before anything is measured."""
    (tmp_path / "all").write_text(text)
    refused(sweep("-o", "a", "--history", "all", write_suite(
        "write_bw: --size 64\n"), "node1"), 2, f"all:1: {why}")
    assert (tmp_path / "all").read_text() == text
    assert not (tmp_path / "a").exists()


def test_what_is_no_file_is_refused(sweep, write_suite):
    suite = write_suite("write_bw: --size 64\n")
    for path, why in (("/dev/null", "regular file"),
                      ("/nowhere/all", "No such file")):
        refused(sweep("-o", "a", "--history", path, suite, "node1"), 2, why)


def test_documents_are_no_nights(sweep, write):
    from conftest import document
    refused(sweep("--history", "all", write("a.json", [document()])), 2,
            "a.json: not a sweep")


def test_a_torn_line_is_named_and_left_out(keep, capsys):
    """It stays, on a line of its own."""
    path = keep(months([50, 51]))
    whole = open(path, encoding="utf-8").read()
    with open(path, "a", encoding="utf-8") as file:
        file.write(whole[:70])
    history.append(path, [night(9, {"gbps": [52]})])
    assert open(path, encoding="utf-8").read().startswith(whole + whole[:70])
    assert [one.started.day for one in history.read([path])] == [1, 2, 10]
    assert f"left out: {path}:3: not JSON" in capsys.readouterr().err


def test_a_full_disk_leaves_whole_lines(keep, monkeypatch):
    path = keep(months([50, 51]))
    before = open(path, encoding="utf-8").read()
    write, left = os.write, [20]

    def full(fd, data):
        if not left:
            raise OSError(28, "No space left on device")
        return write(fd, data[:left.pop()])
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Refused, match="No space left"):
        history.append(path, [night(9, {"gbps": [52]})])
    assert open(path, encoding="utf-8").read() == before


def test_two_that_append_wait_for_each_other(keep, tmp_path):
    path = keep(months([50]))
    code = ("import json, sys; from verbsperf.history import file; "
            "file.append(sys.argv[1], [json.loads(sys.argv[2])])")
    with open(path, encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with subprocess.Popen(
                [sys.executable, "-B", "-c", code, path,
                 json.dumps(night(5, {"gbps": [52]}))],
                env={**os.environ, "PYTHONPATH": str(SCRIPTS)}) as other:
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(1)
            fcntl.flock(file, fcntl.LOCK_UN)
            assert other.wait(60) == 0
    assert len(history.read([path])) == 2


@pytest.mark.parametrize("wrong", (
    {"schema": "verbsperf-history/2"}, {"started": 3}, {"started": "once"},
    {"started": "2026-01-01T00:00:00"}, {"target": None}, {"facts": []},
    {"started": "0001-01-01T00:00:00+14:00"},
    {"started": "9999-12-31T23:59:59-14:00"},
    {"facts": {"kernel": 6}}, {"points": {}}, {"points": [3]},
    {"points": [{}]}))
def test_a_wrong_line_is_left_out(tmp_path, wrong, capsys):
    lines = months([50, 51, 52])
    lines[1].update(wrong)
    check_left_out(tmp_path / "h", lines, capsys)


def check_left_out(path, lines, capsys):
    """Of LINES in the file PATH the second is named, and the others are read;
    nor can it be written."""
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    assert [one.started.day for one in history.read([str(path)])] == [1, 3]
    assert f"left out: {path}:2: " in capsys.readouterr().err
    with pytest.raises(ResultsError):
        history.append(str(path), lines[:2])
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize("wrong", (
    {"values": []}, {"values": {"gbps": 3}}, {"values": {"gbps": []}},
    {"values": {"gbps": ["many"]}}, {"values": {"gbps": [-1]}},
    {"values": {"gbps": [1.7e308]}},
    {"failed": -1}, {"error": 3}, {"point": {"test": 3}}))
def test_a_wrong_point_is_left_out(tmp_path, wrong, capsys):
    lines = months([50, 51, 52])
    lines[1]["points"][0].update(wrong)
    check_left_out(tmp_path / "h", lines, capsys)


def test_suites_that_started_in_one_second(sweep, write_suite, tmp_path):
    """Are several, and the same one twice is one."""
    for name in ("a", "b"):
        sweep("-o", name, "--rounds", 1, write_suite(
            "write_bw: --size 64\n"), "node1")
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(re.sub(
            '"started": "[^"]*Z"', '"started": "2026-11-21T12:00:00Z"', text,
            count=1))
        assert sweep("--history", "all", name)[0] == 0
    assert sweep("--history", "all", "a")[0] == 0
    assert len(history.read([str(tmp_path / "all")])) == 2


def test_names_of_others_are_not_printed_as_they_came(plot, tmp_path):
    lines = months([50] * 20 + [40] * 20, target="\x1b[2J\ud800")
    (tmp_path / "h").write_text("".join(json.dumps(one) + "\n"
                                        for one in lines))
    status, out, err = plot("--history", "-o", "h.svg", "h")
    assert (status, err) == (0, "")
    assert out.startswith("h.svg: ?[2J?: 40 nights")
    assert "slower since" in out


def test_what_is_no_history_is_not_drawn(plot, tmp_path):
    (tmp_path / "h").write_text("{}\n")
    refused(plot("--history", "h"), 1, "h:1: ")


# --- what is shown ---

def test_what_changed_of_the_hosts():
    """As far as it is known before and after; at each target."""
    lines = [(0, "a", {"client kernel": "1", "client firmware": "7"}),
             (0, "b", {"client kernel": "1"}),
             (1, "a", {"client firmware": "8"}),
             (2, "a", {"client kernel": "2", "client firmware": "8"}),
             (2, "b", {"client kernel": "1", "server kernel": "5"})]
    every = [history.night_of(history.Place("h", 1), night(
        number, {"gbps": [50]}, target, facts))
        for number, target, facts in lines]
    assert [(event.when.day, event.target, event.words)
            for event in nights.events_of(every)] == [
        (2, "a", ("client firmware 7 \N{RIGHTWARDS ARROW} 8",)),
        (3, "a", ("client kernel 1 \N{RIGHTWARDS ARROW} 2",))]


def test_a_picture_of_months(plot, keep, tmp_path):
    facts = [{"client firmware": "22.31" if i < 40 else "22.35",
              "client kernel": "6.1.0-18" if i < 20 else "6.1.0-20"}
             for i in range(60)]
    path = keep([{**line, "facts": fact} for line, fact in
                 zip(months(series(1, 40)), facts)])
    status, out, err = plot("--history", path, "-o", "h.svg")
    assert (status, err) == (0, "")
    assert "write_bw RC 64K 1 QP: slower since 2026-02-13: Gb/s -" in out
    assert re.search("seen after [23] nights; client firmware 22.31 ", out)
    text = (tmp_path / "h.svg").read_text()
    for part in ("write_bw RC 64K 1 QP", "B 2026-02-13: client firmware 22.31",
                 "A 2026-01-21: client kernel 6.1.0-18", "60 nights",
                 'id="step"', "\N{BLACK DOWN-POINTING TRIANGLE} -"):
        assert part in text, part
    assert text.count('id="event"') == 2 and text.count('id="level"') == 2
    assert plot("--history", path)[0] == 0
    assert (tmp_path / "history.png").read_bytes()[:4] == b"\x89PNG"


def test_several_runs_of_a_day_are_no_nights(plot, keep, tmp_path):
    lines = [{**line, "started": f"2026-01-{1 + i // 24:02}T{i % 24:02}:00:00Z"}
             for i, line in enumerate(months(series(1, 40)))]
    out = plot("--history", keep(lines), "-o", "h.svg")[1]
    assert "node1: 60 runs from 2026-01-01 to 2026-01-03\n" in out
    assert re.search("slower since 2026-01-02: .* seen after [23] runs\n", out)
    text = (tmp_path / "h.svg").read_text()
    assert "60 runs" in text and "slower from this run on" in text
    assert "night" not in text.replace('id="nights"', "")
    # with one a day they are nights, one of them, too
    assert "node1: 1 night from 2026-01-01 to 2026-01-01\n" in plot(
        "--history", keep(months([50])), "-o", "h.svg")[1]


FIRST = datetime.datetime(2026, 1, 30, 2)
ASKED = Question({"bandwidth": "gbps", "latency": "p99"},
                 {"bandwidth": 2, "latency": 5})
DAY = datetime.timedelta(days=1)


@pytest.fixture
def figure_of(tmp_path):
    """Draws one point, which has VALUES as often as EVERY says; the firmware
    was another one each time of CHANGED."""
    plots = pytest.importorskip("verbsperf.history.plots")

    def draw(values, every=DAY, changed=(), count=1, lost=()):
        lines = [night(0, {"gbps": [value] * 3} if i not in lost else {},
                       failed=3 * (i in lost), facts={
                           "client firmware": str(sum(n <= i for n in
                                                      changed))})
                 for i, value in enumerate(values)]
        for i, line in enumerate(lines):
            line["started"] = f"{FIRST + i * every:%Y-%m-%dT%H:%M:%SZ}"
            line["points"] = [
                {**line["points"][0], "point": {**POINT, "size": 64 << n}}
                for n in range(count)]
        path = tmp_path / "h"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        found = history.read([str(path)])
        fig = plots.draw(nights.lines_of(found, ASKED),
                         nights.events_of(found), "a title", None, False)
        fig.canvas.draw()
        return fig
    return draw


def of(axes, gid):
    """What is drawn as GID in AXES."""
    return axes.findobj(lambda one: one.get_gid() == gid)


def dates_of(axes):
    """The labels of the x axis that are within it."""
    low, high = axes.get_xlim()
    return [tick.label1.get_text() for tick in axes.xaxis.get_major_ticks()
            if low <= tick.get_loc() <= high]


def time_of(x):
    """What time X on the axis is, from FIRST on."""
    return datetime.timedelta(days=x) - (FIRST - datetime.datetime(1970, 1, 1))


def boxes_of(fig):
    """(text, box) of all text of FIG that is shown."""
    renderer = fig.canvas.get_renderer()
    found = list(fig.texts)
    for axes in fig.axes:
        found += of(axes, "letters") + [axes.yaxis.label]
        found += [axes._left_title, axes._right_title]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            found += [tick.label1 for tick in axis.get_major_ticks()
                      if low <= tick.get_loc() <= high]
    return [(text.get_text(), text.get_window_extent(renderer))
            for text in found if text.get_text() and text.get_visible()]


def check_labels(fig):
    """Nothing of what is written in FIG is on anything else, or cut."""
    for (one, box), (other, its) in itertools.combinations(boxes_of(fig), 2):
        assert not (box.x0 < its.x1 and its.x0 < box.x1
                    and box.y0 < its.y1 and its.y0 < box.y1), (one, other)
    for text, box in boxes_of(fig):
        assert box.x0 >= 0 and box.x1 <= fig.bbox.width + 1, text


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count, every, points", [
    (1, DAY, 1), (2, DAY, 8), (10, DAY, 1), (60, DAY, 8), (60, DAY, 1),
    (9, 300 * DAY, 1), (12, DAY / 12, 1), (12, DAY / 4, 8),
    (24, DAY / 1440, 1)])
def test_dates_have_a_month(figure_of, count, every, points):
    fig = figure_of([50.0] * count, every, count=points)
    check_labels(fig)
    found = dates_of(fig.axes[-1])
    assert len(found) > 1
    for text in found:
        assert re.search("Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec",
                         text), text


def test_runs_of_one_day_are_spread_by_their_time(figure_of):
    """And a change is between the run before and the one that showed it."""
    fig = figure_of([50.0] * 6 + [45.0] * 6, DAY / 12, changed=(6,))
    axes, = fig.axes
    (dots,) = of(axes, "nights")
    xs = dots.get_xdata()
    low, high = axes.get_xlim()
    assert xs[-1] - xs[0] > 0.9 * (high - low)
    between = 5.5 * DAY / 12
    for gid in ("step", "event"):
        (mark,) = of(axes, gid)
        assert abs(time_of(mark.get_xdata()[0]) - between) < DAY / 10000
    assert axes.get_title("right").endswith(
        "\N{BLACK DOWN-POINTING TRIANGLE} -10.0% 2026-01-30")


def test_marks_are_where_steps_are(figure_of):
    """Before the first of the nights that are different, also when the one
    before has no value."""
    values = [50.0] * 20 + [40.0] * 10 + [50.0] * 10
    fig = figure_of(values, lost=(19,))
    marks = [time_of(one.get_xdata()[0]) for one in of(fig.axes[0], "step")]
    wanted = [19 * DAY, 29.5 * DAY]
    assert len(marks) == 2
    for mark, due in zip(marks, wanted):
        assert abs(mark - due) < DAY / 10000
    assert len(of(fig.axes[0], "level")) == 3


@pytest.mark.parametrize("values, changed, lost, said, unsaid", [
    ([50.0] * 9, (), (), ["median of the nights"],
     ["two changes", "slower", "faster", "cross", "letters"]),
    ([50.0] * 9 + [40.0] * 9, (4,), (3,),
     ["two changes", "slower", "cross", "letters"], ["faster"]),
    ([40.0] * 9 + [50.0] * 9, (), (), ["faster"], ["slower"])])
def test_signs_are_explained_if_they_are_there(figure_of, values, changed,
                                               lost, said, unsaid):
    fig = figure_of(values, changed=changed, lost=lost)
    legend = " ".join(text.get_text() for text in fig.texts[::-1])
    for word in said:
        assert word in legend
    for word in unsaid:
        assert word not in legend


@pytest.mark.parametrize("count, changed", [
    (1, ()), (1, range(60)), (2, range(30, 50)), (8, (40, 41, 43))])
def test_labels_do_not_collide(figure_of, count, changed):
    values = [50.0] * 20 + [40.0] * 10 + [50.0] * 10 + [30.0] * 20
    check_labels(figure_of(values, changed=changed, count=count))


def test_a_panel_for_each_point(plot, keep, tmp_path):
    """Of as many as there is room for; --only chooses some."""
    lines = months(series(2)[:5])
    for line in lines:
        line["points"] = [{**line["points"][0],
                           "point": {**POINT, "size": 1 << i,
                                     "test": "write_bw"}} for i in range(25)]
    path = keep(lines)
    refused(plot("--history", path), 1, "25 points", "--only NAME=VALUE")
    assert plot("--history", path, "--only", "size=64", "-o", "a.svg")[0] == 0
    text = (tmp_path / "a.svg").read_text()
    assert "write_bw RC 64 1 QP" in text and "RC 128 1 QP" not in text
    refused(plot("--history", path, "--only", "size=3"), 1, "nothing to draw")


def test_failed_nights_are_crosses(plot, keep, tmp_path):
    lines = months(series(2)[:8])
    lines[3] = night(3, {}, failed=10)
    assert plot("--history", keep(lines), "-o", "a.svg")[0] == 0
    assert 'id="failed"' in (tmp_path / "a.svg").read_text()


def test_other_metrics_and_tolerances(plot, keep):
    lines = [night(i, {"p50": [v], "p99": [2 * v]}, point={
        "test": "write_lat"}) for i, v in enumerate(series(1, 40, 1.04))]
    path = keep(lines)
    assert "p50 us +" not in plot("--history", path)[1]
    out = plot("--history", "--metric", "p50", "--latency-tolerance", 2,
               path)[1]
    assert "write_lat RC 64K 1 QP: slower since 2026-02-13: p50 us +" in out
    refused(plot("--history", "--metric", "p99.9", path), 1,
            "nothing to draw")


def test_what_does_not_go_together(plot, keep):
    path = keep(months([50]))
    refused(plot("--metric", "p50", path), 2, "--metric: only with --history")
    refused(plot("--bandwidth-tolerance", 1, path), 2, "only with --history")
    refused(plot("--history", "-k", "latency", path), 2, "no --kind")
    refused(plot("--history", "--percentiles", "50", path), 2,
            "no --percentiles")
    refused(plot("--history", "--size", "4x3", keep([
        {**months([50])[0], "points": [
            {**months([50])[0]["points"][0],
             "point": {**POINT, "size": i}} for i in range(6)]}])), 1,
        "need more room", "--size 4x")


def test_sweeps_are_nights_too(plot, sweep, write_suite, tmp_path):
    suite = write_suite("write_bw: --size 64\n")
    sweep("-o", "a", "--rounds", 2, suite, "node1")
    status, out, _ = plot("--history", "a")
    assert (status, (tmp_path / "a.png").exists()) == (0, True)
    assert "node1: 1 night from" in out


def test_a_loss_of_three_nights_stays_marked():
    """And its end is, too; two bad nights of three are no loss."""
    values = series(6)
    for i in (40, 41, 42):
        values[i] *= 0.94
    assert found(values) == [(40, "regression"), (43, "improvement")]
    values = series(6)
    for i in (40, 42):
        values[i] *= 0.9
    assert all(found(values[:end]) == [] for end in range(40, 60))


def test_a_loss_that_comes_in_three_nights_is_marked():
    values = [*series(7, n=40), *(value * factor for value, factor in zip(
        series(8, n=6), (0.98, 0.96, 0.94, 0.94, 0.94, 0.94)))]
    (night_of_it, word), = found(values)
    assert word == "regression" and 40 <= night_of_it <= 42


def test_how_much_nights_differ():
    """Six tell it, and more when each is like the one before."""
    nights_of_it = [one / 50 for one in series(9, n=120)]
    assert steps.usual_of(nights_of_it[:5]) is None
    few, many = (steps.usual_of(nights_of_it[:n]) for n in (6, 60))
    assert 1 < few.freedom < 5 < many.freedom
    alike = [sum(nights_of_it[i:i + 20]) for i in range(60)]
    mixed = random.Random(1).sample(alike, 60)
    assert steps.usual_of(alike).variance \
        > 1.5 * steps.usual_of(mixed).variance
    assert steps.usual_of([50.0] * 60).variance > 0
    # the last of them tell
    assert steps.usual_of([0, 9] * 30 + nights_of_it[:60]) == many
    assert steps.Usual(4, 1).deviation(4, 1) == pytest.approx(5 ** 0.5)


def test_a_step_of_few_nights_is_judged_by_those_before():
    """Which differ as the level before did."""
    values = [*series(10, n=30), *(0.9 * one for one in series(11, n=4)),
              *series(12, n=10)]
    assert found(values) == [(30, "regression"), (34, "improvement")]


def test_a_loss_within_the_noise_is_none():
    assert found(series(13, 50, 0.97, n=53, noise=0.1)) == []


def test_the_interval_of_a_step():
    """Three nights tell less than twenty."""
    few, many = (steps.steps_of(series(14, 40, 0.95, n=n), True, 0.02)[0]
                 for n in (43, 60))
    assert 0.005 < few.high - few.low < 0.05
    assert few.high - few.low > 1.5 * (many.high - many.low)
