"""Splits depend only on the seed and names, so every method uses the same documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textmix.core.errors import ConfigError
from textmix.data.corpus import TEST, TRAIN, UNUSED, Corpus, label_matrix
from textmix.experiment.splits import Splits, make_splits, stratify

SEED, NAME = 20021209, "random_80_20"


def corpus_of(classes: list[int], split: list[int] | None = None, name: str = "news") -> Corpus:
    """Return a corpus without text, one class a document."""
    return Corpus(
        name=name,
        ids=[str(row) for row in range(len(classes))],
        label_names=[f"c{label}" for label in range(max(classes) + 1)],
        labels=label_matrix([[label] for label in classes], max(classes) + 1),
        split=None if split is None else np.array(split, dtype=np.int8),
    )


def split_of(corpus: Corpus, seed: int = SEED, name: str = NAME, cap: int | None = None, **spec: object) -> Splits:
    """Return random splits."""
    return make_splits(corpus, {"kind": "random", **spec}, seed, name, cap)


def rows(splits: Splits, trial: int = 0) -> tuple[list[int], list[int]]:
    """Return training and test rows of a trial."""
    return splits.train[trial].tolist(), splits.test[trial].tolist()


@given(
    total=st.integers(2, 60),
    train=st.one_of(st.integers(1, 70), st.floats(0.01, 0.99)),
    test=st.one_of(st.none(), st.integers(1, 70), st.floats(0.01, 0.99)),
    stratified=st.booleans(),
    trials=st.integers(1, 4),
)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_training_and_test_documents_are_disjoint_sorted_and_of_the_size_asked_for(
    total, train, test, stratified, trials
):
    corpus = corpus_of([row % 3 for row in range(total)])
    n_train = train if isinstance(train, int) else round(train * total)
    n_test = total - n_train if test is None else test if isinstance(test, int) else round(test * total)
    spec = {"train": train, "trials": trials, "stratified": stratified} | ({} if test is None else {"test": test})
    if n_train < 1 or n_test < 1 or n_train + n_test > total:
        with pytest.raises(ConfigError, match=f"{n_train} training and {n_test} test documents"):
            split_of(corpus, **spec)
        return
    splits = split_of(corpus, **spec)
    assert len(splits) == trials
    for trial in range(trials):
        fit, held_out = rows(splits, trial)
        assert (len(fit), len(held_out)) == (n_train, n_test)
        assert fit == sorted(set(fit)) and held_out == sorted(set(held_out))
        assert not set(fit) & set(held_out)
        assert set(fit) | set(held_out) <= set(range(total))
        if test is None:
            assert set(fit) | set(held_out) == set(range(total))
    assert splits.train.values.dtype == splits.test.values.dtype == splits.train.offsets.dtype == np.int64


@pytest.mark.parametrize("stratified", [True, False])
def test_training_sets_of_different_size_are_nested_and_meet_the_same_test_documents(stratified):
    corpus = corpus_of([row % 4 for row in range(3000)])
    sizes = (50, 500, 2000)
    parts = [rows(split_of(corpus, train=size, test=900, trials=1, stratified=stratified)) for size in sizes]
    assert parts[0][1] == parts[1][1] == parts[2][1]
    assert set(parts[0][0]) < set(parts[1][0]) < set(parts[2][0])


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.floats(0.1, 0.9))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_stratified_split_keeps_every_classes_share(counts, share):
    classes = np.repeat(np.arange(len(counts)), counts)
    n_train = round(share * len(classes))
    if not 0 < n_train < len(classes):
        return
    fit, held_out = rows(split_of(corpus_of(classes.tolist()), train=share, trials=1, stratified=True))
    for part in (fit, held_out):
        expected = np.array(counts) * len(part) / len(classes)
        # Rounding moves a class by half a document, and where the cut falls by at most half a document a class.
        bound = 0.5 + np.array(counts) / len(classes) * len(counts) / 2
        numbers = np.bincount(classes[part], minlength=len(counts))
        assert np.all(np.abs(numbers - expected) <= bound + 1e-9)


def test_one_random_split_is_enough_of_many_documents():
    corpus = corpus_of([row % 3 for row in range(20)])
    assert len(split_of(corpus, train=0.8, trials=4, single_split_min_documents=20)) == 1
    assert len(split_of(corpus, train=0.8, trials=4, single_split_min_documents=21)) == 4


def test_fixed_training_documents_are_those_of_the_first_trial():
    corpus = corpus_of([row % 3 for row in range(40)])
    spec = {"train": 10, "test": 20, "trials": 4}
    splits, free = split_of(corpus, **spec, fixed_training=True), split_of(corpus, **spec)
    assert rows(splits) == rows(free)
    tests = {tuple(rows(splits, trial)[1]) for trial in range(4)}
    assert len(tests) == 4
    for trial in range(4):
        train, test = rows(splits, trial)
        assert train == rows(free)[0] and len(test) == 20 and not set(train) & set(test)


def test_splits_do_not_depend_on_the_content_of_the_documents():
    assert rows(split_of(corpus_of([0] * 100), train=0.8, trials=1)) == rows(
        split_of(corpus_of([1, 0] * 50), train=0.8, trials=1)
    )


@pytest.mark.parametrize(
    "other", [{"seed": SEED + 1}, {"name": "random_50_50"}, {"corpus": corpus_of([0] * 100, name="industry")}]
)
def test_splits_depend_on_seed_name_and_data_set(other):
    corpus = corpus_of([0] * 100)
    assert rows(split_of(corpus, train=0.8, trials=1)) != rows(
        split_of(**{"corpus": corpus, "train": 0.8, "trials": 1, **other})
    )


def test_trials_differ():
    splits = split_of(corpus_of([0] * 100), train=0.8, trials=20)
    assert len({tuple(splits.test[trial]) for trial in range(20)}) == 20


@pytest.mark.parametrize(("cap", "number"), [(1, 1), (4, 4), (10, 10), (99, 10), (None, 10)])
def test_cap_leaves_the_first_trials_as_they_are(cap, number):
    corpus = corpus_of([0] * 50)
    all_trials = split_of(corpus, train=0.5, trials=10)
    some = split_of(corpus, cap=cap, train=0.5, trials=10)
    assert len(some) == number
    for trial in range(number):
        assert rows(some, trial) == rows(all_trials, trial)


def test_every_document_is_held_out_about_equally_often():
    splits = split_of(corpus_of([0] * 20), train=0.5, trials=400)
    often = np.bincount(splits.test.values, minlength=20)
    assert np.all(np.abs(often - 200) < 5 * np.sqrt(400 * 0.25))


def test_given_split_is_the_sources_own_whatever_the_seed():
    corpus = corpus_of([0] * 6, split=[TEST, TRAIN, UNUSED, TRAIN, TEST, TRAIN])
    for seed in (1, 2):
        splits = make_splits(corpus, {"kind": "given"}, seed, "given", None)
        assert len(splits) == 1
        assert rows(splits) == ([1, 3, 5], [0, 4])


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (None, "split given: news has no split of the source; choose kind: random"),
        ([TRAIN] * 3, "split given: news gives 3 training, 0 test documents; choose kind: random"),
        ([TEST, UNUSED, TEST], "split given: news gives 0 training, 2 test documents; choose kind: random"),
    ],
)
def test_given_split_that_is_not_there_is_said(split, message):
    with pytest.raises(ConfigError) as caught:
        make_splits(corpus_of([0] * 3, split), {"kind": "given"}, 1, "given", None)
    assert str(caught.value) == message


def test_the_first_documents_of_the_file_are_the_training_part():
    splits = make_splits(corpus_of([0] * 5), {"kind": "first", "train": 3}, 1, "first", None)
    assert rows(splits) == ([0, 1, 2], [3, 4])
    with pytest.raises(ConfigError, match=r"split first: train: 5 of the 5 documents of news leaves no training"):
        make_splits(corpus_of([0] * 5), {"kind": "first", "train": 5}, 1, "first", None)


def test_splits_come_back_as_they_were_saved(tmp_path):
    splits = split_of(corpus_of([0] * 30), train=0.8, trials=3)
    splits.save(tmp_path / "splits", {"rule": "split"})
    back = Splits.load(tmp_path / "splits")
    assert len(back) == 3
    for trial in range(3):
        assert rows(back, trial) == rows(splits, trial)


# --- folds and label sets ---------------------------------------------------------------------------------------------


def corpus_of_sets(sets: list[list[int]]) -> Corpus:
    """Return a corpus without text, a label set a document."""
    n_labels = max((max(row) for row in sets if row), default=0) + 1
    names = [f"c{label}" for label in range(n_labels)]
    return Corpus(
        name="sets", ids=[str(i) for i in range(len(sets))], label_names=names, labels=label_matrix(sets, n_labels)
    )


@given(total=st.integers(4, 60), folds=st.integers(2, 4), stratified=st.booleans(), several=st.booleans())
@settings(deadline=None, derandomize=True)
def test_every_document_is_tested_once(total, folds, stratified, several):
    sets = [[row % 3, 3] if several and row % 2 else [row % 3] for row in range(total)]
    spec = {"kind": "folds", "folds": folds, "stratified": stratified}
    splits = make_splits(corpus_of_sets(sets), spec, SEED, "folds", None)
    assert len(splits) == folds
    assert sorted(splits.test.values.tolist()) == list(range(total))
    for trial in range(folds):
        train, test = rows(splits, trial)
        assert sorted(train + test) == list(range(total))
        assert stratified or abs(len(test) - total / folds) < 1


def test_cap_on_trials_takes_the_first_folds():
    spec = {"kind": "folds", "folds": 5}
    capped, whole = (make_splits(corpus_of([0, 1] * 10), spec, SEED, "f", cap) for cap in (2, None))
    assert len(capped) == 2
    assert rows(capped, 1) == rows(whole, 1)


def test_more_folds_than_documents_are_refused():
    with pytest.raises(ConfigError, match="split f: folds: 4 exceeds the 3 documents"):
        make_splits(corpus_of([0, 1, 0]), {"kind": "folds", "folds": 4}, SEED, "f", None)


def grouped(*ids: str) -> Corpus:
    """Return a corpus of documents of one class with these ids."""
    return replace(corpus_of([0] * len(ids)), ids=list(ids))


def test_each_group_is_left_out_once():
    corpus = grouped("texas/a", "cornell/a", "misc/a", "texas/b", "misc/b")
    splits = make_splits(corpus, {"kind": "groups", "train_only": ["misc"]}, SEED, "g", None)
    assert [rows(splits, trial) for trial in range(len(splits))] == [([0, 2, 3, 4], [1]), ([1, 2, 4], [0, 3])]
    assert len(make_splits(corpus, {"kind": "groups"}, SEED, "g", 2)) == 2


@pytest.mark.parametrize(
    ("ids", "train_only"), [(("a/1", "a/2"), []), (("a/1", "b/1"), ["c"]), (("a", "b"), ["a", "b"])]
)
def test_groups_without_one_to_leave_out_are_refused(ids, train_only):
    with pytest.raises(ConfigError, match=r"split g: news has the groups .*; hold out at least one"):
        make_splits(grouped(*ids), {"kind": "groups", "train_only": train_only}, SEED, "g", None)


def random_sets(total: int) -> list[list[int]]:
    """Return label sets of labels of very different frequency, some empty."""
    generator = np.random.default_rng(4)
    shares = np.array([0.6, 0.3, 0.1, 0.03])
    return [np.flatnonzero(generator.random(4) < shares).tolist() for _ in range(total)]


def test_parts_keep_the_share_of_every_label_better_than_chance():
    corpus = corpus_of_sets(random_sets(600))
    part = stratify(corpus.labels, np.array([0.25, 0.75]), np.random.default_rng(1))
    dense = corpus.indicators()
    first = dense[part == 0].sum(axis=0)
    assert np.all(np.abs(first - 0.25 * dense.sum(axis=0)) <= 1)
    assert abs(np.sum(part == 0) - 150) <= 2


def test_rarest_label_is_dealt_evenly():
    sets = [[0, 1] if row < 4 else [0] for row in range(40)]
    splits = make_splits(corpus_of_sets(sets), {"kind": "folds", "folds": 4, "stratified": True}, SEED, "f", None)
    assert [int(np.sum(splits.test[trial] < 4)) for trial in range(4)] == [1, 1, 1, 1]


def test_stratified_random_split_of_label_sets_has_the_asked_sizes():
    corpus = corpus_of_sets(random_sets(400))
    splits = split_of(corpus, train=100, test=60, trials=2, stratified=True)
    for trial in range(2):
        train, test = rows(splits, trial)
        assert not set(train) & set(test)
        assert abs(len(train) - 100) <= 2 and abs(len(test) - 60) <= 2
