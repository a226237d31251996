"""What TAB offers, in bash and zsh, of the program that VERBSPERF names."""
import functools
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from conftest import run

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("VERBSPERF", TOP / "build/verbsperf"))
BASH = PROGRAM.parent / "completion/bash/verbsperf"
ZSH = PROGRAM.parent / "completion/zsh/_verbsperf"
SYSFS = "/sys/class/infiniband"
TESTS = ["send_bw", "send_lat", "write_bw", "write_lat", "read_bw",
         "read_lat", "atomic_bw", "atomic_lat"]
CONTROL = ["reg_mr", "create_qp", "create_cq", "create_ah", "qp_setup",
           "post_poll", "mw_bind", "connect"]
COMMANDS = TESTS + CONTROL + ["serve", "devices", "check", "calibrate",
                              "faults"]
# bash breaks words where COMP_WORDBREAKS says; compopt works only for readline.
COMPLETE = """
compopt() { :; }
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_verbsperf "$1"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def devices(tmp_path):
    """The completion of a host with two devices."""
    for name in ("mlx5_0", "rxe0"):
        (tmp_path / "infiniband" / name).mkdir(parents=True)
    text = BASH.read_text()
    assert SYSFS in text
    script = tmp_path / "verbsperf"
    script.write_text(text.replace(SYSFS, str(tmp_path / "infiniband")))
    return script


def offers(*words, script=BASH, folder=None, command="verbsperf"):
    """What bash offers for the last of WORDS, after COMMAND."""
    done = subprocess.run(["bash", "-c", COMPLETE, "bash", script, command,
                           *words], capture_output=True, text=True,
                          cwd=folder, timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@functools.lru_cache(maxsize=None)
def options():
    """All options, as the program says."""
    done = subprocess.run([PROGRAM, "--dump-options"], capture_output=True,
                          text=True, timeout=60, check=True)
    return json.loads(done.stdout)["options"]


def options_of(test):
    """Those that mean something for TEST."""
    return {f"--{row['name']}" for row in options()
            if test in row["tests"] and "client" in row["who"]
            and not row["hidden"]}


def test_commands():
    assert offers("") == COMMANDS
    assert offers("wr") == ["write_bw", "write_lat"]
    assert offers("-") == ["--help", "--version"]


def test_options_of_the_control_path():
    assert "--access" in offers("reg_mr", "--")
    assert "--pattern" not in offers("write_lat", "--")
    assert offers("reg_mr", "--pattern", "") == ["churn", "hold"]
    assert offers("reg_mr", "") == []


def test_values_of_an_option_that_is_not_offered():
    assert "--inject" not in offers("write_bw", "--")
    assert offers("send_bw", "--inject", "cq-") == ["cq-overrun",
                                                     "cq-resize"]


@pytest.mark.parametrize("test", TESTS)
def test_options_of_a_test(test):
    offered = offers(test, "--")
    assert len(offered) == len(set(offered))
    assert len(options_of(test)) > 20
    assert options_of(test) <= set(offered)


@pytest.mark.parametrize("command, wanted, refused", [
    ("write_bw", "--burst --qps", "--percentiles=50 --max-p50=1"),
    ("write_lat", "--arrival --samples --max-p99.9",
     "--qps=2 --interval=1 --min-gbps=1"),
    ("read_bw", "--outstanding-reads", "--srq --imm --max-lost=1"),
    ("atomic_lat", "--atomic-type", "--size=64 --all --imm"),
    ("serve", "--once --device",
     "--size=2 --transport=UD --wait=2 --loopback"),
    ("devices", "--device --gid-index --json", "--port=2"),
    ("check", "--device --json --hugepages --dscp", "--port=2 --duration=2"),
    ("calibrate", "--clock --cpus --json --title", "--device=x --port=2"),
    ("reg_mr", "--size --pattern --access --threads --max-p99 --histogram",
     "--qps=2 --transport=UC --once --min-gbps=1"),
])
def test_options_are_those_that_the_parser_takes(command, wanted, refused):
    offered = set(offers(command, "--"))
    assert set(wanted.split()) <= offered
    loopback = ["--loopback"] if command in TESTS else []
    for option in refused.split():
        name = option.partition("=")[0]
        assert name not in offered
        done = subprocess.run([PROGRAM, command, *loopback, option],
                              capture_output=True, text=True, timeout=60,
                              check=False)
        assert done.returncode == 2
        assert f"error: {name}" in done.stderr


def test_options_are_all_of_the_table():
    usage = subprocess.run([PROGRAM, "--help"], capture_output=True,
                           text=True, timeout=60, check=True).stdout
    every = set(re.findall(r"^  (?:-\w,|   ) (--[\w.-]+)", usage, re.M))
    offered = {o for command in COMMANDS for o in offers(command, "--")}
    assert offered | {"--version"} == every


@pytest.mark.parametrize("words, wanted", [
    (("--transport", ""), ["RC", "UC", "UD", "XRC"]),
    (("-c", "U"), ["UC", "UD"]),
    (("--transport", "U"), ["UC", "UD"]),
    (("--transport", "="), ["RC", "UC", "UD", "XRC"]),
    (("--transport", "=", "R"), ["RC"]),
    (("--numa", ""), ["auto", "none"]),
    (("--title", ""), []),
    (("--size", "="), []),
    (("--loopback", "--tran"), ["--transport"]),
])
def test_values(words, wanted):
    assert offers("send_bw", *words) == wanted


@pytest.mark.parametrize("words, wanted", [
    (("read_bw", "-c", ""), ["RC", "XRC"]),
    (("atomic_lat", "--transport", ""), ["RC", "XRC"]),
    (("write_lat", "--transport", "="), ["RC", "UC", "XRC"]),
    (("send_lat", "-c", ""), ["RC", "UC", "UD", "XRC"]),
    (("atomic_bw", "--atomic-type", "C"), ["CMP_AND_SWAP"]),
    (("serve", "-c", ""), []),
    (("write_lat", "--arrival", ""), ["fixed", "poisson"]),
    (("-c", ""), ["RC", "UC", "UD", "XRC"]),
])
def test_values_are_those_that_the_command_takes(words, wanted):
    """Reads are not done over UC and UD."""
    assert offers(*words) == wanted


def test_the_command_may_follow_options():
    assert offers("--device", "serve", "-c", "UD", "se") == [
        "send_bw", "send_lat", "serve"]
    assert offers("--title", "=", "serve", "read_lat", "--percen") == [
        "--percentiles"]
    assert offers("--json", "cal") == ["calibrate"]


def test_files(tmp_path):
    (tmp_path / "result.json").touch()
    (tmp_path / "other.csv").touch()
    for words in (("--samples", ""), ("--json", "=")):
        assert sorted(offers("read_lat", *words, folder=tmp_path)) == [
            "other.csv", "result.json"]
    assert offers("read_lat", "--samples", "re", folder=tmp_path) == [
        "result.json"]


def test_devices(devices):
    for words in (("write_bw", "-d", ""), ("devices", "--device", "=")):
        assert sorted(offers(*words, script=devices)) == ["mlx5_0", "rxe0"]
    assert offers("serve", "--device", "rx", script=devices) == ["rxe0"]


def test_no_devices(tmp_path):
    script = tmp_path / "verbsperf"
    script.write_text(BASH.read_text().replace(SYSFS, "/nowhere/at/all"))
    assert offers("write_bw", "-d", "", script=script) == []


# Where compadd would show what it found, it writes it to a file.  What compinit
# found is kept for the next zsh: it reads each function that zsh comes with.
ZSHRC = """
PS1=ready-
LISTMAX=9999
fpath=({folder} $fpath)
autoload -Uz compinit
compinit -u -C -d {dump}
compadd() {{
	local -a found
	local word
	for word in "$@"; do
		[[ $word = (-|--) ]] && break
		if [[ $word = -*[OAD] ]]; then
			builtin compadd "$@"
			return
		fi
	done
	builtin compadd -O found "$@"
	(( $#found )) && print -rl -- $found >>{out}
	builtin compadd "$@"
}}
finish() {{ print end >>{out} }}
comppostfuncs=(finish)
"""


def zsh_offers(folder, line):
    """What zsh offers when TAB is pressed at the end of LINE."""
    out = folder / "out"
    out.unlink(missing_ok=True)
    (folder / ".zshrc").write_text(ZSHRC.format(
        folder=ZSH.parent, out=out, dump=folder.parent / "zcompdump"))
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(ZDOTDIR=str(folder), TERM="xterm")
        os.execvp("zsh", ["zsh", "-d", "-i"])
    shown, pressed, until = b"", False, time.monotonic() + 120
    try:
        while time.monotonic() < until and not (
                out.exists() and out.read_text().endswith("end\n")):
            if select.select([terminal], [], [], 0.05)[0]:
                shown += os.read(terminal, 4096)
            if not pressed and b"ready-" in shown:
                os.write(terminal, line.encode() + b"\t")
                pressed = True
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert out.exists(), shown
    return out.read_text().split()[:-1]


NAMES = ["cluster", "compare", "plot", "selftest", "sweep"]


@pytest.mark.parametrize("name", NAMES)
def test_options_of_scripts(name):
    """All that --help says, and nothing else."""
    status, text, _ = run(f"verbsperf-{name}", "--help")
    assert status == 0
    every = set(re.findall(r"^  (?:-\w,? (?:\w+, )?)?(--[\w-]+)", text, re.M))
    assert set(offers("--", command=f"verbsperf-{name}")) == every
    assert set(offers("x", "--", command=f"/bin/verbsperf-{name}")) == every


@pytest.mark.parametrize("name, words, wanted", [
    ("cluster", ("--pattern", "in"), ["incast"]),
    ("cluster", ("--pattern", "=", "r"), ["ring", "random", "rails"]),
    ("cluster", ("--launch", "s"), ["ssh", "slurm"]),
    ("cluster", ("--nodes", "write_bw", "wr"), ["write_bw", "write_lat"]),
    ("cluster", ("--resume", "qui"), ["quick"]),
    ("cluster", ("--pattern", "ring", "write_bw", "--transport", "U"),
     ["UC"]),
    ("cluster", ("write_bw", "--siz"), ["--size"]),
    ("cluster", ("--pattern", "ring", "write_bw", ""), []),
    ("cluster", ("quick", "--tran"), []),
    ("compare", ("--format", "j"), ["json", "junit"]),
    ("plot", ("-k", ""), None),
    ("sweep", ("qui",), ["quick"]),
    ("sweep", ("--rounds", ""), []),
    ("selftest", ("--only", ""), []),
])
def test_words_of_scripts(name, words, wanted, tmp_path):
    found = offers(*words, command=f"verbsperf-{name}", folder=tmp_path)
    assert found == wanted or wanted is None and found


@pytest.mark.parametrize("name, words", [
    ("cluster", ("",)), ("cluster", ("--html", "")), ("compare", ("",)),
    ("compare", ("a.json", "")), ("plot", ("-o", "")), ("sweep", ("-o", "")),
    ("sweep", ("",)), ("plot", ("a.json", ""))])
def test_files_of_scripts(name, words, tmp_path):
    (tmp_path / "fabric.jsonl").touch()
    assert "fabric.jsonl" in offers(*words, command=f"verbsperf-{name}",
                                    folder=tmp_path)


def test_devices_of_scripts(devices):
    assert sorted(offers("--devices", "", command="verbsperf-cluster",
                         script=devices)) == ["mlx5_0", "rxe0"]
    assert sorted(offers("--devices", "x", "write_lat", "--cp",
                         command="verbsperf-cluster")) == ["--cpu", "--cpus"]


@pytest.mark.parametrize("test", TESTS)
def test_options_of_perftest(test):
    """All that --help of that name lists; nothing of verbsperf's own."""
    usage = subprocess.run(["bash", "-c", 'exec -a "$0" "$1" --help',
                            f"ib_{test}", PROGRAM], capture_output=True,
                           text=True, timeout=60, check=False).stdout
    every = re.findall(r"^  (?:-\w,|   ) (--[\w.-]+)", usage, re.M)
    assert len(every) > 90 and {"--use_cuda", "--help", "--noPeak"} < set(every)
    assert sorted(offers("--", command=f"ib_{test}")) == sorted(every)


@pytest.mark.parametrize("words, wanted", [
    (("--report_g",), ["--report_gbits"]),
    (("-c", "U"), ["UC", "UD"]),
    (("--connection", "=", "X"), ["XRC"]),
    (("--rate_units", ""), ["M", "g", "p"]),
    (("host", "--output", "=", "l"), ["latency"]),
    (("-n", ""), []),
    (("--musa",), []), (("h", "--report_g"), ["--report_gbits"]),
])
def test_values_of_perftest(words, wanted):
    assert offers(*words, command="ib_write_bw") == wanted


def test_places_of_perftest(tmp_path, devices):
    (tmp_path / "out.json").touch()
    assert offers("--out_json_file", "o", command="ib_read_lat",
                  folder=tmp_path) == ["out.json"]
    assert sorted(offers("-F", "-d", "", command="ib_read_lat",
                         script=devices)) == ["mlx5_0", "rxe0"]
    text = BASH.read_text()
    assert re.search(r"^complete .*(\\\n.*)*ib_\{send", text, re.M)


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_zsh_of_perftest(tmp_path):
    assert zsh_offers(tmp_path, "ib_send_bw -c U") == ["UC", "UD"]
    assert zsh_offers(tmp_path, "ib_atomic_lat host --report_g") == [
        "--report_gbits"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_zsh_of_scripts(tmp_path):
    assert zsh_offers(tmp_path, "verbsperf-cluster --pattern=in") == ["incast"]
    assert "--join-timeout" in zsh_offers(tmp_path, "verbsperf-cluster --")
    assert zsh_offers(
        tmp_path, "verbsperf-cluster --pattern ring send_bw --transport=U"
    ) == ["UC", "UD"]
    assert "quick" in zsh_offers(tmp_path, "verbsperf-sweep -o x ")
    assert "junit" in zsh_offers(tmp_path, "verbsperf-compare --format ")


@pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
def test_zsh(tmp_path):
    assert zsh_offers(tmp_path, "verbsperf ") == COMMANDS
    assert zsh_offers(tmp_path, "verbsperf send_bw --transport=U") == [
        "UC", "UD"]
    assert zsh_offers(tmp_path, "verbsperf write_bw -c ") == [
        "RC", "UC", "XRC"]
    assert sorted(zsh_offers(tmp_path, "verbsperf calibrate --")) == [
        "--clock", "--cpus", "--help", "--json", "--title"]
