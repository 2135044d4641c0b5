"""Combine the answers of an annotator, who accepts or rejects labels one at a time, to the labels of each text."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple


class Answer(Enum):
    """An answer to the question whether labels apply to a text, as Prodigy records it."""

    ACCEPT = "accept"
    REJECT = "reject"
    IGNORE = "ignore"

    @classmethod
    def parse(cls, value: Any) -> Answer:
        """Return the answer in a cell; an empty one is ignored."""
        text = "" if value is None else str(value).strip().lower()
        return cls(text) if text else cls.IGNORE

    @classmethod
    def is_answer(cls, value: Any) -> bool:
        """Check whether a cell is an answer."""
        return isinstance(value, str) and value.strip().lower() in {answer.value for answer in cls}


class MergedAnswers(NamedTuple):
    """Rows to keep, one for each text, their labels, and a sentence on what was done."""

    rows: list[int]
    labels: list[list[str]]
    note: str


def merge_answers(
    texts: Sequence[bytes], labels: Sequence[Sequence[str]], answers: Sequence[Answer], n_ignored: int
) -> MergedAnswers:
    """Determine the labels of each text from the answers about it.

    If only one label was asked about, a rejected text has the label ``not`` it.  If each text was asked about every
    label, a text may have none.  Otherwise a text without an accepted label is dropped, since its label is unknown.

    Parameters
    ----------
    texts : sequence of bytes
        The text of each row; rows with equal texts belong together.
    labels : sequence of sequence of str
        The labels that each row asks about.
    answers : sequence of Answer
        The answer of each row, ``ACCEPT`` or ``REJECT``.
    n_ignored : int
        Number of rows that were ignored before, for the note.

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
    rest: list[str] | None = None
    if len(all_labels) == 1 and has_rejections:
        rest = [f"not {next(iter(all_labels))}"]
    elif all(names == all_labels for names in questions.values()):
        rest = []
    kept = [text for text in first_rows if accepted[text] or rest is not None]
    n_accepted = sum(answer is Answer.ACCEPT for answer in answers)
    n_rejected = len(answers) - n_accepted
    note = f"The column answer has {n_accepted:,} accept, {n_rejected:,} reject and {n_ignored:,} ignore"
    if rest:
        note += f"; rejected texts have the label {rest[0]!r}."
    else:
        note += f"; {len(first_rows) - len(kept):,} texts without an accepted label were dropped."
    return MergedAnswers(
        rows=[first_rows[text] for text in kept],
        labels=[[*accepted[text]] or (rest or []) for text in kept],
        note=note,
    )
