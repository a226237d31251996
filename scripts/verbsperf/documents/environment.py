"""What a document says of the hosts and devices of both ends, and what of it
must be alike for results to be compared."""
from typing import Any

from verbsperf.documents.jsonfile import Object

# What results may depend on, and what stays as it is from one run to the next:
# the facts that verbsperf --dump-options calls compared.
COMPARED = """
    kernel distribution rdma_core driver driver_version container
    virtual_machine cpu_model cpus_online governor cpu_max_mhz smt
    isolated_cpus deepest_idle_state idle_exit_us irqbalance thread_nodes
    numa_node numa_nodes huge_page_bytes transparent_huge_pages pcie_speed_gt
    pcie_width pcie_max_speed_gt pcie_max_width pcie_slot_speed_gt
    pcie_slot_width pcie_gbps sriov iommu aspm aspm_l1 netdev_mtu
    netdev_driver netdev_speed netdev_max_speed bonding vlan link_lanes pause
    pfc priority_trust dscp_priorities roce_ecn gpu_distance
    provider_variables
    """.split()


def marks(document: Object) -> dict[str, Any]:
    """Return {name: value} of the facts of DOCUMENT that are compared. What
    was not known, as of an older version or without the rights, is no
    difference."""
    found: dict[str, Any] = {}
    for end in ("client", "server"):
        facts = (document.get("environment") or {}).get(end) or {}
        for fact in COMPARED:
            if facts.get(fact) is not None:
                # the node of the memory is another mark
                name = "device node" if fact == "numa_node" else fact
                found[f"{end} {name}".replace("_", " ")] = facts[fact]
    return found
