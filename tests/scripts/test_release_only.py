"""What scripts/check leaves to scripts/check --all exists."""
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
# pytest's root folders
ROOTS = (TOP, TOP / "tests/scripts", TOP / "tests/system")


def test_each_line_names_a_test():
    lines = [line for line in (TOP / "tests/release-only").read_text()
             .splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        file, _, test = line.partition("::")
        found = [root / file for root in ROOTS if (root / file).is_file()]
        assert len(found) == 1, line
        function = test.partition("[")[0]
        assert f"def {function}(" in found[0].read_text() or not test, line
