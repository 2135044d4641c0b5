"""The end of a race: it begins early enough, also beside other programs, and waits for nothing that is late."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.race.judge import Results, verdict
from tests.race.test_arms import SIZES, race, repeated, runner
from tests.race.test_workers import give
from textmix.race.arms import GROWTH, Race
from textmix.race.averaging import AverageArm
from textmix.race.finish import BACK, PAGE, SPARE, Ending
from textmix.race.remarks import said_of_unused
from textmix.race.runners import Arm, Job
from textmix.race.workers import Workers


def raced() -> tuple[Race, Arm]:
    """Return a race of one method, whose first fit weighted the documents and whose second one found them ready."""
    made = race([runner("good", views=("words",))])
    arm = made.runners["good"].rounds()[0]
    for part, seconds in ((1, 3.0), (2, 1.0), (3, 1.0)):
        made.done(Job(arm, part, 9.0), 0.8, seconds)
    return made, arm


def ending(made: Race | None, pace: float = 1.0, **more: Any) -> Ending:
    """Return the end of a race of a hundred seconds, beside programs that leave a share of the processor."""
    if made is not None:
        made.pace = pace
    run = SimpleNamespace(
        **{
            "race": made,
            "options": SimpleNamespace(seconds=100.0, workers=2, task="single", encoder=""),
            "workers": None,
            "pace": pace,
        },
        **{"entries": {"good": {"params": {}}}, "n_train": SIZES[1], "counted": {"words": 0.0}, "took": Counter()},
        **{
            "sign": 1.0,
            "interrupted": False,
            "last": [],
            "cost": {},
            "spent": 0.0,
            "is_averaged": lambda method: False,
        },
        **{"corpus": SimpleNamespace(n_documents=SIZES[1]), "watch": lambda state: None, "state": lambda: None},
    )
    return Ending(SimpleNamespace(**{**vars(run), **more}))


def test_the_last_fits_are_predicted_by_one_that_weighted_the_documents() -> None:
    made, arm = raced()
    assert made.predicted(arm, SIZES[1]) == pytest.approx(1.0)
    assert made.at_most(arm, SIZES[1]) == pytest.approx(3.0)
    assert made.at_most(arm, 2 * SIZES[1]) == pytest.approx(3.0 * 2**GROWTH)


def test_time_is_kept_for_the_test_the_model_and_the_page() -> None:
    made, _ = raced()
    assert ending(made).begins() == pytest.approx(100.0 - 3.0 - 3.0 - PAGE - SPARE)


def test_a_test_measures_the_last_fits_and_what_it_leaves_goes_back_to_the_search() -> None:
    made, arm = raced()
    end = ending(made, spent=99.0 - 3.0 - PAGE - SPARE, interrupted=False)
    assert not end.gives_back()
    assert end._take(made, arm, {"cpu_seconds": 0.5})
    assert end.begins() == pytest.approx(100.0 - 0.5 - PAGE - SPARE)
    assert end.gives_back()
    end.run.spent = end.begins() - BACK * 99.0
    assert not end.gives_back()


def test_a_fit_that_the_end_stopped_is_made_again() -> None:
    made = race([runner("good", views=("words",))])
    job = made.next(0.0, 100.0)
    assert job is not None
    made.forget(job)
    again = made.next(50.0, 100.0)
    assert again is not None
    assert not job.arm.values
    assert not made.runners["good"].reason


def test_beside_other_programs_the_end_begins_earlier() -> None:
    made, _ = raced()
    alone = 100.0 - ending(made).begins()
    assert 100.0 - ending(made, pace=4.0).begins() == pytest.approx(4.0 * alone - 0.5 * (PAGE + SPARE))


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    found = Workers(tmp_path, 2, module="tests.race.stub_worker")
    found.start()
    yield found
    found.stop()


def test_a_fit_that_does_not_hear_of_the_end_holds_nothing_up(workers: Workers) -> None:
    made, arm = raced()
    give(workers, "be deaf", free=2)
    workers._all[0].token = Job(arm, 1, 60.0)
    end = ending(made, workers=workers)
    began = time.monotonic()
    assert set(end.all([{"do": "choose"}, {"do": "page"}], 10.0)) == {"choose", "page"}
    assert time.monotonic() - began < 10.0
    assert workers.busy == [Job(arm, 1, 60.0)]


def test_an_order_that_may_fail_ends_at_its_own_time_and_the_others_stand(workers: Workers) -> None:
    give(workers, "first", free=2)
    list(workers.wait(5.0))
    found = ending(None, workers=workers).all([{"do": "sleep"}, {"do": "choose"}], 30.0, {"sleep": 0.7})
    assert "reason" in found["sleep"]
    assert found["choose"]["value"] == "choose"


def test_time_for_an_average_is_kept_until_it_was_validated_and_not_again() -> None:
    made = race([runner("good", views=("words",)), runner("fair", views=("words",))])
    for name, value in (("good", 0.8), ("fair", 0.7)):
        arm = made.runners[name].rounds()[0]
        for part in (1, 2, 3):
            made.done(Job(arm, part, 9.0), value, 1.0)
    entries = {name: {"params": {}} for name in ("good", "fair")}
    end = ending(made, entries=entries, is_averaged=lambda method: True)
    kept = end.begins()
    alone = ending(made, entries=entries)
    assert kept == pytest.approx(alone.begins() - 1.0 - 1.0)  # one more fit in the test, and one more in the model
    found = end.average.candidate()
    assert found is not None
    assert [arm.method for arm in found.parts] == ["good", "fair"]
    found.values = dict.fromkeys(made.level(), 0.9)
    end.average.arm = found
    assert end.average.candidate() is None
    assert end.begins() == pytest.approx(alone.begins())


def test_an_average_tells_the_time_of_the_searches_of_its_parts() -> None:
    """Of equal scores the quicker method is chosen, and an average without them would always be it."""
    made = race([runner(name, views=("words",)) for name in ("good", "fair", "average")])
    arms = [made.runners[name].rounds()[0] for name in ("good", "good", "fair")]
    for arm in arms:
        for part in (1, 2, 3):
            arm.values[part] = 0.8
    made.runners["good"].clock, made.runners["fair"].clock, made.runners["average"].clock = 2.0, 3.0, 0.1
    end = ending(made)
    average = AverageArm("average", {}, {}, {1: 0.8, 2: 0.8, 3: 0.8}, parts=arms)
    assert end._order(made, average)["seconds"] == pytest.approx(5.1)
    assert end._order(made, arms[0])["seconds"] == pytest.approx(2.0)


def test_no_time_is_kept_for_an_average_that_was_too_late() -> None:
    made = race([runner("good", views=("words",)), runner("fair", views=("words",))])
    for name in ("good", "fair"):
        arm = made.runners[name].rounds()[0]
        for part in (1, 2, 3):
            made.done(Job(arm, part, 9.0), 0.8, 1.0)
    entries = {name: {"params": {}} for name in ("good", "fair")}
    end = ending(made, entries=entries, is_averaged=lambda method: True, spent=99.0)
    end.average.arm = AverageArm("average", {}, {})
    before = end.begins()
    end.average.validate(made)
    assert end.average.closed
    assert end.begins() > before


def test_a_search_that_ends_before_its_time_says_so_and_another_one_does_not() -> None:
    made, _ = raced()
    end = ending(made, spent=20.0)
    (said,) = said_of_unused(end.run, made, end.begins())
    assert verdict(said, Results({}, *({}, {}, np.array([True]), [], [], [], {}))) is True
    assert said_of_unused(end.run, made, end.begins()) == [said]
    end.run.spent = end.begins() - 1.0
    assert said_of_unused(end.run, made, end.begins()) == []
    end.run.spent, end.run.interrupted = 20.0, True
    assert said_of_unused(end.run, made, end.begins()) == []


def test_an_average_is_validated_again_where_the_cross_validation_was_repeated() -> None:
    """Without its scores on the further folds it would be compared with no other arm, and be lost."""
    made = repeated([runner("good", views=("words",), grid=(1,)), runner("fair", views=("words",), grid=(1,))])
    arms = [made.runners[name].rounds()[0] for name in ("good", "fair")]
    for arm in arms:
        for part in (1, 2, 3):
            made.done(Job(arm, part, 9.0), 0.8, 1.0)
    asked: list[dict[str, Any]] = []

    def answer(orders: Any, *more: Any) -> dict[str, Any]:
        """Answer that all parts are averaged, and are the best."""
        asked.append(orders[0])
        parts = sum(map(len, orders[0]["rounds"]))
        return {"average": {"values": [0.9] * parts, "parts": orders[0]["arms"], "slopes": [1, 1], "thresholds": None}}

    entries = {name: {"params": {}} for name in ("good", "fair", "average")}
    end = ending(made, entries=entries, is_averaged=lambda method: True)
    end.all = answer  # type: ignore[method-assign]
    end.average.validate(made)
    end.average.validate(made)
    assert [order["rounds"] for order in asked] == [[[1, 2, 3]]]
    tested = end.average.arm
    for arm in arms:
        for part in (4, 5, 6):
            made.done(Job(arm, part, 9.0), 0.8, 1.0)
    assert made.level() == [1, 2, 3]
    end.run.spent = 99.0
    end.average.validate(made)
    assert end.average.closed
    assert asked[-1]["fixed"]
    assert asked[-1]["rounds"] == [[1, 2, 3], [4, 5, 6]]
    assert made.level() == [1, 2, 3, 4, 5, 6]
    assert end.average.arm is tested
    assert made.leaders()[0] is tested
