"""README and the guides, on the fake NIC, as far as no data need arrive."""
import importlib.util
import os
import shutil
import subprocess

import pytest

import guides
import lab

TESTS = guides.TOP / "tests"
# A network, names and a folder of their own, for commands as they stand.
NAMESPACES = ["unshare", "--map-root-user", "--mount", "--net", "--uts"]
HOST = r"""
mount --bind "$HOSTS" /etc/hosts
mount -t tmpfs tmpfs /var/lib
hostname node2
ip link set lo up
exec "$@"
"""
HOSTS = "127.0.0.1 localhost node1 node2\n" + "".join(f"127.0.0.{n + 10} n{n:02}\n" for n in range(1, 5))
# All nodes are here; what runs on them is the program, not what stands in.
SSH = r"""#!/bin/sh
while [ "$1" = -o ]; do shift 2; done
shift
export PATH="$NODES:/usr/bin:/bin" LD_PRELOAD="$FAKE_NIC"
exec sh -c "$*"
"""


def lacking():
    """What is not here that commands of documents need."""
    for name in ("matplotlib", "scipy"):
        if not importlib.util.find_spec(name):
            yield name
    if not shutil.which("jq"):
        yield "jq"
    if subprocess.run([*NAMESPACES, "ip", "link", "set", "lo", "up"],
                      capture_output=True, check=False).returncode:
        yield "namespaces"


def refused(text):
    """What the program says of the options in TEXT; "" if they are right."""
    words = [word for word in text.replace("\\\n", " ").split()
             if word not in ("\\",)]
    if words[:1] != ["verbsperf"]:
        return ""
    done = subprocess.run([lab.BINARY, *words[1:], "--dump-options"],
                          capture_output=True, text=True, check=False)
    return done.stderr


@pytest.mark.parametrize("path", guides.documents(), ids=lambda path: path.stem)
def test_document(path, tmp_path):
    found = guides.commands(path, False)
    left_out = list(guides.that_need_data(found))
    found = [command for command in found if command not in left_out]
    for what in lacking():
        pytest.skip(f"no {what} here")
    nodes = tmp_path / "nodes"
    nodes.mkdir()
    (nodes / "verbsperf").symlink_to(os.path.abspath(shutil.which(lab.BINARY)))
    (tmp_path / "hosts").write_text(HOSTS)
    environment = {
        **os.environ, "REAL": str(nodes / "verbsperf"), "SERVE": "",
        "FAKE_NIC": os.environ["VERBSPERF_PRELOAD"], "FAKE_GBPS": "400",
        "FAKE_DELAY": "2000", "QUICK": "yes", "HOSTS": str(tmp_path / "hosts"),
        "NODES": str(nodes), "FAKE_REAL": str(nodes / "verbsperf"),
        "MEASURES": str(TESTS / "scripts/fake_verbsperf")}
    folder = tmp_path / "run"
    folder.mkdir()
    guides.make_programs(folder / "bin", environment)
    guides.write_program(folder / "bin/ssh", SSH)
    try:
        guides.run(found, folder, environment,
                   [*NAMESPACES, "sh", "-ec", HOST, "sh"])
    finally:
        guides.leave(folder)
    wrong = list(guides.problems(found))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", guides.documents(), ids=lambda path: path.stem)
def test_what_is_not_run(path):
    """Its options exist, and go together."""
    found = [command for block in guides.blocks(path)
             if (block.kind, block.mark) == ("sh", "hardware")
             for command in guides.split(block.lines, block.line + 1)]
    found += guides.that_need_data(guides.commands(path, False))
    for command in found:
        assert not refused(command.text), command
