"""Readers of the configuration accept any file or raise `ConfigError`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reproduction.flow.locators import read_role_lists
from reproduction.flow.papers import load_papers
from reproduction.verdict.published import read_checks, read_choices, read_published
from tests.fuzzing import bounded_memory, searched, ways
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import ConfigError
from textmix.data.registry import load_registry
from textmix.experiment.methods import load_methods

__all__ = ["bounded_memory"]

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "workflow/schemas"
METHODS = load_methods()
PAPER = "config/papers/naive_bayes"


def _valid(name: str) -> bytes:
    """Return a file of the project; only the first entries of the registry, to save time."""
    content = (ROOT / name).read_bytes()
    if name != "config/datasets.yaml":
        return content
    return yaml.safe_dump(dict(list(yaml.safe_load(content).items())[:3])).encode()


def read_main(root: Path) -> None:
    validate(load_yaml_strict(root / "config/config.yaml"), SCHEMAS / "config.schema.yaml", "config.yaml")


#: File -> its reader, a function of a folder with config/.
READERS: dict[str, Callable[[Path], object]] = {
    "config/config.yaml": read_main,
    "config/datasets.yaml": lambda root: load_registry(root / "config/datasets.yaml", SCHEMAS / "datasets.schema.yaml"),
    "config/methods.yaml": lambda root: load_methods(root / "config/methods.yaml", SCHEMAS / "methods.schema.yaml"),
    f"{PAPER}/paper.yaml": lambda root: load_papers(root, METHODS),
    f"{PAPER}/checks.yaml": lambda root: read_checks(
        root / PAPER / "checks.yaml", SCHEMAS, read_role_lists(root / PAPER / "paper.yaml")
    ),
    f"{PAPER}/choices.yaml": lambda root: read_choices(root / PAPER / "choices.yaml", SCHEMAS),
    f"{PAPER}/published.csv": lambda root: read_published(root / PAPER / "published.csv"),
}
VALID = {name: _valid(name) for name in READERS}
TREES = {name: yaml.load(content, yaml.CSafeLoader) for name, content in VALID.items() if name.endswith(".yaml")}
#: Invalid values.
ODD = st.sampled_from(
    [
        *(None, True, -1, 0, 10**30, float("inf"), float("nan"), "", "x" * 500, "../x", "{a}", "a;b", "a:b", "a\nb"),
        *([], {}, [None], {"a": []}, {"use": "edcm"}, [[["x"]]], "2026-11-22", "%", "~"),
    ]
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with the configuration of the project and one paper."""
    root = tmp_path_factory.mktemp("fuzz")
    for name in READERS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(VALID[name])
    (root / "workflow").mkdir()
    (root / "workflow/schemas").symlink_to(SCHEMAS)
    return root


def read_or_refuse(root: Path, name: str, content: bytes) -> None:
    """Read a file with different content; only a `ConfigError` is allowed."""
    path = root / name
    path.write_bytes(content)
    try:
        READERS[name](root)
    except ConfigError as error:
        assert str(error)
    finally:
        path.write_bytes(VALID[name])


@pytest.mark.parametrize("name", TREES)
@searched(20)
@given(data=st.data())
def test_random_value_is_accepted_or_raises_config_error(root: Path, name: str, data: st.DataObject) -> None:
    tree = copy.deepcopy(TREES[name])
    for _ in range(data.draw(st.integers(1, 3))):
        *above, last = data.draw(st.sampled_from(list(ways(tree)) or [(None,)]))
        if last is None:
            break
        parent = tree
        for key in above:
            parent = parent[key]
        action = data.draw(st.sampled_from(["change", "drop", "rename"]))
        if action == "drop" or (action == "rename" and isinstance(parent, list)):
            del parent[last]
        elif action == "rename":
            parent[data.draw(st.sampled_from(["x", "", 3, "a;b", None, "name", "title"]))] = parent.pop(last)
        else:
            parent[last] = copy.deepcopy(data.draw(ODD))
    if data.draw(st.integers(0, 30)) == 0:
        tree = data.draw(ODD)
    read_or_refuse(root, name, yaml.safe_dump(tree, allow_unicode=True).encode())


@pytest.mark.parametrize("name", READERS)
@searched(20)
@given(
    place=st.floats(0, 1),
    gone=st.integers(0, 40),
    new=st.binary(max_size=6)
    | st.sampled_from([b"*a", b"&a ", b"!!python/name:os.system ", b"? ", b": :", b'"', b"<<: "]),
)
def test_damaged_file_is_accepted_or_raises_config_error(
    root: Path, name: str, place: float, gone: int, new: bytes
) -> None:
    valid = VALID[name]
    start = int(place * len(valid))
    read_or_refuse(root, name, valid[:start] + new + valid[start + gone :])
