"""On a cluster the workflow makes the bytes of a local run.

A run on a real Slurm of one node takes a minute or two of CPU: that jobs are submitted, grouped, waited for and found
done can be seen in no cheaper way.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.workflow.slurm import ACCOUNTING, PROGRAMS, cluster, lacking
from tests.workflow.test_determinism import content
from tests.workflow.tiny import ROOT, Clone

pytestmark = pytest.mark.workflow

#: Runs a job script in the background and prints the id of its process, as a submit command of a cluster does.
SUBMIT = '#!/bin/sh\nfor script; do :; done\nnohup sh "$script" > /dev/null 2>&1 &\necho $!\n'

#: Stands in for kubectl: creates a Job by running its command in the background, and tells its condition.
KUBECTL = """#!{python}
import json, os, subprocess, sys, uuid
from pathlib import Path

jobs = Path(os.environ["JOBS"])
if sys.argv[1] == "create":
    job, name = json.load(sys.stdin), "textmix-" + uuid.uuid4().hex[:5]
    (jobs / name).write_text(json.dumps(job))
    pod = job["spec"]["template"]["spec"]["containers"][0]
    command = f'"$@"; echo $? > "{{jobs}}/{{name}}.ended"'
    subprocess.Popen(["sh", "-c", command, "pod", *pod["command"]], cwd=pod["workingDir"], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, start_new_session=True)
    print(name, end="")
elif sys.argv[1] == "get":
    ended, conditions = jobs / (sys.argv[3] + ".ended"), ""
    if ended.exists():
        conditions = "FailureTarget Failed" if ended.read_text().strip() != "0" else "SuccessCriteriaMet Complete"
    print("found", conditions)
"""


def plugin(name: str) -> None:
    """Skip a test where a plugin of Snakemake is not installed."""
    if importlib.util.find_spec(f"snakemake_executor_plugin_{name}") is None:
        pytest.skip(f"pip install snakemake-executor-plugin-{name.replace('_', '-')}")


def same(here: Clone, there: Clone) -> None:
    """Check that two runs made the same results, measured times aside."""
    digests = here.digests()
    assert digests.keys() == there.digests().keys()
    assert len(digests) > 50
    unlike = [name for name, digest in digests.items() if there.digests()[name] != digest]
    assert [name for name in unlike if content(here, name) != content(there, name)] == []


@pytest.fixture(params=[False, True], ids=["without accounting", "with accounting"])
def slurm(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """A Slurm of one node; a test that asks for it is skipped where its programs are not installed."""
    missing = lacking((*PROGRAMS, *(ACCOUNTING if request.param else ())))
    if missing or os.geteuid():
        pytest.skip(f"needs {', '.join(missing) or 'to be root'}")
    with (
        tempfile.TemporaryDirectory(prefix="slurm") as folder,
        cluster(Path(folder), accounting=request.param) as found,
    ):
        yield found


@pytest.mark.parametrize(
    ("profile", "needs", "said"),
    [
        ("slurm", "cluster_generic", "with external jobid"),
        ("slurm-plugin", "slurm", "has been submitted with SLURM jobid"),
    ],
)
def test_slurm_makes_the_bytes_of_a_local_run(
    profile: str, needs: str, said: str, slurm: dict[str, str], clean: Clone, fresh: Clone
) -> None:
    plugin(needs)
    done = fresh.run("--profile", f"profiles/{profile}", **slurm)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(said) == 3, "short jobs are submitted in groups"
    same(clean, fresh)


#: State of a job by the controller -> its state for Snakemake.
STATES = {
    "JobId=7 JobState=COMPLETED Reason=None": "success",
    "JobId=7 JobState=COMPLETING Reason=None": "running",
    "JobId=7 JobState=PENDING Reason=Priority": "running",
    "JobId=7 JobState=OUT_OF_MEMORY Reason=OutOfMemory": "failed",
    "JobId=7 JobState=TIMEOUT Reason=TimeLimit": "failed",
    "slurm_load_jobs error: Invalid job id specified": "failed",
    "slurm_load_jobs error: Unable to contact slurm controller": "running",
}


def test_the_state_of_a_job_is_told_as_the_controller_knows_it(tmp_path: Path) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text('#!/bin/sh\necho "$STATE"\n', encoding="utf-8")
    scontrol.chmod(0o755)
    for state, told in STATES.items():
        asked = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "STATE": state}
        status = [str(ROOT / "profiles/slurm/status.sh"), "7"]
        assert subprocess.run(status, env=asked, capture_output=True, text=True, check=True).stdout == f"{told}\n"


def test_no_profile_gives_a_job_other_cores_than_its_rule() -> None:
    for path in ROOT.glob("profiles/*/config.yaml"):
        assert "cpus_per_task" not in yaml.safe_load(path.read_text(encoding="utf-8")).get("default-resources", {}), (
            path
        )


def test_a_generic_cluster_makes_the_bytes_of_a_local_run(clean: Clone, fresh: Clone) -> None:
    plugin("cluster_generic")
    submit = fresh.folder / "submit"
    submit.write_text(SUBMIT, encoding="utf-8")
    submit.chmod(0o755)
    done = fresh.run("--profile", "profiles/cluster-generic", "--cluster-generic-submit-cmd", str(submit))
    assert done.returncode == 0, done.stdout
    same(clean, fresh)


def test_kubernetes_makes_the_bytes_of_a_local_run(clean: Clone, fresh: Clone, tmp_path: Path) -> None:
    plugin("cluster_generic")
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL.format(python=sys.executable), encoding="utf-8")
    kubectl.chmod(0o755)
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    asked = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "JOBS": str(jobs),
        "TEXTMIX_IMAGE": "textmix:test",
        "TEXTMIX_CLAIM": "work",
        "TEXTMIX_VOLUME": str(fresh.folder.resolve()),
    }
    done = fresh.run("--profile", "profiles/kubernetes", **asked)
    assert done.returncode == 0, done.stdout
    same(clean, fresh)
    manifests = [json.loads(path.read_text(encoding="utf-8")) for path in jobs.glob("textmix-?????")]
    assert len(manifests) == done.stdout.count("with external jobid")
    for manifest in manifests:
        pod = manifest["spec"]["template"]["spec"]
        assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == "work"
        assert pod["containers"][0]["image"] == "textmix:test"
        assert int(pod["containers"][0]["resources"]["limits"]["memory"].removesuffix("M")) > 0


def test_a_pod_runs_the_code_of_the_volume(tmp_path: Path) -> None:
    """The image has textmix of its own; an edit on the volume counts all the same."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text("#!/bin/sh\n/bin/cat > job.json\n", encoding="utf-8")
    kubectl.chmod(0o755)
    asked = {
        "PATH": str(tmp_path),
        "TEXTMIX_IMAGE": "i",
        "TEXTMIX_CLAIM": "c",
        "TEXTMIX_VOLUME": str(tmp_path.resolve()),
    }
    submit = [str(ROOT / "profiles/kubernetes/submit.py"), "--threads", "1", "--megabytes", "100", "--minutes", "1"]
    subprocess.run([sys.executable, *submit, "job.sh"], cwd=tmp_path, env=asked, check=True)
    job = json.loads((tmp_path / "job.json").read_text(encoding="utf-8"))
    (pod,) = job["spec"]["template"]["spec"]["containers"]
    assert {"name": "PYTHONPATH", "value": str(tmp_path.resolve() / "src")} in pod["env"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "TEXTMIX_VOLUME is not set"),
        ({"TEXTMIX_VOLUME": "/nowhere"}, "start the run in a folder of the volume"),
    ],
)
def test_a_kubernetes_job_that_could_not_run_is_not_submitted(asked: dict[str, str], said: str) -> None:
    submit = ROOT / "profiles/kubernetes/submit.py"
    command = [sys.executable, str(submit), "--threads", "1", "--megabytes", "100", "--minutes", "1", "job.sh"]
    done = subprocess.run(command, env={"PATH": ""} | asked, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr
