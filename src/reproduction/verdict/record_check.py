"""Compare a run with the recorded run to detect lost verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reproduction.flow.lineage import Origin
from reproduction.flow.results import is_skipped_result
from reproduction.verdict.comparison_row import ComparisonRow
from reproduction.verdict.published import COUNTED, FACT
from reproduction.verdict.recorded_run import OUT_OF_DATE, RecordedRow, RecordedRun
from reproduction.verdict.wording import (
    JUDGED,
    LEFT_TO_FULL_RUN,
    MISSING,
    OTHER_DATA,
    OTHER_SETTINGS,
    REPRODUCED,
    TIMES,
)

#: Reasons to skip a recorded row: measured times, results of the full run only, or different inputs.
NOT_COMPARED = (TIMES, LEFT_TO_FULL_RUN, OTHER_DATA, OTHER_SETTINGS)


def lost_verdicts(
    rows: Iterable[ComparisonRow], origins: Mapping[str, Origin], run: RecordedRun, *, fewer_trials: bool = False
) -> tuple[list[str], dict[str, int]]:
    """Find the counted rows that the recorded run judged better on the same data.

    Rows that depend only on a test, not on data or settings, are compared too.  A row without results in this run is
    skipped only if its data are missing.

    Parameters
    ----------
    rows : iterable of ComparisonRow
        Rows of this run.
    origins : mapping of str to Origin
        Row id -> results that it depends on.
    run : RecordedRun
        The recorded run.
    fewer_trials : bool, default=False
        Whether this run has a limit on trials; if so, rows reproduced with other settings are skipped.

    Returns
    -------
    lost : list of str
        A sentence for each lost verdict.
    counts : dict of str to int
        Number of rows that were ``compared``, skipped (for each reason in `NOT_COMPARED`), and ``out of date`` in the
        recorded run.
    """
    lost: list[str] = []
    counts = dict.fromkeys(("compared", *NOT_COMPARED, OUT_OF_DATE), 0)
    for row in rows:
        recorded = run.rows.get(row.id)
        if recorded is None or row.kind not in (*COUNTED, FACT):
            continue
        if recorded.verdict == OUT_OF_DATE:
            counts[OUT_OF_DATE] += 1
        if recorded.verdict not in JUDGED:
            continue
        skipped = _why_skipped(row, origins.get(row.id), recorded, fewer_trials)
        counts[skipped or "compared"] += 1
        is_worse = recorded.verdict == REPRODUCED or not row.is_judged
        if not skipped and is_worse and row.verdict != recorded.verdict:
            lost.append(f"{row.id} was {recorded.verdict} and is {row.verdict}")
    return lost, counts


def _why_skipped(row: ComparisonRow, origin: Origin | None, recorded: RecordedRow, fewer_trials: bool) -> str:
    """Return the reason in `NOT_COMPARED` to skip a row; "" if it is compared."""
    data = origin.data if origin else ""
    settings = origin.settings if origin else ""
    if origin and origin.timed:
        return TIMES
    if is_skipped_result(row.reason):
        return LEFT_TO_FULL_RUN
    if data != recorded.data and (data or row.verdict == MISSING):
        return OTHER_DATA
    has_other_settings = data == recorded.data and settings not in ("", recorded.settings)
    return OTHER_SETTINGS if fewer_trials and has_other_settings else ""
