"""Main claims of a paper, answered from the verdicts on its rows, and its experience report.

``main_claims`` in ``paper.yaml`` lists each claim with the published rows that support it.  ``easy``, ``hard``,
``deviations`` and ``limitations`` describe the reproduction, like the reports of the ML Reproducibility Challenge.
They do not change any verdict.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reproduction.verdict.wording import (
    DIFFERS,
    NO,
    NO_DATASET_NAMED,
    NOT_TESTABLE,
    REPRODUCED,
    YES,
    claim_support,
)
from textmix.core.errors import ConfigError, suggest

if TYPE_CHECKING:
    # Not imported at run time, because the workflow imports this module while it is parsed.
    from reproduction.verdict.report_rows import Item

#: Keys of ``paper.yaml`` with the experience report, in the order of the page.
EXPERIENCE_KEYS = ("easy", "hard", "deviations", "limitations")


@dataclass(frozen=True)
class AnsweredClaim:
    """A main claim with its answer.

    Parameters
    ----------
    text : str
        The claim.
    answer : str
        ``yes`` if all supporting rows are reproduced; ``no`` if any of them differs; otherwise ``not testable here``,
        because the tests on a row are inconclusive or its data are missing.
    rows : sequence of str
        Ids of the supporting rows.
    reason : str
        Rows by verdict.
    """

    text: str
    answer: str
    rows: Sequence[str]
    reason: str


def rows_of_claim(claim: Mapping[str, Any], row_ids: Sequence[str], location: str) -> list[str]:
    """Return the ids of the supporting rows of a claim.

    Parameters
    ----------
    claim : mapping
        An entry of ``main_claims`` in ``paper.yaml``, with ids or patterns of ids.
    row_ids : sequence of str
        All ids of ``published.csv``.
    location : str
        Place of the entry, for messages.

    Raises
    ------
    ConfigError
        If an id or a pattern matches no row.
    """
    rows: dict[str, None] = {}
    for pattern in claim["rows"]:
        matching = [row for row in row_ids if fnmatch.fnmatchcase(row, pattern)]
        if not matching:
            raise ConfigError(f"{location}: published.csv has no '{pattern}'; {suggest(pattern, row_ids)}")
        rows.update(dict.fromkeys(matching))
    return list(rows)


def answer_claims(
    claims: Iterable[Mapping[str, Any]], items: Sequence[Item], location: str, unnamed: Collection[str] = ()
) -> list[AnsweredClaim]:
    """Answer the main claims of a paper; see `AnsweredClaim` for the rule.

    Parameters
    ----------
    claims : iterable of mapping
        ``main_claims`` of its ``paper.yaml``.
    items : sequence of Item
        All its rows; a row that this run did not judge has the verdict of the recorded run.
    location : str
        Place of ``main_claims``, for messages.
    unnamed : collection of str, default=()
        Ids of the rows that are never judged, because the paper names no data set.
    """
    verdicts = {item.row.id: item.known.verdict if item.known else item.verdict for item in items}
    answers = []
    for claim in claims:
        rows = rows_of_claim(claim, list(verdicts), location)
        by_verdict: dict[str, list[str]] = {}
        for row in rows:
            group = NO_DATASET_NAMED if row in unnamed else verdicts[row]
            by_verdict.setdefault(group, []).append(row)
        answers.append(AnsweredClaim(claim["text"], _answer(by_verdict), rows, claim_support(by_verdict)))
    return answers


def _answer(by_verdict: Mapping[str, Sequence[str]]) -> str:
    if DIFFERS in by_verdict:
        return NO
    return YES if set(by_verdict) == {REPRODUCED} else NOT_TESTABLE


def experience_of(spec: Mapping[str, Any], quote: Callable[[str, str], str]) -> dict[str, list[str]]:
    """Return the experience report of a ``paper.yaml`` with results inserted.

    Parameters
    ----------
    spec : mapping
        Content of the ``paper.yaml``.
    quote : callable
        Function of a text and its place that inserts the referenced results; it raises ConfigError if one is missing.

    Returns
    -------
    experience : dict
        Key of `EXPERIENCE_KEYS` -> texts.  A text with a missing result is dropped, because a sentence with a gap is
        not informative.
    """
    experience = {}
    for key in EXPERIENCE_KEYS:
        texts = []
        for text in spec.get(key, ()):
            try:
                texts.append(quote(text, f"paper.yaml: {key}"))
            except ConfigError:
                continue
        experience[key] = texts
    return experience
