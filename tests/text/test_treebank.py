"""Words as the Treebank cuts them, lemmas, renamed streams, and what they do in an entry of features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.text.test_features import corpus_of
from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN
from textmix.text.features import build_features
from textmix.text.treebank import document_tags, lemmas, tags, treebank_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't think it's well-made...", ["I", "do", "n't", "think", "it", "'s", "well-made", "..."]),
        ("(can't, cannot) WON'T", ["(", "ca", "n't", ",", "can", "not", ")", "WO", "N'T"]),
        ("It'll cost $3.50<br /><br />or 1,000!!", ["It", "'ll", "cost", "$", "3.50", "or", "1,000", "!", "!"]),
        ("O'Brien\u2019s _best_ film.The", ["O'Brien", "'s", "best", "film", ".", "The"]),
        ("a < b and naïve\0\tcafé", ["a", "<", "b", "and", "naïve", "café"]),
        ("x'sn't n't's IT'\u017f", ["x's", "n't", "n't", "'s", "IT", "'\u017f"]),
        ("", []),
    ],
)
def test_words_clitics_and_marks(text: str, words: list[str]) -> None:
    assert treebank_words(text) == words


def test_lemmas_are_those_the_slides_need() -> None:
    words = ["movies", "skipping", "fails", "n't", "was", "i", "recommended", "xyzzy"]
    assert lemmas(words) == ["movie", "skip", "fail", "not", "be", "I", "recommend", "xyzzy"]


def test_comparatives_of_another_stem_stay() -> None:
    assert lemmas(["worst", "worse", "better", "best", "funnier"]) == ["worst", "worse", "better", "best", "funny"]


def test_entry_makes_skipgrams_of_lemmas() -> None:
    corpus = corpus_of(["It fails.", "it really failed!", "It fails", "nothing"], [TRAIN, TRAIN, TRAIN, TEST])
    spec = {"tokenizer": "treebank", "lowercase": True, "lemmatise": True, "min_df": 2, "fit_on": "train"}
    built = build_features(corpus, {**spec, "max_n": 2, "max_slop": 1, "keep_text": True})
    assert built.feature_names == ["fail", "it", "it fail", "it fail ~1"]
    np.testing.assert_array_equal(built.features.toarray(), [[1, 1, 1, 1], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
    assert built.info["features"]["skipgrams"] == [[1, 0, 2], [2, 0, 1], [2, 1, 1]]
    assert built.text is not None and built.text.text(0) == "It fails."


def test_paragraph_vectors_replace_the_counts() -> None:
    corpus = corpus_of(["good fine good film"] * 6 + ["bad awful bad film"] * 6)
    built = build_features(corpus, {"tokenizer": "letters", "vectors": {"size": 3, "min_count": 1, "epochs": 2}})
    assert built.features.shape == (12, 3)
    assert built.feature_names == ["vector 0", "vector 1", "vector 2"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"max_n": 2, "keep_tokens": True}, "keep_tokens keeps words, not skip-grams or vectors"),
        ({"vectors": 100}, "vectors: 100 is not allowed; give settings by name"),
    ],
)
def test_wrong_entries_are_named(spec: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_features(corpus_of(["a"]), {"tokenizer": "letters", **spec})


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
