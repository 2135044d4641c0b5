"""A module that jobs cannot import is rejected before the run."""

from __future__ import annotations

import pytest
import yaml

from tests.workflow.tiny import Clone

pytestmark = pytest.mark.workflow


#: A user's method and a module that it imports.
MINE = "from needed import Base\n\n\nclass Mine(Base):\n    pass\n"
NEEDED = "from textmix import MultinomialClassifier as Base\n"


def with_own_method(clone: Clone) -> None:
    """Add a method with the module ``mine`` to an experiment."""
    methods, paper = clone.folder / "config/methods.yaml", clone.folder / "config/papers/edcm/paper.yaml"
    registry, spec = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (methods, paper))
    registry["mine"] = {**registry["multinomial"], "estimator": "mine:Mine"}
    spec["experiments"]["table1"]["methods"]["mine"] = {"use": "mine", "params": {"smoothing": 0.5}}
    methods.write_text(yaml.safe_dump(registry, sort_keys=False), encoding="utf-8")
    paper.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")


def test_module_that_only_jobs_could_import_is_rejected_by_a_dry_run(fresh: Clone) -> None:
    """The module is in all of these places at once, none of which may be searched."""
    with_own_method(fresh)
    places = [fresh.folder / name for name in (".", "workflow", "workflow/rules", "workflow/scripts")]
    own = fresh.folder / "own"
    own.mkdir()
    path = f"{fresh.folder}/src:{own}"
    for name, text, said in (
        (
            "mine",
            MINE,
            "mine, the module of the method mine, cannot be imported by jobs; correct its name in methods.yaml",
        ),
        ("needed", NEEDED, "importing mine fails, because jobs cannot import needed"),
    ):
        for place in places:
            (place / f"{name}.py").write_text(text, encoding="utf-8")
        done = fresh.run_warm("-n", PYTHONPATH=path)
        assert done.returncode != 0
        assert said in done.stdout and "Traceback" not in done.stdout
        (own / f"{name}.py").write_text(text, encoding="utf-8")
    done = fresh.run_warm("-n", PYTHONPATH=path)
    assert done.returncode == 0, done.stdout
    assert not (fresh.folder / "resources").exists(), "a dry run fetches nothing"
