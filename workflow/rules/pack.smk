rule pack:
    """Pack the fits, measures and scores that have been made, with their records, into results.tar.gz or pack=FILE."""
    input:
        in_a_folder,
    log:
        "logs/pack.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        pack=PLAN.settings.get("pack", "results.tar.gz"),
        jobs=lambda wildcards: packed_jobs(PLAN, RECIPES),
    message:
        "Packing the results with their records"
    script:
        "../scripts/pack.py"


rule take:
    """Take from pack=FILE sha256=DIGEST each result that its job would make so today; the data are made before."""
    input:
        in_a_folder,
        TARGETS.results()["features"],
        TARGETS.results()["split"],
    log:
        "logs/take.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        pack=PLAN.settings.get("pack", "results.tar.gz"),
        sha256=PLAN.settings.get("sha256"),
        jobs=lambda wildcards: packed_jobs(PLAN, RECIPES),
    message:
        "Taking results from a pack"
    script:
        "../scripts/take.py"
