"""The Large Movie Review Dataset: folders ``train|test/pos|neg``, the rating in the file name.

Source: Maas, Daly, Pham, Huang, Ng and Potts, "Learning Word Vectors for Sentiment Analysis", ACL 2011; README of
aclImdb v1: ``<id>_<rating>.txt``, negative up to rating 4, positive from 7, unlabelled with 0 in ``train/unsup``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from textmix.core.errors import DataFormatError
from textmix.data.archives import iter_members
from textmix.data.corpus import UNUSED, Corpus
from textmix.data.reader_utils import SPLITS, Document, decode, file_of, text_corpus

#: Option -> whether it is required.
OPTIONS: dict[str, bool] = {"unlabelled": False}

#: Folder of the unlabelled reviews.
_UNLABELLED = "unsup"
_PATTERNS = [f"*{split}/{label}/*" for split in SPLITS for label in ("neg", "pos")]
_MEMBER = re.compile(r"(?:.*/)?(train|test)/(neg|pos|unsup)/([0-9]{1,9})_([0-9]{1,2})\.txt")
_RATINGS = {"neg": range(1, 5), "pos": range(7, 11), _UNLABELLED: range(1)}


def read(files: Mapping[str, Path], options: Mapping[str, Any]) -> Corpus:
    """Read the reviews with the labels ``neg`` and ``pos``.

    Parameters
    ----------
    files : mapping of str to Path
        ``archive``, one tar archive; or the archives ``train``, ``test`` and optionally ``unsup``.
    options : mapping
        ``name``; ``unlabelled`` to append the reviews of ``train/unsup``, without a label and as `UNUSED`.

    Returns
    -------
    Corpus
        The corpus, sorted by split, label and number, with ids such as ``train/pos/0``; ``info`` counts the reviews by
        rating (1 to 10 stars; 0 if unlabelled).

    Raises
    ------
    DataFormatError
        If reviews are missing or duplicated, or a file name does not match its folder.
    """
    with_unlabelled = bool(options.get("unlabelled"))
    roles = ("archive",) if "archive" in files else ("train", "test", *(("unsup",) if with_unlabelled else ()))
    reviews: dict[tuple[str, str, int], tuple[int, bytes]] = {}
    for role in roles:
        path = file_of(files, role)
        for key, rating, text in _reviews(path, with_unlabelled):
            if key in reviews:
                raise DataFormatError(path, None, f"has the review {key[0]}/{key[1]}/{key[2]} twice")
            reviews[key] = rating, text
    keys = sorted(reviews, key=lambda key: (key[1] == _UNLABELLED, SPLITS[key[0]], *key[1:]))
    _check_parts(files[roles[0]], {key[:2] for key in keys}, with_unlabelled)
    documents = []
    split = []
    for key in keys:
        part, folder, _ = key
        is_unlabelled = folder == _UNLABELLED
        documents.append(Document("/".join(map(str, key)), None if is_unlabelled else folder, reviews[key][1]))
        split.append(UNUSED if is_unlabelled else SPLITS[part])
    ratings = _count_ratings({key: reviews[key][0] for key in keys})
    return text_corpus(options, documents, np.array(split, dtype=np.int8), {"ratings": ratings})


def _check_parts(path: Path, folders: set[tuple[str, str]], with_unlabelled: bool) -> None:
    for split in SPLITS:
        if not {(split, label) for label in ("neg", "pos")} & folders:
            raise DataFormatError(path, None, f"has no reviews in {split}/neg and {split}/pos")
    if with_unlabelled and ("train", _UNLABELLED) not in folders:
        raise DataFormatError(path, None, "has no reviews in train/unsup")


def _reviews(path: Path, with_unlabelled: bool) -> Iterator[tuple[tuple[str, str, int], int, bytes]]:
    """Yield ((part, folder, number), rating, text) of the labelled reviews in an archive, or of all with ``more``."""
    for name, data in iter_members(path, [*_PATTERNS, *([f"*train/{_UNLABELLED}/*"] if with_unlabelled else [])]):
        match = _MEMBER.fullmatch(name)
        if match is None or int(match[4]) not in _RATINGS[match[2]]:
            raise DataFormatError(path, None, f"{name!r} is not (train|test)/(neg|pos)/<id>_<rating>.txt of its label")
        if not data.isascii():
            decode(path / name, data, "utf-8")
        yield (match[1], match[2], int(match[3])), int(match[4]), data


def _count_ratings(ratings: Mapping[tuple[str, str, int], int]) -> dict[str, dict[str, int]]:
    counts = {}
    for split in SPLITS:
        counter = Counter(rating for key, rating in ratings.items() if key[0] == split)
        counts[split] = {str(rating): number for rating, number in sorted(counter.items())}
    return counts
