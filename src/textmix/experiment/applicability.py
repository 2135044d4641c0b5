"""Fits inside a comparison of methods: a method that does not apply to the data leaves a reason and no result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from textmix.core.errors import ConfigError, MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.estimator_factory import Views, suited
from textmix.experiment.methods import INPUTS, Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.experiment.trials import run_trials
from textmix.text.sequences import TokenSequences


def run_compared(
    corpora: Sequence[Corpus],
    splits: Splits,
    method: Method,
    entry: Mapping[str, Any],
    seed: int,
    *,
    cell: int | None = None,
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Return the predictions and timings that `textmix.experiment.trials.run_trials` returns.

    ``corpora`` are the same documents in the views of the entry, in its order.  ``entry`` also has ``views`` (view ->
    ``min_df`` and ``min_count``) and ``weightings``; each pair of a view and of a weighting that suits the data
    is one representation, of which the first one is taken.
    """
    corpus = corpora[0]
    weightings = suited(corpus, entry["weightings"])
    reason = misfit(corpus, len(splits.train[0]), method)
    if reason or not weightings:
        raise MissingResult(reason or f"{method.name} has no weighting that suits {corpus.name}")
    choices = [{"view": view, "weighting": weighting} for view in entry["views"] for weighting in weightings]
    entry, views = {**entry, "choices": choices}, views_of(corpora, entry)
    try:
        return run_trials(corpus, splits, method, entry, seed, views=views, cell=cell)
    except MissingResult:
        raise
    except Exception as error:
        if not _is_of_the_data(error):
            raise
        message = " ".join(str(error).split())[:300]
        raise MissingResult(f"{method.name} cannot be fitted to {corpus.name}: {message}") from error


def views_of(corpora: Sequence[Corpus], entry: Mapping[str, Any]) -> Views:
    """Return the documents in the views of an entry; the parameters are those of `run_compared`."""
    parts = (corpus.features if corpus.tokens is None else TokenSequences.of_corpus(corpus) for corpus in corpora)
    return Views(dict(zip(entry["views"], parts, strict=True)), entry["views"])


def _is_of_the_data(error: Exception) -> bool:
    """Return whether an error says that a method does not suit the data: ours, of a value, or a library's own.

    Any other error, such as a wrong type, is a fault of the code and ends the job.
    """
    library = type(error).__module__.split(".")[0] not in ("builtins", "textmix")
    return library or isinstance(error, (ConfigError, ValueError, ArithmeticError))


def misfit(corpus: Corpus, n_train: int, method: Method) -> str:
    """Return in one sentence why a method does not apply to a corpus; the empty text where it applies."""
    if corpus.features is None:
        return f"{corpus.name} has no features"
    if method.input == "counts" and corpus.features.dtype.kind not in "iu":
        return f"{method.name} takes {INPUTS['counts']}; {corpus.name} has other values"
    if method.input == "sequences" and corpus.tokens is None:
        return f"{method.name} takes {INPUTS['sequences']}; {corpus.name} has none"
    numbers = {"documents": n_train, "labels": len(corpus.label_names), "features": corpus.features.shape[1]}
    over = [f"{numbers[key]:,} {key}" for key, most in method.limits.items() if numbers[key] > most]
    if over:
        limits = ", ".join(f"{most:,} {key}" for key, most in method.limits.items())
        return f"{method.name} is left out above {limits} to save time and memory; {corpus.name} has {', '.join(over)}"
    return ""
