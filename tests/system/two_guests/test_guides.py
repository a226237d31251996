"""What README and the guides do on which only a real device shows whether it
works: the rest is done on the fake NIC, in tests/host."""
import guides
import lab


def commands():
    """Each command once, after a server; no pictures, which take an emulated
    processor longer than all the rest."""
    found, before = [guides.Command("verbsperf serve", 0)], None
    for path in guides.documents():
        for command in guides.that_need_the_kernel(guides.commands(path, True)):
            if command.program == "verbsperf-plot":
                continue
            if (command.shows_status and found[-1] == before
                    or command.text not in {one.text for one in found}):
                found.append(command)
            before = command
    return found


def test_what_needs_the_kernel(tmp_path):
    found = commands()
    assert len(found) > 3
    guides.run_in_lab(found, tmp_path, lab.BINARY, quick=True)
    wrong = list(guides.problems(found))
    assert not wrong, "\n".join(wrong)
