"""What the rules ask of the plan: inputs that depend on the configuration, and the settings of each job.

A setting holds exactly the part of the configuration that the job reads, so that an edit runs again the jobs that read
the edited part, and no other.  Each function takes Snakemake's object of the wildcards in a job's output path.
"""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reproduction.flow.alternatives import SEED
from reproduction.flow.code_digests import SHORT
from reproduction.flow.curves import read_folder
from reproduction.flow.equation_tests import test_outcomes
from reproduction.flow.fingerprint import Code, is_of_today
from reproduction.flow.folders import RESOURCES, package_of
from reproduction.flow.git import agent_of, commit_of
from reproduction.flow.locators import DataLocator, FeaturesLocator, Locator, MeasureLocator, ScoreLocator
from reproduction.flow.papers import given_by_causes, outside, registries
from reproduction.flow.plan import Fit, Plan
from reproduction.flow.recorded_curves import RECORDED_CURVES, recorded_curves
from textmix.core import io
from textmix.core.digests import digest_of
from textmix.core.environment import versions
from textmix.data.fetch import source_state
from textmix.data.registry import DatasetEntry, content_of
from textmix.experiment.methods import COMPARED, FITTED, TUNING

Settings = dict[str, Any]
#: Patterns of the styles of figures and of the templates of pages, below ``src``.
STYLES = ("*/figures/*.mplstyle",)
TEMPLATES = ("*/*/templates/*",)
#: Files of a paper's folder that its pages read; a paper without claims, choices or changes lacks their file.
RECORDS = ("published.csv", "checks.yaml", "choices.yaml", "paper.yaml", "history.md")
#: Files and folders from which the workflow runs, as far as they are there, and those among them that Python made.
_CARRIED = (
    *("workflow", "config", "profiles", "src", "Makefile", "pyproject.toml", "setup.py"),
    *("requirements.lock", "requirements-bench.lock", "README.md", "LICENSE", "CITATION.cff"),
)
_GENERATED = re.compile(r"(^|/)(\.|__pycache__/|[^/]*\.egg-info/)")


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs of a plan; ``mirror`` is the folder of raw data, if any.  ``here``: jobs run in the environment of this
    process, not in environments that Snakemake makes.
    """

    plan: Plan
    mirror: Path | None = None
    here: bool = True

    # --- code ---

    def code(
        self,
        script: str,
        modules: Any = (),
        data: Iterable[str] = (),
        settings: Callable[[Any], Settings] | None = None,
    ) -> Callable[[Any], Settings]:
        """Return the parameter ``code`` of a rule: a function of the wildcards that gives the digest of its code.

        The first three are as in `Code`; ``modules`` may be a function of the wildcards, and the digests of
        ``settings`` that are `untold` stand there.
        """

        def make(wildcards: Any) -> Settings:
            found = modules(wildcards) if callable(modules) else modules
            parameter = _parameter(self.code_of(script, tuple(found), tuple(data)))
            given = settings(wildcards) if settings else {}
            return {**parameter, **{f"settings.{key}": digest_of(value)[:SHORT] for key, value in given.items()}}

        return make

    def code_of(self, script: str, modules: tuple[str, ...] = (), data: tuple[str, ...] = ()) -> Code:
        """Return where the code of a job starts; the parameters are those of `code`."""
        return Code(script, modules, data, self.here)

    # --- files of the configuration ---

    def source(self, name: str) -> str:
        """Return a file of the folder with ``workflow/`` as seen from the folder in which the workflow runs."""
        return os.path.relpath(self.plan.root / name)

    def paper_file(self, name: str) -> Callable[[Any], str | list[str]]:
        """Return a function that gives the path of a file of a paper's folder; no path where there is no such file."""

        def find(wildcards: Any) -> str | list[str]:
            path = self.plan.folders[wildcards.paper] / name
            return os.path.relpath(path) if path.is_file() else []

        return find

    # --- data sets ---

    def fetch(self, wildcards: Any) -> Settings:
        """Return the part of a registry entry that fetching depends on, and what changes when data may be in reach."""
        name = wildcards.dataset
        state = source_state(self.plan.registry[name], RESOURCES / name, self.mirror)
        return {"entry": content_of(self.plan.registry[name].raw), "state": state}

    def fetched(self, wildcards: Any) -> list[str]:
        """Return the records of the fetch of a data set and of its substitutes."""
        names = [wildcards.dataset, *self.plan.substitutes(wildcards.dataset)]
        return [f"{RESOURCES}/{name}/fetch.json" for name in names]

    def parse(self, wildcards: Any) -> Settings:
        """Return the registry entry of a data set, and those of its substitutes, which are read where it is missing."""
        substitutes = self.plan.substitutes(wildcards.dataset)
        return {
            "entry": content_of(self.plan.registry[wildcards.dataset].raw),
            "substitutes": {name: content_of(self.plan.registry[name].raw) for name in substitutes},
        }

    def readers(self, wildcards: Any) -> list[str]:
        """Return the modules of the readers of the forms of a data set and of its substitutes."""
        names = [wildcards.dataset, *self.plan.substitutes(wildcards.dataset)]
        entries = [self.plan.registry[name] for name in names]
        return sorted({source.reader.module for entry in entries for source in entry.sources})

    def features(self, wildcards: Any) -> Settings:
        """Return the specification by which words are counted (``features`` of a paper.yaml)."""
        return {"spec": self.plan.features[wildcards.features]}

    def split(self, wildcards: Any) -> Settings:
        """Return the specification by which documents are split (``splits`` of a paper.yaml)."""
        settings = self.plan.settings
        return {
            "spec": self.plan.splits[wildcards.split],
            "seed": settings["seed"],
            "max_trials": settings["max_trials"],
        }

    # --- fits and scores ---

    def fit_features(self, wildcards: Any) -> str:
        """Return the counts that a fit and its score read."""
        return f"results/features/{wildcards.dataset}/{self.plan.fit_inputs(_fit(wildcards))[0]}"

    def fit_splits(self, wildcards: Any) -> str:
        return f"results/splits/{wildcards.dataset}/{self.plan.fit_inputs(_fit(wildcards))[1]}"

    def fit(self, wildcards: Any) -> Settings:
        """Return the experiment's entry of a method, what a fit reads of its registry entry, and the seed."""
        spec = self.plan.fit_entry(_fit(wildcards))
        seed = self._seed(wildcards.paper, "experiments", wildcards.experiment)
        return {"spec": spec, "method": self.plan.methods[spec["use"]].part(*FITTED), "seed": seed}

    def fit_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a fit: the estimator's, and tuning where the method is tuned."""
        spec = self.plan.fit_entry(_fit(wildcards))
        tuning = [TUNING] if "tune" in spec else []
        return [self.plan.methods[spec["use"]].module, *tuning]

    def score(self, wildcards: Any) -> Settings:
        return {"metrics": self.plan.entry(wildcards.paper, "experiments", wildcards.experiment)["metrics"]}

    def _seed(self, paper: str, kind: str, name: str) -> int:
        """Return the seed of an entry: that of config.yaml, and what a reading adds to it."""
        seed: int = self.plan.settings["seed"] + self.plan.entry(paper, kind, name).get(SEED, 0)
        return seed

    # --- measures ---

    def measure(self, wildcards: Any) -> Settings:
        """Return the entry of a measure, the methods that it names, its folders by role, and the seed."""
        paper, name = wildcards.paper, wildcards.measure
        entry = self.plan.entry(paper, "measures", name)
        methods = {key: self.plan.methods[key].part(*COMPARED) for key in entry.get("methods", {})}
        return {
            "entry": dict(entry),
            "methods": {key: {**part, "params": entry["methods"][key]} for key, part in methods.items()},
            "sources": self._sources(paper, name),
            "predictions": [
                (role, fit.method, _path("predictions", fit)) for role, fit in self.plan.measure_fits(paper, name)
            ],
            "seed": self._seed(paper, "measures", name),
        }

    def _sources(self, paper: str, measure: str) -> dict[str, list[str]]:
        """Return role -> [features folder, splits folder, folder of further features] of a measure."""
        return {
            role: [
                f"results/features/{dataset}/{features}",
                f"results/splits/{dataset}/{split}",
                *([f"results/features/{dataset}/{beside}"] if beside else []),
            ]
            for role, (dataset, features, split, beside) in self.plan.measure_data(paper, measure).items()
        }

    def measure_inputs(self, wildcards: Any) -> list[str]:
        settings = self.measure(wildcards)
        folders = [path for paths in settings["sources"].values() for path in paths]
        return folders + [path for _, _, path in settings["predictions"]]

    def measure_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a measure: its function's, and those of the estimators that it names."""
        entry = self.plan.entry(wildcards.paper, "measures", wildcards.measure)
        estimators = {self.plan.methods[name].module for name in entry.get("methods", ())}
        return [f"{package_of(wildcards.paper)}.{entry['function'].partition('.')[0]}", *sorted(estimators)]

    # --- comparison, tables, figures ---

    def of_fits(self, stage: str, ending: str = "") -> Callable[[Any], list[str]]:
        """Return a function that gives a result of every fit of a paper: ``predictions``, ``scores`` or ``timings``."""
        return lambda wildcards: [f"{_path(stage, fit)}{ending}" for fit in self.plan.fits(wildcards.paper)]

    def measures(self, wildcards: Any) -> list[str]:
        return [f"results/papers/{wildcards.paper}/measures/{name}" for name in self.plan.measures(wildcards.paper)]

    def data(self, wildcards: Any) -> list[str]:
        """Return the parsed data sets and the counts of a paper, for their statistics."""
        counts = self.plan.feature_sets(wildcards.paper)
        return [*self.datasets(wildcards), *(f"results/features/{dataset}/{name}" for dataset, name in counts)]

    def compare(self, wildcards: Any) -> Settings:
        """Return what the verdicts on a paper rest on besides its results."""
        paper = wildcards.paper
        return {
            "paper": dict(self.plan.papers[paper]),
            "roles": self.plan.roles(paper),
            "tests": self._tests(paper),
            "left_out": self.plan.left_out(paper),
            "given": given_by_causes(self.plan.folders[paper]),
        }

    def _tests(self, paper: str) -> dict[str, str]:
        """Return the known outcomes of the tests that the files of a paper name."""
        files = [self.plan.folders[paper] / name for name in ("published.csv", "checks.yaml")]
        text = "".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
        return {name: outcome for name, outcome in self._outcomes.items() if name in text} if "test:" in text else {}

    @functools.cached_property
    def _outcomes(self) -> dict[str, str]:
        """The known outcomes of tests, read once for all papers: they cost the digest of the code behind them."""
        return test_outcomes(self.plan.root / "tests")

    def tables(self, wildcards: Any) -> Settings:
        """Return the entries of a paper's tables in paper.yaml, by name."""
        return {"entries": self.plan.papers[wildcards.paper]["tables"]}

    def figures(self, wildcards: Any) -> Settings:
        """Return the paper.yaml of a paper, its roles, the names of the figures, and what is left out."""
        paper = wildcards.paper
        return {
            "paper": dict(self.plan.papers[paper]),
            "figures": self.plan.drawable(paper),
            "roles": self.plan.roles(paper),
            "left_out": self.plan.left_out(paper),
        }

    def figure_modules(self, wildcards: Any) -> list[str]:
        """Return the modules of a paper's figures: its own, and that of the stock ones."""
        stock = {"template" in entry for entry in self.plan.papers[wildcards.paper]["figures"].values()}
        modules = {False: f"{package_of(wildcards.paper)}.figures", True: "reproduction.figures.shared_figures"}
        return [modules[each] for each in sorted(stock)]

    # --- pages; wildcards without ``paper`` are those of the report of the run ---

    def shown(self, wildcards: Any) -> list[str]:
        """Return the papers whose results a report shows."""
        paper = dict(wildcards.items()).get("paper")
        return [paper] if paper else self.plan.chosen()

    def of_papers(self, *paths: str) -> Callable[[Any], list[str]]:
        """Return a function that gives paths with the wildcard ``paper`` for each paper of a report."""
        return lambda wildcards: [path.format(paper=paper) for paper in self.shown(wildcards) for path in paths]

    def datasets(self, wildcards: Any) -> list[str]:
        """Return the parsed data sets of the papers of a report."""
        names = {name for paper in self.shown(wildcards) for name in self.plan.datasets(paper)}
        return [f"results/datasets/{name}" for name in sorted(names)]

    def tables_of(self, wildcards: Any) -> list[str]:
        names = [(paper, name) for paper in self.shown(wildcards) for name in self.plan.papers[paper]["tables"]]
        return [f"results/papers/{paper}/tables/{name}.csv" for paper, name in names]

    def figures_of(self, wildcards: Any) -> list[str]:
        names = [(paper, name) for paper in self.shown(wildcards) for name in self.plan.drawable(paper)]
        return [f"results/papers/{paper}/figures/{name}.svg" for paper, name in names]

    def files_of_papers(self, *names: str) -> Callable[[Any], list[str]]:
        """Return a function that gives the files of these names that there are in the folders of a report's papers."""

        def find(wildcards: Any) -> list[str]:
            paths = [self.plan.folders[paper] / name for paper in self._described(wildcards) for name in names]
            return [os.path.relpath(path) for path in paths if path.is_file()]

        return find

    def _described(self, wildcards: Any) -> list[str]:
        """Return the papers of which a report says something: of those without results it shows the published rows."""
        paper = dict(wildcards.items()).get("paper")
        return [paper] if paper else list(self.plan.papers)

    def page(self, wildcards: Any) -> Settings:
        """Return what a report says besides its results."""
        papers = self._described(wildcards)
        alone = "paper" in dict(wildcards.items())
        asked = {role for paper in papers for role in self.plan.papers[paper]["roles"]}
        wanted = {role: entry for role, entry in self.plan.wanted.items() if role in asked or not alone}
        names = {one["dataset"] for entry in wanted.values() for one in (entry, *entry.get("substitutes", ()))}
        known = {name: self.plan.registry[name] for name in sorted(names - {None})}
        own = {role: entry["dataset"] for role, entry in wanted.items() if entry["dataset"]}
        read = {paper: declared for paper, declared in self.declared(wildcards).items() if paper in papers}
        recorded = {paper: self.plan.folders[paper] / RECORDED_CURVES for paper in read}
        return {
            "papers": {paper: dict(self.plan.papers[paper]) for paper in papers},
            "roles": {role: dict(self.plan.settings["roles"][role]) for role in wanted},
            "titles": {
                name: {"title": entry.title, "terms": entry.terms, "no_digest": entry.no_digest}
                for name, entry in known.items()
            },
            "remedies": {role: _remedy(self.plan.registry[name]) for role, name in own.items()},
            "curves": {paper: files for paper in read if (files := self._fresh_curves(paper))},
            "recorded_curves": {
                paper: files for paper in read if (files := recorded_curves(recorded[paper], read[paper]))
            },
            "chosen": self.shown(wildcards),
            "home": "../" * (4 if alone else 2),
            "alone": alone,
        }

    def accept(self, wildcards: Any) -> Settings:
        """Return whether missing data are an error, and the reason for each role without data."""
        return {"strict": self.plan.settings["strict"], "out_of_reach": self.plan.out_of_reach(self.shown(wildcards))}

    def provenance(self, wildcards: Any) -> Settings:
        """Return the commit, the configuration, and the versions of a run."""
        commit = commit_of(self.plan.root)
        return {
            "papers": list(self.plan.papers),
            "commit": commit,
            "agent": agent_of(self.plan.root),
            "settings": dict(self.plan.settings),
            "versions": versions(),
        }

    def benchmarks(self, wildcards: Any) -> list[str]:
        """Return the files to which Snakemake writes the seconds of the long jobs of all papers that are asked for."""
        found = []
        for paper in self.plan.chosen():
            found += [f"results/benchmarks/parse/{name}.tsv" for name in self.plan.datasets(paper)]
            found += [f"results/benchmarks/features/{'/'.join(pair)}.tsv" for pair in self.plan.feature_sets(paper)]
            found += [f"{_path('benchmarks/fit', fit)}.tsv" for fit in self.plan.fits(paper)]
            found += [f"results/benchmarks/measure/{paper}/{name}.tsv" for name in self.plan.measures(paper)]
        return list(dict.fromkeys(found))

    def workflow_files(self) -> list[str]:
        """Return the files from which the workflow runs, without those that Python made."""
        root = self.plan.root
        found = [path for name in _CARRIED for path in (root / name, *(root / name).rglob("*")) if path.is_file()]
        names = (path.relative_to(root).as_posix() for path in found)
        return [self.source(name) for name in sorted(names) if not _GENERATED.search(name)]

    def judging(self, wildcards: Any) -> dict[str, Settings]:
        """Return paper -> what its verdicts rest on besides its results, of all papers."""
        return {paper: self.compare(SimpleNamespace(paper=paper)) for paper in self.plan.papers}

    def declared(self, wildcards: Any) -> Settings:
        """Return paper -> its specifications, of those that declare readings."""
        return {paper: self.plan.readings[paper].specifications for paper in self.reading_papers()}

    def own_file(self, wildcards: Any) -> str:
        return str(self.plan.settings["own"][wildcards.own]["file"])

    def own(self, wildcards: Any) -> Settings:
        """Return the options of `textmix compare` for texts of the user's own, by their long names."""
        entry = self.plan.settings["own"][wildcards.own]
        return {"options": [f"--{key}={value}" for key, value in entry.items() if key != "file"]}

    def waiting_rows(self, wildcards: Any) -> dict[str, str]:
        """Return data set -> how many published rows name a role for which it stands."""
        counts: Counter[str] = Counter()
        for paper in self.plan.papers:
            rows = io.read_csv(self.plan.folders[paper] / "published.csv")
            counts.update(entry["dataset"] for row in rows if (entry := self.plan.wanted.get(row["dataset"])))
        return {name: str(count) for name, count in counts.items()}

    def registries(self) -> list[str]:
        return [os.path.relpath(path) for path in registries(self.plan.root, outside(self.plan.settings))]

    # --- readings ---

    def reading_papers(self) -> list[str]:
        """Return the papers that declare readings, of those that the configuration asks for."""
        return [paper for paper in self.plan.chosen() if self.plan.readings[paper].specifications]

    def reading_values(self, wildcards: Any) -> list[str]:
        """Return the results in which the values of all readings of a paper stand."""
        found = (self._path_of(wildcards.paper, locator) for locator in self.plan.readings[wildcards.paper].locators())
        return sorted({path for path in found if path})

    def readings(self, wildcards: Any) -> Settings:
        """Return the paper.yaml of a paper with the entries of all readings, its specifications, and its roles."""
        found = self.plan.readings[wildcards.paper]
        return {
            "readings": {"spec": dict(found.spec), "specifications": [asdict(one) for one in found.specifications]},
            "roles": self.plan.roles(wildcards.paper),
        }

    def _path_of(self, paper: str, locator: Locator) -> str:
        """Return the result in which a value stands; empty where its data are lost, and for a value of no job."""
        match locator:
            case ScoreLocator(experiment=experiment, role=role, method=method):
                dataset = self.plan.dataset(role)
                return f"{_path('scores', Fit(paper, experiment, dataset, method))}.csv" if dataset else ""
            case MeasureLocator(measure=measure):
                needs = self.plan.entry(paper, "measures", measure)["roles"]
                at_hand = self.plan.measure_data(paper, measure) or not needs
                return f"results/papers/{paper}/measures/{measure}" if at_hand else ""
            case FeaturesLocator(role=role, features=features):
                return f"results/features/{self.plan.dataset(role)}/{features}" if self.plan.dataset(role) else ""
            case DataLocator(role=role):
                return f"results/datasets/{self.plan.dataset(role)}" if self.plan.dataset(role) else ""
        return ""

    def _fresh_curves(self, paper: str) -> dict[str, str]:
        """Return file -> content of a paper's specification curves where they are those of today.  They are a setting
        and no input of the pages, which would else run every reading.
        """
        folder, wildcards = Path(f"results/papers/{paper}/specifications"), SimpleNamespace(paper=paper)
        fresh = folder.exists() and is_of_today(folder, self.readings(wildcards), self.code_of("readings", (), STYLES))
        return read_folder(folder) if fresh else {}


# One plan sees the code of a job in one state.
_parameter = functools.cache(Code.parameter)


def untold(settings: Callable[[Any], Settings]) -> Callable[[Any, Any], Settings]:
    """Return settings that are too long for Snakemake's sentence on what changed: it records no function of inputs."""
    return lambda wildcards, input: settings(wildcards)


def _fit(wildcards: Any) -> Fit:
    return Fit(wildcards.paper, wildcards.experiment, wildcards.dataset, wildcards.method)


def _path(stage: str, fit: Fit) -> str:
    """Return the path of a result of a fit job, without an ending."""
    return f"results/{stage}/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}"


def _remedy(entry: DatasetEntry) -> Mapping[str, Any]:
    """Return how to get a data set: title, kinds of sources, files and size."""
    sizes = [[file.bytes for file in source.files.values()] for source in entry.sources]
    return {
        "dataset": entry.id,
        "title": entry.title,
        "sources": list(dict.fromkeys(source.kind for source in entry.sources)),
        "files": sorted(entry.files.values()),
        "bytes": next((sum(filter(None, found)) for found in sizes if None not in found), None),
    }
