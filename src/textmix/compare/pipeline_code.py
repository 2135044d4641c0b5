"""Python code of the chosen pipeline."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from textmix.compare import candidates
from textmix.compare.candidates import Candidate
from textmix.compare.choice import Chosen
from textmix.compare.search import Search
from textmix.models.common.decision import Decision

#: The decision rule for more labels is too long to be printed.
MAX_PRINTED_LABELS = 50
IMPORTS = (
    "import numpy as np",
    "from textmix.models.common.calibration import label_scores",
    "from textmix.models.common.decision import Decision",
)
#: Conversion of labels, and of predictions, by task.
ENCODE_LABELS = {
    "single": ["names, y = np.unique(labels, return_inverse=True)"],
    "multi": [
        "names = sorted({name for row in labels for name in row})",
        "y = np.array([[name in row for name in names] for row in labels], dtype=np.int8)",
    ],
}
DECODE_LABELS = {
    "single": "predicted = names[decision.labels(probability, task)]",
    "multi": "predicted = [[names[i] for i in np.flatnonzero(row)] for row in decision.labels(probability, task)]",
}


def pipeline_code(search: Search, winner: Chosen) -> str | None:
    """Write the chosen pipeline as Python code.

    With the training documents (``texts``, ``labels``) and the test documents (``new_texts``), the code reproduces the
    test score of the comparison.

    Parameters
    ----------
    search : Search
        The search that made the choice.
    winner : Chosen
        The chosen candidate or ensemble.

    Returns
    -------
    str or None
        None if the features include extra columns, or if the decision rule is too long to be printed.
    """
    if search.features.column_kinds or not _is_printable(winner.decision):
        return None
    task = search.documents.task
    steps = [_steps(search, member) for member in winner.members]
    imports = [*IMPORTS, *(_import_of(step) for pair in steps for step in pair)]
    lines = [*sorted(set(imports)), ""]
    if search.features.encoder and any(member.view == candidates.ENCODER for member in winner.members):
        lines += ["from textmix.text.encoder import allow", f"allow({search.features.encoder!r})", ""]
    lines += [f"task = {task!r}", *ENCODE_LABELS[task], "members = ["]
    lines += [f"    ({_constructor(vectoriser)}, {_constructor(classifier)})," for vectoriser, classifier in steps]
    lines += ["]", f"decision = {_decision_code(winner.decision)}"]
    lines += [
        "scores = []",
        "for vectoriser, classifier in members:",
        "    classifier.fit(vectoriser.fit_transform(texts).astype(np.float32), y)",
        "    X = vectoriser.transform(new_texts).astype(np.float32)",
        "    member_scores = np.full((X.shape[0], len(names)), -np.inf, dtype=np.float32)",
        "    member_scores[:, classifier.classes_] = label_scores(classifier, X, task)",
        "    scores.append(member_scores)",
        "probability = decision.probabilities(scores, task)",
        DECODE_LABELS[task],
    ]
    return "\n".join(lines)


def _is_printable(decision: Decision) -> bool:
    if decision.label_sets is not None:
        return False
    n_thresholds = 0 if decision.thresholds is None else len(decision.thresholds)
    n_labels = 0 if decision.support is None else decision.support.shape[1]
    return max(n_thresholds, n_labels) <= MAX_PRINTED_LABELS


def _steps(search: Search, member: Candidate) -> tuple[Any, Any]:
    """Return the unfitted vectoriser and classifier of a candidate; a part of a view gets its own vectoriser."""
    vectoriser = search.features.new_vectoriser(member.matrix_view, len(search.documents.y))
    if member.view == candidates.WORDS:
        vectoriser.set_params(characters=None)
    elif member.view == candidates.CHARACTERS:
        vectoriser.set_params(words=None)
    return vectoriser, candidates.new_classifier(member, {}, (search.seed, "compare", 0))


def _import_of(step: Any) -> str:
    return f"from {type(step).__module__} import {type(step).__name__}"


def _constructor(step: Any) -> str:
    """Return the call that creates an estimator, with the parameters that differ from their defaults."""
    defaults = {name: parameter.default for name, parameter in signature(type(step)).parameters.items()}
    params = step.get_params(deep=False)
    changed = [f"{name}={value!r}" for name, value in params.items() if value != defaults[name]]
    return f"{type(step).__name__}({', '.join(changed)})"


def _decision_code(decision: Decision) -> str:
    """Return the call that creates a decision rule."""
    arguments = [f"slopes={[float(slope) for slope in decision.slopes]!r}"]
    if decision.thresholds is not None:
        arguments.append(f"thresholds={_array_code(decision.thresholds)}")
    if decision.never_empty:
        arguments.append("never_empty=True")
    if decision.support is not None:
        arguments.append(f"support={_array_code(decision.support)}")
    return f"Decision({', '.join(arguments)})"


def _array_code(values: np.ndarray) -> str:
    """Return the call that creates an array; infinite values are written as numpy's."""
    return f"np.array({np.asarray(values).tolist()!r})".replace("inf", "np.inf")
