rule compare:
    input:
        data=data_of,
        scores=scores_of,
        timings=timings_of,
        measures=measures_of,
        published="config/papers/{paper}/published.csv",
        checks="config/papers/{paper}/checks.yaml",
        lists="config/papers/{paper}/paper.yaml",
    output:
        "results/papers/{paper}/comparison.csv",
    log:
        "logs/compare/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        paper=paper_spec,
        roles=roles_of,
        code=PLAN.code("compare"),
    message:
        "Setting the published numbers of {wildcards.paper} beside the rebuilt ones"
    script:
        "../scripts/compare.py"


rule table:
    input:
        "results/papers/{paper}/comparison.csv",
    output:
        report(
            "results/papers/{paper}/tables/{table}.csv",
            caption="../report/table.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{table}"},
        ),
    log:
        "logs/tables/{paper}/{table}.log",
    conda:
        "../../environment.yml"
    params:
        paper=paper_spec,
        code=PLAN.code("table"),
    message:
        "Writing table {wildcards.table} of {wildcards.paper}"
    script:
        "../scripts/table.py"


rule figure:
    input:
        scores=scores_of,
        timings=timings_of,
        measures=measures_of,
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
    conda:
        "../../environment.yml"
    params:
        paper=paper_spec,
        roles=roles_of,
        code=figure_code,
    message:
        "Drawing figure {wildcards.figure} of {wildcards.paper}"
    script:
        "../scripts/figure.py"
