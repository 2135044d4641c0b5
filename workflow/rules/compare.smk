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
        comparison=COMPARE.path(),
        origins=COMPARE.path("origins"),
        causes=COMPARE.path("causes"),
    log:
        COMPARE.log,
    benchmark:
        COMPARE.benchmark
    group:
        NEEDS.group(COMPARE)
    conda:
        "../envs/jobs.yaml"
    resources:
        **NEEDS.resources(COMPARE),
    params:
        recipe=RECIPES.of(
            "compare",
            paper=JOBS.paper_spec,
            roles=JOBS.roles,
            evidence=JOBS.evidence,
            left_out=JOBS.left_out,
            given=JOBS.given,
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
            COMPARE.path(),
        output:
            csv=[
                report(
                    TABLE.path("csv", table=table),
                    caption="../report/table.rst",
                    category="{paper}",
                    subcategory="tables",
                    labels={"table": table},
                )
                for table in PLAN.papers[paper]["tables"]
            ],
            tex=[
                TABLE.path("tex", table=table)
                for table in PLAN.papers[paper]["tables"]
            ],
        log:
            TABLE.log,
        benchmark:
            TABLE.benchmark
        wildcard_constraints:
            paper=paper,
        group:
            NEEDS.group(TABLE)
        conda:
            "../envs/jobs.yaml"
        resources:
            **NEEDS.resources(TABLE),
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
            comparison=COMPARE.path(),
        output:
            [
                report(
                    FIGURE.path(figure=figure),
                    caption="../report/figure.rst",
                    category="{paper}",
                    subcategory="figures",
                    labels={"figure": figure},
                )
                for figure in PLAN.drawable(paper)
            ],
        log:
            FIGURE.log,
        benchmark:
            FIGURE.benchmark
        wildcard_constraints:
            paper=paper,
        group:
            NEEDS.group(FIGURE)
        conda:
            "../envs/jobs.yaml"
        resources:
            **NEEDS.resources(FIGURE),
        params:
            recipe=RECIPES.of(
                "figure",
                modules=JOBS.figure_modules,
                data=JOBS.parts("pages/*.mplstyle"),
                paper=JOBS.paper_spec,
                roles=JOBS.roles,
                left_out=JOBS.left_out,
            ),
        message:
            "Drawing the figures of {wildcards.paper}"
        script:
            "../scripts/figure.py"
