"""The worker processes of a race, as seen by the race: orders, answers, limits, and the end of what does not answer."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textmix.core.errors import MissingResult

#: Seconds beyond the limit of an order, and share of the limit, after which a worker that does not answer is ended.
LATE, SHARE = 0.75, 0.1
#: Name of the file with what the workers print.
LOG = "workers.log"


def log_of_failure() -> Path:
    """Return the file in which what the workers printed stays after a race that failed."""
    return Path(tempfile.gettempdir(), f"textmix-{LOG}")


@dataclass
class _Process:
    """One worker: its process, the order under way with its token and time of the end, and what it wrote so far."""

    process: subprocess.Popen[bytes]
    ready: bool = False
    token: Any = None
    since: float = 0.0
    ends: float = float("inf")
    buffer: bytes = b""
    cpu: float = 0.0


@dataclass
class Workers:
    """Some worker processes.

    Parameters
    ----------
    folder : of the race.
    number : of processes.
    memory : bytes that each of them may hold; 0 for no limit.
    module : which they run.
    """

    folder: Path
    number: int
    memory: int = 0
    module: str = "textmix.race.worker"
    #: Processor seconds of the workers that ended.
    spent: float = 0.0
    #: Of this and of the others, what their start took.
    started: float = 0.0
    _all: list[_Process] = field(default_factory=list)

    def start(self) -> None:
        """Start the processes; they import while the race reads the data."""
        self._all += [self._new() for _ in range(self.number - len(self._all))]

    def _new(self) -> _Process:
        """Return a new process, in a session of its own, so that ^C reaches the race alone."""
        command = [sys.executable, "-m", self.module, str(self.folder), str(self.memory)]
        paths = [path for path in sys.path if path] if not sys.flags.isolated else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        with open(self.folder / LOG, "ab") as log:
            process = subprocess.Popen(  # noqa: S603 - this interpreter, and a module of this package
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
        if process.stdout is not None:
            os.set_blocking(process.stdout.fileno(), False)
        return _Process(process)

    @property
    def free(self) -> int:
        """Number of processes that wait for an order."""
        return sum(each.ready and each.token is None for each in self._all)

    @property
    def busy(self) -> list[Any]:
        """The tokens of the orders under way."""
        return [each.token for each in self._all if each.token is not None]

    @property
    def cpu_seconds(self) -> float:
        """Processor seconds of all workers so far."""
        return self.spent + sum(each.cpu for each in self._all)

    def give(self, token: Any, order: Mapping[str, Any], limit: float | None) -> None:
        """Give an order to a free worker.

        Parameters
        ----------
        token : what `wait` returns with the answer.
        order : as JSON can hold it.
        limit : seconds that it may take; None for no limit.
        """
        worker = next(each for each in self._all if each.ready and each.token is None)
        worker.token, worker.since = token, time.monotonic()
        worker.ends = float("inf") if limit is None else worker.since + limit * (1.0 + SHARE) + LATE
        line = json.dumps({**order, "limit": limit}) + "\n"
        if worker.process.stdin is not None:
            with suppress(BrokenPipeError):  # it died; `wait` finds out
                worker.process.stdin.write(line.encode())
                worker.process.stdin.flush()

    def wait(self, seconds: float) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield (token, answer) of the orders that ended within some seconds, as soon as there are any.

        The answer of a worker that died or was ended has a ``reason`` and ``seconds``, like that of an order that
        failed.
        """
        until = min([time.monotonic() + seconds, *(each.ends for each in self._all)])
        with selectors.DefaultSelector() as selector:
            for each in self._all:
                if each.process.stdout is not None:
                    selector.register(each.process.stdout, selectors.EVENT_READ, each)
            events = selector.select(max(until - time.monotonic(), 0.0))
        for key, _ in events:
            yield from self._read(key.data)
        now = time.monotonic()
        for each in [each for each in self._all if each.token is not None and now > each.ends]:
            yield from self._replace(each, f"was ended after {now - each.since:.1f} s; give it more time", late=True)

    def _read(self, worker: _Process) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield the answer of a worker, if it is whole, or that it died."""
        assert worker.process.stdout is not None  # noqa: S101 - a pipe
        data = worker.process.stdout.read()
        if data == b"":
            yield from self._replace(worker, "its process ended, most likely for want of memory", late=False)
            return
        worker.buffer += data or b""
        while b"\n" in worker.buffer:
            line, worker.buffer = worker.buffer.split(b"\n", 1)
            found = json.loads(line)
            worker.cpu += found.get("cpu_seconds", 0.0)
            if not worker.ready:
                worker.ready = True
                self.started += found.get("cpu_seconds", 0.0)
                continue
            token, worker.token, worker.ends = worker.token, None, float("inf")
            yield token, found

    def _replace(self, worker: _Process, reason: str, late: bool) -> Iterator[tuple[Any, dict[str, Any]]]:
        """End a worker, start another one, and yield the answer of its order, if it had one."""
        started, before = worker.ready, worker.cpu
        spent = self._end(worker) - before
        self._all.remove(worker)
        if not started:
            log = (self.folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise MissingResult(f"a worker process did not start: {log[-1] if log else 'it said nothing'}")
        self._all.append(self._new())
        if worker.token is not None:
            seconds = time.monotonic() - worker.since
            yield worker.token, {"reason": reason, "late": late, "seconds": seconds, "cpu_seconds": max(spent, 0.0)}

    def interrupt(self) -> None:
        """Ask the orders under way to stop at the next step of Python, as their limits do."""
        for each in self._all:
            if each.token is not None:
                each.ends = min(each.ends, time.monotonic() + LATE)
                with suppress(ProcessLookupError):
                    os.kill(each.process.pid, signal.SIGALRM)

    def stop(self) -> None:
        """End all processes."""
        for each in self._all:
            self._end(each)
        self._all.clear()

    def _end(self, worker: _Process) -> float:
        """End a process, count its processor time and return it."""
        worker.process.kill()
        for stream in (worker.process.stdin, worker.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(ChildProcessError):
            _, _, usage = os.wait4(worker.process.pid, 0)
            worker.cpu = usage.ru_utime + usage.ru_stime
            worker.process.returncode = -signal.SIGKILL
        ended, worker.cpu = worker.cpu, 0.0
        self.spent += ended
        return ended
