"""What finds the commands of documents, and compares what they print."""
import pytest

import guides

TEXT = """# A guide

1. In a list:

   ```console
   $ verbsperf write_bw node1
    write_bw: RC, 1 QP
    65536   1040   0.263
   $ echo $?
   3
   ```

```sh
# a remark
verbsperf write_lat --rdma-cm \\
    --json=lat.json node1
for n in 1 2; do
    true
done
verbsperf-plot lat.json
```

```text
$ verbsperf nothing
```

```sh hardware
verbsperf write_bw --memory cuda:0 node1
```
"""


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "guide.md"
    path.write_text(TEXT)
    return guides.commands(path, False)


def test_commands(found):
    assert [(one.line, one.text.split("\n")[0]) for one in found] == [
        (6, "verbsperf write_bw node1"), (9, "echo $?"),
        (15, "verbsperf write_lat --rdma-cm \\"), (17, "for n in 1 2; do"),
        (20, "verbsperf-plot lat.json")]
    assert found[0].shown == [" write_bw: RC, 1 QP", " 65536   1040   0.263"]
    assert found[2].shown is None


def test_what_needs_the_kernel(found):
    """And what reads a file of that."""
    assert list(guides.that_need_the_kernel(found)) == [found[2], found[4]]


@pytest.mark.parametrize("shown, printed, right", [
    ("a b 1", "a   b 27", True),            # another number, other blanks
    ("a b 1", "a b -", True),               # it was not measured
    ("a b 1", "a c 1", False),
    ("a b 1", "a b", False),
    ("a\nb", "a", False),
    ("a", "a\nb", False),
    ("a\n...\nc", "a\nb\nb\nc", True),
    ("a\n...", "a\nb", True),
    ("...\nc", "a\nd", False),
    ("a", "a\n 99% needs 299 samples: -n 300 gives it", True),
    ("rxe0 10.0.0.1", "fake0 ::ffff:127.0.0.1", True)])
def test_difference(shown, printed, right):
    command = guides.Command("x", 1, shown.split("\n"), printed=printed)
    assert (guides.difference(command) == "") == right


def test_a_status_is_compared_as_it_is():
    command = guides.Command("echo $?", 1, ["3"], printed="3\n")
    assert not guides.difference(command)
    command.printed = "1\n"
    assert guides.difference(command)


@pytest.mark.parametrize("text, status, good", [
    ("verbsperf write_bw node1", 1, False),
    ("verbsperf write_bw --min-gbps 92 node1", 3, True),
    ("verbsperf write_bw --min-gbps 92 node1", 1, False),
    ("verbsperf-cluster --nodes a,b write_bw", 3, True),
    ("verbsperf-plot x", 1, False)])
def test_a_status_that_is_not_shown(text, status, good):
    command = guides.Command(text, 1, status=status)
    assert bool(list(guides.problems([command]))) != good


@pytest.mark.parametrize("line, explained", [
    (" uncertain by 2.9%: -D 20 brings it below 0.5%", True),
    (" uncertain by 2.9%: -D 20 ... below 0.5% (--verbose: 1 more)", True),
    (" size 64: uncertain by 100%: -n 20000 brings it below 0.5%", True),
    (" server: out_of_sequence rose by 7: packets are lost", True),
    (" 99% needs 299, 99.9% needs 2995 samples: -D 25 gives them", True),
    (" the send queue ran dry before 3% of completions", False),
    (" the server polls, but a thread of it had a CPU for only 9% of the time",
     True),
    (" 65536 1 2 3", True)])
def test_caveats_that_a_text_explains(line, explained):
    text = ("- **uncertain by 3%**: too short\n"
            "- **client: rx_discards rose by 3**: lost\n"
            "- **99.9% needs 2995 samples**: too few\n"
            "- **the client polls, but** its thread had no CPU\n")
    assert (guides.unexplained([line], text) == "") == explained
