"""A device that is removed under a run ends it at both ends."""
import os

import pytest

from lab import Server, client, complained, environment, failed, serves


@pytest.mark.parametrize("at_server", (False, True),
                         ids=("at the client", "at the server"))
def test_device_is_removed(tmp_path, at_server):
    node = tmp_path / "uverbs0"
    node.touch()
    env = {**environment(), "FAKE_DEVICE_PATH": str(node)}
    server = Server(env=env if at_server else environment())
    program = client("write_bw", "-D", 60, port=server.port,
                     env=environment() if at_server else env)
    program.wait_for_traffic()
    os.unlink(node)
    cause = "fake0 is being removed from this host"
    failed(program, "the server: " + cause if at_server else cause, "rdma")
    complained(server, cause if at_server else "the client: " + cause)
    server.forget()
    serves(server)


def test_device_that_sysfs_does_not_show(tmp_path):
    env = {**environment(), "FAKE_DEVICE_PATH": str(tmp_path / "none")}
    serves(Server(env=env))
