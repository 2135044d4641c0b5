"""The search: what is fitted, what is chosen, and how a budget and the user end it."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest

from tests.compare.texts import drawn, drawn_sets
from textmix.compare import candidates
from textmix.compare.candidates import BASELINE_VIEW, Candidate, baseline, group
from textmix.compare.decisions import answer_of
from textmix.compare.documents import N_FOLDS, LabelledTexts
from textmix.compare.ensembles import Ensemble
from textmix.compare.metrics import metric_of
from textmix.compare.reserve import Reserve, Sizes
from textmix.compare.search import Progress, Search
from textmix.compare.standings import CandidateResult
from textmix.core.errors import ConfigError
from textmix.text.word_vectorizer import texts_of


def documents(n: int = 60, several: bool = False) -> LabelledTexts:
    texts, labels = drawn_sets(n) if several else drawn(n)
    names = ["art", "law", "sport"]
    if not several:
        return LabelledTexts(texts_of(texts), np.array([names.index(label) for label in labels]), 3)
    return LabelledTexts(
        texts_of(texts), np.array([[name in label for name in names] for label in labels], dtype=np.int8), 3
    )


def search_of(given: LabelledTexts, metric: str | None = None, **options: object) -> Search:
    return Search(given, metric_of(metric, given.task, ["art", "law", "sport"]), **options)  # type: ignore[arg-type]


def test_the_pipeline_by_hand_has_all_folds_first() -> None:
    search = search_of(documents())
    stages = search.plan.stages()
    name, jobs = next(stages)
    assert name == "fitting the baseline"
    assert {job.group.kind for job in jobs} == {members.kind for members in baseline()}
    assert {job.fold for job in jobs} == set(range(N_FOLDS))
    search.runner.run(jobs)
    assert search.standings.baseline in {each for members in baseline() for each in members.candidates}


def test_a_score_of_a_document_comes_from_a_fit_without_it() -> None:
    """Scores of each fold are those of a vectoriser and a model that were fitted to the other folds."""
    search = search_of(documents(240))
    search.runner.run(search.plan.jobs(baseline()[:1]))
    candidate = Candidate("linear_svm", BASELINE_VIEW, (("C", 1.0),))
    y = search.documents.y
    rest, held = search.standings.folds[0][3]
    vectoriser = search.features.new_vectoriser(BASELINE_VIEW, len(y))
    texts = np.array([search.documents.texts.text(row) for row in range(len(y))], dtype=object)
    F, Z = vectoriser.fit_transform(texts[rest]), vectoriser.transform(texts[held])
    columns = candidates.column_ranges(vectoriser)
    alone = candidates.new_classifier(candidate, columns, (0, "compare", 0)).set_params(tol=1e-6, max_iter=2000)
    expected = search.runner.label_scores(alone.fit(F, y[rest]), Z)
    np.testing.assert_allclose(search.standings.results[candidate].scores[0][held], expected, atol=0.05)


def planted(differences: list[float], others: int = 1, n: int = 60) -> Search:
    """Return a search whose other candidates are ahead of the pipeline by differences, a value for each fold."""
    search = search_of(documents(n))
    by_hand = baseline()[0].candidates[0]
    shape = (len(search.documents.y), 3)
    given = {by_hand: [0.8] * N_FOLDS}
    for number in range(others):
        shift = differences if number == 0 else [-0.01 * number] * N_FOLDS
        given[Candidate("nbsvm", BASELINE_VIEW, (("C", float(number)),))] = [0.8 + each for each in shift]
    for candidate, values in given.items():
        scores = {0: np.zeros(shape, dtype=np.float32)}
        by_fold = {(0, fold): value for fold, value in enumerate(values)}
        search.standings.results[candidate] = CandidateResult(scores, {0: set(range(N_FOLDS))}, by_fold)
    return search


@pytest.mark.parametrize(
    ("differences", "others", "switches"),
    [
        ([0.03, 0.025, 0.03, 0.035, 0.03], 1, True),  # ahead on each fold
        ([0.2, -0.15, 0.15, -0.1, 0.01], 1, False),  # ahead in the mean, but not by the evidence of the folds
        ([0.02, 0.005, 0.03, 0.015, 0.01], 1, True),
        ([0.02, -0.005, 0.03, 0.015, 0.0], 40, False),  # the best of forty is ahead so far by chance
    ],
)
def test_the_pipeline_is_left_only_on_the_evidence_of_paired_folds(
    differences: list[float], others: int, switches: bool
) -> None:
    winner = planted(differences, others).choose()
    assert winner is not None and (winner.members[0].method == "nbsvm") == switches
    assert (winner.difference is not None) == switches


def test_a_loss_is_better_where_it_is_less() -> None:
    search = planted([-0.3, -0.31, -0.29, -0.3, -0.32])
    search.metric = search.standings.metric = metric_of("log_loss", "single", [])
    winner = search.choose()
    assert winner is not None and winner.members[0].method == "nbsvm"


def test_choices_of_noise_rarely_leave_the_baseline() -> None:
    """Of candidates without a true difference one is chosen in place of the pipeline in less than a fifth of cases."""
    generator, left = np.random.default_rng(0), 0
    for _ in range(60):
        search = planted(generator.normal(0.0, 0.02, N_FOLDS).tolist(), 1)
        for number, candidate in enumerate(baseline()[1].candidates, start=1):
            other = Candidate("nbsvm", candidates.WORDS, (("C", float(number)),))
            search.standings.results[other] = CandidateResult(
                {0: search.standings.results[baseline()[0].candidates[0]].scores[0]},
                {0: set(range(N_FOLDS))},
                {(0, fold): 0.8 + value for fold, value in enumerate(generator.normal(0.0, 0.02, N_FOLDS).tolist())},
            )
            assert candidate not in search.standings.results
        winner = search.choose()
        left += winner is not None and winner.difference is not None
    assert left < 12


@pytest.mark.parametrize("likelier", [True, False])
def test_an_average_that_is_ahead_by_little_is_chosen_only_if_the_truth_is_likelier(likelier: bool) -> None:
    """Answers of few documents tell little of two candidates, and the probabilities of what is true tell more."""
    search = planted([-0.05] * N_FOLDS, n=900)
    by_hand, other = search.standings.results
    generator, y = np.random.default_rng(0), search.documents.y
    noise = generator.normal(0.0, 1.0, (len(y), 3))
    for candidate in (by_hand, other):
        search.standings.results[candidate].scores[0] = (1.0 * (np.arange(3) == y[:, np.newaxis]) + noise).astype(
            np.float32
        )
        noise = generator.normal(0.0, 1.0, (len(y), 3)) if likelier else noise
    ahead = [0.04, -0.03, 0.0, 0.01, 0.0]
    values = {(0, fold): 0.8 + value for fold, value in enumerate(ahead)}
    search.ensembles.current = Ensemble((by_hand, other), values)
    assert (len(search.choose().members) == 2) == likelier  # type: ignore[union-attr]


def test_the_budget_ends_the_search_and_what_is_known_is_chosen() -> None:
    """A clock that runs out in the second stage leaves the choice to the candidates of the first one."""
    ticks = itertools.count()
    search = search_of(documents(), seconds=60.0, clock=lambda: 2.0 * next(ticks))
    search.run()
    assert search.timed_out
    winner = search.choose()
    assert winner is not None and len(search.standings.results) < 20


def test_time_for_tests_model_and_page_is_kept_free() -> None:
    """As soon as the pipeline has all folds: its test, a fit to all documents, and reading of both."""
    search = search_of(documents(), seconds=1000.0)
    reserve = Reserve(search, Sizes(12, 75, 75), 0.0)
    assert 990.0 < reserve.deadline() < 1000.0
    search.runner.run(search.plan.jobs(baseline()))
    kind = search.standings.baseline.kind  # type: ignore[union-attr]
    search.runner.pace, search.runner.seconds_per_fit[kind], search.features.seconds[BASELINE_VIEW] = 1.0, 40.0, 8.0
    assert 1000.0 - reserve.deadline() > 40.0 * 75 / 60 + 8.0 * (75 + 12) / 60 + 40.0


def test_a_method_that_has_no_fit_yet_takes_as_long_as_one_that_is_alike() -> None:
    search = search_of(documents(), seconds=100.0)
    search.runner.pace, search.runner.seconds_per_fit = 1.0, {("linear_svm", BASELINE_VIEW): 7.0}
    (ratios,) = search.plan.jobs([group("nbsvm", BASELINE_VIEW)])[:1]
    (longer,) = search.plan.jobs([group("nbsvm", candidates.LONGER_NGRAMS)])[:1]
    assert search.runner.predicted_seconds(ratios) == pytest.approx(7.0 * 3**0.5)
    assert search.runner.predicted_seconds(longer) == pytest.approx(2.0 * search.runner.predicted_seconds(ratios))


def test_no_view_is_read_that_would_not_be_there_in_time() -> None:
    """By the time of the view of the pipeline; one that was read is used."""
    search = search_of(documents(), seconds=100.0)
    search.runner.run(search.plan.jobs(baseline()[:1]))
    search.features.seconds[BASELINE_VIEW] = 1e6
    search.runner.run(search.plan.jobs([group("nbsvm", candidates.WORD_PRESENCE, candidates.PRESENCE_C)]))
    assert [*search.features.matrices] == [BASELINE_VIEW] and search.runner.predict_fit_seconds(
        group("absolute_discounting", candidates.WORD_COUNTS)
    ) is None
    search.runner.run(search.plan.jobs([group("nbsvm", BASELINE_VIEW)]))
    assert any(each.method == "nbsvm" for each in search.standings.complete())


def test_no_fit_begins_that_would_not_end_in_time() -> None:
    search = search_of(documents(), seconds=100.0)
    first, *jobs = search.plan.jobs(baseline()[:1])
    search.runner.run([first])
    search.runner.seconds_per_fit[first.group.kind] = 1e6
    search.runner.run(jobs)
    assert all(trials.folds == {0: {0}} for trials in search.standings.results.values())


def test_a_search_that_is_late_still_has_its_first_fit() -> None:
    search = search_of(documents(), seconds=1e-6)
    search.run()
    winner = search.choose()
    assert winner is not None and winner.members[0] in baseline()[0].candidates


def test_the_user_ends_the_search_with_what_is_known() -> None:
    seen: list[str] = []

    def watch(state: Progress) -> None:
        seen.append(state.stage)
        if state.stage == "trying naive Bayes features":
            raise KeyboardInterrupt

    search = search_of(documents(), report=watch)
    search.run()
    assert search.interrupted and search.choose() is not None and "trying more values of C" not in seen


def test_a_method_that_fails_leaves_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("does not suit")

    monkeypatch.setattr("textmix.models.naive_bayes.discounting.AbsoluteDiscountingClassifier.fit", fail)
    search = search_of(documents())
    search.run()
    assert search.runner.skipped["absolute_discounting"] == "does not suit"
    assert search.stage == "done"


def test_a_fault_of_the_code_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AttributeError("a slip")

    monkeypatch.setattr("textmix.models.linear.linear_texts.LinearTexts.fit", fail)
    with pytest.raises(AttributeError, match="a slip"):
        search_of(documents()).run()


def test_a_learning_curve_is_of_fewer_documents_and_is_no_candidate() -> None:
    """It ends at the score of the pipeline, and what is fitted to a part is neither ranked nor chosen."""
    search = search_of(documents(240))
    search.runner.run(search.plan.jobs(baseline()[:1]))
    best = search.standings.baseline
    assert best is not None and search.plan.learning_curve() == []
    search.runner.run(search.plan.curve_jobs(best))
    curve = search.plan.learning_curve()
    assert [n for n, _ in curve] == [24, 48, 96, 192]
    assert curve[-1][1] == search.standings.mean(best) and curve[0][1] < curve[-1][1]
    assert all(each.train_fraction == 1.0 for each in search.standings.complete()) and len(search.leaderboard()) == 1


def test_points_of_the_pipeline_that_are_near_are_told_apart_by_further_folds() -> None:
    """The best is that of all repetitions, and one that is far behind is not fitted again."""
    search = search_of(documents())
    search.runner.run(search.plan.jobs(baseline()[:1]))
    first, second, third = baseline()[0].candidates
    for candidate, values in (
        (first, [0.8] * 5),
        (second, [0.81, 0.79, 0.8, 0.8, 0.79]),
        (third, [0.5, 0.52, 0.48, 0.5, 0.51]),
    ):
        search.standings.results[candidate].values = {(0, fold): value for fold, value in enumerate(values)}
    assert search.standings.baseline == first
    (near,) = search.plan.leading_groups()
    assert set(near.candidates) == {first, second}
    search.standings.results[first].values |= {(1, fold): 0.7 for fold in range(5)}
    search.standings.results[second].values |= {(1, fold): 0.9 for fold in range(5)}
    assert search.standings.baseline == second


def test_the_average_is_validated_by_parts_that_other_folds_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    """On these texts no part gains anything, so that any gain is made to do."""
    monkeypatch.setattr("textmix.compare.ensembles.MIN_GAIN", -1.0)
    search = search_of(documents(90, several=True), "micro_f")
    groups = [group(method, view) for method in ("linear_svm", "nbsvm") for view in (BASELINE_VIEW, candidates.WORDS)]
    search.runner.run(search.plan.jobs([*baseline(), *groups]))
    search.ensembles.update()
    assert search.ensembles.current is not None
    parts, values = search.ensembles.current
    assert len({part.kind for part in parts}) == len(parts) >= 2
    assert sorted(values) == [(0, fold) for fold in range(N_FOLDS)]


def test_a_view_without_features_is_left_out() -> None:
    """Words of one letter are no words, and the pipeline goes on with characters."""
    texts = LabelledTexts(texts_of(["a b c", "d e f"] * 20), np.array([0, 1] * 20), 2)
    search = Search(texts, metric_of("accuracy", "single", ["x", "y"]))
    counts = group(next(iter(candidates.registry())), candidates.WORD_COUNTS)
    search.runner.run(search.plan.jobs([baseline()[0], counts, group("nbsvm", BASELINE_VIEW)]))
    assert {candidate.method for candidate in search.standings.results} == {"linear_svm", "nbsvm"}


def test_a_fault_of_the_encoder_is_no_lack_of_features() -> None:
    search = search_of(documents(), encoder="no_such_module:encode")
    search.runner.run(search.plan.jobs(baseline()[:1]))
    with pytest.raises(ConfigError, match="no_such_module:encode"):
        search.runner.run(search.plan.jobs([group("linear_svm", candidates.ENCODER)]))


def test_threads_end_with_their_fits() -> None:
    before = threading.active_count()
    search_of(documents(), n_workers=3).run()
    for _ in range(50):
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before


def test_a_score_of_one_fold_is_not_evaluated_on_the_documents_of_its_thresholds() -> None:
    """With random labels, thresholds tuned on the evaluated documents themselves would look far better than chance."""
    generator = np.random.default_rng(0)
    texts = documents(200, several=True)
    y = (generator.random((200, 3)) < 0.3).astype(np.int8)
    search = search_of(texts._replace(y=y), "subset_accuracy", seconds=100.0)
    search.runner.run(search.plan.jobs(baseline()[:1])[:1])
    (candidate, *_) = search.standings.partial()
    rows = search.standings.folds.held_out_rows(0, 0)
    scores = [generator.normal(size=(len(rows), 3)).astype(np.float32)]
    search.standings.results[candidate].scores[0][rows] = scores[0]
    tuned = search.standings.fit_decision(scores, y[rows])
    in_sample = search.metric(y[rows], answer_of(tuned, scores, "multi"))
    assert search.standings.partial_value(candidate) < in_sample


def test_a_search_that_ends_in_the_first_fold_has_a_leaderboard_with_the_number_of_folds() -> None:
    search = search_of(documents(), seconds=1e-6)
    search.run()
    rows = search.leaderboard()
    winner = search.choose()
    assert winner is not None and winner.folds == (1, N_FOLDS)
    assert rows and all(row.folds == (1, N_FOLDS) for row in rows)
    assert "1 of 5 folds" in winner.describe_score("accuracy")


def test_each_further_fold_is_evaluated_with_the_rule_of_the_others() -> None:
    search = search_of(documents(several=True), "micro_f", seconds=100.0)
    jobs = search.plan.jobs(baseline()[:1])
    search.runner.run(jobs[:3])
    (candidate, *_) = search.standings.partial()
    result = search.standings.results[candidate]
    held_out = [search.standings.folds.held_out_rows(0, fold) for fold in range(3)]
    expected = []
    for fold in range(3):
        others = np.concatenate([rows for other, rows in enumerate(held_out) if other != fold])
        decision = search.standings.fit_decision([result.scores[0][others]], search.documents.y[others])
        answer = answer_of(decision, [result.scores[0][held_out[fold]]], "multi")
        expected.append(search.metric(search.documents.y[held_out[fold]], answer))
    assert search.standings.partial_value(candidate) == pytest.approx(np.mean(expected))
