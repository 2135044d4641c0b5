"""Parts that several tests of the EDCM paper share."""

from __future__ import annotations

from tests.papers.files import spec_of

SPEC = spec_of("edcm")


CLASSES, WORDS = 3, 150
