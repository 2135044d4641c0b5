"""``--outcomes``: write the last outcome of each test that a published equation names.

`make test` gives the option, so that a run of some tests alone changes no verdict.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from reproduction.plan.evidence import OUTCOMES, code_of_test
from textmix.core.io import canonical_json, write_text

TESTS = Path(__file__).parent


def named_tests() -> set[str]:
    """Return the tests that the papers' rows name, such as ``models/test_dcm.py::test_gradient``."""
    sources = set()
    for path in (TESTS.parent / "config/papers").glob("*/published.csv"):
        with path.open(encoding="utf-8", newline="") as lines:
            sources |= {row["source"] for row in csv.DictReader(lines)}
    return {source.removeprefix("test:") for source in sources if source.startswith("test:")}


class Outcomes:
    """The outcomes of the named tests; a test of several cases has passed if all of them have."""

    def __init__(self) -> None:
        self.named, self.passed = named_tests(), dict[str, bool]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of the call of a test, and an error of its fixtures."""
        name = report.nodeid.removeprefix("tests/").partition("[")[0]
        if name in self.named and (report.when == "call" or report.failed):
            self.passed[name] = self.passed.get(name, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Write the outcomes, if a test was run."""
        codes = {file: code_of_test(TESTS, file) for file in sorted({name.partition("::")[0] for name in self.passed})}
        found = {
            name: {"outcome": "passed" if passed else "failed", "code": codes[name.partition("::")[0]]}
            for name, passed in sorted(self.passed.items())
        }
        if found:
            write_text(OUTCOMES, canonical_json(found))
