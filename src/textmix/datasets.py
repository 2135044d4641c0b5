"""`textmix.datasets`: the registered data sets as arrays, fetched, checked and parsed as the workflow does it.

Its functions need the extra ``data``; the module itself is imported without it, so that ``from textmix import *``,
``pydoc textmix`` and ``hasattr`` work in each installation.
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
    """Return the names of the registered data sets, in the order of config/datasets.yaml.

    Raises
    ------
    ModuleNotFoundError : a package of the extra ``data`` is not installed.
    """
    return list(_registry())


def load(name: str, folder: str | Path | None = None) -> Bunch:
    """Return a registered data set.

    Parameters
    ----------
    name : one of `names`.
    folder : where raw files are kept, a folder a data set; by default ``textmix-data`` in ``$TEXTMIX_CACHE``,
        ``$XDG_CACHE_HOME`` or ``~/.cache``, whichever is set first.  Files are taken from the mirror folder
        ``$TEXTMIX_MIRROR``, the web or packages of the Python package index, and checked by their digests.

    Returns
    -------
    N documents with L labels:

    - ``data``: N texts (list of str), or features, CSR (N, V), of a data set that is a matrix;
    - ``labels``: the label of each document (list of str) where each has exactly one, else the labels of each (list of
      tuples of str); every classifier takes them as y;
    - ``target``: the same as indices into ``target_names``, int32 (N,), or as indicators, int8 (N, L);
    - ``target_names`` (L), ``feature_names`` (V, or None), ``ids`` (N);
    - ``split``: "train", "test" or "unused" for each document, (N,), or None where the source gives no split;
    - ``DESCR``: title, citation, terms and note.

    Raises
    ------
    ConfigError : there is no data set of this name.
    ModuleNotFoundError : a package of the extra ``data`` is not installed.
    MissingResult : the data are not available; the message says which file to place where.

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
        raise ConfigError(f"there is no data set {name!r}; {suggest(name, registry)}")
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
    """Return a parsed data set in the form of `load`."""
    text, single = corpus.text, bool(np.all(corpus.label_counts == 1))
    rows = np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    labels: list[Any] = [tuple(corpus.label_names[column] for column in row) for row in rows]
    return Bunch(
        data=corpus.features if text is None else [text.text(row) for row in range(len(text))],
        labels=[row[0] for row in labels] if single else labels,
        target=corpus.classes() if single else corpus.indicators(),
        target_names=list(corpus.label_names),
        feature_names=None if corpus.feature_names is None else list(corpus.feature_names),
        ids=list(corpus.ids),
        split=None if corpus.split is None else np.array([_PARTS[part] for part in corpus.split.tolist()]),
        DESCR="\n".join(filter(None, [entry.title, entry.citation, f"Terms: {entry.terms}", entry.note])),
    )


def _registry() -> dict[str, Any]:
    """Return the entries of the registry by name, each with all its keys."""
    from textmix.core.config import load_yaml_strict, registry_file
    from textmix.data.registry import wholes

    return wholes(load_yaml_strict(registry_file("datasets.yaml")), "config/datasets.yaml")


def _cache() -> Path:
    """Return the folder of raw files."""
    roots = (os.environ.get("TEXTMIX_CACHE"), os.environ.get("XDG_CACHE_HOME"), "~/.cache")
    return Path(next(filter(None, roots))).expanduser() / "textmix-data"
