rule split:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/splits/{dataset}/{split}"),
    log:
        "logs/splits/{dataset}/{split}.log",
    conda:
        "../envs/jobs.yaml"
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
