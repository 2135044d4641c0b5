"""Exactly the jobs run again that an edit can change."""

from __future__ import annotations

import os
import re
import shutil

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

#: One of the fits that the edit of the kernel changes.
FIT = "results/predictions/edcm/smoothing/tiny_news/edcm"
#: Edits of code that change numbers: text before and after.
KERNEL_EDIT = ("row[np.uint64(indices[i])] += weight[d]", "row[np.uint64(indices[i])] += 2.0 * weight[d]")
METRIC_EDIT = ("return float(np.mean(true == predicted))", "return float(np.mean(true == predicted) / 2.0)")


def planned(clone: Clone, *arguments: str) -> dict[str, int]:
    """Return rule -> number of jobs that a dry run would start."""
    done = clone.run_warm("-n", *arguments)
    assert done.returncode == 0, done.stdout
    stats = done.stdout.rpartition("Job stats:")[2]
    table = re.findall(r"^(\w+) +(\d+)$", stats, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in table if rule != "total"}


def test_comment_docstring_touch_cores_and_hash_seed_rerun_nothing(copy: Clone) -> None:
    copy.edit("src/textmix/models/dirichlet/edcm_kernels.py", '"""', '"""Another docstring than before. ')
    copy.edit("src/textmix/models/dirichlet/edcm.py", "from __future__", "# a comment\nfrom __future__")
    for path in (copy.folder / "src").rglob("*.py"):
        os.utime(path)
    done = copy.run_warm("--cores", "1")
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout


def test_kernel_constant_reruns_exactly_its_stages_and_changes_the_numbers(copy: Clone) -> None:
    before = copy.digests()
    copy.edit("src/textmix/models/dirichlet/edcm_kernels.py", *KERNEL_EDIT)
    jobs = planned(copy)
    assert jobs["fit"] == 2, "the EDCM fits of table 1 and of the smoothing table, and no other"
    assert not {"fetch", "parse", "features", "split", "measure"} & jobs.keys()
    done = copy.run_warm("--cores", "1", FIT)
    assert done.returncode == 0, done.stdout
    after = copy.digests()
    changed = {name for name in before if before[name] != after[name]}
    predictions = {name.split("/")[5] for name in changed if name.startswith("results/predictions/")}
    assert predictions == {"edcm"}
    assert any(name.endswith("true_log_proba.npy") for name in changed), "Numba's cache kept the old kernel"


def test_kernel_edit_is_noticed_although_snakemake_forgot_everything(copy: Clone) -> None:
    shutil.rmtree(copy.folder / ".snakemake")
    assert planned(copy) == {}
    copy.edit("src/textmix/models/dirichlet/edcm_kernels.py", *KERNEL_EDIT)
    assert planned(copy)["fit"] == 2


def test_edited_published_number_reruns_only_the_comparison_and_what_shows_it(copy: Clone) -> None:
    copy.edit("config/papers/edcm/published.csv", "0.781", "0.782")
    jobs = planned(copy)
    assert set(jobs) <= {"compare", "table_edcm", "figure_edcm", "page", "crate", "accept", "all"}
    assert "compare" in jobs


def test_changed_metric_refits_nothing(copy: Clone) -> None:
    copy.edit("src/textmix/metrics/classification.py", *METRIC_EDIT)
    jobs = planned(copy)
    assert "score" in jobs
    assert "fit" not in jobs


def test_one_stage_can_be_forced(clean: Clone) -> None:
    jobs = planned(clean, "-R", "score")
    assert jobs["score"] > 0
    assert "fit" not in jobs


def test_snakemake_looks_at_ready_jobs_only_when_a_job_ends(copy: Clone) -> None:
    with open(copy.folder / "Snakefile", "a", encoding="utf-8") as snakefile:
        snakefile.write("\nonsuccess:\n    print('limit:', workflow.scheduler.job_rate_limiter)\n")
    for options, unlimited in (((), True), (("--max-jobs-per-timespan", "5/1s"), False)):
        printed = copy.run_warm("--cores", "1", "status", *options).stdout
        # The line alone, for pytest cuts a long text in its middle.
        assert [line == "limit: None" for line in printed.splitlines() if line.startswith("limit:")] == [unlimited]


def test_results_of_before_that_are_put_back_with_their_records_run_nothing(copy: Clone) -> None:
    # Why the trigger ``params`` of Snakemake is off: it compares with the last job here, and would run all these again.
    before = shutil.copytree(copy.folder / "results", copy.folder.parent / "results")
    config = copy.folder / "config/config.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("max_trials: 2", "max_trials: 1"), encoding="utf-8")
    assert copy.run_warm("--cores", "1", "results/papers/edcm/comparison.csv").returncode == 0
    config.write_text(text, encoding="utf-8")
    shutil.rmtree(copy.folder / "results")
    shutil.copytree(before, copy.folder / "results")
    assert planned(copy) == {}
