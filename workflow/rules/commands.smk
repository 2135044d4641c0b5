"""Commands that look through what is there, or write into config/; they make no result."""


rule doctor:
    """A table of the data sets: size, where from, reachable, how a wrong copy is noticed, the rows that wait, terms."""
    input:
        registry=JOBS.registries(),
        schema=JOBS.source("workflow/schemas/datasets.schema.yaml"),
    log:
        "logs/doctor.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        waiting=JOBS.waiting_rows,
    message:
        "Listing the source of each data set"
    script:
        "../scripts/doctor.py"


rule verify:
    """Read every result and raw file again; name what was changed by hand."""
    log:
        "logs/verify.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    message:
        "Checking every file of results/ and resources/ against its record"
    script:
        "../scripts/verify.py"


rule record:
    """Write what a finished run gave into config/papers/<paper>/recorded; run=FOLDER takes the run of another clone."""
    input:
        [] if "run" in PLAN.settings else rules.all.input,
    log:
        "logs/record.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        schemas=os.path.relpath(ROOT / "workflow/schemas"),
        chosen=PLAN.chosen(),
        capped=PLAN.settings["max_trials"] is not None,
        folders={paper: os.path.relpath(PLAN.folders[paper]) for paper in PLAN.papers},
        papers=JOBS.judging,
    message:
        "Recording the value of the run for each published row"
    script:
        "../scripts/record.py"


rule record_curves:
    """Write the curves of a run of specifications into config/papers/<paper>/recorded/curves.csv; run=FOLDER as for record."""
    input:
        [] if "run" in PLAN.settings else rules.specifications.input,
    log:
        "logs/record_curves.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        folders={
            paper: os.path.relpath(PLAN.folders[paper])
            for paper in JOBS.reading_papers()
        },
        declared=JOBS.declared,
    message:
        "Recording the specification curves"
    script:
        "../scripts/record_curves.py"
