"""An edit of a file makes stale what the file can change, and a file that changes no result is named with a reason."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reproduction.flow import recipe as recipes_module
from reproduction.flow.recipe import Recipe
from reproduction.plan.reach import within_reach
from tests.workflow.asking import all_recipes, parsed, stale_by_reason, stale_by_record, stale_scripts
from tests.workflow.tiny import Clone, own_data
from textmix.core import provenance
from textmix.core.config import load_yaml_strict

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGES = ("textmix", "reproduction")
#: Modules that can change no number.
NO_NUMBER = {*provenance.NEUTRAL, *recipes_module.NEUTRAL}

#: Files of both packages that no result depends on, as patterns of their paths, each with the reason.
WITHOUT_RESULT = {
    r"textmix/core/(cache|environment|errors|progress|provenance)\.py": "records, logs and errors (NEUTRAL)",
    r"reproduction/job/(__init__|held|interrupt|recipes|runtime|spent)\.py": "records, logs and errors (NEUTRAL)",
    r"reproduction/plan/\w+\.py": "what the plan says reaches a job as settings and inputs, which are compared",
    r"textmix/data/(download|fetch|sources)\.py": "a raw file is known by its digest, whatever code fetched it",
    r"textmix/data/doctor\.py": "a command that makes no result",
    r"reproduction/stored/verify\.py": "a command that makes no result",
    r"reproduction/(job/pack|verdict/(recording|new_paper))\.py": "commands that make no result",
    r"(reproduction/verdict/said|snakemake_logger_plugin_textmix/__init__)\.py": "sentences on the terminal",
    r"reproduction/pages/stock\.py": "figures of papers without code of their own, of which there is none here",
    r"reproduction/verdict/references\.py": "looks names up while the workflow is parsed, and refuses wrong ones",
    r"reproduction/verdict/quotes\.py": "puts recorded results into the pages of the documentation",
    r"(textmix/race/\w+|textmix/contest/doubts|reproduction/bench/(race|kinds))\.py": "`textmix compare` and its bench",
    r"textmix/data/(readers/text_table|user_table|user_file|labels)\.py": "tables of a user's own texts",
    r"textmix/pages/top_words\.py": "a plot for users of the library",
    r"textmix/(__main__|serve/(evaluate|predict|terminal|warm))\.py": "the command line on new texts",
    r"reproduction/stored/recorded_curves\.py": "what it reads reaches the page as a setting, which is compared",
    r"reproduction/job/commit\.py": "what it finds reaches the page as a setting, which is compared",
    r"textmix/(datasets|core/late|serve/(library|progress|listing|parameters))\.py": "the front door and its command",
    r"textmix/experiment/scorers\.py": "scores for scikit-learn's searches, which no job runs",
    r"textmix/__init__\.pyi": "names for editors; generated, and compared by a test of its own",
    r"textmix/py\.typed": "a mark for type checkers",
}
#: The same of the workflow.
WORKFLOW_WITHOUT_RESULT = {
    r"scripts/(costs|doctor|fetch|forget_missing|pack|schedule|spent|status|take|verify)\.py": "commands",
    r"scripts/record(_curves)?\.py": "commands that write into config/",
    r"Snakefile": "includes the rules, of which edits stand above",
    r"schemas/\w+\.schema\.yaml": "refuse a configuration, or pass it on as it is",
    r"report/\w+\.rst": "captions of `snakemake --report`, which are read when it is written",
    r"envs/[\w.-]+": "compared by Snakemake where it makes the environments",
    r"rules/(functions|plan|read)\.smk": "functions and objects that rules call",
    r"rules/(costs|fetch|pack|record|status|bench|specifications)\.smk": "no result of the runs of the tests",
}


def excused(name: str, reasons: dict[str, str]) -> bool:
    """Say whether a table names a file as one that no result depends on."""
    return any(re.fullmatch(pattern, name) for pattern in reasons)


def files_below(folder: Path) -> list[str]:
    """Return the relative names of the files below a folder, without what Python makes."""
    made = ("__pycache__", ".egg-info")
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(name for name in found if not any(part in name for part in made))


@pytest.fixture(autouse=True)
def _argv(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide pytest's own command line, in which the Snakefile looks for targets."""
    monkeypatch.setattr(sys, "argv", ["snakemake"])


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> list[Recipe]:
    """Recipes that reach all code that any job of the workflow reaches, own data and a model included."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["snakemake"])
        # So that no measure lacks its data, and none is too dear.
        patch.setattr("reproduction.plan.plan.reach", lambda *_, **__: within_reach)
        own = own_data(tmp_path_factory.mktemp("own") / "mine")
        full = load_yaml_strict(ROOT / "config/full.yaml")
        return list(all_recipes(parsed(ROOT, {**full, "data": str(own), "method": "multinomial"})))


def unreached(recipes: list[Recipe]) -> Iterator[str]:
    """Yield the names of the files of the library that no job reaches."""
    reached = {name for recipe in recipes for name in recipe.code}
    for name in files_below(SOURCE):
        path = Path(name)
        module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        beside = {f"{'.'.join(path.parent.parts)}/{path.name}", f"{path.parent.name}/{path.name}"}
        if not ({module} if path.suffix == ".py" else beside) & reached:
            yield name


def test_each_file_of_the_library_is_reached_by_a_job_or_named_with_a_reason(recipes: list[Recipe]) -> None:
    without = list(unreached(recipes))
    assert [name for name in without if not excused(name, WITHOUT_RESULT)] == []


def closure(modules: Iterator[str] | set[str]) -> set[str]:
    """Return the modules that modules import, found by another way than the library's."""
    open_, closed = set(filter(is_code, modules)), set[str]()
    while open_:
        name = open_.pop()
        closed.add(name)
        open_ |= imported_code(name) - closed
    return closed


@functools.cache
def is_code(name: str) -> bool:
    """Return whether a name is that of a module of ours that can change a number."""
    return name.startswith(PACKAGES) and name not in NO_NUMBER and provenance.module_file(name) is not None


@functools.cache
def imported_code(name: str) -> frozenset[str]:
    """Return the modules of ours that a module imports, and its package."""
    path = provenance.module_file(name)
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
    """Yield statements with those within them; an expression imports nothing."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, inner, []))


def test_recipes_hold_all_modules_that_their_code_imports_and_no_other(recipes: list[Recipe]) -> None:
    origins = {recipe.origin: recipe for recipe in recipes if recipe.origin is not None}
    assert len(origins) > 30
    for origin, recipe in origins.items():
        expected = closure({*imported(origin.script), *origin.modules})
        assert {name for name in recipe.code if re.fullmatch(r"(textmix|reproduction)[\w.]*", name)} == expected, (
            origin.script.name
        )


def test_an_edit_of_a_module_changes_its_digest(tmp_path: Path) -> None:
    names = [name for name in files_below(SOURCE) if name.endswith(".py")]
    # Each eighth and the largest ones: to describe all of them takes 5 s.  A short text stands for the others, below.
    largest = sorted(names, key=lambda name: (SOURCE / name).stat().st_size)[-3:]
    for name in {*names[::8], *largest}:
        edited = tmp_path / "edited.py"
        edited.write_text((SOURCE / name).read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
        assert provenance._read(edited)[0] != provenance._read(SOURCE / name)[0], name


def test_an_edit_of_a_short_module_of_any_name_changes_its_digest(tmp_path: Path) -> None:
    for name in [name for name in files_below(SOURCE) if name.endswith(".py")]:
        path, digests = tmp_path / name, set()
        path.parent.mkdir(parents=True, exist_ok=True)
        for number in range(2):
            path.write_text(f"import numpy\nEDITED = {number}\n", encoding="utf-8")
            digests.add(provenance._read(path)[0])
        assert len(digests) == 2, name


#: Stages after a stale one are made again by Snakemake; here stand the stages that an edit itself makes stale.
SEEN = {"compare", "figure", "page"}
#: File of the configuration -> text before, text after, and the scripts whose results the edit makes stale.
EDITS = {
    "config/config.yaml": ("seed: ", "seed: 1", {"split", "fit", "measure", "provenance", "crate"}),
    "config/datasets.yaml": ("Synthetic tiny_news", "Tiny news", {"page"}),
    "config/datasets.yaml#content": (
        "title: Synthetic tiny_news",
        "title: Synthetic tiny_news\n  hosts: [example.org]",
        {"fetch", "parse"},
    ),
    "config/methods.yaml": (
        "textmix.models.dirichlet.edcm:EDCMClassifier",
        "textmix.models.dirichlet.dcm:DCMClassifier",
        {"fit"},
    ),
    "config/papers/edcm/paper.yaml": ("title: ", "title: A {name} in braces, ", SEEN),
    "config/papers/edcm/paper.yaml#features": ("min_length: ", "min_length: 1", {"features", *SEEN}),
    "config/papers/edcm/checks.yaml": ("\n", "\n# edited\n", {"compare", "page"}),
    "config/papers/edcm/choices.yaml": ("\n", "\n# edited\n", {"page"}),
    "config/papers/edcm/published.csv": ("0.781", "0.782", {"compare", "page"}),
    "workflow/schemas/checks.schema.yaml": ("\n", "\n# edited\n", {"compare", "page"}),
    "workflow/schemas/choices.schema.yaml": ("\n", "\n# edited\n", {"page"}),
    "src/textmix/models/dirichlet/edcm_kernels.py": ("+= weight[d]", "+= 2.0 * weight[d]", {"fit"}),
    "src/textmix/pages/templates/page.css": ("\n", "\n/* edited */\n", {"page", "provenance"}),
}
#: Edits of the workflow's own files, each with what records of the results then say and the script that it makes stale.
#: A record names what changed, so that edits of one kind are made and looked for at once.
OF_RULES = {
    f"workflow/rules/{rules}.smk": (old, f"{old} edited_{script}=1,", f"configuration: edited_{script}", {script})
    for rules, script, old in (
        ("parse", "parse", "modules=JOBS.readers,"),
        ("features", "features", 'RECIPES.of("features",'),
        ("splits", "split", '"split",'),
        ("fit", "fit", '"fit",'),
        ("score", "score", 'RECIPES.of("score",'),
        ("compare", "table", 'RECIPES.of("table",'),
        ("report", "page", '"page",'),
        ("provenance", "provenance", '"provenance",'),
        ("accept", "accept", '"accept",'),
    )
}
OF_SCRIPTS = {
    f"workflow/scripts/{name}.py": ("with job(", "EDITED = 1\nwith job(", f"code of {name}.py", {name})
    for name in "accept compare features figure fit measure page parse score split table".split()
}


def each_edit(
    copy: Clone, edits: Mapping[str, tuple[str, str, set[str]]], stale: Callable[[], set[str]]
) -> Iterator[tuple[str, set[str], set[str]]]:
    """Yield for each edit its key, what it is expected to make stale, and what it does; the file is restored."""
    for key, (old, new, expected) in edits.items():
        name = key.partition("#")[0]
        path = copy.folder / name
        before = path.read_text(encoding="utf-8")
        copy.edit(name, old, new)
        found = stale()
        path.write_text(before, encoding="utf-8")
        yield key, expected, found


def test_an_edit_makes_stale_what_the_file_can_change(copy: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    # Some 0.4 s of CPU an edit: the Snakefile is parsed in this process, and no job starts.
    monkeypatch.setattr(provenance, "ROOT", copy.folder / "src/textmix")
    assert stale_scripts(copy.folder) == set(), "nothing is stale before an edit, so that each edit shows what it does"
    for key, expected, found in each_edit(copy, EDITS, lambda: stale_scripts(copy.folder)):
        assert found == expected, key
    for edits in (OF_RULES, OF_SCRIPTS):
        before = {name: (copy.folder / name).read_text(encoding="utf-8") for name in edits}
        for name, (old, new, _, _) in edits.items():
            copy.edit(name, old, new)
        assert stale_by_reason(copy.folder) == {why: expected for _, _, why, expected in edits.values()}
        for name, text in before.items():
            (copy.folder / name).write_text(text, encoding="utf-8")
    assert stale_scripts(copy.folder) == set()


#: The same of further targets: the matrix and a model.
FURTHER_EDITS = {
    "config/matrix.yaml": ("tokenizer: letters", "tokenizer: letters\n    min_length: 3", {"features"}),
    "config/matrix.yaml#methods": ("- cbm", "- edcm", {"matrix_table"}),
    "workflow/rules/matrix.smk": ('"matrix_page",', '"matrix_page", edited=1,', {"matrix_page"}),
    "workflow/rules/own.smk": ('RECIPES.of("own_summary"', 'RECIPES.of("own_summary", edited=1', {"own_summary"}),
    "workflow/rules/own_model.smk": ('"own_peers",', '"own_peers", edited=1,', {"own_peers"}),
    "workflow/rules/model.smk": ('"model",', '"model", edited=1,', {"model"}),
}


def test_an_edit_makes_stale_what_it_can_change_of_the_further_targets(
    everything: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = everything.copy(tmp_path / "copy")
    monkeypatch.setattr(provenance, "ROOT", copy.folder / "src/textmix")
    asked = {"data": f"{everything.folder}/mine/my.yaml", "method": "multinomial"}
    known = stale_by_record(copy.folder, asked)
    assert known <= {"provenance", "crate"}, "the copy lies in another folder, and nothing else is another"
    for key, expected, found in each_edit(copy, FURTHER_EDITS, lambda: stale_by_record(copy.folder, asked)):
        assert found - known == expected, key
    # Own data at another path are other data; an edit of their description makes more than that stale.
    asked["data"] = f"{copy.folder}/mine/my.yaml"
    known = stale_by_record(copy.folder, asked)
    copy.edit("mine/my.yaml", "folds: 2", "folds: 3")
    assert stale_by_record(copy.folder, asked) - known == {"split"}


ALL_EDITS = (*EDITS, *OF_RULES, *OF_SCRIPTS, *FURTHER_EDITS)

#: Files of the configuration (of one paper for all) that have no edit above, as patterns, each with the reason.
CONFIGURATION_WITHOUT_RESULT = {
    r"(README|papers/edcm/history)\.md": "read by people alone",
    r"papers/edcm/specifications\.yaml": "further entries of paper.yaml, which the target specifications alone makes",
    r"papers/edcm/recorded/(rows\.csv|run\.json)": "the recorded run, an input of the page as it is",
    r"papers/edcm/recorded/curves\.csv": "recorded curves, which the page draws where a run made none",
    r"costs\.csv": "plans scope, memory and grain of jobs; whole fits and single ones give the same bytes",
    r"full\.yaml": "the same keys as config.yaml, which it replaces",
    r"own\.example\.yaml": "an example to copy; an edit of such a description stands above",
}


def test_each_file_of_the_configuration_has_an_edit_or_a_reason() -> None:
    known = {re.sub("papers/[a-z_]+/", "papers/edcm/", key.partition("#")[0]) for key in ALL_EDITS}
    names = {re.sub("^papers/[a-z_]+/", "papers/edcm/", name) for name in files_below(ROOT / "config")}
    without = [name for name in sorted(names) if f"config/{name}" not in known]
    assert [name for name in without if not excused(name, CONFIGURATION_WITHOUT_RESULT)] == []


def test_each_file_of_the_workflow_has_an_edit_is_reached_or_has_a_reason(recipes: list[Recipe]) -> None:
    known = {key.partition("#")[0] for key in ALL_EDITS} | {
        f"workflow/scripts/{name}" for r in recipes for name in r.code
    }
    names = [f"workflow/{name}" for name in files_below(ROOT / "workflow")]
    without = [name.removeprefix("workflow/") for name in names if name not in known]
    assert [name for name in without if not excused(name, WORKFLOW_WITHOUT_RESULT)] == []
