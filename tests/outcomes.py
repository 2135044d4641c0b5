"""The option ``--outcomes`` writes the outcomes of the tests that published equations refer to.

Only `make test` sets the option, so that running a few tests changes no verdict.
"""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest

from reproduction.flow.equation_tests import OUTCOMES, code_of_test, files_of_test
from textmix.core.io import canonical_json, write_result

TESTS = Path(__file__).parent


def named_tests() -> set[str]:
    """Return the tests that the papers' rows name, such as ``models/test_dcm.py::test_gradient``."""
    sources = set()
    for path in (TESTS.parent / "config/papers").glob("*/published.csv"):
        with path.open(encoding="utf-8", newline="") as lines:
            sources |= {row["source"] for row in csv.DictReader(lines)}
    return {source.removeprefix("test:") for source in sources if source.startswith("test:")}


class Outcomes:
    """Collect the outcomes of the tests of equations; a parametrised test passes if all its cases pass.

    The digest of the code is computed before any test is imported and again at the end.  If it has changed, or a file
    was modified in between, it is unknown which code was tested, and the outcome is not written.
    """

    def __init__(self) -> None:
        self.named, self.passed = named_tests(), dict[str, bool]()
        self.started, self.codes = time.time_ns(), dict[str, str]()

    def pytest_sessionstart(self) -> None:
        """Compute the digests of the tested code before a worker starts."""
        self.started = time.time_ns()
        files = sorted({name.partition("::")[0] for name in self.named})
        self.codes = {file: code_of_test(TESTS, file) for file in files if (TESTS / file).is_file()}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of the call of a test, and an error of its fixtures."""
        name = report.nodeid.removeprefix("tests/").partition("[")[0]
        if name in self.named and (report.when == "call" or report.failed):
            self.passed[name] = self.passed.get(name, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Write the outcomes and their metadata if a test was run."""
        files = sorted({name.partition("::")[0] for name in self.passed})
        sure = {file for file in files if self._is_as_it_was(file)}
        found = {
            name: {"outcome": "passed" if passed else "failed", "code": self.codes[name.partition("::")[0]]}
            for name, passed in sorted(self.passed.items())
            if name.partition("::")[0] in sure
        }
        if found:
            write_result(OUTCOMES, canonical_json(found), {})

    def _is_as_it_was(self, file: str) -> bool:
        """Return whether the code that a test uses is unchanged since the start."""
        written = max(path.stat().st_ctime_ns for path in files_of_test(TESTS, file))
        return written < self.started and code_of_test(TESTS, file) == self.codes.get(file)
