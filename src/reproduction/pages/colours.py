"""The colour of each method, one in the figures of all papers."""

from __future__ import annotations

import re

from reproduction.pages.style import GREY

#: Method, or the first word of its name, -> its colour.  Methods of one colour differ by row, or by mark and dash.
COLOURS = {
    **dict.fromkeys(("multinomial", "nb", "dirichlet_smoothed", "absolute_discounting", "fisher_multinomial"), "C0"),
    **dict.fromkeys(("dcm", "fisher_dcm"), "C1"),
    "edcm": "C2",
    **dict.fromkeys(("lda", "bhattacharyya"), "C3"),
    **dict.fromkeys(("knn", "l0", "l1", "l2", "lsi_knn"), "C4"),
    **dict.fromkeys(("logistic_regression", "linear_svm", "svm", "lsi_logistic_regression", "tfidf"), "C5"),
    **dict.fromkeys(("pmm1", "pmm2", "hmm", "cbm"), "C6"),
    **dict.fromkeys(("nn", "lsi", "lsi_density", "pruned_lsi"), GREY),
    # The slides on skip-grams compare penalties of two learners, those of the CBM reductions to logistic regressions.
    **{"lr_l2": "C0", "lr_l1": "C1", "lr_elastic_net": "C2", "svm_l2": "C3", "svm_l1": "C4"},
    **{"binrel": "C5", "powset": "C3", "paircrf": "C2", "cc": "C4"},
}


def colour_of(method: str) -> str:
    """Return the colour of a method, a variant of a method (``dcm_newton``) or a representation of k-NN."""
    for name in (method, method.removeprefix("knn_"), re.split(r"_|\d+$", method)[0]):
        if name in COLOURS:
            return COLOURS[name]
    raise KeyError(f"no colour of {method}: add it to reproduction.pages.colours")
