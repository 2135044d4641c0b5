rule features:
    input:
        "results/datasets/{dataset}",
    output:
        directory("results/features/{dataset}/{features}"),
    log:
        "logs/features/{dataset}/{features}.log",
    benchmark:
        "results/benchmarks/features/{dataset}/{features}.tsv"
    conda:
        "../envs/words.yaml"
    params:
        spec=JOBS.features_spec,
        code=JOBS.code("features"),
    message:
        "Counting the words of {wildcards.dataset} ({wildcards.features})"
    script:
        "../scripts/features.py"
