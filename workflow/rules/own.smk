"""Texts of the user's own: `textmix compare` on each entry of the key own of the configuration."""


rule compare_own:
    input:
        lambda wildcards: PLAN.settings["own"][wildcards.own]["file"],
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
        options=JOBS.own_options,
    message:
        "Comparing methods on {input}: results/own/{wildcards.own}"
    shell:
        "textmix compare {input:q} --keep {output:q} --workers {threads} --quiet {params.options:q} > {log:q} 2>&1"


rule own:
    """Methods compared on texts of your own: --config 'own={{mine: {{file: texts.csv}}}}'; pages in results/own/."""
    input:
        collect(rules.compare_own.output, own=PLAN.settings["own"]),
    localrule: True
