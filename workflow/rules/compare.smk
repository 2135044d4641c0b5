rule compare:
    input:
        data=JOBS.data,
        predictions=JOBS.predictions,
        scores=JOBS.scores,
        timings=JOBS.timings,
        measures=JOBS.measures,
        published=JOBS.published,
        checks=JOBS.checks,
        lists=JOBS.role_lists,
        schema=JOBS.source("workflow/schemas/checks.schema.yaml"),
    output:
        "results/papers/{paper}/comparison.csv",
    log:
        "logs/compare/{paper}.log",
    benchmark:
        "results/benchmarks/compare/{paper}.tsv"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("compare"),
        runtime=NEEDS.minutes("compare"),
    params:
        recipe=RECIPES.of(
            "compare",
            paper=JOBS.paper_spec,
            roles=JOBS.roles,
            evidence=JOBS.evidence,
        ),
    message:
        "Setting the published numbers of {wildcards.paper} beside the rebuilt ones"
    script:
        "../scripts/compare.py"


rule table:
    input:
        "results/papers/{paper}/comparison.csv",
    output:
        csv=report(
            "results/papers/{paper}/tables/{table}.csv",
            caption="../report/table.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{table}"},
        ),
        tex="results/papers/{paper}/tables/{table}.tex",
    log:
        "logs/tables/{paper}/{table}.log",
    benchmark:
        "results/benchmarks/table/{paper}/{table}.tsv"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("table"),
        runtime=NEEDS.minutes("table"),
    params:
        recipe=RECIPES.of("table", entry=JOBS.table_spec),
    message:
        "Writing table {wildcards.table} of {wildcards.paper}"
    script:
        "../scripts/table.py"


rule figure:
    input:
        scores=JOBS.scores,
        timings=JOBS.timings,
        measures=JOBS.measures,
        comparison="results/papers/{paper}/comparison.csv",
    output:
        report(
            "results/papers/{paper}/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels={"figure": "{figure}"},
        ),
    log:
        "logs/figures/{paper}/{figure}.log",
    benchmark:
        "results/benchmarks/figure/{paper}/{figure}.tsv"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("figure"),
        runtime=NEEDS.minutes("figure"),
    params:
        recipe=RECIPES.of(
            "figure",
            modules=JOBS.figure_modules,
            data=JOBS.parts("pages/*.mplstyle"),
            paper=JOBS.paper_spec,
            roles=JOBS.roles,
        ),
    message:
        "Drawing figure {wildcards.figure} of {wildcards.paper}"
    script:
        "../scripts/figure.py"
