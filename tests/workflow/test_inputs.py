"""Every job opens only the files that its rule declares: results, raw data and configuration alike."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.workflow.tiny import Clone, synthetic_tab

pytestmark = pytest.mark.workflow

#: Added to the clone's library: from its first line on, a job fails that opens or lists an undeclared file.  `verify`
#: and `forget_missing`, which look through whole folders by their nature, are not among the targets of the test.
WATCH = """

_unwatched = job


@contextmanager
def job(snakemake, **options):
    declared = [os.path.abspath(path) for part in (snakemake.input, snakemake.output, snakemake.log) for path in part]
    folders = [os.path.abspath(name) for name in ("results", "resources", "config", "workflow/schemas")]

    def allowed(path):
        for known in declared:
            folder, name = os.path.split(known)
            # A result's record lies beside it, as does its half-made form; raw files lie beside their record.
            if path == known or path.startswith((f"{known}/", f"{known}.meta.json", f"{folder}/.{name}.")):
                return True
            if name == "fetch.json" and (path == folder or path.startswith(f"{folder}/")):
                return True
        return False

    def watch(event, arguments):
        if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, os.PathLike)):
            path = os.path.abspath(os.fspath(arguments[0]))
            if any(path.startswith(f"{folder}/") for folder in folders) and not allowed(path):
                raise RuntimeError(f"rule {snakemake.rule} does not declare {path}")

    sys.addaudithook(watch)
    with _unwatched(snakemake, **options) as running:
        yield running
"""


def own_data(folder: Path) -> Path:
    """Write a few texts and their description; return the path of the description."""
    lines = [line.split("\t") for line in synthetic_tab(3, 40).splitlines()[4:]]
    (folder / "texts.csv").write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in lines))
    split = {"kind": "folds", "folds": 2}
    columns = {"text": "text", "label": "label"}
    description = {"files": {"data": "texts.csv"}, "columns": columns, "split": split, "methods": ["multinomial"]}
    (folder / "my.yaml").write_text(yaml.safe_dump(description), encoding="utf-8")
    return folder / "my.yaml"


def shorten(clone: Clone) -> None:
    """Leave one suite of the bench, which has no data, and give the matrix one data set and two methods."""
    for path in [clone.folder / "config/bench.yaml", *(clone.folder / "config/papers").glob("*/bench.yaml")]:
        if path.parent.name != "pmm":
            path.unlink()
    split = {"kind": "random", "train": 40, "test": 20, "trials": 2, "stratified": True}
    data = {"tiny_news": {"task": "single", "features": "words", "split": "few"}}
    matrix = {"features": {"words": {"tokenizer": "letters"}}, "splits": {"few": split}, "data": data}
    matrix["methods"] = ["multinomial", "cbm"]
    (clone.folder / "config/matrix.yaml").write_text(yaml.safe_dump(matrix), encoding="utf-8")
    clone.edit("config/config.yaml", "matrix: []", "matrix: [tiny_news]")


def test_every_job_opens_only_what_its_rule_declares(fresh: Clone, tmp_path: Path) -> None:
    shorten(fresh)
    runtime = fresh.folder / "src/textmix/core/runtime.py"
    runtime.write_text(runtime.read_text(encoding="utf-8") + WATCH, encoding="utf-8")
    named = (f"data={own_data(tmp_path)}", "method=multinomial", "papers=[edcm]")
    done = fresh.run("--cores", "2", "all", "bench", "matrix", "own", "model", "--config", *named)
    assert done.returncode == 0, done.stdout
    for result in ("report/index.html", "bench/bench.csv", "matrix/index.html", "own/my/index.html", "models/my"):
        assert (fresh.folder / "results" / result).exists()
    fresh.edit("workflow/rules/compare.smk", "        lists=JOBS.role_lists,\n", "")
    undeclared = fresh.run("--cores", "1", "-R", "compare", "--until", "compare", "--config", "papers=[edcm]")
    assert undeclared.returncode != 0
    assert "rule compare does not declare" in undeclared.stdout
