"""Bench of the hidden Markov models: one pass of expectation-maximisation beside hmmlearn's, on the same sequences."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.data.corpus import Corpus
from textmix.models.hmm.estimator import background
from textmix.models.hmm.sequences import TokenSequences
from textmix.models.hmm.training import BaumWelch, Chain, random_chain

OURS, SCALED, LOGS = "textmix", "hmmlearn, scaled", "hmmlearn, in logs"
#: Largest share of hmmlearn's time that one pass may take, beside its default, which sums in logs, and its scaled form.
TARGET = 0.05
#: Largest relative difference of the log-likelihoods.
SAME = 1e-9
#: Words of the sequences; hmmlearn takes seconds for a pass over them.
WORDS = 60_000
#: Constant added to expected counts: hmmlearn adds none, and a pass with so little moves no digit that is compared.
NONE = 1e-12


def bench_hmm(corpus: Corpus, repeats: int = 3) -> list[dict[str, Any]]:
    """Time one pass over the first words of a corpus for 5, 10 and 20 states, and the 1,000 commonest words alone.

    A pass takes the likelihood and the expected counts of all documents, and new parameters.  hmmlearn offers two ways:
    in logs, which is its default, and in scaled form as ours.

    Parameters
    ----------
    corpus : with tokens.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`; the note tells the relative difference of the log-likelihoods.

    Raises
    ------
    ArithmeticError : the log-likelihoods differ by more than `SAME`.
    """
    X = common_words(corpus, 1000)
    X = X[: max(1, int(np.searchsorted(X.offsets, WORDS)) - 1)]
    return [row for n_states in (5, 10, 20) for row in _rows(X, n_states, repeats)]


def common_words(corpus: Corpus, most: int) -> TokenSequences:
    """Return the documents with the commonest words alone, without empty ones."""
    whole = TokenSequences.of(corpus.tokens)
    counts = np.bincount(whole.values, minlength=whole.n_words)
    common = np.argsort(-counts, kind="stable")[:most]
    number = np.full(whole.n_words, len(common))
    number[common] = np.arange(len(common))
    rows = [number[whole[d]] for d in range(len(whole))]
    return TokenSequences.of([row for row in (row[row < len(common)] for row in rows) if len(row)], len(common))


def _rows(X: TokenSequences, n_states: int, repeats: int) -> list[dict[str, Any]]:
    """Return the rows of one number of states."""
    start = random_chain(background(X), n_states, np.random.RandomState(0))
    log_likelihood: dict[str, float] = {}
    calls = {
        OURS: lambda: log_likelihood.update({OURS: our_pass(X, start)}),
        LOGS: lambda: log_likelihood.update({LOGS: their_pass(X, start, "log")}),
        SCALED: lambda: log_likelihood.update({SCALED: their_pass(X, start, "scaling")}),
    }
    timed = {row["candidate"]: row for row in compare(calls, repeats)}
    operations = 3.0 * 2 * n_states**2 * len(X.values)
    rows = [
        row
        for bench, peer in ((f"hmm_{n_states}_states", LOGS), (f"hmm_{n_states}_states_scaled", SCALED))
        for row in judge(bench, [timed[OURS], timed[peer]], peer, {OURS: TARGET}, Work(operations=operations))
    ]
    apart = max((abs(value / log_likelihood[OURS] - 1.0) for value in log_likelihood.values()), default=0.0)
    if apart > SAME:
        raise ArithmeticError(f"log-likelihoods of textmix and hmmlearn differ by {apart:.1e}, above {SAME:g}")
    rate = operations / timed[OURS]["median_seconds"] / 1e9
    rows[0]["note"] = f"{len(X.values)} words; {rate:.1f} Gflop/s; likelihoods apart by {apart:.0e}"
    return rows


def our_pass(X: TokenSequences, start: Chain) -> float:
    """Take one pass of ours; return the log-likelihood before it."""
    training = BaumWelch([X], [start], NONE, "own")
    training.step()
    return training.path[0] - training.penalty([start])


def their_pass(X: TokenSequences, start: Chain, way: str) -> float:
    """Take one pass of hmmlearn; return the log-likelihood before it."""
    from hmmlearn.hmm import CategoricalHMM  # type: ignore[import-untyped]

    # It warns of more parameters than words, which is no matter of time.
    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    model = CategoricalHMM(
        len(start.start), n_features=X.n_words, n_iter=1, init_params="", params="ste", implementation=way
    )
    model.startprob_, model.transmat_, model.emissionprob_ = start.start, start.transitions, start.emissions.T
    model.fit(X.values[:, np.newaxis], X.lengths)
    return float(model.monitor_.history[0])
