"""Compare methods on your own texts: textmix compare for each entry of the configuration key own."""


rule compare_own:
    input:
        INPUTS.own_files,
    output:
        directory("results/own/{own}"),
    log:
        "logs/own/{own}.log",
    wildcard_constraints:
        own="[a-z0-9_]+",
    conda:
        "../envs/run.yaml"
    threads: workflow.cores or 1
    params:
        settings=PARAMS.own,
        code=PARAMS.code("own"),
    message:
        "Comparing methods on {params.settings[file]}: results/own/{wildcards.own}"
    script:
        "../scripts/own.py"


rule own:
    """Compare methods on your own texts: --config 'own={mine: {file: texts.csv}}'; reports in results/own/."""
    input:
        collect(rules.compare_own.output, own=PLAN.settings["own"]),
    localrule: True
