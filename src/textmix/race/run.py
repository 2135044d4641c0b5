"""One race from a corpus to a folder: page, tables and model, within a time.

The process of the race reads, decides and shows; the workers (`textmix.race.worker`) count and fit.  Time is that of
the clock, for which the user waits.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from textmix.core.errors import OUT_OF_TIME, ConfigError
from textmix.core.io import write_json
from textmix.data.corpus import Corpus
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.splits import make_splits
from textmix.metrics.table import METRICS
from textmix.race.arms import FIRST, Race
from textmix.race.finish import FITS, TESTS, Ending
from textmix.race.runners import Job, Runner
from textmix.race.standing import TRY
from textmix.race.state import Options, Outcome, Row, State
from textmix.race.views import ENCODER, FURTHER, VIEWS, choices_of, entry_of
from textmix.race.workers import Workers, log_of_failure

#: The split of data that come without one.
SPLIT = {"kind": "random", "train": 0.8, "trials": 1, "stratified": True}
#: The views that are counted first; the others follow in their order.
EARLY = ("words", "bigrams", "characters")
#: Share of the time that the counting of one view may take.
COUNTING = 0.25
#: Families without part in an average: a prediction of theirs costs as much as a fit, or says nothing of a text.
UNAVERAGED = ("nearest neighbours", "baseline", "hidden Markov model")
#: Most bytes of held-out scores on the disk, and bytes of one of them.
MOST_HELD, SCORE = 2**31, 4
#: Number of last fits that tell how much of the processor other programs leave.
RECENT = 12


class Run:
    """A race under way.

    Parameters
    ----------
    corpus : the documents with their texts.
    options : what is asked for.
    workers : started already, with the folder of the race.
    began : when the race began, of the monotonic clock.
    used : seconds of the processor that this process had used before.
    watch : is called with the `State` now and then.
    """

    def __init__(
        self,
        corpus: Corpus,
        options: Options,
        workers: Workers,
        *,
        began: float,
        used: float,
        watch: Callable[[State], None],
    ) -> None:
        self.corpus, self.options, self.workers, self.began, self.watch = corpus, options, workers, began, watch
        self.used = used
        self.methods: dict[str, Method] = {
            name: method for name, method in load_methods().items() if method.task == options.task
        }
        self.entries = {name: entry_of(method, options.encoder) for name, method in self.methods.items()}
        self.without: dict[str, str] = {}
        self.race: Race | None = None
        self.widths: dict[str, int] = {}
        self.counted: dict[str, float] = {}
        self.remarks: list[str] = []
        self.cost: dict[str, float] = {}
        #: Work of the workers -> seconds of the processor, those of what failed too.
        self.took: Counter[str] = Counter()
        #: Seconds by the clock and of the processor of the last fits.
        self.last: deque[tuple[float, float]] = deque(maxlen=RECENT)
        self.interrupted, self.stopping = False, False
        #: Bytes of the scores of held-out documents so far.
        self.held = 0
        self.sign = -1.0 if METRICS[options.metric].loss else 1.0
        self.n_train = 0
        self.stage = "counting words"
        self.ending = Ending(self)
        #: Views that are not counted yet, and those that are counted when the best arms of the others have their folds.
        self.views: list[str] = []
        self.later: list[str] = []

    @property
    def spent(self) -> float:
        """Seconds since the race began."""
        return time.monotonic() - self.began

    @property
    def fit_seconds(self) -> float:
        """Seconds of the processor of the fits of search and tests."""
        return self.took[FITS] + self.took[TESTS]

    @property
    def own_seconds(self) -> float:
        """Seconds of the processor of this process since the race began."""
        return time.process_time() - self.used

    @property
    def pace(self) -> float:
        """Seconds by the clock for a second of the processor, at least 1; more where other programs run beside.

        It is that of the last fits, for other programs come and go.
        """
        clock, processor = (sum(each) for each in zip(*self.last, strict=True)) if self.last else (0.0, 0.0)
        return max(clock / processor, 1.0) if processor else 1.0

    def run(self) -> Outcome:
        """Search, finish and write.

        Raises
        ------
        ConfigError : no method has a score within the time.
        """
        folder = self.workers.folder
        options = self.options
        self.corpus.save(folder / "parsed", {})
        split = SPLIT if self.corpus.split is None else {"kind": "given"}
        splits = make_splits(self.corpus, split, options.seed, "race", None)
        splits.save(folder / "splits", {})
        self.n_train = len(splits.train[0])
        settings: dict[str, Any] = {
            **{"name": self.corpus.name, "task": options.task, "metric": options.metric, "seed": options.seed},
            **{
                "never_empty": options.never_empty,
                "encoder": options.encoder,
                "model": options.model,
                "source": options.source,
                "title": options.title,
                "about": dict(options.about),
            },
        }
        write_json(folder / "race.json", settings)
        self.views = self._views()
        with self._until_interrupted():
            more = self._search()
            self._end_fits()
            self.ending.test()
            while more and self.ending.gives_back():
                more = self._search()
                self._end_fits()
                self.ending.test()
        return self.ending.finish()

    def _end_fits(self) -> None:
        """Stop the fits under way; one that does not hear of it is ended while the others go on."""
        self.workers.interrupt()
        self.stopping = True
        while not self.workers.free:
            self._receive(0.1)
        self.stopping = False

    @contextmanager
    def _until_interrupted(self) -> Iterator[None]:
        """Let the first ^C end the search, and each further one the process."""
        before = signal.getsignal(signal.SIGINT)

        def stop(number: int, frame: FrameType | None) -> None:
            """Take note, and give the next ^C its usual meaning."""
            self.interrupted = True
            signal.signal(signal.SIGINT, before)

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    # --- the search ------------------------------------------------------------------------------------------------

    def _search(self) -> bool:
        """Count views and fit arms until the time of the search is up; return whether something promising is left."""
        while self.spent < self.ending.begins() and not self.interrupted:
            while self.workers.free and self._give():
                pass
            waiting = self.race is None or self.workers.busy or self.views or self.later
            if not waiting and self.workers.free:
                return False
            self._receive(min(0.25, max(self.ending.begins() - self.spent, 0.0)))
        return True

    def _views(self) -> list[str]:
        """Return the views to count, those first that more and quicker methods take; `_give` adds the further ones."""
        wanted = {view for entry in self.entries.values() for view in entry["views"]}
        self.later = [view for view in FURTHER if view in wanted]
        return [
            *(view for view in EARLY if view in wanted),
            *([ENCODER] if ENCODER in wanted else []),
            *(view for view in VIEWS if view in wanted - {*EARLY, *FURTHER}),
        ]

    def _give(self) -> bool:
        """Give a free worker something to do; return whether there was something."""
        first, views = self.race is None, self.views
        if not views and self.later and self.race is not None and self.race.settled:
            views.append(self.later.pop(0))
        counting = any(isinstance(token, str) for token in self.workers.busy)
        # A view is counted while methods are fitted in the other processes; of the first ones each process takes one.
        if views and (first or not counting or self.options.workers == 1):
            view = views.pop(0)
            names = [name for name in self.methods if next(iter(self.entries[name]["views"])) == view]
            order: dict[str, Any] = {
                "do": "count",
                "view": view,
                "methods": [*self.methods] if view == "words" else names,
            }
            share = min(COUNTING * self.options.seconds, max(self.ending.begins() - self.spent, 0.1))
            self.workers.give(view, order, None if view == "words" else share)
            return True
        if self.race is None:
            return False
        job = self.race.next(self.spent, self.ending.begins())
        if job is None:
            return False
        arm = job.arm
        order = {"do": "fit", "method": arm.method, "choice": arm.choice, "point": arm.point, "part": job.part}
        order |= {"arm": arm.name, "keep": self._keeps(self.race, job)}
        self.workers.give(job, order, job.seconds)
        return True

    def _keeps(self, race: Race, job: Job) -> bool:
        """Return whether a fit leaves its held-out scores for an average; the disk holds `MOST_HELD` bytes of them."""
        if job.part < race.folds[0] or not self.is_averaged(job.arm.method) or self.held > MOST_HELD:
            return False
        self.held += SCORE * len(self.corpus.label_names) * self.n_train // len(race.folds)
        return True

    def is_averaged(self, method: str) -> bool:
        """Return whether a method may be a part of an average: its held-out scores cost little beside its fit."""
        return self.methods[method].family not in UNAVERAGED

    def _receive(self, seconds: float) -> None:
        """Wait for answers, take note of them, and show the state."""
        for token, answer in self.workers.wait(seconds):
            if isinstance(token, Job):
                self._fitted(token, answer)
            elif isinstance(token, str):
                self.view_counted(token, answer, stopped=self.stopping)
        self.watch(self.state())

    def _fitted(self, job: Job, answer: Mapping[str, Any]) -> None:
        """Take note of a fit."""
        method = job.arm.method
        self.cost[method] = self.cost.get(method, 0.0) + answer["cpu_seconds"]
        self.took[FITS] += answer["cpu_seconds"]
        self.last.append((answer["seconds"], answer["cpu_seconds"]))
        reason = str(answer.get("reason", ""))
        if self.race is not None and self.stopping and reason:
            self.race.forget(job)
            return
        if answer.get("late"):
            reason = f"{OUT_OF_TIME}{method} {reason}"
        if self.race is not None:
            self.race.runners[method].clock += answer["seconds"]
            self.race.pace = self.pace
            self.race.done(job, answer.get("value"), answer["cpu_seconds"], reason)
            self.stage = "trying every method" if self.spent < FIRST * self.options.seconds else "cross-validation"

    def view_counted(self, view: str, answer: Mapping[str, Any], *, stopped: bool) -> None:
        """Take note of a view; with the words the race begins.

        Parameters
        ----------
        view : that was counted, or that failed.
        answer : of the worker.
        stopped : whether the search was ended meanwhile; a view that failed then is counted again should it go on.

        Raises
        ------
        ConfigError : the view is that of the words, which failed.
        """
        self.took["counting"] += answer["cpu_seconds"]
        reason = str(answer.get("reason", "")).rstrip(".")
        if reason:
            late = bool(answer.get("late")) or reason.startswith(OUT_OF_TIME)
            if view == "words" and (late or stopped):
                more = f"give more time, such as --time {max(60, 2 * round(self.options.seconds))}s"
                raise ConfigError(f"the words could not be counted within {self.spent:.0f} s; {more}")
            if view == "words":
                raise ConfigError(f"the view words: {reason}; what the worker wrote before is in {log_of_failure()}")
            if stopped:
                self.views.insert(0, view)
            elif late:
                said = "for its counting did not end in its share of the time"
                self.remarks.append(f"The view {view} was left out, {said}.")
            else:
                self.remarks.append(f"The view {view} was left out: {reason}.")
            return
        self.counted[view] = answer["cpu_seconds"]
        self.widths[view] = answer["width"]
        if view != "words":
            return
        runners = []
        for name, method in self.methods.items():
            entry = self.entries[name]
            misfit = answer["misfits"].get(name, "") if method.takes != "sequences" else ""
            weightings = answer["weightings"][name] if method.takes != "sequences" else ["order"]
            if misfit or not weightings:
                self.without[name] = misfit or f"{name} has no weighting that suits texts"
                continue
            choices = choices_of(entry, weightings)
            runners.append(Runner(name, method.cost, choices, entry.get("tune", {}).get("grid", {})))
        self.race = Race(
            runners,
            answer["sizes"],
            answer["folds"],
            widths=self.widths,
            seconds=self.options.seconds,
            workers=self.options.workers,
            again=answer["again"],
        )

    def state(self) -> State:
        """Return what the table shows."""
        return State(self.stage, max(self.options.seconds - self.spent, 0.0), self.rows())

    def rows(self) -> list[Row]:
        """Return a row for each method with a score: those with more folds first, and among them the better ones."""
        if self.race is None:
            return []
        rows = []
        for runner, (level, arm) in zip(self.race.runners.values(), self.race.standings(), strict=True):
            if arm is not None:
                times = self.race.times(level)
                folds = 0 if level == [TRY] else len(level) // times
                rows.append(Row(runner.name, arm.name, self.sign * arm.mean(level), folds, runner.clock, times))
        return sorted(rows, key=lambda row: (-row.folds * row.times, -self.sign * row.value))
