"""Part-of-speech tags: accuracy on sentences tagged by hand, and the tokenizer that counts them."""

from __future__ import annotations

from pathlib import Path

from tests.text.test_features import corpus_of
from textmix.text.features import build_features
from textmix.text.treebank import document_tags, tags

#: 22 sentences of our own, in the manner of newsgroups, spam, announcements and course pages, with universal tags.
TAGGED = Path(__file__).resolve().parents[1] / "fixtures/tagged.txt"
#: Penn tag -> universal tag, where the first letters do not tell it.
COARSE = {
    **dict.fromkeys(("CC",), "CONJ"),
    **dict.fromkeys(("CD",), "NUM"),
    **dict.fromkeys(("DT", "PDT"), "DET"),
    **dict.fromkeys(("WDT", "EX", "WP", "WP$", "PRP", "PRP$"), "PRON"),
    **dict.fromkeys(("POS", "RP", "TO"), "PRT"),
    **{"IN": "ADP", "MD": "VERB", "WRB": "ADV", "FW": "X", "UH": "X"},
}
STEMS = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}


def coarse(tag: str) -> str:
    """Return the universal tag of a Penn tag."""
    return COARSE.get(tag) or STEMS.get(tag[:2], ".")


def test_nine_in_ten_words_of_the_tagged_sentences_get_their_tag() -> None:
    right = []
    for line in TAGGED.read_text(encoding="utf-8").splitlines():
        words, truth = zip(*(pair.rsplit("/", 1) for pair in line.split()), strict=True)
        # Penn has one tag for "to", before a verb and before a noun.
        allowed = [{tag, "PRT"} if word == "to" else {tag} for word, tag in zip(words, truth, strict=True)]
        right += [coarse(tag) in ok for tag, ok in zip(tags(words), allowed, strict=True)]
    assert len(right) == 288
    assert sum(right) == 270  # 93.8 %, which textmix.text.treebank states


def test_a_mark_is_a_mark_and_sentences_are_tagged_one_by_one() -> None:
    assert tags([">", "*", "."]) == [".", ".", "."]
    assert document_tags("Dogs bark. Cats sleep!") == [*tags(["Dogs", "bark", "."]), *tags(["Cats", "sleep", "!"])]
    assert document_tags("") == []


def test_tags_and_pairs_of_tags_are_counted_as_words_are() -> None:
    corpus = corpus_of(["The dogs ran.", "The dog"])
    assert build_features(corpus, {"tokenizer": "tags"}).feature_names == [".", "DT", "NN", "NNS", "VBD"]
    pairs = build_features(corpus, {"tokenizer": "tags", "max_n": 2, "subsume": False})
    assert {"DT NN", "NNS VBD", "DT"} <= set(pairs.feature_names or ())
