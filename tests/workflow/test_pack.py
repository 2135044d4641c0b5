"""The targets pack and take: a run's costly results spare another clone its fits, and change no byte."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.workflow.test_reruns import KERNEL_EDIT, planned
from tests.workflow.tiny import Clone, unlike

pytestmark = pytest.mark.workflow


def test_a_pack_spares_every_fit_and_no_edited_one(copy: Clone, clean: Clone) -> None:
    packed = copy.run_warm("--cores", "1", "pack")
    assert packed.returncode == 0, packed.stdout
    named = re.findall(r"--config (pack=results.tar.gz sha256=[0-9a-f]{64})", packed.stdout)[-1].split()
    costly = ("fit", "score", "measure", "compare", "figure", "table", "page", "provenance")
    for folder in ("predictions", "timings", "scores", "papers", "report", *(f"benchmarks/{name}" for name in costly)):
        shutil.rmtree(copy.folder / "results" / folder, ignore_errors=True)
    taken = copy.run_warm("--cores", "1", "take", "--config", *named)
    assert taken.returncode == 0, taken.stdout
    assert not {"fit", "score", "measure", "features", "split", "parse"} & planned(copy).keys()
    done = copy.run_warm("--cores", "1")
    assert done.returncode == 0, done.stdout
    assert unlike(clean, copy) == []
    shutil.rmtree(copy.folder / "results/predictions")
    copy.edit("src/textmix/models/dirichlet/edcm_kernels.py", *KERNEL_EDIT)
    again = copy.run_warm("--cores", "1", "take", "--config", *named)
    assert again.returncode == 0, again.stdout
    assert planned(copy)["fit"] == 2
