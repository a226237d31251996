"""The scripts' man pages and --help agree."""
import os
import re

import pytest

from conftest import SCRIPTS, run


def options(text):
    """The long options that TEXT shows as its own."""
    return set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", text))


@pytest.mark.parametrize("script", ["verbsperf-compare", "verbsperf-plot",
                                    "verbsperf-sweep"])
def test_man_page_has_every_option(script):
    status, usage, err = run(script, "--help",
                             env={**os.environ, "COLUMNS": "80"})
    assert (status, err) == (0, "")
    assert max(map(len, usage.splitlines())) <= 80
    page = (SCRIPTS.parent / "man" / f"{script}.1").read_text()
    items = set(re.findall(r"^\.It (?:Fl \w , )?Fl -([\w-]+)", page, re.M))
    assert items == options(usage)
