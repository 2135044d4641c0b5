"""Inject random faults into runs of the workflow; after each fault, a normal run must produce identical results.

``make chaos`` injects every fault once and then random faults until the time limit.  It prints one line per fault,
writes the lines to ``logs/chaos.log``, and exits with code 1 if a result differed, a run hung or a run did not recover.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.workflow.tiny import Clone, descendants, make_clone, unlike

#: Seconds after which a run counts as hung.
HUNG = 900
LOG = Path("logs/chaos.log")
#: Results that are deleted before a fault is injected: those of a stage and of all later stages.
STAGES = ("datasets", "features", "splits", "predictions", "scores", "papers", "report")
LIBRARY = ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1")


def end(pids: Sequence[int], number: int) -> None:
    """Send a signal to processes, ignoring those that have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def ended(running: subprocess.Popen) -> int:
    """Return the exit code of a run; end it with its jobs where it hangs, and raise TimeoutExpired."""
    try:
        return running.wait(timeout=HUNG)
    except subprocess.TimeoutExpired:
        end([running.pid, *descendants(running.pid)], signal.SIGKILL)
        running.wait()
        raise


@dataclass
class Round:
    """One fault against one copy of the finished workflow.

    Parameters
    ----------
    clone : Path
        The copy, without the deleted results.
    random : Random
        Source of all random choices.
    output : str
        Output of the run with the fault.
    """

    clone: Clone
    random: random.Random
    output: str = ""

    def run(self, prefix: Sequence[str] = (), **environment: str) -> int:
        """Run the workflow behind another command and return its exit code."""
        with tempfile.TemporaryFile("w+") as output:
            running = subprocess.Popen(
                [*prefix, *self.clone.command("--cores", "2")],
                cwd=self.clone.folder,
                env=self.clone.environment(**environment),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                return ended(running)
            finally:
                output.seek(0)
                self.output = output.read()

    def interrupted(self, number: int, choose: Callable[[int, list[int]], list[int]]) -> int:
        """Start a run, send a signal to chosen processes of it after some seconds, and wait for the run's end."""
        running = self.clone.start("--cores", "2")
        time.sleep(self.random.uniform(1, 25))
        jobs = descendants(running.pid)
        end(choose(running.pid, jobs), number)
        code = ended(running)
        deadline = time.monotonic() + HUNG
        while any(Path(f"/proc/{pid}").exists() for pid in jobs) and time.monotonic() < deadline:
            time.sleep(0.2)
        return code


@dataclass(frozen=True)
class Fault:
    """A type of fault.

    Parameters
    ----------
    act : callable
        Runs the workflow with the fault and returns the exit code.
    well : bool
        Whether the run with the fault must succeed.
    needs : str
        A program that must be installed, or an empty string.
    printed : bool
        Whether only printed tables must agree because the last digits of values may differ.
    """

    act: Callable[[Round], int]
    well: bool = False
    needs: str = ""
    printed: bool = False


def under(*prefix: str, **environment: str) -> Callable[[Round], int]:
    """Return a fault that prefixes the command of the run or changes its environment."""
    return lambda faulty: faulty.run(prefix, **environment)


def clock(faulty: Round) -> int:
    """Run in the year 2038, over files from a year later still."""
    future = time.time() + 400 * 24 * 3600
    for path in (faulty.clone.folder / "mirror").iterdir():
        os.utime(path, (future, future))
    library = next((path for path in LIBRARY if Path(path).exists()), "")
    # With @, the clock advances from that time, and sleeping uses the true clock.
    later = {"LD_PRELOAD": library, "FAKETIME": "@2038-01-20 00:00:00", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    code = faulty.run(**(later if library else {}))
    assert "Nothing to be done" in faulty.clone.run("-n").stdout, "a run over files of the future never ends"
    return code


def private(faulty: Round) -> int:
    """Run with a mask that hides files from everybody else, and without a home."""
    return faulty.run(("sh", "-c", 'umask 077; exec "$@"', "sh"), HOME="/nonexistent")


def killed_often(faulty: Round) -> int:
    """Kill the whole run four times, each time some seconds after it went on."""
    for _ in range(4):
        code = faulty.interrupted(signal.SIGKILL, whole)
        faulty.clone.run("--unlock")
    return code


def scheduler(pid: int, jobs: list[int]) -> list[int]:
    """Choose the scheduler."""
    return [pid]


def whole(pid: int, jobs: list[int]) -> list[int]:
    """Choose the scheduler and its jobs."""
    return [pid, *jobs]


def one_job(pid: int, jobs: list[int]) -> list[int]:
    """Choose the process that was started last."""
    return jobs[-1:]


def signals(number: int, choose: Callable[[int, list[int]], list[int]]) -> Callable[[Round], int]:
    """Return a fault that sends a signal at a random time."""
    return lambda faulty: faulty.interrupted(number, choose)


FAULTS: Mapping[str, Fault] = {
    "no fault": Fault(under(), well=True),
    "hash seed, locale and zone": Fault(under(PYTHONHASHSEED="11", LC_ALL="C", TZ="Asia/Tokyo"), well=True),
    "scheduler killed": Fault(signals(signal.SIGKILL, scheduler)),
    "run killed": Fault(signals(signal.SIGKILL, whole)),
    "job killed": Fault(signals(signal.SIGKILL, one_job)),
    "run terminated": Fault(signals(signal.SIGTERM, scheduler)),
    "run interrupted": Fault(signals(signal.SIGINT, scheduler)),
    "killed often": Fault(killed_often),
    "disk full": Fault(under("prlimit", "--fsize=20000"), needs="prlimit"),
    "memory short": Fault(under("prlimit", "--as=700000000"), needs="prlimit"),
    "no network": Fault(under("unshare", "-rn"), well=True, needs="unshare"),
    "no home, private files": Fault(private, well=True),
    "clock": Fault(clock, well=True),
    "threads": Fault(under(OMP_NUM_THREADS="7", NUMBA_NUM_THREADS="2", OPENBLAS_NUM_THREADS="5"), well=True),
    "other processor": Fault(
        under(NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL", OPENBLAS_CORETYPE="Haswell"),
        well=True,
        printed=True,
    ),
}


@dataclass
class Chaos:
    """Run all rounds and compare each with a clean run.

    Parameters
    ----------
    clean : Path
        A clone after a run without faults.
    folder : Path
        Folder of the copies.
    random : Random
        Source of all random choices.
    found : list of str
        One line for each round that failed.
    """

    clean: Clone
    folder: Path
    random: random.Random
    found: list[str] = field(default_factory=list)

    def attack(self, name: str) -> str:
        """Inject one fault, run the recovery, and return the line of the log."""
        fault, begun = FAULTS[name], time.monotonic()
        if fault.needs and shutil.which(fault.needs) is None:
            return f"{name:28} skipped: {fault.needs} is not installed"
        clone = self.clean.copy(self.folder / "copy")
        stage = self.random.choice([stage for stage in STAGES if (clone.folder / "results" / stage).exists()])
        for taken in STAGES[STAGES.index(stage) :]:
            shutil.rmtree(clone.folder / "results" / taken, ignore_errors=True)
        faulty = Round(clone, self.random)
        try:
            code = fault.act(faulty)
            problem = self._problem(fault, clone, code)
        except subprocess.TimeoutExpired:
            code, problem = -1, f"a run hung for {HUNG} s"
        line = f"{name:28} without {stage:12} exit {code:3} {time.monotonic() - begun:5.0f} s  "
        if problem:
            self.found.append(f"{line}{problem}\n{faulty.output[-2000:]}")
        shutil.rmtree(clone.folder)
        return line + (problem or "recovered")

    def _problem(self, fault: Fault, clone: Clone, code: int) -> str:
        """Return an error message after a fault and its recovery, or an empty string."""
        if fault.well and code != 0:
            return "the run under the fault failed"
        clone.run("--unlock")
        done = clone.run("--cores", "2", "--rerun-incomplete")
        if done.returncode != 0:
            return f"the next run failed: {done.stdout[-1000:]}"
        if fault.printed:
            tables = sorted((self.clean.folder / "results").rglob("tables/*.csv"))
            pairs = [(path, clone.folder / path.relative_to(self.clean.folder)) for path in tables]
            differ = [mine.name for one, mine in pairs if one.read_bytes() != mine.read_bytes()]
        else:
            differ = unlike(self.clean, clone)
        return f"{len(differ)} results differ, of them {differ[0]}" if differ else ""


def faults(chaos: Chaos, only: Sequence[str] | None, minutes: float) -> Iterator[str]:
    """Yield the selected faults, or each fault once and then random faults until the time limit."""
    begun = time.monotonic()
    yield from only or FAULTS
    while not only and time.monotonic() - begun < 60 * minutes:
        yield chaos.random.choice(list(FAULTS))


def main(arguments: Sequence[str] | None = None) -> int:
    """Inject faults until the time limit; return 1 if a round failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20, help="time after which no further fault begins")
    parser.add_argument("--seed", type=int, default=1, help="of all random choices")
    parser.add_argument("--only", choices=FAULTS, action="append", help="a fault to run, each once; else all")
    options = parser.parse_args(arguments)
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("w", encoding="utf-8") as log, tempfile.TemporaryDirectory(prefix="textmix-chaos-") as name:

        def say(line: str) -> None:
            """Print a line and keep it."""
            print(line, flush=True)
            print(line, file=log, flush=True)

        say(f"seed {options.seed}, {options.minutes:g} minutes, {platform.platform()}")
        clean = make_clone(Path(name) / "clean")
        done = clean.run("--cores", "2")
        if done.returncode != 0:
            say(done.stdout)
            return 1
        chaos = Chaos(clean, Path(name), random.Random(options.seed))
        for fault in faults(chaos, options.only, options.minutes):
            say(chaos.attack(fault))
        say("\n".join(chaos.found) or "every run recovered to the same bytes")
    return 1 if chaos.found else 0


if __name__ == "__main__":
    sys.exit(main())
