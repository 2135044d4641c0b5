"""Published numbers beside rebuilt ones, and the tables and figures of each paper."""


rule compare:
    input:
        data=JOBS.data,
        predictions=JOBS.of_fits("predictions"),
        scores=JOBS.of_fits("scores", ".csv"),
        timings=JOBS.of_fits("timings", ".csv"),
        measures=JOBS.measures,
        published=JOBS.paper_file("published.csv"),
        checks=JOBS.paper_file("checks.yaml"),
        lists=JOBS.paper_file("paper.yaml"),
        schema=JOBS.source("workflow/schemas/checks.schema.yaml"),
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
        settings=untold(JOBS.compare),
        code=JOBS.code("compare", settings=JOBS.compare),
    message:
        "Comparing the published numbers of {wildcards.paper} with the rebuilt ones"
    script:
        "../scripts/compare.py"


# One job writes all tables of a paper, and one draws all its figures: starting Python with its libraries takes longer than
# a table or a figure.  The wildcard has one value in each of these rules.
for paper in [name for name in PLAN.papers if PLAN.papers[name]["tables"]]:

    rule:
        name:
            f"table_{paper}"
        input:
            "results/papers/{paper}/comparison.csv",
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
            settings=untold(JOBS.tables),
            code=JOBS.code("table", settings=JOBS.tables),
        message:
            "Writing the tables of {wildcards.paper}"
        script:
            "../scripts/table.py"


for paper in filter(PLAN.drawable, PLAN.papers):

    rule:
        name:
            f"figure_{paper}"
        input:
            scores=JOBS.of_fits("scores", ".csv"),
            timings=JOBS.of_fits("timings", ".csv"),
            measures=JOBS.measures,
            comparison="results/papers/{paper}/comparison.csv",
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
            settings=untold(JOBS.figures),
            code=JOBS.code(
                "figure",
                modules=JOBS.figure_modules,
                data=STYLES,
                settings=JOBS.figures,
            ),
        message:
            "Drawing the figures of {wildcards.paper}"
        script:
            "../scripts/figure.py"
