"""The gate: every public estimator and transformer takes its matrix through it, whatever its form."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import textmix
from tests.attacks import forms
from tests.attacks.forms import CONTENT, DAMAGES, FORMATS, apart, estimators, fault, split_cells, target_of
from textmix.experiment.methods import load_methods
from textmix.models.linear.nbsvm import NBSVMClassifier
from textmix.numerics.matrix_validation import LARGEST_COUNT, check_counts_in_range, computable, sound


def test_every_registered_and_every_public_class_is_tried() -> None:
    registered = {
        method.estimator.split(":")[1]
        for method in load_methods().values()
        if method.module.startswith("textmix.") and method.input != "sequences"
    }
    public = {name for name in textmix.__all__ if hasattr(getattr(textmix, name), "fit")}
    assert registered <= set(estimators())
    assert public == set(estimators()) | (forms.NO_MATRIX & public)


@functools.cache
def fitted(name: str) -> Any:
    """Return an estimator after a fit and its answers, so that the forks of this process share the machine code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, estimator = sparse.csr_array(CONTENT), estimators()[name]
        model = clone(estimator).fit(X, target_of(estimator))
        forms.answers(model, X)
    return model


def refusals(name: str) -> str:
    """Return the damaged matrices that an estimator takes, in a process that a crash may end."""
    warnings.simplefilter("ignore")
    estimator, model, wrong = estimators()[name], fitted(name), list[str]()
    y = target_of(estimator)
    for matrix, make in DAMAGES.items():
        for stage in (lambda X: clone(estimator).fit(X, y), lambda X: forms.answers(model, X)):
            try:
                stage(make(CONTENT))
                wrong.append(f"took {matrix}")
            except ValueError:
                continue
    return "; ".join(wrong)


@pytest.mark.parametrize("name", estimators())
def test_a_damaged_matrix_of_any_form_is_refused(name: str) -> None:
    fitted(name)
    assert apart(lambda: refusals(name)) == ""


@pytest.mark.parametrize("name", estimators())
def test_numbers_out_of_range_are_refused_in_one_sentence(name: str) -> None:
    def tried() -> str:
        """Return what is wrong with the answers to numbers that no float64 can be squared of."""
        values = ("some 1e+300", "all times 1e-300", "some nan")
        return "; ".join(
            filter(None, (fault(name, "value", value, stage) for value in values for stage in ("fit", "predict")))
        )

    fitted(name)
    assert apart(tried) == ""


@pytest.mark.parametrize("name", estimators())
def test_cells_that_are_stored_in_parts_are_added(name: str) -> None:
    warnings.simplefilter("ignore")
    estimator = estimators()[name]
    plain, parts = sparse.csr_array(CONTENT), split_cells(CONTENT)
    expected = forms.answers(clone(estimator).fit(plain, target_of(estimator)), plain)
    found = forms.answers(clone(estimator).fit(parts, target_of(estimator)), split_cells(CONTENT))
    for method, values in expected.items():
        np.testing.assert_array_equal(found[method], values, err_msg=method)


def known(value: Any) -> Any:
    """Return what an estimator knows as bytes and names that can be compared."""
    if sparse.issparse(value):
        return [known(part) for part in (value.data, value.indices, value.indptr)]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, (list, tuple, np.ndarray)):
        return [known(part) for part in value]
    if isinstance(value, dict):
        return {key: known(part) for key, part in value.items()}
    return {key: known(part) for key, part in vars(value).items()} if hasattr(value, "__dict__") else repr(value)


@pytest.mark.parametrize("name", estimators())
def test_the_type_of_the_numbers_changes_no_byte_and_the_matrix_stays(name: str) -> None:
    warnings.simplefilter("ignore")
    estimator = estimators()[name]
    y, found = target_of(estimator), {}
    for dtype in ("int32", "uint8", "int8", "uint16", "int64", "float64"):
        X = sparse.csr_array(CONTENT, dtype=dtype)
        model = clone(estimator).fit(X, y)
        found[dtype] = known([model, forms.answers(model, X)])
        assert X.dtype == dtype and (X.toarray() == CONTENT).all(), "the caller's matrix stays as it was"
    for dtype, each in found.items():
        assert each == found["int32"], dtype


# --- the gate itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"list", "object"}))
def test_a_sparse_matrix_of_any_form_becomes_the_same_rows(form: str) -> None:
    given = FORMATS[form](CONTENT)
    found = computable(sound(given))
    assert np.array_equal(found.toarray() if sparse.issparse(found) else found, CONTENT)
    if sparse.issparse(given):
        fresh = sparse.csr_array((found.data, found.indices, found.indptr), shape=found.shape)
        assert found.format == "csr" and fresh.has_canonical_format
    values = found.data if sparse.issparse(found) else found
    assert values.dtype.isnative and values.dtype.itemsize in (1, 2, 4, 8) and values.dtype.name != "float16"


def test_rows_in_the_form_of_the_kernels_share_their_arrays() -> None:
    given = sparse.csr_array(CONTENT)
    assert np.shares_memory(sound(given).data, given.data)


def test_parts_of_a_cell_are_added_in_one_order_and_without_a_wrap() -> None:
    for data, dtype in (([0.1, 0.2, 0.3], np.float64), ([200, 100, 50], np.uint8), ([1, 1, 1], np.bool_)):
        sums = set()
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            values = np.array(data, dtype=dtype)[order]
            given = sparse.csr_array((values, np.zeros(3, dtype=np.int32), [0, 3]), shape=(1, 2))
            sums.add(sound(given).toarray()[0, 0].item())
            assert given.nnz == 3, "the caller's matrix stays as it was"
        assert len(sums) == 1
        assert sums == {sum(data)} or dtype in (np.float64, np.bool_)


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ([0.0, 1e100], False),
        ([0.0, 1.1e100], True),
        ([-1.1e100, 1.0], True),
        ([0.0, 1e-101], True),
        ([0.0, 1e-100], False),
        ([1e-101, 1.0], False),
        ([0.0, 0.0], False),
        (np.array([1.0, 1e30], dtype=np.float32), False),
    ],
)
def test_numbers_that_cannot_be_squared_are_refused(values: Any, refused: bool) -> None:
    X = np.array([values])
    if refused:
        with pytest.raises(ValueError, match="is out of range: give 0 or numbers from 1e-100 to 1e"):
            computable(X)
    else:
        assert computable(X) is X


@pytest.mark.parametrize("value", [LARGEST_COUNT * 1.01, 1e-17, 5e-324])
def test_counts_out_of_range_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"a count of the matrix is .* out of range"):
        check_counts_in_range(np.array([0.0, 1.0, value]))
    check_counts_in_range(np.array([0.0, 1.0, 9007199254740992.0, 1e-16]))


@pytest.mark.parametrize("name", ["DCMClassifier", "EDCMClassifier", "PMM1", "SharedDirichletClassifier"])
def test_counts_that_can_be_squared_and_not_counted_with_are_refused(name: str) -> None:
    estimator = estimators()[name]
    y = target_of(estimator)
    model = clone(estimator).fit(CONTENT, y)
    for value in (1e16, 1e-17):
        wrong = np.where(CONTENT == CONTENT.max(), value, CONTENT)
        for stage in (lambda X: clone(estimator).fit(X, y), model.predict):
            with pytest.raises(ValueError, match=r"a count of the matrix is .* out of range"):
                stage(wrong)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.uint16, np.int64, np.float32, np.float64])
def test_a_type_that_kernels_take_stays(dtype: type) -> None:
    if np.dtype(dtype).itemsize > 2:
        assert computable(np.ones((1, 2), dtype=dtype)).dtype == dtype
    # Rows that are not sorted; the last column of one is the first of the next, which is no cell that is stored twice.
    arrays = np.ones(5, dtype=dtype), np.array([4, 0, 2, 5, 4]), np.array([0, 3, 5])
    found = sound(sparse.csr_array(arrays, shape=(2, 6)))
    assert found.data.dtype == dtype
    assert found.indices.tolist() == [0, 2, 4, 4, 5]


def test_nbsvm_refuses_negative_counts() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), [0, 1]
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="Negative values in data passed to NBSVMClassifier"):
            NBSVMClassifier().fit(form(-X), y)
        with pytest.raises(ValueError, match="Negative values"):
            NBSVMClassifier().fit(form(X), y).predict(form(-X))
