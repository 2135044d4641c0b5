"""Twins of `textmix.data.numeric_files`: the formats by `str.split` and `float`, for valid files only."""

from __future__ import annotations

import numpy as np


def dense_rows(text: str) -> np.ndarray:
    """Return rows of numbers with commas between them as a dense matrix."""
    return np.array([[float(cell) for cell in line.split(",")] for line in text.splitlines()])


def sparse_rows(text: str, columns: int) -> np.ndarray:
    """Return rows ``{index value, index value}`` as a dense matrix."""
    rows = [line.strip("{}") for line in text.splitlines()]
    matrix = np.zeros((len(rows), columns))
    for row, line in zip(matrix, rows, strict=True):
        for pair in filter(None, line.split(",")):
            index, value = pair.split()
            row[int(index)] = float(value)
    return matrix


def svm_rows(text: str, columns: int, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels of rows ``label,label index:value``, labels from 0 and features from 1."""
    lines = text.splitlines()
    features, labels = np.zeros((len(lines), columns)), np.zeros((len(lines), n_labels))
    for i, line in enumerate(lines):
        first, *pairs = line.split(" ")
        for label in filter(None, first.split(",")):
            labels[i, int(label)] = 1
        for pair in pairs:
            index, value = pair.split(":")
            features[i, int(index) - 1] = float(value)
    return features, labels
