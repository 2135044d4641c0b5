"""A matrix that is not sound is refused by every method before a kernel reads it."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from textmix.models.common.validation import sound
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.linear.nbsvm import NBSVMClassifier

#: Fits every method of ours that takes a matrix to one with a column index outside, and has a good fit of it label that
#: matrix.  A crash would end the process, so that it is not the test's own.
PROGRAM = """
import warnings
import numpy as np
from scipy import sparse
from textmix.experiment.methods import load_methods

warnings.simplefilter("ignore")
few = {"cbm": {"n_components": 2, "n_init": 1}, "label_network": {"hidden": 2, "decays": (1.0,), "max_iter": 5}}
rng = np.random.default_rng(0)
X = sparse.csr_array(rng.poisson(0.1, (30, 8)) + np.eye(30, 8, dtype=int))
wrong = X.copy()
wrong.indices[-1] = 2_000_000
for name, method in load_methods().items():
    if not method.module.startswith("textmix.") or method.takes == "sequences":
        continue
    y = np.arange(30) % 2 if method.task == "single" else (rng.random((30, 2)) < 0.5).astype(np.int8)
    for stage in (lambda: method.make(few.get(name, {})).fit(wrong, y), lambda: fitted.predict(wrong)):
        try:
            stage()
            print(name, "took the matrix")
        except ValueError as error:
            assert "indices" in str(error) or "index" in str(error), (name, error)
        fitted = method.make(few.get(name, {})).fit(X, y)
print("done")
"""


def run(program: str, **environment: str) -> str:
    """Run a program in its own process and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_method_refuses_an_index_outside_of_the_matrix() -> None:
    assert run(PROGRAM) == "done\n"


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_a_sparse_matrix_of_any_form_is_checked(form: str) -> None:
    X = sparse.csr_array(np.eye(4)).asformat(form)
    assert sound(X) is X
    (X.coords[1] if form == "coo" else X.indices)[0] = 4
    with pytest.raises(ValueError, match="ind"):
        sound(X)


def test_nbsvm_refuses_negative_counts() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), [0, 1]
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="Negative values in data passed to NBSVMClassifier"):
            NBSVMClassifier().fit(form(-X), y)
        with pytest.raises(ValueError, match="Negative values"):
            NBSVMClassifier().fit(form(X), y).predict(form(-X))


def test_kernels_run_as_python_without_the_compiler() -> None:
    X, y = np.arange(40).reshape(8, 5) % 4, np.arange(8) % 2
    fit = "import numpy as np; from textmix import DCMClassifier, EDCMClassifier; X = np.arange(40).reshape(8, 5) % 4;"
    fit += "print([each().fit(X, np.arange(8) % 2).predict(X).tolist() for each in (DCMClassifier, EDCMClassifier)])"
    compiled = [each().fit(X, y).predict(X).tolist() for each in (DCMClassifier, EDCMClassifier)]
    assert run(fit, NUMBA_DISABLE_JIT="1") == f"{compiled}\n"
