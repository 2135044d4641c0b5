"""A Python that has imported what tests need, and runs pytest in a fork of itself for each line that it reads.

A run so begins in a hundredth of the second that the imports take.  A line is a JSON object:

    arguments   of pytest
    source      folder that holds the library to test
    seconds     of processor time after which the run is killed
    each        seconds of processor time after which a test is skipped; 0 for no limit
    compiled    whether kernels are compiled, although the environment says that they run as Python

The answer is one line, a JSON object: the exit ``code``, negative for a signal, the ``seconds`` and the ids of the
tests that were ``skipped`` for their time.  Nothing of textmix is imported before the fork.  A property is tried with
at most `EXAMPLES` cases, the same each time, and the smallest case that fails is not looked for.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
from typing import Any

import hypothesis
import numba
import pytest

IMPORTED = (
    *("numba", "numpy", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats", "yaml", "jsonschema"),
    *("sklearn.linear_model", "sklearn.metrics", "sklearn.naive_bayes", "sklearn.svm", "hypothesis.extra.numpy"),
    *("sklearn.utils.estimator_checks", "xdist"),
)
#: Most cases that a property is tried with.
EXAMPLES = 25
#: Times as many seconds by the clock as of processor time, after which a run that waits is ended.
WAITING = 20


class FewExamples(hypothesis.settings):  # type: ignore[misc]
    """Settings of a property, with at most `EXAMPLES` cases."""

    def __init__(self, *parent: Any, max_examples: int = EXAMPLES, **options: Any) -> None:
        super().__init__(*parent, max_examples=min(max_examples, EXAMPLES), **options)


class Limited:
    """A plugin of pytest that skips each test at a limit of processor time, and knows which it has skipped."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.skipped = seconds, list[str]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Run a test under the limit."""

        def late(*_: object) -> None:
            self.skipped.append(item.nodeid)
            pytest.skip("takes long without the compiler")

        signal.signal(signal.SIGPROF, late)
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def run_tests(request: dict[str, Any], answer: int) -> None:
    """Run the tests of a request in this process, and write the ids of skipped ones to a file descriptor."""
    streams = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(streams, number)
    seconds = int(request["seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.alarm(WAITING * seconds)
    sys.path[:0] = [request["source"], os.getcwd()]
    if request["compiled"]:
        os.environ.pop("NUMBA_DISABLE_JIT", None)
        numba.config.DISABLE_JIT = 0
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("forked", derandomize=True, database=None, deadline=None, phases=phases)
    hypothesis.settings.load_profile("forked")
    hypothesis.settings = FewExamples
    limited = Limited(request["each"])
    code = pytest.main(request["arguments"], plugins=[limited])
    os.write(answer, json.dumps(limited.skipped).encode())
    os._exit(code)


def main() -> None:
    """Answer each line of the standard input."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            run_tests(json.loads(line), theirs)
        os.close(theirs)
        with os.fdopen(ours) as stream:
            skipped = stream.read()
        _, status, used = os.wait4(child, 0)
        seconds = round(used.ru_utime + used.ru_stime, 2)
        answer = {"code": os.waitstatus_to_exitcode(status), "seconds": seconds, "skipped": json.loads(skipped or "[]")}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
