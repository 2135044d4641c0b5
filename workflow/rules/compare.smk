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
        comparison="results/papers/{paper}/comparison.csv",
        origins="results/papers/{paper}/origins.csv",
    log:
        "logs/compare/{paper}.log",
    benchmark:
        "results/benchmarks/compare/{paper}.tsv"
    group:
        "end"
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


# One job writes all tables of a paper, and one draws all its figures: each needs the whole of paper.yaml, and starting Python
# with its libraries takes longer than a table or a figure.  The wildcard has one value in each of these rules.
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
            "logs/tables/{paper}.log",
        benchmark:
            "results/benchmarks/table/{paper}.tsv"
        wildcard_constraints:
            paper=paper,
        group:
            "end"
        conda:
            "../envs/jobs.yaml"
        resources:
            mem_mb=NEEDS.megabytes("table"),
            runtime=NEEDS.minutes("table"),
        params:
            recipe=RECIPES.of("table", entries=JOBS.table_entries),
        message:
            "Writing the tables of {wildcards.paper}"
        script:
            "../scripts/table.py"


for paper in filter(PLAN.drawable, PLAN.papers):

    rule:
        name:
            f"figure_{paper}"
        input:
            scores=JOBS.scores,
            timings=JOBS.timings,
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
            "logs/figures/{paper}.log",
        benchmark:
            "results/benchmarks/figure/{paper}.tsv"
        wildcard_constraints:
            paper=paper,
        group:
            "end"
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
            "Drawing the figures of {wildcards.paper}"
        script:
            "../scripts/figure.py"
