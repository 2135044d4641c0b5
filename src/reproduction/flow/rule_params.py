"""Parameters of rules: the settings of each job, and a digest of its code.

The settings of a job are exactly the part of the configuration that it reads, so that an edit of the configuration
re-runs only the jobs that read the edited part.  Each function receives the wildcards of a job's output path.
"""

from __future__ import annotations

import functools
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
from reproduction.flow.own_texts import arguments_of, state_of_files
from reproduction.flow.papers import values_in_causes
from reproduction.flow.plan import Plan
from reproduction.flow.published_table import read_cells
from reproduction.flow.recorded_curves import RECORDED_CURVES, recorded_curves
from reproduction.flow.rule_inputs import described_papers, fit_of
from textmix.core.digests import digest_of
from textmix.core.environment import versions
from textmix.data.catalogue import dataset_table
from textmix.data.fetch import source_state
from textmix.data.registry import DatasetEntry, content_of
from textmix.experiment.methods import COMPARED, FITTED, TUNING

Settings = dict[str, Any]
#: Patterns of Matplotlib style sheets and of page templates, below ``src``.
STYLES = ("*/figures/*.mplstyle",)
TEMPLATES = ("*/*/templates/*",)


@dataclass(frozen=True, eq=False)
class RuleParams:
    """The parameters of the jobs of a plan.

    Parameters
    ----------
    plan : Plan
        The jobs of the run.
    mirror : Path, default=None
        Folder with raw data.
    here : bool, default=True
        Whether jobs run in the environment of this process rather than in one that Snakemake deploys.
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
        """Return the parameter ``code`` of a rule.

        Parameters
        ----------
        script : str
            Name of the script, without extension.
        modules : iterable of str or callable, default=()
            Modules that the script imports dynamically, or a function of the wildcards that returns them.
        data : iterable of str, default=()
            Patterns of the data files that the code reads, below ``src``.
        settings : callable, default=None
            Settings of the rule that are `unrecorded`; their digests are part of the parameter.

        Returns
        -------
        callable
            Function of the wildcards that returns the digest of the code.
        """

        def parameter_of(wildcards: Any) -> Settings:
            names = modules(wildcards) if callable(modules) else modules
            code = self.code_of(script, tuple(names), tuple(data))
            parameter = dict(_code_parameter(code))
            unrecorded_settings = settings(wildcards) if settings else {}
            for key, value in unrecorded_settings.items():
                parameter[f"settings.{key}"] = digest_of(value)[:SHORT]
            return parameter

        return parameter_of

    def code_of(self, script: str, modules: tuple[str, ...] = (), data: tuple[str, ...] = ()) -> Code:
        """Return the entry points of a job's code; see `code` for the parameters."""
        return Code(script, modules, data, self.here)

    # --- data sets ---

    def fetch(self, wildcards: Any) -> Settings:
        """Return the part of a registry entry that is relevant for fetching, and the state of its sources."""
        entry = self.plan.registry[wildcards.dataset]
        state = source_state(entry, RESOURCES / wildcards.dataset, self.mirror)
        return {"entry": content_of(entry.raw), "state": state}

    def parse(self, wildcards: Any) -> Settings:
        """Return the registry entries of a data set and of its substitutes."""
        entry = self.plan.registry[wildcards.dataset]
        names = self.plan.substitutes(wildcards.dataset)
        substitutes = {name: content_of(self.plan.registry[name].raw) for name in names}
        return {"entry": content_of(entry.raw), "substitutes": substitutes}

    def reader_modules(self, wildcards: Any) -> list[str]:
        """Return the modules that read a data set and its substitutes."""
        names = [wildcards.dataset, *self.plan.substitutes(wildcards.dataset)]
        entries = [self.plan.registry[name] for name in names]
        return sorted({source.reader.module for entry in entries for source in entry.sources})

    def features(self, wildcards: Any) -> Settings:
        """Return an entry of ``features`` of a paper.yaml."""
        return {"spec": self.plan.features[wildcards.features]}

    def split(self, wildcards: Any) -> Settings:
        """Return an entry of ``splits`` of a paper.yaml, the seed and the limit on trials."""
        settings = self.plan.settings
        return {
            "spec": self.plan.splits[wildcards.split],
            "seed": settings["seed"],
            "max_trials": settings["max_trials"],
        }

    # --- fits, scores and measures ---

    def fit(self, wildcards: Any) -> Settings:
        """Return the entries of the methods with the same fit, the registry keys that it reads, and the seed.

        The method is ``shared`` if another one of them is fitted.
        """
        fit = fit_of(wildcards)
        method = self.plan.methods[self.plan.fit_entry(fit)["use"]]
        return {
            "entries": self.plan.entries_of_fit(fit),
            "method": method.part(*FITTED),
            "seed": self._seed(wildcards.paper, "experiments", wildcards.experiment),
            "shared": self.plan.shared_fit(fit) is not None,
        }

    def fit_modules(self, wildcards: Any) -> list[str]:
        """Return the module of the estimator, and the tuning module if the method is tuned."""
        spec = self.plan.fit_entry(fit_of(wildcards))
        modules = [self.plan.methods[spec["use"]].module]
        return [*modules, TUNING] if "tune" in spec else modules

    def score(self, wildcards: Any) -> Settings:
        """Return the metrics of an experiment."""
        experiment = self.plan.entry(wildcards.paper, "experiments", wildcards.experiment)
        return {"metrics": experiment["metrics"]}

    def measure(self, wildcards: Any) -> Settings:
        """Return the entry of a measure, its methods, its folders by role, and the seed."""
        paper = wildcards.paper
        name = wildcards.measure
        entry = self.plan.entry(paper, "measures", name)
        methods = {}
        for key, params in entry.get("methods", {}).items():
            content = self.plan.methods[key].part(*COMPARED)
            methods[key] = {**content, "params": params}
        predictions = []
        for role, fit in self.plan.measure_fits(paper, name):
            folder = f"results/predictions/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}"
            predictions.append((role, fit.method, folder))
        return {
            "entry": dict(entry),
            "methods": methods,
            "sources": self._measure_sources(paper, name),
            "predictions": predictions,
            "seed": self._seed(paper, "measures", name),
        }

    def _measure_sources(self, paper: str, measure: str) -> dict[str, list[str]]:
        """Return role -> [features folder, splits folder, folder of the extra features if any] of a measure."""
        sources = {}
        for role, (dataset, features, split, extra_features) in self.plan.measure_data(paper, measure).items():
            folders = [f"results/features/{dataset}/{features}"]
            folders.append(f"results/splits/{dataset}/{split}")
            if extra_features:
                folders.append(f"results/features/{dataset}/{extra_features}")
            sources[role] = folders
        return sources

    def measure_modules(self, wildcards: Any) -> list[str]:
        """Return the module of a measure, and the modules of the estimators that it uses."""
        entry = self.plan.entry(wildcards.paper, "measures", wildcards.measure)
        module = entry["function"].partition(".")[0]
        estimators = {self.plan.methods[name].module for name in entry.get("methods", ())}
        return [f"{package_of(wildcards.paper)}.{module}", *sorted(estimators)]

    def _seed(self, paper: str, section: str, name: str) -> int:
        """Return the seed of config.yaml plus the offset of the entry; only registered alternatives have an offset."""
        seed: int = self.plan.settings["seed"]
        offset: int = self.plan.entry(paper, section, name).get(SEED, 0)
        return seed + offset

    # --- comparison, tables, figures ---

    def compare(self, wildcards: Any) -> Settings:
        """Return the dependencies of a paper's verdicts other than its results."""
        paper = wildcards.paper
        plan = self.plan
        return {
            "paper": dict(plan.papers[paper]),
            "roles": plan.roles(paper),
            "tests": self._tests(paper),
            "skipped_results": plan.skipped_results(paper),
            "given": values_in_causes(plan.folders[paper]),
        }

    def compare_all(self, wildcards: Any) -> dict[str, Settings]:
        """Return `compare` of every paper, by name."""
        return {paper: self.compare(SimpleNamespace(paper=paper)) for paper in self.plan.papers}

    def _tests(self, paper: str) -> dict[str, str]:
        """Return the outcomes of the tests to which the files of a paper refer."""
        folder = self.plan.folders[paper]
        paths = (folder / "published.csv", folder / "checks.yaml")
        text = "".join(path.read_text(encoding="utf-8") for path in paths if path.is_file())
        if "test:" not in text:
            return {}
        return {name: outcome for name, outcome in self._test_outcomes.items() if name in text}

    @functools.cached_property
    def _test_outcomes(self) -> dict[str, str]:
        """The outcomes of all tests; cached, because each read computes digests of the tested code."""
        return test_outcomes(self.plan.root / "tests")

    def tables(self, wildcards: Any) -> Settings:
        """Return the entries of a paper's tables by name."""
        return {"entries": self.plan.papers[wildcards.paper]["tables"]}

    def figures(self, wildcards: Any) -> Settings:
        """Return a paper's paper.yaml, its roles, the names of its figures, and the results that this run skips."""
        paper = wildcards.paper
        plan = self.plan
        return {
            "paper": dict(plan.papers[paper]),
            "figures": plan.drawable(paper),
            "roles": plan.roles(paper),
            "skipped_results": plan.skipped_results(paper),
        }

    def figure_modules(self, wildcards: Any) -> list[str]:
        """Return the modules that draw a paper's figures, including the shared one if a figure has a template."""
        figures = self.plan.papers[wildcards.paper]["figures"].values()
        modules = []
        if any("template" not in figure for figure in figures):
            modules.append(f"{package_of(wildcards.paper)}.figures")
        if any("template" in figure for figure in figures):
            modules.append("reproduction.figures.shared_figures")
        return modules

    def alternatives(self, wildcards: Any) -> Settings:
        """Return the paper.yaml of a paper extended by its registered alternatives, and its specification curves."""
        alternatives = self.plan.alternatives[wildcards.paper]
        names = self.plan.settings.get("specifications")
        grids = [asdict(grid) for grid in alternatives.select(names)]
        return {
            "alternatives": {"spec": dict(alternatives.spec), "grids": grids},
            "roles": self.plan.roles(wildcards.paper),
        }

    def specifications(self, wildcards: Any) -> Settings:
        """Return the specification curves of each paper that registers alternatives."""
        grids = {paper: self.plan.alternatives[paper].grids for paper in self.plan.chosen()}
        return {paper: of_paper for paper, of_paper in grids.items() if of_paper}

    # --- reports: without the wildcard ``paper``, the report of the run ---

    def page(self, wildcards: Any) -> Settings:
        """Return the contents of a report other than results."""
        plan = self.plan
        papers = described_papers(plan, wildcards)
        is_of_paper = "paper" in dict(wildcards.items())
        roles = self._report_roles(papers, is_of_paper)
        chosen_with_curves = [paper for paper in self.specifications(wildcards) if paper in papers]
        curves = {paper: self._fresh_curves(paper) for paper in chosen_with_curves}
        recorded = {paper: self._recorded_curves(paper) for paper in papers}
        described = {paper: dict(plan.papers[paper]) for paper in papers}
        configured = {role: dict(plan.settings["roles"][role]) for role in roles}
        not_comparable = [role for role, entry in plan.wanted.items() if entry["comparable"] == "not"]
        selected = [wildcards.paper] if is_of_paper else plan.chosen()
        return {
            "papers": described,
            "roles": configured,
            "titles": self._titles(roles),
            "unnamed": not_comparable,
            "remedies": self._remedies(roles),
            "curves": _without_empty(curves),
            "recorded_curves": _without_empty(recorded),
            "chosen": selected,
            "alone": is_of_paper,
            "rehearsal": plan.settings.get("rehearsal", False),
        }

    def _report_roles(self, papers: Iterable[str], is_of_paper: bool) -> dict[str, Mapping[str, Any]]:
        """Return the configured roles that a report describes: the roles of its paper, or all."""
        if not is_of_paper:
            return dict(self.plan.wanted)
        names = {role for paper in papers for role in self.plan.papers[paper]["roles"]}
        return {role: entry for role, entry in self.plan.wanted.items() if role in names}

    def _titles(self, roles: Mapping[str, Mapping[str, Any]]) -> dict[str, Settings]:
        """Return data set -> title and terms of use, for the data sets of roles and their substitutes."""
        return {name: _title(self.plan.registry[name]) for name in _dataset_names(roles)}

    def _remedies(self, roles: Mapping[str, Mapping[str, Any]]) -> dict[str, Settings]:
        """Return role -> how to obtain its data set, for the roles that have one."""
        remedies = {}
        for role, entry in roles.items():
            if entry["dataset"]:
                remedies[role] = _remedy(self.plan.registry[entry["dataset"]])
        return remedies

    def _recorded_curves(self, paper: str) -> dict[str, str]:
        """Return file -> content of the recorded specification curves of a paper; may be empty."""
        file = self.plan.folders[paper] / RECORDED_CURVES
        return recorded_curves(file, self.plan.alternatives[paper].grids)

    def _fresh_curves(self, paper: str) -> dict[str, str]:
        """Return file -> content of a paper's specification curves if they are up to date.

        They are a parameter and not an input, because an input would make every report run all alternatives.
        """
        folder = Path(f"results/papers/{paper}/specifications")
        if not folder.exists():
            return {}
        settings = self.alternatives(SimpleNamespace(paper=paper))
        code = self.code_of("alternatives", (), STYLES)
        return read_folder(folder) if is_of_today(folder, settings, code) else {}

    def accept(self, wildcards: Any) -> Settings:
        """Return whether missing data are an error, and the reason for each role without data."""
        paper = dict(wildcards.items()).get("paper")
        papers = [paper] if paper else self.plan.chosen()
        out_of_reach = self.plan.out_of_reach(papers)
        return {"strict": self.plan.settings["strict"], "out_of_reach": out_of_reach}

    def provenance(self, wildcards: Any) -> Settings:
        """Return the commit, the configuration, and the versions of a run."""
        plan = self.plan
        return {
            "papers": list(plan.papers),
            "commit": commit_of(plan.root),
            "agent": agent_of(plan.root),
            "settings": dict(plan.settings),
            "versions": versions(),
        }

    def own(self, wildcards: Any) -> Settings:
        """Return the file of an entry of the configuration key ``own``, and its options of ``textmix compare``."""
        entry = self.plan.settings["own"][wildcards.own]
        return {"file": entry["file"], "options": arguments_of(entry), "state": state_of_files(entry)}


# Cached: all jobs of a plan see the code in one state.
_code_parameter = functools.cache(Code.parameter)


def unrecorded(settings: Callable[[Any], Settings]) -> Callable[[Any, Any], Settings]:
    """Return a parameter that Snakemake does not record, because it is too long for the reason of a rerun.

    Snakemake does not record functions of the inputs.  `RuleParams.code` contributes the digest that triggers reruns.
    """
    return lambda wildcards, input: settings(wildcards)


def count_published_rows(plan: Plan) -> dict[str, str]:
    """Count the published values that need each data set."""
    counts: Counter[str] = Counter()
    for paper in plan.papers:
        for _, cells in read_cells(plan.folders[paper] / "published.csv"):
            entry = plan.wanted.get(cells["dataset"])
            if entry:
                counts[entry["dataset"]] += 1
    return {name: str(count) for name, count in counts.items()}


def _dataset_names(roles: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the data sets of roles and their substitutes, sorted."""
    names = set()
    for entry in roles.values():
        names.add(entry["dataset"])
        names.update(substitute["dataset"] for substitute in entry.get("substitutes", ()))
    return sorted(names - {None})


def _without_empty(curves: Mapping[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the papers that have curves."""
    return {paper: files for paper, files in curves.items() if files}


def _title(entry: DatasetEntry) -> Settings:
    return {"title": entry.title, "terms": entry.terms, "no_digest": entry.no_digest}


def _remedy(entry: DatasetEntry) -> Settings:
    """Return how to obtain a data set: title, terms of use, and its files with addresses, sizes and checksums."""
    files = [row._asdict() for row in dataset_table({entry.id: entry})]
    return {"dataset": entry.id, "title": entry.title, "terms": entry.terms, "files": files}
