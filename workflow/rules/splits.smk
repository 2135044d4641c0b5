rule split:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/splits/{dataset}/{split}"),
    log:
        "logs/splits/{dataset}/{split}.log",
    conda:
        "../../environment.yml"
    params:
        spec=split_spec,
        seed=PLAN.config["seed"],
        max_trials=PLAN.config["max_trials"],
        code=PLAN.code("split"),
    message:
        "Splitting {wildcards.dataset} into training and test documents ({wildcards.split})"
    script:
        "../scripts/split.py"
