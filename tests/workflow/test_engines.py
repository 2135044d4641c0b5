"""A run on a cluster gives the same bytes as a local run.

The run on a real Slurm cluster of one node takes one or two minutes of CPU time; submission, grouping and polling of
jobs cannot be tested at a lower cost.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.workflow.slurm import ACCOUNTING, PROGRAMS, cluster, lacking
from tests.workflow.tiny import ROOT, Clone, unlike

pytestmark = pytest.mark.workflow


def needs(plugin: str) -> pytest.MarkDecorator:
    """Return the mark that skips a test if a plugin of Snakemake is not installed."""
    missing = importlib.util.find_spec(f"snakemake_executor_plugin_{plugin.replace('-', '_')}") is None
    return pytest.mark.skipif(missing, reason=f"pip install snakemake-executor-plugin-{plugin}")


@pytest.fixture(params=[False, True], ids=["without accounting", "with accounting"])
def slurm(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Start a Slurm cluster of one node; skip the test if its programs are not installed."""
    missing = lacking((*PROGRAMS, *(ACCOUNTING if request.param else ())))
    if missing or os.geteuid():
        pytest.skip(f"needs {', '.join(missing) or 'to be root'}")
    with (
        tempfile.TemporaryDirectory(prefix="slurm") as folder,
        cluster(Path(folder), accounting=request.param) as found,
    ):
        yield found


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        pytest.param("slurm", "with external jobid", marks=needs("cluster-generic")),
        pytest.param("slurm-plugin", "has been submitted with SLURM jobid", marks=needs("slurm")),
    ],
)
def test_slurm_run_equals_a_local_run(
    profile: str, message: str, slurm: dict[str, str], clean: Clone, fresh: Clone
) -> None:
    done = fresh.run("--profile", f"profiles/{profile}", **slurm)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(message) == 3, "short jobs are submitted in groups"
    assert clean.digests().keys() == fresh.digests().keys()
    assert not unlike(clean, fresh)


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


def test_status_script_maps_the_states_of_slurm(tmp_path: Path) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text('#!/bin/sh\necho "$STATE"\n', encoding="utf-8")
    scontrol.chmod(0o755)
    for state, told in STATES.items():
        asked = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "STATE": state}
        status = [str(ROOT / "profiles/slurm/status.sh"), "7"]
        assert subprocess.run(status, env=asked, capture_output=True, text=True, check=True).stdout == f"{told}\n"


def test_profiles_do_not_change_the_cores_of_a_rule() -> None:
    for path in ROOT.glob("profiles/*/config.yaml"):
        assert "cpus_per_task" not in yaml.safe_load(path.read_text(encoding="utf-8")).get("default-resources", {}), (
            path
        )
