r"""Baum-Welch algorithm for one or several hidden Markov models with separate, shared or fixed emissions.

Symbols as in `textmix.models.hmm.hmm_kernels`; classes c = 1..C, each with start \pi_c and transitions A_c.  With a
constant \kappa > 0 added to every expected count, a step maximises a lower bound of the penalised log-likelihood

    J = \sum_d log p(d | c_d) + \kappa \sum log(every estimated probability)

Hence no step decreases J, and every transition probability stays positive, which the scaled passes require.  Shared
emissions are estimated from the sum of the classes' expected counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textmix.models.hmm import hmm_kernels as kernel
from textmix.text.sequences import TokenSequences


@dataclass(frozen=True)
class Chain:
    """Parameters of one hidden Markov model: start (S,), transitions a_ij (S, S), emissions b_j(w) (V, S), float64.

    The emissions have one row per word, as the kernels require; columns sum to 1.
    """

    start: np.ndarray
    transitions: np.ndarray
    emissions: np.ndarray

    def log_likelihood(self, X: TokenSequences) -> np.ndarray:
        """Compute log p(d), float64 (N,), in nats."""
        return self._expect(X, self.no_counts(words=False), counted=False)

    def expected(self, X: TokenSequences, expected: kernel.Expected) -> float:
        """Accumulate the documents' expected counts in place and return their log-likelihood."""
        pairs = np.zeros_like(self.transitions)
        found = self._expect(X, expected._replace(pairs=pairs), counted=True)
        expected.pairs[:] += self.transitions * pairs
        return float(found.sum())

    def _expect(self, X: TokenSequences, expected: kernel.Expected, counted: bool) -> np.ndarray:
        """Call `hmm_kernels.expect`."""
        order = np.argsort(-X.lengths, kind="stable")
        return kernel.expect(
            X.values, X.offsets, order, self.start, self.transitions, self.emissions, expected, counted
        )

    def paths(self, X: TokenSequences) -> list[np.ndarray]:
        """Find the most probable state sequence of each document, int32 (T_d,)."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.start), np.log(self.transitions), np.log(self.emissions)
        return [kernel.viterbi(X[d], *logs) for d in range(len(X))]

    def no_counts(self, words: bool = True) -> kernel.Expected:
        """Create expected counts of zero; with ``words=False`` the large table of word counts is omitted."""
        emitted = self.emissions.shape if words else (0, len(self.start))
        return kernel.Expected(np.zeros_like(self.start), np.zeros_like(self.transitions), np.zeros(emitted))


def random_transitions(n_states: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw nearly uniform transition probabilities, float64 (S, S); rows sum to 1."""
    return rng.dirichlet(np.full(n_states, 10.0), size=n_states)


def random_emissions(background: np.ndarray, n_states: int, rng: np.random.RandomState) -> np.ndarray:
    """Perturb the background p(w), float64 (V,) and positive, by random noise; return emissions, float64 (V, S)."""
    emissions = background[:, np.newaxis] * rng.gamma(1.0, size=(len(background), n_states))
    return np.asarray(emissions / emissions.sum(axis=0))


def pass_emissions(n_words: int, n_states: int, rng: np.random.RandomState) -> None:
    """Draw one random number per word and state, as `random_emissions` does, in a fifth of its time."""
    rng.random_sample((n_words, n_states))


def random_chain(background: np.ndarray, n_states: int, rng: np.random.RandomState) -> Chain:
    """Create a random start: uniform initial states, then `random_transitions` and `random_emissions`."""
    transitions = random_transitions(n_states, rng)
    return Chain(np.full(n_states, 1.0 / n_states), transitions, random_emissions(background, n_states, rng))


class BaumWelch:
    """Expectation-maximisation for C models.

    Attributes
    ----------
    parts : sequence of TokenSequences
        Documents of each class.
    chains : list of Chain
        Current model of each class.
    path : list of float
        J before each step.
    emissions : {"own", "shared", "fixed"}
        Whether emissions are estimated per class, jointly, or not at all.
    """

    def __init__(
        self, parts: Sequence[TokenSequences], chains: Sequence[Chain], smoothing: float, emissions: str
    ) -> None:
        self.parts = parts
        self.chains = list(chains)
        self.smoothing = smoothing
        self.emissions = emissions
        self.path: list[float] = []

    def step(self) -> None:
        """Update all models once and append the previous J to the path."""
        counts = [chain.no_counts(words=self.emissions == "own") for chain in self.chains]
        if self.emissions == "shared":
            words = np.zeros_like(self.chains[0].emissions)
            counts = [found._replace(words=words) for found in counts]
        found = zip(self.chains, self.parts, counts, strict=True)
        self.path.append(sum(chain.expected(part, count) for chain, part, count in found) + self.penalty(self.chains))
        shared = self._share(counts[0].words, axis=0) if self.emissions == "shared" else None
        self.chains = [self._maximise(*pair, shared) for pair in zip(self.chains, counts, strict=True)]

    def _maximise(self, chain: Chain, counts: kernel.Expected, shared: np.ndarray | None) -> Chain:
        """Compute the model that maximises the bound for the expected counts."""
        if self.emissions == "own":
            shared = self._share(counts.words, axis=0)
        emissions = chain.emissions if shared is None else shared
        return Chain(self._share(counts.start, axis=0), self._share(counts.pairs, axis=1), emissions)

    def _share(self, counts: np.ndarray, axis: int) -> np.ndarray:
        """Normalise smoothed counts along an axis."""
        smoothed = counts + self.smoothing
        return smoothed / smoothed.sum(axis=axis, keepdims=True)

    def penalty(self, chains: Sequence[Chain]) -> float:
        """Compute kappa times the sum of the logarithms of all estimated probabilities."""
        estimated = [part for chain in chains for part in (chain.start, chain.transitions)]
        if self.emissions != "fixed":
            estimated += [chain.emissions for chain in chains[: 1 if self.emissions == "shared" else None]]
        return self.smoothing * float(sum(np.log(part).sum() for part in estimated))

    def run(self, max_iter: int, tol: float) -> bool:
        """Iterate until J increases by at most ``tol`` per word; return whether it did within ``max_iter`` steps.

        The last entry of the path is J of the current models only after convergence, otherwise J before the last step.
        """
        words = max(sum(len(part.values) for part in self.parts), 1)
        while len(self.path) < max_iter:
            self.step()
            if len(self.path) > 1 and self.path[-1] - self.path[-2] <= tol * words:
                return True
        return False
