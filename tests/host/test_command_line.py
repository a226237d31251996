"""Command lines that are almost right are answered at once, in one line."""
import pytest

from lab import Program, failed

SOON = 5        # seconds; a server is waited for much longer


@pytest.mark.parametrize("words,advice", (
    ("write_lat --wait 10", "write --wait=10$"),
    ("write_lat --wait 10 127.0.0.1", "write --wait=10$"),
    ("write_bw --json out.json", "write --json=out.json$"),
    ("write_bw --csv rows 127.0.0.1", "write --csv=rows$"),
    ("write_bw --loopback --json-lines out", "write --json-lines=out$"),
    ("write_bw --szie 64 127.0.0.1", "'--szie'; did you mean --size[?]$"),
    ("wirte_bw 127.0.0.1", "'wirte_bw' is not a test; did you mean write_bw")))
def test_what_was_meant(words, advice):
    program = Program(*words.split())
    failed(program, advice, status=2, seconds=SOON)
    assert len(program.err.splitlines()) == 1 and not program.out
