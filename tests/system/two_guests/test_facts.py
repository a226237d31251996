"""What both hosts say of themselves: the second one's interface is behind a
PCIe slot slower than its link, and both are emulated."""
from documents import measured, parse
from hosts import NETDEV, ROCE
from lab import QUICK, client, succeeded


def test_facts_of_both_ends(remote):
    document = measured(client("write_bw", "--json", *QUICK, port=remote.port,
                               host=ROCE))
    mine = document["environment"]["client"]
    theirs = document["environment"]["server"]
    for facts in (mine, theirs):
        assert facts["driver"] == "rdma_rxe"
        assert facts["netdev"] == NETDEV
        assert facts["netdev_driver"] == "virtio_net"
        assert facts["virtual_machine"] == "QEMU"
        assert facts["rdma_core"] and facts["kernel"] == mine["kernel"]
        assert facts["sriov"] == facts["iommu"] == "none"
    assert mine["pcie_address"] and mine["pcie_gbps"] is None
    assert (theirs["pcie_speed_gt"], theirs["pcie_width"]) == (2.5, 1)
    assert theirs["pcie_gbps"] == 2


def test_an_emulated_slot_is_no_finding(remote):
    program = succeeded(client("write_bw", "--check", port=remote.port,
                               host=ROCE))
    assert "2.5 GT/s x1, emulated" in program.out
    assert "PCIe carries" not in program.out + program.err
    assert "lspci" not in program.out
    document = parse(succeeded(client("write_bw", "--check", "--json",
                                      port=remote.port, host=ROCE)).out)
    row, = (row for row in document["preflight"] if row["check"] == "PCIe")
    assert row["verdict"] == "ok" and row["server"] == "2.5 GT/s x1, emulated"

