"""The end of a race: the best methods are tested, one of them is chosen, the page is written and the model is kept.

The search ends early enough for it: the time of the last fits is predicted by those before.  The test of the best
method measures them; what was kept free beyond that goes back to the search, and a new best method is tested in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textmix.core.errors import LEFT_BEHIND, OUT_OF_TIME, ConfigError, MissingResult
from textmix.race.arms import GROWTH, Race
from textmix.race.averaging import AVERAGE, MOST_PARTS, AverageArm, Averaging
from textmix.race.remarks import encoded, said_of_encoder, said_of_unused
from textmix.race.runners import Arm, Job, Runner
from textmix.race.state import Outcome, Row
from textmix.race.views import ENCODER, VIEWS

if TYPE_CHECKING:
    from textmix.race.run import Run

#: Seconds of the processor that the page takes, and that are kept free besides.
PAGE, SPARE = 1.5, 0.5
#: Time of the counting of all texts for the model, as a share of that for the search, which also wrote the counts.
COUNTED = 0.8
#: Fits of a calibrated method in place of one: that on all documents, and those on the parts that calibrate.
CALIBRATED = 6.0
#: Shares of the training documents of the learning curve where there is time for it, and where there is not.
CURVE, BRIEF = (0.125, 0.25, 0.5, 1.0), (1.0,)
#: Methods that are tested beside the best one, where there is time, and the share of the time that they may take.
TESTED, TESTING = 5, 0.1
#: Time of a look for wrong labels, in fits: three folds, each of two thirds of the documents, and their predictions.
DOUBTS = 2.5
#: Share of the time left after which a test beside is stopped; one that does not hear of it is ended a little later.
BESIDE = 0.8
#: Least seconds that a last step may take, so that a race that is late still ends with a model.
LEAST = 20.0
#: Share of the whole time below which nothing goes back to the search, and seconds below which it could fit nothing.
BACK, SHORT = 0.02, 0.3
#: Order -> what it is called where the seconds of the processor are listed; of the others see `textmix.race.run`.
WORK = {
    **{"average": "validation of averages", "choose": "choice, curve and words", "curve": "curve of the average"},
    **{"doubts": "doubted labels", "keep": "model", "page": "page"},
}
#: Fits and their predictions: of the search, and on all training documents.
FITS, TESTS = "fits of the search", "fits of the tests"
#: Seconds below which nothing optional begins.
BRIEFEST = 0.5


class Ending:
    """The last steps of a race, and how long they take.

    Parameters
    ----------
    run : the race.
    """

    def __init__(self, run: Run) -> None:
        self.run, self.options, self.workers = run, run.options, run.workers
        self.average = Averaging(run, self)
        #: Method -> its arm that was tested last, and the order of the test.
        self.tested: dict[str, tuple[Arm, dict[str, Any]]] = {}
        #: Method and arm -> processor seconds of its test.
        self.measured: dict[tuple[str, str], float] = {}

    def begins(self) -> float:
        """Return when the search has to end, seconds since the beginning of the race."""
        leaders = self.run.race.leaders() if self.run.race is not None else []
        if not leaders:
            return self.options.seconds - PAGE - SPARE
        first = leaders[0]
        testing = 0.0 if self._is_tested(first) else self.final(first)
        average = self.average.candidate()
        after = self.after(first)
        if average is not None:
            after, testing = max(after, self.after(average)), max(testing, self.final(average))
        if not self.tested:
            beside = sum(self.final(arm) for arm in leaders[1:TESTED]) / self.options.workers
            testing += min(beside, TESTING * self.options.seconds)
        return self.options.seconds - testing - after

    def gives_back(self) -> bool:
        """Return whether the tests left enough of the time for more of the search."""
        left = self.begins() - self.run.spent
        return not self.run.interrupted and left > max(BACK * self.options.seconds, SHORT * self.run.pace)

    def _is_tested(self, arm: Arm) -> bool:
        """Return whether an arm was tested, and no other one of its method after it."""
        return arm.method in self.tested and self.tested[arm.method][0] is arm

    def final(self, arm: Arm, documents: int | None = None) -> float:
        """Return the predicted seconds of the last fit of an arm, with its calibration, to the training documents."""
        measured = self.measured.get((arm.method, arm.name)) if arm.name else None
        if measured is not None:
            share = (documents or self.run.n_train) / self.run.n_train
            return float(self.run.pace * measured * share**GROWTH)
        if isinstance(arm, AverageArm):
            return sum(sorted(self.plain(part, documents) for part in arm.parts)[-MOST_PARTS:])
        calibrated = self.run.entries[arm.method]["params"].get("calibrate", False)
        return self.plain(arm, documents) * (CALIBRATED if calibrated else 1.0)

    def plain(self, arm: Arm, documents: int | None = None) -> float:
        """Return the predicted seconds of the last fit of an arm without calibration."""
        known = None if self.run.race is None else self.run.race.at_most(arm, documents or self.run.n_train)
        return known or 0.0

    def after(self, arm: Arm) -> float:
        """Return the seconds from the test of the chosen arm to the end: the model, and then the page."""
        documents = self.run.corpus.n_documents
        counting = self.counting(arm.parts if isinstance(arm, AverageArm) else [arm])
        return self.final(arm, documents) + counting + self._page()

    def counting(self, arms: Sequence[Arm]) -> float:
        """Return the seconds in which the texts of all documents are counted for the models of some arms."""
        seconds = sorted(self.run.counted.get(arm.choice["view"], 0.0) for arm in arms)
        return COUNTED * self.run.pace * sum(seconds[-MOST_PARTS:])

    def _page(self) -> float:
        """Return the seconds of the page, and from there to the end."""
        # Beside one process of the race and not two, other programs leave it more of its core.
        pace = self.run.pace - 0.5 if self.options.workers > 1 else self.run.pace
        return (PAGE + SPARE) * max(pace, 1.0)

    def test(self) -> None:
        """Test the best methods, but for those whose best arm was tested before.

        Raises
        ------
        ConfigError : no method has a score.
        MissingResult : no method could be tested.
        """
        race = self.run.race
        leaders = race.leaders() if race is not None else []
        if race is None or not leaders:
            raise ConfigError(
                f"no method had a score after {self.run.spent:.0f} s; give more time, such as --time "
                f"{max(60, 2 * round(self.options.seconds))}s"
            )
        self.run.stage = "testing the best methods"
        self.average.validate(race)
        self._test(race, race.leaders())
        if not self.tested:
            raise MissingResult(f"{leaders[0].method} could not be tested; give more time")

    def finish(self) -> Outcome:
        """Choose among the tested methods, write the page and keep the model.

        Raises
        ------
        MissingResult : a last step failed.
        """
        run, race = self.run, self.run.race
        if race is None:
            raise MissingResult("no method was tested; give more time")
        run.stage = "page and model"
        arms, finished = self._finished(race)
        if self.options.never_empty and arms[0].method != AVERAGE:
            run.remarks.append("No thresholds could be fitted in time, so that a text may get no label.")
        choice = self._chosen(race, arms[0], finished)
        limit = LEAST + 2 * self._page()
        without = self._without(race, finished)
        times = {
            "budget": f"{self.options.seconds:.0f} s",
            "ended by its user": "yes" if run.interrupted else "no",
        }
        took = {"start of the workers": self.workers.started, **run.took}
        took["reading, deciding and showing"] = run.own_seconds
        processor = {work: f"{seconds:.1f} s" for work, seconds in took.items()}
        provenance = {"Time": times, "Processor time, of what was stopped too": processor}
        run.remarks += [*said_of_unused(run, race, self.begins()), *said_of_encoder(run, race)]
        page = {
            "do": "page",
            "finished": finished,
            "without": without,
            "provenance": provenance,
            "remarks": [*run.remarks, *self.average.said(finished[0]["method"], self.options.metric)],
        }
        self.all([page], limit)
        spent = self.workers.cpu_seconds + run.own_seconds
        took = {**took, **run.took, "reading, deciding and showing": run.own_seconds}
        chosen = next(arm for arm in arms if arm.method == choice["method"])
        if encoded(chosen):
            choice = {**choice, "encoder": self.options.encoder}
        return Outcome(self.workers.folder, choice, run.rows(), without, run.interrupted, spent, run.fit_seconds, took)

    def _finished(self, race: Race) -> tuple[list[Arm], list[dict[str, Any]]]:
        """Return the tested arms that are the best ones of their methods, and the orders of their tests."""
        best = [arm for arm in race.leaders() if self._is_tested(arm)]
        if self.options.never_empty and any(arm.method == AVERAGE for arm in best):
            best = [arm for arm in best if arm.method == AVERAGE]
        arms = best or [arm for arm, _ in self.tested.values()]
        level = race.level() if best else next(parts for parts in race.levels() if race.has(arms[0], parts))
        validated = [self.run.sign * arm.mean(level) for arm in arms]
        orders = [self.tested[arm.method][1] for arm in arms]
        return arms, [{**order, "validation": value} for order, value in zip(orders, validated, strict=True)]

    def _chosen(self, race: Race, best: Arm, finished: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the answer of the choice among the tested methods, and keep the chosen one.

        A look into it, its learning curve and a look for wrong labels go beside, until the page has to begin.

        Parameters
        ----------
        race : of the arms.
        best : the first of the tested arms.
        finished : the orders of the tests.
        """
        order = {"do": "choose", "finished": finished, "where": self._where(race)}
        choice = self.all([{**order, "shares": ()}], LEAST)["choose"]
        page = self.options.seconds - self._page()
        if self.run.interrupted:
            page = min(page, self.run.spent + 2 * self.after(best))
        left, final = page - self.run.spent, self.final(best)
        whole, calm = final * (1 + sum(CURVE[:-1])) < left, not self.run.interrupted
        look = list[dict[str, Any]]()
        if best.method == AVERAGE:
            look += [{"do": "curve", "finished": finished[:1], "shares": CURVE[:-1]}] * (whole and calm)
        else:
            look += [{**order, "shares": CURVE if whole and calm else BRIEF}] * (final < left)
        free = best.method == AVERAGE or DOUBTS * final < left
        look += [{"do": "doubts", "finished": finished[:1], "folds": race.folds}] * (free and calm)
        limit = LEAST + 2 * self.after(best)
        self.all(
            [{"do": "keep", "finished": finished}, *look], limit, dict.fromkeys(("choose", "curve", "doubts"), page)
        )
        return choice

    def _where(self, race: Race) -> str:
        """Return on which documents the methods were validated, in words."""
        level, n_folds = race.level(), len(race.folds)
        if level == race.folds:
            return f"in cross-validation over {n_folds} folds of the training documents"
        if len(level) > n_folds:
            return f"in {race.times(level)} cross-validations over {n_folds} folds of the training documents"
        return (
            "on one fold of the training documents" if level == [race.screen] else "on a part of the training documents"
        )

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

    def _test(self, race: Race, leaders: Sequence[Arm]) -> None:
        """Fit the best arms to the training documents and predict the test documents.

        The best one by validation is always tested, and the next one in its place should it fail; the further ones
        only while there is time.
        """
        waiting = [number for number, arm in enumerate(leaders) if not self._is_tested(arm)]
        pending, safe = set[Any](), self._is_tested(leaders[0])
        while waiting or pending:
            while waiting and self.workers.free:
                number, needed = waiting[0], not safe and not pending
                if not safe and not needed and self._is_late(leaders, number):
                    break  # it may be needed in place of the one that is being tested
                waiting.pop(0)
                if needed or not self._is_late(leaders, number):
                    limit = self._limit(leaders, number, last=not waiting) if needed else self._beside(leaders)
                    self.workers.give(number, self._order(race, leaders[number]), limit)
                    pending.add(number)
            for number, answer in self._answers(pending):
                safe = self._take(race, leaders[number], answer) or safe

    def _take(self, race: Race, arm: Arm, answer: Mapping[str, Any]) -> bool:
        """Take note of the answer to a test; return whether it ended well."""
        self.run.took[TESTS] += answer["cpu_seconds"]
        if "reason" in answer:
            race.runners[arm.method].reason = str(answer["reason"])
            return False
        self.tested[arm.method] = arm, self._order(race, arm)
        self.measured[arm.method, arm.name] = answer["cpu_seconds"]
        return True

    def _limit(self, leaders: Sequence[Arm], number: int, *, last: bool) -> float:
        """Return the seconds of a test that has to end well; where another method can take its place, they are few."""
        final = self.final(leaders[number])
        if last:
            return LEAST + 4 * final
        return max(self.options.seconds - self.run.spent - self.after(leaders[number]), 1.5 * final + self.run.pace)

    def _beside(self, leaders: Sequence[Arm]) -> float:
        """Return the seconds of a test beside the best method."""
        return max(BESIDE * (self.options.seconds - self.run.spent - self.after(leaders[0])), 0.1)

    def _order(self, race: Race, arm: Arm) -> dict[str, Any]:
        """Return the order that tests an arm."""
        if arm.method == AVERAGE:
            more = {"choice": {}, "point": self.average.found, "name": arm.name}
        else:
            more = {"choice": arm.choice, "point": arm.point, "name": arm.name}
        return {
            **{"do": "finish", "method": arm.method, **more},
            "validation": self.run.sign * arm.mean(race.level()),
            # Of equal scores the quicker method is chosen: an average took the search of all its parts.
            "seconds": sum(race.runners[method].clock for method in _methods(arm)),
            "cpu_seconds": self.run.cost.get(arm.method, 0.0),
        }

    def _is_late(self, leaders: Sequence[Arm], number: int) -> bool:
        """Return whether there is no time to test an arm beside the best one."""
        left = self.options.seconds - self.run.spent - self.after(leaders[0])
        return self.run.interrupted or number >= 2 * TESTED or self.final(leaders[number]) > left

    def _answers(self, pending: set[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield (token, answer) of the pending orders that ended, and take them out; then show the state.

        What is left of the search may end meanwhile, and nobody waits for it: a view or a fit that was stopped.
        """
        for token, answer in self.workers.wait(0.25):
            if isinstance(token, Job) or token not in pending:
                if isinstance(token, Job) and self.run.race is not None:
                    self.run.took[FITS] += answer["cpu_seconds"]
                    self.run.race.forget(token)
                elif token in (*VIEWS, ENCODER):
                    self.run.view_counted(token, answer, stopped=True)
                continue
            pending.discard(token)
            self.run.last.append((answer["seconds"], answer["cpu_seconds"]))
            yield token, answer
        self.run.watch(self.run.state())

    def all(
        self, orders: Sequence[Mapping[str, Any]], limit: float, optional: Mapping[str, float] | None = None
    ) -> dict[str, dict[str, Any]]:
        """Do some orders side by side and return their answers by what they do.

        Parameters
        ----------
        orders : each of another kind.
        limit : seconds that one may take.
        optional : kind -> when an order that may fail has to end, seconds since the beginning of the race.

        Raises
        ------
        MissingResult : one of them failed that is not optional.
        """
        waiting, pending, answers = list(orders), set[Any](), dict[str, dict[str, Any]]()
        optional = optional or {}
        while waiting or pending:
            while waiting and self.workers.free:
                order = waiting.pop(0)
                left = optional[order["do"]] - self.run.spent if order["do"] in optional else limit
                if order["do"] in optional and left < BRIEFEST:
                    continue
                self.workers.give(order["do"], order, left)
                pending.add(order["do"])
            for token, answer in self._answers(pending):
                if "reason" in answer and token not in optional:
                    raise MissingResult(f"{token}: {answer['reason']}")
                self.run.took[WORK.get(token, token)] += answer["cpu_seconds"]
                answers[token] = answer
        return answers


def _methods(arm: Arm) -> list[str]:
    """Return the methods on whose searches an arm rests: its own, and those of the parts of an average."""
    parts = arm.parts if isinstance(arm, AverageArm) else []
    return list(dict.fromkeys([arm.method, *(part.method for part in parts)]))
