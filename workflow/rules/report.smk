"""The reports: that of each paper, made once its own results are there, and that of the run."""


rule page:
    """The report: its pages, the comparisons of all papers in comparison.csv, and the counts of verdicts."""
    input:
        comparisons=JOBS.of_papers("results/papers/{paper}/comparison.csv"),
        origins=JOBS.of_papers("results/papers/{paper}/origins.csv"),
        causes=JOBS.of_papers("results/papers/{paper}/causes.csv"),
        tables=JOBS.tables_of,
        figures=JOBS.figures_of,
        data=JOBS.datasets,
        config=JOBS.files_of_papers(*RECORDS),
        recorded=JOBS.files_of_papers("recorded/run.json", "recorded/rows.csv"),
        schemas=[
            JOBS.source("workflow/schemas/checks.schema.yaml"),
            JOBS.source("workflow/schemas/choices.schema.yaml"),
        ],
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
        placebo="results/report/placebo.csv",
        means="results/report/means.csv",
        drawing="results/report/results.svg",
        summary="results/report/summary.json",
    log:
        "logs/page/report.log",
    benchmark:
        "results/benchmarks/page/report.tsv"
    priority: 50
    group:
        "end"
    conda:
        "../envs/run.yaml"
    params:
        settings=untold(JOBS.page),
        code=JOBS.code("page", data=TEMPLATES + STYLES, settings=JOBS.page),
    message:
        "Writing the report page results/report/index.html"
    script:
        "../scripts/page.py"


# The report of one paper, in the same form and in a folder of its own.  Profiles give it priority for the short papers.
use rule page as page_of_paper with:
    output:
        front="results/papers/{paper}/report/index.html",
        numbers="results/papers/{paper}/report/numbers.html",
        papers=["results/papers/{paper}/report/{paper}.html"],
        comparison="results/papers/{paper}/report/comparison.csv",
        placebo="results/papers/{paper}/report/placebo.csv",
        means="results/papers/{paper}/report/means.csv",
        drawing="results/papers/{paper}/report/results.svg",
        summary="results/papers/{paper}/report/summary.json",
    log:
        "logs/page/{paper}.log",
    benchmark:
        "results/benchmarks/page/{paper}.tsv"
    message:
        "Writing the report of {wildcards.paper}: results/papers/{wildcards.paper}/report/{wildcards.paper}.html"


rule accept:
    """The end of a run: an error where data were corrupt or, if strict, not available."""
    input:
        summary="results/report/summary.json",
        data=JOBS.datasets,
    output:
        "results/report/accepted.json",
    log:
        "logs/accept/report.log",
    priority: 50
    group:
        "end"
    conda:
        "../envs/run.yaml"
    params:
        settings=untold(JOBS.accept),
        code=JOBS.code("accept", settings=JOBS.accept),
    message:
        "Checking whether data were corrupt or not available"
    script:
        "../scripts/accept.py"


# The end of the report of one paper, in the same way.
use rule accept as accept_paper with:
    input:
        summary="results/papers/{paper}/report/summary.json",
        data=JOBS.datasets,
    output:
        "results/papers/{paper}/accepted.json",
    log:
        "logs/accept/{paper}.log",
    message:
        "Checking whether data of {wildcards.paper} were corrupt or not available"


# The short papers first, with all that their reports need: profiles/default gives this rule priority.
use rule accept_paper as accept_first with:
    wildcard_constraints:
        paper="|".join({"naive_bayes", "edcm"} & PLAN.papers.keys()) or "none",


ruleorder: accept_first > accept_paper


rule provenance:
    """The page on the run: commit, configuration, data, machine, and where the time went."""
    input:
        data=JOBS.datasets,
        benchmarks=JOBS.benchmarks,
        lock=JOBS.source("requirements.lock"),
    output:
        report(
            "results/report/provenance.html",
            caption="../report/provenance.rst",
            category="report",
            labels={"page": "provenance"},
        ),
    log:
        "logs/provenance/report.log",
    group:
        "end"
    conda:
        "../envs/run.yaml"
    params:
        settings=untold(JOBS.provenance),
        code=JOBS.code("provenance", data=TEMPLATES, settings=JOBS.provenance),
    message:
        "Writing results/report/provenance.html"
    script:
        "../scripts/provenance.py"


rule crate:
    """The folder of the report as a Workflow Run RO-Crate: ro-crate-metadata.json beside the pages."""
    input:
        pages=[*rules.page.output, *rules.provenance.output],
        data=JOBS.datasets,
        benchmarks=JOBS.benchmarks,
        lock=JOBS.source("requirements.lock"),
        readme=JOBS.source("workflow/report/crate.md"),
        # A newer comment is no reason for a new copy.
        source=ancient(JOBS.workflow_files()),
    output:
        metadata="results/report/ro-crate-metadata.json",
        readme="results/report/README.md",
        source=directory("results/report/source"),
        configuration="results/report/config.json",
    log:
        "logs/crate/report.log",
    group:
        "end"
    conda:
        "../envs/run.yaml"
    params:
        settings=untold(JOBS.provenance),
        code=JOBS.code("crate", settings=JOBS.provenance),
    message:
        "Describing results/report as a Workflow Run RO-Crate"
    script:
        "../scripts/crate.py"


rule report:
    """The pages results/report/index.html and further, and comparison.csv."""
    input:
        rules.page.output,
        rules.crate.output.metadata,
    localrule: True
