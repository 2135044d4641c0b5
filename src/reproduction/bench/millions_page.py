"""The section of docs/how-to/millions-of-documents.md on costs, from the table of the target `millions`.

    cp results/scaling/millions.csv docs/how-to/
    python -m reproduction.bench.millions_page

writes the table on paper, docs/how-to/millions_reckoned.csv, and the section anew.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduction.bench.by_blocks import MACHINES
from reproduction.bench.millions import MODELS
from reproduction.bench.reckoning import COLUMNS, reckon
from textmix.core.io import format_csv, read_csv

HOW_TO = Path(__file__).resolve().parents[3] / "docs/how-to"
PAGE, MEASURED, RECKONED = "millions-of-documents.md", "millions.csv", "millions_reckoned.csv"
TITLE = "## Costs"
#: Limit of a process in the run of the table, GiB, and the documents that the target asks for.
LIMIT, ASKED = 4.0, 3_000_000
#: Seconds of the clock over those of the processor, below which the processes had the machine for themselves.
ALONE = 1.25
#: Name of a program on the page -> the row of its labels.
LABELS = {
    "naive Bayes": ("textmix", "predict multinomial"),
    "the EDCM": ("textmix", "predict edcm"),
    "the machines": ("textmix", "predict linear_svm"),
    "PMM1": ("textmix", "predict pmm1"),
    "Vowpal Wabbit": ("vowpal_wabbit", "predict"),
    "hashed words": ("hashing_sgd", "predict"),
    "fastText": ("fasttext", "predict"),
}


def section(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the section on costs.

    Parameters
    ----------
    rows : of `reproduction.bench.millions.COLUMNS`, as texts.
    """
    told = _facts(rows, reckon(rows, LIMIT))
    return _filled(f"""## Costs

```sh
snakemake --cores 1 millions                            # three million documents, 4 GiB a process
snakemake --cores 1 millions --config largest=100000    # minutes
```

The documents are made: each has the class and the length of a real message of 20 Newsgroups, and its words
are drawn from all words of the real ones of its class. Every fifth real message is held out, so that
`right_real` is the share of right labels on real messages; made ones are easier (`right_made`). Each stage is
a process that may take 4 GiB and no more. Vowpal Wabbit, fastText, and scikit-learn's hashed words with
stochastic gradient descent take the same file in the same run. PMM1 learns the parts of the names of the
groups as labels; a message counts as right where PMM1 predicts its whole label set.

The table is one run of {told["sizes"]}, one process after the other; by the clock it took {told["clock"]} the
seconds of the processor, so that {told["compared"]}. `per_million` and `mib_per_million` are the seconds and
the memory of a million documents more, and `slope` is that of log seconds against log documents from the
smaller size to the larger one, without the start of Python, {told["start"]}. All stages of the larger size took
{told["total"]}; the largest process of textmix held {told["peak"]}. The machines stop at a duality gap of
{MACHINES["tolerance"]} of the objective, or after {MACHINES["max_iter"]} sweeps: {told["gaps"]}.
{told["steepest"]}. {told["missing"]}

```{{csv-table}}
:file: millions.csv
:header-rows: 1
```

The share of real messages with the right label is {told["naive_Bayes"]}, {told["the_EDCM"]}, {told["the_machines"]},
{told["PMM1"]}; {told["Vowpal_Wabbit"]}, {told["hashed_words"]}, and after one pass {told["fastText"]}. The
made documents follow the model of naive Bayes, which helps it. Of a million documents {told["bayes"]} of the
processor, and {told["machines"]}; with the copy of the file {told["vowpal"]} and {told["fasttext"]}, and
{told["hashed"]}.

## Ten million, a hundred million

These are sums on paper, not measurements: hours of one core by the measured slope, memory and files by the
straight line. `ends_at` is the number of documents, in millions, at which a process reaches 4 GiB; it is
empty where memory does not grow.

```{{csv-table}}
:file: millions_reckoned.csv
:header-rows: 1
```

The workflow itself breaks first: a study under `snakemake own` holds the texts and the counts of a
data set in memory, {told["kilobytes"]} here, so that 4 GiB end {told["study"]} documents. Then the support
vector machines, whose numbers a document and class end {told["machines_end"]} documents of 20 classes;
stochastic gradient descent holds none. Then the disk: texts and counts of a hundred million documents take
{told["disk"]}.

Counting, naive Bayes and labelling all documents cost {told["bayes_hours"]}; counting, the machines and
labels {told["machines_hours"]}, if as many sweeps are enough.
Counting and labelling are the stages worth spreading: they take one part of
the file at a time and share nothing but the words. A workflow over the parts, a job each, runs on Slurm or
Kubernetes by the profiles of {{doc}}`cluster-and-containers`; a part of a million documents is a job of
{told["job"]}. The counts of all parts then fit on one core. Dask or Ray would replace that by their own
scheduler; no measurement here says that they carry it better.
""")


def _filled(text: str) -> str:
    """Return a text whose paragraphs, but not its blocks of code, are filled to the width of a page."""
    blocks = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    return "".join(block if block.startswith("```") else _paragraphs(block) for block in blocks)


def _paragraphs(text: str) -> str:
    """Return paragraphs, each filled."""
    filled = (textwrap.fill(one, 120, break_long_words=False, break_on_hyphens=False) for one in text.split("\n\n"))
    return "\n\n".join(filled) + ("\n" if text.endswith("\n") and not text.endswith("\n\n") else "")


def _facts(rows: Sequence[Mapping[str, Any]], reckoned: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the numbers of the section by name, each with the words beside it."""
    last = {(one["program"], one["stage"]): one for one in rows}
    first = {(one["program"], one["stage"]): one for one in reversed(rows)}
    paper = {(one["program"], one["stage"]): one for one in reckoned}
    fits = {name: ("textmix", f"fit {name}") for name in MODELS}
    labels = "textmix", "predict multinomial, the whole file"
    written, count = ("made documents", "write"), ("textmix", "count")
    ours = [one for key, one in last.items() if key[0] == "textmix" and one["slope"] and "predict " not in key[1]]
    largest = max(ours, key=lambda one: float(one["peak_mib"]))
    sizes = [int(each[count]["documents"]) for each in (first, last)]

    def a_million(*keys: tuple[str, str]) -> str:
        """Return the seconds a million documents of some stages."""
        return f"{sum(float(last[key]['per_million']) for key in keys):.0f} s"

    def right(key: tuple[str, str]) -> str:
        """Return the share of real messages with the right label."""
        return f"{float(last[key]['right_real']):.3f}".removeprefix("0")

    def path(size: int, *keys: tuple[str, str]) -> str:
        """Return the hours of some stages on paper."""
        return f"{sum(paper[key][f'hours_{size}'] for key in keys):.1f} hours"

    study = paper["snakemake own", "texts and counts in memory"]
    kilobytes = 4 * 2**30 / study["ends_at"] / 1e9
    bayes, machines = (count, fits["multinomial"], labels), (count, fits["linear_svm"])
    steep = max(ours, key=lambda one: float(one["slope"]))
    ends = [each[fits["linear_svm"]]["note"] for each in (first, last)]
    minutes = sum(float(one["processor_seconds"] or 0) for one in last.values()) / 60
    clock = sum(float(one["clock_seconds"] or 0) for one in last.values()) / (60 * minutes)
    more = max(0.0, ASKED - sizes[1]) / 1e6
    whole = (one for one in last.values() if int(one["documents"]) == sizes[1])
    later = 60 * minutes + more * sum(float(one["per_million"] or 0) for one in whole)
    disk = sum(paper[key]["disk_gb_100"] for key in (written, count))
    return {
        "sizes": f"{sizes[0] / 1e6:g} million and of {sizes[1] / 1e6:g} million documents",
        "start": f"some {float(last['every stage', 'start']['processor_seconds']):.1f} s",
        "total": f"{minutes:.0f} minutes of the processor",
        "gaps": f"{ends[0]}, and {ends[1]} of the larger size",
        "clock": f"{clock:.1f} times",
        "compared": "both can be compared" if clock < ALONE else "the former cannot be compared",
        "peak": f"{float(largest['peak_mib']) / 1024:.1f} GiB, in `{largest['stage']}`",
        "steepest": f"The steepest stage of textmix is `{steep['stage']}`, slope {float(steep['slope']):.2f}",
        "missing": f"{ASKED / 1e6:g} million were not run; by the line they take {later / 60:.0f} minutes."
        if more
        else "",
        **{name.replace(" ", "_"): f"{right(key)} by {name}" for name, key in LABELS.items()},
        "bayes": f"counting and naive Bayes take {a_million(count, fits['multinomial'])}",
        "machines": f"counting and the machines {a_million(*machines)}",
        "vowpal": f"Vowpal Wabbit {a_million(('vowpal_wabbit', 'convert'), ('vowpal_wabbit', 'fit'))}",
        "fasttext": f"fastText {a_million(('fasttext', 'convert'), ('fasttext', 'fit'))}",
        "hashed": f"hashed words {a_million(('hashing_sgd', 'fit'))}",
        "kilobytes": f"{kilobytes:.1f} kB a document",
        "study": f"near {study['ends_at']:.1f} million",
        "machines_end": f"near {paper[fits['linear_svm']]['ends_at']:.0f} million",
        "bayes_hours": f"{path(10, *bayes)} of one core for ten million documents, {path(100, *bayes)} for a hundred",
        "machines_hours": f"{path(10, *machines, labels)} and {path(100, *machines, labels)}",
        "disk": f"{disk:.0f} GB",
        "job": f"{float(last[count]['per_million']) / 60:.1f} minutes",
    }


def made(folder: Path) -> dict[str, str]:
    """Return the files that follow from the table of a folder: name -> text."""
    rows = read_csv(folder / MEASURED)
    before = (folder / PAGE).read_text(encoding="utf-8").partition(TITLE)[0]
    return {PAGE: before + section(rows), RECKONED: format_csv(reckon(rows, LIMIT), COLUMNS)}


def main() -> None:
    """Write these files."""
    for name, text in made(HOW_TO).items():
        (HOW_TO / name).write_text(text, encoding="utf-8")
        sys.stderr.write(f"wrote {HOW_TO / name}\n")


if __name__ == "__main__":
    main()
