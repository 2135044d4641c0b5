"""Evidence from outside the workflow: the latest outcomes of tests.

The outcomes are a parameter of the comparison, so that a new outcome triggers a rerun.  An outcome is valid only while
the tested code is unchanged.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction.flow.code_digests import SHORT, reachable, source_digest
from reproduction.flow.fingerprint import NEUTRAL
from reproduction.flow.folders import RESULTS
from textmix.core import io
from textmix.core.digests import digest_of
from textmix.core.environment import environment
from textmix.core.errors import IntegrityError

#: Outcomes of the tests, written by `make test` instead of a job.
OUTCOMES = RESULTS / "tests/outcomes.json"


def code_of_test(tests: Path, file: str) -> str:
    """Return the digest of all code that a test file reaches, and of the versions of the packages that it imports."""
    files = sources_of_test(tests, file)
    reached = reachable((), files, NEUTRAL)
    digests = {}
    for path in files:
        digest, _ = source_digest(path)
        digests[path.relative_to(tests).as_posix()] = digest[:SHORT]
    versions = environment(reached.packages - {tests.name})
    return digest_of([digests, reached.short(), versions])[:SHORT]


def files_of_test(tests: Path, file: str) -> list[Path]:
    """Return the files that `code_of_test` hashes; see there for the parameters."""
    return reachable((), sources_of_test(tests, file), NEUTRAL).files


def sources_of_test(tests: Path, file: str) -> list[Path]:
    """Return a test file, the reference implementations, the ``conftest.py`` files, and their imports."""
    fixtures = [folder / "conftest.py" for folder in (tests / file).parents if folder.is_relative_to(tests)]
    queue = [tests / file, *(tests / "naive").glob("*.py"), *fixtures]
    sources = set[Path]()
    while queue:
        path = queue.pop()
        if path in sources or not path.is_file():
            continue
        sources.add(path)
        _, imports = source_digest(path)
        for name in imports:
            if name.partition(".")[0] == tests.name:
                module = tests.parent / name.replace(".", "/")
                queue.append(module.with_suffix(".py"))
    return sorted(sources)


def test_outcomes(tests: Path) -> dict[str, str]:
    """Return test -> outcome from `OUTCOMES`, for tests with unchanged code; empty if the file was edited manually."""
    try:
        io.check_result(OUTCOMES)
    except (IntegrityError, OSError):
        return {}
    last: dict[str, dict[str, str]] = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    files = {name.partition("::")[0] for name in last}
    codes = {file: code_of_test(tests, file) for file in sorted(files) if (tests / file).is_file()}
    outcomes = {}
    for name, result in last.items():
        file = name.partition("::")[0]
        if codes.get(file) == result["code"]:
            outcomes[name] = result["outcome"]
    return outcomes
