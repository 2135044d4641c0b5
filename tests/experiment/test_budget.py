"""The time budget: a method without time leaves its reason, and one without a limit does not."""

from __future__ import annotations

import contextlib
import signal
import time

import pytest

from textmix.core.errors import OUT_OF_TIME, ConfigError, MissingResult
from textmix.experiment import budget
from textmix.experiment.budget import LEAST, check_pace, seconds_left, seconds_of, time_limit


def test_the_budget_is_a_minute_a_thousand_documents_unless_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1100.0)
    assert seconds_left(0, 0.0, 10) is None
    assert seconds_left(0, 50.0, 10) == 50.0
    assert seconds_left(1000.0, 250.0, 10) == 75.0
    assert seconds_left(1000.0, 0.0, 10) == (LEAST - 100.0) / 2
    assert seconds_left(1000.0, 0.0, 20_000) == 550.0


def test_a_costly_method_leaves_half_of_the_time_to_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    assert seconds_left(1000.0, 100.0, 10, cheap=True) == 50.0
    assert seconds_left(900.0, 100.0, 10, cheap=True) == 25.0
    taken = []
    while seconds := seconds_left(1000.0, 100.0, 10):
        taken.append(seconds)
        clock[0] += seconds
    assert taken == [50.0, 25.0, 12.5, 6.25, 3.125]


def test_a_method_is_not_tried_without_time_and_stopped_when_the_time_is_up() -> None:
    with pytest.raises(MissingResult, match=f"^{OUT_OF_TIME}edcm was not tried"), time_limit(0.0, "edcm"):
        raise AssertionError
    handler = signal.getsignal(signal.SIGALRM)
    with pytest.raises(MissingResult, match="edcm was stopped after"), time_limit(0.01, "edcm"):
        signal.pause()
    assert signal.getsignal(signal.SIGALRM) is handler
    with time_limit(None, "edcm"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_time_of_a_method_is_that_of_the_processor() -> None:
    handler = signal.getsignal(signal.SIGPROF)
    with time_limit(0.01, "edcm", of_run=False):
        time.sleep(0.05)
    with (
        pytest.raises(MissingResult, match="edcm takes more than 0 s of the processor"),
        time_limit(0.01, "edcm", of_run=False),
    ):
        while True:
            pass
    assert signal.getsignal(signal.SIGPROF) is handler
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_an_error_that_hides_the_end_of_the_time_is_no_fault_of_the_method() -> None:
    with pytest.raises(MissingResult, match="edcm was stopped after") as caught, time_limit(0.01, "edcm"):
        try:
            signal.pause()
        except MissingResult as error:
            raise SystemError("a compiled function returned a result with an exception set") from error
    assert isinstance(caught.value.__cause__, SystemError)
    with pytest.raises(SystemError, match="of the method"), time_limit(60.0, "edcm"):
        raise SystemError("of the method")


def test_a_block_that_drops_the_end_of_the_time_is_ended_by_the_next_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "AGAIN", 0.01)
    with pytest.raises(MissingResult, match="edcm was stopped after"), time_limit(0.01, "edcm"):
        with contextlib.suppress(MissingResult):
            signal.pause()
        signal.pause()


def test_a_search_that_cannot_end_in_time_is_stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    check_pace(1, 1000)
    with time_limit(100.0, "edcm"):
        clock[0] = 9.0
        check_pace(1, 1000)
        clock[0] = 20.0
        check_pace(2, 30)
        with pytest.raises(MissingResult, match=f"^{OUT_OF_TIME}edcm was stopped after 20 s, for its search .* 310 s"):
            check_pace(2, 31)
    with time_limit(1.0, "edcm", of_run=False):
        check_pace(2, 31)
    check_pace(2, 31)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (90, 90),
        ("90", 90),
        ("10 min", 600),
        ("10min", 600),
        ("1.5 h", 5400),
        ("2 hours", 7200),
        (" 30s ", 30),
        (0.5, 0.5),
    ],
)
def test_a_time_is_read_as_people_write_it(said: float | str, seconds: float) -> None:
    assert seconds_of(said) == seconds


@pytest.mark.parametrize("said", ["", "soon", "10 minuts", "-5", "1:30", "ten"])
def test_a_time_that_is_none_gets_a_sentence_with_an_example(said: str) -> None:
    with pytest.raises(ConfigError, match=r"is no time; write a number and s, min or h, such as 10 min$"):
        seconds_of(said)
