"""Line vectors: the kernels against the reference implementation, and the trace of the order of the file."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive import line_vectors as naive
from tests.naive.vectors import Splitmix
from tests.text.test_vectors import paths_of
from textmix.data.corpus import Ragged
from textmix.text.float_kernels import LANES
from textmix.text.line_vector_kernels import LINES_PER_RATE, train_lines, train_words
from textmix.text.line_vectors import LineVectorSpec, line_vectors
from textmix.text.vector_kernels import huffman_paths

SIZE = 2 * LANES
RATES = (0.05, 0.001)


def random_lines(n: int, seed: int = 0) -> tuple[list[list[int]], Ragged]:
    """Return lines of up to eight words, some of them empty."""
    rng = np.random.default_rng(seed)
    lines = [rng.integers(0, 12, rng.integers(0, 9)).tolist() for _ in range(n)]
    values = np.array([word for line in lines for word in line], dtype=np.int32)
    return lines, Ragged(values, np.cumsum([0, *map(len, lines)]))


def test_kernels_equal_the_reference_implementation() -> None:
    lines, tokens = random_lines(LINES_PER_RATE + 30)
    counts = np.bincount(tokens.values)
    paths = list(paths_of(counts))
    rng = np.random.default_rng(1)
    words = (rng.random((len(counts), SIZE), dtype=np.float32) - np.float32(0.5)) / 4
    vectors = (rng.random((len(lines), SIZE), dtype=np.float32) - np.float32(0.5)) / 4
    outputs = np.zeros((len(counts), SIZE), dtype=np.float32)
    order = rng.permutation(len(lines))
    expected = [array.astype(np.float64) for array in (words, vectors, outputs)]
    draw = Splitmix(7)
    naive.train_words(lines, paths, RATES, 3, expected[0], expected[2], draw)
    naive.train_lines(lines, order.tolist(), paths, RATES, 3, expected[1], expected[2], draw)
    state = np.array([7], dtype=np.uint64)
    arrays = tokens.offsets, tokens.values
    flat = [array.reshape(-1) for array in (words, vectors, outputs)]
    train_words(*arrays, RATES, huffman_paths(counts), 3, SIZE, flat[0], flat[2], state)
    train_lines(*arrays, order, RATES, huffman_paths(counts), 3, SIZE, flat[1], flat[2], state)
    for ours, theirs in zip((words, vectors, outputs), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)
    assert state[0] == draw.state


def test_vectors_have_the_size_asked_for_and_rare_words_are_dropped() -> None:
    _, tokens = random_lines(40)
    spec = LineVectorSpec(size=5, window=2, min_count=2)
    vectors = line_vectors(tokens, spec)
    assert vectors.shape == (40, 5)
    np.testing.assert_array_equal(vectors, line_vectors(tokens, spec))
    start = line_vectors(tokens, LineVectorSpec(size=5, window=2, min_count=1000))
    assert np.abs(start).max() <= 0.1, "without frequent words the vectors stay as drawn"


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_vectors_encode_the_place_in_the_order_of_training(is_shuffled: bool) -> None:
    lines, tokens = random_lines(600, seed=3)
    order = np.random.default_rng(4).permutation(len(lines)) if is_shuffled else np.arange(len(lines))
    spec = LineVectorSpec(size=8, rate=0.1, window=2, min_count=1)
    vectors = line_vectors(tokens, spec, [order])
    place = np.empty(len(lines))
    place[order] = np.arange(len(lines))
    long = np.array([len(line) > 5 for line in lines])
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.corrcoef(lengths[long], place[long])[0, 1] < -0.3


def test_learning_rate_starts_again_with_each_file() -> None:
    lines, tokens = random_lines(1200, seed=3)
    first, second = np.array_split(np.arange(len(lines)), 2)
    spec = LineVectorSpec(size=8, rate=0.1, window=2, min_count=1)
    in_one_file = np.linalg.norm(line_vectors(tokens, spec), axis=1)
    in_two_files = np.linalg.norm(line_vectors(tokens, spec, [first, second]), axis=1)
    np.testing.assert_array_equal(in_one_file[first], in_two_files[first])
    assert in_two_files[second].mean() > 1.1 * in_one_file[second].mean()
