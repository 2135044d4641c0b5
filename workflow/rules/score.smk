rule score:
    input:
        predictions=FIT.path(),
        features=JOBS.run_features,
        splits=JOBS.run_splits,
    output:
        SCORE.path(),
    log:
        SCORE.log,
    benchmark:
        SCORE.benchmark
    priority: NEEDS.priority(SCORE)
    group:
        NEEDS.group(SCORE)
    conda:
        "../envs/jobs.yaml"
    resources:
        **NEEDS.resources(SCORE),
    params:
        recipe=RECIPES.of("score", metrics=JOBS.metrics),
    message:
        "Scoring {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/score.py"
