"""Fits within a comparison of methods: a method that is not applicable to the data reports a reason, not a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textmix.core.errors import ConfigError, MissingResult
from textmix.data.corpus import Corpus
from textmix.experiment.methods import INPUTS, Method
from textmix.experiment.predictions import Predictions
from textmix.experiment.splits import Splits
from textmix.experiment.trials import run_trials
from textmix.text.sequences import TokenSequences

MAX_MESSAGE_CHARACTERS = 300


def run_compared(
    corpus: Corpus,
    splits: Splits,
    method: Method,
    entry: Mapping[str, Any],
    seed: int,
    *,
    representation: Any,
) -> tuple[Predictions, list[dict[str, Any]]]:
    """Run the trials of a method, or report why it is not applicable to the data.

    Parameters
    ----------
    corpus : Corpus
        Counts of words, and for methods of token sequences the tokens.
    splits, method, entry, seed
        See `textmix.experiment.trials.run_trials`.
    representation : transformer
        Weighting or vocabulary selection, fitted with the estimator to the training documents of each trial.

    Returns
    -------
    predictions : Predictions
    timings : list of dict
        See `textmix.experiment.trials.run_trials`.

    Raises
    ------
    MissingResult
        If the method is not applicable to the corpus, or cannot be fitted to it.
    """
    reason = misfit(corpus, len(splits.train[0]), method)
    if reason:
        raise MissingResult(reason)
    try:
        X = TokenSequences.of_corpus(corpus) if method.input == "sequences" else corpus.features
        return run_trials(corpus, splits, method, entry, seed, X=X, representation=representation)
    except MissingResult:
        raise
    except Exception as error:
        if not _is_data_error(error):
            raise
        message = " ".join(str(error).split())
        excerpt = message[:MAX_MESSAGE_CHARACTERS]
        raise MissingResult(f"{method.name} cannot be fitted to {corpus.name}: {excerpt}") from error


def _is_data_error(error: Exception) -> bool:
    """Check whether an error means that a method does not suit the data.

    Any other error, such as a TypeError, is a bug and ends the job.
    """
    package = type(error).__module__.split(".")[0]
    is_library_error = package not in ("builtins", "textmix")
    return is_library_error or isinstance(error, (ConfigError, ValueError, ArithmeticError))


def misfit(corpus: Corpus, n_train: int, method: Method) -> str:
    """Explain in one sentence why a method is not applicable to a corpus; empty if it is applicable."""
    if corpus.features is None:
        return f"{corpus.name} has no features"
    if method.input == "counts" and corpus.features.dtype.kind not in "iu":
        return f"{method.name} requires {INPUTS['counts']}; {corpus.name} has other values"
    if method.input == "sequences" and corpus.tokens is None:
        return f"{method.name} requires {INPUTS['sequences']}; {corpus.name} has none"
    sizes = {
        "documents": n_train,
        "labels": len(corpus.label_names),
        "features": corpus.features.shape[1],
    }
    exceeded = [f"{sizes[key]:,} {key}" for key, limit in method.limits.items() if sizes[key] > limit]
    if not exceeded:
        return ""
    limits = ", ".join(f"{limit:,} {key}" for key, limit in method.limits.items())
    excess = ", ".join(exceeded)
    return f"{method.name} is skipped above {limits} to save time and memory; {corpus.name} has {excess}"
