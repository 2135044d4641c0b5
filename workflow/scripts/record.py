"""Write the recorded run: the results of a finished run for each published row, and the measurements of its jobs."""

from pathlib import Path

from reproduction.flow.announcement import measure_jobs, write_measurements
from reproduction.flow.git import commit_of
from reproduction.flow.job_context import job, logger
from reproduction.flow.results import role_entries
from reproduction.verdict.published import read_record
from reproduction.verdict.record_writer import PaperPlan, check_no_loss, check_no_rehearsal, read_run, write_record
from reproduction.verdict.recorded_run import read_recorded, recorded_files
from textmix.core.errors import ConfigError

with job(snakemake):
    asked = snakemake.params
    schemas, run = Path(asked.schemas), Path(asked.run)
    check_no_rehearsal(asked.rehearsal, run)
    if asked.capped:
        raise ConfigError("record: max_trials is set, so that this is not the whole run; leave it out")
    plans = {
        paper: PaperPlan(
            entry["paper"],
            read_record(asked.folders[paper], schemas),
            role_entries(entry["roles"]),
            entry["tests"],
        )
        for paper, entry in asked.papers.items()
    }
    made, texts = read_run(run, plans, commit_of(run.resolve()), asked.chosen)
    folders = {paper: Path(folder) for paper, folder in asked.folders.items()}
    old = read_recorded(recorded_files(folders.values()))
    check_no_loss(old, made)
    write_record(made, folders, texts)
    write_measurements(measure_jobs(run), Path(asked.jobs))
    kept = Path("docs/_static")  # for the README
    kept.mkdir(parents=True, exist_ok=True)
    (kept / "results.svg").write_bytes((run / "results/report/results.svg").read_bytes())
    logger.info("recorded %d rows of the run that ended on %s; commit config/", len(made.rows), made.day)
