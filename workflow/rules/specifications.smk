def fresh_curves(wildcards):
    """Return paper -> file -> content of the specification curves of the papers whose curves are those of today.

    They are a setting and no input of the pages, which would else run every reading.
    """
    declared = set(READING_JOBS.papers()) & set(PAGES.papers(wildcards))
    folders = {paper: READINGS.path(paper=paper) for paper in sorted(declared)}
    return {
        paper: read_folder(Path(folder))
        for paper, folder in folders.items()
        if RECIPES.is_fresh("readings", folder, paper=paper)
    }


def curves_on_record(wildcards):
    """Return paper -> file -> content of the recorded curves, of the readings that are declared today."""
    found = {
        paper: recorded_curves(
            Path(PLAN.folders[paper]) / RECORDED_CURVES,
            PLAN.readings[paper].specifications,
        )
        for paper in sorted(set(READING_JOBS.papers()) & set(PAGES.papers(wildcards)))
    }
    return {paper: files for paper, files in found.items() if files}


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
