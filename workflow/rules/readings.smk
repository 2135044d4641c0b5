"""The declared readings of each paper: their fits and measures are jobs as any other, and each row has a curve."""


rule readings:
    input:
        JOBS.reading_values,
        published=JOBS.paper_file("published.csv"),
        checks=JOBS.paper_file("checks.yaml"),
        lists=JOBS.paper_file("paper.yaml"),
        schema=JOBS.source("workflow/schemas/checks.schema.yaml"),
    output:
        directory("results/papers/{paper}/specifications"),
    log:
        "logs/readings/{paper}.log",
    conda:
        "../envs/run.yaml"
    params:
        settings=untold(JOBS.readings),
        code=JOBS.code("readings", data=STYLES, settings=JOBS.readings),
    message:
        "Drawing the specification curves of {wildcards.paper}"
    script:
        "../scripts/readings.py"


rule specifications:
    """The rows that differ under every declared reading of their source: results/papers/<paper>/specifications."""
    input:
        collect(rules.readings.output, paper=JOBS.reading_papers()),
    localrule: True
    message:
        "Specification curves: results/papers/<paper>/specifications; snakemake report puts them on the pages"
