"""The search: what is fitted, what is chosen, and how a budget and the user end it."""

from __future__ import annotations

import itertools
import threading
import time

import numpy as np
import pytest

from tests.compare.texts import drawn, drawn_sets
from textmix.compare import candidates as plan
from textmix.compare.candidates import JOINED, Candidate, pipeline
from textmix.compare.comparison import Settings, _Reserve
from textmix.compare.metrics import metric_of
from textmix.compare.search import FOLDS, FoldScores, LabelledTexts, Search, State
from textmix.core.errors import ConfigError


def documents(n: int = 60, several: bool = False) -> LabelledTexts:
    texts, labels = drawn_sets(n) if several else drawn(n)
    names = ["art", "law", "sport"]
    if not several:
        return LabelledTexts(texts, np.array([names.index(label) for label in labels]), 3)
    return LabelledTexts(texts, np.array([[name in label for name in names] for label in labels], dtype=np.int8), 3)


def search_of(given: LabelledTexts, metric: str | None = None, **options: object) -> Search:
    return Search(given, metric_of(metric, given.task, ["art", "law", "sport"]), **options)  # type: ignore[arg-type]


def test_the_pipeline_by_hand_has_all_folds_first() -> None:
    search = search_of(documents())
    stages = search.plan()
    name, jobs = next(stages)
    assert name == "pipeline"
    assert {job.group.kind for job in jobs} == {members.kind for members in pipeline()}
    assert {job.fold for job in jobs} == set(range(FOLDS))
    search.run(jobs)
    assert search.incumbent in {each for members in pipeline() for each in members.candidates}


def test_a_score_of_a_document_comes_from_a_fit_without_it() -> None:
    """Scores of each fold are those of a vectoriser and a model that were fitted to the other folds."""
    search = search_of(documents(240))
    search.run(search.jobs(pipeline()[:1]))
    candidate = Candidate("linear_svm", JOINED, (("C", 1.0),))
    y = search.documents.y
    rest, held = search.folds(0)[3]
    vectoriser = search.vectoriser(JOINED, len(y))
    texts = np.array(search.documents.texts, dtype=object)
    F, Z = vectoriser.fit_transform(texts[rest]), vectoriser.transform(texts[held])
    columns = plan.columns_of(vectoriser)
    alone = plan.estimator_of(candidate, columns, (0, "compare", 0)).set_params(tol=1e-6, max_iter=2000)
    expected = search.scores_of(alone.fit(F, y[rest]), Z)
    np.testing.assert_allclose(search.trials[candidate].scores[0][held], expected, atol=0.05)


def planted(differences: list[float], others: int = 1, n: int = 60) -> Search:
    """Return a search whose other candidates are ahead of the pipeline by differences, a value for each fold."""
    search = search_of(documents(n))
    by_hand = pipeline()[0].candidates[0]
    shape = (len(search.documents.y), 3)
    given = {by_hand: [0.8] * FOLDS}
    for number in range(others):
        shift = differences if number == 0 else [-0.01 * number] * FOLDS
        given[Candidate("nbsvm", JOINED, (("C", float(number)),))] = [0.8 + each for each in shift]
    for candidate, values in given.items():
        scores = {0: np.zeros(shape, dtype=np.float32)}
        by_fold = {(0, fold): value for fold, value in enumerate(values)}
        search.trials[candidate] = FoldScores(scores, {0: set(range(FOLDS))}, by_fold)
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
    chosen = planted(differences, others).choose()
    assert chosen is not None and (chosen.parts[0].method == "nbsvm") == switches
    assert (chosen.evidence is not None) == switches


def test_a_loss_is_better_where_it_is_less() -> None:
    search = planted([-0.3, -0.31, -0.29, -0.3, -0.32])
    search.metric = metric_of("log_loss", "single", [])
    chosen = search.choose()
    assert chosen is not None and chosen.parts[0].method == "nbsvm"


def test_choices_of_noise_rarely_leave_the_pipeline() -> None:
    """Of candidates without a true difference one is chosen in place of the pipeline in less than a fifth of cases."""
    generator, left = np.random.default_rng(0), 0
    for _ in range(60):
        search = planted(generator.normal(0.0, 0.02, FOLDS).tolist(), 1)
        for number, candidate in enumerate(pipeline()[1].candidates, start=1):
            other = Candidate("nbsvm", plan.WORDS, (("C", float(number)),))
            search.trials[other] = FoldScores(
                {0: search.trials[pipeline()[0].candidates[0]].scores[0]},
                {0: set(range(FOLDS))},
                {(0, fold): 0.8 + value for fold, value in enumerate(generator.normal(0.0, 0.02, FOLDS).tolist())},
            )
            assert candidate not in search.trials
        chosen = search.choose()
        left += chosen is not None and chosen.evidence is not None
    assert left < 12


@pytest.mark.parametrize("likelier", [True, False])
def test_an_average_that_is_ahead_by_little_is_chosen_only_if_the_truth_is_likelier(likelier: bool) -> None:
    """Answers of few documents tell little of two candidates, and the probabilities of what is true tell more."""
    search = planted([-0.05] * FOLDS, n=900)
    by_hand, other = search.trials
    generator, y = np.random.default_rng(0), search.documents.y
    noise = generator.normal(0.0, 1.0, (len(y), 3))
    for candidate in (by_hand, other):
        search.trials[candidate].scores[0] = (1.0 * (np.arange(3) == y[:, np.newaxis]) + noise).astype(np.float32)
        noise = generator.normal(0.0, 1.0, (len(y), 3)) if likelier else noise
    ahead = [0.04, -0.03, 0.0, 0.01, 0.0]
    search.average = (by_hand, other), {(0, fold): 0.8 + value for fold, value in enumerate(ahead)}
    assert (len(search.choose().parts) == 2) == likelier  # type: ignore[union-attr]


def test_the_budget_ends_the_search_and_what_is_known_is_chosen() -> None:
    """A clock that runs out in the second stage leaves the choice to the candidates of the first one."""
    ticks = itertools.count()
    search = search_of(documents(), seconds=60.0, clock=lambda: 2.0 * next(ticks))
    search.search()
    assert search.ended
    chosen = search.choose()
    assert chosen is not None and len(search.trials) < 20


def test_time_for_tests_model_and_page_is_kept_free() -> None:
    """As soon as the pipeline has all folds: its test, a fit to all documents, and reading of both."""
    search = search_of(documents(), seconds=1000.0)
    reserve = _Reserve(search, Settings(1000.0), 0.0, (12, 75, 75))
    assert 990.0 < reserve.ends() < 1000.0
    search.run(search.jobs(pipeline()))
    kind = search.incumbent.kind  # type: ignore[union-attr]
    search.pace, search.cost[kind], search.reading[JOINED] = 1.0, 40.0, 8.0
    assert 1000.0 - reserve.ends() > 40.0 * 75 / 60 + 8.0 * (75 + 12) / 60 + 40.0


def test_a_method_that_has_no_fit_yet_takes_as_long_as_one_that_is_alike() -> None:
    search = search_of(documents(), seconds=100.0)
    search.pace, search.cost = 1.0, {("linear_svm", JOINED): 7.0}
    (ratios,) = search.jobs([plan.group("nbsvm", JOINED)])[:1]
    (longer,) = search.jobs([plan.group("nbsvm", plan.LONGER)])[:1]
    assert search.predicted(ratios) == pytest.approx(7.0 * 3**0.5)
    assert search.predicted(longer) == pytest.approx(2.0 * search.predicted(ratios))


def test_no_view_is_read_that_would_not_be_there_in_time() -> None:
    """By the time of the view of the pipeline; one that was read is used."""
    search = search_of(documents(), seconds=100.0)
    search.run(search.jobs(pipeline()[:1]))
    search.reading[JOINED] = 1e6
    search.run(search.jobs([plan.group("nbsvm", plan.PRESENT, plan.LOW)]))
    assert [*search.matrices] == [JOINED] and search._tried(plan.group("absolute_discounting", plan.COUNTS)) is None
    search.run(search.jobs([plan.group("nbsvm", JOINED)]))
    assert any(each.method == "nbsvm" for each in search.complete())


def test_no_fit_begins_that_would_not_end_in_time() -> None:
    search = search_of(documents(), seconds=100.0)
    first, *jobs = search.jobs(pipeline()[:1])
    search.run([first])
    search.cost[first.group.kind] = 1e6
    search.run(jobs)
    assert all(trials.folds == {0: {0}} for trials in search.trials.values())


def test_a_search_that_is_late_still_has_its_first_fit() -> None:
    search = search_of(documents(), seconds=1e-6)
    search.search()
    chosen = search.choose()
    assert chosen is not None and chosen.parts[0] in pipeline()[0].candidates


def test_the_user_ends_the_search_with_what_is_known() -> None:
    seen: list[str] = []

    def watch(state: State) -> None:
        seen.append(state.stage)
        if state.stage == "naive Bayes ratios":
            raise KeyboardInterrupt

    search = search_of(documents(), watch=watch)
    search.search()
    assert search.interrupted and search.choose() is not None and "further costs" not in seen


def test_a_method_that_fails_leaves_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("does not suit")

    monkeypatch.setattr("textmix.models.naive_bayes.discounting.AbsoluteDiscountingClassifier.fit", fail)
    search = search_of(documents())
    search.search()
    assert search.without["absolute_discounting"] == "does not suit"
    assert search.stage == "done"


def test_a_fault_of_the_code_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AttributeError("a slip")

    monkeypatch.setattr("textmix.models.linear.linear_texts.LinearTexts.fit", fail)
    with pytest.raises(AttributeError, match="a slip"):
        search_of(documents()).search()


def test_a_learning_curve_is_of_fewer_documents_and_is_no_candidate() -> None:
    """It ends at the score of the pipeline, and what is fitted to a part is neither ranked nor chosen."""
    search = search_of(documents(240))
    search.run(search.jobs(pipeline()[:1]))
    best = search.incumbent
    assert best is not None and search.curve() == []
    search.run(search._curve_jobs(best))
    curve = search.curve()
    assert [n for n, _ in curve] == [24, 48, 96, 192]
    assert curve[-1][1] == search.mean(best) and curve[0][1] < curve[-1][1]
    assert all(each.share == 1.0 for each in search.complete()) and len(search.leaderboard()) == 1


def test_points_of_the_pipeline_that_are_near_are_told_apart_by_further_folds() -> None:
    """The best is that of all repetitions, and one that is far behind is not fitted again."""
    search = search_of(documents())
    search.run(search.jobs(pipeline()[:1]))
    first, second, third = pipeline()[0].candidates
    for candidate, values in (
        (first, [0.8] * 5),
        (second, [0.81, 0.79, 0.8, 0.8, 0.79]),
        (third, [0.5, 0.52, 0.48, 0.5, 0.51]),
    ):
        search.trials[candidate].values = {(0, fold): value for fold, value in enumerate(values)}
    assert search.incumbent == first
    (near,) = search._near_groups()
    assert set(near.candidates) == {first, second}
    search.trials[first].values |= {(1, fold): 0.7 for fold in range(5)}
    search.trials[second].values |= {(1, fold): 0.9 for fold in range(5)}
    assert search.incumbent == second


def test_the_average_is_validated_by_parts_that_other_folds_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    """On these texts no part gains anything, so that any gain is made to do."""
    monkeypatch.setattr("textmix.compare.search.GAIN", -1.0)
    search = search_of(documents(90, several=True), "micro_f")
    groups = [plan.group(method, view) for method in ("linear_svm", "nbsvm") for view in (JOINED, plan.WORDS)]
    search.run(search.jobs([*pipeline(), *groups]))
    search.validate_average()
    assert search.average is not None
    parts, values = search.average
    assert len({part.kind for part in parts}) == len(parts) >= 2
    assert sorted(values) == [(0, fold) for fold in range(FOLDS)]


def test_a_view_without_features_is_left_out() -> None:
    """Words of one letter are no words, and the pipeline goes on with characters."""
    texts = LabelledTexts(["a b c", "d e f"] * 20, np.array([0, 1] * 20), 2)
    search = Search(texts, metric_of("accuracy", "single", ["x", "y"]))
    counts = plan.group(next(iter(plan.registry())), plan.COUNTS)
    search.run(search.jobs([pipeline()[0], counts, plan.group("nbsvm", JOINED)]))
    assert {candidate.method for candidate in search.trials} == {"linear_svm", "nbsvm"}


def test_a_fault_of_the_encoder_is_no_lack_of_features() -> None:
    search = search_of(documents(), encoder="no_such_module:encode")
    search.run(search.jobs(pipeline()[:1]))
    with pytest.raises(ConfigError, match="no_such_module:encode"):
        search.run(search.jobs([plan.group("linear_svm", plan.ENCODER)]))


def test_threads_end_with_their_fits() -> None:
    before = threading.active_count()
    search_of(documents(), workers=3).search()
    for _ in range(50):
        if threading.active_count() <= before:
            break
        time.sleep(0.1)
    assert threading.active_count() <= before
