FIT = RECIPES.of(
    "fit",
    modules=JOBS.run_modules,
    spec=JOBS.run_spec,
    method=JOBS.run_method,
    seed=PLAN.settings["seed"],
)


rule fit:
    input:
        features=JOBS.run_views,
        splits=JOBS.run_splits,
        parts=JOBS.run_parts,
    output:
        predictions=directory(
            "results/predictions/{paper}/{experiment}/{dataset}/{method}"
        ),
        timings="results/timings/{paper}/{experiment}/{dataset}/{method}.csv",
    log:
        "logs/fit/{paper}/{experiment}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/fit/{paper}/{experiment}/{dataset}/{method}.tsv"
    priority: NEEDS.priority("fit", "{paper}/{experiment}/{dataset}/{method}")
    group:
        NEEDS.group("work", "fit", "{paper}/{experiment}/{dataset}/{method}")
    conda:
        "../envs/fit.yaml"
    resources:
        mem_mb=NEEDS.megabytes("fit", "{paper}/{experiment}/{dataset}/{method}"),
        runtime=NEEDS.minutes("fit", "{paper}/{experiment}/{dataset}/{method}"),
        # Resources, for no result depends on them: they decide whether a compared method still has time.
        started=JOBS.started,
        budget=JOBS.budget,
        cheap=JOBS.cheap,
    params:
        recipe=FIT,
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/fit.py"


rule part:
    input:
        features=JOBS.run_views,
        splits=JOBS.run_splits,
    output:
        temp(directory("results/parts/{paper}/{experiment}/{dataset}/{method}/{cell}")),
    log:
        "logs/fit/{paper}/{experiment}/{dataset}/{method}/{cell}.log",
    benchmark:
        "results/benchmarks/part/{paper}/{experiment}/{dataset}/{method}/{cell}.tsv"
    priority: NEEDS.priority("part", "{paper}/{experiment}/{dataset}/{method}")
    conda:
        "../envs/fit.yaml"
    resources:
        mem_mb=NEEDS.megabytes("part", "{paper}/{experiment}/{dataset}/{method}"),
        runtime=NEEDS.minutes("part", "{paper}/{experiment}/{dataset}/{method}"),
        started=JOBS.started,
        budget=JOBS.budget,
    params:
        recipe=FIT,
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}: "
        "fit {wildcards.cell}"
    script:
        "../scripts/fit.py"


rule measure:
    input:
        JOBS.measure_inputs,
    output:
        directory("results/papers/{paper}/measures/{measure}"),
    log:
        "logs/measure/{paper}/{measure}.log",
    benchmark:
        "results/benchmarks/measure/{paper}/{measure}.tsv"
    priority: NEEDS.priority("measure", "{paper}/{measure}")
    group:
        NEEDS.group("work", "measure", "{paper}/{measure}")
    conda:
        "../envs/fit.yaml"
    resources:
        mem_mb=NEEDS.megabytes("measure", "{paper}/{measure}"),
        runtime=NEEDS.minutes("measure", "{paper}/{measure}"),
    params:
        recipe=RECIPES.of(
            "measure",
            modules=JOBS.measure_modules,
            entry=JOBS.measure_entry,
            methods=JOBS.measure_methods,
            sources=JOBS.measure_sources,
            predictions=JOBS.measure_predictions,
            seed=PLAN.settings["seed"],
        ),
    message:
        "Measuring {wildcards.measure} for {wildcards.paper}"
    script:
        "../scripts/measure.py"
