"""Every reader takes every file that a writer can leave: whole, or cut anywhere
by a kill, a full disk or a copy that was interrupted. It shows what is there,
or says in one line what is wrong; nothing ends in a traceback."""
import json
import re

import pytest

from conftest import called, document, sweep_lines
from test_cluster import document as cluster_document
from test_history import months
from verbsperf.base.errors import Refused
from verbsperf.documents import results
from verbsperf.plan import program

STEADY = [50 * (1 + i / 1000) for i in (0, 3, -2, 5, -4, 1)]
# Statuses that the commands document; sweep's and compare's own are verdicts.
STATUSES = {"compare": (0, 1, 2), "plot": (0, 1, 2), "sweep": (0, 1, 2, 3),
            "cluster": (0, 1, 2, 3)}


def text_of(lines):
    return "".join((one if isinstance(one, str) else json.dumps(one)) + "\n"
                   for one in lines)


def failed_document():
    """As verbsperf leaves of a run that ended before anything was known."""
    made = document(results=[])
    return {**made, "error": {"stage": "connect", "code": "ECONNREFUSED",
                              "message": "no", "advice": None, "peer": None}}


# What the writers leave: by a name, the text of a small file.
FILES = {
    "document": json.dumps(document(p99=3.0), indent=2) + "\n",
    "documents": text_of([document(v) for v in STEADY[:3]]),
    "failed": json.dumps(failed_document()) + "\n",
    "sweep": text_of(sweep_lines({"a": STEADY[:2] + [None], "b": STEADY[:2]})),
    "head": sweep_lines({"a": []})[0] + "\n",
    "history": text_of(months(STEADY[:3])),
    "cluster": text_of([(header := cluster_document(["n1", "n2", "n3"]))[0],
                        *header[1]]),
}
# By a command, the ways in which it reads F; W is a whole file of that kind.
READERS = {
    "compare": ("F whole.sweep:a", "whole.sweep:a F", "F",
                "--format markdown --force F whole.documents",
                "--json F:a whole.sweep:b", "whole.sweep:a --base F",
                "F --base whole.history", "F whole.cluster",
                "whole.cluster F"),
    "nics": ("F whole.sweep:a", "F", "--markdown F whole.document",
             "whole.documents F -o x.html", "--json F:a whole.sweep:b"),
    "plot": ("F", "--history F", "whole.documents F",
             "--history F whole.history"),
    "sweep": ("F", "--format text F", "--format markdown F",
              "--format json F", "--format github F", "--history h F"),
    "cluster": ("F", "--html x.html F", "--picture x.svg F"),
}
# As many cuts within lines of each file.
WITHIN = 3


def cuts_of(text):
    """Where TEXT is cut: at most lines of a file of few, and within some."""
    lines = [i + 1 for i, one in enumerate(text) if one == "\n"]
    within = range(1, len(text), len(text) // WITHIN)
    return sorted({0, *(lines if len(lines) < 30 else lines[-2:]), *within})


def read(name, words):
    """What the command of NAME says that reads as WORDS say."""
    command, more = ("compare", ["--nics"]) if name == "nics" else (name, [])
    more += ["-o", "x.svg"] if name == "plot" else []
    outcome = called(command, *more, *words)
    status, out, err = outcome
    assert "Traceback" not in err and status in STATUSES[command], outcome
    assert not status or out or err.startswith("verbsperf-"), outcome
    return outcome


@pytest.fixture
def whole(tmp_path, monkeypatch):
    """All of FILES, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name, text in FILES.items():
        (tmp_path / f"whole.{name}").write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut(whole, name):
    """At each cut the commands read it, each time in another way."""
    for turn, cut in enumerate(cuts_of(FILES[name])):
        (whole / "F").write_text(FILES[name][:cut])
        for command, ways in READERS.items():
            # to draw takes longest
            if command != "plot" or turn % 3 == 1:
                read(command, ways[turn % len(ways)].split())


@pytest.mark.parametrize("command", READERS)
def test_the_head_alone(whole, command):
    """As a kill leaves it before the first measurement: in every way."""
    for name in ("sweep", "history", "cluster"):
        (whole / "F").write_text(FILES[name].partition("\n")[0] + "\n")
        for way in READERS[command]:
            read(command, way.split())


@pytest.mark.parametrize("command, words", (
    ("compare", "F whole.sweep:a"), ("compare", "F"),
    ("compare", "whole.sweep:a --base F"), ("nics", "F whole.sweep:a"),
    ("nics", "F"), ("sweep", "--history h F")))
def test_what_is_said_of_a_head(whole, command, words):
    (whole / "F").write_text(FILES["sweep"].partition("\n")[0] + "\n")
    status, _, err = read(command, words.split())
    assert (status, "F: no measurement in it" in err) == (2, True)


def others(whole):
    """{name: bytes} of what the commands write for people and programs."""
    made = {}
    for command, words in (
            ("compare", "--nics -o x.html whole.documents whole.sweep:a"),
            ("compare", "--nics -o x.svg whole.documents whole.sweep:a"),
            ("compare", "--nics -o x.md whole.documents whole.sweep:a"),
            ("plot", "-o x.png whole.documents"),
            ("compare", "--json --force whole.documents whole.sweep:a"),
            ("compare", "--nics --json whole.documents whole.sweep:a"),
            ("sweep", "--format json whole.sweep"),
            ("sweep", "--format github whole.sweep"), ("sweep", "whole.sweep")):
        out = called(command, *words.split())[1]
        path = re.search(r"-o (\S+)", words)
        made[words] = (whole / path[1]).read_bytes() if path else out.encode()
    return made


def test_files_of_another_kind(whole):
    """A page, a picture, a report: refused, whatever reads them."""
    for turn, text in enumerate(others(whole).values()):
        for cut in (len(text), len(text) // 2):
            (whole / "F").write_bytes(text[:cut])
            for command, ways in READERS.items():
                status, _, err = read(command, ways[turn % 2].split())
                assert status and "error: " in err


def test_a_letter_that_is_cut(whole):
    """A host's name need not be ASCII."""
    text = json.dumps(document(title="caf\u00e9"), ensure_ascii=False).encode()
    (whole / "F").write_bytes(text[:text.index("\u00e9".encode()) + 1])
    for command, ways in READERS.items():
        assert read(command, ways[0].split())[0]


@pytest.mark.parametrize("where", ("line", "within"))
def test_a_sweep_goes_on_wherever_it_was_cut(whole, sweep, where):
    """With all that its file says whole."""
    (whole / "suite").write_text("write_bw: --size 64,4K\n")
    words = ("-o", "f", "--rounds", "2", "suite", "b")
    assert sweep(*words)[0] == 0
    data = (whole / "f").read_bytes()
    lines = [0, *(i + 1 for i, one in enumerate(data) if one == 10)]
    for cut in lines[:-1]:
        (whole / "f").write_bytes(data[:cut + 9 * (where == "within")])
        status, _, err = sweep(*words)
        if where == "within" and not cut:
            # whose file is it?
            assert status == 2 and "f:1: not a sweep" in err
            continue
        assert status == 0, err
        assert len((whole / "f").read_bytes().splitlines()) == 5


def test_what_the_program_writes_is_cut(monkeypatch):
    """Its document, which a sweep and the selftest read, and its options: as
    where it is killed."""
    text = FILES["document"]
    assert results.read_document(text)[0]
    for cut in range(0, len(text) - 2, 97):
        document_of, why = results.read_document(text[:cut])
        assert document_of is None and "wrote no document" in why
    dump = json.dumps({"schema": "verbsperf-options/1", "version": "1",
                       "protocol": 7, "tests": [], "options": []})
    for cut in range(len(dump)):
        monkeypatch.setattr(program, "run", lambda *_, cut=cut: program.Ran(
            dump[:cut], "", 0))
        with pytest.raises(Refused, match="does not list its options"):
            program.ask("verbsperf", 1.0)
