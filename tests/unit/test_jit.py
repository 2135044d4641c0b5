"""The machine code of a kernel is found again by its code alone, wherever the library stands."""

from __future__ import annotations

from pathlib import Path

from textmix.core.jit import SharedCache, cache_folder
from textmix.models.common.special_kernels import log_rising

MODULE = "textmix.models.common.special_kernels"


def test_kernels_are_stored_in_the_folder_of_their_code():
    assert log_rising.stats.cache_path == cache_folder(MODULE)


def test_a_copy_of_the_library_with_another_comment_shares_the_machine_code(tmp_path: Path):
    here = SharedCache(log_rising.py_func, log_rising.py_func.__code__.co_filename)
    (tmp_path / "special_kernels.py").write_text("# a comment\n", encoding="utf-8")
    copy = SharedCache(log_rising.py_func, str(tmp_path / "special_kernels.py"))
    assert copy.get_cache_path() == here.get_cache_path()
    assert copy.get_source_stamp() == here.get_source_stamp()
    assert copy.get_disambiguator() == here.get_disambiguator()
