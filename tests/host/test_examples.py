"""What is in examples/ and the nightly unit, step by step, on the fake NIC.

The steps are run as they are written; what is built is a stand-in, of the size
of a release, for a build takes minutes and has tests of its own."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tarfile

import pytest

import lab

yaml = pytest.importorskip("yaml")
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES, SCRIPTS = TOP / "examples", TOP / "scripts"
CONFIGURE = """#!/bin/sh
for word; do
	case $word in --prefix=*) echo "prefix = ${word#*=}" > config.mk ;; esac
done
"""
MAKEFILE = """include config.mk
install:
	mkdir -p $(prefix)/bin
	cp -P bin/* $(prefix)/bin
"""
SUITE = "defaults: --duration 0.2 --warmup 0.05\nwrite_bw: --size 4K\n"


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path):
    """A folder with all commands, of which verbsperf has the fake NIC."""
    folder = tmp_path / "programs"
    folder.mkdir()
    real = os.path.abspath(shutil.which(lab.BINARY) or lab.BINARY)
    executable(folder / "verbsperf", "#!/bin/sh\n"
               f"LD_PRELOAD={os.environ['VERBSPERF_PRELOAD']} "
               f"exec {real} \"$@\"\n")
    for name in ("sweep", "compare", "plot", "cluster"):
        (folder / f"verbsperf-{name}").symlink_to(
            SCRIPTS / f"verbsperf-{name}")
    return folder


@pytest.fixture
def host(tmp_path, programs):
    """The variables of a runner; its tarball is a stand-in."""
    source = tmp_path / "verbsperf-0"
    source.mkdir()
    executable(source / "configure", CONFIGURE)
    (source / "Makefile").write_text(MAKEFILE)
    shutil.copytree(programs, source / "bin", symlinks=True)
    with tarfile.open(tmp_path / "release.tar.xz", "w:xz") as archive:
        archive.add(source, "verbsperf-0")
    (tmp_path / "suite").write_text(SUITE)
    (tmp_path / "work").mkdir()
    kept = {name: value for name, value in os.environ.items()
            if name not in ("VERBSPERF", "GITHUB_STEP_SUMMARY")}
    return {**kept, "PATH": f"/usr/bin:{kept['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1", "TARBALL": str(tmp_path / "release.tar.xz"),
            "TARGET": "loopback:fake0", "SUITE": str(tmp_path / "suite"),
            "ROUNDS": "6", "BASE": str(tmp_path / "kept/base.jsonl")}


def bash(script, folder, environment):
    """SCRIPT as a runner runs it: (status, what it printed)."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, text=True,
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, timeout=300, check=False)
    return done.returncode, done.stdout


def load(name):
    return yaml.safe_load((EXAMPLES / name).read_text())


def same_names(example, host):
    """Every variable of EXAMPLE is one that HOST replaces."""
    assert {name for name in example if name in host} == set(example), example


class Github:
    """Runs the steps of the job for an event, as GitHub does."""

    def __init__(self, host, folder):
        self.folder = folder
        self.host = {**host, "GITHUB_WORKSPACE": str(folder),
                     "GITHUB_PATH": str(folder / "path"),
                     "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
        (folder / "path").write_text("")

    def run(self, job, event):
        """{name: (status, output)} of the steps until one fails."""
        found = {}
        for step in job["steps"]:
            when = step.get("if", "")
            asked = re.fullmatch(r"github.event_name == '(\w+)'", when)
            assert asked or when in ("", "always()"), when
            if "run" not in step or asked and asked[1] != event:
                continue
            more = (self.folder / "path").read_text().split()
            path = ":".join([*more[::-1], self.host["PATH"]])
            found[step["name"]] = bash(step["run"], self.folder,
                                       {**self.host, "PATH": path})
            if found[step["name"]][0]:
                break
        return found


def test_the_workflow_of_github(host, tmp_path):
    """A push keeps the base, and a pull request is compared with it."""
    workflow = load("github-actions.yml")
    assert set(workflow[True]) == {"push", "pull_request"}  # "on"
    job, = workflow["jobs"].values()
    assert "self-hosted" in job["runs-on"]
    same_names(job["env"], host)
    (tmp_path / "work/a").mkdir()
    found = Github(host, tmp_path / "work/a").run(job, "push")
    assert [status for status, _ in found.values()] == [0, 0, 0], found
    assert "measured: 1 point" in found["Measure"][1]
    assert pathlib.Path(host["BASE"]).exists()
    (tmp_path / "work/b").mkdir()
    found = Github(host, tmp_path / "work/b").run(job, "pull_request")
    status, text = found["Compare with the main branch"]
    assert status in (0, 1, 2) and "Traceback" not in text
    assert re.search("^(regression|inconclusive|within tolerance): 1 ", text,
                     re.M), text
    summary = (tmp_path / "work/b/summary.md").read_text()
    assert "| point | metric | base | new | change |" in summary
    assert "**measured: 1 point**" in summary


def test_a_pull_request_before_any_push_fails(host, tmp_path):
    """Nothing to compare with is no success."""
    job, = load("github-actions.yml")["jobs"].values()
    found = Github(host, tmp_path / "work").run(job, "pull_request")
    status, text = found["Compare with the main branch"]
    assert status == 2 and "base.jsonl: No such file" in text


def jobs_of(pipeline):
    """The jobs of a pipeline of GitLab, in the order of its stages."""
    jobs = {name: job for name, job in pipeline.items()
            if isinstance(job, dict) and "script" in job}
    return sorted(jobs.items(), key=lambda one:
                  pipeline["stages"].index(one[1]["stage"]))


def test_the_pipeline_of_gitlab(host, tmp_path):
    junitparser = pytest.importorskip("junitparser")
    pipeline = load("gitlab-ci.yml")
    same_names(pipeline["variables"], host)
    folder = tmp_path / "work"
    found = {}
    for branch in (True, False):
        for name, job in jobs_of(pipeline):
            rule = job.get("rules", [{}])[0].get("if", "")
            if rule and ("CI_DEFAULT_BRANCH" in rule) != branch:
                continue
            shutil.rmtree(folder / "source", ignore_errors=True)
            found[name] = bash("\n".join(job["script"]), folder, {
                **host, "CI_PROJECT_DIR": str(folder)})
    assert [found[name][0] for name in ("build", "measure", "keep")] == [0] * 3
    status, text = found["compare"]
    assert status in (0, 1, 2) and " change " in text, text
    xml = junitparser.JUnitXml.fromstring((folder / "compare.xml").read_bytes())
    assert xml.tests == 1 and len(found) == 4
    for paths in (job["artifacts"].get("paths", [])
                  for _, job in jobs_of(pipeline) if "artifacts" in job):
        assert all((folder / path).exists() for path in paths)


# --- the nightly unit ---

def settings(name):
    """[(key, value)] of a unit."""
    lines = (SCRIPTS / name).read_text().splitlines()
    return [tuple(line.split("=", 1)) for line in lines
            if "=" in line and not line.startswith("#")]


def commands(programs):
    """The commands of the service, in the order in which they run."""
    service = dict(settings("verbsperf-nightly.service.in"))
    return [service[key].lstrip("-").replace("@bindir@", str(programs))
            for key in ("ExecStartPre", "ExecStart", "ExecStopPost")]


def test_two_nights(programs, host, tmp_path):
    """Each adds a line to the history, of which there is a picture."""
    pytest.importorskip("matplotlib")
    host["VERBSPERF_NIGHTLY"] = f"--rounds 2 {host['SUITE']} {host['TARGET']}"
    for _ in range(2):
        for command in commands(programs):
            words = shlex.split(os.path.expandvars(command.replace(
                "$VERBSPERF_NIGHTLY", host["VERBSPERF_NIGHTLY"])))
            done = subprocess.run(words, cwd=tmp_path, env=host, text=True,
                                  capture_output=True, timeout=120,
                                  check=False)
            assert done.returncode == 0, done
    lines = [json.loads(line) for line in
             (tmp_path / "history.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    assert len(lines[1]["points"][0]["values"]["gbps"]) == 2
    assert "</svg>" in (tmp_path / "history.svg").read_text()


def test_systemd_takes_the_units(programs, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("there is no systemd-analyze")
    for name in ("verbsperf-nightly.service", "verbsperf-nightly.timer"):
        source = SCRIPTS / name
        if not source.exists():
            source = SCRIPTS / f"{name}.in"
        (tmp_path / name).write_text(source.read_text().replace(
            "@bindir@", str(programs)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no",
         tmp_path / "verbsperf-nightly.timer",
         tmp_path / "verbsperf-nightly.service"],
        capture_output=True, text=True, timeout=60, check=False)
    ours = [line for line in done.stderr.splitlines() if "nightly" in line]
    assert (done.returncode, ours) == (0, []), done


# --- Kubernetes ---

def test_the_job_of_kubernetes(programs, host, tmp_path):
    """Its pods are processes here, of another number."""
    service, job = yaml.safe_load_all(
        (EXAMPLES / "kubernetes-cluster.yaml").read_text())
    assert (service["kind"], service["spec"]["clusterIP"]) == (
        "Service", "None")
    assert service["spec"]["selector"].items() <= job["spec"]["template"][
        "metadata"]["labels"].items()
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert spec["completionMode"] == "Indexed"
    assert spec["completions"] == spec["parallelism"] == 4
    assert pod["subdomain"] == service["metadata"]["name"]
    container, = pod["containers"]
    given = {one["name"]: one.get("value") for one in container["env"]}
    assert given["NODES"] == (
        f"rdma-test-[0-{spec['completions'] - 1}].rdma-test")
    script, = container["args"]
    name = "rdma-test-$JOB_COMPLETION_INDEX.rdma-test"
    assert name in script
    host.update({**given, "NODES": "127.0.0.[1-2]",
                 "COORDINATOR": "127.0.0.1", "POD_IP": "127.0.0.1",
                 "TEST": "write_bw --duration 0.2",
                 "VERBSPERF_CLUSTER_KEY": "sixteen letters and more",
                 "PATH": f"{programs}:{host['PATH']}",
                 "LD_PRELOAD": os.environ["VERBSPERF_PRELOAD"]})
    pods = [subprocess.Popen(
        [*container["command"], script.replace(
            name, "127.0.0.$((JOB_COMPLETION_INDEX + 1))")],
        text=True, cwd=tmp_path,
        env={**host, "JOB_COMPLETION_INDEX": str(index)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for index in (0, 1)]
    out = [pod.communicate(timeout=120)[0] for pod in pods]
    assert [pod.returncode for pod in pods] == [0, 0], out
    assert "2 of 2 nodes took part" in out[0], out


# --- Nagios ---

@pytest.mark.parametrize("words, status, line", (
    (("--min-gbps", "1e-6"), 0, r"OK: write_bw: ok \| gbps=[\d.]+"),
    # verbsperf's 3 would be UNKNOWN
    (("--min-gbps", "1e6"), 2,
     r"CRITICAL: write_bw: limit: limit not met: .* \| gbps=[\d.]+"),
    (("-d", "none"), 2, r"CRITICAL: write_bw: failed: error: .*none.* \|"),
    (("--sizes",), 3, r"UNKNOWN: verbsperf: not started: error: .* \|")))
def test_a_plugin_has_the_numbers_of_nagios(programs, host, words, status,
                                            line):
    done = subprocess.run(
        ["sh", EXAMPLES / "check_verbsperf", "write_bw", "--loopback", "-n",
         "100", "-d", "fake0", *words], text=True, capture_output=True,
        env={**host, "PATH": f"{programs}:{host['PATH']}"}, timeout=60,
        check=False)
    assert done.returncode == status, done
    assert re.fullmatch(f"VERBSPERF {line}\n", done.stdout), done
