"""The persisted average: several models of the same labels, whose calibrated probabilities are averaged.

The folder holds a folder for each model, ``part0`` and so on, in the form of `textmix.serve.model`; ``average.json``
with the slopes that calibrate their scores; and the rule: ``thresholds.npy``, the threshold of each label, or of the
second of two classes, or ``sets.npy`` and ``bonus.npy``, the label sets among which one is chosen.  Parts that count
texts alike share the vectoriser of the first of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from textmix.core import io
from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Ragged, TableTexts
from textmix.data.extra_columns import column_cells
from textmix.models.common.calibration import label_scores
from textmix.models.common.decision import Decision
from textmix.models.common.targets import label_sets_of
from textmix.serve.model import CARD, FORMAT, TASKS, PersistedModel, malformed, read_back, sealed, two_texts
from textmix.serve.state_schema import read_json, read_npy
from textmix.serve.training_sketch import shown
from textmix.text.encoder import allow

HEAD = "average.json"
Columns = Mapping[str, Sequence[Any]]
#: Arrays of the rule: name of the field and of its file.
RULE = ("thresholds", "sets", "bonus", "support")


@dataclass(frozen=True, repr=False)
class AveragedModel:
    """Models of the same labels, and how their probabilities become one answer; it also predicts texts in Python.

    Parameters
    ----------
    parts : the models; each was fitted to indices into the same ``label_names``.
    slopes : of each model, by which its scores are calibrated.
    thresholds : of each label, float64 (L,), perhaps infinite, or of the second of two classes, (1,); None for the most
        probable label.
    never_empty : whether each text has a label.
    card : see `PersistedModel`.
    sets, bonus : int8 (S, L) and float64 (S,), see `textmix.models.common.decision.most_probable_sets`; or None.
    support : float64 (2, L), see `textmix.models.common.decision.bound_probabilities`; or None.
    """

    parts: Sequence[PersistedModel]
    slopes: Sequence[float]
    thresholds: np.ndarray | None = None
    never_empty: bool = False
    card: Mapping[str, Any] = field(default_factory=dict)
    sets: np.ndarray | None = None
    bonus: np.ndarray | None = None
    support: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<textmix average of {', '.join(map(repr, self.parts))}>"

    @property
    def task(self) -> str:
        """``single`` or ``multi``."""
        return self.parts[0].task

    @property
    def label_names(self) -> Sequence[str]:
        """The L names of the labels."""
        return self.parts[0].label_names

    @property
    def classes_(self) -> np.ndarray:
        """The names of the labels, (L,)."""
        return np.array(list(self.label_names))

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns whose cells come with the texts, of a model of a table."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.beside))

    @property
    def estimator(self) -> AveragedModel:
        """The object that gives labels and probabilities."""
        return self

    @property
    def class_name(self) -> str:
        """The classes of the estimators."""
        if len(self.parts) == 1:
            return self.parts[0].class_name
        return f"the average of {', '.join(part.class_name for part in self.parts)}"

    @property
    def decision(self) -> Decision:
        """The rule that turns scores into probabilities and labels."""
        return Decision(
            slopes=self.slopes,
            thresholds=self.thresholds,
            label_sets=self.sets,
            set_weights=self.bonus,
            never_empty=self.never_empty,
            support=self.support,
        )

    def label(self, text: Ragged) -> tuple[np.ndarray, np.ndarray]:
        """Return labels and probabilities of N texts, as `PersistedModel.label` does."""
        probability = self.decision.probabilities(self._scores(text), self.task)
        return self.decision.labels(probability, self.task), probability

    def _scores(self, text: Ragged) -> list[np.ndarray]:
        """Return the scores of each part for all labels, float64 (N, L); -inf for a label that it does not know."""
        counts, every = dict[int, Any](), list[np.ndarray]()
        for part in self.parts:
            words = id(part.steps[0][1])
            if words not in counts:
                counts[words] = part.counts(text)
            found = label_scores(part.estimator, counts[words], self.task)
            if found is None:
                raise ConfigError(f"model: {part.class_name} gives no scores of its labels; make the model again")
            scores = np.full((len(text), len(self.label_names)), -np.inf)
            scores[:, part.estimator.classes_] = found
            every.append(scores)
        return every

    def predict_proba(self, texts: Sequence[str], further: Columns = MappingProxyType({})) -> np.ndarray:
        """Return the probability of each label for N texts, float64 (N, L); see `predict`."""
        return self.label(_given(texts, further))[1]

    def predict(self, texts: Sequence[str], further: Columns = MappingProxyType({})) -> np.ndarray:
        """Return the name of the label of each of N texts, or a tuple of names each, (N,).

        Parameters
        ----------
        texts : N strings.
        further : column -> N cells, of the columns that the model takes beside the texts, or a table of pandas.

        Raises
        ------
        ConfigError : a column is missing, has other than N cells, or holds another text than numbers.
        """
        labels = self.label(_given(texts, further))[0]
        names = self.classes_
        if self.task == "single":
            return np.asarray(names[labels])
        found = np.empty(len(labels), dtype=object)
        for row, indicators in enumerate(labels):
            found[row] = tuple(names[np.flatnonzero(indicators)].tolist())
        return found

    def score(self, X: Sequence[str], y: Any, further: Columns = MappingProxyType({})) -> float:
        """Return the share of N texts whose label, or whole set of labels, is predicted.

        Parameters
        ----------
        X : N texts.
        y : the name of the label of each text, or a list, tuple or set of names; ValueError for indicators.
        further : see `predict`.
        """
        predicted: Sequence[Any] = self.predict(X, further).tolist()
        wanted: Sequence[Any] = list(y)
        if self.task == "multi":
            predicted, wanted = list(map(frozenset, predicted)), _label_sets(y)
        return float(np.mean([one == other for one, other in zip(predicted, wanted, strict=True)]))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {"slopes": list(self.slopes), "never_empty": self.never_empty}

    def description(self) -> dict[str, Any]:
        """Return what a user asks about the model, by name."""
        facts = [part.description() for part in self.parts]
        steps = [
            f"{step}, slope {slope:.4g}" if step is each["steps"][-1] else step
            for each, slope in zip(facts, self.slopes, strict=True)
            for step in each["steps"]
        ]
        thresholds = {} if self.thresholds is None else {"thresholds": [float(value) for value in self.thresholds]}
        return {
            **{"steps": steps, "task": self.task, "labels": list(self.label_names)},
            **{"features": sum(each["features"] for each in facts), "dataset": facts[0]["dataset"]},
            **thresholds,
            **shown(self.card),
        }

    def save(self, folder: str | Path, meta: Mapping[str, Any]) -> None:
        """Write the parts and the rest to a sealed folder; the errors are those of `PersistedModel.save`."""
        head = {"format": FORMAT, "parts": len(self.parts), "slopes": [float(slope) for slope in self.slopes]}
        words = [part.steps[0][1] for part in self.parts]
        shared = [next(first for first, other in enumerate(words) if other is each) for each in words]
        rule = {name: np.asarray(getattr(self, name)) for name in RULE if getattr(self, name) is not None}
        with io.new_folder(folder, meta) as target:
            for number, (part, first) in enumerate(zip(self.parts, shared, strict=True)):
                (target / f"part{number}").mkdir()
                own = part if first == number else replace(part, steps=part.steps[1:])
                own.write(target / f"part{number}")
            facts = {"never_empty": self.never_empty, "task": self.task, "shared": shared, "rule": sorted(rule)}
            io.write_json(target / HEAD, {**head, **facts})
            io.write_json(target / CARD, dict(self.card))
            io.save_arrays(target, **rule)
            read_back(self, target)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a sealed folder and check it; the errors are those of `PersistedModel.load`."""
        return cls.read(sealed(folder))

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the files of an average from a folder that was found sealed; the errors are those of `load`."""
        with malformed(folder / HEAD, DataFormatError):
            head = read_json(folder / HEAD, dict)
            if head["format"] != FORMAT or not 1 <= int(head["parts"]) <= 100:
                raise ValueError(f"format {head['format']!r} with {head['parts']} parts is none of this version")
            parts = [PersistedModel.read(folder / f"part{number}") for number in range(int(head["parts"]))]
            for number, first in enumerate(head["shared"]):
                if not 0 <= int(first) <= number:
                    raise ValueError(f"part {number} shares the words of part {first}")
                if first != number:
                    parts[number] = replace(parts[number], steps=[parts[int(first)].steps[0], *parts[number].steps])
            rule = {name: read_npy(folder / f"{name}.npy") for name in RULE if name in head["rule"]}
            slopes = [float(slope) for slope in head["slopes"]]
            card, thresholds = read_json(folder / CARD, dict), rule.pop("thresholds", None)
            made = cls(parts, slopes, thresholds, bool(head["never_empty"]), card, **rule)
            if head["task"] != made.task:
                raise ValueError(f"the task {head['task']!r} is not that of the parts")
            made._check()
        return made

    def _check(self) -> None:
        """Check what the parts, which were checked, have to have in common."""
        alike = {(part.task, *part.label_names) for part in self.parts}
        if len(alike) != 1 or self.task not in TASKS or len(self.slopes) != len(self.parts):
            raise ValueError("the parts have other labels, or there is not a slope for each of them")
        if not all(np.isfinite(slope) and slope > 0.0 for slope in self.slopes):
            raise ValueError("a slope is not above 0")
        labels = len(self.label_names)
        if self.thresholds is not None:
            expected = (labels,) if self.task == "multi" else (1,)
            wrong = self.thresholds.dtype != np.float64 or self.thresholds.shape != expected
            if wrong or np.isnan(self.thresholds).any() or (self.task == "single" and labels != 2):
                raise ValueError("there is not a threshold for each label")
        if self.support is not None:
            wrong = self.support.dtype != np.float64 or self.support.shape != (2, labels)
            if wrong or not (np.isfinite(self.support) & (self.support >= 0.0)).all():
                raise ValueError("the support is not two counts of each label")
        if (self.sets is None) != (self.bonus is None) or (self.sets is not None and self.task == "single"):
            raise ValueError("label sets and their bonus go together, with several labels")
        if self.sets is not None and self.bonus is not None:
            wrong = self.sets.ndim != 2 or self.sets.shape[1] != labels or self.bonus.shape != (len(self.sets),)
            if wrong or self.sets.dtype != np.int8 or self.bonus.dtype != np.float64 or np.isnan(self.bonus).any():
                raise ValueError("the label sets are not of the labels")
        elif self.thresholds is None and self.task == "multi":
            raise ValueError("several labels need thresholds or label sets")
        self.label(two_texts(self.beside))


def load_model(folder: str | Path, encoder: str | None = None) -> PersistedModel | AveragedModel:
    """Read a model or an average; the errors are those of `PersistedModel.load`.  ``encoder`` names one that may run,
    see `textmix.text.encoder.allow`.
    """
    if encoder is not None:
        allow(encoder)
    return AveragedModel.load(folder) if (Path(folder) / HEAD).is_file() else PersistedModel.load(folder)


def _label_sets(y: Any) -> list[frozenset[Any]]:
    """Return the labels of each text, which may be empty; raises ValueError if y holds no names of labels."""
    sets = label_sets_of(y)
    if sets is None and all(isinstance(row, Collection) and len(row) == 0 for row in y):
        return [frozenset() for _ in y]
    if sets is None:
        raise ValueError("y holds no names of labels; give a list of names for each text")
    return sets


def _given(texts: Sequence[str], further: Columns) -> Ragged:
    """Return texts in UTF-8, with the cells of columns beside them."""
    text = Ragged.from_texts(text.encode("utf-8", "replace") for text in texts)
    return TableTexts.of(text, column_cells(further, len(text)))
