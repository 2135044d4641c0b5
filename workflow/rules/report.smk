rule page:
    """The report: its page, the comparisons of all papers in comparison.csv, and the counts of verdicts."""
    input:
        comparisons=collect(
            "results/papers/{paper}/comparison.csv", paper=PLAN.chosen()
        ),
        tables=TARGETS.tables(),
        figures=TARGETS.figures(),
        data=TARGETS.datasets(),
        benchmarks=TARGETS.benchmarks(),
        config=JOBS.records(),
        schemas=JOBS.sources(
            "workflow/schemas/checks.schema.yaml",
            "workflow/schemas/deviations.schema.yaml",
        ),
        checks=collect(
            "config/papers/{paper}/{file}.yaml",
            paper=list(PLAN.papers),
            file=["checks", "paper"],
        ),
    output:
        page="results/report/index.html",
        comparison="results/report/comparison.csv",
        summary="results/report/summary.json",
    log:
        "logs/report.log",
    conda:
        "../envs/pages.yaml"
    params:
        recipe=RECIPES.of(
            "page",
            data=JOBS.parts("pages/templates/*"),
            papers=PLAN.papers,
            roles=PLAN.settings["roles"],
            titles=JOBS.role_titles(),
            chosen=PLAN.chosen(),
            seed=PLAN.settings["seed"],
            versions=versions(),
        ),
    message:
        "Writing the report page results/report/index.html"
    script:
        "../scripts/page.py"


rule accept:
    """The end of a run: an error where data were corrupt or, if strict, could not be had."""
    input:
        summary="results/report/summary.json",
        data=TARGETS.datasets(),
    output:
        "results/report/accepted.json",
    log:
        "logs/accept.log",
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of("accept", strict=PLAN.settings["strict"]),
    message:
        "Looking for data that were corrupt or could not be had"
    script:
        "../scripts/accept.py"


rule verify:
    """Read every result again; name what was changed by hand and what is stale."""
    log:
        "logs/verify.log",
    conda:
        "../envs/jobs.yaml"
    params:
        stale=stale_results,
    message:
        "Checking every file of results/ and resources/ against its record"
    script:
        "../scripts/verify.py"
