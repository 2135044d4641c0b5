"""Numbers in texts of pages."""

from __future__ import annotations

from textmix.pages.rendering import with_minus


def test_negative_numbers_have_a_minus_sign_and_names_keep_their_hyphens() -> None:
    text = "-0.5 to -.25, off by -3 in RCV1-v2, 2-3 and k-NN"
    assert with_minus(text) == "−0.5 to −.25, off by −3 in RCV1-v2, 2-3 and k-NN"
