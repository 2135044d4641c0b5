"""On a cluster the workflow makes the bytes of a local run.

A run on a real Slurm of one node takes a minute or two of CPU: that jobs are submitted, grouped, waited for and found
done can be seen in no cheaper way.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflow.slurm import ACCOUNTING, PROGRAMS, cluster, lacking
from tests.workflow.test_determinism import content
from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

#: Runs a job script in the background and prints the id of its process, as a submit command of a cluster does.
SUBMIT = '#!/bin/sh\nfor script; do :; done\nnohup sh "$script" > /dev/null 2>&1 &\necho $!\n'


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
    plugin("slurm")
    missing = lacking((*PROGRAMS, *(ACCOUNTING if request.param else ())))
    if missing or os.geteuid():
        pytest.skip(f"needs {', '.join(missing) or 'to be root'}")
    with (
        tempfile.TemporaryDirectory(prefix="slurm") as folder,
        cluster(Path(folder), accounting=request.param) as found,
    ):
        yield found


def test_slurm_makes_the_bytes_of_a_local_run(slurm: dict[str, str], clean: Clone, fresh: Clone) -> None:
    done = fresh.run("--profile", "profiles/slurm", **slurm)
    assert done.returncode == 0, done.stdout
    submissions = done.stdout.count("has been submitted with SLURM jobid")
    assert submissions == 3, "short jobs are submitted in groups"
    same(clean, fresh)


def test_a_generic_cluster_makes_the_bytes_of_a_local_run(clean: Clone, fresh: Clone) -> None:
    plugin("cluster_generic")
    submit = fresh.folder / "submit"
    submit.write_text(SUBMIT, encoding="utf-8")
    submit.chmod(0o755)
    done = fresh.run("--profile", "profiles/cluster-generic", "--cluster-generic-submit-cmd", str(submit))
    assert done.returncode == 0, done.stdout
    same(clean, fresh)
