"""Millions of made documents from a file to labels, in a limit of memory, beside other programs.

    python benchmarks/millions.py FOLDER [--documents 3000000] [--memory 4]

A made document has the class and the length of a real message of 20 Newsgroups, and its words are drawn from all words
of the real messages of its class.  Every fifth real message is held out.  Each stage is a process of one thread with a
limit on its memory (GiB); FOLDER/millions.csv gets the seconds, the memory and the share of right labels of each stage,
at a tenth of the documents and at all: ``slope`` is that of log seconds, the start of Python included.  Three million
take ten gigabytes of disk.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from documents import counts, load
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

import textmix
from textmix import EDCMClassifier, LinearSVM, MultinomialClassifier, TermWeighting, WordVectorizer
from textmix.__main__ import main as command

COLUMNS = ("program", "stage", "documents", "processor_seconds", "slope", "peak_mib", "right_made", "right_real")
BLOCK, TRAIN, TESTS = 50_000, "train.csv", {"made": "held_out_made.csv", "real": "held_out_real.csv"}
#: Settings of other programs that were best among a few on 20,000 made documents, by right labels on real messages.
VW, FASTTEXT = "--loss_function logistic -b 20", {"dim": 10, "epoch": 1, "lr": 0.5, "minCount": 2, "thread": 1}


def make(folder: Path, documents: int) -> None:
    """Write the training file of made documents, and held-out documents, made and real."""
    (X, y), names = counts("newsgroups"), load("newsgroups").names
    vectorizer = WordVectorizer(tokenizer="letters", min_length=2, min_count=2).fit(load("newsgroups").data)
    words = vectorizer.get_feature_names_out()
    held = np.arange(len(y)) % 5 == 4
    real = [
        (names[y[row]], " ".join(np.repeat(words[X[[row]].indices], X[[row]].data))) for row in np.flatnonzero(held)
    ]
    X, y, rng = X[~held], y[~held], np.random.default_rng(0)
    pools = [np.repeat(part.indices, part.data) for part in (X[y == c] for c in range(len(names)))]
    lengths = np.asarray(X.sum(axis=1)).ravel()

    def made(number: int) -> Iterator[tuple[str, str]]:
        for row in rng.integers(len(y), size=number):
            yield names[y[row]], " ".join(words[rng.choice(pools[y[row]], lengths[row])])

    for name, rows in ((TRAIN, made(documents)), (TESTS["made"], made(documents // 30)), (TESTS["real"], real)):
        with (folder / name).open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(("label", "text"))
            table.writerows(rows)


def blocks(path: Path, size: int = BLOCK) -> Iterator[tuple[list[str], list[str]]]:
    """Yield labels and texts of each block of rows."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows, block = csv.reader(stream), list[list[str]]()
        next(rows)
        for row in rows:
            block.append(row)
            if len(block) == size:
                yield [label for label, _ in block], [text for _, text in block]
                block = []
        if block:
            yield [label for label, _ in block], [text for _, text in block]


def classes(folder: Path) -> list[str]:
    """Return the names of the classes."""
    return sorted({label for labels, _ in blocks(folder / TESTS["real"]) for label in labels})


def count(folder: Path) -> None:
    """Count words: the first block names them, and the counts of each block go to the disk."""
    vectorizer = WordVectorizer(tokenizer="letters", min_length=2, min_count=2)
    (folder / "counts").mkdir()
    for number, (labels, texts) in enumerate(blocks(folder / TRAIN)):
        X = vectorizer.transform(texts) if number else vectorizer.fit(texts).transform(texts)
        sparse.save_npz(folder / f"counts/{number:04d}.npz", X, compressed=False)
        np.save(folder / f"counts/{number:04d}.npy", np.array(labels))
    textmix.save(make_pipeline(vectorizer, MultinomialClassifier().fit(X, labels)), folder / "words")


class Counted:
    """The blocks of counts, weighted on the way; each loop reads them from the disk."""

    def __init__(self, folder: Path, weigh: Callable[[Any], Any] = lambda X: X) -> None:
        self.folder, self.weigh = folder, weigh

    def __iter__(self) -> Iterator[tuple[Any, np.ndarray]]:
        for path in sorted((self.folder / "counts").glob("*.npz")):
            yield self.weigh(sparse.csr_array(sparse.load_npz(path))), np.load(path.with_suffix(".npy"))


def keep(folder: Path, name: str, *steps: Any) -> None:
    """Save a pipeline that begins with the counting of words."""
    textmix.save(make_pipeline(textmix.load(folder / "words")[0], *steps), folder / name)


def fit_in_parts(name: str, make_model: Callable[[], Any]) -> Callable[[Path], None]:
    """Return a stage that fits by ``partial_fit``; the model is that of all documents at once."""

    def fit(folder: Path) -> None:
        model, names = make_model(), classes(folder)
        for X, y in Counted(folder):
            model.partial_fit(X, y, classes=names)
        keep(folder, name, model)

    return fit


def fit_svm(folder: Path) -> None:
    """Fit support vector machines by blocks; the document frequencies are those of the first block."""
    weighting = TermWeighting().fit(next(iter(Counted(folder)))[0])
    model = LinearSVM(C=1.0, tolerance=0.05, max_iter=12)
    keep(folder, "linear_svm", weighting, model.fit_blocks(Counted(folder, weighting.transform), classes(folder)))


def label(name: str) -> Callable[[Path], None]:
    """Return a stage that labels the held-out files by the command ``textmix predict``."""

    def run(folder: Path) -> None:
        for kind, file in TESTS.items():
            asked = [
                str(folder / name),
                str(folder / file),
                "--column",
                "text",
                "--output",
                str(folder / f"{name}_{kind}.csv"),
            ]
            if code := command(["predict", *asked]):
                raise RuntimeError(f"textmix predict ended with {code}")

    return run


def answer(folder: Path, name: str, kind: str, labels: list[str]) -> None:
    """Write labels as the command does."""
    with (folder / f"{name}_{kind}.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([["label"], *([each] for each in labels)])


def vowpal(folder: Path) -> None:
    """Copy the file to lines of Vowpal Wabbit, learn in one pass, label."""
    from vowpalwabbit import Workspace

    names = {name: number + 1 for number, name in enumerate(classes(folder))}
    for name in (TRAIN, *TESTS.values()):
        with (folder / f"{name}.vw").open("w", encoding="utf-8") as stream:
            for labels, texts in blocks(folder / name):
                stream.writelines(f"{names[a]} | {text}\n" for a, text in zip(labels, texts, strict=True))
    Workspace(f"--oaa {len(names)} {VW} -d {folder / TRAIN}.vw -f {folder / 'model.vw'} --quiet").finish()
    for kind, name in TESTS.items():
        Workspace(f"-t -i {folder / 'model.vw'} -d {folder / name}.vw -p {folder / 'answers'} --quiet").finish()
        found = (folder / "answers").read_text(encoding="utf-8").split()
        answer(folder, "vowpal_wabbit", kind, [list(names)[int(float(each)) - 1] for each in found])


def fasttext(folder: Path) -> None:
    """Copy the file to lines of fastText, learn in one pass, label."""
    import fasttext as package

    with (folder / "train.fasttext").open("w", encoding="utf-8") as stream:
        for labels, texts in blocks(folder / TRAIN):
            stream.writelines(f"__label__{a} {text}\n" for a, text in zip(labels, texts, strict=True))
    model = package.train_supervised(str(folder / "train.fasttext"), verbose=0, **FASTTEXT)
    for kind, name in TESTS.items():
        found = [each for _, texts in blocks(folder / name) for (each,) in model.predict(texts)[0]]
        answer(folder, "fasttext", kind, [each.removeprefix("__label__") for each in found])


def hashed(folder: Path) -> None:
    """Learn by stochastic gradient descent on scikit-learn's hashed words in one pass, label."""
    vectorizer, names = HashingVectorizer(n_features=2**20, alternate_sign=False), classes(folder)
    model = SGDClassifier(loss="hinge", alpha=1e-5, random_state=0)
    for labels, texts in blocks(folder / TRAIN, 10_000):
        model.partial_fit(vectorizer.transform(texts), labels, classes=names)
    for kind, name in TESTS.items():
        parts = (vectorizer.transform(texts) for _, texts in blocks(folder / name, 10_000))
        answer(folder, "hashed_sgd", kind, [str(each) for part in parts for each in model.predict(part)])


def fit_pmm1(folder: Path) -> None:
    """Fit PMM1 to the parts of the names of the groups, four blocks at a time, for each call fits anew to all sums."""
    model, waiting = textmix.PMM1(set_prior="training"), iter(Counted(folder))
    parts = sorted({part for name in classes(folder) for part in name.split(".")})
    while taken := list(itertools.islice(waiting, 4)):
        Y = [str(name).split(".") for _, y in taken for name in y]
        model.partial_fit(sparse.csr_array(sparse.vstack([X for X, _ in taken], format="csr")), Y, classes=parts)
    keep(folder, "pmm1", model)


#: Program -> stage -> what it does.
STAGES: dict[str, dict[str, Callable[[Path], None]]] = {
    "textmix": {
        "count": count,
        "fit multinomial": fit_in_parts("multinomial", MultinomialClassifier),
        "fit edcm": fit_in_parts("edcm", EDCMClassifier),
        "fit linear_svm": fit_svm,
        "fit pmm1": fit_pmm1,
        **{f"predict {name}": label(name) for name in ("multinomial", "edcm", "linear_svm", "pmm1")},
    },
    "vowpal_wabbit": {"fit and predict": vowpal},
    "fasttext": {"fit and predict": fasttext},
    "hashed_sgd": {"fit and predict": hashed},
}


def right(folder: Path, name: str) -> Iterator[tuple[str, float]]:
    """Yield the share of right labels, of PMM1 of right label sets, of made and of real documents."""
    for kind, file in TESTS.items():
        path = folder / f"{name}_{kind}.csv"
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as stream:
                found = [
                    row.get("label") or ".".join(sorted(json.loads(row["labels"]))) for row in csv.DictReader(stream)
                ]
            true = [each for labels, _ in blocks(folder / file) for each in labels]
            told = [".".join(sorted(each.split("."))) if name == "pmm1" else each for each in true]
            yield f"right_{kind}", float(np.mean([a == b for a, b in zip(found, told, strict=True)]))


def run(folder: Path, program: str, stage: str, memory: float) -> dict[str, Any]:
    """Run a stage in a process of its own; return its seconds and its largest resident memory."""
    asked = [sys.executable, __file__, str(folder), "--memory", str(memory), "--stage", program, stage]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    ended = subprocess.run(asked, env={**os.environ, **threads}, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.stderr.write(f"{program}, {stage}: {ended.stderr.strip().splitlines()[-1]}\n")
        return {}
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def main() -> None:
    """Run all stages, or one of them under the limit of memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=3_000_000)
    parser.add_argument("--memory", type=float, default=4.0)
    parser.add_argument("--stage", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.stage:
        resource.setrlimit(resource.RLIMIT_AS, (int(asked.memory * 2**30),) * 2)
        STAGES[asked.stage[0]][asked.stage[1]](asked.folder)
        # The high-water mark of this process alone; that of getrusage is the parent's where that is larger.
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        sys.stdout.write(f"{json.dumps({'processor_seconds': time.process_time(), 'peak_mib': peak})}\n")
        return
    before: dict[tuple[str, str], float] = {}
    asked.folder.mkdir(parents=True, exist_ok=True)
    with (asked.folder / "millions.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        for number in (asked.documents // 10, asked.documents):
            place = asked.folder / str(number)
            place.mkdir()
            make(place, number)
            for program, stage in ((program, stage) for program, stages in STAGES.items() for stage in stages):
                row = {
                    "program": program,
                    "stage": stage,
                    "documents": number,
                    **run(place, program, stage, asked.memory),
                }
                name = stage.removeprefix("predict ") if program == "textmix" else program
                row |= dict(right(place, name)) if "predict" in stage else {}
                if (key := (program, stage)) in before and "processor_seconds" in row:
                    row["slope"] = math.log10(row["processor_seconds"] / before[key])
                before[key] = row.get("processor_seconds", math.nan)
                table.writerow(row)
                stream.flush()
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
