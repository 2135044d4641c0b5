rule features:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/features/{dataset}/{features}"),
    log:
        "logs/features/{dataset}/{features}.log",
    benchmark:
        "results/benchmarks/features/{dataset}/{features}.tsv"
    priority: DATA
    group:
        NEEDS.group("data", "features", "{dataset}/{features}")
    conda:
        "../envs/words.yaml"
    resources:
        mem_mb=NEEDS.megabytes("features", "{dataset}/{features}"),
        runtime=NEEDS.minutes("features", "{dataset}/{features}"),
    params:
        recipe=RECIPES.of("features", spec=JOBS.features_spec),
    message:
        "Counting the words of {wildcards.dataset} ({wildcards.features})"
    script:
        "../scripts/features.py"
