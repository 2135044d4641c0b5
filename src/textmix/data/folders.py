"""A folder of the user's texts, a file a text and a folder a class, as a checked `Corpus`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from textmix.data.corpus import Corpus
from textmix.data.formats import name_of
from textmix.data.parse import check_corpus, read_corpus
from textmix.data.registry import reader_of

#: Folder of training documents without a label beside the class folders, as aclImdb comes; it is no class.
UNLABELLED = "unsup"


def read_folder(path: Path) -> Corpus:
    """Return the texts below a folder with a folder for each class, or with two such folders, for training and test."""
    parts = _parts(path)
    # Files whose name begins with a dot are the system's, not documents.
    members = [f"{name}/[!.]*" for name in _classes(parts)] or ["*/[!.]*"]
    corpus = read_corpus(reader_of("folder", {"members": members}), parts or {"data": path}, name_of(path))
    check_corpus(corpus)
    return corpus


def _parts(path: Path) -> dict[str, Path]:
    """Return ``train`` and ``test`` -> folder, of a folder with two so named, such as 20news-bydate; else empty."""
    inside = sorted(path for path in path.iterdir() if path.is_dir() and not path.name.startswith("."))
    folders = {role: [path for path in inside if role in path.name.lower()] for role in ("train", "test")}
    whole = len(inside) == 2 and all(len(paths) == 1 for paths in folders.values())
    return {role: paths[0] for role, paths in folders.items()} if whole else {}


def _classes(parts: Mapping[str, Path]) -> list[str]:
    """Return the class folders of a split that is laid out like aclImdb, without `UNLABELLED`; else an empty list."""
    if not parts or not (parts["train"] / UNLABELLED).is_dir() or (parts["test"] / UNLABELLED).exists():
        return []
    classes = {path.name for part in parts.values() for path in part.iterdir() if path.is_dir()}
    return sorted(classes - {UNLABELLED})
