"""Fits of the papers' methods, their scores, and the measures that one paper alone defines."""


rule fit:
    input:
        features=JOBS.fit_features,
        splits=JOBS.fit_splits,
    output:
        predictions=directory(
            "results/predictions/{paper}/{experiment}/{dataset}/{method}"
        ),
        timings="results/timings/{paper}/{experiment}/{dataset}/{method}.csv",
    log:
        "logs/fit/{paper}/{experiment}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/fit/{paper}/{experiment}/{dataset}/{method}.tsv"
    group:
        "work"
    conda:
        "../envs/run.yaml"
    resources:
        mem_mb=grows(4000),
    params:
        settings=JOBS.fit,
        code=JOBS.code("fit", modules=JOBS.fit_modules),
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/fit.py"


rule score:
    input:
        predictions="results/predictions/{paper}/{experiment}/{dataset}/{method}",
        features=JOBS.fit_features,
        splits=JOBS.fit_splits,
    output:
        "results/scores/{paper}/{experiment}/{dataset}/{method}.csv",
    log:
        "logs/score/{paper}/{experiment}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/score/{paper}/{experiment}/{dataset}/{method}.tsv"
    priority: 40
    group:
        "work"
    conda:
        "../envs/run.yaml"
    params:
        settings=JOBS.score,
        code=JOBS.code("score"),
    message:
        "Scoring {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/score.py"


rule measure:
    input:
        JOBS.measure_inputs,
    output:
        directory("results/papers/{paper}/measures/{measure}"),
    log:
        "logs/measure/{paper}/{measure}.log",
    benchmark:
        "results/benchmarks/measure/{paper}/{measure}.tsv"
    group:
        "work"
    conda:
        "../envs/run.yaml"
    resources:
        mem_mb=grows(6000),
    params:
        settings=JOBS.measure,
        code=JOBS.code("measure", modules=JOBS.measure_modules),
    message:
        "Measuring {wildcards.measure} for {wildcards.paper}"
    script:
        "../scripts/measure.py"
