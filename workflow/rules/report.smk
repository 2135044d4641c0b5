REPORTED = RECIPES.of(
    "page",
    data=JOBS.parts("*/templates/*") + JOBS.parts("pages/*.mplstyle"),
    papers=PAGES.papers,
    roles=PAGES.roles,
    titles=PAGES.titles,
    remedies=PAGES.remedies,
    curves=fresh_curves,
    recorded_curves=curves_on_record,
    chosen=PAGES.chosen,
    home=PAGES.home,
    alone=PAGES.alone,
)


rule page:
    """The report: its pages, the comparisons of all papers in comparison.csv, and the counts of verdicts."""
    input:
        comparisons=PAGES.comparisons,
        origins=PAGES.origins,
        causes=PAGES.causes,
        recorded=PAGES.recorded,
        tables=PAGES.tables,
        figures=PAGES.figures,
        data=PAGES.datasets,
        config=PAGES.records,
        schemas=JOBS.sources(
            "workflow/schemas/checks.schema.yaml",
            "workflow/schemas/choices.schema.yaml",
        ),
    output:
        front=report(
            PAGE.path("front"),
            caption="../report/page.rst",
            category="report",
            labels={"page": "findings"},
        ),
        numbers=report(
            PAGE.path("numbers"),
            caption="../report/page.rst",
            category="report",
            labels={"page": "all numbers"},
        ),
        papers=report(
            collect(PAGE.path("papers"), paper=PLAN.papers),
            caption="../report/page.rst",
            category="report",
            labels={"page": "a paper"},
        ),
        comparison=report(
            PAGE.path("comparison"),
            caption="../report/comparison.rst",
            category="report",
            labels={"page": "comparison as csv"},
        ),
        placebo=PAGE.path("placebo"),
        means=PAGE.path("means"),
        light=PAGE.path("light"),
        dark=PAGE.path("dark"),
        summary=PAGE.path("summary"),
    log:
        PAGE.log,
    benchmark:
        PAGE.benchmark
    group:
        NEEDS.group(PAGE)
    conda:
        "../envs/pages.yaml"
    resources:
        **NEEDS.resources(PAGE),
    params:
        recipe=REPORTED,
    message:
        f"Writing the report page {PAGE.path()}"
    script:
        "../scripts/page.py"


# The report of one paper, in the same form and in a folder of its own.
use rule page as paper_page with:
    output:
        front=PAPER_PAGE.path("front"),
        numbers=PAPER_PAGE.path("numbers"),
        papers=[PAPER_PAGE.path("paper")],
        comparison=PAPER_PAGE.path("comparison"),
        placebo=PAPER_PAGE.path("placebo"),
        means=PAPER_PAGE.path("means"),
        light=PAPER_PAGE.path("light"),
        dark=PAPER_PAGE.path("dark"),
        summary=PAPER_PAGE.path("summary"),
    log:
        PAPER_PAGE.log,
    benchmark:
        PAPER_PAGE.benchmark
    group:
        NEEDS.group(PAPER_PAGE)
    resources:
        **NEEDS.resources(PAPER_PAGE),
    message:
        "Writing the report of {wildcards.paper}"
