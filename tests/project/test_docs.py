"""The site names every class and paper, its lock agrees with the main one, GitHub runs pinned make targets."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml

import textmix
from reproduction.plan.api_page import api_page
from reproduction.plan.reference import public_classes

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
GALLERY = sorted((ROOT / "docs/examples").glob("plot_*.py"))
PINNED = re.compile(r"^([\w-]+)==([^ ;\\]+)", re.MULTILINE)


def test_the_reference_names_every_public_class_once() -> None:
    page = (ROOT / "docs/api/index.md").read_text(encoding="utf-8")
    package = ROOT / "src/textmix"
    assert page == api_page(package, public_classes(package)), "run: python -m reproduction.plan.reference"
    listed = re.findall(r"^   ([A-Z]\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(name for name in textmix.__all__ if name[0].isupper())


def test_a_page_of_a_paper_includes_its_generated_half_and_is_listed() -> None:
    papers = {path.parent.name for path in ROOT.glob("config/papers/*/paper.yaml")}
    pages = {path.stem for path in ROOT.glob("docs/papers/*.md")} - {"index"}
    for paper in pages:
        assert f"{{include}} generated/{paper}.md" in (ROOT / f"docs/papers/{paper}.md").read_text(encoding="utf-8")
    index = (ROOT / "docs/papers/index.md").read_text(encoding="utf-8").splitlines()
    assert pages <= papers & {*index}


def test_every_task_is_in_the_table_of_tasks() -> None:
    listed = (ROOT / "docs/how-to/index.md").read_text(encoding="utf-8").split()
    assert {path.stem for path in ROOT.glob("docs/how-to/*.md")} - {"index"} <= set(listed)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_a_script_of_the_gallery_has_a_title_and_a_figure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, line, *_ = str(ast.get_docstring(ast.parse(text))).splitlines()
    assert line == "=" * len(title)
    assert "plt.show()" in text


def test_the_gallery_has_enough_scripts() -> None:
    assert len(GALLERY) >= 8


@pytest.mark.parametrize("lock", ["docs/requirements.lock", ".github/requirements.lock"])
def test_a_lock_beside_the_main_one_is_pinned_by_digests_and_agrees_with_it(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    main = dict(PINNED.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))
    found = PINNED.findall(text)
    # A package with a version for each Python stands several times, there or here.
    once = {name: version for name, version in found if sum(other == name for other, _ in found) == 1}
    assert {name: main[name] for name in once if name in main} == {name: once[name] for name in once if name in main}
    assert text.count("--hash=sha256:") >= len(found)
    assert not re.search(r"://|--(extra-)?index|--find", text)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_checks_on_github_are_pinned_by_commit_and_call_make(path: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step.get("uses", f"actions/x@{'0' * 40}"))
            assert "run" not in step or step["run"].removeprefix("make ") in targets
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert all(re.search(r" # v\d+\.\d+\.\d+$", line) for line in lines)


def test_the_first_example_of_the_site_prints_what_its_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/start.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    exec(compile(code, "start.md", "exec"), {})
    assert all(f"`{line}`" in page for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    "name",
    ["skipgram-vectoriser", "probability-of-a-label-set", "threshold-a-label", "perplexity", "millions-of-documents"],
)
def test_the_examples_of_a_task_run(name: str) -> None:
    page = (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks and all("assert " in block for block in blocks)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), names)
