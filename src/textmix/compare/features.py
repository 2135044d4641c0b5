"""Feature matrices of the documents of a search."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from textmix.compare import candidates
from textmix.compare.candidates import BASELINE_VIEW
from textmix.compare.documents import LabelledTexts
from textmix.text.ngram_tfidf import NoFeaturesError

#: Stored elements of the matrices of folds that are cached, unless each worker needs one.
MAX_CACHED_ELEMENTS = 2**25
#: Below this number of documents, features of a single document are kept in all views.
MIN_DOCUMENTS_TO_PRUNE = 200


class Features:
    """Feature matrix of each view, computed when it is first needed.

    Parameters
    ----------
    documents : LabelledTexts
        Documents of the search.
    encoder : str
        Name of a user-supplied encoder, or "".
    column_kinds : mapping of str to {"number", "category"}
        Type of each extra column.
    n_cached : int
        Number of matrices of folds that are always kept.

    Attributes
    ----------
    matrices : dict of str to csr_array of shape (n_documents, n_features), dtype float32
        Matrix of each view that was computed.
    vectorisers : dict of str to transformer
        Fitted vectoriser of each view.
    columns : dict of str to (int, int)
        Range of columns of the views that are part of the baseline's matrix.
    seconds : dict of str to float
        CPU seconds to compute each matrix.
    """

    def __init__(self, documents: LabelledTexts, encoder: str, column_kinds: Mapping[str, str], n_cached: int) -> None:
        self.documents = documents
        self.encoder = encoder
        self.column_kinds = column_kinds
        self.n_cached = n_cached
        self.matrices: dict[str, sparse.csr_array] = {}
        self.vectorisers: dict[str, Any] = {}
        self.columns: dict[str, tuple[int, int]] = {}
        self.seconds: dict[str, float] = {}
        self._empty_views: set[str] = set()
        self._fold_matrices: dict[tuple[str, bytes], Any] = {}
        self._lock = threading.Lock()

    def new_vectoriser(self, view: str, n_documents: int) -> Any:
        """Return the unfitted vectoriser of a view for a number of documents."""
        min_df = 1 if n_documents < MIN_DOCUMENTS_TO_PRUNE else 2
        return candidates.new_vectoriser(view, self.encoder, min_df, self.column_kinds)

    def matrix(self, view: str) -> sparse.csr_array:
        """Compute or retrieve the features of a view with a separate matrix.

        Raises
        ------
        NoFeaturesError
            If no document has a feature of this view.
        """
        if view not in self.matrices:
            start = time.process_time()
            vectoriser = self.new_vectoriser(view, len(self.documents.y))
            X = vectoriser.fit_transform(self.documents.texts)
            self.matrices[view] = sparse.csr_array(X, dtype=np.float32)
            self.vectorisers[view] = vectoriser
            self.seconds[view] = time.process_time() - start
            if view == BASELINE_VIEW:
                self.columns = candidates.column_ranges(vectoriser)
        return self.matrices[view]

    def has_features(self, view: str) -> bool:
        """Compute the matrix of a view; return False if no document has a feature of it."""
        if view not in self._empty_views:
            try:
                self.matrix(view)
            except NoFeaturesError:
                if view == self.documents.baseline_view:
                    raise
                self._empty_views.add(view)
        return view not in self._empty_views

    def fold_matrix(self, view: str, rows: np.ndarray) -> Any:
        """Compute the features of all documents with a vectoriser fitted to the training rows of a fold.

        This prevents leakage of held-out documents into the vocabulary and the document frequencies.
        """
        key = view, rows.tobytes()
        with self._lock:
            if key not in self._fold_matrices:
                self._fold_matrices[key] = self._refit(view, rows)
                self._trim_cache()
            return self._fold_matrices[key]

    def _refit(self, view: str, rows: np.ndarray) -> Any:
        vectoriser = self.vectorisers[view]
        X = self.matrices[view]
        return vectoriser.refitted(X, rows) if hasattr(vectoriser, "refitted") else X

    def _trim_cache(self) -> None:
        """Drop the oldest matrices of folds if all together are too large."""
        cache = self._fold_matrices
        while len(cache) > self.n_cached and sum(X.nnz for X in cache.values()) > MAX_CACHED_ELEMENTS:
            del cache[next(iter(cache))]

    def transform(self, view: str, documents: LabelledTexts) -> sparse.csr_array:
        """Return the features of other documents."""
        return sparse.csr_array(self.vectorisers[view].transform(documents.texts), dtype=np.float32)

    def free(self) -> None:
        """Free all matrices, which are not needed after testing."""
        self.matrices.clear()
        self._fold_matrices.clear()
