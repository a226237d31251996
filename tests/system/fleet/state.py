"""Prints what there is on a node of the lab that verbsperf could leave behind:
processes, ports that are listened on, files, and objects of RDMA devices."""
import json
import os
import subprocess

# What is written to /tmp stays in the guest, here: the rest is the host's.
FOLDERS = ("/proc/1/root/upper/tmp/upper", "/run", "/dev/shm")
# What the tests themselves have in there.
OWN = "fleet"
LISTEN = "0A"


def processes():
    """{pid: command line} of all that have one."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode().strip()
        except OSError:
            continue
        if words and int(pid) != os.getpid():
            found[pid] = words
    return found


def ports():
    found = set()
    for name in ("tcp", "tcp6", "udp", "udp6"):
        with open(f"/proc/net/{name}") as file:
            for line in list(file)[1:]:
                _, local, _, state = line.split()[:4]
                if name.startswith("udp") or state == LISTEN:
                    found.add(f"{name} {int(local.rpartition(':')[2], 16)}")
    return sorted(found)


def files():
    found = []
    for top in FOLDERS:
        for folder, names, others in os.walk(top):
            if OWN in names:
                names.remove(OWN)
            found += [os.path.join(folder, name) for name in names + others]
    return sorted(found)


def objects():
    """{device: {kind: how many}}"""
    listed = subprocess.run(["rdma", "-j", "resource", "show"], check=True,
                            stdout=subprocess.PIPE).stdout
    return {one.pop("ifname"): one for one in json.loads(listed)}


if __name__ == "__main__":
    print(json.dumps({"processes": processes(), "ports": ports(),
                      "files": files(), "objects": objects()}))
