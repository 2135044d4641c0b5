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
import itertools
import json
import os
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from documents import counts, load
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

import textmix
from textmix import EDCMClassifier, LinearSVM, MultinomialClassifier, TermWeighting, WordVectorizer
from textmix.__main__ import main as command

TRAIN, TESTS = "train.csv", {"made": "held_out_made.csv", "real": "held_out_real.csv"}
#: Settings of other programs: the most accurate of a few on real messages, trained on 20,000 synthetic documents.
VW, FASTTEXT = "--loss_function logistic -b 20", {"dim": 10, "epoch": 1, "lr": 0.5, "minCount": 2, "thread": 1}


def make(folder: Path, documents: int) -> None:
    """Write the training file of synthetic documents, and synthetic and real held-out documents."""
    (X, y), names = counts("newsgroups"), np.array(load("newsgroups").names)
    vectorizer = WordVectorizer(tokenizer="letters", min_length=2, min_count=2).fit(load("newsgroups").data)
    words, rng, held_out = vectorizer.get_feature_names_out(), np.random.default_rng(0), np.arange(len(y)) % 5 == 4
    documents_of = [np.repeat(row.indices, row.data) for row in (X[[number]] for number in range(len(y)))]
    train = [document for document, held in zip(documents_of, held_out, strict=True) if not held]
    pools = [np.concatenate([train[row] for row in np.flatnonzero(y[~held_out] == c)]) for c in range(len(names))]

    def write(name: str, drawn: np.ndarray, of: Callable[[int], np.ndarray]) -> None:
        """Write the documents of some rows, in blocks."""
        for part in np.array_split(drawn, -(-len(drawn) // 50_000)):
            texts = [" ".join(words[of(row)]) for row in part]
            table = pd.DataFrame({"label": names[y[part]], "text": texts})
            table.to_csv(folder / name, mode="a", index=False, header=not (folder / name).exists())

    real = np.flatnonzero(~held_out)
    for name, number in ((TRAIN, documents), (TESTS["made"], documents // 30)):
        write(name, rng.choice(real, number), lambda row: rng.choice(pools[y[row]], len(documents_of[row])))
    write(TESTS["real"], np.flatnonzero(held_out), documents_of.__getitem__)


def blocks(path: Path, size: int = 50_000) -> Iterator[tuple[list[str], list[str]]]:
    """Yield labels and texts of each block of rows."""
    for table in pd.read_csv(path, chunksize=size, dtype=str, keep_default_na=False):
        yield table["label"].tolist(), table["text"].tolist()


def classes(folder: Path) -> list[str]:
    """Return the class names."""
    return sorted(set(pd.read_csv(folder / TESTS["real"], usecols=["label"])["label"]))


def count(folder: Path) -> None:
    """Count words with the vocabulary of the first block, and write the counts of each block to disk."""
    vectorizer = WordVectorizer(tokenizer="letters", min_length=2, min_count=2)
    for number, (labels, texts) in enumerate(blocks(folder / TRAIN)):
        X = vectorizer.transform(texts) if number else vectorizer.fit(texts).transform(texts)
        sparse.save_npz(folder / f"counts{number:04d}.npz", X, compressed=False)
        np.save(folder / f"counts{number:04d}.npy", np.array(labels))
    textmix.save(make_pipeline(vectorizer, MultinomialClassifier().fit(X, labels)), folder / "words")


class Counted:
    """Iterable over blocks of counts, reread from disk on each pass and weighted on the fly."""

    def __init__(self, folder: Path, weigh: Callable[[Any], Any] = lambda X: X) -> None:
        self.folder, self.weigh = folder, weigh

    def __iter__(self) -> Iterator[tuple[Any, np.ndarray]]:
        for path in sorted(self.folder.glob("counts*.npz")):
            yield self.weigh(sparse.csr_array(sparse.load_npz(path))), np.load(path.with_suffix(".npy"))


def keep(folder: Path, name: str, *steps: Any) -> None:
    """Save a pipeline that starts with word counts."""
    textmix.save(make_pipeline(textmix.load(folder / "words")[0], *steps), folder / name)


def fit(folder: Path, name: str) -> None:
    """Fit incrementally with `partial_fit`; the model equals a fit to all documents."""
    model, names = {"multinomial": MultinomialClassifier, "edcm": EDCMClassifier}[name](), classes(folder)
    for X, y in Counted(folder):
        model.partial_fit(X, y, classes=names)
    keep(folder, name, model)


def fit_svm(folder: Path) -> None:
    """Fit linear SVMs block by block, with document frequencies from the first block."""
    weighting = TermWeighting().fit(next(iter(Counted(folder)))[0])
    model = LinearSVM(C=1.0, tol=0.05, max_iter=12)
    keep(folder, "linear_svm", weighting, model.fit_blocks(Counted(folder, weighting.transform), classes(folder)))


def fit_pmm1(folder: Path) -> None:
    """Fit PMM1 to the parts of the group names, four blocks per call, because each call refits to all sums."""
    model, waiting = textmix.PMM1(set_prior="training"), iter(Counted(folder))
    parts = sorted({part for name in classes(folder) for part in name.split(".")})
    while taken := list(itertools.islice(waiting, 4)):
        Y = [str(name).split(".") for _, y in taken for name in y]
        model.partial_fit(sparse.csr_array(sparse.vstack([X for X, _ in taken], format="csr")), Y, classes=parts)
    keep(folder, "pmm1", model)


def predict(folder: Path, name: str) -> None:
    """Label the held-out files with the command ``textmix predict``."""
    for kind, file in TESTS.items():
        output = ["--text", "text", "--output", str(folder / f"{name}_{kind}.csv")]
        if code := command(["predict", str(folder / name), str(folder / file), *output]):
            raise RuntimeError(f"textmix predict ended with {code}")


def answer(folder: Path, name: str, label: Callable[[list[str]], Any]) -> None:
    """Label the held-out files with another program, in blocks, and write the labels as the command does."""
    for kind, file in TESTS.items():
        found = [each for _, texts in blocks(folder / file, 10_000) for each in label(texts)]
        pd.DataFrame({"label": found}).to_csv(folder / f"{name}_{kind}.csv", index=False)


def vowpal(folder: Path, name: str) -> None:
    """Train Vowpal Wabbit in one pass over a file in its format, then label."""
    from vowpalwabbit import Workspace

    names, model = classes(folder), folder / "model.vw"
    with (folder / "train.vw").open("w", encoding="utf-8") as stream:
        for labels, texts in blocks(folder / TRAIN):
            stream.writelines(f"{names.index(a) + 1} | {text}\n" for a, text in zip(labels, texts, strict=True))
    Workspace(f"--oaa {len(names)} {VW} -d {folder / 'train.vw'} -f {model} --quiet").finish()
    labeller = Workspace(f"-t -i {model} --quiet")
    answer(folder, name, lambda texts: [names[labeller.predict(f"| {text}") - 1] for text in texts])


def fasttext(folder: Path, name: str) -> None:
    """Train fastText in one pass over a file in its format, then label."""
    import fasttext as package

    with (folder / "train.fasttext").open("w", encoding="utf-8") as stream:
        for labels, texts in blocks(folder / TRAIN):
            stream.writelines(f"__label__{a} {text}\n" for a, text in zip(labels, texts, strict=True))
    model = package.train_supervised(str(folder / "train.fasttext"), verbose=0, **FASTTEXT)
    answer(folder, name, lambda texts: [each.removeprefix("__label__") for (each,) in model.predict(texts)[0]])


def hashed(folder: Path, name: str) -> None:
    """Train scikit-learn's SGD classifier on hashed words in one pass, then label."""
    vectorizer, names = HashingVectorizer(n_features=2**20, alternate_sign=False), classes(folder)
    model = SGDClassifier(loss="hinge", alpha=1e-5, random_state=0)
    for labels, texts in blocks(folder / TRAIN, 10_000):
        model.partial_fit(vectorizer.transform(texts), labels, classes=names)
    answer(folder, name, lambda texts: model.predict(vectorizer.transform(texts)))


OURS = ("multinomial", "edcm", "linear_svm", "pmm1")
#: Stage -> function, in order; the name of a stage includes the program that labels.
STAGES: dict[str, Callable[[Path], None]] = {
    "count": count,
    "fit multinomial": lambda folder: fit(folder, "multinomial"),
    "fit edcm": lambda folder: fit(folder, "edcm"),
    "fit linear_svm": fit_svm,
    "fit pmm1": fit_pmm1,
    **{f"predict {name}": lambda folder, name=name: predict(folder, name) for name in OURS},
    "vowpal_wabbit": lambda folder: vowpal(folder, "vowpal_wabbit"),
    "fasttext": lambda folder: fasttext(folder, "fasttext"),
    "hashed_sgd": lambda folder: hashed(folder, "hashed_sgd"),
}


def right(folder: Path, stage: str) -> dict[str, float]:
    """Return the accuracy (subset accuracy for PMM1) on synthetic and on real documents."""
    name, shares = stage.removeprefix("predict "), {}
    for kind, file in TESTS.items():
        if (folder / f"{name}_{kind}.csv").is_file():
            found = pd.read_csv(folder / f"{name}_{kind}.csv")
            true = pd.read_csv(folder / file, usecols=["label"])["label"]
            if "labels" in found:
                sets = [set(json.loads(each)) for each in found["labels"]]
                hits = [each == set(name.split(".")) for each, name in zip(sets, true, strict=True)]
            else:
                hits = found["label"] == true
            shares[f"right_{kind}"] = float(np.mean(hits))
    return shares


def run(folder: Path, stage: str) -> dict[str, float]:
    """Run a stage in a separate process; return its time in seconds and its peak resident memory."""
    STAGES[stage](folder)
    # VmHWM covers only this process; getrusage may return the peak of the parent.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return {"processor_seconds": time.process_time(), "peak_mib": peak}


def main() -> None:
    """Run all stages, each with a memory limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=3_000_000)
    parser.add_argument("--memory", type=float, default=4.0)
    asked = parser.parse_args()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    limit = resource.RLIMIT_AS, (int(asked.memory * 2**30),) * 2
    rows = list[dict[str, Any]]()
    for number in (asked.documents // 10, asked.documents):
        place = asked.folder / str(number)
        place.mkdir(parents=True)
        make(place, number)
        for stage in STAGES:
            with ProcessPoolExecutor(1, get_context("spawn"), resource.setrlimit, limit) as one:
                try:
                    used = one.submit(run, place, stage).result()
                except Exception as error:  # out of memory, or a missing package
                    sys.stderr.write(f"{stage}: {error}\n")
                    used = {}
            rows.append({"stage": stage, "documents": number, **used, **right(place, stage)})
            table = pd.DataFrame(rows)
            if "processor_seconds" in table:
                steps = table.groupby("stage")["processor_seconds"]
                table["slope"] = steps.transform(lambda seconds: np.log10(seconds / seconds.shift()))
            table.to_csv(asked.folder / "millions.csv", index=False)
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
