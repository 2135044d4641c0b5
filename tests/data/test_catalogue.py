"""The files of data sets as text: path, address and checksum of each."""

from __future__ import annotations

from textmix.data.catalogue import CatalogueRow, format_files


def test_each_file_has_its_path_address_and_checksum() -> None:
    address = "https://example.org/a.tar.gz"
    public = CatalogueRow("news", "News", "a.tar", (address,), "", 2_000_000, "", "p" * 64, "free")
    mirrored = CatalogueRow("news", "News", "b.tar", (), "news/b.tar.xz", None, "s" * 64, "", "free")
    text = format_files([public, mirrored])
    assert text.splitlines()[0] == "news: News (licence: free)" and text.count("licence") == 1
    for words in ("resources/news/a.tar, 2.0 MB", address, "p" * 64, "s" * 64, "news/b.tar.xz"):
        assert words in text
