"""Write the recorded run: the results of a finished run for each published row, and the measurements of its jobs."""

from pathlib import Path

from reproduction.flow.announcement import measure_jobs, write_measurements
from reproduction.flow.git import commit_of
from reproduction.flow.job_context import job, logger
from reproduction.flow.results import role_entries
from reproduction.verdict.published import read_record
from reproduction.verdict.record_writer import PaperPlan, check_no_loss, check_no_rehearsal, read_run, write_record
from reproduction.verdict.recorded_run import history_entries, read_recorded, recorded_files
from textmix.core.errors import ConfigError


def count_entries(run: Path, folder: Path) -> int:
    """Count the entries in the history of a paper at the time of the run, which may be another clone."""
    paths = [run / folder / "history.md", folder / "history.md"]
    return next((len(history_entries(path.read_text(encoding="utf-8"))) for path in paths if path.is_file()), 0)


with job(snakemake):
    params = snakemake.params
    schemas = Path(params.schemas)
    run = Path(params.run)
    check_no_rehearsal(params.rehearsal, run)
    if params.capped:
        raise ConfigError("record: max_trials is set, so that this is not the whole run; leave it out")
    plans = {
        paper: PaperPlan(
            entry["paper"],
            read_record(params.folders[paper], schemas),
            role_entries(entry["roles"]),
            entry["tests"],
            entry["skipped_results"],
            count_entries(run, Path(params.folders[paper])),
        )
        for paper, entry in params.papers.items()
    }
    record, texts = read_run(run, plans, commit_of(run.resolve()), params.chosen)
    folders = {paper: Path(folder) for paper, folder in params.folders.items()}
    old = read_recorded(recorded_files(folders.values()))
    check_no_loss(old, record)
    write_record(record, folders, texts)
    write_measurements(measure_jobs(run), Path(params.jobs))
    static = Path("docs/_static")  # for the README
    static.mkdir(parents=True, exist_ok=True)
    (static / "results.svg").write_bytes((run / "results/report/results.svg").read_bytes())
    logger.info("recorded %d rows of the run that ended on %s; commit config/", len(record.rows), record.day)
