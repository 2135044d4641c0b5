"""Commands that check data and results, or write into config/."""


rule doctor:
    """List every data set with its size, source, availability, checksum, the published values that need it, and licence."""
    input:
        registry=INPUTS.registries(),
        schema=f"{SCHEMAS}/datasets.schema.yaml",
    log:
        "logs/doctor.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        published_rows=count_published_rows(PLAN),
    message:
        "Listing data sets"
    script:
        "../scripts/doctor.py"


rule verify:
    """Check every result and raw file against its recorded digest; report files that were edited or damaged."""
    log:
        "logs/verify.log",
    localrule: True
    conda:
        "../envs/run.yaml"
    message:
        "Checking every file of results/ and resources/ against its recorded digest"
    script:
        "../scripts/verify.py"


rule record:
    """Write the results of a complete run to config/papers/<paper>/recorded; run=FOLDER: the run of another clone."""
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
        jobs=os.path.relpath(ROOT / RECORDED_JOBS),
        rehearsal=PLAN.settings["rehearsal"],
        folders={paper: os.path.relpath(PLAN.folders[paper]) for paper in PLAN.papers},
        papers=PARAMS.compare_all,
    message:
        "Recording the reproduced value of each published value"
    script:
        "../scripts/record.py"


rule record_curves:
    """Write the specification curves of a run to config/papers/<paper>/recorded/curves.csv; run=FOLDER as for record."""
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
            for paper in INPUTS.papers_with_alternatives()
        },
        declared=PARAMS.specifications,
        rehearsal=PLAN.settings["rehearsal"],
    message:
        "Recording the specification curves"
    script:
        "../scripts/record_curves.py"
