"""The order of work of a race, with fits of a known value and a known time."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from textmix.race.arms import FIRST, GRACE, PATIENCE, SCREENS, TRY, Race
from textmix.race.runners import Arm, Job, Runner

VIEWS = ("words", "bigrams", "characters")
#: Documents of the try and of three folds.
SIZES = [400, 1000, 1000, 1000]
WIDTHS = {"words": 100, "bigrams": 200, "characters": 400}


def runner(
    name: str, cost: str = "low", views: tuple[str, ...] = VIEWS, grid: tuple[float, ...] = (0.25, 1, 4)
) -> Runner:
    choices = [{"view": view, "weighting": "tfidf"} for view in views]
    return Runner(name, cost, choices, {"C": [float(value) for value in grid]})


def race(runners: list[Runner], seconds: float = 100.0, workers: int = 1) -> Race:
    return Race(runners, SIZES, [1, 2, 3], widths=dict(WIDTHS), seconds=seconds, workers=workers)


def held(
    made: Race, value: Callable[[Arm], float], takes: float = 0.1, ends: float | None = None
) -> list[tuple[float, Job]]:
    """Run a race of one worker whose fits take some seconds a thousand documents; return begin and job of each."""
    now, jobs, end = 0.0, [], made.seconds if ends is None else ends
    while (job := made.next(now, end)) is not None:
        assert len(jobs) < 3000, "the race does not end"
        jobs.append((now, job))
        seconds = min(takes * made.sizes[job.part] / 1000 * WIDTHS[job.arm.choice["view"]] / 100, job.seconds)
        now += seconds
        made.done(job, value(job.arm), seconds)
    return jobs


def quality(arm: Arm) -> float:
    """Return a score: by method, then by view, best at C = 16, which lies beyond the grid."""
    by_view = {"words": 0.0, "bigrams": 0.02, "characters": 0.01}[arm.choice["view"]]
    return {"good": 0.8, "fair": 0.7}.get(arm.method, 0.5) + by_view - 0.01 * abs(arm.point["C"] - 16.0) / 16.0


MANY = ["bad1", "fair", "bad2", "good", "bad3", "bad4", "bad5", "bad6"]


def test_every_method_has_one_cheap_try_in_the_first_tenth() -> None:
    made = race([runner(name) for name in MANY])
    jobs = held(made, quality)
    tries = [(now, job) for now, job in jobs if job.part == TRY]
    assert {job.arm.method for _, job in tries} == {*MANY}
    assert max(now for now, _ in tries) < FIRST * made.seconds
    assert [job.part for _, job in jobs[: len(MANY)]] == [TRY] * len(MANY)


def test_methods_of_low_cost_come_first() -> None:
    made = race([runner("slow", "high"), runner("quick"), runner("middling", "middle")])
    assert [job.arm.method for _, job in held(made, quality)[:3]] == ["quick", "middling", "slow"]


def test_the_better_half_goes_on_first_and_the_best_arm_wins() -> None:
    made = race([runner(name) for name in MANY])
    jobs = held(made, quality)
    screened = [job.arm.method for _, job in jobs if job.part == made.screen]
    assert {*screened[:4]} >= {"good", "fair"}
    best = made.leaders()[0]
    assert (best.method, best.choice["view"], best.point) == ("good", "bigrams", {"C": 16.0})
    assert set(best.values) >= {1, 2, 3}


def test_representations_race_at_two_values_of_c() -> None:
    made = race([runner("good"), runner("fair")])
    jobs = held(made, quality)
    raced = {
        (job.arm.choice["view"], job.arm.point["C"]) for _, job in jobs if job.part == 1 and job.arm.method == "good"
    }
    assert raced >= {(view, C) for view in VIEWS for C in (0.25, 1.0)}


def test_no_fit_is_made_twice() -> None:
    jobs = held(race([runner(name) for name in MANY]), quality)
    keys = [(job.arm.method, job.arm.name, job.part) for _, job in jobs]
    assert len(keys) == len(set(keys))


def test_no_fit_begins_or_may_last_beyond_the_end() -> None:
    made = race([runner(name) for name in MANY], seconds=20.0)
    for now, job in held(made, quality, takes=0.5, ends=15.0):
        assert now < 15.0
        assert now + job.seconds <= 15.0 + GRACE


def test_a_fit_may_take_a_multiple_of_its_prediction_only() -> None:
    made = race([runner("good")])
    jobs = held(made, quality)
    needed = made.predicted(jobs[-1][1].arm, SIZES[-1])
    assert needed is not None
    assert jobs[-1][1].seconds <= PATIENCE * needed + GRACE + 1e-9


def test_a_method_that_was_stopped_by_the_first_tenth_is_tried_again() -> None:
    made = race([runner("compiled"), runner("quick")])
    done: list[str] = []
    now = 0.0
    while (job := made.next(now, 100.0)) is not None:
        first = job.arm.method == "compiled" and "compiled" not in done
        done.append(job.arm.method)
        now += 1.0 if first else 0.05
        made.done(job, None if first else 0.9 if job.arm.method == "compiled" else 0.5, 0.05, "was stopped")
    assert made.leaders()[0].method == "compiled"


def test_a_method_that_fails_everywhere_keeps_its_reason() -> None:
    made = race([runner("broken"), runner("good")])
    now = 0.0
    while (job := made.next(now, 100.0)) is not None:
        now += 0.05
        made.done(job, None if job.arm.method == "broken" else 0.8, 0.05, "broken failed: no")
    assert [arm.method for arm in made.leaders()] == ["good"]
    assert made.runners["broken"].reason == "broken failed: no"


def test_without_time_for_the_folds_the_tries_decide() -> None:
    made = race([runner("good"), runner("fair")], seconds=1.0)
    held(made, quality, takes=0.05, ends=0.05)
    assert made.level() == [TRY]
    assert made.leaders()[0].method == "good"


def test_nothing_is_fitted_to_a_view_that_is_not_counted() -> None:
    made = race([runner("good")])
    made.widths.clear()
    assert made.next(0.0, 100.0) is None
    made.widths["words"] = 100
    job = made.next(0.1, 100.0)
    assert job is not None
    assert job.arm.choice["view"] == "words"


def test_a_view_that_is_counted_late_still_takes_part() -> None:
    made = race([runner("good"), runner("fair")])
    width = made.widths.pop("bigrams")
    now = 0.0
    while (job := made.next(now, 100.0)) is not None:
        now += 0.2
        made.done(job, quality(job.arm), 0.05)
    assert made.leaders()[0].choice["view"] == "characters"
    made.widths["bigrams"] = width
    held(made, quality)
    assert made.leaders()[0].choice["view"] == "bigrams"


def test_comparisons_of_representations_leave_half_of_the_time() -> None:
    made = race([runner(name) for name in MANY], seconds=30.0)
    jobs = held(made, quality, takes=1.0)
    whole = [now for now, job in jobs if job.part > made.screen]
    assert whole
    assert min(whole) < SCREENS * 30.0 + PATIENCE * 4.0


@pytest.mark.parametrize("workers", [1, 2])
def test_methods_left_behind_come_back_where_there_is_time(workers: int) -> None:
    made = race([runner(name) for name in MANY], seconds=1000.0, workers=workers)
    jobs = held(made, quality)
    assert {job.arm.method for _, job in jobs if job.part == made.screen} == {*MANY}


def repeated(runners: list[Runner]) -> Race:
    """Return a race whose cross-validation may be repeated twice."""
    parts = [*SIZES, *[1000] * 6]
    return Race(runners, parts, [1, 2, 3], widths=dict(WIDTHS), seconds=1000.0, workers=1, again=[[4, 5, 6], [7, 8, 9]])


def test_the_best_arms_are_validated_again_and_the_worse_ones_are_not() -> None:
    made = repeated([runner(name) for name in MANY])
    jobs = held(made, quality)
    assert made.level() == [*range(1, 10)]
    assert made.times(made.level()) == 3
    again = {(job.arm.method, job.arm.name) for _, job in jobs if job.part > 3}
    assert again == {(arm.method, arm.name) for arm in made.firsts()}
    assert made.leaders()[0].point == {"C": 16.0}


def test_an_unlike_arm_that_is_behind_is_validated_again_for_an_average() -> None:
    made = repeated([runner(name, views=("words",), grid=(1,)) for name in ("good", "fair")])
    for name, value in (("good", 0.8), ("fair", 0.7)):
        for part in range(1, 4):
            made.done(Job(made.runners[name].rounds()[0], part, 9.0), value, 0.1)
    assert {arm.method for arm in made.firsts()} == {"good", "fair"}
    job = made._folds_of(made.firsts()[1:], 100.0, made.again[0])
    assert job is not None
    assert (job.arm.method, job.part) == ("fair", 4)


def test_a_repetition_counts_only_when_all_arms_have_it_that_could_win() -> None:
    """Otherwise the arms with it would be compared with none of those that lack it."""
    made = repeated([runner("good", views=("words",), grid=(1,)), runner("fair", views=("words",), grid=(1,))])
    good, fair = (made.runners[name].rounds()[0] for name in ("good", "fair"))
    for arm, parts in ((good, range(1, 7)), (fair, range(1, 6))):
        for part in parts:
            made.done(Job(arm, part, 9.0), 0.8 if arm is good else 0.9, 0.1)
    assert made.level() == [1, 2, 3]
    assert [arm.method for arm in made.leaders()] == ["fair", "good"]
    made.done(Job(fair, 6, 9.0), 0.0, 0.1)
    assert made.level() == [1, 2, 3, 4, 5, 6]
    assert [arm.method for arm in made.leaders()] == ["good", "fair"]


def test_a_view_that_comes_last_is_tried_by_the_best_methods_before_those_left_behind_come_back() -> None:
    made = race([runner(name) for name in MANY], seconds=1000.0)
    del made.widths["bigrams"]
    seen: list[Job] = []
    while not made.settled and (job := made.next(0.1 * len(seen), 1000.0)) is not None:
        seen.append(job)
        made.done(job, quality(job.arm), 0.05)
    made.widths["bigrams"] = WIDTHS["bigrams"]
    while (job := made.next(0.1 * len(seen), 1000.0)) is not None:
        seen.append(job)
        made.done(job, quality(job.arm), 0.05)
    late = [job.arm.method for job in seen if job.arm.choice["view"] == "bigrams" and job.part == made.screen]
    assert {*late[:4]} <= {"good", "fair", *made.runners} - made.out
    assert late[0] == "good"
    assert made.leaders()[0].choice["view"] == "bigrams"


def test_finer_steps_follow_where_both_sides_of_the_best_value_were_tried() -> None:
    def peaked(arm: Arm) -> float:
        """Return a score with its greatest value at C = 0.5, between two values of the grid."""
        return 0.8 - 0.01 * abs(math.log2(arm.point["C"] / 0.5))

    made = race([runner("good", views=("words",))], seconds=1000.0)
    held(made, peaked)
    assert made.leaders()[0].point == {"C": 0.5}
