rule fit:
    input:
        features=run_features,
        splits=run_splits,
    output:
        predictions=directory(
            "results/predictions/{paper}/{experiment}/{dataset}/{method}"
        ),
        timings="results/timings/{paper}/{experiment}/{dataset}/{method}.csv",
    log:
        "logs/fit/{paper}/{experiment}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/fit/{paper}/{experiment}/{dataset}/{method}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=method_spec,
        seed=PLAN.config["seed"],
        code=method_code,
    message:
        "Fitting {wildcards.method} on {wildcards.dataset} for {wildcards.paper}, {wildcards.experiment}"
    script:
        "../scripts/fit.py"


rule measure:
    input:
        measure_inputs,
    output:
        directory("results/papers/{paper}/measures/{measure}"),
    log:
        "logs/measure/{paper}/{measure}.log",
    benchmark:
        "results/benchmarks/measure/{paper}/{measure}.tsv"
    conda:
        "../../environment.yml"
    params:
        entry=measure_entry,
        sources=measure_sources,
        predictions=measure_predictions,
        seed=PLAN.config["seed"],
        code=measure_code,
    message:
        "Measuring {wildcards.measure} for {wildcards.paper}"
    script:
        "../scripts/measure.py"
