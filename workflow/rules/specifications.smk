rule readings:
    input:
        READING_JOBS.values,
        published=JOBS.published,
        checks=JOBS.checks,
        lists=JOBS.role_lists,
        schema=JOBS.source("workflow/schemas/checks.schema.yaml"),
    output:
        directory(READINGS.path()),
    log:
        READINGS.log,
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of(
            "readings",
            data=JOBS.parts("pages/*.mplstyle"),
            readings=READING_JOBS.declared,
            roles=JOBS.roles,
            left_out=READING_JOBS.left_out,
        ),
    message:
        "Drawing the specification curves of {wildcards.paper}"
    script:
        "../scripts/readings.py"


rule specifications:
    """The rows that differ under every declared reading of their source: results/papers/<paper>/specifications."""
    input:
        READING_JOBS.folders(),
    localrule: True
    message:
        "Specification curves: results/papers/<paper>/specifications; snakemake report puts them on the pages"
