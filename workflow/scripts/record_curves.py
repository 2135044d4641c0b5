"""Write the recorded specification curves from the results of a run of ``specifications``."""

from pathlib import Path

from reproduction.flow.git import commit_of
from reproduction.flow.job_context import job, logger
from reproduction.flow.recorded_curves import RECORDED_CURVES, record_curves
from reproduction.verdict.record_writer import check_fresh, check_no_rehearsal, commit_text
from textmix.core.errors import IntegrityError

with job(snakemake):
    asked = snakemake.params
    run = Path(asked.run)
    check_no_rehearsal(asked.rehearsal, run)
    commit = commit_text(commit_of(run.resolve()))
    made = {paper: run / f"results/papers/{paper}/specifications" for paper in asked.folders}
    if not any(folder.is_dir() for folder in made.values()):
        raise IntegrityError(f"{run}: has no curves; run snakemake specifications with config/full.yaml")
    for paper, folder in made.items():
        if folder.is_dir():
            check_fresh(run, [f"results/papers/{paper}/specifications"])
            rows = record_curves(folder, Path(asked.folders[paper]) / RECORDED_CURVES, asked.declared[paper], commit)
            logger.info("recorded the curves of %d rows of %s; commit config/", len(rows), paper)
