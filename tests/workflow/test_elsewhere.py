"""The workflow runs in any folder and as a module of another workflow."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow

OUTER = """
configfile: "{source}/config/config.yaml"


module textmix:
    snakefile:
        "{source}/workflow/Snakefile"
    config:
        config


use rule * from textmix
"""
#: A workflow that imports the rules under a prefix and sets one key of the configuration.
HOST = """
module textmix:
    snakefile:
        {snakefile}
    config:
        {{"papers": ["naive_bayes"]}}


use rule * from textmix as tm_*
"""
#: Target of the importing workflow, which Snakemake requires if the module is imported first.
OWN_ALL = """
rule all:
    output:
        "own.txt",
    default_target: True
    shell:
        "touch {output}"


"""
#: The importing workflow has a folder of its own, without the profile of this workflow.
OWN_FOLDER = ("--workflow-profile", "none")
#: A data set, and a result that depends on the configuration of a paper.
READ, COMPARED = "results/datasets/tiny_news", "results/papers/naive_bayes/comparison.csv"


def half_done(clean: Clone, folder: Path) -> Path:
    """Copy the results of the clean run to a folder, except those that the test recomputes."""
    for part in ("results", "resources", ".snakemake"):
        shutil.copytree(clean.folder / part, folder / part)
    for gone in ("resources/tiny_news", READ):
        shutil.rmtree(folder / gone)
    (folder / COMPARED).unlink()
    return folder


def result(folder: Path) -> tuple[str, str]:
    """Return the record of the data set, and the comparison."""
    data, compared = folder / f"{READ}/meta.json", folder / COMPARED
    return data.read_text(encoding="utf-8"), compared.read_text(encoding="utf-8")


def test_workflow_runs_in_another_folder_and_as_a_module(clean: Clone, tmp_path: Path) -> None:
    before = clean.digests()
    elsewhere, outer = (half_done(clean, tmp_path / name) for name in ("elsewhere", "outer"))
    done = clean.run_warm("--cores", "2", READ, COMPARED, "--directory", str(elsewhere))
    assert done.returncode == 0, done.stdout
    assert result(elsewhere) == result(clean.folder)
    (outer / "Snakefile").write_text(OUTER.format(source=clean.folder), encoding="utf-8")
    place = ("--snakefile", str(outer / "Snakefile"), "--directory", str(outer))
    done = clean.run_warm("--cores", "2", READ, COMPARED, *place)
    assert done.returncode == 0, done.stdout
    assert result(outer) == result(clean.folder)
    assert clean.digests() == before


@pytest.mark.parametrize("order", [(OWN_ALL, HOST), (HOST, OWN_ALL)], ids=["before", "after"])
def test_rule_all_of_the_importer_stays_the_default(fresh: Clone, tmp_path: Path, order: tuple[str, str]) -> None:
    snakefile = f'"{fresh.folder}/workflow/Snakefile"'
    parts = (part.replace("{{", "{").replace("}}", "}").replace("{snakefile}", snakefile) for part in order)
    (tmp_path / "Snakefile").write_text("\n".join(parts), encoding="utf-8")
    done = fresh.run_warm("-n", *OWN_FOLDER, "--snakefile", str(tmp_path / "Snakefile"), "--directory", str(tmp_path))
    assert done.returncode == 0, done.stdout
    assert re.search(r"^all +1$", done.stdout, re.MULTILINE), done.stdout
    assert "tm_" not in done.stdout


def test_module_configuration_is_completed_by_defaults(fresh: Clone, tmp_path: Path) -> None:
    text = HOST.format(snakefile=f'"{fresh.folder}/workflow/Snakefile"')
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")
    done = fresh.run_warm("-n", *OWN_FOLDER, "--snakefile", str(tmp_path / "Snakefile"), "--directory", str(tmp_path))
    assert done.returncode == 0, done.stdout
    assert "tm_all" in done.stdout
    assert re.search(r"^tm_compare +1$", done.stdout, re.MULTILINE), "one paper, and not all"
    assert re.search(r"^tm_table_naive_bayes +1$", done.stdout, re.MULTILINE)


def test_the_workflow_runs_from_the_crate_of_a_report(clean: Clone, tmp_path: Path) -> None:
    shutil.copytree(clean.folder / "results/report", tmp_path / "report")
    found = Clone(tmp_path / "report/source")
    done = found.run_warm("-n", "--configfile", "../config.json", TEXTMIX_MIRROR=str(clean.folder / "mirror"))
    assert done.returncode == 0, done.stdout
    assert "\nfit  " in done.stdout


def test_module_from_git_uses_the_files_of_its_commit(fresh: Clone, tmp_path: Path) -> None:
    git = ("git", "-C", str(fresh.folder), "-c", "user.name=t", "-c", "user.email=t@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all"), ("tag", "v1")):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    for gone in ("config", "src"):
        shutil.rmtree(fresh.folder / gone)
    snakefile = f'gitfile("{fresh.folder}", path="workflow/Snakefile", tag="v1")'
    (tmp_path / "Snakefile").write_text(HOST.format(snakefile=snakefile), encoding="utf-8")
    place = ("--snakefile", str(tmp_path / "Snakefile"), "--directory", str(tmp_path))
    environment = {"PYTHONPATH": "", "TEXTMIX_CACHE": str(tmp_path / "cache")}
    done = fresh.run_warm("--cores", "1", READ, *OWN_FOLDER, *place, **environment)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / READ / "meta.json").is_file()
