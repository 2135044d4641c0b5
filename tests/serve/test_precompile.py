"""`textmix warm`: what it compiled, no later process compiles; and the one line that tells of compilation."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import textmix
from textmix.__main__ import main
from textmix.core.errors import ConfigError
from textmix.numerics import jit
from textmix.serve.precompile import warm

CLASSES = ["EDCMClassifier", "BinaryRelevance", "WordVectorizer", "HMMClassifier"]
#: Fits the classes to other documents, and prints the seconds of compilation.
LATER = """
import numpy as np, textmix
from scipy import sparse
from textmix.numerics.jit import listen
listen()
X, y = sparse.csr_array(np.random.default_rng(5).poisson(0.5, (90, 33))), np.arange(90) % 4
textmix.EDCMClassifier().fit(X, y).predict_proba(X)
textmix.BinaryRelevance().fit(X, np.stack([y == 1, y > 1], axis=1).astype(int)).predict_proba(X)
textmix.WordVectorizer().fit_transform(["other words", "and more"])
textmix.HMMClassifier(n_states=3, random_state=1).fit([[0, 1, 2], [2, 1], [1]], ["a", "b", "a"]).predict([[0]])
print(listen().seconds)
"""


def test_a_later_process_compiles_nothing_that_was_warmed() -> None:
    assert [done.name for done in warm(CLASSES)] == CLASSES
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert done.stdout == "0.0\n" and done.stderr == ""


def test_every_public_class_is_warmed() -> None:
    names = {name for name in textmix.__all__ if hasattr(getattr(textmix, name), "fit")}
    assert {done.name for done in warm() if not done.missing} == names


def test_the_command_prints_a_line_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warm", "MajoritySet", "WordVectorizer"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["MajoritySet", "WordVectorizer"]
    assert main(["warm", "WordVectoriser"]) == 1
    assert "did you mean 'WordVectorizer'" in capsys.readouterr().err
    with pytest.raises(ConfigError, match="unknown class 'nothing'"):
        list(warm(["nothing"]))


def test_long_compilation_is_told_once(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 0.4, 0.9, 0.9, 10.0, 10.05, 10.2, 10.2, 20.0, 20.0, 29.0, 29.0])
    monkeypatch.setattr(jit.time, "perf_counter", lambda: next(clock))
    listener = jit.CompilationListener()
    with caplog.at_level(logging.WARNING, "textmix"):
        listener.on_start(None)  # 0.9 seconds, with a kernel within
        listener.on_start(None)
        listener.on_end(None)
        listener.on_end(None)
        assert listener.seconds == 0.9 and not caplog.records
        listener.on_start(None)
        listener.on_end(None)
        listener.on_start(None)
        listener.on_end(None)
    (warning,) = caplog.records
    assert "textmix warm" in warning.getMessage()
