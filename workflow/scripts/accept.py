"""End the run with an error if data are corrupt or, when strict, if data are not available."""

from reproduction.flow.job_context import job, logger
from textmix.core.errors import DataFormatError, MissingResult
from textmix.core.io import check_result, write_result

with job(snakemake, tolerate_missing=True) as running:
    missing_results = []
    for path in snakemake.input.data:
        try:
            check_result(path)
        except MissingResult as missing:
            missing_results.append(missing)
            logger.warning("%s", missing.reason)
    for reason in dict.fromkeys(running.settings.out_of_reach.values()):
        logger.warning("%s", reason)
    is_strict = running.settings.strict
    reasons = [missing.reason for missing in missing_results if missing.broken or is_strict]
    if is_strict:
        reasons += dict.fromkeys(running.settings.out_of_reach.values())
    if reasons:
        raise DataFormatError("the report is written, but some data are missing or corrupt", None, " | ".join(reasons))
    write_result(snakemake.output[0], '{"accepted": true}\n', running.record)
