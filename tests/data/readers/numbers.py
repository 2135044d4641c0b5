"""Parts that tests of files of numbers share."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

quick = settings(deadline=None, derandomize=True, max_examples=60)


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.from_regex(r"[-+]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][-+]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["0", "1", "-0", "0.0", "9007199254740993", "1e22", "1e23", "5e-324", "1e-400"]),
)
