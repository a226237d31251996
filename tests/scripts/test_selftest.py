"""verbsperf-selftest's table, of the cases that the program really has."""
import os
import shutil

import pytest

from verbsperf.commands import selftest

PROGRAM = os.path.abspath(shutil.which(os.environ.get("VERBSPERF",
                                                      "verbsperf")))
END = {"hostname": "host", "device": "mlx5_bond_0", "port": 1,
       "link_layer": "Ethernet", "firmware": None}


def document(codes):
    """Of a run in which both ends said that."""
    error = None
    if codes[0] != "ok":
        error = {"code": codes[0], "message": "m",
                 "peer": {"code": codes[1], "message": "m"}}
    return {"error": error, "client": END, "server": END}


@pytest.fixture
def table(monkeypatch, capsys):
    """Runs it with the longest of what is expected, or with something else;
    its status, and what it had printed before each run and at the end."""
    def run_all(wrong):
        cases = {case["case"]: case for case in selftest.read_cases(PROGRAM)}
        printed = []

        def run(_program, _arguments, words):
            printed.append(capsys.readouterr().out)
            codes = ["ok", "ok"]
            if "--inject" in words:
                case = cases[words[words.index("--inject") + 1]]
                codes = [max(case[end].split("|"), key=len)
                         for end in ("requester", "responder")]
                if wrong:
                    codes = ["EVENT_SOMETHING_ELSE"] * 2
            return selftest.Ran(int(codes[0] != "ok"), document(codes), 59.94)

        monkeypatch.setattr(selftest, "run", run)
        monkeypatch.setattr("sys.argv", ["verbsperf-selftest", "host",
                                         "--verbsperf", PROGRAM])
        status = selftest.main()
        printed.append(capsys.readouterr().out)
        return status, printed
    return run_all


@pytest.mark.parametrize("wrong", (False, True))
def test_no_line_is_wider_than_100(table, wrong):
    status, printed = table(wrong)
    text = "".join(printed)
    lines = text.splitlines()
    assert status == wrong and len(lines) > 60
    assert max(len(line) for line in lines) <= 100, text
    assert lines[0].split() == ["case", "requester", "responder", "s",
                                "verdict"]
    assert ("UNEXPECTED requester" in text) == wrong
    assert ("    the shared receive queue is empty; expected at the requester "
            "RNR_RETRY_EXC_ERR, at the" in text) == wrong


def test_a_row_comes_when_its_case_is_over(table):
    """Each run finds the row of the one before it printed."""
    _, printed = table(False)
    rows = [part for part in printed[2:-1] if part]
    assert rows[0].split()[:2] == ["no-receive", "RNR_RETRY_EXC_ERR"]
    assert len(rows) > 60
    assert all(row.count("\n") == 1 for row in rows)
