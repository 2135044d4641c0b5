"""The parameters of a job cover everything that it reads; code that no job uses is listed with a reason."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reproduction.flow import code_digests, fingerprint
from reproduction.flow.fingerprint import Code
from reproduction.flow.plan import make_plan
from reproduction.flow.rule_params import STYLES, TEMPLATES, RuleParams
from tests.workflow.test_reruns import ENDS, planned
from tests.workflow.tiny import Clone
from textmix.core.config import load_yaml_strict

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("textmix", "reproduction")
#: Modules that cannot change a result.
NO_NUMBER = {*code_digests.NEUTRAL, *fingerprint.NEUTRAL}


@pytest.fixture(scope="module")
def codes() -> list[Code]:
    """Return the entry points of all jobs."""
    params = RuleParams(make_plan({**load_yaml_strict(ROOT / "config/config.yaml"), "full": True}, ROOT))
    plan = params.plan
    found = [params.code_of(name) for name in "features split score compare table accept crate own".split()]
    found += [params.code_of("page", data=TEMPLATES + STYLES), params.code_of("provenance", data=TEMPLATES)]
    found += [params.code_of("alternatives", data=STYLES)]
    found += [
        params.code_of("parse", tuple(params.reader_modules(SimpleNamespace(dataset=name)))) for name in plan.registry
    ]
    for paper in plan.papers:
        found.append(params.code_of("figure", tuple(params.figure_modules(SimpleNamespace(paper=paper))), STYLES))
        found += [params.code_of("fit", tuple(params.fit_modules(fit))) for fit in plan.fits(paper)]
        measures = [SimpleNamespace(paper=paper, measure=name) for name in plan.measures(paper)]
        found += [params.code_of("measure", tuple(params.measure_modules(one))) for one in measures]
    return list(dict.fromkeys(found))


def closure(modules: set[str]) -> set[str]:
    """Return the imports of modules, computed independently of the library."""
    open_, closed = set(filter(is_code, modules)), set[str]()
    while open_:
        name = open_.pop()
        closed.add(name)
        open_ |= imported_code(name) - closed
    return closed


@functools.cache
def is_code(name: str) -> bool:
    """Check whether a module belongs to the project and can change a result."""
    return name.startswith(PACKAGES) and name not in NO_NUMBER and code_digests.module_file(name) is not None


@functools.cache
def imported_code(name: str) -> frozenset[str]:
    """Return the imports of a module within the project, and its package."""
    path = code_digests.module_file(name)
    assert path is not None
    return frozenset(filter(is_code, {name.rpartition(".")[0], *imported(path)}))


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, and the names that it imports from them."""
    found = set[str]()
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def statements(body: list[Any]) -> Iterator[ast.AST]:
    """Yield statements recursively; expressions contain no imports."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, inner, []))


def test_digest_covers_exactly_the_modules_that_a_job_imports(codes: list[Code]) -> None:
    assert len(codes) > 30
    for code in codes:
        script = fingerprint.SCRIPTS / f"{code.script}.py"
        expected = closure({*imported(script), *code.modules, fingerprint.INSTRUCTIONS})
        names = {name for name in code.state()[0] if re.fullmatch(r"(textmix|reproduction)[\w.]*", name)}
        assert names == expected, code.script


def test_every_script_with_results_has_a_digest(codes: list[Code]) -> None:
    without = {"doctor", "fetch", "record", "record_curves", "verify"}
    assert {path.stem for path in fingerprint.SCRIPTS.glob("*.py")} - without == {code.script for code in codes}


def test_jobs_open_only_declared_files(everything: Clone, tmp_path: Path) -> None:
    """The accesses of all jobs of the run `everything` to results, raw data and configuration were audited."""
    assert (everything.folder / "results/report/index.html").exists()
    clone = everything.copy(tmp_path / "copy")
    clone.edit("workflow/rules/papers.smk", '        lists=INPUTS.paper_file("paper.yaml"),\n', "")
    undeclared = clone.run_warm("--cores", "1", "-R", "compare", "--", "results/papers/naive_bayes/comparison.csv")
    assert undeclared.returncode != 0
    assert "rule compare does not declare" in undeclared.stdout


#: File of the configuration or of the workflow -> old text, new text, the rules that the edit reruns in addition to the
#: final ones, and the number of papers that are compared again.
EDITS = [
    ({"config/datasets.yaml": ("Synthetic tiny_news", "Tiny news")}, set(), 0),
    (
        {
            "config/methods.yaml": (
                "textmix.models.dirichlet.edcm:EDCMClassifier",
                "textmix.models.dirichlet.dcm:DCMClassifier",
            )
        },
        {"fit", "score"},
        1,
    ),
    # Jobs read only declared files (see the previous test), so that only these edits rerun them.
    (
        {
            "config/papers/edcm/paper.yaml": ("title: ", "title: A {name} in braces, "),
            "config/papers/edcm/checks.yaml": ("\n", "\n# edited\n"),
            "config/papers/edcm/published.csv": ("0.781", "0.782"),
        },
        set(),
        1,
    ),
    ({"src/textmix/pages/templates/page.css": ("\n", "\n/* edited */\n")}, set(), 0),
    ({"workflow/scripts/score.py": ("with job(", "EDITED = 1\nwith job(")}, {"score"}, 2),
]


def test_edit_reruns_exactly_the_jobs_that_depend_on_the_file(copy: Clone) -> None:
    for edits, expected, compared in EDITS:
        before = {name: (copy.folder / name).read_text(encoding="utf-8") for name in edits}
        for name, (old, new) in edits.items():
            copy.edit(name, old, new)
        jobs = planned(copy)
        assert jobs.keys() - ENDS == expected, edits
        assert (jobs.get("compare", 0), jobs.get("page")) == (compared, 1), edits
        for name, text in before.items():
            (copy.folder / name).write_text(text, encoding="utf-8")
