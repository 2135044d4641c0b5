"""The battery of scikit-learn's tools over all public classes; writes docs/in-scikit-learn.md.

Run ``python -m tests.models.battery`` after a new class; a test compares the page with what the tools do today.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline

import textmix
from tests.models.public import CLASSES, CLASSIFIERS, OF_SEQUENCES, OF_TEXTS, SEVERAL, SINGLE, TWO_CLASSES, make

PAGE = Path(__file__).resolve().parents[2] / "docs/in-scikit-learn.md"
RNG = np.random.default_rng(8)
X = sparse.csr_array(RNG.poisson(0.8, (60, 8)))
Y = (X.toarray()[:, :3] + RNG.poisson(0.3, (60, 3)) > 1).astype(int)
SEQUENCES = [np.repeat(np.arange(8), row) for row in X.toarray()]
TEXTS = [" ".join(f"word{word}" for word in row) for row in SEQUENCES]
YES, NO = "yes", "–"

HEAD = """# In scikit-learn

Every class of textmix is a scikit-learn estimator. `yes` means that a tool of scikit-learn works with the class, which
the tests check. A dash means that the tool is not applicable to the class. Calibration, one-vs-rest, voting and bagging
of scikit-learn are single-label. They do not accept token sequences, which hidden Markov models require. A table of
`set_output` is dense.

Multi-label classifiers and `textmix.metrics` accept y as label indicators or as label sets, and `predict` returns the
format of the training y: indicators, or tuples of labels. Pass label sets as Python sets, such as
`[{"art"}, {"art", "sport"}]`, because scikit-learn rejects lists of lists unless `cv` is a splitter. Labels are strings
or integers. Lists of 0 and 1 that could be either format, such as `[[0], [1]]`, are rejected.

| task | with label sets |
|---|---|
| `cross_val_score(cv=3)`, `cross_val_predict(cv=3)`, `GridSearchCV` | y as sets; or y as lists and `cv=KFold(3)` |
| `scoring="f1_micro"` | `scoring=textmix.scorer("micro_f")` |
| `cross_val_predict(method="predict_proba")` | indicators: `y = MultiLabelBinarizer().fit_transform(y)` |
| `train_test_split(stratify=y)` | `stratify=[str(sorted(labels)) for labels in y]` |

"""


def classes(name: str) -> np.ndarray:
    """Return the classes of the documents: as many as a classifier takes."""
    columns = X.toarray()[:, : 2 if name in TWO_CLASSES else 3]
    largest: np.ndarray = np.array(["art", "money", "sport"])[columns.argmax(axis=1)]
    return largest


def target(name: str) -> np.ndarray | None:
    """Return the targets of a class: classes, label indicators, or None."""
    if name not in CLASSIFIERS:
        return None
    return Y if name in SEVERAL and name not in SINGLE else classes(name)


def documents(name: str) -> Any:
    """Return documents in the form that a class takes."""
    return TEXTS if name in OF_TEXTS else SEQUENCES if name in OF_SEQUENCES else X


def cross_validated(name: str) -> None:
    """Score by folds."""
    scoring = textmix.scorer("micro_f") if target(name) is Y else None
    scores = cross_val_score(
        make(name), documents(name), target(name), cv=KFold(2), scoring=scoring, error_score="raise"
    )
    assert np.isfinite(scores).all()


def cloned(name: str) -> None:
    """Clone a fitted estimator: parameters stay, what it learnt goes."""
    made = make(name)
    copied = clone(made.fit(documents(name), target(name)))
    assert repr(copied) == repr(made) and not [key for key in vars(copied) if key.endswith("_")]


def in_a_pipeline(name: str) -> None:
    """Fit to texts in a pipeline, and ask it."""
    before = [] if name in OF_TEXTS else [textmix.SequenceVectorizer() if name in OF_SEQUENCES else CountVectorizer()]
    pipeline = make_pipeline(*before, make(name)).fit(TEXTS, target(name))
    asked = next(method for method in ("predict", "transform", "score_samples") if hasattr(pipeline, method))
    found = getattr(pipeline, asked)(TEXTS)
    assert (len(found) if isinstance(found, list) else found.shape[0]) == len(TEXTS)


def area(name: str) -> None:
    """Measure the area under the curve of the scores of a classifier."""
    y = target(name)
    method = "predict_proba" if hasattr(make(name), "predict_proba") else "decision_function"
    scores = cross_val_predict(make(name), documents(name), y, cv=KFold(3), method=method)
    if y is Y:
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


#: Classifiers of matrices with one label a document.
OF_ONE_LABEL = [name for name in SINGLE if name not in OF_SEQUENCES]
#: Tool -> its trial, and for which classes it has a meaning.
TOOLS: dict[str, tuple[Callable[[str], None], Callable[[str], bool]]] = {
    "clone": (cloned, _of([*CLASSES])),
    "pipeline": (in_a_pipeline, _of([*CLASSES])),
    "cross_val_score": (cross_validated, _of(CLASSIFIERS)),
    "roc_auc": (area, _of(CLASSIFIERS)),
    "calibration": (calibrated, _of(OF_ONE_LABEL)),
    "one against rest": (against_the_rest, _of(OF_ONE_LABEL)),
    "voting": (voted, _of(OF_ONE_LABEL)),
    "bagging": (bagged, _of(OF_ONE_LABEL)),
    "one a label": (one_a_label, _of(OF_ONE_LABEL)),
    "set_output": (as_a_table, _of(["LSITransformer", "LatentTopicEDCM"])),
}


def tried(name: str) -> dict[str, str]:
    """Return what each tool does with a class; an error of a tool that has a meaning is raised."""
    found = {}
    for tool, (trial, has_meaning) in TOOLS.items():
        found[tool] = YES if has_meaning(name) else NO
        if found[tool] == YES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trial(name)
    return found


def page() -> str:
    """Return the page with the table, as the tools' meanings and the classes of today make it."""
    lines = [f"| class | {' | '.join(TOOLS)} |", "|---" * (len(TOOLS) + 1) + "|"]
    for name in sorted(CLASSES):
        cells = [YES if has_meaning(name) else NO for _, has_meaning in TOOLS.values()]
        lines.append(f"| {{py:class}}`~textmix.{name}` | {' | '.join(cells)} |")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stderr.write(f"wrote {PAGE}\n")
