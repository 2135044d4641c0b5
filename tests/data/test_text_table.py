"""Tables of texts of all kinds are read as they are meant, or refused with file and line."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textmix.core.errors import ConfigError, DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.own import read_own
from textmix.data.parse import check_corpus
from textmix.data.readers.text_table import read

COLUMNS = {"text": "text", "label": "label"}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def reading(path: Path, task: str = "single", **options: Any) -> dict[str, Any]:
    form = {".csv": "csv", ".tsv": "tab", ".jsonl": "jsonl"}.get(path.suffix, "csv")
    columns = options.pop("columns", COLUMNS)
    head = {"name": "mine", "source": "my.yaml", "format": form, "task": task}
    return {**head, "files": {"data": str(path)}, "options": {"columns": columns, **options}}


def labels(corpus: Corpus) -> list[list[str]]:
    rows = np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    return [[corpus.label_names[i] for i in row] for row in rows]


def texts(corpus: Corpus) -> list[str]:
    return [corpus.text.text(row) for row in range(corpus.n_documents)]


GOOD = "text,label\none two,a\nthree,b\n"


def test_texts_and_labels_are_those_of_the_file(tmp_path):
    corpus = read_own(reading(write(tmp_path, "a.csv", GOOD)))
    assert texts(corpus) == ["one two", "three"]
    assert labels(corpus) == [["a"], ["b"]]
    assert corpus.ids == ["1", "2"]
    assert corpus.split is None


def test_labels_may_hold_commas_quotes_slashes_and_line_ends(tmp_path):
    names = ['a, b; "c"', "../../etc/passwd", "x/y", "a\nb", "日本", "=1+1", "a\tb"]
    stream = io.StringIO()
    csv.writer(stream).writerows([["text", "label"], *([f"text {i}", name] for i, name in enumerate(names))])
    corpus = read_own(reading(write(tmp_path, "a.csv", stream.getvalue())))
    assert [row[0] for row in labels(corpus)] == names
    corpus.save(tmp_path / "folder", {})
    assert list(Corpus.load(tmp_path / "folder").label_names) == sorted(names)


def test_several_labels_are_cut_at_the_separator_and_each_is_kept_once(tmp_path):
    path = write(tmp_path, "a.csv", 'text,label\none,"b; a,c ;b"\ntwo,\nthree, a,c\n'.replace("three, a,c", '3,"a,c"'))
    corpus = read_own(reading(path, "multi", separator=";"))
    assert labels(corpus) == [["a,c", "b"], [], ["a,c"]]


def test_json_lines_hold_lists_numbers_and_no_labels(tmp_path):
    rows = [{"text": "one", "label": ["x", "y"]}, {"text": "two", "label": 3}, {"text": "", "label": None}]
    path = write(tmp_path, "a.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert labels(read_own(reading(path, "multi"))) == [["x", "y"], ["3"], []]


def test_quotes_between_tabs_are_letters_and_columns_may_be_numbers(tmp_path):
    path = write(tmp_path, "a.tsv", 'ham\tsay "hi\nspam\t""win\n')
    corpus = read_own(reading(path, columns={"text": 2, "label": 1}))
    assert texts(corpus) == ['say "hi', '""win']


def test_split_column_gives_the_split(tmp_path):
    path = write(tmp_path, "a.csv", "text,label,part\none,a,train\ntwo,b,Test\nthree,b,training\n")
    corpus = read_own(reading(path, columns={**COLUMNS, "split": "part"}))
    assert corpus.split.tolist() == [0, 1, 0]


def test_files_of_a_split_keep_their_roles(tmp_path):
    description = reading(write(tmp_path, "a.csv", GOOD))
    description["files"] = {"train": str(tmp_path / "a.csv"), "test": str(write(tmp_path, "b.csv", GOOD))}
    corpus = read_own(description)
    assert corpus.ids == ["train/1", "train/2", "test/1", "test/2"]
    assert corpus.split.tolist() == [0, 0, 1, 1]


WRONG: dict[str, tuple[str, str | bytes, dict[str, Any], str]] = {
    "empty file": ("a.csv", b"", {}, r"a\.csv: is empty"),
    "header only": ("a.csv", "text,label\n", {}, r"a\.csv: holds no documents: it is empty, or has a header only"),
    "cell too many": ("a.csv", f"{GOOD}a,b,c\n", {}, r"a\.csv, line 4: has 3 cells, expected 2"),
    "no label": (
        "a.csv",
        f"{GOOD}four, \n",
        {},
        r"a\.csv, line 4: has no label; fill it in, or have rows without one left out: unlabelled: drop",
    ),
    "list of labels": (
        "a.jsonl",
        '{"text": "a", "label": ["x", "y"]}\n',
        {},
        r"a\.jsonl, line 1: has 2 labels, where one is expected",
    ),
    "mixed encodings": (
        "a.csv",
        GOOD.encode() + "naïve,a\n".encode() + "naïve,b\n".encode("latin-1"),
        {"encoding": "utf-8"},
        r"a\.csv, line 5: is not utf-8 text \(byte 0xef at 3\); is it of another encoding\? name it by --encoding",
    ),
    "UTF-16": ("a.csv", GOOD.encode("utf-16"), {"encoding": "utf-8"}, r"a\.csv, line 1: is UTF-16; save it as UTF-8"),
    "id twice": (
        "a.csv",
        "id,text,label\n7,a,x\n8,b,y\n7,c,x\n",
        {"columns": {**COLUMNS, "id": "id"}},
        r"a\.csv, line 4: the id '7' stands twice, before in line 2",
    ),
    "no id": (
        "a.csv",
        "id,text,label\n,a,x\n",
        {"columns": {**COLUMNS, "id": "id"}},
        r"a\.csv, line 2: has no id; fill it in, or leave the column out",
    ),
    "neither train nor test": (
        "a.csv",
        "text,label,part\na,x,dev\n",
        {"columns": {**COLUMNS, "split": "part"}},
        r"a\.csv, line 2: the split 'dev' is neither train nor test",
    ),
    "one class only": (
        "a.csv",
        "text,label\n1,a\n2,a\n",
        {},
        r"mine: all 2 documents have the one label 'a'; a classifier needs two or more",
    ),
}


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("txt,label\n1,2\n", {}, r"a\.csv: columns\.text: there is no column 'text'; .*txt, label"),
        ("text,text,label\n1,2,3\n", {}, "more than one column is called 'text'; give its number, 1 or 2"),
        (GOOD, {"text": 1, "label": 3}, r"a\.csv: columns\.label: there is no column '3'; allowed: 1, 2"),
    ],
)
def test_columns_that_are_not_there_are_named(tmp_path, content, columns, message):
    with pytest.raises(DataFormatError, match=message):
        read_own(reading(write(tmp_path, "a.csv", content), columns=columns or COLUMNS))


@pytest.mark.parametrize("case", WRONG)
def test_wrong_file_is_refused_with_file_and_line(tmp_path, case):
    name, content, options, message = WRONG[case]
    with pytest.raises(DataFormatError, match=f"^{message}$"):
        read_own(reading(write(tmp_path, name, content), **options))


AS_THEY_COME = {
    "semicolons": (GOOD.replace(",", ";").encode(), "a.csv has ';' between its cells."),
    "UTF-16 and tabs": (
        GOOD.replace(",", "\t").encode("utf-16"),
        r"a.csv is UTF-16. a.csv has '\\t' between its cells.",
    ),
    "Latin-1": (GOOD.replace("three", "thréé").encode("latin-1"), "a.csv: 1 lines are no UTF-8 and were read as .*"),
}


@pytest.mark.parametrize("case", AS_THEY_COME)
def test_delimiter_and_encoding_are_found_and_said(tmp_path, case):
    content, remark = AS_THEY_COME[case]
    corpus = read_own(reading(write(tmp_path, "a.csv", content)))
    assert texts(corpus) == ["one two", "thréé" if case == "Latin-1" else "three"]
    assert labels(corpus) == [["a"], ["b"]]
    assert re.fullmatch(remark, " ".join(corpus.info["remarks"][1:]))


def test_a_zip_of_one_file_is_read_and_one_of_several_refused(tmp_path):
    for names in (["a.csv"], ["a.csv", "b.csv"], [f"pos/{number}.txt" for number in range(2001)]):
        with zipfile.ZipFile(tmp_path / "a.csv.zip", "w") as archive:
            for name in names:
                archive.writestr(name, GOOD)
        description = {**reading(tmp_path / "a.csv.zip"), "format": "csv"}
        if len(names) == 1:
            assert texts(read_own(description)) == ["one two", "three"]
        else:
            what = (
                rf"a\.csv\.zip: the zip archive holds {len(names):,} files, and the limit is one; unpack it and name .*"
            )
            with pytest.raises(DataFormatError, match=f"^{what}") as caught:
                read_own(description)
            assert "damaged" not in str(caught.value)


def test_rows_without_a_label_are_dropped_and_counted_where_that_is_asked_for(tmp_path):
    corpus = read_own(reading(write(tmp_path, "a.csv", f"{GOOD}four, \n"), unlabelled="drop"))
    assert texts(corpus) == ["one two", "three"]
    assert corpus.info["remarks"][1:] == ["1 rows without a label were left out."]


def test_missing_file_is_named_with_its_key(tmp_path):
    with pytest.raises(ConfigError, match=r"my\.yaml: files\.data: there is no .*/a\.csv; correct the path"):
        read_own(reading(tmp_path / "a.csv"))


@given(
    rows=st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
            st.sampled_from(["a", 'b"', "c,d"]),
        ),
        min_size=1,
        max_size=20,
    )
)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_what_csv_writes_is_what_is_read(tmp_path_factory, rows):
    stream = io.StringIO()
    csv.writer(stream).writerows([["text", "label"], *rows])
    path = write(tmp_path_factory.mktemp("csv"), "a.csv", stream.getvalue())
    options = {"name": "mine", "format": "csv", "text": "text", "label": "label"}
    corpus = read({"data": path}, options)
    check_corpus(corpus)
    assert texts(corpus) == [text for text, _ in rows]
    assert [row[0] for row in labels(corpus)] == [label for _, label in rows]


def peak_of_reading(folder: Path, documents: int) -> tuple[int, int]:
    """Return size of a csv file and peak memory of a process that reads it, checks and saves it, bytes."""
    path = folder / f"{documents}.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("text,label\n")
        for row in range(documents):
            file.write(f'"{f"words of document {row} " * 40}",class {row % 7}\n')
    program = (
        "import resource, sys; from textmix.data.own import read_own; "
        f"read_own({reading(path)!r}).save({str(folder / f'{documents}')!r}, {{}}); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return path.stat().st_size, int(done.stdout)


def test_memory_of_reading_grows_no_faster_than_the_file(tmp_path):
    (small, less), (large, more) = (peak_of_reading(tmp_path, documents) for documents in (1_000, 41_000))
    assert large - small > 35e6
    assert more - less < 1.6 * (large - small), "a file of 1 GB would take more than 2 GiB"
