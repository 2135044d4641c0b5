rule score:
    input:
        predictions="results/predictions/{paper}/{experiment}/{dataset}/{method}",
        features=JOBS.run_features,
        splits=JOBS.run_splits,
    output:
        "results/scores/{paper}/{experiment}/{dataset}/{method}.csv",
    log:
        "logs/score/{paper}/{experiment}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/score/{paper}/{experiment}/{dataset}/{method}.tsv"
    group:
        "work"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("score"),
        runtime=NEEDS.minutes("score"),
    params:
        recipe=RECIPES.of("score", metrics=JOBS.metrics),
    message:
        "Scoring {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/score.py"
