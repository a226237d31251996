"""README and the guides, on the fake NIC, as far as it will do."""
import importlib.util
import os
import shutil
import subprocess

import pytest

import complete
import guides
import lab

TESTS = guides.TOP / "tests"


def lacking():
    """What is not here that commands of documents need."""
    for name in ("matplotlib", "scipy"):
        if not importlib.util.find_spec(name):
            yield name
    if not shutil.which("jq"):
        yield "jq"
    if subprocess.run([*guides.NAMESPACES, "ip", "link", "set", "lo", "up"],
                      capture_output=True, check=False).returncode:
        yield "namespaces"


# What only reads the options of a command, by its name.
READS = {"verbsperf": [lab.BINARY, "--dump-options"],
         "verbsperf-sweep": [guides.TOP / "scripts/verbsperf-sweep", "--list"]}


def refused(text):
    """What the command TEXT says of its options; "" if they are right."""
    words = [word for word in text.replace("\\\n", " ").split()
             if word not in ("\\",)]
    if not words or words[0] not in READS:
        return ""
    program, show = READS[words[0]]
    done = subprocess.run([program, *words[1:], show], capture_output=True,
                          text=True, check=False,
                          env={**os.environ, "VERBSPERF": str(lab.BINARY)})
    return done.stderr if done.returncode or show != "--list" else ""


@pytest.mark.parametrize("path", guides.documents(), ids=lambda path: path.stem)
def test_document(path, fast_clock, tmp_path):
    """Word for word, in a fifth of the time that the programs see."""
    found = guides.commands(path, False)
    left_out = list(guides.that_need_the_kernel(found))
    found = [command for command in found if command not in left_out]
    for what in lacking():
        pytest.skip(f"no {what} here")
    guides.run_here(found, tmp_path, lab.BINARY,
                    f"{os.environ['VERBSPERF_PRELOAD']}:{fast_clock}",
                    QUICK="yes", FAST_CLOCK="5",
                    MEASURES=str(TESTS / "scripts/fake_verbsperf"),
                    **complete.for_fake())
    wrong = list(guides.problems(found))
    assert not wrong, "\n".join(wrong)
    text = (guides.TOP / "doc/measuring.md").read_text()
    for command in found:
        lines = command.printed.splitlines()
        assert not guides.unexplained(lines, text), command
        tables = command.printed.count("#bytes")
        assert (len(guides.caveats(lines)) <= max(tables, 1)
                or "--verbose" in command.text), command


@pytest.mark.parametrize("path", guides.documents(), ids=lambda path: path.stem)
def test_what_is_not_run(path):
    """Its options exist, and go together."""
    found = [command for block in guides.blocks(path)
             if (block.kind, block.mark) == ("sh", "hardware")
             for command in guides.split(block.lines, block.line + 1)]
    found += guides.that_need_the_kernel(guides.commands(path, False))
    for command in found:
        assert not refused(command.text), command
