"""Completion events of the fake NIC: who sleeps until there are some measures
what another one does, and is woken by them."""
import pytest

from documents import row_of
from lab import loopback

DELAY_US = 20000


@pytest.mark.parametrize("words", (
    ("read_lat",), ("atomic_lat",), ("write_bw", "-q", 2, "-b"),
    ("read_bw", "-q", 4, "--threads", 2)), ids=lambda words: words[0])
def test_sleeping(words, monkeypatch):
    monkeypatch.setenv("FAKE_DELAY", str(1000 * DELAY_US))
    row = row_of(loopback(*words, "-n", 20, "--warmup", 0, "-e", "--json"))
    assert row["events"]["client"]["sends"] > 0
    if words[0].endswith("lat"):
        # one per operation; the loop looks by itself, too
        assert row["events"]["client"]["sends"] <= 20
        assert row["latency"]["min"] >= DELAY_US
