rule page:
    """The report: its pages, the comparisons of all papers in comparison.csv, and the counts of verdicts."""
    input:
        comparisons=collect(
            "results/papers/{paper}/comparison.csv", paper=PLAN.chosen()
        ),
        origins=collect("results/papers/{paper}/origins.csv", paper=PLAN.chosen()),
        recorded=JOBS.recorded(),
        tables=TARGETS.tables(),
        figures=TARGETS.figures(),
        data=TARGETS.datasets(),
        config=JOBS.records(),
        schemas=JOBS.sources(
            "workflow/schemas/checks.schema.yaml",
            "workflow/schemas/deviations.schema.yaml",
        ),
    output:
        front=report(
            "results/report/index.html",
            caption="../report/page.rst",
            category="report",
            labels={"page": "findings"},
        ),
        numbers=report(
            "results/report/numbers.html",
            caption="../report/page.rst",
            category="report",
            labels={"page": "all numbers"},
        ),
        papers=report(
            collect("results/report/{paper}.html", paper=PLAN.papers),
            caption="../report/page.rst",
            category="report",
            labels={"page": "a paper"},
        ),
        comparison=report(
            "results/report/comparison.csv",
            caption="../report/comparison.rst",
            category="report",
            labels={"page": "comparison as csv"},
        ),
        summary="results/report/summary.json",
    log:
        "logs/report.log",
    benchmark:
        "results/benchmarks/page/report.tsv"
    group:
        "end"
    conda:
        "../envs/pages.yaml"
    resources:
        mem_mb=NEEDS.megabytes("page"),
        runtime=NEEDS.minutes("page"),
    params:
        recipe=RECIPES.of(
            "page",
            data=JOBS.parts("*/templates/*"),
            papers=PLAN.papers,
            roles=PLAN.settings["roles"],
            titles=JOBS.role_titles(),
            remedies=JOBS.remedies(),
            chosen=PLAN.chosen(),
        ),
    message:
        "Writing the report page results/report/index.html"
    script:
        "../scripts/page.py"


rule provenance:
    """The page on the run: commit, configuration, data, machine, and where the time went."""
    input:
        data=TARGETS.datasets(),
        benchmarks=TARGETS.benchmarks(),
        lock=JOBS.source("requirements.lock"),
    output:
        report(
            "results/report/provenance.html",
            caption="../report/provenance.rst",
            category="report",
            labels={"page": "provenance"},
        ),
    log:
        "logs/provenance.log",
    benchmark:
        "results/benchmarks/provenance/report.tsv"
    group:
        "end"
    conda:
        "../envs/pages.yaml"
    resources:
        mem_mb=NEEDS.megabytes("provenance"),
        runtime=NEEDS.minutes("provenance"),
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
        "Writing results/report/provenance.html"
    script:
        "../scripts/provenance.py"


rule crate:
    """The folder of the report as a Workflow Run RO-Crate: ro-crate-metadata.json beside the pages."""
    input:
        pages=[*rules.page.output, *rules.provenance.output],
        data=TARGETS.datasets(),
        benchmarks=TARGETS.benchmarks(),
        lock=JOBS.source("requirements.lock"),
        snakefile=JOBS.source("Snakefile"),
    output:
        metadata="results/report/ro-crate-metadata.json",
        workflow="results/report/workflow.smk",
        configuration="results/report/config.json",
    log:
        "logs/crate.log",
    benchmark:
        "results/benchmarks/crate/report.tsv"
    group:
        "end"
    conda:
        "../envs/pages.yaml"
    resources:
        mem_mb=NEEDS.megabytes("crate"),
        runtime=NEEDS.minutes("crate"),
    params:
        recipe=RECIPES.of("crate", commit=JOBS.commit, settings=dict(PLAN.settings)),
    message:
        "Describing results/report as a Workflow Run RO-Crate"
    script:
        "../scripts/crate.py"


rule accept:
    """The end of a run: an error where data were corrupt or, if strict, could not be had."""
    input:
        summary="results/report/summary.json",
        data=TARGETS.datasets(),
    output:
        "results/report/accepted.json",
    log:
        "logs/accept.log",
    benchmark:
        "results/benchmarks/accept/report.tsv"
    group:
        "end"
    conda:
        "../envs/jobs.yaml"
    resources:
        mem_mb=NEEDS.megabytes("accept"),
        runtime=NEEDS.minutes("accept"),
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


rule record:
    """Write what a finished run gave into config/papers/<paper>/recorded.csv; run=FOLDER takes the run of another clone."""
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
        schemas=JOBS.source("workflow/schemas"),
        capped=PLAN.settings["max_trials"] is not None,
        papers=lambda wildcards: JOBS.judging(),
    message:
        "Recording what the run gave for each published row"
    script:
        "../scripts/record.py"
