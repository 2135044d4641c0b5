rule split:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/splits/{dataset}/{split}"),
    log:
        "logs/splits/{dataset}/{split}.log",
    benchmark:
        "results/benchmarks/split/{dataset}/{split}.tsv"
    priority: DATA
    group:
        "data"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("split"),
        runtime=NEEDS.minutes("split"),
    params:
        recipe=RECIPES.of(
            "split",
            spec=JOBS.split_spec,
            seed=PLAN.settings["seed"],
            max_trials=PLAN.settings["max_trials"],
        ),
    message:
        "Splitting {wildcards.dataset} into training and test documents ({wildcards.split})"
    script:
        "../scripts/split.py"
