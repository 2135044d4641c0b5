"""``--outcomes``: write the last outcome of each test that a published equation names.

`make test` gives the option, so that a run of some tests alone changes no verdict.
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
    """The outcomes of the named tests; a test of several cases has passed if all of them have.

    The code is digested before any test is imported, and again at the end.  Where it is another one by then, or a file
    of it was written in between, nobody can tell which code a test saw: its outcome is not written.
    """

    def __init__(self) -> None:
        self.named, self.passed = named_tests(), dict[str, bool]()
        self.started, self.codes = time.time_ns(), dict[str, str]()

    def pytest_sessionstart(self) -> None:
        """Digest the code of the named tests before a worker starts."""
        self.started = time.time_ns()
        files = sorted({name.partition("::")[0] for name in self.named})
        self.codes = {file: code_of_test(TESTS, file) for file in files if (TESTS / file).is_file()}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of the call of a test, and an error of its fixtures."""
        name = report.nodeid.removeprefix("tests/").partition("[")[0]
        if name in self.named and (report.when == "call" or report.failed):
            self.passed[name] = self.passed.get(name, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Write the outcomes, if a test was run, beside their record."""
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
        """Return whether the code of a test's file is that of the start, and no file of it was written since."""
        written = max(path.stat().st_ctime_ns for path in files_of_test(TESTS, file))
        return written < self.started and code_of_test(TESTS, file) == self.codes.get(file)
