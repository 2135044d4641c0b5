"""Packages that only a part of textmix needs: an import that lacks one says which extra brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Turn a failed import in a ``with`` block into an error that names the extra of pyproject.toml which brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        said = f"{error.name} is not installed; run: pip install 'textmix[{name}]'"
        raise ModuleNotFoundError(said, name=error.name) from error
