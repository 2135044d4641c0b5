"""Compare published with reproduced values, write the tables and draw the figures of each paper."""


rule compare:
    input:
        datasets=collect(rules.parse.output, dataset=INPUTS.datasets),
        features=collect(
            "results/features/{row.dataset}/{row.features}",
            row=lookup("paper == '{paper}'", within=FEATURE_SETS),
        ),
        predictions=collect(
            "results/predictions/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}",
            fit=lookup("paper == '{paper}'", within=FITS),
        ),
        scores=collect(
            "results/scores/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}.csv",
            fit=lookup("paper == '{paper}'", within=FITS),
        ),
        timings=collect(
            "results/timings/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}.csv",
            fit=lookup("paper == '{paper}'", within=FITS),
        ),
        measures=collect(
            "results/papers/{row.paper}/measures/{row.measure}",
            row=lookup("paper == '{paper}'", within=MEASURES),
        ),
        published=INPUTS.paper_file("published.csv"),
        checks=INPUTS.paper_file("checks.yaml"),
        lists=INPUTS.paper_file("paper.yaml"),
        schema=f"{SCHEMAS}/checks.schema.yaml",
    output:
        comparison="results/papers/{paper}/comparison.csv",
        origins="results/papers/{paper}/origins.csv",
        causes="results/papers/{paper}/causes.csv",
    log:
        "logs/compare/{paper}.log",
    benchmark:
        "results/benchmarks/compare/{paper}.tsv"
    priority: 50
    group:
        "end"
    conda:
        "../envs/run.yaml"
    params:
        settings=unrecorded(PARAMS.compare),
        code=PARAMS.code("compare", settings=PARAMS.compare),
    message:
        "Comparing published and reproduced values of {wildcards.paper}"
    script:
        "../scripts/compare.py"


# One job writes all tables of a paper, and one job draws all its figures, because importing the libraries takes longer than
# writing a table or drawing a figure.  The wildcard has one value in each of these rules.
for paper in [name for name in PLAN.papers if PLAN.papers[name]["tables"]]:

    rule:
        name:
            f"table_{paper}"
        input:
            rules.compare.output.comparison,
        output:
            csv=[
                report(
                    f"results/papers/{{paper}}/tables/{table}.csv",
                    caption="../report/table.rst",
                    category="{paper}",
                    subcategory="tables",
                    labels={"table": table},
                )
                for table in PLAN.papers[paper]["tables"]
            ],
            tex=[
                f"results/papers/{{paper}}/tables/{table}.tex"
                for table in PLAN.papers[paper]["tables"]
            ],
        log:
            "logs/table/{paper}.log",
        benchmark:
            "results/benchmarks/table/{paper}.tsv"
        wildcard_constraints:
            paper=paper,
        priority: 50
        group:
            "end"
        conda:
            "../envs/run.yaml"
        params:
            settings=unrecorded(PARAMS.tables),
            code=PARAMS.code("table", settings=PARAMS.tables),
        message:
            "Writing the tables of {wildcards.paper}"
        script:
            "../scripts/table.py"


for paper in filter(PLAN.drawable, PLAN.papers):

    rule:
        name:
            f"figure_{paper}"
        input:
            scores=collect(
                "results/scores/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}.csv",
                fit=lookup("paper == '{paper}'", within=FITS),
            ),
            timings=collect(
                "results/timings/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}.csv",
                fit=lookup("paper == '{paper}'", within=FITS),
            ),
            measures=collect(
                "results/papers/{row.paper}/measures/{row.measure}",
                row=lookup("paper == '{paper}'", within=MEASURES),
            ),
            comparison=rules.compare.output.comparison,
        output:
            [
                report(
                    f"results/papers/{{paper}}/figures/{figure}.svg",
                    caption="../report/figure.rst",
                    category="{paper}",
                    subcategory="figures",
                    labels={"figure": figure},
                )
                for figure in PLAN.drawable(paper)
            ],
        log:
            "logs/figure/{paper}.log",
        benchmark:
            "results/benchmarks/figure/{paper}.tsv"
        wildcard_constraints:
            paper=paper,
        priority: 50
        group:
            "end"
        conda:
            "../envs/run.yaml"
        params:
            settings=unrecorded(PARAMS.figures),
            code=PARAMS.code(
                "figure",
                modules=PARAMS.figure_modules,
                data=STYLES,
                settings=PARAMS.figures,
            ),
        message:
            "Drawing the figures of {wildcards.paper}"
        script:
            "../scripts/figure.py"
