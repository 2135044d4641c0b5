"""The battery of scikit-learn's tools over all public classes; writes docs/in-scikit-learn.md.

Run ``python -m tests.models.battery`` after a new class; a test compares the page with what the tools do today.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier

import textmix
from tests.models.public import CLASSIFIERS, OF_MATRICES, OF_SEQUENCES, SEVERAL, SINGLE, TWO_CLASSES, make

PAGE = Path(__file__).resolve().parents[2] / "docs/in-scikit-learn.md"
RNG = np.random.default_rng(8)
X = sparse.csr_array(RNG.poisson(0.8, (60, 8)))
Y = (X.toarray()[:, :3] + RNG.poisson(0.3, (60, 3)) > 1).astype(int)
YES, NO = "yes", "–"

HEAD = """# In scikit-learn

Every class of textmix is a scikit-learn estimator. The table says which of scikit-learn's tools were tried on it: `yes`
is a tool that works, by a test in each run of the tests. A dash is a tool that has no meaning there: scikit-learn's
calibration, one against the rest, voting and bagging take one label a document, and a table of `set_output` is dense.
Vectorisers of texts are tried within pipelines. Hidden Markov models take sequences of words, which these tools do not.

`textmix.scorer` gives metrics that take lists of labels, such as `scoring=scorer("micro_f")`; scikit-learn's own
`"f1_micro"` does not.

"""


def classes(name: str) -> np.ndarray:
    """Return the classes of the documents: as many as a classifier takes."""
    columns = X.toarray()[:, : 2 if name in TWO_CLASSES else 3]
    largest: np.ndarray = np.array(["art", "money", "sport"])[columns.argmax(axis=1)]
    return largest


def target(name: str) -> np.ndarray:
    """Return the targets of a classifier: classes, or label indicators."""
    return classes(name) if name in SINGLE else Y


def cross_validated(name: str) -> None:
    """Score by folds."""
    scoring = None if name in SINGLE else textmix.scorer("micro_f")
    scores = cross_val_score(make(name), X, target(name), cv=KFold(2), scoring=scoring, error_score="raise")
    assert np.isfinite(scores).all()


def cloned(name: str) -> None:
    """Clone a fitted estimator: parameters stay, what it learnt goes."""
    made = make(name)
    copied = clone(made.fit(X, target(name) if name in CLASSIFIERS else None))
    assert repr(copied) == repr(made) and not hasattr(copied, "n_features_in_")


def area(name: str) -> None:
    """Measure the area under the curve of the scores of a classifier."""
    y = target(name)
    method = "predict_proba" if hasattr(make(name), "predict_proba") else "decision_function"
    scores = cross_val_predict(make(name), X, y, cv=KFold(3), method=method)
    if y.ndim == 2:
        assert 0 <= roc_auc_score(y, np.nan_to_num(scores), average="micro") <= 1
    elif scores.ndim == 1 or name in TWO_CLASSES:
        assert roc_auc_score(y, scores if scores.ndim == 1 else scores[:, 1]) > 0.5
    else:
        shares = np.exp(scores - scores.max(axis=1, keepdims=True)) if method == "decision_function" else scores
        assert roc_auc_score(y, shares / shares.sum(axis=1, keepdims=True), multi_class="ovr") > 0.5


def calibrated(name: str) -> None:
    """Calibrate the scores."""
    model = CalibratedClassifierCV(make(name), cv=2).fit(X, target(name))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def against_the_rest(name: str) -> None:
    """Fit one classifier a class against the rest."""
    y = target(name)
    assert set(OneVsRestClassifier(make(name)).fit(X, y).predict(X)) <= set(y)


def voted(name: str) -> None:
    """Let two copies vote."""
    y = target(name)
    assert set(VotingClassifier([("a", make(name)), ("b", make(name))]).fit(X, y).predict(X)) <= set(y)


def bagged(name: str) -> None:
    """Fit to samples of the documents."""
    y = target(name)
    assert set(BaggingClassifier(make(name), n_estimators=2, random_state=0).fit(X, y).predict(X)) <= set(y)


def one_a_label(name: str) -> None:
    """Fit one classifier a label of several."""
    assert MultiOutputClassifier(make(name)).fit(X, Y).predict(X).shape == Y.shape


def as_a_table(name: str) -> None:
    """Give a table of what a transformer makes."""
    table = make(name, **({"n_components": 2} if name == "LSITransformer" else {})).set_output(transform="pandas")
    assert table.fit_transform(X).shape == (60, 2)


def _of(names: list[str]) -> Callable[[str], bool]:
    """Return whether a tool has a meaning for a class, by the names of the classes."""
    return lambda name: name in names


#: Tool -> its trial, and for which classes it has a meaning.
TOOLS: dict[str, tuple[Callable[[str], None], Callable[[str], bool]]] = {
    "clone": (cloned, _of(OF_MATRICES)),
    "cross_val_score": (cross_validated, _of(CLASSIFIERS)),
    "roc_auc": (area, _of(CLASSIFIERS)),
    "calibration": (calibrated, _of(SINGLE)),
    "one against rest": (against_the_rest, _of(SINGLE)),
    "voting": (voted, _of(SINGLE)),
    "bagging": (bagged, _of(SINGLE)),
    "one a label": (one_a_label, _of(SINGLE)),
    "set_output": (as_a_table, _of(["LSITransformer", "LatentTopicEDCM"])),
}


def tried(name: str) -> dict[str, str]:
    """Return what each tool does with a class; an error of a tool that has a meaning is raised."""
    found = {}
    for tool, (trial, has_meaning) in TOOLS.items():
        found[tool] = YES if name not in OF_SEQUENCES and has_meaning(name) else NO
        if found[tool] == YES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trial(name)
    return found


def page() -> str:
    """Return the page with the table, as the tools' meanings and the classes of today make it."""
    lines = [f"| class | {' | '.join(TOOLS)} |", "|---" * (len(TOOLS) + 1) + "|"]
    for name in sorted({*OF_MATRICES, *SEVERAL, *SINGLE} - set(OF_SEQUENCES)):
        cells = [YES if has_meaning(name) else NO for _, has_meaning in TOOLS.values()]
        lines.append(f"| {{py:class}}`~textmix.{name}` | {' | '.join(cells)} |")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stderr.write(f"wrote {PAGE}\n")
