"""An edit of code, configuration, data or packages reruns exactly the affected jobs, by Snakemake's triggers."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.workflow.test_faults import hold, wait_until
from tests.workflow.test_messages import with_own_method
from tests.workflow.tiny import Clone, synthetic_tab, warm

pytestmark = pytest.mark.workflow

#: A fit that the edit of the kernel changes.
FIT = "results/predictions/edcm/smoothing/tiny_news/edcm"
#: Edits of code that change results: old and new text.
KERNEL = "src/textmix/models/dirichlet/edcm_kernels.py"
KERNEL_EDIT = ("row[np.uint64(indices[i])] += weight[d]", "row[np.uint64(indices[i])] += 2.0 * weight[d]")
METRIC = "src/textmix/metrics/classification.py"
METRIC_EDIT = ("return float(np.mean(true == predicted))", "return float(np.mean(true == predicted) / 2.0)")
#: Rules at the end of every run, which depend on all other jobs and their times.
ENDS = {
    *("compare", "table_edcm", "table_naive_bayes", "figure_edcm", "figure_naive_bayes", "page", "page_of_paper"),
    *("accept", "accept_first", "provenance", "crate", "all"),
}


def planned(clone: Clone, *arguments: str, said: tuple[str, ...] = (), **environment: str) -> dict[str, int]:
    """Return rule -> number of jobs of a dry run, whose output must contain `said`."""
    done = clone.run_warm("-n", *arguments, **environment)
    assert done.returncode == 0, done.stdout
    assert all(words in done.stdout for words in said), done.stdout
    stats = done.stdout.rpartition("Job stats:")[2]
    table = re.findall(r"^(\w+) +(\d+)$", stats, flags=re.MULTILINE)
    return {rule: int(count) for rule, count in table if rule != "total"}


def test_comments_timestamps_cores_and_hash_seed_rerun_nothing(copy: Clone) -> None:
    copy.edit(KERNEL, '"""', '"""Another docstring than before. ')
    copy.edit("src/textmix/models/dirichlet/edcm.py", "from __future__", "# a comment\nfrom __future__")
    for path in (copy.folder / "src").rglob("*.py"):
        os.utime(path)
    done = copy.run_warm("--cores", "1")
    assert done.returncode == 0
    assert "Nothing to be done" in done.stdout


def test_newer_input_is_compared_by_content_if_small_or_else_by_time(copy: Clone) -> None:
    scores = "results/scores/edcm/smoothing/tiny_news/edcm.csv"
    later = (copy.folder / "results/report/index.html").stat().st_mtime + 60
    os.utime(copy.folder / scores, (later, later))
    os.utime(copy.folder / "config/papers/edcm/published.csv", (later, later))
    assert planned(copy) == {}
    features = copy.folder / "results/features/tiny_news/rainbow"
    for path in (features, features / ".snakemake_timestamp"):  # Snakemake uses the time of this file for the folder
        os.utime(path, (later, later))
    jobs = planned(copy)
    assert jobs["fit"] == 3 and jobs.keys() - ENDS == {"fit", "score"}


def test_edit_of_a_kernel_reruns_exactly_its_jobs(copy: Clone) -> None:
    before = copy.digests()
    copy.edit(KERNEL, *KERNEL_EDIT)
    jobs = planned(copy, said=("Params have changed since last execution", "'digest'"))
    assert jobs.keys() - ENDS == {"fit", "score"}
    assert jobs["fit"] == jobs["score"] == 2, "the EDCM fits of table 1 and of the smoothing table, and no other"
    done = copy.run_warm("--cores", "1", FIT)
    assert done.returncode == 0, done.stdout
    after = copy.digests()
    changed = {name for name in before if before[name] != after[name]}
    predictions = {name.split("/")[5] for name in changed if name.startswith("results/predictions/")}
    assert predictions == {"edcm"}
    assert any(name.endswith("true_log_proba.npy") for name in changed), "Numba's cache kept the old kernel"


def test_edit_of_a_user_module_reruns_its_jobs(copy: Clone) -> None:
    """Also for a namespace package in two folders and a module that shadows the standard library."""
    with_own_method(copy)
    files = {
        "here/mine.py": "import tabnanny\nfrom spread.base import Base\nclass Mine(Base):\n    ONE = tabnanny.ONE\n",
        "here/tabnanny.py": "ONE = 1\n",
        "here/spread/other.py": "",
        "there/spread/base.py": "from textmix import MultinomialClassifier as Base\n",
    }
    for name, text in files.items():
        (copy.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (copy.folder / name).write_text(text, encoding="utf-8")
    path = ":".join(f"{copy.folder}/{part}" for part in ("src", "here", "there"))
    fit = "results/predictions/edcm/table1/tiny_news/mine"
    done = copy.run_warm("--cores", "1", fit, PYTHONPATH=path)
    assert done.returncode == 0, done.stdout
    for name, text in files.items():
        (copy.folder / name).write_text(f"{text}EDITED = 1\n", encoding="utf-8")
        assert planned(copy, fit, PYTHONPATH=path) == ({} if name.endswith("other.py") else {"fit": 1})
        (copy.folder / name).write_text(text, encoding="utf-8")


def test_parameter_of_a_method_reruns_its_fits_and_their_dependents(copy: Clone) -> None:
    paper = copy.folder / "config/papers/edcm/paper.yaml"
    spec = yaml.safe_load(paper.read_text(encoding="utf-8"))
    spec["experiments"]["table1"]["methods"]["multinomial"]["params"]["smoothing"] = 0.5
    paper.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    jobs = planned(copy)
    assert (jobs["fit"], jobs["score"]) == (1, 1)
    assert jobs.keys() - ENDS == {"fit", "score"}


def test_new_version_of_a_package_reruns_the_jobs_that_import_it(copy: Clone) -> None:
    facts = copy.folder / "other/simplemma-99.dist-info/METADATA"
    facts.parent.mkdir(parents=True)
    facts.write_text("Metadata-Version: 2.1\nName: simplemma\nVersion: 99\n", encoding="utf-8")
    jobs = planned(copy, PYTHONPATH=f"{copy.folder}/src:{copy.folder}/other")
    assert "features" in jobs and not {"fetch", "parse", "split"} & jobs.keys()


def test_changed_raw_data_rerun_exactly_their_dependents(copy: Clone) -> None:
    path = copy.folder / "mirror/tiny_reuters-train.tab"
    path.write_text(synthetic_tab(99, 60), encoding="utf-8")
    registry = copy.folder / "config/datasets.yaml"
    entries = yaml.safe_load(registry.read_text(encoding="utf-8"))
    file = entries["tiny_reuters"]["sources"][0]["mirror"]["train"]
    file |= {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
    registry.write_text(yaml.safe_dump(entries), encoding="utf-8")
    shutil.rmtree(copy.folder / "resources/tiny_reuters")  # as advised by the error for a file with another checksum
    jobs = planned(copy)
    reached = dict.fromkeys(("fetch", "parse", "features", "split", "fit", "score", "measure"), 1)
    assert {rule: count for rule, count in jobs.items() if rule not in ENDS} == reached, "those of one paper"
    parsed = "results/datasets/tiny_reuters"
    done = copy.run_warm("--cores", "1", parsed)
    assert done.returncode == 0, done.stdout
    assert planned(copy, parsed) == {}


def test_edit_during_a_run_fails_the_affected_jobs(copy: Clone) -> None:
    hold(copy, "features", "corpus = build_features(")
    running = copy.start("--cores", "1", FIT, python=str(warm(True).python))
    wait_until((copy.folder / "held").exists)
    copy.edit(KERNEL, *KERNEL_EDIT)
    (copy.folder / "go").touch()
    assert running.wait(timeout=600) != 0
    log = (copy.folder / "logs/fit/edcm/smoothing/tiny_news/edcm.log").read_text(encoding="utf-8")
    assert "the code of this job changed since the run began; run the same command again" in log
    assert not (copy.folder / FIT).exists()
    assert planned(copy, FIT)["fit"] == 1


def test_options_of_snakemake_work(copy: Clone) -> None:
    summary = copy.run_warm("--summary")
    assert re.search(rf"^{FIT}\t.*\tok\tno update", summary.stdout, re.MULTILINE), summary.stdout[:2000]
    reported = copy.run_warm("--report", "report.zip")
    assert reported.returncode == 0, reported.stdout
    with zipfile.ZipFile(copy.folder / "report.zip") as archive:
        held = {Path(name).name for name in archive.namelist()}
        described = archive.read("report/report.html").decode("utf-8")
    assert {"index.html", "numbers.html", "provenance.html", "edcm.html", "comparison.csv"} <= held
    assert "has one verdict" in described
    copy.edit(KERNEL, *KERNEL_EDIT)
    assert copy.run_warm("--cores", "1", "--touch").returncode == 0
    jobs = planned(copy, "-R", "score")
    assert jobs.keys() - ENDS == {"score"}, "the user takes the results as they are, but for those that are forced"


def test_changed_setting_reruns_the_jobs_that_read_it(copy: Clone) -> None:
    assert planned(copy, "--config", "max_trials=1").keys() >= {"split", "fit", "score"}
