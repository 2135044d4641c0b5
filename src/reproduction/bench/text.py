"""Bench: 20 Newsgroups from its message files to counts, against scikit-learn's CountVectorizer on the same files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from reproduction.bench.roofline import Work
from reproduction.bench.timing import compare, judge
from textmix.core.errors import MissingResult
from textmix.data.archives import iter_members
from textmix.data.readers import message_folder
from textmix.text.features import build_features

#: Rainbow's tokenizer; the second peer's pattern is the same rule.
SPEC = {"tokenizer": "letters", "min_length": 2, "max_length": 99}
PATTERN = "[a-zA-Z]{2,99}"
PEER, LETTERS = "sklearn CountVectorizer", "sklearn CountVectorizer, letters"
HASHING, GENSIM = "sklearn HashingVectorizer, letters", "gensim Dictionary"
#: Comparison -> its peer, and the largest ratio of our time to it; None where no target is set.
COMPARISONS: dict[str, tuple[str, float | None]] = {
    "tokenise": (PEER, 0.3),
    "tokenise_letters": (LETTERS, 0.15),
    "tokenise_hashing": (HASHING, None),
    "tokenise_gensim": (GENSIM, None),
}


@contextmanager
def _unpacked(source: Path) -> Iterator[Path]:
    """Give a folder of message files: the source itself, or an archive unpacked to a temporary folder."""
    if source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="textmix-bench-") as folder:
        for name, data in iter_members(source, ["*"]):
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

    def hashing() -> object:
        """Read the files and count hashed words: without a vocabulary, and so without names of the columns."""
        settings = {"token_pattern": PATTERN, "alternate_sign": False, "norm": None}
        return HashingVectorizer(input="filename", encoding="latin-1", **settings).transform(files)

    def gensim() -> object:
        """Read the files and count gensim's own tokens, runs of letters."""
        from gensim import corpora, utils  # type: ignore[import-untyped]

        texts = (Path(file).read_text(encoding="latin-1") for file in files)
        words = [list(utils.tokenize(text, lowercase=True)) for text in texts]
        dictionary = corpora.Dictionary(words)
        return [dictionary.doc2bow(document) for document in words]

    peers = {PEER: peer(), LETTERS: peer(token_pattern=PATTERN), HASHING: hashing, GENSIM: gensim}
    return {"textmix": ours, **peers}


def bench_tokenize(files: Mapping[str, Path], repeats: int = 5) -> list[dict[str, Any]]:
    """Time reading, tokenising and counting 18,828 message files, with the targets of `COMPARISONS`.

    Parameters
    ----------
    files : ``archive``: the archive of 20news-18828, or its folder.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    rows of `reproduction.bench.timing.COLUMNS`: a comparison with scikit-learn's default words (``tokenise``), with the
    same rule for words as ours (``tokenise_letters``), with hashed words, and with gensim's words.

    Raises
    ------
    MissingResult : the data set is not in the form of message files.
    """
    if "archive" not in files:
        raise MissingResult("the tokenise suite needs message files, not a table; name a mirror in TEXTMIX_MIRROR")
    with _unpacked(files["archive"]) as folder:
        rows = {row["candidate"]: row for row in compare(_candidates(folder), repeats)}
        size = float(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
    judged = []
    for bench, (peer, target) in COMPARISONS.items():
        targets = {} if target is None else {"textmix": target}
        judged += judge(bench, [rows["textmix"], rows[peer]], peer, targets, Work(bytes=size))
    return judged
