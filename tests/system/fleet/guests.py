"""The guests of the lab as the nodes of a cluster: commands on them, their sshd
and Slurm, and what is left behind on them."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent.parent
NUMBERS = range(1, int(os.environ.get("VERBSPERF_LAB_GUESTS", "0")) + 1)
NODES = [f"mgmt{number}" for number in NUMBERS]
SET = f"mgmt[1-{len(NODES)}]"
WORK = pathlib.Path("/tmp/fleet")
# A node without verbsperf loses the link in there.
BIN = WORK / "bin"
PATH = f"{BIN}:/usr/sbin:/usr/bin:/sbin:/bin"
# Of the tests and of the lab, not of what is tested.
OURS = ("state.py", "verbsperf-lab-peer", "/slurmctld", "slurmctld:")
ENOUGH = 90         # seconds for a command on a guest


def on(number, *words, check=True, timeout=ENOUGH):
    """Run WORDS on the guest NUMBER; return what they printed."""
    if number != 1:
        words = ("verbsperf-lab-peer", "--guest", str(number), *words)
    done = subprocess.run(words, check=False, timeout=timeout, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    assert not check or done.returncode == 0, (number, words[-1], done)
    return done.stdout


def shell(number, text, *arguments, **more):
    return on(number, "bash", "-ec", text, "bash", *map(str, arguments),
              **more)


def on_all(text, *arguments, numbers=NUMBERS, **more):
    """Run TEXT in a shell of each guest at once; return {number: what it
    printed}."""
    with concurrent.futures.ThreadPoolExecutor(len(numbers)) as pool:
        return dict(zip(numbers, pool.map(
            lambda number: shell(number, text, *arguments, **more), numbers)))


def start_sshd():
    """Let root of the first guest go to all by ssh, as a user is used to."""
    WORK.mkdir(exist_ok=True)
    key = WORK / "made"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key],
                   check=True)
    on_all("""
        mkdir -p $0 /run/sshd /tmp/fleet/bin
        chmod 755 /tmp/fleet
        cd /tmp/fleet
        ln -sf "$2" bin/verbsperf
        echo "$1" >keys
        (umask 077 && echo "$4" >id)
        ssh-keygen -q -t ed25519 -N '' -f host
        printf '%s\\n' 'HostKey /tmp/fleet/host' 'StrictModes no' \\
            'AuthorizedKeysFile /tmp/fleet/keys' 'UsePAM no' \\
            'PermitRootLogin yes' 'PidFile /tmp/fleet/sshd.pid' \\
            "SetEnv PATH=$3" >sshd
        /usr/sbin/sshd -f /tmp/fleet/sshd
        mount -t tmpfs ssh /etc/ssh/ssh_config.d
        printf '%s\\n' 'User root' 'IdentityFile /tmp/fleet/id' \\
            'StrictHostKeyChecking no' 'UserKnownHostsFile /dev/null' \\
            >/etc/ssh/ssh_config.d/fleet.conf
        """.replace("$0", str(WORK)), (WORK / "made.pub").read_text().strip(),
           os.path.abspath(os.environ["VERBSPERF"]), PATH,
           key.read_text())


SLURM = """\
ClusterName=lab
SlurmctldHost=lab1(10.0.1.1)
AuthType=auth/munge
AuthInfo=socket=/tmp/fleet/slurm/munge
SlurmUser=root
StateSaveLocation=/tmp/fleet/slurm/state
SlurmdSpoolDir=/tmp/fleet/slurm/spool
SlurmctldPidFile=/tmp/fleet/slurm/ctld.pid
SlurmdPidFile=/tmp/fleet/slurm/slurmd.pid
SlurmctldLogFile=/tmp/fleet/slurm/ctld.log
SlurmdLogFile=/tmp/fleet/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/linear
NodeName=mgmt[1-%n] NodeHostname=lab[1-%n] CPUs=1
PartitionName=all Nodes=mgmt[1-%n] Default=YES State=UP
"""


def start_slurm():
    """Start munge and slurmd on each guest, and slurmctld on the first."""
    on_all("""
        mkdir -p /tmp/fleet/slurm/state && cd /tmp/fleet/slurm
        echo "$1" >slurm.conf
        (umask 077 && printf '%01024d' 1 >key)
        munged --force --key-file=$PWD/key --socket=$PWD/munge \\
            --pid-file=$PWD/munge.pid --log-file=$PWD/munge.log \\
            --seed-file=$PWD/seed
        export SLURM_CONF=$PWD/slurm.conf PATH=%p
        # slurmd does not start without, and here has no use for it
        mount -t tmpfs cgroup /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd
        mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
        if [ "$VERBSPERF_LAB_GUEST" = 1 ]; then slurmctld; sleep 3; fi
        slurmd
        """.replace("%p", PATH), SLURM.replace("%n", str(len(NODES))))
    os.environ["SLURM_CONF"] = "/tmp/fleet/slurm/slurm.conf"
    wait_for(lambda: subprocess.run(
        ["sinfo", "-h", "-o", "%T %D"], check=True, text=True,
        stdout=subprocess.PIPE).stdout.strip() == f"idle {len(NODES)}", 120,
        "idle nodes of Slurm")


def wait_for(condition, seconds, what):
    """Wait until CONDITION() is true; return what it returned."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.5)


def state_of(number):
    return json.loads(on(number, "/usr/bin/python3", "-ISB",
                         str(HERE / "state.py")))


def states(numbers=NUMBERS):
    with concurrent.futures.ThreadPoolExecutor(len(numbers)) as pool:
        return dict(zip(numbers, pool.map(state_of, numbers)))


def added(before, now, ours=OURS):
    """Return what there is NOW that was not there BEFORE."""
    new = [f"process {pid}: {words}"
           for pid, words in now["processes"].items()
           if pid not in before["processes"]
           and not any(one in words for one in ours)]
    for kind in ("ports", "files"):
        new += [f"{kind}: {one}" for one in
                sorted(set(now[kind]) - set(before[kind]))]
    for device, count in now["objects"].items():
        new += [f"{device}: {number} {kind}, not "
                f"{before['objects'].get(device, {}).get(kind)}"
                for kind, number in count.items()
                if number > before["objects"].get(device, {}).get(kind, 0)]
    return new


def left_behind(before, ours=OURS):
    """Return {guest: what is left} compared with BEFORE, of all guests that
    have something, without processes that are OURS."""
    now = states(list(before))
    found = {number: added(before[number], now[number], ours)
             for number in before}
    return {number: some for number, some in found.items() if some}


def processes(number, *texts):
    """Return the pids on the guest NUMBER of those with TEXTS in their command
    lines."""
    return [int(pid) for pid, words in state_of(number)["processes"].items()
            if all(text in words for text in texts)
            and "verbsperf-lab-peer" not in words]


def slow_down(number, netdev, rate="400kbit"):
    """Let tc tbf slow what the guest NUMBER sends from NETDEV."""
    shell(number, "tc qdisc add dev $1 root tbf rate $2 burst 4k latency 2s",
          netdev, rate)


def speed_up(number, netdev):
    shell(number, "tc qdisc del dev $1 root", netdev)
