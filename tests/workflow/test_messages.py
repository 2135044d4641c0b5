"""A name that does not exist ends a run before it begins."""

from __future__ import annotations

import pytest
import yaml

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


def test_a_name_that_does_not_exist_ends_a_dry_run_in_one_sentence(fresh: Clone) -> None:
    fresh.edit("config/papers/edcm/published.csv", "score:table1/", "score:tabel1/")
    done = fresh.run_warm("-n", "--cores", "1")
    assert done.returncode != 0
    assert "no experiment 'tabel1'; did you mean 'table1'?" in done.stdout
    assert "Traceback" not in done.stdout


#: A method that somebody adds, and a module that it needs.
MINE = "from needed import Base\n\n\nclass Mine(Base):\n    pass\n"
NEEDED = "from textmix import MultinomialClassifier as Base\n"


def with_own_method(clone: Clone) -> None:
    """Let an experiment use a method whose module is named ``mine``."""
    methods, paper = clone.folder / "config/methods.yaml", clone.folder / "config/papers/edcm/paper.yaml"
    registry, spec = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (methods, paper))
    registry["mine"] = {**registry["multinomial"], "estimator": "mine:Mine"}
    spec["experiments"]["table1"]["methods"]["mine"] = {"use": "mine", "params": {"smoothing": 0.5}}
    methods.write_text(yaml.safe_dump(registry, sort_keys=False), encoding="utf-8")
    paper.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")


@pytest.mark.parametrize("place", [".", "workflow", "workflow/rules", "workflow/scripts"])
def test_a_module_that_lies_where_a_job_alone_would_find_it_ends_a_dry_run(fresh: Clone, place: str) -> None:
    with_own_method(fresh)
    (fresh.folder / "own").mkdir()
    for name, text, folder, said in (
        ("mine", MINE, place, "no job finds mine, the module of the method mine; correct the name in methods.yaml"),
        ("needed", NEEDED, place, "the import of mine ends at needed, which no job finds"),
    ):
        (fresh.folder / folder / f"{name}.py").write_text(text, encoding="utf-8")
        done = fresh.run_warm("-n", PYTHONPATH=f"{fresh.folder}/src:{fresh.folder}/own")
        assert done.returncode != 0
        assert said in done.stdout and "Traceback" not in done.stdout
        (fresh.folder / folder / f"{name}.py").rename(fresh.folder / f"own/{name}.py")
    done = fresh.run_warm("-n", PYTHONPATH=f"{fresh.folder}/src:{fresh.folder}/own")
    assert done.returncode == 0, done.stdout
