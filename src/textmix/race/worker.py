"""The worker process of a race: it counts, fits and writes what it is told, one order after the other.

An order is a line of JSON on the standard input, the answer a line on the standard output.  Orders name methods of the
registry; data and results lie in the folder of the race.  An order that fails, or that is stopped at its limit, is
answered by its reason.  The race ends a worker that does not answer in time.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from textmix.contest.choice import choose
from textmix.contest.description import describe
from textmix.contest.inspection import PREDICTIONS, prediction_rows
from textmix.core.errors import OUT_OF_TIME, MissingResult
from textmix.core.io import canonical_json, format_csv, read_json, write_json, write_missing, write_result
from textmix.data.corpus import Corpus
from textmix.experiment.budget import time_limit
from textmix.experiment.compared import misfit, views_of
from textmix.experiment.estimators import new_estimator
from textmix.experiment.folds import fold_numbers, halves_of
from textmix.experiment.methods import Method, load_methods
from textmix.experiment.predictions import Predictions
from textmix.experiment.represented import Views, suited
from textmix.experiment.scoring import SCORE_COLUMNS, score
from textmix.experiment.search import FEW, FOLDS, MANY, parts_of
from textmix.experiment.splits import Splits
from textmix.experiment.trials import TIMINGS, run_trials
from textmix.metrics.table import shown_metrics
from textmix.models.common.averaging import label_scores
from textmix.numerics.determinism import limit_threads, rng
from textmix.race import average, look
from textmix.race.averaging import AVERAGE
from textmix.race.held import WEIGHTED, HeldScores, bytes_of
from textmix.race.views import ENCODER, VIEWS, all_views, entry_of
from textmix.serve.keep import keep_best
from textmix.serve.model import PersistedModel
from textmix.text.encoder import TextEncoder, allow
from textmix.text.features import build_features

#: Name of the file with the settings of a race, in its folder.
SETTINGS = "race.json"
#: Documents of the fit of a try: so many, or so many a class if these are more, and at most this many.
TRY, A_CLASS, MOST_TRIED = 400, 8, 2000
#: Part of the documents of a try that is held out.
HELD = 1 / 3
#: How often the cross-validation may be repeated on other folds.
REPEATED = 4


class Worker:
    """The data and the scores of one worker process.

    Parameters
    ----------
    folder : of the race.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scores: dict[str, HeldScores] = {}
        self.weighted: dict[tuple[str, int], tuple[Any, Any]] = {}
        self.counts: dict[str, Any] = {}
        self.corpora: dict[str, Corpus] = {}
        self.methods = load_methods()

    @cached_property
    def settings(self) -> SimpleNamespace:
        """The settings of the race: name, task, metric, seed, and facts for page and card."""
        found = SimpleNamespace(**read_json(self.folder / SETTINGS))
        if found.encoder:
            allow(found.encoder)
        return found

    @cached_property
    def parsed(self) -> Corpus:
        """The corpus as read."""
        return Corpus.load(self.folder / "parsed")

    @cached_property
    def splits(self) -> Splits:
        """The one split into training and test documents."""
        return Splits.load(self.folder / "splits")

    @cached_property
    def truth(self) -> Any:
        """Classes (N,) or label indicators (N, L)."""
        return self.parsed.classes() if self.settings.task == "single" else self.parsed.indicators()

    @cached_property
    def parts(self) -> list[tuple[Any, Any]]:
        """Documents of the fit and held out of each part: the try, those of a search, and those of its repetitions."""
        train = self.splits.train[0]
        generator = rng(self.settings.seed, self.settings.name, "race")
        few = max(TRY, A_CLASS * len(self.parsed.label_names))
        few = min(few, MOST_TRIED, round(len(train) * (1 - HELD)))
        drawn = generator.permutation(len(train))[: round(few / (1 - HELD))]
        again = rng(self.settings.seed, self.settings.name, "race", "again")
        more = [halves_of(fold_numbers(len(train), self.n_folds, again)) for _ in range(REPEATED)]
        searched = parts_of(len(train), self.n_folds, generator)
        return [(drawn[:few], drawn[few:]), *searched, *itertools.chain.from_iterable(more)]

    @property
    def n_folds(self) -> int:
        """Number of folds of a cross-validation."""
        return FOLDS[len(self.splits.train[0]) > FEW]

    def entry(self, name: str) -> dict[str, Any]:
        """Return the entry of a method in this comparison."""
        return entry_of(self.methods[name], self.settings.encoder)

    def corpus(self, view: str) -> Corpus:
        """Return the corpus of a view."""
        if view not in self.corpora:
            self.corpora[view] = Corpus.load(self.folder / "views" / view)
        return self.corpora[view]

    def count(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Count the features of a view, and say which methods suit them.

        Returns
        -------
        ``width``, the stored values; ``misfits``, method -> the reason why it does not apply, of the methods asked for;
        ``choices``, method -> its weightings; ``sizes`` of the parts, ``folds`` among them, and those of each
        repetition, ``again``.
        """
        view, train = order["view"], self.splits.train[0]
        self._counted(view).save(self.folder / "views" / view, {})
        corpus = self.corpus(view)
        fitting = {name: misfit(corpus, len(train), self.methods[name]) for name in order["methods"]}
        weightings = {name: suited(corpus, self.entry(name)["weightings"]) for name in order["methods"]}
        first = 1 + (len(train) >= MANY)
        starts = range(first, len(self.parts), self.n_folds)
        folds, *again = ([*range(start, start + self.n_folds)] for start in starts)
        return {
            "width": int(corpus.features.nnz) if corpus.features is not None else 0,
            "misfits": {name: reason for name, reason in fitting.items() if reason},
            "weightings": weightings,
            "sizes": [len(fit) for fit, _ in self.parts],
            "folds": folds,
            "again": again,
        }

    def _counted(self, view: str) -> Corpus:
        """Return the corpus of a view, counted or encoded now."""
        if view != ENCODER:
            return build_features(self.parsed, VIEWS[view])
        if self.parsed.text is None:
            raise MissingResult("an encoder takes texts")
        vectors = TextEncoder(encoder=self.settings.encoder).fit_transform(self.parsed.text)
        info = {**self.parsed.info, "encoded": self.settings.encoder}
        return replace(self.parsed, text=None, features=vectors, feature_names=None, info=info)

    def fit(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``value`` of an arm on a part, larger is better."""
        view = order["choice"]["view"]
        if view not in self.counts:
            rows = self.splits.train[0]
            entry: dict[str, Any] = {"views": {view: {}}}
            self.counts[view] = views_of([self.corpus(view)], entry).counts[view][rows]
        scores = self._scores(order["method"])
        value = scores.value(order["choice"], order["point"], order["part"])
        if order.get("keep"):
            self._keep_scores(scores, order)
        while len(self.weighted) > 1 and sum(map(bytes_of, self.weighted.values())) > WEIGHTED:
            del self.weighted[next(iter(self.weighted))]
        return {"value": value}

    def _keep_scores(self, scores: HeldScores, order: Mapping[str, Any]) -> None:
        """Write the scores of the held-out documents of a fit, from which an average is validated."""
        estimator = scores.fitted(order["choice"], order["point"], order["part"])
        found = label_scores(estimator, scores.held_out(order["choice"], order["part"]), self.settings.task)
        labels = len(self.parsed.label_names)
        if found is None or len(found) * labels > average.MOST:
            return
        place = average.place_of(self.folder, order["method"], order["arm"], order["part"])
        place.parent.mkdir(exist_ok=True)
        np.save(place, average.for_all_labels(found, estimator.classes_, labels).astype(np.float32))

    def _scores(self, name: str) -> HeldScores:
        """Return the scores of a method; all methods share the weighted documents."""
        if name not in self.scores:
            method, entry = self.methods[name], self.entry(name)

            def make(point: Mapping[str, Any]) -> Any:
                """Return a new estimator at a point."""
                axes = (self.settings.seed, self.settings.name, 0)
                return new_estimator(method, {**entry["params"], **point}, axes)

            data = Views(self.counts, entry["views"]), self.truth[self.splits.train[0]]
            self.scores[name] = HeldScores(
                self.settings.task, make, self.settings.metric, data, self.parts, weighted=self.weighted
            )
        return self.scores[name]

    def finish(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Fit a method to the training documents, predict the test documents, and write what `choose` reads."""
        if order["method"] == AVERAGE:
            return average.finish(self, order)
        name, entry = order["method"], self.one(order)
        corpus = self.corpus(order["choice"]["view"])
        views = views_of([corpus], entry)
        method = self.methods[name]
        predictions, timings = run_trials(corpus, self.splits, method, entry, self.settings.seed, views=views)
        timings[0]["cpu_seconds"] += order["cpu_seconds"]
        return self.tested(name, predictions, timings)

    def tested(self, name: str, predictions: Predictions, timings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Write predictions, timings and scores of a method."""
        corpus = self.parsed
        scores, timed, predicted = self.files(name)
        predictions.save(predicted, {})
        write_result(timed, format_csv(timings, TIMINGS), {})
        metrics = list(dict.fromkeys([self.settings.metric, *shown_metrics(self.settings.task)]))
        rows = score(predictions, corpus, self.splits, metrics)
        write_result(scores, format_csv(rows, SCORE_COLUMNS), {})
        return {"value": rows[0]["value"]}

    def one(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entry of a method whose search is over: one representation and one point."""
        entry, choice = self.entry(order["method"]), order["choice"]
        found = {key: order.get(key) for key in ("point", "validation", "seconds")}
        if order.get("uncalibrated") and "calibrate" in entry["params"]:
            entry["params"] = {**entry["params"], "calibrate": False}
        views = {choice["view"]: entry["views"][choice["view"]]}
        rest = {key: value for key, value in entry.items() if key != "tune"}
        return {**rest, "views": views, "features": [choice["view"]], "choices": [choice], "found": found}

    def files(self, name: str) -> tuple[str, str, str]:
        """Return the paths of scores, timings and predictions of a method."""
        folders = ("scores", "timings", "predictions")
        for folder in folders:
            (self.folder / folder).mkdir(exist_ok=True)
        ends = (".csv", ".csv", "")
        paths = [self.folder / folder / f"{name}{end}" for folder, end in zip(folders, ends, strict=True)]
        return str(paths[0]), str(paths[1]), str(paths[2])

    def choose(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Choose among the finished methods, look into the chosen one, and write choice.json and predictions.csv."""
        finished: Sequence[Mapping[str, Any]] = order["finished"]
        single = [each for each in finished if each["method"] != AVERAGE]
        entries = {each["method"]: self.one(each) for each in single}
        views = {each["choice"]["view"]: self.corpus(each["choice"]["view"]) for each in single}
        settings = SimpleNamespace(
            entries=entries,
            methods={name: vars(self.methods[name]) for name in entries},
            metric={self.settings.task: self.settings.metric},
            seed=self.settings.seed,
        )
        files = [self.files(each["method"]) for each in finished]
        data = self.parsed, views, self.splits
        choice, predictions = choose(files, data, settings, order["shares"], order["where"])
        rows = list(prediction_rows(predictions, self.parsed, self.splits))
        write_result(self.folder / "predictions.csv", format_csv(rows, PREDICTIONS), {})
        write_result(self.folder / "choice.json", canonical_json(choice), {})
        return {key: choice[key] for key in ("method", "point", "validation", "value", "low", "high", "metric")}

    def page(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Write the tables and the page."""
        from textmix.contest.own_page import About, own_page, own_tables
        from textmix.contest.rows import COSTS, SCORES
        from textmix.core.environment import versions

        for name, reason in order["without"].items():
            for path in self.files(name):
                write_missing(path, MissingResult(reason), {})
        asked = self.settings
        names = [*(each["method"] for each in order["finished"]), *order["without"]]
        known = {**self.methods, AVERAGE: average.entry_of(asked.task)}
        methods: dict[str, Method] = {name: known[name] for name in names}
        files = [self.files(name) for name in names]
        summary = describe(self.parsed, self.corpus("words"), self.splits)
        summary["remarks"] = [*order["remarks"], *summary["remarks"]]
        grids = {name: self.entry(name).get("tune", {}).get("grid", {}) for name in names if name in self.methods}
        grids[AVERAGE] = {}
        provenance = {
            "Run": {"data set": asked.name, "seed": str(asked.seed), "data": asked.source},
            **order["provenance"],
            "Versions": versions(),
        }
        about = About(
            *(asked.source, asked.title, {asked.task: asked.metric}, methods, grids, provenance),
            model=asked.model,
            encoder=self._needed_encoder(order["finished"]),
        )
        tables = own_tables(files, summary["name"], methods)
        choice = read_json(self.folder / "choice.json")
        choice |= look.seen(self, choice)
        trials = self.folder / "trials.csv", dict[str, Any]()
        page = own_page(files, tables, summary, choice, about=about, trials=trials)
        write_result(self.folder / "index.html", page, {})
        write_result(self.folder / "scores.csv", format_csv(tables.scores, SCORES), {})
        write_result(self.folder / "costs.csv", format_csv(tables.costs, COSTS), {})
        write_json(self.folder / "summary.json", summary)
        return {"sentences": choice["sentences"]}

    def _needed_encoder(self, finished: Sequence[Mapping[str, Any]]) -> str:
        """Return the encoder that the chosen method needs; empty where it needs none."""
        name = read_json(self.folder / "choice.json")["method"]
        chosen = next(each for each in finished if each["method"] == name)
        parts = chosen["point"]["parts"] if name == AVERAGE else [chosen]
        return self.settings.encoder if any(part["choice"]["view"] == ENCODER for part in parts) else ""

    def keep(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Fit the chosen method to all documents and save it as a model."""
        choice = read_json(self.folder / "choice.json")
        chosen = next(each for each in order["finished"] if each["method"] == choice["method"])
        about = {"seed": self.settings.seed, **self.settings.about, "validation": choice["validation"]}
        if choice["method"] != AVERAGE:
            self.kept(chosen, choice, about).save(self.folder / "model", {})
            return {}
        average.keep(self, chosen, choice, about).save(self.folder / "model", {})
        return {}

    def kept(self, chosen: Mapping[str, Any], choice: Mapping[str, Any], about: Mapping[str, Any]) -> PersistedModel:
        """Return a method fitted to all documents at its point."""
        method, entry = self.methods[chosen["method"]], self.one(chosen)
        return keep_best(self.parsed, choice, method, entry, features=all_views(self.settings.encoder), about=about)


def answer(worker: Worker, order: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an order: what its job returns, or the ``reason`` why it failed, and the seconds."""
    jobs: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
        "count": worker.count,
        "fit": worker.fit,
        "average": partial(average.validate, worker),
        "finish": worker.finish,
        "choose": worker.choose,
        "doubts": partial(look.doubts, worker),
        "curve": partial(look.curve, worker),
        "page": worker.page,
        "keep": worker.keep,
    }
    name = order.get("method", "its counting" if order["do"] == "count" else order["do"])
    start, cpu = time.perf_counter(), time.process_time()
    try:
        with warnings.catch_warnings(), time_limit(order.get("limit"), name):
            warnings.simplefilter("ignore")
            found = jobs[order["do"]](order)
    except MissingResult as missing:
        late = missing.reason.startswith(OUT_OF_TIME)
        took = time.perf_counter() - start
        reason = f"{OUT_OF_TIME}{name} was stopped after {took:.1f} s; give it more time" if late else missing.reason
        found = {"reason": reason}
    except MemoryError:
        found = {"reason": f"{name} needs more memory than there is"}
    except Exception as error:  # a method that fails is left out of the race, whatever the error is
        traceback.print_exc()
        found = {"reason": f"{name} failed: {' '.join(str(error).split())[:200] or type(error).__name__}"}
    return {**found, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}


def main(arguments: Sequence[str]) -> None:
    """Answer orders until the standard input ends.

    Parameters
    ----------
    arguments : the folder of the race, and the bytes that the process may hold, 0 for no limit.
    """
    limit_threads()
    signal.signal(signal.SIGALRM, signal.SIG_IGN)  # an interrupt that comes after the answer ends nothing
    orders = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    if int(arguments[1]):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (int(arguments[1]), resource.RLIM_INFINITY))
    worker = Worker(Path(arguments[0]))
    print(json.dumps({"ready": True, "cpu_seconds": time.process_time()}), file=answers, flush=True)
    for line in orders:
        print(json.dumps(answer(worker, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
