rule features:
    input:
        PARSE.path(),
    output:
        directory(FEATURES.path()),
    log:
        FEATURES.log,
    benchmark:
        FEATURES.benchmark
    priority: NEEDS.priority(FEATURES)
    group:
        NEEDS.group(FEATURES)
    conda:
        "../envs/words.yaml"
    resources:
        **NEEDS.resources(FEATURES),
    params:
        recipe=RECIPES.of("features", spec=JOBS.features_spec),
    message:
        "Counting the words of {wildcards.dataset} ({wildcards.features})"
    script:
        "../scripts/features.py"
