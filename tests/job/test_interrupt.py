"""An interrupt from the keyboard: one sentence, no traceback, and a process that says what ended it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from reproduction.flow.interrupt import JOB_ENDS, Interrupts
from reproduction.flow.job import job


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupted_job_logs_one_line_without_a_traceback(tmp_path: Any) -> None:
    log = tmp_path / "job.log"
    script = SimpleNamespace(params={}, input=[], output=[], log=[str(log)], rule="fit")
    with pytest.raises(SystemExit) as ended, job(script):
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert log.read_text(encoding="utf-8").splitlines() == [JOB_ENDS]


def test_an_interrupt_is_noted_and_raised() -> None:
    interrupts = Interrupts()
    interrupts.watch()
    assert not interrupts.noted
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert interrupts.noted


def test_an_interrupt_that_follows_at_once_is_part_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    Interrupts().watch()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)
    now[0] += 60.0
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_an_ignored_interrupt_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Interrupts().watch()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_process_prints_a_sentence_and_no_traceback_of_an_interrupt_and_one_of_any_other_error() -> None:
    code = "from reproduction.flow.interrupt import end_quietly; end_quietly('ended'); raise {}"
    for error, said in (("KeyboardInterrupt", False), ("ValueError", True)):
        done = subprocess.run([sys.executable, "-c", code.format(error)], capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert ("Traceback" in done.stderr) == said
        assert ("ended\n" in done.stderr) != said
