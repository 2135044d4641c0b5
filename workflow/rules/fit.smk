FITTING = RECIPES.of(
    "fit",
    modules=JOBS.run_modules,
    spec=JOBS.run_spec,
    method=JOBS.run_method,
    seed=READING_JOBS.seed_of_run,
)


rule fit:
    input:
        features=JOBS.run_views,
        splits=JOBS.run_splits,
        parts=JOBS.run_parts,
    output:
        predictions=directory(FIT.path("predictions")),
        timings=FIT.path("timings"),
    log:
        FIT.log,
    benchmark:
        FIT.benchmark
    priority: NEEDS.priority(FIT)
    group:
        NEEDS.group(FIT)
    conda:
        "../envs/fit.yaml"
    resources:
        **NEEDS.resources(FIT),
        # Resources, for no result depends on them: they decide whether a compared method still has time.
        started=JOBS.started,
        budget=JOBS.budget,
        cheap=JOBS.cheap,
    params:
        recipe=FITTING,
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/fit.py"


rule part:
    input:
        features=JOBS.run_views,
        splits=JOBS.run_splits,
    output:
        temp(directory(PART.path())),
    log:
        PART.log,
    benchmark:
        PART.benchmark
    priority: NEEDS.priority(PART)
    conda:
        "../envs/fit.yaml"
    resources:
        **NEEDS.resources(PART),
        started=JOBS.started,
        budget=JOBS.budget,
    params:
        recipe=FITTING,
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}: "
        "fit {wildcards.cell}"
    script:
        "../scripts/fit.py"


rule measure:
    input:
        JOBS.measure_inputs,
    output:
        directory(MEASURE.path()),
    log:
        MEASURE.log,
    benchmark:
        MEASURE.benchmark
    priority: NEEDS.priority(MEASURE)
    group:
        NEEDS.group(MEASURE)
    conda:
        "../envs/fit.yaml"
    resources:
        **NEEDS.resources(MEASURE),
    params:
        recipe=RECIPES.of(
            "measure",
            modules=JOBS.measure_modules,
            entry=JOBS.measure_entry,
            methods=JOBS.measure_methods,
            sources=JOBS.measure_sources,
            predictions=JOBS.measure_predictions,
            seed=READING_JOBS.seed_of_measure,
        ),
    message:
        "Measuring {wildcards.measure} for {wildcards.paper}"
    script:
        "../scripts/measure.py"
