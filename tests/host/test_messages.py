"""Each sentence is said once."""
import pytest

from lab import PATIENCE, Server, client, failed, loopback

TOO_MANY = ("read_bw", "-o", 255)
SENTENCE = "--outstanding-reads 255: the client's fake0 starts at most 16"


def times(program, sentence):
    return (program.out + program.err).count(sentence)


def test_of_a_check():
    program = loopback(*TOO_MANY, "--check")
    failed(program, r"this test cannot run: 1 problem(, \d warnings?)?$")
    assert times(program, SENTENCE) == 1
    assert times(program, "leave --outstanding-reads out") == 1
    assert times(program, "cannot run") == 1


@pytest.mark.parametrize("option", ((), ("--check",)))
def test_with_a_server(option):
    """Its own user is told, too, of the client it refused."""
    server = Server()
    program = client(*TOO_MANY, *option, port=server.port)
    program.wait(PATIENCE)
    assert program.status == 1
    assert times(program, SENTENCE) == 1
    server.wait_for("error: ")
    assert times(server, SENTENCE) == 1


def test_of_a_check_to_json():
    """The table is on standard error then."""
    program = loopback(*TOO_MANY, "--check", "--json")
    failed(program, r"this test cannot run: 1 problem(, \d warnings?)?$")
    assert program.err.count(SENTENCE) == 1
