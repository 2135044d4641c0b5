"""Snakemake's private parts: one module names them, and they are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from reproduction.plan.snakemake_private import Snakemake, forget_backup
from tests.workflow.asking import workflow_of

ROOT = Path(__file__).resolve().parents[2]
RULES = [ROOT / "Snakefile", ROOT / "workflow/Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]
MODULE = ROOT / "src/reproduction/plan/snakemake_private.py"
#: What Snakemake's documentation says of the object ``workflow`` of a Snakefile.
DOCUMENTED = {"basedir", "current_basedir", "cores", "source_path"}


def test_rules_use_of_workflow_what_is_documented() -> None:
    for path in RULES:
        code = re.sub(r'#.*|"[^"\n]*"', "", path.read_text(encoding="utf-8"))
        private = set(re.findall(r"\bworkflow\.(\w+)", code)) - DOCUMENTED
        assert not private, f"{path.name} uses workflow.{private}; reproduction.plan.snakemake_private has such parts"
        imported = set(re.findall(r"^from (snakemake(?:\.\S+)?) import", code, re.MULTILINE))
        assert imported <= {"snakemake.utils", "snakemake.logging"}, path.name


def test_one_module_knows_the_folder_of_snakemake() -> None:
    files = [*RULES, *(ROOT / "src").rglob("*.py"), *(ROOT / "workflow/scripts").glob("*.py")]
    known = [path for path in files if re.search(r'"\.snakemake["/]', path.read_text(encoding="utf-8"))]
    assert known == [MODULE]


def test_snakemake_is_bounded_and_the_bound_is_that_of_the_snakefile() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = [
        entry.specifier
        for entry in map(Requirement, project["optional-dependencies"]["workflow"])
        if entry.name == "snakemake"
    ]
    least = re.search(r'min_version\("(\S+)"\)', (ROOT / "workflow/Snakefile").read_text(encoding="utf-8"))
    assert least
    assert f">={least[1]}" in str(bound)
    assert not bound.contains(Version("10.0"))


def test_every_private_part_is_there() -> None:
    with workflow_of(ROOT) as workflow:
        private = Snakemake(workflow)
        assert private.runs_here()
        assert "all" in private.target_rules()
        assert private.wildcards_of("results/splits/news/half") == {"dataset": "news", "split": "half"}
        assert private.wildcards_of("results/nothing/makes/this") is None
        private.describe("all", "Another sentence.")
        assert workflow.get_rule("all").docstring == "Another sentence."


def test_a_backup_stays_while_a_run_goes_on(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    backup = Path(".snakemake/backups/results/models/news/edcm")
    backup.mkdir(parents=True)
    lock = Path(".snakemake/locks/0.input.lock")
    lock.parent.mkdir()
    lock.touch()
    forget_backup("results/models/news/edcm")
    assert backup.is_dir()
    lock.unlink()
    forget_backup("results/models/news/edcm")
    assert not backup.exists()
