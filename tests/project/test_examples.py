"""The examples in the docstrings of public classes are doctests."""

from __future__ import annotations

import doctest

import pytest

import textmix

PUBLIC = [name for name in textmix.__all__ if name[0].isupper()]


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_a_class_prints_what_it_says(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(getattr(textmix, name).__doc__, {}, name, None, None)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=printed.append)
    assert not printed, "".join(printed)
