"""The end of a race: the best methods are tested, one of them is chosen, the page is written and the model is kept.

The search ends early enough for it: the time of the last fits is predicted by those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textmix.core.errors import LEFT_BEHIND, OUT_OF_TIME, ConfigError, MissingResult
from textmix.race.arms import Race
from textmix.race.runners import Arm, Job, Runner
from textmix.race.state import Outcome, Row

if TYPE_CHECKING:
    from textmix.race.run import Run

#: Seconds of the processor that the page takes, and that are kept free besides.
PAGE, SPARE = 1.5, 0.5
#: Fits of a calibrated method in place of one: that on all documents, and those on the parts that calibrate.
CALIBRATED = 6.0
#: Shares of the training documents of the learning curve where there is time for it, and where there is not.
CURVE, BRIEF = (0.125, 0.25, 0.5, 1.0), (1.0,)
#: Methods that are tested beside the best one, where there is time, and the share of the time that they may take.
TESTED, TESTING = 5, 0.1
#: Time of a look for wrong labels, in fits: three folds, each of two thirds of the documents, and their predictions.
DOUBTS = 2.5
#: Share of the time that is kept for it at most.
LOOK = 0.05
#: Share of the time left after which a test beside is stopped; one that does not hear of it is ended a little later.
BESIDE = 0.8
#: Least seconds that a last step may take, so that a race that is late still ends with a model.
LEAST = 20.0


class Ending:
    """What is left to do at the end of a race, and how long it takes.

    Parameters
    ----------
    run : the race.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.options, self.workers = run, run.options, run.workers

    def begins(self) -> float:
        """Return when the search has to end, seconds since the beginning of the race."""
        leaders = self.run.race.leaders() if self.run.race is not None else []
        if not leaders:
            return self.options.seconds - PAGE - SPARE
        first = leaders[0]
        beside = sum(self._final(arm) for arm in leaders[1:TESTED]) / self.options.workers
        testing = self._final(first) + min(beside, TESTING * self.options.seconds)
        return self.options.seconds - testing - self._look(first) - self._after(first)

    def _look(self, arm: Arm) -> float:
        """Return the seconds that a look for wrong labels takes beyond the choice beside it; 0 where it is too dear."""
        final = self._final(arm)
        if DOUBTS * final > LOOK * self.options.seconds:
            return 0.0
        return (DOUBTS - (self.options.workers > 1)) * final

    def _final(self, arm: Arm, documents: int | None = None) -> float:
        """Return the predicted seconds of the last fit of an arm, with its calibration, to the training documents."""
        calibrated = self.run.entries[arm.method]["params"].get("calibrate", False)
        known = None if self.run.race is None else self.run.race.at_most(arm, documents or self.run.n_train)
        return (known or 0.0) * (CALIBRATED if calibrated else 1.0)

    def _after(self, arm: Arm) -> float:
        """Return the seconds from the test of the chosen arm to the end: choice and look, then page beside model."""
        documents = self.run.corpus.n_documents
        model = self._final(arm, documents) + 1.2 * self.run.pace * self.run.counted.get(arm.choice["view"], 0.0)
        page = PAGE * self.run.pace
        both = max(model, page) if self.options.workers > 1 else model + page
        return self._final(arm) + both + SPARE * self.run.pace

    def finish(self) -> Outcome:
        """Test the best methods, choose, write the page and keep the model.

        Raises
        ------
        ConfigError : no method has a score.
        MissingResult : no method could be tested, or a last step failed.
        """
        run, race = self.run, self.run.race
        leaders = race.leaders() if race is not None else []
        if race is None or not leaders:
            raise ConfigError(
                f"no method had a score after {run.spent:.0f} s; give more time, such as --time "
                f"{max(60, 2 * round(self.options.seconds))}s"
            )
        run.stage = "testing the best methods"
        finished = self._test(race, leaders)
        run.stage = "page and model"
        best = next(arm for arm in leaders if arm.method == finished[0]["method"])
        curve = sum(CURVE[:-1]) * self._final(best)
        whole = self._after(best) + curve < self.options.seconds - run.spent and not run.interrupted
        limit = LEAST + 2 * self._after(best)
        order = {"do": "choose", "finished": finished, "shares": CURVE if whole else BRIEF, "where": self._where(race)}
        spare = self._spare(best)
        doubts = [{"do": "doubts", "finished": finished[:1]}] if spare else []
        choice = self._all([*doubts, order], limit, {"doubts": spare})["choose"]
        without = self._without(race, finished)
        times = {
            "budget": f"{self.options.seconds:.0f} s",
            "ended by its user": "yes" if run.interrupted else "no",
        }
        processor = {
            "fits of search and test, those that were stopped too": f"{run.fit_seconds:.1f} s",
            "workers, up to this page": f"{self.workers.cpu_seconds:.1f} s",
        }
        provenance = {"Time": times, "Processor time": processor}
        page = {
            "do": "page",
            "finished": finished,
            "without": without,
            "provenance": provenance,
            "remarks": run.remarks,
        }
        self._all([{"do": "keep", "finished": finished}, page], limit)
        spent = self.workers.cpu_seconds
        return Outcome(self.workers.folder, choice, run.rows(), without, run.interrupted, spent, run.fit_seconds)

    def _where(self, race: Race) -> str:
        """Return on which documents the methods were validated, in words."""
        level = race.level()
        if level == race.folds:
            return f"in cross-validation over {len(level)} folds of the training documents"
        return (
            "on one fold of the training documents" if level == [race.screen] else "on a part of the training documents"
        )

    def _spare(self, best: Arm) -> float:
        """Return the seconds that a look for wrong labels may take beside the choice; 0 where there are too few."""
        left = self.options.seconds - self.run.spent - self._after(best)
        if self.options.workers > 1:
            left += self._final(best)
        return left if left > DOUBTS * self._final(best) and not self.run.interrupted else 0.0

    def _without(self, race: Race, finished: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Return method -> the reason why it was not tested, one sentence, of all other methods."""
        tested, rows = {each["method"] for each in finished}, {row.method: row for row in self.run.rows()}
        left = [runner for runner in race.runners.values() if runner.name not in tested]
        return {**self.run.without, **{runner.name: self._reason(runner, rows.get(runner.name)) for runner in left}}

    def _reason(self, runner: Runner, row: Row | None) -> str:
        """Return why a method was not tested, one sentence; ``row`` is None where it has no score."""
        if row is None:
            return runner.reason or f"{OUT_OF_TIME}{runner.name} was not tried; give it more time"
        return f"{LEFT_BEHIND}{runner.name} had {self.options.metric.replace('_', ' ')} {row.value:.3f} {row.where}"

    def _test(self, race: Race, leaders: Sequence[Arm]) -> list[dict[str, Any]]:
        """Fit the best arms to the training documents and predict the test documents; return the orders that ended.

        The best one by validation is always tested, and the next one in its place should it fail; the further ones
        only while there is time.
        """
        orders, done = [self._order(race, arm) for arm in leaders], dict[int, bool]()
        waiting, pending = list(range(len(orders))), set[Any]()
        while waiting or pending:
            while (
                waiting and self.workers.free and not (waiting[0] and not done and self._is_late(leaders, waiting[0]))
            ):
                number = waiting.pop(0)
                needed = not any(done.values()) and not pending
                left = self.options.seconds - self.run.spent - self._after(leaders[0])
                if needed:
                    self.workers.give(number, orders[number], LEAST + 4 * self._final(leaders[number]))
                    pending.add(number)
                elif not self._is_late(leaders, number):
                    self.workers.give(number, orders[number], max(BESIDE * left, 0.1))
                    pending.add(number)
            for token, answer in self._answers(pending):
                done[token] = "reason" not in answer
                self.run.fit_seconds += answer["cpu_seconds"]
                if "reason" in answer:
                    race.runners[leaders[token].method].reason = str(answer["reason"])
        ended = [orders[number] for number in sorted(done) if done[number]]
        if not ended:
            raise MissingResult(f"{leaders[0].method} could not be tested; give more time")
        return ended

    def _order(self, race: Race, arm: Arm) -> dict[str, Any]:
        """Return the order that tests an arm."""
        return {
            **{"do": "finish", "method": arm.method, "choice": arm.choice, "point": arm.point},
            "validation": self.run.sign * arm.mean(race.level()),
            "seconds": race.runners[arm.method].clock,
            "cpu_seconds": self.run.cost.get(arm.method, 0.0),
        }

    def _is_late(self, leaders: Sequence[Arm], number: int) -> bool:
        """Return whether there is no time to test an arm beside the best one."""
        left = self.options.seconds - self.run.spent - self._after(leaders[0])
        return self.run.interrupted or number >= 2 * TESTED or self._final(leaders[number]) > left

    def _answers(self, pending: set[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield (token, answer) of the pending orders that ended, and take them out; then show the state.

        What is left of the search may end meanwhile, and nobody waits for it.
        """
        for token, answer in self.workers.wait(0.25):
            if isinstance(token, Job) or token not in pending:
                self.run.fit_seconds += answer["cpu_seconds"] * isinstance(token, Job)
                continue
            pending.discard(token)
            yield token, answer
        self.run.watch(self.run.state())

    def _all(
        self, orders: Sequence[Mapping[str, Any]], limit: float, optional: Mapping[str, float] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Do some orders side by side and return their answers by what they do.

        Parameters
        ----------
        orders : each of another kind.
        limit : seconds that one may take.
        optional : kind -> seconds of orders that may fail.

        Raises
        ------
        MissingResult : one of them failed that is not optional.
        """
        waiting, pending, answers = list(orders), set[Any](), dict[str, dict[str, Any]]()
        optional = optional or {}
        while waiting or pending:
            while waiting and self.workers.free:
                order = waiting.pop(0)
                self.workers.give(order["do"], order, optional.get(order["do"], limit))
                pending.add(order["do"])
            for token, answer in self._answers(pending):
                if "reason" in answer and token not in optional:
                    raise MissingResult(f"{token}: {answer['reason']}")
                answers[token] = answer
        return answers
