"""Millions of made documents from a file to labels: each stage is a process with a limit on its memory.

The target `millions` of the workflow runs all stages by `measure_millions`; one of them alone, in a folder that has
what it reads, runs by

    python -m reproduction.bench.millions FOLDER STAGE
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reproduction.bench import by_blocks
from reproduction.bench.by_blocks_peers import PACKAGES
from reproduction.bench.by_blocks_peers import STAGES as PEERS
from reproduction.bench.made import Pools, halves, real_documents, write_table
from textmix.core import io
from textmix.data.corpus import Corpus

#: ``documents``: those that the stage reads or writes.  ``peak_mib``: largest resident memory of its process.
#: ``written_mb``: new files of the stage.  ``right_made``, ``right_real``: share of the held-out made documents, and of
#: the held-out real ones, that get their class.  Of the largest size, beside the smallest one: ``per_million`` and
#: ``mib_per_million`` are the seconds and the memory of a million documents more, ``slope`` is that of log seconds
#: against log documents, of both without the start of Python.
COLUMNS = (
    *("program", "stage", "documents", "processor_seconds", "clock_seconds", "per_million", "slope"),
    *("peak_mib", "mib_per_million", "written_mb", "right_made", "right_real", "note"),
)
#: Models of textmix, in the order in which they are fitted.
MODELS = ("multinomial", "edcm", "pmm1", "linear_svm")
SPEC = "spec.json"


def make(folder: Path) -> None:
    """Write the made training file, and the held-out documents, made and real."""
    spec = io.read_json(folder / SPEC)
    corpus = Corpus.load(spec["corpus"])
    used, held = halves(corpus.n_documents)
    pools = Pools.of(corpus, used)
    io.write_json(folder / "classes.json", sorted(pools.names))
    write_table(folder / by_blocks.TRAIN, pools.documents(spec["documents"], spec["seed"], "train"))
    write_table(folder / by_blocks.TESTS["made"], pools.documents(spec["held_out"], spec["seed"], "held out"))
    write_table(folder / by_blocks.TESTS["real"], real_documents(corpus, held))


def stages() -> dict[str, Callable[[Path], None]]:
    """Return ``program/stage`` -> its function of the folder, in order."""
    ours: dict[str, Callable[[Path], None]] = {"textmix/read": by_blocks.read, "textmix/count": by_blocks.count}
    # Every stage takes the time in which Python and the packages start.
    start: dict[str, Callable[[Path], None]] = {"every stage/start": lambda folder: None}
    ours |= {f"textmix/fit {name}": getattr(by_blocks, name) for name in MODELS}
    ours |= {f"textmix/predict {name}": by_blocks.labelled(name, *by_blocks.TESTS.values()) for name in MODELS}
    peers = {f"{program}/{stage}": call for program, steps in PEERS.items() for stage, call in steps.items()}
    whole = {"textmix/predict multinomial, the whole file": by_blocks.labelled("multinomial", by_blocks.TRAIN)}
    return {**start, "made documents/write": make, **ours, **peers, **whole}


def measure_millions(corpus: str, folder: Path, spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row of `COLUMNS` for the machine, and one for each stage and size when the stage has ended.

    Parameters
    ----------
    corpus : path of the counts of the real documents.
    folder : for the files, some ten gigabytes for three million documents.
    spec : ``documents``, ``held_out`` and ``seed`` of the made documents, ``memory_gib``, the limit of a process, and
        ``parts``, the sizes as shares of ``documents`` and ``held_out``, in order.

    Raises
    ------
    RuntimeError : a stage of textmix ended with an error; one of another program is named in the note of its row, and
        its program has no further row.
    """
    yield _row("machine", "", 0, note=machine())
    n_real, failed = len(halves(Corpus.load(corpus).n_documents)[1]), set[str]()
    smallest: dict[tuple[str, str], dict[str, Any]] = {}
    for part in spec["parts"]:
        place = folder / str(part)
        place.mkdir()
        sized = {key: round(part * spec[key]) for key in ("documents", "held_out")}
        io.write_json(place / SPEC, {**spec, **sized, "corpus": str(Path(corpus).resolve())})
        for row in _measure(place, sized["documents"], sized["held_out"] + n_real, failed):
            first = smallest.setdefault((row["program"], row["stage"]), row)
            yield {**row, **_growth(first, row, smallest["every stage", "start"])}
        shutil.rmtree(place)


def _measure(folder: Path, n_documents: int, n_held: int, failed: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of one size; programs that fail join ``failed``, and those that did are left out."""
    for name in stages():
        program, stage = name.split("/")
        if program in failed:
            continue
        if (needed := PACKAGES.get(program)) and importlib.util.find_spec(needed) is None:
            failed.add(program)
            yield _row(program, stage, 0, note=f"{needed} is not installed; run make bench")
            continue
        labels_tests = stage.startswith("predict") and "whole" not in stage
        before = _files(folder)
        try:
            facts = _run(folder, name)
        except RuntimeError as error:
            if program not in PEERS:
                raise
            failed.add(program)
            yield _row(program, stage, 0, note=str(error).splitlines()[-1])
            continue
        facts["written_mb"] = sum(size for path, size in _files(folder).items() if path not in before) / 1e6
        facts |= _right(folder, program, stage) if labels_tests else {}
        yield _row(program, stage, n_held if labels_tests else n_documents, **facts)


def _files(folder: Path) -> dict[Path, int]:
    """Return the bytes of each file below a folder."""
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def _row(program: str, stage: str, documents: int, **facts: Any) -> dict[str, Any]:
    """Return a row of `COLUMNS`."""
    return {**dict.fromkeys(COLUMNS), "program": program, "stage": stage, "documents": documents, **facts}


def _growth(first: Mapping[str, Any], row: Mapping[str, Any], start: Mapping[str, Any]) -> dict[str, float]:
    """Return what grew from the first size of a stage to another one; nothing where a size or a time is missing."""
    more = (row["documents"] - first["documents"]) / 1e6
    if more <= 0 or row["processor_seconds"] is None or first["processor_seconds"] is None:
        return {}
    grown = {
        "per_million": (row["processor_seconds"] - first["processor_seconds"]) / more,
        "mib_per_million": (row["peak_mib"] - first["peak_mib"]) / more,
    }
    one, other = (part["processor_seconds"] - start["processor_seconds"] for part in (first, row))
    if one > 0 and other > 0:
        grown["slope"] = math.log(other / one) / math.log(row["documents"] / first["documents"])
    return grown


def _run(folder: Path, name: str) -> dict[str, Any]:
    """Run a stage in a process of its own and return what it spent."""
    began = time.perf_counter()
    command = [sys.executable, "-m", __spec__.name, str(folder), name]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if ended.returncode:
        raise RuntimeError(f"{name} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
    *said, spent = ended.stdout.splitlines()
    return {**json.loads(spent), "clock_seconds": time.perf_counter() - began, "note": "; ".join(said)}


def _right(folder: Path, program: str, stage: str) -> dict[str, float]:
    """Return the shares of the held-out documents that got their class, or all parts of its name."""
    name = stage.removeprefix("predict ") if program == "textmix" else program
    shares = {}
    for kind, file in by_blocks.TESTS.items():
        found = by_blocks.answers_of(folder, name, file)
        true = [label for label, _ in by_blocks.rows_of(folder / file)]
        if name == "pmm1":
            pairs = zip(map(json.loads, found), by_blocks.parts_of(true), strict=True)
            shares[f"right_{kind}"] = sum(set(a) == set(b) for a, b in pairs) / len(true)
        else:
            shares[f"right_{kind}"] = sum(a == b for a, b in zip(found, true, strict=True)) / len(true)
    return shares


def machine() -> str:
    """Return processor, memory, system and Python of this machine in words."""
    with Path("/proc/cpuinfo").open(encoding="utf-8") as stream:
        model = next((line.split(":")[1].strip() for line in stream if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}; one process at a time, one thread each"
    )


def _peak_mib() -> float:
    """Return the largest resident memory of this process so far, MiB; the parent's before the start is no part."""
    with Path("/proc/self/status").open(encoding="ascii") as stream:
        return next(int(line.split()[1]) / 1024 for line in stream if line.startswith("VmHWM"))


def main() -> None:
    """Run one stage under the limit of its folder, and print what it spent as the last line."""
    folder, name = Path(sys.argv[1]), sys.argv[2]
    limit = int(io.read_json(folder / SPEC)["memory_gib"] * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    stages()[name](folder)
    sys.stdout.write(json.dumps({"processor_seconds": time.process_time(), "peak_mib": _peak_mib()}) + "\n")


if __name__ == "__main__":
    main()
