"""Merge binary annotations (accept or reject one label at a time) into the labels of each text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple


class Answer(Enum):
    """Annotator's answer to the question whether labels apply to a text, as recorded by Prodigy."""

    ACCEPT = "accept"
    REJECT = "reject"
    IGNORE = "ignore"

    @classmethod
    def parse(cls, value: Any) -> Answer:
        """Parse a cell; an empty cell is ``IGNORE``.

        Parameters
        ----------
        value : object
            The cell.

        Returns
        -------
        Answer
            The answer.

        Raises
        ------
        ValueError
            If the cell is not an answer.
        """
        text = "" if value is None else str(value).strip().lower()
        return cls(text) if text else cls.IGNORE

    @classmethod
    def is_answer(cls, value: Any) -> bool:
        """Check whether a cell is an answer."""
        return isinstance(value, str) and value.strip().lower() in {answer.value for answer in cls}


class MergedAnswers(NamedTuple):
    """Rows to keep, one per text; their labels; and a note that summarises the answers."""

    rows: list[int]
    labels: list[list[str]]
    note: str


def merge_answers(
    texts: Sequence[bytes], labels: Sequence[Sequence[str]], answers: Sequence[Answer], n_ignored: int
) -> MergedAnswers:
    """Determine the labels of each text from the answers about it.

    With a single label, rejected texts get the label ``not <label>``.  If every text was annotated for every label, a
    text may have an empty label set.  Otherwise texts without an accepted label are dropped, since their label is
    unknown.

    Parameters
    ----------
    texts : sequence of bytes
        Text of each row; rows with equal texts are merged.
    labels : sequence of sequence of str
        Labels in question in each row.
    answers : sequence of Answer
        Answer of each row, ``ACCEPT`` or ``REJECT``.
    n_ignored : int
        Number of ignored rows, for the note.

    Returns
    -------
    MergedAnswers
        The rows to keep and their labels.
    """
    first_rows: dict[bytes, int] = {}
    accepted: dict[bytes, dict[str, None]] = {}
    questions: dict[bytes, set[str]] = {}
    for row, (text, names, answer) in enumerate(zip(texts, labels, answers, strict=True)):
        first_rows.setdefault(text, row)
        questions.setdefault(text, set()).update(names)
        labels_of_text = accepted.setdefault(text, {})
        if answer is Answer.ACCEPT:
            labels_of_text.update(dict.fromkeys(names))
    all_labels = set[str]().union(*questions.values())
    has_rejections = Answer.REJECT in answers
    default_labels: list[str] | None = None
    if len(all_labels) == 1 and has_rejections:
        default_labels = [f"not {next(iter(all_labels))}"]
    elif all(names == all_labels for names in questions.values()):
        default_labels = []
    kept = [text for text in first_rows if accepted[text] or default_labels is not None]
    n_accepted = sum(answer is Answer.ACCEPT for answer in answers)
    n_rejected = len(answers) - n_accepted
    note = f"The column answer has {n_accepted:,} accept, {n_rejected:,} reject and {n_ignored:,} ignore"
    if default_labels:
        note += f"; rejected texts have the label {default_labels[0]!r}."
    else:
        note += f"; {len(first_rows) - len(kept):,} texts without an accepted label were dropped."
    return MergedAnswers(
        rows=[first_rows[text] for text in kept],
        labels=[[*accepted[text]] or (default_labels or []) for text in kept],
        note=note,
    )
