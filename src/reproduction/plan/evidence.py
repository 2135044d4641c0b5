"""Evidence that no job of a run makes: the last outcomes of tests, and the ratios of the last bench.

Both are settings of the comparison, so that a new outcome or ratio makes it again.  Evidence counts only while the code
behind it is the same.
"""

from __future__ import annotations

import json
from pathlib import Path

from reproduction.job.recipes import NEUTRAL, Code
from textmix.core import io
from textmix.core.digests import digest_of
from textmix.core.provenance import SHORT, reachable

#: Test, such as ``models/test_dcm.py::test_gradient`` -> its last outcome and the digest of its code, as `make test`
#: writes it.
OUTCOMES = Path("results/tests/outcomes.json")


def code_of_test(tests: Path, file: str) -> str:
    """Return the digest of a test's file, of the slow plain implementations, and of all modules that they reach.

    Parameters
    ----------
    tests : the folder of the tests.
    file : path of the test's file in it.
    """
    twins = sorted((tests / "naive").glob("*.py"))
    return digest_of(reachable((), [tests / file, *twins], NEUTRAL).short())[:SHORT]


def test_outcomes(tests: Path) -> dict[str, str]:
    """Return test -> ``passed`` or ``failed``, for the tests whose code is that of their last outcome.

    Parameters
    ----------
    tests : the folder of the tests.
    """
    if not OUTCOMES.is_file():
        return {}
    last: dict[str, dict[str, str]] = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    files = {name.partition("::")[0] for name in last}
    codes = {file: code_of_test(tests, file) for file in sorted(files) if (tests / file).is_file()}
    return {name: one["outcome"] for name, one in last.items() if codes.get(name.partition("::")[0]) == one["code"]}


def time_ratios(suite: str, code: Code) -> dict[str, list[float]]:
    """Return ``<bench>/<candidate>`` -> [ratio of times to the peer, low, high] of one suite; empty if it is outdated.

    Parameters
    ----------
    suite : its name.
    code : where the code of the suite starts.
    """
    path = Path(f"results/bench/{suite}.csv")
    if not path.is_file() or not path.stat().st_size or io.read_meta(path).get("code") != code.state()[0]:
        return {}
    keys = ("ratio_to_peer", "ratio_low", "ratio_high")
    rows = (row for row in io.read_csv(path) if row["ratio_low"])
    return {f"{row['bench']}/{row['candidate']}": [float(row[key]) for key in keys] for row in rows}
