"""Bench: 20 Newsgroups from its message files to counts, against scikit-learn's CountVectorizer on the same files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from textmix.bench.timing import compare, judge
from textmix.core.errors import MissingResult
from textmix.data.readers import message_folder
from textmix.data.tar import iter_tar
from textmix.text.features import build_features

#: Rainbow's tokenizer; the second peer's pattern is the same rule.
SPEC = {"tokenizer": "letters", "min_length": 2, "max_length": 99}
PATTERN = "[a-zA-Z]{2,99}"
PEER, LETTERS = "sklearn CountVectorizer", "sklearn CountVectorizer, letters"


@contextmanager
def _unpacked(source: Path) -> Iterator[Path]:
    """Give a folder of message files: the source itself, or an archive unpacked to a temporary folder."""
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="textmix-bench-") as folder:
        for name, data in iter_tar(source, ["*"]):
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        yield Path(folder)


def _candidates(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the candidates by name, ours first, then the peers: each reads the folder's files and counts words."""
    files = sorted(str(path) for path in folder.rglob("*") if path.is_file())

    def ours() -> object:
        """Read the messages and return their counts by our reader and tokenizer."""
        return build_features(message_folder.read({"archive": folder}, {"name": "newsgroups"}), SPEC)

    def peer(**options: Any) -> Callable[[], object]:
        """Return a call that reads and counts the files by scikit-learn with some options."""
        return lambda: CountVectorizer(input="filename", encoding="latin-1", **options).fit_transform(files)

    return {"textmix": ours, PEER: peer(), LETTERS: peer(token_pattern=PATTERN)}


def bench_tokenize(files: Mapping[str, Path], repeats: int = 5) -> list[dict[str, Any]]:
    """Time reading, tokenising and counting 18,828 message files, which is to take at most 0.3 x a peer's time.

    Parameters
    ----------
    files : ``archive``: the archive of 20news-18828, or its folder.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `textmix.bench.timing.COLUMNS`: a comparison with scikit-learn's default words (``tokenise``), and one with
    the same rule for words as ours (``tokenise_letters``).

    Raises
    ------
    MissingResult : the data set is not in the form of message files.
    """
    if "archive" not in files:
        raise MissingResult(
            "the tokenise suite needs message files, not a table; run it with --configfile config/full.yaml"
        )
    with _unpacked(files["archive"]) as folder:
        rows = compare(_candidates(folder), repeats)
    ours, whole, letters = rows
    return [
        *judge("tokenise", [ours, whole], PEER, {"textmix": 0.3}),
        *judge("tokenise_letters", [ours, letters], LETTERS, {"textmix": 0.3}),
    ]
