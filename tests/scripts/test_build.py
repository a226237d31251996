"""What configure chooses gets into what make makes: in a copy of the tree."""
import os
import shutil
import subprocess

import pytest

from conftest import SCRIPTS

TOP = SCRIPTS.parent
# What configure and make need to compile one file.
NEEDED = ("Makefile.am", "Makefile.in", "aclocal.m4", "build-aux",
          "config.h.in", "configure", "configure.ac", "m4", "man", "scripts",
          "src", "tests")
OBJECT = "src/base/units.o"
pytestmark = pytest.mark.skipif(
    not (TOP / "configure").exists(), reason="autoreconf was not run here")


def run(folder, *command):
    """What COMMAND prints, which must do well."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, cwd=folder, env=environment, text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy in which nothing was built, with the times that files had."""
    folder = tmp_path_factory.mktemp("tree")
    ignore = shutil.ignore_patterns("*.o", ".deps", "found", "__pycache__")
    for name in NEEDED:
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, folder / name, symlinks=True,
                            ignore=ignore)
        else:
            shutil.copy2(TOP / name, folder / name)
    return folder


def configure(tree, *options):
    """What was found before is not looked for again."""
    run(tree, "./configure", "-q", "--config-cache", *options)


def instrumented(tree, *options):
    """How OBJECT is, made again with OPTIONS of configure."""
    configure(tree, *options)
    run(tree, "make", "-s", OBJECT)
    names = run(tree, "nm", OBJECT)
    return {name for name in ("asan", "tsan", "ubsan")
            if f"_{name}_" in names}


def test_other_sanitizers_compile_anew(tree):
    """In a tree that was built already, without make clean."""
    assert instrumented(tree) == set()
    assert instrumented(tree, "--enable-sanitizers") == {"asan", "ubsan"}
    assert instrumented(tree, "--enable-sanitizers=thread") == {"tsan"}


def test_the_unit_names_the_program_that_is_installed(tree):
    """It stays below the prefix, and follows another one."""
    configure(tree, "--prefix=/opt/verbsperf")
    run(tree, "make", "-s", "install-nodist_systemdunitDATA",
        f"DESTDIR={tree}/root")
    unit = tree / "root/opt/verbsperf/lib/systemd/system/verbsperf.service"
    line, = (line for line in unit.read_text().splitlines()
             if line.startswith("ExecStart="))
    assert line == ("ExecStart=/opt/verbsperf/bin/verbsperf serve "
                    "$VERBSPERF_OPTIONS")


def test_commands_find_their_package(tree):
    """Below any folder, and through a link to a link."""
    configure(tree, "--prefix=/opt/verbsperf", "--datadir=/srv/data")
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
