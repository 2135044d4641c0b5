"""Ensemble of saved models with the same labels; averages their calibrated probabilities.

The folder of an ensemble has one folder per model, ``part0`` and so on, in the format of `textmix.serve.model`.
``average.json`` has the slopes that calibrate their scores.  The decision rule is in ``thresholds.npy`` (one threshold
per label, or for the positive class if binary), or in ``sets.npy`` and ``bonus.npy`` (candidate label sets for the most
probable set); ``support.npy`` bounds the probabilities.  Models with identical vectorisers reuse a single one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, check_consistent_length

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Ragged, TableTexts
from textmix.data.extra_columns import column_cells
from textmix.data.feature_rows import feature_rows_of
from textmix.models.common.calibration import calibration_folds, label_scores
from textmix.models.common.decision import Decision, refit_decision
from textmix.serve.average_checks import check_ensemble
from textmix.serve.label_encoding import accuracy, as_label_array, decode_labels, encode_labels
from textmix.serve.model import (
    CARD_FILE,
    FORMAT,
    MODEL_FILE,
    MODEL_FOLDER,
    PersistedModel,
    check_folder,
    check_format,
    read_back,
    report_malformed,
)
from textmix.serve.state_schema import read_json, read_npy
from textmix.serve.training_sketch import readable_card
from textmix.text.encoder import allow
from textmix.text.ngram_tfidf import MARK
from textmix.text.text_validation import texts_of

AVERAGE_FILE = "average.json"
MAX_PARTS = 100
#: Optional arrays of the decision rule: name of the parameter and of its file, and attribute of `Decision`.
RULE_ARRAYS = {
    "thresholds": "thresholds",
    "sets": "label_sets",
    "bonus": "set_weights",
    "support": "support",
}
#: Criterion of thresholds for metrics of label errors; thresholds for other metrics maximise F1.
ERROR_CRITERIA = {
    "accuracy": "errors",
    "error_rate": "errors",
    "hamming_loss": "errors",
    "subset_accuracy": "sets",
}
Columns = Mapping[str, Sequence[Any]]
NO_COLUMNS: Columns = MappingProxyType({})


class AveragedModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ensemble of text classifiers; `textmix.load` returns it for the model of a comparison.

    Parameters
    ----------
    parts : sequence of PersistedModel
        Fitted models of the same labels.
    slopes : sequence of float
        Slope that calibrates the scores of each model.
    thresholds : ndarray of shape (L,) or (1,), dtype=float64, default=None
        Threshold of each label, possibly infinite, or of the second of two classes; None predicts the most probable
        label.
    never_empty : bool, default=False
        Whether every text gets at least one label.
    card : mapping of str to object, default=None
        See `textmix.serve.model.PersistedModel`.
    sets : ndarray of shape (S, L), dtype=int8, default=None
        Label sets, see `textmix.models.common.decision.most_probable_sets`.
    bonus : ndarray of shape (S,), dtype=float64, default=None
        Weight of each label set.
    support : ndarray of shape (2, L), dtype=float64, default=None
        Numbers of calibration documents, see `textmix.models.common.decision.bound_probabilities`.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Labels, with the type that they had in training.
    estimators_ : list of Pipeline
        The pipeline from texts to label indices of each model.
    named_steps : Bunch
        Steps of a single model, or the pipelines of several models as ``part0``, ``part1`` and so on.
    """

    def __init__(
        self,
        parts: Sequence[PersistedModel],
        slopes: Sequence[float],
        *,
        thresholds: np.ndarray | None = None,
        never_empty: bool = False,
        card: Mapping[str, Any] | None = None,
        sets: np.ndarray | None = None,
        bonus: np.ndarray | None = None,
        support: np.ndarray | None = None,
    ) -> None:
        self.parts = parts
        self.slopes = slopes
        self.thresholds = thresholds
        self.never_empty = never_empty
        self.card = {} if card is None else card
        self.sets = sets
        self.bonus = bonus
        self.support = support

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"<textmix ensemble of {', '.join(map(repr, self.parts))}>"

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = not self.is_numeric
        tags.input_tags.two_d_array = self.is_numeric
        tags.classifier_tags.multi_label = self.task == "multi"
        tags.target_tags.multi_output = self.task == "multi"
        tags.target_tags.single_output = self.task == "single"
        return tags

    @property
    def _fitted_parts(self) -> Sequence[PersistedModel]:
        """Models of the last `fit`, or the models that the ensemble was created with."""
        parts: Sequence[PersistedModel] = getattr(self, "parts_", self.parts)
        return parts

    @property
    def task(self) -> str:
        """``single`` or ``multi``."""
        return self.parts[0].task

    @property
    def labels(self) -> Sequence[Any]:
        """The L labels."""
        return self.parts[0].labels

    @property
    def label_names(self) -> list[str]:
        """The labels as text."""
        return self.parts[0].label_names

    @property
    def classes_(self) -> np.ndarray:
        """The labels, (L,)."""
        return as_label_array(self.labels)

    @property
    def extra_columns(self) -> tuple[str, ...]:
        """Columns of numbers and categories that the models take in addition to the texts."""
        return tuple(dict.fromkeys(name for member in self._fitted_parts for name in member.extra_columns))

    @property
    def estimator(self) -> AveragedModel:
        """The ensemble itself, which predicts labels and probabilities."""
        return self

    @property
    def estimators_(self) -> list[Pipeline]:
        """The pipeline of each model."""
        return [Pipeline(list(member.steps)) for member in self._fitted_parts]

    @property
    def named_steps(self) -> Bunch:
        """Steps of a single model, or the pipelines of several models."""
        pipelines = self.estimators_
        if len(pipelines) == 1:
            return pipelines[0].named_steps
        return Bunch(**{f"part{number}": pipeline for number, pipeline in enumerate(pipelines)})

    @property
    def class_name(self) -> str:
        """The classes of the estimators."""
        if len(self.parts) == 1:
            return self.parts[0].class_name
        return f"an ensemble of {', '.join(member.class_name for member in self.parts)}"

    @property
    def decision(self) -> Decision:
        """The rule that turns scores into probabilities and labels: of the last `fit`, or of the parameters."""
        decision: Decision = getattr(self, "decision_", self._initial_decision())
        return decision

    def _initial_decision(self) -> Decision:
        """Return the decision rule of the parameters."""
        return Decision(
            slopes=self.slopes,
            thresholds=self.thresholds,
            label_sets=self.sets,
            set_weights=self.bonus,
            never_empty=self.never_empty,
            support=self.support,
        )

    def fit(self, X: Sequence[str], y: Any, features: Columns = NO_COLUMNS) -> Self:
        """Refit all models with the same parameters, and estimate the decision rule again.

        Slopes, thresholds and label sets are estimated from the scores of a 5-fold cross-validation, so that a fit
        takes six times as long as the fits of its models.  Thresholds maximise F1, or minimise the number of errors if
        the metric in the model card is one of label errors.

        Parameters
        ----------
        X : sequence of str of length N
        y : sequence of labels, or of collections of labels, of length N
            Each label is one of ``classes_``.
        features : mapping of str to sequence, default={}
            See `predict`.

        Returns
        -------
        self : AveragedModel

        Raises
        ------
        ValueError
            If y contains another label, or a text is not a string.
        """
        text = self.encode(X, features)
        target = encode_labels(y, self.labels, self.task)
        check_consistent_length(text, target)
        self.parts_ = self._fit_parts(text, target)
        self.decision_ = self._initial_decision()
        scores, rows = self._held_out_scores(text, target)
        if len(rows):
            criterion = ERROR_CRITERIA.get(str(self.card.get("metric")), "f1")
            self.decision_ = refit_decision(self.decision_, scores, target[rows], self.task, criterion)
        return self

    def _fit_parts(self, text: Ragged, target: np.ndarray) -> list[PersistedModel]:
        """Fit copies of all models; models with identical vectorisers keep sharing one."""
        vectorised = dict[int, tuple[Any, Any]]()
        parts = []
        for member in self.parts:
            name, vectoriser = member.steps[0]
            if id(vectoriser) not in vectorised:
                fitted = clone(vectoriser)
                vectorised[id(vectoriser)] = fitted, sparse.csr_array(fitted.fit_transform(text), dtype=np.float32)
            fitted, counts = vectorised[id(vectoriser)]
            estimator = clone(member.estimator)
            if getattr(estimator, "columns", None) is not None:
                estimator.set_params(columns=_matching_columns(fitted, estimator.columns))
            parts.append(replace(member, steps=[(name, fitted), (member.steps[-1][0], estimator.fit(counts, target))]))
        return parts

    def _held_out_scores(self, text: Ragged, target: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Compute cross-validated scores of each model, float64 (n, L), and the rows of the n texts with scores."""
        scores = [np.full((len(text), len(self.labels)), -np.inf) for _ in self.parts]
        has_scores = np.zeros(len(text), dtype=bool)
        for training, held_out in calibration_folds(target):
            if self.task == "single" and len(np.unique(target[training])) < 2:
                continue
            parts = self._fit_parts(text.take(training.tolist()), target[training])
            fold_scores = self._scores(text.take(held_out.tolist()), parts)
            for member_scores, member_fold_scores in zip(scores, fold_scores, strict=True):
                member_scores[held_out] = member_fold_scores
            has_scores[held_out] = True
        rows = np.flatnonzero(has_scores)
        return [member_scores[rows] for member_scores in scores], rows

    def encode(self, X: Any, features: Columns = NO_COLUMNS) -> Ragged:
        """Validate and encode texts, or the feature vectors of a numeric model; raises as `predict` does."""
        if not self.is_numeric:
            return encode_texts(X, features)
        return feature_rows_of(X, self.extra_columns)

    @property
    def is_numeric(self) -> bool:
        """Whether the model takes feature vectors instead of texts."""
        return self.parts[0].is_numeric

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray]:
        """Predict label indices or indicators, and probabilities, as `PersistedModel.label` does."""
        probability = self.decision.probabilities(self._scores(text, self._fitted_parts), self.task)
        return self.decision.labels(probability, self.task), probability

    def _scores(self, text: Ragged, parts: Sequence[PersistedModel]) -> list[np.ndarray]:
        """Compute the scores of each model for all labels, float64 (N, L); -inf for labels that it does not have."""
        counts = dict[int, Any]()
        all_scores = list[np.ndarray]()
        for member in parts:
            vectoriser_id = id(member.steps[0][1])
            if vectoriser_id not in counts:
                counts[vectoriser_id] = member.counts(text)
            part_scores = label_scores(member.estimator, counts[vectoriser_id], self.task)
            if part_scores is None:
                raise ConfigError(f"model: {member.class_name} has no scores for its labels; fit and save it again")
            scores = np.full((len(text), len(self.labels)), -np.inf)
            scores[:, member.estimator.classes_] = part_scores
            all_scores.append(scores)
        return all_scores

    def predict_proba(self, X: Sequence[str], features: Columns = NO_COLUMNS) -> np.ndarray:
        """Predict the probability of each label.

        Parameters
        ----------
        X : sequence of str of length N
        features : mapping of str to sequence, default={}
            See `predict`.

        Returns
        -------
        probability : ndarray of shape (N, L)
        """
        return self.label(self.encode(X, features))[1]

    def predict(self, X: Sequence[str], features: Columns = NO_COLUMNS) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        X : sequence of str of length N
            Texts: a list, an array, a Series or a DataFrame with a single column.
        features : mapping of str to sequence, or DataFrame, default={}
            Cells of the extra columns of the model, N per column.

        Returns
        -------
        labels : ndarray of shape (N,)
            The label of each text, or a tuple of labels.

        Raises
        ------
        ValueError
            If a text is not a string.
        ConfigError
            If a column is missing, has not N cells, or contains text where numbers are expected.
        """
        return decode_labels(self.label(self.encode(X, features))[0], self.labels)

    def score(self, X: Sequence[str], y: Any, features: Columns = NO_COLUMNS) -> float:
        """Compute the accuracy (subset accuracy for multi-label data).

        Parameters
        ----------
        X : sequence of str of length N
        y : sequence of length N
            The label of each text, or a list, tuple or set of labels.
        features : mapping of str to sequence, default={}
            See `predict`.

        Returns
        -------
        score : float

        Raises
        ------
        ValueError
            If y contains indicators instead of labels, or labels of another type.
        """
        return accuracy(self.predict(X, features), y, self.labels, self.task)

    def description(self) -> dict[str, Any]:
        """Describe steps, task, labels, features, data set and card."""
        descriptions = [member.description() for member in self.parts]
        steps = []
        for facts, slope in zip(descriptions, self.decision.slopes, strict=True):
            steps += [*facts["steps"][:-1], f"{facts['steps'][-1]}, slope {slope:.4g}"]
        description = {
            "steps": steps,
            "task": self.task,
            "labels": list(self.label_names),
            "features": sum(facts["features"] for facts in descriptions),
            "dataset": descriptions[0]["dataset"],
        }
        thresholds = self.decision.thresholds
        if thresholds is not None:
            description["thresholds"] = [float(value) for value in thresholds]
        return {**description, **readable_card(self.card)}

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the ensemble to a new folder with digests; raises as `PersistedModel.save` does."""
        parts = self._fitted_parts
        vectorisers = [member.steps[0][1] for member in parts]
        shared = [next(n for n, other in enumerate(vectorisers) if other is vectoriser) for vectoriser in vectorisers]
        decision = self.decision
        arrays = {name: getattr(decision, attribute) for name, attribute in RULE_ARRAYS.items()}
        rule = {name: np.asarray(array) for name, array in arrays.items() if array is not None}
        head = {
            "format": FORMAT,
            "parts": len(parts),
            "slopes": [float(slope) for slope in decision.slopes],
            "never_empty": decision.never_empty,
            "task": self.task,
            "shared": shared,
            "rule": sorted(rule),
        }
        with io.new_folder(folder, meta) as target:
            for number, member in enumerate(parts):
                (target / f"part{number}").mkdir()
                has_own_vectoriser = shared[number] == number
                own = member if has_own_vectoriser else replace(member, steps=member.steps[1:])
                own.write(target / f"part{number}")
            io.write_json(target / AVERAGE_FILE, head)
            io.write_json(target / CARD_FILE, dict(self.card))
            io.save_arrays(target, **rule)
            read_back(self, target)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read and validate the folder of an ensemble; raises as `PersistedModel.load` does."""
        return cls.read(check_folder(folder))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read and validate the files of an ensemble, without checking digests; raises as `load` does."""
        with report_malformed(folder / AVERAGE_FILE, DataFormatError):
            head = read_json(folder / AVERAGE_FILE, dict)
            check_format(head["format"])
            if not 1 <= int(head["parts"]) <= MAX_PARTS:
                raise ValueError(f"parts: {head['parts']} is not in 1 to {MAX_PARTS}")
            parts = [PersistedModel.read(folder / f"part{number}") for number in range(int(head["parts"]))]
            for number, first in enumerate(head["shared"]):
                if not 0 <= int(first) <= number:
                    raise ValueError(f"part {number} shares the vectoriser of part {first}")
                if first != number:
                    parts[number] = replace(parts[number], steps=[parts[int(first)].steps[0], *parts[number].steps])
            rule = {name: read_npy(folder / f"{name}.npy") for name in RULE_ARRAYS if name in head["rule"]}
            ensemble = cls(
                parts,
                [float(slope) for slope in head["slopes"]],
                never_empty=bool(head["never_empty"]),
                card=read_json(folder / CARD_FILE, dict),
                **rule,
            )
            if head["task"] != ensemble.task:
                raise ValueError(f"the task {head['task']!r} is not that of the parts")
            check_ensemble(ensemble)
        return ensemble


def load_model(folder: str | Path, encoder: str | None = None) -> PersistedModel | AveragedModel:
    """Read a model or an ensemble.

    Parameters
    ----------
    folder : str or Path
        Folder of the model, or output directory of a comparison, which contains one.
    encoder : str, default=None
        Encoder that is allowed to run, see `textmix.text.encoder.allow`.

    Raises
    ------
    IntegrityError, DataFormatError, MissingResult or ConfigError
        As `PersistedModel.load`.
    """
    if encoder is not None:
        allow(encoder)
    folder = find_model_folder(Path(folder))
    return AveragedModel.load(folder) if is_ensemble(folder) else PersistedModel.load(folder)


def is_ensemble(folder: Path) -> bool:
    """Check whether a folder contains an ensemble."""
    return (folder / AVERAGE_FILE).is_file()


def is_model(folder: Path) -> bool:
    """Check whether a folder contains a model or an ensemble."""
    return (folder / MODEL_FILE).is_file() or is_ensemble(folder)


def find_model_folder(folder: Path) -> Path:
    """Return the folder itself, or the model within the output directory of a comparison."""
    within = folder / MODEL_FOLDER
    return within if is_model(within) and not is_model(folder) else folder


def encode_texts(texts: Any, features: Columns = NO_COLUMNS) -> Ragged:
    """Validate texts and extra columns, and encode the texts as UTF-8.

    Raises
    ------
    ValueError
        If the texts are not a collection of strings.
    ConfigError
        If the number of cells of a column is not the number of texts.
    """
    text = texts_of(texts)
    return TableTexts.of(text, column_cells(features, len(text)))


def _matching_columns(vectoriser: Any, columns: tuple[int, int]) -> tuple[int, int]:
    """Return the range of the columns of word n-grams, or of character n-grams, of a refitted vectoriser."""
    n_words = sum(not name.startswith(MARK) for name in vectoriser.vocabulary_)
    n_cells = len(getattr(vectoriser, "names_", ()))
    is_words = columns[0] == 0
    return (0, n_words + n_cells) if is_words else (n_words, len(vectoriser.vocabulary_) + n_cells)
