REPORTED = RECIPES.of(
    "page",
    data=JOBS.parts("*/templates/*"),
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
            "workflow/schemas/deviations.schema.yaml",
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


rule provenance:
    """The page on the run: commit, configuration, data, machine, and where the time went."""
    input:
        data=TARGETS.datasets(),
        benchmarks=TARGETS.benchmarks(),
        lock=JOBS.source("requirements.lock"),
    output:
        report(
            PROVENANCE.path(),
            caption="../report/provenance.rst",
            category="report",
            labels={"page": "provenance"},
        ),
    log:
        PROVENANCE.log,
    benchmark:
        PROVENANCE.benchmark
    group:
        NEEDS.group(PROVENANCE)
    conda:
        "../envs/pages.yaml"
    resources:
        **NEEDS.resources(PROVENANCE),
    params:
        recipe=RECIPES.of(
            "provenance",
            data=JOBS.parts("*/templates/*"),
            papers=list(PLAN.papers),
            commit=JOBS.commit,
            waits=JOBS.waits(),
            settings=dict(PLAN.settings),
            versions=versions(),
        ),
    message:
        f"Writing {PROVENANCE.path()}"
    script:
        "../scripts/provenance.py"


rule crate:
    """The folder of the report as a Workflow Run RO-Crate: ro-crate-metadata.json beside the pages."""
    input:
        pages=[*rules.page.output, *rules.provenance.output],
        data=TARGETS.datasets(),
        benchmarks=TARGETS.benchmarks(),
        lock=JOBS.source("requirements.lock"),
        # A newer comment is no reason for a new copy.
        source=ancient(JOBS.sources(*workflow_files(ROOT))),
    output:
        metadata=CRATE.path("metadata"),
        readme=CRATE.path("readme"),
        source=directory(CRATE.path("source")),
        configuration=CRATE.path("configuration"),
    log:
        CRATE.log,
    benchmark:
        CRATE.benchmark
    group:
        NEEDS.group(CRATE)
    conda:
        "../envs/pages.yaml"
    resources:
        **NEEDS.resources(CRATE),
    params:
        recipe=RECIPES.of(
            "crate",
            commit=JOBS.commit,
            agent=lambda wildcards: agent_of(ROOT),
            settings=dict(PLAN.settings),
        ),
    message:
        "Describing results/report as a Workflow Run RO-Crate"
    script:
        "../scripts/crate.py"


ACCEPTED = RECIPES.of(
    "accept", strict=PLAN.settings["strict"], out_of_reach=JOBS.out_of_reach
)


rule accept:
    """The end of a run: an error where data were corrupt or, if strict, could not be had."""
    input:
        summary=PAGE.path("summary"),
        data=TARGETS.datasets(),
    output:
        ACCEPT.path(),
    log:
        ACCEPT.log,
    benchmark:
        ACCEPT.benchmark
    group:
        NEEDS.group(ACCEPT)
    conda:
        "../envs/jobs.yaml"
    resources:
        **NEEDS.resources(ACCEPT),
    params:
        recipe=ACCEPTED,
    message:
        "Looking for data that were corrupt or could not be had"
    script:
        "../scripts/accept.py"


rule paper_accepted:
    """The end of the target of one paper, in the same way."""
    input:
        summary=PAPER_PAGE.path("summary"),
        data=PAGES.datasets,
    output:
        ACCEPT_PAPER.path(),
    log:
        ACCEPT_PAPER.log,
    benchmark:
        ACCEPT_PAPER.benchmark
    group:
        NEEDS.group(ACCEPT_PAPER)
    conda:
        "../envs/jobs.yaml"
    resources:
        **NEEDS.resources(ACCEPT_PAPER),
    params:
        recipe=ACCEPTED,
    message:
        "Looking for data of {wildcards.paper} that were corrupt or could not be had"
    script:
        "../scripts/accept.py"


rule verify:
    """Read every result again; name what was changed by hand and what is stale."""
    input:
        in_a_folder,
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


rule record:
    """Write what a finished run gave into config/papers/<paper>/recorded.csv; run=FOLDER takes the run of another clone."""
    input:
        in_a_folder,
    log:
        "logs/record.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        stale=lambda wildcards: (
            [] if PLAN.settings.get("run") else stale_results(wildcards)
        ),
        config=JOBS.source("config"),
        folders=lambda wildcards: {
            paper: os.path.relpath(PLAN.folders[paper]) for paper in PLAN.papers
        },
        schemas=JOBS.source("workflow/schemas"),
        chosen=PLAN.chosen(),
        capped=PLAN.settings["max_trials"] is not None,
        papers=lambda wildcards: JOBS.judging(),
    message:
        "Recording what the run gave for each published row"
    script:
        "../scripts/record.py"


rule record_curves:
    """Write the curves of a run of specifications into config/papers/<paper>/recorded_curves.csv; run=FOLDER as for record."""
    input:
        in_a_folder,
    log:
        "logs/record_curves.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        run=PLAN.settings.get("run", "."),
        folders=lambda wildcards: {
            paper: os.path.relpath(PLAN.folders[paper])
            for paper in READING_JOBS.papers()
        },
        declared=lambda wildcards: {
            paper: PLAN.readings[paper].specifications
            for paper in READING_JOBS.papers()
        },
    message:
        "Recording the specification curves"
    script:
        "../scripts/record_curves.py"
