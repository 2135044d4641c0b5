"""Tables of texts that an entry of the registry describes: columns, labels and parts, or file and line of the fault."""

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
from hypothesis import given
from hypothesis import strategies as st

from tests.data.readers.numbers import quick
from tests.data.readers.texts import rows
from tests.fixtures.reader_files import SAMPLES, Sample
from textmix.core.errors import DataFormatError
from textmix.data.corpus import Corpus
from textmix.data.parse import check_corpus

COLUMNS = {"text": "text", "label": "label"}
GOOD = "text,label\none two,a\nthree,b\n"


def read(folder: Path, content: str | bytes, form: str = "csv", **options: Any) -> Corpus:
    """Return the corpus of a table with the columns text and label, if no others are named."""
    data = content.encode() if isinstance(content, str) else content
    return Sample("text_table", {"data": data}, {"format": form, **COLUMNS, **options}).read(folder)


def written(table: list[tuple[str, str]]) -> str:
    """Return a table of texts and labels as csv."""
    stream = io.StringIO()
    csv.writer(stream).writerows([("text", "label"), *table])
    return stream.getvalue()


def labels(corpus: Corpus) -> list[list[str]]:
    rows = np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    return [[corpus.label_names[i] for i in row] for row in rows]


def texts(corpus: Corpus) -> list[str]:
    return [corpus.text.text(row) for row in range(corpus.n_documents)]


def test_labels_may_hold_commas_quotes_slashes_and_line_ends(tmp_path):
    names = ['a, b; "c"', "../../etc/passwd", "x/y", "a\nb", "日本", "=1+1", "a\tb"]
    corpus = read(tmp_path, written([(f"text {i}", name) for i, name in enumerate(names)]))
    assert [row[0] for row in labels(corpus)] == names
    assert (corpus.ids[0], corpus.split) == ("1", None)
    corpus.save(tmp_path / "folder", {})
    assert list(Corpus.load(tmp_path / "folder").label_names) == sorted(names)


def test_several_labels_are_cut_at_the_separator_and_each_is_kept_once(tmp_path):
    corpus = read(tmp_path, 'text,label\none,"b; a,c ;b"\ntwo,\n3,"a,c"\n', several=True, separator=";")
    assert labels(corpus) == [["a,c", "b"], [], ["a,c"]]


def test_json_lines_hold_lists_numbers_and_no_labels(tmp_path):
    rows = [{"text": "one", "label": ["x", "y"]}, {"text": "two", "label": 3}, {"text": "", "label": None}]
    corpus = read(tmp_path, "\n".join(map(json.dumps, rows)), "jsonl", several=True)
    assert labels(corpus) == [["x", "y"], ["3"], []]


def test_quotes_between_tabs_are_letters_and_columns_may_be_numbers(tmp_path):
    corpus = read(tmp_path, 'ham\tsay "hi\nspam\t""win\n', "tab", text=2, label=1)
    assert texts(corpus) == ['say "hi', '""win']


def test_a_column_gives_the_split(tmp_path):
    corpus = read(tmp_path, "text,label,part\none,a,train\ntwo,b,Test\nthree,b,training\n", split="part")
    assert corpus.split.tolist() == [0, 1, 0]


WRONG: dict[str, tuple[str | bytes, dict[str, Any], str]] = {
    "no label": (f"{GOOD}four, \n", {}, ", line 4: has no label; .*unlabelled: drop"),
    "UTF-16": (GOOD.encode("utf-16"), {"encoding": "utf-8"}, ", line 1: is UTF-16; save it as UTF-8"),
    "id twice": (
        "id,text,label\n7,a,x\n8,b,y\n7,c,x\n",
        {"id": "id"},
        ", line 4: duplicate id '7', which is also in line 2",
    ),
    "no id": ("id,text,label\n,a,x\n", {"id": "id"}, ", line 2: has no id; fill it in, or leave the column out"),
    "neither train nor test": (
        "text,label,part\na,x,other\n",
        {"split": "part"},
        ", line 2: the split 'other' is neither train nor test",
    ),
    "no such column": ("txt,label\n1,2\n", {}, ": text: unknown column 'text'; .*txt, label"),
    "two such columns": ("text,text,label\n1,2,3\n", {}, ": text: several columns .*; give the number, 1 or 2"),
    "no such number": (GOOD, {"text": 1, "label": 3}, ": label: unknown column '3'; allowed: 1, 2"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_table_is_refused_with_file_and_line(tmp_path, case):
    content, options, message = WRONG[case]
    with pytest.raises(DataFormatError, match=rf"^data\.dat{message}"):
        read(tmp_path, content, **options)


AS_THEY_COME = {
    "semicolons": (GOOD.replace(",", ";").encode(), "data.dat is delimited by ';'."),
    "UTF-16 and tabs": (
        GOOD.replace(",", "\t").encode("utf-16"),
        r"data.dat is UTF-16. data.dat is delimited by '\\t'.",
    ),
    "Latin-1": (
        GOOD.replace("three", "thréé").encode("latin-1"),
        "data.dat: 1 lines are not UTF-8 and were read as .*",
    ),
}


@pytest.mark.parametrize("case", AS_THEY_COME)
def test_delimiter_and_encoding_are_found_and_said(tmp_path, case):
    content, remark = AS_THEY_COME[case]
    corpus = read(tmp_path, content)
    assert texts(corpus) == ["one two", "thréé" if case == "Latin-1" else "three"]
    assert labels(corpus) == [["a"], ["b"]]
    assert re.fullmatch(remark, " ".join(corpus.info["remarks"][1:]))


@pytest.mark.parametrize("names", [["a.csv"], ["a.csv", "b.csv"], [f"pos/{number}.txt" for number in range(2001)]])
def test_a_zip_of_one_file_is_read_and_one_of_several_refused(tmp_path, names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, GOOD)
    if len(names) == 1:
        assert texts(read(tmp_path, packed.getvalue())) == ["one two", "three"]
        return
    what = rf"^data\.dat: the zip archive contains {len(names):,} files instead of one; unpack it and name "
    with pytest.raises(DataFormatError, match=what):
        read(tmp_path, packed.getvalue())


@quick
@given(
    table=st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
            st.sampled_from(["a", 'b"', "c,d"]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_what_csv_writes_is_what_is_read(tmp_path_factory, table):
    corpus = read(tmp_path_factory.mktemp("csv"), written(table))
    check_corpus(corpus)
    assert [(text, label) for _, label, text in rows(corpus)] == table


# --- lines of a label and a text --------------------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)


def test_the_first_word_is_the_label_and_the_rest_the_text(tmp_path):
    corpus = SAMPLES["lines"].read(tmp_path)
    assert rows(corpus) == [("train/1", "3", "some text here"), ("train/2", "0", "noö"), ("test/1", "3", "more")]
    assert corpus.split.tolist() == [0, 0, 1]


@quick
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1)), min_size=1))
def test_texts_of_lines_survive_writing_and_reading(tmp_path_factory, table):
    content = "".join(f"{label} {' '.join(words)}\n" for label, words in table)
    corpus = read(tmp_path_factory.mktemp("lines"), content, "labelled", prefix="")
    assert [row[1:] for row in rows(corpus)] == [(label, " ".join(words)) for label, words in table]


def test_all_words_with_the_prefix_are_labels_wherever_they_stand(tmp_path):
    data = "__label__b, __label__a  one  __label__c more\n__label__a two\nthree __label__b\n"
    corpus = read(tmp_path, data, "labelled", prefix="__label__", several=True)
    assert corpus.label_names == ["a", "b", "c"]
    assert corpus.labels.toarray().tolist() == [[1, 1, 1], [1, 0, 0], [0, 1, 0]]
    assert texts(corpus) == ["one  more", "two", "three"]
    with pytest.raises(DataFormatError, match="line 1: has 3 labels, where one is expected"):
        read(tmp_path, data, "labelled", prefix="__label__")


FAULTS = {
    "no text": (b"a one\nb\n", {}, "line 2: has no text after its label; write label, blank, text"),
    "no prefix": (b"__l__a one\nb two\n", {"prefix": "__l__"}, "line 2: has no label"),
    "prefix alone": (b"__l__ one\n", {"prefix": "__l__"}, "line 1: has no label"),
    "not UTF-8": (b"a one\nb \xff\n", {"encoding": "utf-8"}, "line 2: is not utf-8 text"),
    "empty": (b"\n\n", {}, "contains no documents"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_wrong_line_is_named(case, tmp_path):
    content, options, what = FAULTS[case]
    with pytest.raises(DataFormatError, match=what):
        read(tmp_path, content, "labelled", **{"prefix": "", **options})


def peak_of_reading(folder: Path, documents: int) -> tuple[int, int]:
    """Return size of a csv file and peak memory of a process that reads it, checks and saves it, bytes."""
    path = folder / f"{documents}.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("text,label\n")
        for row in range(documents):
            file.write(f'"{f"words of document {row} " * 40}",class {row % 7}\n')
    program = (
        "import resource; from pathlib import Path; from textmix.data.parse import check_corpus; "
        "from textmix.data.user_table import read_table; "
        f"corpus = read_table(Path({str(path)!r})).corpus; check_corpus(corpus); "
        f"corpus.save({str(folder / f'{documents}')!r}, {{}}); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return path.stat().st_size, int(done.stdout)


def test_memory_of_reading_grows_no_faster_than_the_file(tmp_path):
    (small, less), (large, more) = (peak_of_reading(tmp_path, documents) for documents in (1_000, 41_000))
    assert large - small > 35e6
    assert more - less < 1.6 * (large - small), "a file of 1 GB would take more than 2 GiB"
