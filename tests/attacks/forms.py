"""Test every public estimator on matrices of every format and on extreme values, with one process per case.

``make forms`` runs all cases, ``python -m tests.attacks.forms --number 200 --seed 1`` a random sample, and
``--part 2/8`` the second of eight disjoint parts.  A case is an estimator, a matrix, and a method (fit or predict).
The following properties are tested:

- matrices with the same content in different formats produce the same labels and probabilities;
- an invalid matrix raises ValueError;
- extreme values raise ValueError or produce probabilities between 0 and 1;
- no case terminates the process, raises another exception, or exceeds `SECONDS` or `MEMORY`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

import textmix
from textmix.core.errors import TextmixError

#: Limits of a case: CPU seconds, and bytes in addition to those of the parent process.
SECONDS, MEMORY = 30, 2**30
#: Ratio of wall-clock time to CPU time at which a waiting case is terminated.
WAITING = 20
#: Public classes that take texts or sequences of words, and no matrix.
NO_MATRIX = {
    *("WordVectorizer", "SkipgramVectorizer", "SequenceVectorizer"),
    *("HiddenMarkovModel", "HMMClassifier", "ClusteredHMMClassifier", "WordClusters"),
}
#: Parameters that are smaller than the default because a fit would take seconds.
SMALL: dict[str, dict[str, Any]] = {
    "CBMClassifier": {"n_components": 2, "n_init": 1},
    "LabelNetwork": {"hidden": 2, "decays": (1.0,), "max_iter": 5},
    "LatentTopicEDCM": {"n_components": 2, "max_iter": 3},
    "LSITransformer": {"n_components": 2},
    # The default criterion trains ten networks a fit.
    "PrunedLSIClassifier": {"share": 0.9, "criterion": "information_gain"},
}
_RNG = np.random.default_rng(0)
#: 30 documents and 8 words; the words determine the class.
CONTENT = _RNG.poisson(0.4, (30, 8)) + 2 * np.eye(30, 8, dtype=np.int64) + np.eye(30, 8, -15, dtype=np.int64)
CONTENT[:, 7] += np.arange(30) % 2
CONTENT[:, 6] += 1 - np.arange(30) % 2
CLASSES = np.arange(30) % 2
SETS = np.column_stack([CLASSES, (CONTENT[:, 0] > 0) | (np.arange(30) < 3), np.arange(30) % 3 == 0]).astype(np.int8)


def estimators() -> dict[str, Any]:
    """Return the public estimators and transformers that take a matrix, by name, not fitted."""
    found = {}
    for name in sorted(set(textmix.__all__) - NO_MATRIX):
        kind = getattr(textmix, name)
        if isinstance(kind, type) and hasattr(kind, "fit"):
            made = kind(**SMALL.get(name, {}))
            found[name] = made.set_params(random_state=0) if "random_state" in made.get_params() else made
    return found


def target_of(estimator: Any) -> Any:
    """Return the labels for an estimator: classes or sets."""
    tags = estimator.__sklearn_tags__()
    return CLASSES if tags.target_tags.single_output else SETS


def _csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """Return a CSR matrix of unchecked arrays."""
    made = sparse.csr_array(shape)
    made.data, made.indices, made.indptr = np.asarray(data), np.asarray(indices), np.asarray(indptr)
    return made


def split_cells(dense: np.ndarray) -> Any:
    """Return a matrix with unsorted duplicate entries that is marked as canonical."""
    rows, columns = np.nonzero(dense)
    value = dense[rows, columns]
    twice = value > 1
    row, column = np.concatenate([rows, rows[twice]]), np.concatenate([columns, columns[twice]])
    data = np.concatenate([value - twice, np.ones(twice.sum(), dtype=value.dtype)])
    order = np.lexsort((-column, row))
    indptr = np.searchsorted(row[order], np.arange(len(dense) + 1))
    made = _csr(data[order], column[order].astype(np.int32), indptr.astype(np.int32), dense.shape)
    made.has_canonical_format = True
    return made


def _wide(dense: np.ndarray) -> Any:
    """Return a CSR matrix with indices of eight bytes."""
    made = sparse.csr_array(dense)
    return _csr(made.data, made.indices.astype(np.int64), made.indptr.astype(np.int64), dense.shape)


def _read_only(dense: np.ndarray) -> np.ndarray:
    """Return an array that cannot be written."""
    made = dense.astype(np.float64)
    made.flags.writeable = False
    return made


def _frozen(dense: np.ndarray) -> Any:
    """Return a CSR matrix with read-only arrays."""
    made = sparse.csr_array(dense)
    for part in (made.data, made.indices, made.indptr):
        part.flags.writeable = False
    return made


def _mapped(dense: np.ndarray) -> np.ndarray:
    """Return an array that lies in a file, read-only."""
    with tempfile.NamedTemporaryFile(suffix=".npy", delete=False) as handle:
        np.save(handle, dense.astype(np.float64))
    return np.load(handle.name, mmap_mode="r")


def _turned(dense: np.ndarray) -> Any:
    """Return a CSR matrix in non-native byte order, which SciPy accepts but never creates."""
    made = sparse.csr_array(dense)
    return _csr(made.data.astype(">f8"), made.indices.astype(">i4"), made.indptr.astype(">i4"), dense.shape)


#: Name -> function from the content to a matrix with this content.
FORMATS: dict[str, Callable[[np.ndarray], Any]] = {
    **{
        form: lambda dense, form=form: sparse.csr_array(dense).asformat(form)
        for form in ("csc", "coo", "lil", "dok", "dia", "bsr")
    },
    "csr_matrix": sparse.csr_matrix,
    "dense": np.array,
    "list": lambda dense: dense.tolist(),
    "fortran": lambda dense: np.asfortranarray(dense, dtype=np.float64),
    "memmap": _mapped,
    "read-only": _read_only,
    "read-only csr": _frozen,
    "big-endian": lambda dense: dense.astype(">f8"),
    "big-endian csr": _turned,
    "int64 indices": _wide,
    "cells twice": split_cells,
    "float32": lambda dense: sparse.csr_array(dense, dtype=np.float32),
    "float16": lambda dense: dense.astype(np.float16),
    "longdouble": lambda dense: dense.astype(np.longdouble),
    "uint8": lambda dense: sparse.csr_array(dense, dtype=np.uint8),
    "uint64": lambda dense: sparse.csr_array(dense, dtype=np.uint64),
    "stored zeros": lambda dense: _csr(
        dense.ravel(), np.tile(np.arange(8, dtype=np.int32), 30), np.arange(0, 241, 8, dtype=np.int32), (30, 8)
    ),
    "object": lambda dense: dense.astype(object),
}


def _damaged(form: str, index: int) -> Callable[[np.ndarray], Any]:
    """Return a function that creates a matrix with one index out of range."""

    def make(dense: np.ndarray) -> Any:
        """Return the damaged matrix."""
        made = sparse.csr_array(dense.astype(np.float64)).asformat(form)
        if form == "lil":
            made.rows[3][-1] = index
        elif form == "dok":
            dict.__setitem__(made._dict, (0, index), 1.0)
        elif form == "coo":
            made.coords = (made.coords[0], np.where(np.arange(made.nnz) == 4, index, made.coords[1].astype(np.int64)))
        else:
            made.indices = made.indices.astype(np.int64)
            made.indices[4] = index
        return made

    return make


def _cut(dense: np.ndarray) -> Any:
    """Return a CSR matrix with decreasing offsets."""
    made = sparse.csr_array(dense)
    made.indptr[5] = made.indptr[9]
    return made


def _flat_lists(dense: np.ndarray) -> Any:
    """Return a matrix of lists with one value less than indices."""
    made = sparse.csr_array(dense.astype(np.float64)).tolil()
    made.data[2].pop()
    return made


def _offsets(dense: np.ndarray) -> Any:
    """Return a matrix of diagonals with more offsets than diagonals."""
    made = sparse.csr_array(dense.astype(np.float64)).todia()
    made.offsets = np.append(made.offsets, [100_000])
    return made


#: Functions that create invalid matrices from valid content, by name.
DAMAGES: dict[str, Callable[[np.ndarray], Any]] = {
    **{
        f"{form} {index}": _damaged(form, index)
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr")
        for index in (-1, 2_000_000, 2**40)
    },
    "falling offsets": _cut,
    "short list": _flat_lists,
    "more offsets": _offsets,
    "one dimension": lambda dense: sparse.coo_array(dense.astype(np.float64)).reshape(-1),
}


def _with(value: float) -> Callable[[np.ndarray], Any]:
    """Return a function that puts a value in some cells."""

    def make(dense: np.ndarray) -> Any:
        """Return the matrix."""
        made = dense.astype(np.float64)
        made[[0, 3, 7], [1, 2, 5]] = value
        return sparse.csr_array(made)

    return make


#: Name -> function from the content to a matrix with odd values.
VALUES: dict[str, Callable[[np.ndarray], Any]] = {
    **{f"some {value:g}": _with(value) for value in (1e300, 1e200, 1e16, 1e9, 1e-9, 1e-20, 1e-300, -1e300)},
    **{f"some {value}": _with(value) for value in (np.nan, np.inf, -np.inf, -1.0, 0.5, 5e-324)},
    **{
        f"all times {value:g}": lambda dense, value=value: sparse.csr_array(dense * value)
        for value in (1e300, 1e100, 1e15, 1e9, 1e-9, 1e-20, 1e-100, 1e-300)
    },
    "all 0": lambda dense: sparse.csr_array(dense * 0.0),
    "empty rows": lambda dense: sparse.csr_array(dense * (np.arange(30) % 4 > 0)[:, np.newaxis]),
    "complex": lambda dense: sparse.csr_array(dense.astype(np.complex128)),
    "text": lambda dense: dense.astype(str),
    "largest int": lambda dense: sparse.csr_array(np.where(dense > 1, np.iinfo(np.int64).max, dense)),
}
MATRICES = {"format": FORMATS, "damage": DAMAGES, "value": VALUES}


def answers(model: Any, X: Any) -> dict[str, Any]:
    """Return the predictions of a fitted estimator as arrays."""
    results = {}
    for name in ("predict", "predict_proba", "transform", "score_samples", "responsibilities"):
        if hasattr(model, name):
            found = getattr(model, name)(X)
            results[name] = np.asarray(found.todense() if sparse.issparse(found) else found)
    return results


def fault(name: str, kind: str, matrix: str, stage: str) -> str:
    """Run a case in this process and return an error message, or an empty string.

    Parameters
    ----------
    name : str
        Name of the estimator.
    kind, matrix : str
        Keys of `MATRICES`.
    stage : {"fit", "predict"}
        Method that is called with the matrix.
    """
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    estimator = estimators()[name]
    y, X = target_of(estimator), sparse.csr_array(CONTENT)
    try:
        made = MATRICES[kind][matrix](CONTENT)
        model = clone(estimator).fit(made if stage == "fit" else X, y)
        results = answers(model, X if stage == "fit" else made)
    except (ValueError, TextmixError) as error:
        if kind == "format":
            return f"refused: {error}"
        return "" if len(str(error).splitlines()) == 1 or kind == "value" else f"many lines: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if kind == "damage":
        return "took the matrix"
    if kind == "value":
        odd = [name for name, values in results.items() if not np.isfinite(values).all()]
        return f"{odd[0]} gave NaN or infinity" if odd else ""
    return _difference(results, answers(clone(estimator).fit(X, y), X))


def _difference(results: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> str:
    """Return which answers differ by more than the rounding of numbers."""
    for key, values in expected.items():
        if not np.allclose(values, results[key], rtol=1e-5, atol=1e-6, equal_nan=True):
            return f"{key} differs by {np.abs(values - results[key]).max():.3g}"
    return ""


def apart(call: Callable[[], str], clock: int = WAITING * SECONDS) -> str:
    """Call a function in a forked process and return its result, or how the process ended.

    Parameters
    ----------
    call : callable
        The function; an exception that it raises is returned.
    clock : float
        Wall-clock seconds after which the process is killed; a waiting process uses no CPU time.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(clock)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            used = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())["VmData"]
            resource.setrlimit(resource.RLIMIT_DATA, (int(used.split()[0]) * 1024 + MEMORY,) * 2)
            os.write(writing, call().encode()[:4000])
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode()[:4000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        message = stream.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return message if code == 0 else f"the process ended with {code}"


def cases() -> list[tuple[str, str, str, str]]:
    """Return all cases as tuples of estimator, type of matrix, matrix and method."""
    stages = ("fit", "predict")
    return [
        (name, kind, matrix, stage)
        for name in estimators()
        for kind, matrices in MATRICES.items()
        for matrix in matrices
        for stage in stages
    ]


def part_of(chosen: list[Any], text: str) -> list[Any]:
    """Select a part of the cases: "2/8" is every eighth case, starting with the second.

    Raises
    ------
    ValueError
        If the text does not specify a part.
    """
    part, parts = (int(number) for number in text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(f"--part {text}: the first number lies between 1 and the second")
    return chosen[part - 1 :: parts]


def main() -> int:
    """Try the cases, print a line a finding, and return 1 if there is one."""
    options = argparse.ArgumentParser(description="Odd matrices against every estimator, a process a case.")
    options.add_argument("--number", type=int, default=0, help="cases drawn (default: all)")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--part", default="1/1", help="which part of the cases: 2/8 is the second of eight")
    options.add_argument("--only", default="", help="words that the name of a case must contain")
    asked = options.parse_args()
    chosen = [case for case in cases() if asked.only in " ".join(case)]
    random.Random(asked.seed).shuffle(chosen)
    chosen = part_of(chosen, asked.part)[: asked.number or None]
    for estimator in estimators().values():  # compile before forking
        warnings.simplefilter("ignore")
        answers(clone(estimator).fit(sparse.csr_array(CONTENT), target_of(estimator)), sparse.csr_array(CONTENT))
    found = 0
    for case in chosen:
        wrong = apart(lambda case=case: fault(*case))
        found += bool(wrong)
        if wrong:
            print(json.dumps([*case, wrong[:300]]), flush=True)
    print(f"{len(chosen)} cases, {found} findings, seed {asked.seed}, part {asked.part}")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
