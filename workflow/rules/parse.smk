rule parse:
    input:
        JOBS.fetched,
    output:
        directory(PARSE.path()),
    log:
        PARSE.log,
    benchmark:
        PARSE.benchmark
    # Data of the user's own are read by a rule of their own.
    wildcard_constraints:
        dataset=f"(?!{OWN.name}$)[a-z0-9_]+" if OWN else "[a-z0-9_]+",
    priority: NEEDS.priority(PARSE)
    group:
        NEEDS.group(PARSE)
    conda:
        "../envs/data.yaml"
    resources:
        **NEEDS.resources(PARSE),
    params:
        recipe=RECIPES.of(
            "parse",
            modules=JOBS.readers,
            entry=JOBS.dataset_entry,
            stand_ins=JOBS.stand_in_entries,
        ),
    message:
        "Reading {wildcards.dataset} and checking its counts"
    script:
        "../scripts/parse.py"
