"""Counters where there are none, and where nobody may read them."""
import os
import re

import pytest

from documents import row_of
from lab import loopback, succeeded

QUICK = ("write_bw", "-n", 1000, "--warmup", 0)


def test_none_can_be_read():
    """sysfs knows nothing of the fake NIC: nulls, and no complaint."""
    program = loopback(*QUICK, "--json")
    counters = row_of(program)["counters"]
    assert counters == {"client": None, "server": None, "rose": []}
    assert program.errors == [] and "warning" not in program.err
    text = succeeded(loopback(*QUICK)).out
    assert "counter" not in text
    text = succeeded(loopback(*QUICK, "--counters=all")).out
    assert text.endswith("\n counters: none can be read at either end\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_plain_user():
    program = loopback(*QUICK, "--json", user=65534, group=65534,
                       extra_groups=[])
    assert row_of(program)["counters"]["rose"] == []
    assert "warning" not in program.err


def test_a_limit_that_nobody_can_judge():
    program = loopback(*QUICK, "--max-counter", "link_downed=0").wait()
    assert program.status == 3, str(program)
    assert re.search("limit not met: --max-counter link_downed=0: cannot be "
                     "judged at size 65536 on 1 QP: neither end has that "
                     "counter\n", program.err)
