"""The end of a run: wrong bytes are an error, missing data only where the run is strict."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.flow.test_job import Named, log_of, snakemake  # noqa: F401 - the fixture
from textmix.core import io
from textmix.core.errors import MissingResult

SCRIPT = Path(__file__).parents[2] / "workflow/scripts/accept.py"


def accepted(snakemake: SimpleNamespace, strict: bool) -> int:  # noqa: F811 - the fixture
    """Run the script that ends a run; return its exit code."""
    settings = {"strict": strict, "out_of_reach": {}}
    snakemake.params = Named(settings=settings, code=snakemake.params.code)
    snakemake.input = Named("results/datasets/a", "results/datasets/b")
    snakemake.input.data = list(snakemake.input)
    snakemake.output = Named("results/report/accepted.json")
    try:
        exec(compile(SCRIPT.read_text(encoding="utf-8"), str(SCRIPT), "exec"), {"snakemake": snakemake})
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("absent", [None, "broken", "not had"])
def test_wrong_bytes_end_the_run_with_an_error_and_missing_data_if_it_is_strict(
    snakemake: SimpleNamespace,  # noqa: F811
    strict: bool,
    absent: str | None,
) -> None:
    for name in ("a", "b"):
        with io.new_folder(f"results/datasets/{name}", {}):
            pass
    if absent:
        io.write_missing("results/datasets/a", MissingResult("a has wrong bytes", broken=absent == "broken"), {})
    refused = absent == "broken" or (strict and absent is not None)
    assert accepted(snakemake, strict) == refused
    assert Path("results/report/accepted.json").is_file() == (not refused)
    assert ("a has wrong bytes" in log_of(snakemake)) == (absent is not None)
    if refused:
        assert "the report is written, but not all of its data are sound" in log_of(snakemake)
    else:
        assert json.loads(Path("results/report/accepted.json").read_text()) == {"accepted": True}
