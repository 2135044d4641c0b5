rule split:
    input:
        PARSE.path(),
    output:
        directory(SPLIT.path()),
    log:
        SPLIT.log,
    benchmark:
        SPLIT.benchmark
    priority: NEEDS.priority(SPLIT)
    group:
        NEEDS.group(SPLIT)
    conda:
        "../envs/jobs.yaml"
    resources:
        **NEEDS.resources(SPLIT),
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
