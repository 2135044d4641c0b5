"""The suites of the bench, by name: ``config/bench.yaml`` and ``config/papers/<paper>/bench.yaml``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError

#: Rounds in which the bench times each candidate; and of a quick bench, the fewest that give an interval.
ROUNDS, FEW = 5, 2
_SCHEMA = "workflow/schemas/bench.schema.yaml"


#: Modules of the packages of requirements-bench.lock; the bench names one that is not installed, and runs without it.
PEERS = ("bs4", "celer", "fasttext", "gensim", "hmmlearn", "napkinxc", "skglm", "vowpalwabbit")


@dataclass(frozen=True)
class Suite:
    """One suite: kernels timed beside other implementations on one data set.

    Parameters
    ----------
    name : of the suite.
    run : ``module:function``; the function returns the rows of the suite's table.
    role : the role for which its data set stands.
    takes : the arguments of the function, see the schema.
    features : name of the features by which words are counted; None for the data set as parsed.
    split : name of the split scheme where ``takes`` is ``split``, else None.
    quick : a quick bench takes one document in so many; files are taken whole.
    """

    name: str
    run: str
    role: str
    takes: str
    features: str | None = None
    split: str | None = None
    quick: int = 4

    @property
    def module(self) -> str:
        """Module of the function."""
        return self.run.split(":")[0]


def load_suites(root: Path, papers: Iterable[Path]) -> dict[str, Suite]:
    """Read the suites of no paper, then those of each paper.

    Parameters
    ----------
    root : the folder with ``config/`` and ``workflow/``.
    papers : folders of the papers, in order; a paper without a ``bench.yaml`` has no suite.

    Returns
    -------
    name -> suite.

    Raises
    ------
    ConfigError : a file does not follow its schema, or an entry has the name of another suite or a split without use.
    """
    suites: dict[str, Suite] = {}
    for path in (root / "config/bench.yaml", *(folder / "bench.yaml" for folder in papers)):
        source = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        if path.is_file():
            raw = load_yaml_strict(path)
            validate(raw, root / _SCHEMA, source)
            for name, entry in raw.items():
                if name in suites:
                    raise ConfigError(f"{source}: {name}: another suite has this name; rename one of them")
                if (entry["takes"] == "split") != ("split" in entry):
                    raise ConfigError(f"{source}: {name}: takes split and the key split go together; add or remove one")
                suites[name] = Suite(name=name, **entry)
    return suites
