"""End the run with an error if data are corrupt or, when strict, if data are not available."""

from reproduction.flow.job_context import job, logger
from textmix.core.errors import DataFormatError, MissingResult
from textmix.core.io import check_result, write_result

with job(snakemake, tolerate_missing=True) as running:
    absent = {}
    for path in snakemake.input.data:
        try:
            check_result(path)
        except MissingResult as missing:
            absent[path] = missing
            logger.warning("%s", missing.reason)
    for reason in running.settings.out_of_reach.values():
        logger.warning("%s", reason)
    wrong = [missing.reason for missing in absent.values() if missing.broken or running.settings.strict]
    wrong += [reason for reason in running.settings.out_of_reach.values() if running.settings.strict]
    if wrong:
        raise DataFormatError("the report is written, but not all of its data are sound", None, " | ".join(wrong))
    write_result(snakemake.output[0], '{"accepted": true}\n', running.record)
