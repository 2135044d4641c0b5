rule verify:
    """Read every result again; name what was changed by hand and what is stale."""
    input:
        in_a_folder,
    log:
        "logs/verify.log",
    conda:
        "../envs/jobs.yaml"
    params:
        stale=stale_results,
    message:
        "Checking every file of results/ and resources/ against its record"
    script:
        "../scripts/verify.py"


rule record:
    """Write what a finished run gave into config/papers/<paper>/recorded; run=FOLDER takes the run of another clone."""
    input:
        in_a_folder,
    log:
        "logs/record.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        stale=lambda wildcards: (
            [] if PLAN.settings.get("run") else stale_results(wildcards)
        ),
        folders=lambda wildcards: {
            paper: os.path.relpath(PLAN.folders[paper]) for paper in PLAN.papers
        },
        schemas=JOBS.source("workflow/schemas"),
        chosen=PLAN.chosen(),
        capped=PLAN.settings["max_trials"] is not None,
        papers=lambda wildcards: JOBS.judging(),
    message:
        "Recording what the run gave for each published row"
    script:
        "../scripts/record.py"


rule record_curves:
    """Write the curves of a run of specifications into config/papers/<paper>/recorded/curves.csv; run=FOLDER as for record."""
    input:
        in_a_folder,
    log:
        "logs/record_curves.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        folders=lambda wildcards: {
            paper: os.path.relpath(PLAN.folders[paper])
            for paper in READING_JOBS.papers()
        },
        declared=lambda wildcards: {
            paper: PLAN.readings[paper].specifications
            for paper in READING_JOBS.papers()
        },
    message:
        "Recording the specification curves"
    script:
        "../scripts/record_curves.py"
