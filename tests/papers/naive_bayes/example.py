"""Parts that several tests of Zhai's lecture share."""

from __future__ import annotations

from tests.papers.files import spec_of

SPEC = spec_of("naive_bayes")


CLASSES, WORDS, N = 3, 120, 150
