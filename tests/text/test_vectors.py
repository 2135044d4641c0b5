"""Paragraph vectors: the kernels against plain twins, the tree, the noise words, and wrong settings."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from tests.naive import vectors as naive
from textmix.core.errors import ConfigError
from textmix.data.corpus import Ragged
from textmix.numerics.jit import njit
from textmix.text import float_kernels
from textmix.text.vector_kernels import alias_table, huffman_paths, train_bags, train_words_and_bags
from textmix.text.vectors import VectorSpec, paragraph_vectors

SIZE = 2 * float_kernels.LANES


@njit
def compiled(vectors: np.ndarray, outputs: np.ndarray, rows: np.ndarray, factors: np.ndarray) -> float:
    """Take a step with the first three outputs, and multiply two vectors inside of longer arrays."""
    float_kernels.step(vectors, 3, outputs, rows, factors, 3, 2)
    return float_kernels.product(vectors, 3, outputs, 5, 2)


def test_compiled_arithmetic_equals_its_twin_to_the_byte() -> None:
    rng = np.random.default_rng(1)
    vectors, outputs = (rng.normal(size=size).astype(np.float32) for size in (SIZE + 9, 3 * SIZE))
    rows, factors = np.array([2 * SIZE, 7, 7, 0]), np.array([0.7, -0.3, 0.1, 9.0], dtype=np.float32)
    again = vectors.copy(), outputs.copy()
    float_kernels._python_step(again[0], 3, again[1], rows, factors, 3, 2)
    expected = float_kernels._python_product(again[0], 3, again[1], 5, 2)
    product = compiled(vectors, outputs, rows, factors)
    assert vectors.tobytes() == again[0].tobytes()
    assert outputs.tobytes() == again[1].tobytes()
    assert np.float32(product) == expected == pytest.approx(float(vectors[3:-6] @ outputs[5 : 5 + SIZE]), rel=1e-5)


Path = list[tuple[int, int]]


def paths_of(counts: np.ndarray) -> Iterator[Path]:
    """Yield the path of each word: inner nodes and branches."""
    offsets, nodes, branches = huffman_paths(counts)
    for a, b in pairwise(offsets):
        yield list(zip(nodes[a:b].tolist(), branches[a:b].tolist(), strict=True))


def test_the_tree_has_the_least_weighted_length_and_a_path_of_its_own_for_each_word() -> None:
    for seed in range(20):
        counts = np.random.default_rng(seed).integers(1, 30, size=1 + 3 * seed)
        steps = list(paths_of(counts))
        assert len({tuple(path) for path in steps}) == len(counts)
        assert sum(2.0 ** -len(path) for path in steps) == 1.0
        assert all(path[-1][0] == len(counts) - 2 for path in steps if path), "each path ends at the root"
        heap, length = counts.tolist(), 0
        heapq.heapify(heap)
        while len(heap) > 1:
            both = heapq.heappop(heap) + heapq.heappop(heap)
            length += both
            heapq.heappush(heap, both)
        assert sum(count * len(path) for count, path in zip(counts, steps, strict=True)) == length


def test_the_tables_of_noise_words_have_the_chances_of_their_weights() -> None:
    for seed in range(20):
        weights = np.random.default_rng(seed).exponential(size=1 + 7 * seed)
        limits, others = alias_table(weights)
        chance = limits.copy()
        np.add.at(chance, others, 1 - limits)
        np.testing.assert_allclose(chance / len(weights), weights / weights.sum(), atol=1e-12)


def texts() -> list[np.ndarray]:
    """Return twelve documents of eleven words."""
    rng = np.random.default_rng(5)
    return [rng.choice(11, size=size, p=np.arange(1, 12) / 66).astype(np.int32) for size in (9, 0, 1, *[20] * 9)]


@pytest.mark.parametrize("window", [0, 3])
@pytest.mark.parametrize("loss", ["negative", "hierarchical"])
def test_vectors_are_those_of_the_plain_twin(loss: str, window: int) -> None:
    documents = texts()
    tokens = np.concatenate(documents)
    offsets = np.cumsum([0, *map(len, documents)])
    counts, order = np.bincount(tokens, minlength=11), np.random.default_rng(2).permutation(len(documents))
    chances = np.linspace(0.3, 1.0, 11)
    paths, noise = huffman_paths(counts), (4 if loss == "negative" else 0, *alias_table(counts**0.75))
    vectors = np.random.default_rng(3).normal(size=(len(documents), SIZE)).astype(np.float32)
    outputs = np.random.default_rng(4).normal(size=(11, SIZE)).astype(np.float32) / 8
    words = np.random.default_rng(6).normal(size=(11, SIZE)).astype(np.float32) / 4
    plain, plain_words, plain_outputs = (part.astype(np.float64) for part in (vectors, words, outputs))
    draw, codes = naive.Splitmix(99), list(paths_of(counts))

    def targets(word: int) -> list[tuple[int, float]]:
        """Return the outputs that one occurrence of a word moves, and whether they are wanted."""
        if loss == "hierarchical":
            return [(int(node), float(branch)) for node, branch in codes[word]]
        places = [draw.uniform() * 11 for _ in range(4)]
        drawn = [int(p) if p - int(p) < noise[1][int(p)] else int(noise[2][int(p)]) for p in places]
        return [(word, 1.0), *((other, 0.0) for other in drawn if other != word)]

    state = np.array([99], dtype=np.uint64)
    given = (offsets, tokens, order, chances, (0.5, 3), paths, noise)
    flat, rows = vectors.reshape(-1), outputs.reshape(-1)
    if window:
        share = (targets, plain, plain_words, plain_outputs, draw)
        naive.train_words(documents, order, chances, 0.5, 3, window, *share)
        train_words_and_bags(*given, window, SIZE, flat, words.reshape(-1), rows, state)
    else:
        naive.train(documents, order, chances, 0.5, 3, targets, plain, plain_outputs, draw)
        train_bags(*given, SIZE, flat, rows, state)
    np.testing.assert_allclose(words, plain_words, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(vectors, plain, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(outputs, plain_outputs, rtol=1e-4, atol=1e-4)
    assert int(state[0]) == draw.state


def test_the_paths_are_those_of_the_plain_tree() -> None:
    counts = np.array([3, 1, 4, 9, 2, 31, 16])
    assert list(paths_of(counts)) == naive.huffman_codes(counts)


@pytest.mark.parametrize("window", [0, 2])
@pytest.mark.parametrize("loss", ["negative", "hierarchical"])
def test_vectors_are_the_same_every_time_and_tell_two_kinds_of_documents_apart(loss: str, window: int) -> None:
    rng = np.random.default_rng(0)
    rows = [rng.integers(10 * (d % 2), 10 * (d % 2) + 10, size=30) for d in range(40)]
    tokens = Ragged(np.concatenate(rows).astype(np.int32), np.arange(0, 1201, 30))
    spec = VectorSpec(size=5, loss=loss, window=window, epochs=40, rate=0.1)
    trained = paragraph_vectors(tokens, spec)
    assert trained.tobytes() == paragraph_vectors(tokens, spec).tobytes()
    assert trained.shape == (40, 5)
    assert trained.tobytes() != paragraph_vectors(tokens, VectorSpec(**{**vars(spec), "shuffle": False})).tobytes()
    unit = trained / np.linalg.norm(trained, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert alike[0::2, 0::2].mean() > alike[0::2, 1::2].mean() + 0.3


def test_documents_without_a_known_word_have_a_vector_too() -> None:
    tokens = Ragged(np.array([0, 1], dtype=np.int32), np.array([0, 1, 2, 2]))
    assert np.isfinite(paragraph_vectors(tokens, VectorSpec(size=3))).all()
    nothing = Ragged(np.zeros(0, dtype=np.int32), np.zeros(3, dtype=np.int64))
    assert paragraph_vectors(nothing, VectorSpec()).shape == (2, 100)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"vector_size": 10}, "vectors: 'vector_size' is unknown; the keys are size, loss"),
        ({"loss": "hs"}, "vectors.loss: 'hs' is not known; choose one of negative, hierarchical"),
        ({"epochs": 0}, "vectors.epochs: is 0; write a number above 0"),
        ({"shuffle": 1}, "vectors.shuffle: is 1; write one like True"),
        ({"seed": -1}, "sample, seed or window is negative"),
        ({"window": -1}, "sample, seed or window is negative"),
    ],
)
def test_wrong_settings_are_named(entry: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        VectorSpec.from_mapping(entry)
