"""Bench: 20 Newsgroups from its message files to counts, against scikit-learn's CountVectorizer on the same files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from textmix.data.archive import iter_tar
from textmix.data.readers import message_folder
from textmix.study.bench.timing import compare
from textmix.text.features import build_features

#: Rainbow's tokenizer; the second peer's pattern is the same rule.
SPEC = {"tokenizer": "letters", "min_length": 2, "max_length": 99}
PATTERN = "[a-zA-Z]{2,99}"


@contextmanager
def _unpacked(source: Path) -> Iterator[Path]:
    """Give a folder of message files: the source itself, or an archive unpacked to a temporary place."""
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
    """Return what is compared: ours first, then the peers."""
    files = sorted(str(path) for path in folder.rglob("*") if path.is_file())

    def ours() -> object:
        return build_features(message_folder.read({"archive": folder}, {"name": "newsgroups"}), SPEC)

    def peer(**options: Any) -> Callable[[], object]:
        return lambda: CountVectorizer(input="filename", encoding="latin-1", **options).fit_transform(files)

    return {"textmix": ours, "CountVectorizer": peer(), "CountVectorizer, letters": peer(token_pattern=PATTERN)}


def bench_tokenize(source: Path, repeats: int = 5) -> list[dict[str, Any]]:
    """Time reading, tokenising and counting 18,828 message files.

    Parameters
    ----------
    source : the archive of 20news-18828, or its folder.
    repeats : rounds; in each, every candidate runs once.

    Returns
    -------
    the rows of `textmix.study.bench.timing.compare`; seconds are medians.
    """
    with _unpacked(Path(source)) as folder:
        candidates = _candidates(folder)
        candidates["textmix"]()  # compiles the kernels, which is done once a machine and is not timed
        return compare(candidates, repeats)
