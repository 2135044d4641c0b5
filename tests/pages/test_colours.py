"""A method has one colour in the figures of all papers."""

from __future__ import annotations

from pathlib import Path

import yaml

from reproduction.papers.edcm import study_figures
from reproduction.papers.style import COLOURS, colour_of
from reproduction.papers.thesis import figures

PAPERS = Path(__file__).parents[2] / "config/papers"
METHODS = {
    method
    for path in PAPERS.glob("*/paper.yaml")
    for figure in yaml.load(path.read_bytes(), yaml.CSafeLoader).get("figures", {}).values()
    for method in figure.get("methods", ())
}


def test_every_method_of_a_figure_has_a_colour() -> None:
    drawn = METHODS | {*study_figures.MODELS, *figures.NAMES, *figures.MODELS, "lda10", "lda40"}
    assert len(drawn) > 40
    assert all(colour_of(method) for method in drawn)


def test_variants_have_the_colour_of_their_method_and_the_models_of_the_documents_differ() -> None:
    assert colour_of("dcm_fixed_point") == colour_of("dcm") == colour_of("knn_fisher_dcm")
    assert colour_of("lda10") == COLOURS["lda"]
    assert len({colour_of(model) for model in ("multinomial", "dcm", "edcm", "lda", "knn", "linear_svm", "hmm")}) == 7
