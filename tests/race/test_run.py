"""The views of a race: one that fails leaves the reason why, and one that the end of the search stopped is put back."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.race.judge import Results, verdict
from tests.race.test_finish import ending
from textmix.core.errors import OUT_OF_TIME, ConfigError
from textmix.race.run import Run
from textmix.race.state import Options
from textmix.race.worker import answer

#: What a worker answers where counting failed, was stopped at its limit, or did not hear of it.
FAILED = {"reason": "its counting failed: no such letter.", "seconds": 1.0, "cpu_seconds": 1.0}
STOPPED = {"reason": f"{OUT_OF_TIME}its counting was stopped after 3.0 s; give it more time", "cpu_seconds": 1.0}
LATE = {"reason": "was ended after 3.0 s; give it more time", "late": True, "cpu_seconds": 1.0}
DEAD = {"reason": "its process ended, most likely for want of memory", "late": False, "cpu_seconds": 1.0}


def run() -> Run:
    """Return a race that has not begun, with two views to count."""
    workers: Any = SimpleNamespace(folder=None)
    corpus: Any = SimpleNamespace(label_names=["a", "b"])
    options = Options(60.0, "single", "accuracy", 2)
    made = Run(corpus, options, workers, began=time.monotonic(), used=0.0, watch=lambda state: None)
    made.views = ["characters"]
    return made


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (FAILED, "The view long_characters was left out: its counting failed: no such letter."),
        (DEAD, "The view long_characters was left out: its process ended, most likely for want of memory."),
        (STOPPED, "The view long_characters was left out, for its counting did not end in its share of the time."),
        (LATE, "The view long_characters was left out, for its counting did not end in its share of the time."),
    ],
)
def test_the_page_says_why_a_view_was_left_out(found: dict[str, Any], said: str) -> None:
    made = run()
    made.view_counted("long_characters", found, stopped=False)
    assert made.remarks == [said]
    assert verdict(said, Results({}, *({}, {}, np.array([True]), [], [], [], {})))
    assert made.views == ["characters"]


@pytest.mark.parametrize("found", [FAILED, STOPPED, LATE])
def test_a_view_that_the_end_of_the_search_stopped_is_counted_again(found: dict[str, Any]) -> None:
    made = run()
    made.view_counted("bigrams", found, stopped=True)
    assert (made.views, made.remarks) == (["bigrams", "characters"], [])


def test_a_view_that_ends_during_the_tests_is_not_lost() -> None:
    answers = [("bigrams", STOPPED), ("trigrams", {"width": 7, "cpu_seconds": 2.0}), (0, {"seconds": 1.0, **FAILED})]
    made = run()
    more = {name: getattr(made, name) for name in ("view_counted", "views", "remarks")}
    end = ending(None, workers=SimpleNamespace(wait=lambda seconds: answers), **more)
    assert [token for token, _ in end._answers({0})] == [0]
    assert (made.views, made.widths, made.counted) == (["bigrams", "characters"], {"trigrams": 7}, {"trigrams": 2.0})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (FAILED, "the view words: its counting failed: no such letter; what the worker wrote .*textmix-workers.log"),
        (DEAD, "the view words: its process ended, most likely for want of memory; what the worker wrote before"),
        (STOPPED, "the words could not be counted within 0 s; give more time, such as --time 120s"),
    ],
)
def test_without_words_the_race_ends_with_the_reason(found: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        run().view_counted("words", found, stopped=False)


def test_a_worker_says_that_its_counting_failed() -> None:
    def fail(order: Any) -> Any:
        """Fail as a tokenizer does."""
        raise ValueError("no such\nletter")

    worker: Any = SimpleNamespace(**dict.fromkeys(("count", "fit", "finish", "choose", "page", "keep"), fail))
    assert answer(worker, {"do": "count", "view": "bigrams"})["reason"] == "its counting failed: no such letter"
