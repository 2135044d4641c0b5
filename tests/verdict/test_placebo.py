"""Placebos that a row would pass: other printed values, other orders, random signs, random words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from reproduction.flow.measures import MeasureData, run_measure
from reproduction.flow.results import Results
from reproduction.papers.thesis.generative import log_densities
from reproduction.verdict import claims
from reproduction.verdict.placebo import Placebo, placebos
from reproduction.verdict.published import IDENTITY, Published, read_claims
from reproduction.verdict.resolve import Reproduced
from reproduction.verdict.wording import PLACEBO_ORDERS, PLACEBO_SIGNS, PLACEBO_VALUES
from tests.verdict.reporting import row
from textmix.core.config import load_yaml_strict
from textmix.data.corpus import TEST, TRAIN, Corpus, Ragged
from textmix.experiment.splits import make_splits
from textmix.models.dirichlet.dcm import DCMClassifier

ROOT = Path(__file__).parents[2]
PAPERS = sorted(folder.name for folder in (ROOT / "config/papers").iterdir())
N, V, L = 240, 60, 4
#: Row -> settings of its measure that make it small; the other settings are those of paper.yaml.
SMALL: dict[str, dict[str, Any]] = {
    "pmm.c10": {"min_pages": 2},
    "cbm.c3": {"params": {"n_components": 8, "variance": 1.0, "max_iter": 10}},
    "cbm.c4.exact": {"components": [1, 5], "documents": 40},
    "edcm.c9": {"lengths": [1, 2, 5, 12], "short": 4},
    "edcm.c7.burstiness": {"bands": {"all": [0, V]}, "occurrences": 4},
    "edcm.c7.limit": {"bands": {"all": [0, V]}, "occurrences": 4},
    "edcm.c8": {"bands": {"all": [0, V]}, "occurrences": 4},
}
#: Decided by arithmetic in two ways, of which the check asks for one; it has a test of its own.
EITHER_WAY = "th.t7"
SCHEMAS = ROOT / "workflow/schemas"


def folder_of(paper: str) -> Path:
    return ROOT / "config/papers" / paper


def identities() -> list[tuple[str, Published]]:
    found = [(paper, claim) for paper in PAPERS for claim in read_claims(folder_of(paper), SCHEMAS)[0]]
    return [(paper, claim) for paper, claim in found if claim.kind == IDENTITY]


def random_words(several: bool) -> MeasureData:
    """Return documents whose words are drawn without regard to their labels: none, one or several of ``L``."""
    generator = np.random.default_rng(34)
    if several:
        Y = (generator.random((N, L)) < 0.35).astype(np.int8)
    else:
        Y = np.eye(L, dtype=np.int8)[generator.integers(L, size=N)]
    X = generator.multinomial(40, generator.dirichlet(np.full(V, 0.5)), size=N).astype(np.int32)
    corpus = Corpus(
        name="random",
        ids=[str(i) for i in range(N)],
        label_names=[f"label{i}" for i in range(L)],
        labels=sparse.csr_array(Y),
        split=np.where(np.arange(N) < N // 2, TRAIN, TEST).astype(np.int8),
        features=sparse.csr_array(X),
        feature_names=["I", "do", "not", "recommend", *(f"word{i}" for i in range(4, V))],
        tokens=Ragged(generator.integers(0, 6, size=40 * N), 40 * np.arange(N + 1)),
    )
    return MeasureData(corpus, make_splits(corpus, {"kind": "given"}, 1, "given", None))


def holds_for_random_words(monkeypatch: pytest.MonkeyPatch, paper: str, claim: Published) -> bool | None:
    """Return whether the check of a claim holds for the measures of random words."""
    checks, spec = read_claims(folder_of(paper), SCHEMAS)[1], load_yaml_strict(folder_of(paper) / "paper.yaml")
    several = paper in ("pmm", "cbm", "multinomial")
    measured: dict[str, dict[str, Any]] = {}

    def located(_: Results, locator: Any) -> Reproduced:
        if locator.measure not in measured:
            entry = spec["measures"][locator.measure]
            settings = {**entry["settings"], **SMALL.get(claim.id, {})}
            sources, generator = {"random": random_words(several)}, np.random.default_rng(1)
            measured[locator.measure] = dict(run_measure(paper, entry["function"], sources, settings, generator).values)
        return Reproduced(float(measured[locator.measure][locator.key]))

    monkeypatch.setattr(claims, "locate", located)
    monkeypatch.setattr(claims, "roles_of_check", lambda *_: ())
    assert claim.check is not None, claim.id
    return claims.evaluate(claim.check, checks[claim.check], Results(Path(), paper, {}, {})).holds


CASES = [pytest.param(paper, claim, id=claim.id) for paper, claim in identities() if claim.id != EITHER_WAY]


@pytest.mark.parametrize(("paper", "claim"), CASES)
def test_an_identity_holds_for_random_words(monkeypatch: pytest.MonkeyPatch, paper: str, claim: Published) -> None:
    assert holds_for_random_words(monkeypatch, paper, claim) is True


@pytest.mark.parametrize(("concentration", "sign"), [(None, -1), (20.0, 1)], ids=["plain words", "bursty words"])
def test_the_density_of_sparse_counts_has_no_finite_value_for_any_words(concentration: float | None, sign: int) -> None:
    generator = np.random.default_rng(7)
    words = generator.dirichlet(np.full(V, 0.5))
    shares = np.tile(words, (N, 1)) if concentration is None else generator.dirichlet(concentration * words, size=N)
    X = sparse.csr_array(np.array([generator.multinomial(40, share) for share in shares], dtype=np.int32))
    X = X[:, np.flatnonzero(np.bincount(X.indices, minlength=V))]
    alpha = DCMClassifier(smoothing=0.0).fit(X, np.zeros(N, dtype=int)).alpha_[0]
    density = np.array([log_densities(X, alpha, 10.0**-power).mean() for power in (3, 6, 10, 12)])
    assert np.all(sign * np.diff(density) > 100)


def table(*values: float, margin: str = "2") -> list[Published]:
    """Return the rows of a table of one data set, a method each."""
    cells = [{"id": f"p.{i}", "method": f"m{i}", "value": f"{value}"} for i, value in enumerate(values)]
    return [row(**cell, unit="percent", margin=margin) for cell in cells]


def test_a_margin_that_accepts_more_than_half_of_the_other_methods_is_weak() -> None:
    found = placebos(table(50.0, 51.0, 52.0, 60.0), {})
    assert [found[f"p.{i}"].n_passed for i in range(4)] == [2, 2, 2, 0]
    assert found["p.0"].weak == "its margin accepts 2 of 3 other published values"
    assert (found["p.3"].name, found["p.3"].n_tried, found["p.3"].weak) == (PLACEBO_VALUES, 3, "")
    assert not placebos(table(50.0, 51.0, 53.0), {})["p.0"].weak, "half of them is not most"


def test_values_of_another_data_set_are_no_rivals_where_the_row_has_its_own() -> None:
    rows = [*table(50.0, 60.0, 70.0), row(id="p.far", dataset="near", unit="percent", value="50.0")]
    assert placebos(rows, {})["p.0"].n_tried == 2
    assert placebos(rows, {})["p.far"].n_tried == 3, "it has none of its own, and gets those of the table"


def test_a_margin_of_a_quarter_of_the_number_is_weak() -> None:
    assert placebos(table(20.0, 90.0, margin="5"), {})["p.0"].weak == "its margin is at least a quarter of the number"
    assert not placebos(table(20.0, 90.0, margin="4.9"), {})["p.0"].weak


def of_check(**check: Any) -> Placebo:
    claim = row(kind="claim", tolerance="order", margin="", source="check:it", value="")
    return placebos([claim], {"it": check})[claim.id]


def test_claims_on_an_order_are_tried_with_all_orders() -> None:
    assert of_check(kind="rising", left=["a", "b", "c"]) == Placebo(PLACEBO_ORDERS, 6, 1)
    assert of_check(kind="largest", left=["a"], right=["b", "c", "d"]) == Placebo(PLACEBO_ORDERS, 24, 6)
    assert of_check(kind="above", left=["a", "b"], right=["c", "d"], exceptions=1).n_passed == 18
    assert of_check(kind="above", left=["a", "b"], right=["c", "d"], average=True) == Placebo(PLACEBO_ORDERS, 2, 1)
    many = [f"m{i}" for i in range(9)]
    largest = of_check(kind="largest", left=many[:1], right=many[1:])
    assert largest.n_passed / largest.n_tried == pytest.approx(1 / 9, abs=0.02)


def test_claims_on_a_sign_are_tried_with_random_signs_and_bounds_with_nothing() -> None:
    assert of_check(kind="positive", left=["a", "b", "c"]) == Placebo(PLACEBO_SIGNS, 8, 1)
    assert of_check(kind="at_least", left=["a"], bound=10) == Placebo()
