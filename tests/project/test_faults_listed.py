"""The list of faults in CONTRIBUTING.md is whole, and each proof that it names exists."""

from __future__ import annotations

import ast
import collections
import re
from pathlib import Path

import yaml

from tests.attacks.chaos import FAULTS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (F\d.*?) \| (.*?) \|$", TEXT, re.MULTILINE)


def numbers(text: str) -> set[str]:
    """Return the numbers of faults that a text names."""
    return set(re.findall(r"\bF\d+\b", text))


def test_every_fault_of_the_list_has_a_proof_that_exists() -> None:
    assert set.union(*(numbers(faults) for faults, _ in ROWS)) == {f"F{number}" for number in range(1, 27)}
    for _, proofs in ROWS:
        named = re.findall(r"`(tests/[^`]+)`", proofs)
        assert named or "`make chaos`" in proofs
        assert all((ROOT / path).is_file() for path in named)


def test_every_way_to_a_stale_result_has_a_test_that_exists() -> None:
    rows = re.findall(r"^\| (\d+) .* \| `(tests/.*?)::(\w+)` \|$", TEXT, re.MULTILINE)
    assert [int(number) for number, *_ in rows] == list(range(1, 22))
    for _, file, test in rows:
        assert f"\ndef {test}(" in (ROOT / file).read_text(encoding="utf-8")


def test_make_chaos_runs_the_faults_that_the_list_gives_to_it() -> None:
    alone = set.union(*(numbers(faults) for faults, proofs in ROWS if proofs == "`make chaos`"))
    run = set.union(*(numbers(fault.number) for fault in FAULTS.values()))
    assert alone <= run


#: Kernels in which no fault is planted, each with the reason.
NO_RESULT = {"textmix/numerics/prefetch_kernels.py": "asks for memory early; no number depends on it"}


def test_faults_are_planted_in_every_kernel_by_one_suite_whose_tests_exist() -> None:
    tree = ast.parse((ROOT / "tests/attacks/mutants.py").read_text(encoding="utf-8"))
    named = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    suites = named["SUITES"]
    assert isinstance(suites, ast.Dict)
    source = ROOT / "src"
    patterns = [ast.literal_eval(key) for key in suites.keys if key is not None]
    covered = collections.Counter(path for pattern in patterns for path in source.glob(pattern))
    # The others are proved by tests of their name, as `proofs_by_name` finds them.
    for path in {*source.rglob("*_kernels.py")} - covered.keys():
        names = (f"test_{path.stem.removesuffix('_kernels')}.py", f"test_{path.stem}.py")
        if any([*ROOT.glob(f"tests/*/{name}")] for name in names):
            covered[path] += 1
    assert set(covered.values()) == {1}
    kernels = {path.relative_to(source).as_posix() for path in source.rglob("*_kernels.py")}
    assert kernels - {path.relative_to(source).as_posix() for path in covered} == set(NO_RESULT)
    texts = [str(node.value) for value in suites.values for node in ast.walk(value) if isinstance(node, ast.Constant)]
    tests = {text.partition("::")[0] for text in texts if "/" in text}
    assert all((ROOT / "tests" / name).is_file() for name in tests) and len(tests) > 20


def test_every_fault_that_once_survived_stands_in_code_of_today() -> None:
    tree = ast.parse((ROOT / "tests/attacks/mutants.py").read_text(encoding="utf-8"))
    named = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    before = ast.literal_eval(named["ONCE"])
    assert len(before) == 5
    for _, module, code, faulty in before:
        assert (ROOT / "src" / module).read_text(encoding="utf-8").count(code) == 1 and code != faulty


def test_every_listed_survivor_is_a_change_of_a_line_that_stands_in_its_module_and_has_a_reason() -> None:
    for entry in yaml.safe_load((ROOT / "tests/attacks/survivors.yaml").read_text(encoding="utf-8")):
        lines = (ROOT / "src" / entry["module"]).read_text(encoding="utf-8").splitlines()
        assert entry["effect"] in ("none", "memory", "speed") and entry["reason"].endswith(".")
        for before, after in entry["changes"]:
            assert before in {line.strip() for line in lines} and before != after, before
