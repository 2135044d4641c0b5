rule parse:
    input:
        JOBS.fetched,
    output:
        directory("results/datasets/{dataset}"),
    log:
        "logs/parse/{dataset}.log",
    benchmark:
        "results/benchmarks/parse/{dataset}.tsv"
    priority: DATA
    group:
        NEEDS.group("data", "parse", "{dataset}")
    conda:
        "../envs/data.yaml"
    resources:
        mem_mb=NEEDS.megabytes("parse", "{dataset}"),
        runtime=NEEDS.minutes("parse", "{dataset}"),
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
