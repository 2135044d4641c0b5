"""Lines of the table: a function of a benchmark with its group, its candidates, and what those of ours may take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

#: Candidates of ours begin so; what a line allows at most holds for them.
OURS = "textmix"


def line(group: str, *names: str, peer: str = "", timer: Any = None, **most: float) -> Callable[[Any], Any]:
    """Return a decorator that runs a function for each candidate; the last one is the peer where none is named.

    ``most``: what one of ours may take: ``target`` of the ratio, ``mib`` of the memory, ``mib_share`` of the memory
    beside the peer's.
    """

    def decorate(function: Any) -> Any:
        function.peer, function.most = peer or names[-1], most
        marked = pytest.mark.benchmark(group=group, **({"timer": timer} if timer else {}))
        return marked(pytest.mark.parametrize("name", names)(function))

    return decorate
