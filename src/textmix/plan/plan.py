"""The plan: which data sets, experiments, measures, tables and figures the configuration asks for.

The Snakefile asks it for names and specifications while it parses, so it must stay light: no NumPy, no network.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from textmix.core.config import suggest, validate
from textmix.core.errors import ConfigError
from textmix.core.provenance import code_digest
from textmix.data.registry import DatasetEntry, load_registry
from textmix.plan.matrix import MATRIX, load_matrix
from textmix.plan.methods import Method, load_methods
from textmix.plan.own import OWN, Own
from textmix.plan.papers import check_references, load_papers
from textmix.plan.suites import Suite, load_suites


@dataclass(frozen=True)
class Run:
    """One fit job: an experiment of a paper (or of another study), on one data set, by one method (all trials)."""

    paper: str
    experiment: str
    dataset: str
    method: str


class Plan:
    """Everything the configuration files say, checked against each other.

    Parameters
    ----------
    config : the merged configuration (config.yaml, further files, ``--config``).
    root : the folder with ``config/`` and ``workflow/``.
    own : the user's data and what to do with it (`textmix.plan.own`), or None.

    Attributes
    ----------
    papers : name -> paper.yaml, of the documents.
    studies : the papers and, in the same form, ``matrix`` and ``own``, whose roles are names of data sets.

    Raises
    ------
    ConfigError : a key, name or reference is wrong; the message names file, key and remedy.
    """

    def __init__(self, config: Mapping[str, Any], root: Path, own: Own | None = None) -> None:
        self.root = root
        self.schemas = root / "workflow/schemas"
        validate(_plain(config), self.schemas / "config.schema.yaml", "configuration")
        self.config = config
        self.registry: dict[str, DatasetEntry] = load_registry(root / "config/datasets.yaml")
        self.methods: dict[str, Method] = load_methods()
        self.papers = load_papers(root, self.methods)
        self.suites: dict[str, Suite] = load_suites(root, self.papers)
        self.own = own
        self.matrix = load_matrix(root, config["matrix"], self.registry, self.methods)
        self.studies = {**self.papers, MATRIX: self.matrix.spec}
        if own is not None:
            self.studies[OWN] = own.spec(self.methods, self.registry)
        self.features = self._shared("features")
        self.splits = self._shared("splits")
        self._check_data()
        self._check_doubles()
        self._check_suites()

    def _shared(self, kind: str) -> dict[str, Any]:
        """Join the studies' features or splits; one name must mean one thing, for studies share results."""
        found: dict[str, Any] = {}
        for name, study in self.studies.items():
            for key, spec in study[kind].items():
                if found.setdefault(key, spec) != spec:
                    source = f"config/papers/{name}/paper.yaml" if name in self.papers else f"config/{name}.yaml"
                    raise ConfigError(f"{source}: {kind}.{key} differs from another paper's; rename it")
        return found

    def _check_data(self) -> None:
        """Check that roles name data sets, and that papers name roles, features and splits that there are."""
        for role, entry in self.config["data"].items():
            if entry["dataset"] is not None and entry["dataset"] not in self.registry:
                raise ConfigError(
                    f"configuration: data.{role}: no data set '{entry['dataset']}'; "
                    f"allowed: {', '.join(sorted(self.registry))}"
                )
        for place, name in enumerate(self.config["papers"] or ()):
            if name not in self.papers:
                fault = f"{name!r} is not allowed; {suggest(name, self.papers)}"
                raise ConfigError(f"configuration: papers.{place}: {fault}")
        for name, paper in self.papers.items():
            check_references(name, paper, self.config["data"])

    def _check_doubles(self) -> None:
        """Check that no experiment meets one data set under two roles with different splits: it has one result each."""
        for name, paper in self.papers.items():
            for key, experiment in paper["experiments"].items():
                found: dict[str, str] = {}
                for role, split in experiment["roles"].items():
                    dataset = self.dataset(role)
                    if dataset is not None and found.setdefault(dataset, split) != split:
                        raise ConfigError(
                            f"configuration: data.{role}: '{dataset}' stands for two roles of {name}'s {key}, "
                            "which splits them differently; map one of them to another data set or to null"
                        )

    def _check_suites(self) -> None:
        """Check that the bench's suites name roles, features and splits that there are."""
        for name, suite in self.suites.items():
            for kind, key, known in (
                ("role", suite.role, self.config["data"]),
                ("features", suite.features, self.features),
                ("split", suite.split, self.splits),
            ):
                if key is not None and key not in known:
                    raise ConfigError(f"suites.yaml: {name}: no {kind} '{key}'; allowed: {', '.join(known)}")

    def bench_inputs(self, suite: str) -> list[str]:
        """Return what a suite of the bench reads; nothing where its role has no data set."""
        return self.suites[suite].inputs(self.dataset(self.suites[suite].role))

    def chosen(self) -> list[str]:
        """Return the papers that the configuration asks for."""
        asked = self.config["papers"]
        return [name for name in self.papers if asked is None or name in asked]

    def dataset(self, role: str, study: str = "") -> str | None:
        """Return the data set that stands for a role, or None; a study that is no paper names data sets themselves."""
        if study in (OWN, MATRIX):
            return role
        value: str | None = self.config["data"][role]["dataset"]
        return value

    def roles(self, paper: str) -> dict[str, dict[str, Any]]:
        """Return the configuration's entries of the roles that a paper names."""
        return {role: dict(self.config["data"][role]) for role in self.papers[paper]["roles"]}

    def datasets(self, paper: str) -> list[str]:
        """Return the data sets of a paper that the configuration maps to."""
        found = [self.dataset(role) for role in self.papers[paper]["roles"]]
        return sorted({name for name in found if name is not None})

    def runs(self, study: str) -> Iterator[Run]:
        """Yield the fit jobs of a study."""
        for key, experiment in self.studies[study]["experiments"].items():
            for role in experiment["roles"]:
                dataset = self.dataset(role, study)
                if dataset is not None:
                    yield from (Run(study, key, dataset, method) for method in experiment["methods"])

    def run_inputs(self, run: Run) -> tuple[str, str]:
        """Return features and split of a fit job."""
        experiment = self.studies[run.paper]["experiments"][run.experiment]
        roles = [role for role in experiment["roles"] if self.dataset(role, run.paper) == run.dataset]
        return experiment["features"], experiment["roles"][roles[0]]

    def run_entry(self, run: Run) -> dict[str, Any]:
        """Return an experiment's entry of a method: ``use``, ``params``, ``grid``."""
        entry: dict[str, Any] = self.studies[run.paper]["experiments"][run.experiment]["methods"][run.method]
        return entry

    def measures(self, paper: str) -> list[str]:
        """Return the measures of a paper of which at least one data set is mapped."""
        entries = self.papers[paper]["measures"].items()
        return [key for key, entry in entries if self.measure_sources(paper, key) or not entry["roles"]]

    def measure_sources(self, paper: str, measure: str) -> dict[str, tuple[str, str, str]]:
        """Return role -> (data set, features, split) of a measure, mapped roles only."""
        entry = self.papers[paper]["measures"][measure]
        return {
            role: (dataset, entry["features"], split)
            for role, split in entry["roles"].items()
            if (dataset := self.dataset(role)) is not None
        }

    def measure_runs(self, paper: str, measure: str) -> Iterator[tuple[str, Run]]:
        """Yield role and fit job of the predictions that a measure reads: of all methods of its experiments."""
        entry = self.papers[paper]["measures"][measure]
        for key in entry.get("experiments", ()):
            experiment = self.papers[paper]["experiments"][key]
            for role in self.measure_sources(paper, measure):
                if role in experiment["roles"]:
                    dataset = str(self.dataset(role))
                    yield from ((role, Run(paper, key, dataset, method)) for method in experiment["methods"])

    def feature_sets(self, paper: str) -> list[tuple[str, str]]:
        """Return the (data set, features) pairs that a paper needs, for its statistics as well as its fits."""
        pairs = {(run.dataset, self.run_inputs(run)[0]) for run in self.runs(paper)}
        for measure in self.measures(paper):
            pairs |= {(dataset, features) for dataset, features, _ in self.measure_sources(paper, measure).values()}
        return sorted(pairs)

    def entry_digest(self, dataset: str) -> str:
        """Return a digest of what a registry entry says of sources and content; its prose is left out."""
        entry = self.registry[dataset]
        content = [asdict(source) for source in entry.sources], dict(entry.expect), dict(entry.files)
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def reader_code(self, dataset: str) -> str:
        """Return the digest of parsing a data set: the script, and the readers of all forms it can come in."""
        readers = {source.reader.module for source in self.registry[dataset].sources}
        return self.code("parse", *sorted(readers))

    @functools.cache  # noqa: B019 - one plan lives as long as the process
    def code(self, script: str, *modules: str) -> str:
        """Return the digest of the code that a script reaches, with modules it names only by string."""
        return code_digest(modules, [self.root / "workflow/scripts" / f"{script}.py"])[:16]

    def data_code(self, *patterns: str) -> str:
        """Return a digest of data files of the package (templates, styles), which no syntax tree holds."""
        package = self.root / "src/textmix"
        files = sorted(path for pattern in patterns for path in package.glob(pattern))
        return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]

    def method_code(self, run: Run) -> str:
        """Return what decides whether a fit runs again: digest of the script and all it reaches, and the estimator."""
        entry = self.run_entry(run)
        method = self.methods[entry["use"]]
        ours = [method.module] if method.module.startswith("textmix.") else []
        ours += ["textmix.experiment.tuning"] if "tune" in entry else []
        return f"{self.code('fit', *ours)} {method.estimator}"


def _plain(value: Any) -> Any:
    """Return nested mappings as plain dicts, as the schema validator wants them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
