"""Random small faults in the code, one at a time: the tests of the room must notice each of them.

``make mutants`` draws NUMBER mutants of cosmic-ray's operators among the kernels, the metrics, the decision rules and
the verdicts, runs the tests of `SUITES` without the compiler on each, those of `COMPILED` with it too, and prints those
that no test noticed.  It ends with exit code 1 where fewer than SHARE of them were noticed.  An interpreter with
cosmic-ray runs it; the tests run in the interpreter that ``--python`` names, forked by ``forked.py``.

``--log`` names a file of outcomes.  A mutant that was noticed is not tried again while its module is the same; a
survivor is.  ``survivors.yaml`` lists the survivors that no test of results can notice, each with its reason; SHARE is
of the other ones.
"""

from __future__ import annotations

import argparse
import ast
import collections
import compileall
import difflib
import functools
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

import yaml
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parents[2]
#: Share of the mutants that tests must notice, of those that change a result.
SHARE = 0.95
#: Tests of all kernels of models.
KERNELS = tuple(f"models/test_kernels{family}.py" for family in ("", "_dirichlet", "_linear"))
#: Modules (a pattern below src) -> the tests that prove them, where `proofs_by_name` does not find them.
SUITES = {
    "textmix/models/neighbors/*_kernels.py": ["models/test_neighbors.py"],
    "textmix/models/dirichlet/length_kernels.py": ["models/test_edcm.py", "models/test_dcm.py"],
    "textmix/models/dirichlet/tail_kernels.py": ["models/test_dcm.py", "models/test_edcm.py"],
    "textmix/models/common/count_kernels.py": ["models/test_multinomial.py", "models/test_mixture.py"],
    "textmix/models/naive_bayes/*_kernels.py": ["models/test_discounting.py"],
    "textmix/numerics/lane_kernels.py": ["numerics/test_lane_kernels.py", "models/test_hmm.py"],
    "textmix/numerics/copy_kernels.py": ["models/test_kernels.py", "models/test_pmm_predict.py"],
    "textmix/models/common/heap_kernels.py": ["models/test_cbm.py"],
    "textmix/models/common/f_kernels.py": ["models/test_decisions.py"],
    "textmix/models/network/embedding_kernels.py": ["models/test_networks.py"],
    "textmix/models/linear/l*_kernels.py": ["models/test_linear_batches.py", "models/test_cbm.py"],
    "textmix/models/linear/newton_kernels.py": ["models/test_linear_batches.py"],
    "textmix/models/linear/c*_kernels.py": [
        f"models/test_penalty_path.py::test_{name}"
        for name in (
            "the_support_step_decreases_the_quadratic_and_keeps_the_gradient_that_belongs_to_the_weights",
            "the_support_step_ends_near_the_smallest_value_where_no_sign_changes",
            "the_descent_ends_at_its_most_sweeps",
            "columns_taken_together_are_those_of_the_matrix",
            "objective_is_the_smallest_and_the_gap_bounds_it",
            "l2_equals_liblinear_without_its_penalty_on_the_intercept",
        )
    ],
    "textmix/models/linear/machine_kernels.py": ["models/test_machines.py"],
    "textmix/models/linear/smo_kernels.py": ["models/test_pmm_baselines.py"],
    "textmix/models/pmm/prediction_kernels.py": ["models/test_pmm_predict.py"],
    "textmix/models/pmm/search_kernels.py": ["models/test_pmm_predict.py"],
    "textmix/models/pmm/training_kernels.py": ["models/test_pmm.py"],
    "textmix/models/label_sets/chain_kernels.py": ["models/test_label_baselines.py"],
    "textmix/models/label_sets/chain_sampling_kernels.py": ["models/test_label_baselines.py"],
    "textmix/models/label_sets/chain_search_kernels.py": ["models/test_label_rivals.py"],
    "textmix/models/cbm/*_kernels.py": ["models/test_cbm.py"],
    "textmix/text/float_kernels.py": ["text/test_vectors.py"],
    "textmix/text/skipgram_kernels.py": ["text/test_skipgrams.py"],
    "textmix/text/token_kernels.py": ["text/test_tokenize.py"],
    "textmix/text/vector_kernels.py": ["text/test_vectors.py"],
    "textmix/data/number_kernels.py": [
        *("data/test_number_kernels.py", "data/readers/test_arff.py"),
        *("data/readers/test_libsvm_multilabel.py", "data/readers/test_table_file.py"),
    ],
    "textmix/metrics/*.py": ["metrics"],
    "textmix/data/archives.py": ["data/test_archive.py"],
    "textmix/data/zips.py": ["data/test_zips.py"],
    "textmix/numerics/inner.py": ["numerics/test_jit.py"],
    "textmix/numerics/jit.py": ["numerics/test_jit.py"],
    "textmix/numerics/sort_kernels.py": ["numerics/test_sort_kernels.py"],
    "textmix/numerics/held_code.py": ["numerics/test_jit.py"],
    "textmix/numerics/matrices.py": [
        f"models/test_gate.py::test_{name}"
        for name in (
            "a_sparse_matrix_of_any_form_becomes_the_same_rows",
            "a_damaged_matrix_is_refused",
            "rows_in_the_form_of_the_kernels_share_their_arrays",
            "parts_of_a_cell_are_added_in_one_order_and_without_a_wrap",
            "numbers_that_cannot_be_squared_are_refused",
            "counts_out_of_range_are_refused",
            "a_type_that_kernels_take_stays",
        )
    ],
    "textmix/core/digests.py": ["core/test_digests.py"],
    "textmix/core/provenance.py": [
        f"core/test_provenance.py::test_{name}"
        for name in (
            "one_pass_describes_a_tree_as_the_standard_library_does",
            "all_that_is_imported_is_reached_and_nothing_else",
            "edit_that_cannot_change_a_number_keeps_the_digest",
            "edit_that_can_change_a_number_changes_the_digest",
            "edit_of_the_same_length_is_noticed_within_one_process",
            "edit_of_what_is_not_reached_or_only_names_errors_keeps_the_digest",
            "data_in_the_folder_of_a_modules_name_belong_to_it",
            "a_string_that_is_no_docstring_counts",
            "script_counts_with_all_it_imports",
            "order_and_repetition_of_the_names_do_not_matter",
            "missing_module_is_named_with_the_file_to_correct",
            "digest_does_not_depend_on_where_the_package_lies",
            "stop_lists_count_as_code",
            "every_import_of_ours_can_be_followed",
            "a_module_without_a_distribution_is_digested_with_all_that_it_imports",
            "relative_imports_are_followed",
            "the_digest_of_an_own_module_does_not_depend_on_the_folder_of_the_process",
            "a_module_in_the_folder_of_the_process_alone_does_not_count_by_chance",
            "a_module_of_machine_code_counts_by_its_bytes",
            "a_distribution_counts_by_its_files_if_it_is_installed_as_editable",
        )
    ],
    "reproduction/job/held.py": ["job/test_held.py"],
    "reproduction/verdict/claims.py": ["verdict/test_compare.py", "verdict/test_checks_can_fail.py"],
    "reproduction/verdict/compare.py": ["verdict/test_compare.py"],
    "reproduction/verdict/locate.py": ["verdict/test_locate.py"],
    "reproduction/verdict/published.py": ["verdict/test_published.py"],
}


def proofs_by_name(patterns: Iterable[str]) -> dict[str, list[str]]:
    """Return module -> its tests, of the kernels that no pattern covers: ``x_kernels.py`` has ``test_x.py``.

    The file of tests may also be named ``test_x_kernels.py``, and lies in a room of the tests.
    """
    source = ROOT / "src"
    covered = {path for pattern in patterns for path in source.glob(pattern)}
    found = {}
    for path in sorted({*source.rglob("*_kernels.py")} - covered):
        names = (f"test_{path.stem.removesuffix('_kernels')}.py", f"test_{path.stem}.py")
        tests = [test for name in names for test in sorted((ROOT / "tests").glob(f"*/{name}"))]
        if tests:
            found[path.relative_to(source).as_posix()] = [test.relative_to(ROOT / "tests").as_posix() for test in tests]
    return found


SUITES |= proofs_by_name(SUITES)

#: Modules that write machine code, most of which runs with the compiler alone: the tests of it, which then run too.
COMPILED = {
    "textmix/numerics/lane_kernels.py": ["numerics/test_lane_kernels.py"],
    "textmix/text/float_kernels.py": ["text/test_vectors.py::test_compiled_arithmetic_equals_its_twin_to_the_byte"],
}

#: Mutants that survived once: the pattern, the module, the code and the faulty code.  They are tried before the draw.
ONCE = (
    ("textmix/metrics/*.py", "textmix/metrics/calibration.py", "0.0, 1.0) * bins)", "0.0, 1.0) / bins)"),
    ("textmix/metrics/*.py", "textmix/metrics/ranking.py", "k - 1, (k - 1) * (n - 1)", "k - 1, (k - 1) * n"),
    (
        "textmix/models/linear/c*_kernels.py",
        "textmix/models/linear/coordinate_descent_kernels.py",
        "while sweep < max_sweeps",
        "while sweep <= max_sweeps",
    ),
    ("textmix/data/archives.py", "textmix/data/archives.py", "unpacked > budget", "unpacked > budget + 1"),
    ("textmix/numerics/jit.py", "textmix/numerics/jit.py", "parts = [held_digest(self._kernel), ", "parts = ["),
)


def suite(pattern: str, compiled: bool = False) -> list[str]:
    """Return the tests that prove the modules of a pattern, without or with the compiler."""
    if compiled:
        return COMPILED[pattern]
    return [*(KERNELS if "/models/" in pattern else ()), *SUITES[pattern]]


#: Seconds of processor time of a test, without the compiler, above which it does not prove mutants.
EACH = 2.0
#: Operators that need a choice of variables, and one whose mutants fail when they are imported.
LEFT_OUT = ("core/VariableInserter", "core/VariableReplacer", "core/RemoveDecorator")


@dataclass(frozen=True)
class Mutant:
    """One small fault.

    Parameters
    ----------
    path : of the module.
    operator : of cosmic-ray.
    occurrence : which of the places in the module where the operator applies.
    before, after : the code.
    """

    path: Path
    operator: str
    occurrence: int
    before: str
    after: str

    def said(self) -> str:
        """Return the changed lines."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))

    def change(self) -> tuple[str, str]:
        """Return the changed lines as they were and as they are, without the blanks at their ends."""
        lines = self.said().splitlines()
        before, after = ("\n".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
        return before, after

    def module(self) -> str:
        """Return the path of the module below src."""
        return self.path.relative_to(ROOT / "src").as_posix()

    def room(self) -> str:
        """Return the first two parts of the path, or the first of a module that lies in a room."""
        return "/".join(self.module().split("/")[1:-1])

    def place(self) -> str:
        """Return the module and the operator."""
        return f"{self.module()} {self.operator} {self.occurrence}"


class _Meaning(ast.NodeTransformer):
    """Takes out of a tree what runs no code of a kernel: annotations and decorators."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave the arguments' names and the body."""
        node.decorator_list, node.returns = [], None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leave the name and the body."""
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the target and the value."""
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


@functools.cache
def meaning(code: str) -> str | None:
    """Return a text that is the same for two codes that run alike; None for what is not Python."""
    try:
        return ast.dump(_Meaning().visit(ast.parse(code)))
    except SyntaxError:
        return None


#: A place for a mutant: the pattern of its module, the module, the operator and the number of the occurrence.
Place = tuple[str, Path, str, int]


def places(patterns: Sequence[str]) -> list[Place]:
    """Return where an operator can change something in the modules of some patterns."""
    operators = {name: get_operator(name)() for name in sorted(set(operator_names()) - set(LEFT_OUT))}
    found: list[Place] = []
    for pattern in patterns:
        for path in sorted((ROOT / "src").glob(pattern)):
            nodes = list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))
            for name, operator in operators.items():
                number = sum(len(list(operator.mutation_positions(node))) for node in nodes)
                found += [(pattern, path, name, occurrence) for occurrence in range(number)]
    return found


def mutant_at(place: Place) -> Mutant | None:
    """Return the mutant of a place; None where it runs as the module does, or is not Python."""
    _, path, operator, occurrence = place
    before = path.read_text(encoding="utf-8")
    after = mutate_code(before, get_operator(operator)(), occurrence)
    if after is None or meaning(after) in (meaning(before), None):
        return None
    return Mutant(path, operator, occurrence, before, after)


def draw(found: Sequence[Place], number: int, seed: int) -> list[tuple[str, Mutant]]:
    """Return some mutants at random, module by module."""
    mixed = random.Random(seed).sample(found, len(found))
    drawn: list[tuple[str, Mutant]] = []
    for place in mixed:
        if len(drawn) < number and (mutant := mutant_at(place)) is not None:
            drawn.append((place[0], mutant))
    return sorted(drawn, key=lambda item: (item[0], item[1].path, item[1].operator, item[1].occurrence))


def drawn_once(patterns: Sequence[str], number: int, seed: int, store: Path) -> list[tuple[str, Mutant]]:
    """Return what `draw` returns, which takes a while, from a file where it was made from the same code."""
    code = [path.read_bytes() for pattern in patterns for path in sorted((ROOT / "src").glob(pattern))]
    key = hashlib.sha256(b"".join([repr((patterns, number, seed)).encode(), *code])).hexdigest()
    if store.exists() and (known := json.loads(store.read_text(encoding="utf-8")))["key"] == key:
        return [(pattern, Mutant(Path(path), *rest)) for pattern, path, *rest in known["drawn"]]
    drawn = draw(places(patterns), number, seed)
    rows = [(pattern, str(m.path), m.operator, m.occurrence, m.before, m.after) for pattern, m in drawn]
    store.parent.mkdir(parents=True, exist_ok=True)
    store.write_text(json.dumps({"key": key, "drawn": rows}), encoding="utf-8")
    return drawn


def survivors_of_before(patterns: Sequence[str]) -> list[tuple[str, Mutant]]:
    """Return the mutants of `ONCE` in the modules of some patterns."""
    found = []
    for pattern, module, code, faulty in (each for each in ONCE if each[0] in patterns):
        path = ROOT / "src" / module
        before = path.read_text(encoding="utf-8")
        assert before.count(code) == 1, f"{module} does not hold {code!r} once"
        found.append((pattern, Mutant(path, "by hand", 0, before, before.replace(code, faulty))))
    return found


class Tests:
    """Runs tests on a copy of the library, without the compiler unless it is asked for, in forks of one process.

    Parameters
    ----------
    python : the interpreter of the tests.
    source : folder of the copy; its byte code is valid by the content of a module, not by its time.  The machine code
        of its kernels lies beside it.
    """

    def __init__(self, python: str, source: Path) -> None:
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        compileall.compile_dir(source, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        self.source = source
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self.server = subprocess.Popen(
            [python, str(Path(__file__).with_name("forked.py"))],
            cwd=ROOT,
            env={**os.environ, **threads, "NUMBA_DISABLE_JIT": "1", "TEXTMIX_CACHE": str(source.parent / "cache")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.known: dict[tuple[str, bool], tuple[float, list[str]]] = {}
        self.failing: set[str] = set()

    def run(self, pattern: str, seconds: float, each: float, without: Sequence[str], compiled: bool) -> dict[str, Any]:
        """Run the tests of a pattern but for some, in the given processor time; return what ``forked.py`` answers."""
        options = ["-q", "-x", "-n", "0", "--tb", "no", "-p", "no:cacheprovider", "-W", "ignore"]
        left_out = [f"--deselect={test}" for test in without]
        request = {
            "arguments": [*options, *left_out, *(f"tests/{test}" for test in suite(pattern, compiled))],
            **{"source": str(self.source), "seconds": seconds, "each": each, "compiled": compiled},
        }
        assert self.server.stdin is not None and self.server.stdout is not None
        print(json.dumps(request), file=self.server.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.server.stdout.readline())
        return answer

    def as_it_is(self, pattern: str, compiled: bool) -> tuple[float, list[str]]:
        """Return the seconds that the tests of a pattern take on the code as it is, and those that take too long."""
        if (pattern, compiled) not in self.known:
            each = 0 if compiled else EACH
            found = self.run(pattern, 3600, each, [], compiled)
            if found["code"] != 0:
                print(f"the tests of {pattern} fail on the code as it is, so that they prove nothing", flush=True)
                self.failing.add(pattern)
            self.known[pattern, compiled] = found["seconds"] - each * len(found["skipped"]), found["skipped"]
        return self.known[pattern, compiled]

    def survives(self, pattern: str, mutant: Mutant) -> bool:
        """Say whether no test notices a mutant; tests that take thrice as long have noticed."""
        for compiled in (False, True)[: 1 + (pattern in COMPILED)]:
            seconds, slow = self.as_it_is(pattern, compiled)
            if pattern in self.failing:
                return True
            victim = self.source / mutant.path.relative_to(ROOT / "src")
            victim.write_text(mutant.after, encoding="utf-8")
            found = self.run(pattern, 5 + 3 * seconds, 0, slow, compiled)
            victim.write_text(mutant.before, encoding="utf-8")
            if found["code"] != 0:
                return False
        return True


def read_log(path: Path) -> set[str]:
    """Return the digests of the mutants that tests have noticed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    entries = [json.loads(line) for line in lines]
    return {entry["digest"] for entry in entries if not entry["survived"]}


def survivors(tests: Tests, drawn: Sequence[tuple[str, Mutant]], log: Path) -> Iterator[Mutant]:
    """Run the tests on each mutant that no earlier run noticed, and yield those that survive."""
    noticed = read_log(log)
    log.parent.mkdir(parents=True, exist_ok=True)
    for number, (pattern, mutant) in enumerate(drawn, start=1):
        digest = hashlib.sha256(mutant.after.encode()).hexdigest()
        if digest in noticed:
            continue
        survived = tests.survives(pattern, mutant)
        with log.open("a", encoding="utf-8") as lines:
            print(json.dumps({"digest": digest, "module": mutant.module(), "survived": survived}), file=lines)
        print(f"{number:4} of {len(drawn)} {'SURVIVED' if survived else 'noticed '} {mutant.place()}", flush=True)
        if survived:
            yield mutant


def listed() -> Mapping[tuple[str, str, str], str]:
    """Return the reasons of the survivors that no test can notice, by module, line and faulty line."""
    entries = yaml.safe_load(Path(__file__).with_name("survivors.yaml").read_text(encoding="utf-8"))
    return {
        (entry["module"], before, after): f"{entry['effect']}: {entry['reason']}"
        for entry in entries
        for before, after in entry["changes"]
    }


def table(drawn: Sequence[tuple[str, Mutant]], left: Sequence[Mutant]) -> str:
    """Return a line for each room: mutants, and how many of them were noticed."""
    rooms = collections.Counter(mutant.room() for _, mutant in drawn)
    lost = collections.Counter(mutant.room() for mutant in left)
    return "\n".join(
        f"{room:20} {number - lost[room]:4} of {number:4} noticed" for room, number in sorted(rooms.items())
    )


def arguments_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the tests")
    parser.add_argument("--only", choices=SUITES, action="append", help="a group of modules; else all")
    parser.add_argument("--log", type=Path, default=ROOT / "logs/mutants.jsonl", help="outcomes, from which to go on")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw mutants, run the tests, print the survivors; return 1 where too many survived."""
    options = arguments_of(arguments)
    store = options.log.with_suffix(".drawn.json")
    patterns = options.only or list(SUITES)
    drawn = drawn_once(patterns, options.number, options.seed, store)
    print(f"{len(drawn)} mutants", flush=True)
    with tempfile.TemporaryDirectory(prefix="textmix-mutants-") as folder:
        tests = Tests(options.python, Path(folder) / "src")
        again = list(survivors(tests, survivors_of_before(patterns), options.log))
        left = list(survivors(tests, drawn, options.log))
    known = listed()
    for mutant in (*again, *left):
        reason = known.get((mutant.module(), *mutant.change()), "NOT LISTED")
        print(f"\n{mutant.place()}\n{mutant.said()}\n{reason}")
    explained = sum((mutant.module(), *mutant.change()) in known for mutant in left)
    noticed, others = len(drawn) - len(left), len(drawn) - explained
    print(f"\n{table(drawn, left)}\n{noticed} of {len(drawn)} mutants were noticed: {noticed / len(drawn):.1%}")
    print(f"{explained} survivors are listed; of the other {others} mutants {noticed / others:.1%} were noticed")
    return 0 if noticed / others >= SHARE and not again else 1


if __name__ == "__main__":
    sys.exit(main())
