"""Fit and score the methods of the papers, and compute measures that only one paper defines."""


rule fit:
    input:
        features=collect(
            "results/features/{fit.dataset}/{fit.features}", fit=INPUTS.fit
        ),
        splits=collect("results/splits/{fit.dataset}/{fit.split}", fit=INPUTS.fit),
        shared=collect(
            "results/predictions/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}",
            fit=INPUTS.shared_fits,
        ),
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
        mem_mb=scale_with_attempt(4000),
    params:
        settings=PARAMS.fit,
        code=PARAMS.code("fit", modules=PARAMS.fit_modules),
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} ({wildcards.paper}, {wildcards.experiment})"
    script:
        "../scripts/fit.py"


rule score:
    input:
        predictions=rules.fit.output.predictions,
        features=collect(
            "results/features/{fit.dataset}/{fit.features}", fit=INPUTS.fit
        ),
        splits=collect("results/splits/{fit.dataset}/{fit.split}", fit=INPUTS.fit),
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
        settings=PARAMS.score,
        code=PARAMS.code("score"),
    message:
        "Scoring {wildcards.method} on {wildcards.dataset} ({wildcards.paper}, {wildcards.experiment})"
    script:
        "../scripts/score.py"


rule measure:
    input:
        features=collect(
            "results/features/{data.dataset}/{data.features}",
            data=INPUTS.measure_features,
        ),
        splits=collect(
            "results/splits/{data.dataset}/{data.split}", data=INPUTS.measure_splits
        ),
        predictions=collect(
            "results/predictions/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}",
            fit=INPUTS.measure_fits,
        ),
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
        mem_mb=scale_with_attempt(6000),
    params:
        settings=PARAMS.measure,
        code=PARAMS.code("measure", modules=PARAMS.measure_modules),
    message:
        "Computing {wildcards.measure} ({wildcards.paper})"
    script:
        "../scripts/measure.py"
