"""Random small faults in the code, one at a time: the tests of the room must notice each of them.

``make mutants`` draws NUMBER mutants of cosmic-ray's operators among the kernels, the metrics, the decision rules and
the verdicts, runs the tests of `SUITES` without the compiler on each, and prints those that no test noticed.  It ends
with exit code 1 where fewer than SHARE of them were noticed.  An interpreter with cosmic-ray runs it; the tests run in
the interpreter that ``--python`` names.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parents[2]
#: Share of the mutants that tests must notice.
SHARE = 0.95
#: Modules (a pattern below src/textmix) -> the tests that prove them.
SUITES = {
    "models/neighbours/*_kernels.py": ["models/test_neighbours.py"],
    "models/dirichlet/edcm_kernels.py": ["models/test_edcm.py"],
    "models/dirichlet/length_kernels.py": ["models/test_edcm.py", "models/test_dcm.py"],
    "models/dirichlet/dcm_kernels.py": ["models/test_dcm.py"],
    "models/dirichlet/latent_edcm_kernels.py": ["models/test_latent_edcm.py"],
    "models/dirichlet/tail_kernels.py": ["models/test_edcm.py", "models/test_dcm.py"],
    "models/common/special_kernels.py": ["models/test_special.py"],
    "models/common/count_kernels.py": ["models/test_multinomial.py", "models/test_mixture.py"],
    "models/naive_bayes/*_kernels.py": ["models/test_discounting.py"],
    "models/linear/*_kernels.py": ["models/test_linear_batches.py", "models/test_penalty_path.py"],
    "models/pmm/prediction_kernels.py": ["models/test_pmm_predict.py"],
    "models/pmm/training_kernels.py": ["models/test_pmm.py"],
    "models/label_sets/*_kernels.py": ["models/test_label_baselines.py"],
    "models/cbm/*_kernels.py": ["models/test_cbm.py"],
    "text/skipgram_kernels.py": ["text/test_skipgrams.py"],
    "text/token_kernels.py": ["text/test_tokenize.py"],
    "data/number_kernels.py": ["data/test_readers_numbers.py"],
    "metrics/*.py": ["metrics"],
    "verdict/claims.py": ["verdict/test_compare.py", "verdict/test_checks_can_fail.py"],
    "verdict/compare.py": ["verdict/test_compare.py"],
    "verdict/locate.py": ["verdict/test_locate.py"],
    "verdict/published.py": ["verdict/test_published.py"],
}

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
        return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


class _Meaning(ast.NodeTransformer):
    """Takes out of a tree what runs no code of a kernel: annotations and decorators."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave the arguments' names and the body."""
        node.decorator_list, node.returns = [], None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the target and the value."""
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def meaning(code: str) -> str | None:
    """Return a text that is the same for two codes that run alike; None for what is not Python."""
    try:
        return ast.dump(_Meaning().visit(ast.parse(code)))
    except SyntaxError:
        return None


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a module that change what runs."""
    before = path.read_text(encoding="utf-8")
    same = meaning(before)
    for name in sorted(set(operator_names()) - set(LEFT_OUT)):
        occurrence = 0
        while (after := mutate_code(before, get_operator(name)(), occurrence)) is not None:
            if meaning(after) not in (same, None):
                yield Mutant(path, name, occurrence, before, after)
            occurrence += 1


def run_tests(python: str, source: Path, tests: Sequence[str], seconds: float) -> bool:
    """Say whether tests pass on a copy of the library, within so many seconds, without the compiler."""
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}", "NUMBA_DISABLE_JIT": "1"}
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore"]
    try:
        done = subprocess.run(
            [python, "-m", "pytest", *options, *(f"tests/{test}" for test in tests)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survivors(python: str, drawn: Sequence[tuple[str, Mutant]], source: Path) -> Iterator[Mutant]:
    """Run the tests on each mutant and yield those that none of them noticed; a test that hangs has noticed."""
    allowed: dict[str, float] = {}
    for number, (pattern, mutant) in enumerate(drawn, start=1):
        if pattern not in allowed:
            begun = time.monotonic()
            if not run_tests(python, source, SUITES[pattern], 3600):
                raise SystemExit(f"the tests of {pattern} fail on the code as it is")
            allowed[pattern] = 30 + 4 * (time.monotonic() - begun)
        victim = source / mutant.path.relative_to(ROOT / "src")
        victim.write_text(mutant.after, encoding="utf-8")
        survived = run_tests(python, source, SUITES[pattern], allowed[pattern])
        victim.write_text(mutant.before, encoding="utf-8")
        place = f"{mutant.path.relative_to(ROOT / 'src/textmix')} {mutant.operator}"
        print(f"{number:4} of {len(drawn)} {'SURVIVED' if survived else 'noticed '} {place}", flush=True)
        if survived:
            yield mutant


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw mutants, run the tests, print the survivors; return 1 where too many survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=300, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the tests")
    parser.add_argument("--only", choices=SUITES, action="append", help="a group of modules; else all")
    options = parser.parse_args(arguments)
    library = ROOT / "src/textmix"
    found = [
        (pattern, mutant)
        for pattern in options.only or SUITES
        for path in sorted(library.glob(pattern))
        for mutant in mutants_of(path)
    ]
    drawn = random.Random(options.seed).sample(found, min(options.number, len(found)))
    drawn.sort(key=lambda item: (item[0], item[1].path, item[1].operator, item[1].occurrence))
    print(f"{len(drawn)} of {len(found)} mutants", flush=True)
    with tempfile.TemporaryDirectory(prefix="textmix-mutants-") as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        left = list(survivors(options.python, drawn, source))
    for mutant in left:
        print(f"\n{mutant.path.relative_to(ROOT)} {mutant.operator} {mutant.occurrence}\n{mutant.said()}")
    noticed = 1 - len(left) / len(drawn)
    print(f"\n{noticed:.1%} of {len(drawn)} mutants were noticed")
    return 0 if noticed >= SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
