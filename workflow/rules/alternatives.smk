"""Compare each published value with the results of all registered alternatives: specification curves."""


rule alternatives:
    input:
        INPUTS.alternative_results,
        published=INPUTS.paper_file("published.csv"),
        checks=INPUTS.paper_file("checks.yaml"),
        lists=INPUTS.paper_file("paper.yaml"),
        schema=f"{SCHEMAS}/checks.schema.yaml",
    output:
        directory("results/papers/{paper}/specifications"),
    log:
        "logs/alternatives/{paper}.log",
    conda:
        "../envs/run.yaml"
    params:
        settings=unrecorded(PARAMS.alternatives),
        code=PARAMS.code("alternatives", data=STYLES, settings=PARAMS.alternatives),
    message:
        "Drawing the specification curves of {wildcards.paper}"
    script:
        "../scripts/alternatives.py"


rule specifications:
    """Draw the specification curve of each value that is not reproduced: results/papers/<paper>/specifications."""
    input:
        collect(rules.alternatives.output, paper=INPUTS.papers_with_alternatives()),
    localrule: True
    message:
        "Specification curves are in results/papers/<paper>/specifications; run snakemake report to add them to the report"
