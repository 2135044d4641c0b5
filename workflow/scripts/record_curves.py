"""Write the recorded specification curves from the results of a run of ``specifications``."""

from pathlib import Path

from reproduction.flow.git import commit_of
from reproduction.flow.job_context import job, logger
from reproduction.flow.recorded_curves import RECORDED_CURVES, record_curves
from reproduction.verdict.record_writer import check_fresh, check_no_rehearsal, commit_text
from textmix.core.errors import IntegrityError

with job(snakemake):
    params = snakemake.params
    run = Path(params.run)
    check_no_rehearsal(params.rehearsal, run)
    commit = commit_text(commit_of(run.resolve()))
    curve_folders = {paper: run / f"results/papers/{paper}/specifications" for paper in params.folders}
    if not any(folder.is_dir() for folder in curve_folders.values()):
        raise IntegrityError(f"{run}: has no curves; run snakemake specifications with config/full.yaml")
    for paper, folder in curve_folders.items():
        if folder.is_dir():
            check_fresh(run, [f"results/papers/{paper}/specifications"])
            rows = record_curves(folder, Path(params.folders[paper]) / RECORDED_CURVES, params.declared[paper], commit)
            logger.info("recorded the curves of %d rows of %s; commit config/", len(rows), paper)
