"""The plan: which data sets, experiments, measures, tables and figures one run consists of; made and checked here.

The workflow asks it for names and specifications while it is parsed, so it stays light: no NumPy, no network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reproduction.flow.papers import check_references, load_papers, source_of
from reproduction.flow.places import outside, paper_folders, read_datasets, read_methods, with_roles
from reproduction.flow.readings import Readings, load_readings
from reproduction.plan.costs import COSTLY, Cost, Costs, load_costs
from reproduction.plan.matrix import MATRIX, Matrix, load_matrix
from reproduction.plan.own import OWN, Own
from reproduction.plan.reach import reach, taken_roles, within_reach
from reproduction.plan.request import WORDS, Model, read_request
from reproduction.plan.scope import Scope
from textmix.core.errors import ConfigError, suggest
from textmix.data.registry import DatasetEntry
from textmix.experiment.methods import Method, variants


@dataclass(frozen=True)
class Run:
    """One fit job: an experiment of a paper (or of another study), on one data set, by one method (all trials)."""

    paper: str
    experiment: str
    dataset: str
    method: str

    @property
    def name(self) -> str:
        """The job's part of the paths of its results."""
        return f"{self.paper}/{self.experiment}/{self.dataset}/{self.method}"


# One plan lives as long as the process; it is compared by identity, for its mappings have no hash.
@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that one run consists of, made and checked by `make_plan`.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    settings : the keys of config.yaml.
    registry : data set -> its entry of config/datasets.yaml.
    methods : method -> its entry of config/methods.yaml.
    papers : name -> content of its paper.yaml, in the order of the papers' ``place``.
    folders : name -> folder of configuration of each paper.
    studies : name -> specification of every study: the papers with their readings and, in the same form, ``matrix``,
        the matrix with other numbers of training documents, and ``own``, whose roles are names of data sets.
    features : name -> how words are counted, of all studies and of models.
    splits : name -> how documents are split, of all studies.
    matrix : the comparison of all methods.
    costs : time and memory of jobs as measured before.
    own : the user's own data, or None.
    model : the model to fit, or None.
    wanted : the roles as the configuration has them; those of ``settings`` name the data sets within reach.
    readings : paper -> its declared readings; ``studies`` has their entries too, and ``papers`` has none of them.
    """

    root: Path
    settings: Mapping[str, Any]
    registry: Mapping[str, DatasetEntry]
    methods: Mapping[str, Method]
    papers: Mapping[str, Mapping[str, Any]]
    folders: Mapping[str, Path]
    studies: Mapping[str, Mapping[str, Any]]
    features: Mapping[str, Any]
    splits: Mapping[str, Any]
    matrix: Matrix
    costs: Costs
    own: Own | None = None
    model: Model | None = None
    wanted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    readings: Mapping[str, Readings] = field(default_factory=dict)

    def chosen(self) -> list[str]:
        """Return the papers that the configuration asks for, in order."""
        asked = self.settings["papers"]
        return [name for name in self.papers if asked is None or name in asked]

    @cached_property
    def scope(self) -> Scope:
        """Which jobs of the papers this run takes."""
        return Scope(self)

    def dataset(self, role: str, study: str = "") -> str | None:
        """Return the data set that stands for a role, or None; the roles of a study that is no paper are data sets."""
        if study and study not in self.papers:
            return role
        value: str | None = self.settings["roles"][role]["dataset"]
        return value

    def stand_ins(self, dataset: str) -> list[str]:
        """Return the data sets of which the first that can be had is read where a download fails, in order.

        There are none where the data set is named elsewhere too: the results of one data set serve all that name it.
        """
        if dataset in self.settings["matrix"] or (self.model is not None and self.model.dataset == dataset):
            return []
        entries = [entry for entry in self.settings["roles"].values() if entry["dataset"] == dataset]
        return [one["dataset"] for one in entries[0].get("stand_ins", ())] if len(entries) == 1 else []

    def roles(self, paper: str) -> dict[str, dict[str, Any]]:
        """Return the configuration's entries of the roles that a paper names."""
        return {role: dict(self.settings["roles"][role]) for role in self.papers[paper]["roles"]}

    def out_of_reach(self, papers: Iterable[str]) -> dict[str, str]:
        """Return role -> the reason why none of its data sets is within reach, of some papers."""
        roles = {role for paper in papers for role in self.papers[paper]["roles"]}
        lost = {role for role in roles if self.wanted[role]["dataset"] and self.dataset(role) is None}
        return {role: self.settings["roles"][role]["note"] for role in sorted(lost)}

    def datasets(self, paper: str) -> list[str]:
        """Return the data sets that stand for the roles of a paper, sorted."""
        found = [self.dataset(role) for role in self.papers[paper]["roles"]]
        return sorted({name for name in found if name is not None})

    def runs(self, study: str) -> Iterator[Run]:
        """Yield the fit jobs of a study, but for those of a paper that this run leaves out."""
        return (run for run in self.all_runs(study) if not self.scope.leaves_out(f"fit/{run.name}"))

    def all_runs(self, study: str) -> Iterator[Run]:
        """Yield the fit jobs of a study, also those that this run leaves out."""
        for key, experiment in self.papers.get(study, self.studies[study])["experiments"].items():
            for role in experiment["roles"]:
                dataset = self.dataset(role, study)
                if dataset is not None:
                    yield from (Run(study, key, dataset, method) for method in experiment["methods"])

    def run_inputs(self, run: Run) -> tuple[str, str]:
        """Return the names of the features and of the split of a fit job."""
        experiment = self.studies[run.paper]["experiments"][run.experiment]
        roles = [role for role in experiment["roles"] if self.dataset(role, run.paper) == run.dataset]
        return experiment["features"], experiment["roles"][roles[0]]

    def counts(self, run: Run) -> tuple[str, str]:
        """Return the data set and the features of a fit job."""
        return run.dataset, self.run_inputs(run)[0]

    def run_entry(self, run: Run) -> dict[str, Any]:
        """Return the experiment's entry of the method of a fit job: ``use``, ``params``, ``grid``, ``tune``."""
        entry: dict[str, Any] = self.studies[run.paper]["experiments"][run.experiment]["methods"][run.method]
        return entry

    def method_of(self, run: Run) -> Method:
        """Return the registry entry of the method of a fit job."""
        return self.methods[self.run_entry(run)["use"]]

    def cells(self, run: Run) -> int:
        """Return the number of jobs of one fit each into which a fit job is cut; 0 where one job makes all its fits.

        Only a job of several fits that took long when it was measured is cut: each further job takes a second to start.
        """
        _, split = self.run_inputs(run)
        fits = self.trials(split) * len(list(variants({}, self.run_entry(run).get("grid", {}))))
        cost = self.cost(run)
        return fits if fits > 1 and cost is not None and cost.seconds > COSTLY else 0

    def cost(self, run: Run) -> Cost | None:
        """Return what all fits of a fit job cost together; None where no such job was measured."""
        return self.costs.estimate("fit", run.name, self.run_entry(run)["use"], self.documents(run.dataset))

    def trials(self, split: str) -> int:
        """Return the number of trials of a split scheme."""
        spec, cap = self.splits[split], self.settings["max_trials"]
        number: int = spec.get("trials", spec.get("folds", 1))
        return min(number, cap or number)

    def documents(self, dataset: str) -> int:
        """Return the number of documents of a data set as the registry states it; 0 where it does not."""
        entry = self.registry.get(dataset)
        return entry.expect.get("documents", 0) if entry else 0

    def measures(self, paper: str) -> list[str]:
        """Return the measures of a paper that have a data set at hand, or need none, and are not left out."""
        return [key for key in self.all_measures(paper) if not self.scope.leaves_out(f"measure/{paper}/{key}")]

    def all_measures(self, paper: str) -> list[str]:
        """Return the measures of a paper for which at least one data set is at hand, or which need none."""
        entries = self.papers[paper]["measures"].items()
        return [key for key, entry in entries if self.measure_sources(paper, key) or not entry["roles"]]

    def measure_sources(self, paper: str, measure: str) -> dict[str, tuple[str, str, str]]:
        """Return role -> (data set, features, split) of a measure, for the roles with a data set."""
        entry = self.studies[paper]["measures"][measure]
        return {
            role: (dataset, entry["features"], split)
            for role, split in entry["roles"].items()
            if (dataset := self.dataset(role)) is not None
        }

    def measure_beside(self, paper: str, measure: str) -> list[tuple[str, str]]:
        """Return the (data set, features) pairs of a measure's further features, a role each; none without any."""
        beside = self.studies[paper]["measures"][measure].get("beside")
        sources = self.measure_sources(paper, measure).values() if beside else ()
        return [(dataset, beside) for dataset, _, _ in sources]

    def measure_runs(self, paper: str, measure: str) -> Iterator[tuple[str, Run]]:
        """Yield role and fit job of the predictions that a measure reads: every method of its ``experiments``."""
        entry = self.studies[paper]["measures"][measure]
        for key in entry.get("experiments", ()):
            experiment = self.studies[paper]["experiments"][key]
            for role in self.measure_sources(paper, measure):
                if role in experiment["roles"]:
                    dataset = str(self.dataset(role))
                    yield from ((role, Run(paper, key, dataset, method)) for method in experiment["methods"])

    def feature_sets(self, paper: str) -> list[tuple[str, str]]:
        """Return the (data set, features) pairs that a paper needs, for its statistics as well as its fits."""
        pairs = {(run.dataset, self.run_inputs(run)[0]) for run in self.runs(paper)}
        for measure in self.measures(paper):
            pairs |= {(dataset, features) for dataset, features, _ in self.measure_sources(paper, measure).values()}
            pairs |= set(self.measure_beside(paper, measure))
        return sorted(pairs)

    def split_sets(self, paper: str) -> list[tuple[str, str]]:
        """Return the (data set, split) pairs that the fits and measures of a paper read, sorted."""
        pairs = {(run.dataset, self.run_inputs(run)[1]) for run in self.runs(paper)}
        for measure in self.measures(paper):
            pairs |= {(dataset, split) for dataset, _, split in self.measure_sources(paper, measure).values()}
        return sorted(pairs)

    def drawable(self, paper: str) -> list[str]:
        """Return the names of a paper's figures; none where the paper's status is ``planned``."""
        spec = self.papers[paper]
        return list(spec["figures"]) if spec["status"] == "built" else []


def make_plan(
    config: Mapping[str, Any],
    files: Iterable[Path],
    root: Path,
    resources: Path | None = None,
    mirror: Path | None = None,
) -> Plan:
    """Return the plan of one run.

    Parameters
    ----------
    config : the merged configuration (config.yaml, further files, ``--config``); it stays as it is.
    files : the configuration files.
    root : the folder with ``config/`` and ``workflow/``.
    resources, mirror : the folders in which data sets may lie already; every data set counts as within reach where
        ``resources`` is None.

    Raises
    ------
    ConfigError : a key, name or reference is wrong; the message names file, key and remedy.
    """
    further = outside(config)
    folders = paper_folders(root, further)
    methods, registry = read_methods(root, further), read_datasets(root, further)
    asked = read_request(with_roles(config, further), files, root / "workflow/schemas", methods, registry)
    papers = load_papers(root, methods, folders)
    settings = {**asked.settings, "roles": _taken(asked.settings, registry, resources, mirror)}
    given = {name: settings[f"matrix_{name}"] for name in ("sizes", "cost") if f"matrix_{name}" in settings}
    matrix = load_matrix(root, settings["matrix"], registry, methods, max_trials=settings["max_trials"], **given)
    own = {OWN: asked.own.spec(methods)} if asked.own else {}
    for name, paper in papers.items():
        check_references(name, paper, asked.settings["roles"])
    readings = load_readings(root, papers, folders, methods, settings["seed"])
    studies = {**{name: one.spec for name, one in readings.items()}, MATRIX: matrix.spec, **matrix.sizes, **own}
    plan = Plan(
        root=root,
        settings=settings,
        registry=registry,
        methods=methods,
        papers=papers,
        studies=studies,
        features={**WORDS, **_shared("features", studies, papers)},
        splits=_shared("splits", studies, papers),
        folders=folders,
        matrix=matrix,
        costs=Costs.of(load_costs(root / "config/costs.csv")),
        own=asked.own,
        model=asked.model,
        wanted=asked.settings["roles"],
        readings=readings,
    )
    for check in (_check_papers, _check_roles, _check_doubles, _check_model):
        check(plan)
    return plan


def _taken(
    settings: Mapping[str, Any], registry: Mapping[str, DatasetEntry], resources: Path | None, mirror: Path | None
) -> dict[str, dict[str, Any]]:
    """Return the roles of the settings, each with a data set within reach; a folder that is None tells of none."""
    roles: Mapping[str, Mapping[str, Any]] = settings["roles"]
    if resources is None:
        return taken_roles(roles, within_reach)
    names = [one["dataset"] for entry in roles.values() for one in (entry, *entry.get("stand_ins", ()))]
    entries = [registry[name] for name in {*names} if name in registry]  # _check_roles refuses further names
    return taken_roles(roles, reach(entries, resources, mirror, largest=settings.get("largest_download")))


def _shared(kind: str, studies: Mapping[str, Mapping[str, Any]], papers: Collection[str]) -> dict[str, Any]:
    """Return the features or splits of all studies by name.

    Studies share these results by name.  A name with two meanings therefore raises ConfigError.
    """
    found: dict[str, Any] = {}
    for name, study in studies.items():
        for key, spec in study[kind].items():
            if found.setdefault(key, spec) != spec:
                source = source_of(name) if name in papers else f"config/{name}.yaml"
                raise ConfigError(f"{source}: {kind}.{key} differs from another paper's; rename it")
    return found


def _check_papers(plan: Plan) -> None:
    """Check that the papers that the configuration asks for exist."""
    for place, name in enumerate(plan.settings["papers"] or ()):
        if name not in plan.papers:
            remedy = suggest(name, plan.papers)
            raise ConfigError(f"configuration: papers.{place}: {name!r} is not allowed; {remedy}")


def _check_roles(plan: Plan) -> None:
    """Check that roles name data sets."""
    for role, entry in plan.wanted.items():
        for name in (one["dataset"] for one in (entry, *entry.get("stand_ins", ()))):
            if name is not None and name not in plan.registry:
                remedy = suggest(name, sorted(plan.registry))
                raise ConfigError(f"configuration: roles.{role}: no data set '{name}'; {remedy}")


def _check_doubles(plan: Plan) -> None:
    """Check that no experiment meets one data set under two roles with different splits.

    An experiment's results are stored by data set, so that the second role would overwrite the first one's.
    """
    for name, paper in plan.papers.items():
        for key, experiment in paper["experiments"].items():
            found: dict[str, str] = {}
            for role, split in experiment["roles"].items():
                dataset = plan.dataset(role)
                if dataset is not None and found.setdefault(dataset, split) != split:
                    raise ConfigError(
                        f"configuration: roles.{role}: '{dataset}' stands for two roles of {name}'s {key}, "
                        "which splits them differently; map one of them to another data set or to null"
                    )


def _check_model(plan: Plan) -> None:
    """Check that the model names a data set and features that exist."""
    if plan.model is None:
        return
    datasets = [*plan.registry, *([plan.own.name] if plan.own else [])]
    for key, value, known in (
        ("data", plan.model.dataset, datasets),
        ("features", plan.model.features, plan.features),
    ):
        if value not in known:
            raise ConfigError(f"configuration: {key}={value}: there is none; {suggest(value, sorted(known))}")
