"""The scripts' man pages and --help agree."""
import os
import re

import pytest

from conftest import SCRIPTS, run


def options(text):
    """The long options that TEXT shows as its own."""
    return set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", text))


@pytest.mark.parametrize("script", ["verbsperf-cluster", "verbsperf-compare",
                                    "verbsperf-plot", "verbsperf-sweep"])
def test_man_page_has_every_option(script):
    status, usage, err = run(script, "--help",
                             env={**os.environ, "COLUMNS": "80"})
    assert (status, err) == (0, "")
    assert max(map(len, usage.splitlines())) <= 80
    page = (SCRIPTS.parent / "man" / f"{script}.1.in").read_text()
    items = set(re.findall(r"^\.TP\n\.BR? .*?--([\w-]+)",
                           page.replace("\\-", "-"), re.M))
    assert items == options(usage)


def test_man_pages_have_the_same_heading():
    """Title, date, version and volume, by the same macros."""
    headings = []
    for page in sorted((SCRIPTS.parent / "man").glob("*.1.in")):
        name, heading = re.match(r"\.TH (\S+) (.*)\n\.SH NAME\n",
                                 page.read_text()).groups()
        assert name == page.name.partition(".")[0].upper()
        headings.append(heading)
    assert len(headings) >= 4 and len(set(headings)) == 1, headings
