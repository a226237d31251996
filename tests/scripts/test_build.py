"""What configure chooses gets into what make makes: in a copy of the tree."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import SCRIPTS
from verbsperf.base import missing

TOP = SCRIPTS.parent
# What configure and make need to compile one file.
NEEDED = ("Makefile.am", "Makefile.in", "aclocal.m4", "build-aux",
          "config.h.in", "configure", "configure.ac", "m4", "man", "scripts",
          "src", "tests")
OBJECT = "src/base/units.o"
# A prefix, and what is not below it.
PLACES = ("/opt/verbsperf", "--datadir=/srv/data")
# A file of dependencies, which make would write by three processes if it were
# not there.
DEPENDENCIES = re.compile(r"^@AMDEP_TRUE@@am__include@ "
                          r"@am__quote@(\S+)@am__quote@", re.M)
# What configure found in this environment, with any options; but scripts/check
# tracks no dependencies.
FOUND = re.compile(r"^\w+_cv_(?!env_|CC_dependencies)\w+="
                   r"(?:'[^'\n]*'|[^'\n]*)\n", re.M)
pytestmark = pytest.mark.skipif(
    not (TOP / "configure").exists(), reason="autoreconf was not run here")


# As pyenv's or conda's, which lacks what the distribution's packages bring.
WITHOUT_SCIPY = """#!/bin/sh
case $2 in *scipy*) exit 1 ;; esac
echo "$0"
"""


def run(folder, *command, **more):
    """What COMMAND prints, which must do well."""
    environment = {**{name: value for name, value in os.environ.items()
                      if not name.startswith(("MAKE", "MFLAGS", "PYTHON"))},
                   **more}
    done = subprocess.run(command, cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy in which nothing was built, with the times that files had.  What
    was found for the build under test is not looked for again."""
    folder = tmp_path_factory.mktemp("tree")
    ignore = shutil.ignore_patterns("*.o", ".deps", "found", "__pycache__")
    for name in NEEDED:
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, folder / name, symlinks=True,
                            ignore=ignore)
        else:
            shutil.copy2(TOP / name, folder / name)
    for name in DEPENDENCIES.findall((TOP / "Makefile.in").read_text()):
        file = folder / name.replace("$(DEPDIR)", ".deps")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    log = pathlib.Path(os.environ["FAKE_REAL"]).parent / "config.log"
    (folder / "config.cache").write_text("".join(
        FOUND.findall(log.read_text()) if log.exists() else ()))
    return folder


def sanitizers(tree):
    """Those that OBJECT is compiled with, once it is up to date."""
    run(tree, "make", "-s", OBJECT)
    names = run(tree, "nm", OBJECT)
    return {name for name in ("asan", "tsan", "ubsan")
            if f"_{name}_" in names}


def program(tree, prefix):
    """What the unit starts that is installed below PREFIX."""
    run(tree, "make", "-s", "install-nodist_systemdunitDATA",
        f"DESTDIR={tree}/root")
    unit = tree / f"root{prefix}/lib/systemd/system/verbsperf.service"
    line, = (line for line in unit.read_text().splitlines()
             if line.startswith("ExecStart="))
    return line.removeprefix("ExecStart=")


@pytest.fixture(scope="module")
def made(tree):
    """What came of one configuration after the other, without make clean:
    (sanitizers, program) of each.  The tree stays as the last one."""
    found = []
    python = tree / "first/python3"
    python.parent.mkdir()
    python.write_text(WITHOUT_SCIPY)
    python.chmod(0o755)
    for prefix, *options in (
            ("/usr/local", "--enable-sanitizers"),
            (*PLACES, "--enable-sanitizers=thread")):
        run(tree, "./configure", "-q", "--config-cache", f"--prefix={prefix}",
            *options, PATH=f"{python.parent}:{os.environ['PATH']}")
        found.append((sanitizers(tree), program(tree, prefix)))
    return found


def test_other_sanitizers_compile_anew(made):
    assert [found for found, _ in made] == [{"asan", "ubsan"}, {"tsan"}]


def test_the_unit_names_the_program_that_is_installed(made):
    """It stays below the prefix, and follows another one."""
    assert [found for _, found in made] == [
        f"{prefix}/bin/verbsperf serve $VERBSPERF_OPTIONS"
        for prefix in ("/usr/local", PLACES[0])]


@pytest.mark.usefixtures("made")
def test_commands_find_their_package(tree):
    """Below any folder, and through a link to a link."""
    parts = [f"install-dist_verbsperf_{path.parent.name}DATA" for path in
             tree.glob("scripts/verbsperf/*/__init__.py")]
    run(tree, "make", "-s", "install-dist_pkgdataSCRIPTS",
        "install-dist_verbsperfDATA", *parts, "install-dist_suitesDATA",
        "install-data-hook", f"DESTDIR={tree}/root")
    for name in ("sweep", "cluster", "compare", "plot", "selftest"):
        link = tree / name
        link.symlink_to(tree / f"root/opt/verbsperf/bin/verbsperf-{name}")
        assert f"usage: verbsperf-{name} " in run("/", str(link), "--help")
    assert not list(tree.glob("root/**/*.pyc"))


@pytest.mark.usefixtures("made")
def test_commands_are_run_by_a_python_with_their_libraries(tree):
    """Not by the first one in PATH; the source stays as it is."""
    run(tree, "make", "-s", "install-dist_pkgdataSCRIPTS",
        "install-interpreter", f"DESTDIR={tree}/other")
    line, = {path.read_text().splitlines()[0]
             for path in tree.glob("other/**/verbsperf-*")}
    assert missing.has(line.removeprefix("#!"), "scipy"), line
    assert (tree / "scripts/verbsperf-sweep").read_text().startswith(
        "#!/usr/bin/env python3\n")
