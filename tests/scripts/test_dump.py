"""verbsperf --dump-options: what programs are told of the command line."""
import functools
import json
import os
import pathlib
import subprocess

import pytest

import schemas
from conftest import run
from verbsperf.documents import environment

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("VERBSPERF", TOP / "build/verbsperf")


def dump(*words):
    """What verbsperf says of WORDS: (status, stdout, stderr)."""
    done = subprocess.run([PROGRAM, *words, "--dump-options"], text=True,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@functools.lru_cache(maxsize=None)
def document(*words):
    """The document of WORDS, which must be right."""
    status, out, err = dump(*words)
    assert (status, err) == (0, "")
    found = json.loads(out)
    schemas.check(found, "verbsperf-options-1")
    return found


def rows(*words):
    """{name: option} of the document of WORDS."""
    return {row["name"]: row for row in document(*words)["options"]}


def value(name, *words):
    """The value of the option NAME among WORDS."""
    return rows(*words)[name]["value"]


def test_every_fact_is_described():
    facts = document()["facts"]
    schema = json.loads((schemas.DOC / "verbsperf-1.schema.json").read_text())
    assert {fact["name"]: fact["description"] for fact in facts} == {
        name: value["description"] for name, value in
        schema["definitions"]["facts"]["properties"].items()}


def test_facts_that_are_compared():
    assert [fact["name"] for fact in document()["facts"] if fact["compared"]
            ] == environment.COMPARED


def test_every_option_is_described():
    found = document()
    assert found["tests"][:2] == ["send_bw", "send_lat"]
    assert found["commands"] == ["serve", "devices", "check", "calibrate",
                                 "faults"]
    for row in found["options"]:
        assert row["group"] in found["groups"]
        assert set(row["commands"]) <= {*found["tests"], *found["commands"]}
        assert set(row["tests"]) <= set(found["tests"])
        assert row["description"].endswith(".")
        if row["minimum"] is not None and row["maximum"] is not None:
            assert row["minimum"] <= row["maximum"]
        if row["kind"] == "choice":
            assert row["default"] in row["words"]
            assert set(row["commands"]) <= {
                name for name, words in row["words_by_command"].items()
                if words}
    assert len({row["name"] for row in found["options"]}) == len(
        found["options"])


def test_what_a_row_says():
    row = rows()["qp-timeout"]
    assert (row["letter"], row["argument"], row["kind"]) == ("u", "N", "auto")
    assert (row["minimum"], row["maximum"], row["default"]) == (0, 31, "auto")
    assert row["who"] == ["client"] and row["plan"]
    row = rows()["duration"]
    assert (row["unit"], row["maximum"], row["default"]) == ("s", 604800, "3")
    assert rows()["min-gbps"]["unit"] == "Gb/s"
    assert rows()["max-memory"]["maximum"] is None
    words = rows()["transport"]["words_by_command"]
    assert words["write_bw"] == ["RC", "UC", "XRC"] and words["serve"] == []
    assert rows()["json"]["implied"] == "-"
    assert rows()["inject"]["hidden"]


def test_tests_of_an_option():
    """What it means something for, which is less than what accepts it."""
    row = rows()["rx-depth"]
    assert row["tests"] == {"send_bw": "always", "send_lat": "always",
                            "write_bw": "imm", "write_lat": "imm",
                            "create_qp": "always", "qp_setup": "always"}
    assert "read_bw" in row["commands"]


@pytest.mark.parametrize("name, words, expected", [
    ("size", "write_bw --size 2..16,4K HOST", [2, 4, 8, 16, 4096]),
    ("size", "write_lat HOST", [2]),
    ("size", "atomic_bw HOST", [8]),
    ("qps", "send_bw -q 8 HOST", 8),
    ("transport", "send_bw -c UD HOST", "UD"),
    ("duration", "write_bw -D 500ms HOST", 0.5),
    ("duration", "write_bw -n 10 HOST", None),
    ("tx-depth", "write_bw HOST", None),
    ("rate", "write_bw --rate 1.5mpps HOST", {"value": 1.5, "unit": "Mpps"}),
    ("min-gbps", "write_bw --min-gbps 92.5 HOST", 92.5),
    ("json", "write_bw --json HOST", "-"),
    ("loopback", "write_lat --loopback", True),
    ("max-qps", "serve --max-qps 4", 4),
    ("once", "write_bw", True),
    ("once", "serve", False),
    ("once", "serve --once", True),
    ("once", "write_bw --once=1m -n 5", 60),
])
def test_value_on_a_command_line(name, words, expected):
    assert value(name, *words.split()) == expected


@pytest.mark.parametrize("words, error", [
    ("write_bw --size 5X HOST", "--size '5X'"),
    ("write_bw -c UD HOST", "UD"),
    ("write_lat -q 2 HOST", "--qps"),
    ("write_bw --szie 5 HOST", "did you mean --size"),
    ("write_wb HOST", "write_bw"),
    ("--size 64", "nothing to do"),
])
def test_a_wrong_command_line(words, error):
    status, out, err = dump(*words.split())
    assert (status, out) == (2, "")
    assert error in err and len(err.splitlines()) == 1


def test_nothing_is_opened(tmp_path):
    """No file is made, and no device or server is looked for."""
    path = tmp_path / "result.json"
    assert value("json", "write_bw", f"--json={path}", "--device", "none",
                 "192.0.2.1") == str(path)
    assert list(tmp_path.iterdir()) == []


def test_it_is_hidden():
    usage = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True,
                           timeout=60, check=True).stdout
    assert "dump" not in usage


@pytest.mark.parametrize("name", (
    "cluster", "compare", "plot", "selftest", "sweep"))
def test_commands_have_the_version_of_the_program(name, tmp_path):
    (tmp_path / "verbsperf").symlink_to(os.path.abspath(PROGRAM))
    version = document()["version"]
    for folder, status, text in (
            (tmp_path, 0, f"verbsperf-{name} of verbsperf {version}, protocol"),
            (tmp_path / "none", 2, "")):
        outcome = run(f"verbsperf-{name}", "--version",
                      env={**os.environ, "PATH": str(folder)})
        assert outcome[0] == status and outcome[1].startswith(text), outcome
        assert status == 0 or "cannot find the program" in outcome[2]


def test_tests_of_one_end_have_no_server():
    ends = document()["one_end"]
    assert "reg_mr" in ends and "mw_bind" in ends
    assert not {"connect", "write_bw"} & set(ends)
