"""Texts of the user's own: `textmix compare` on each entry of the key own of the configuration."""


rule compare_own:
    input:
        JOBS.own_file,
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
        settings=JOBS.own,
        code=JOBS.code("own"),
    message:
        "Comparing methods on {input}: results/own/{wildcards.own}"
    script:
        "../scripts/own.py"


rule own:
    """Methods compared on texts of your own: --config 'own={mine: {file: texts.csv}}'; pages in results/own/."""
    input:
        collect(rules.compare_own.output, own=PLAN.settings["own"]),
    localrule: True
