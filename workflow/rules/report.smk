"""Write the report of each paper as soon as its results are complete, and the report of the run."""

# Seconds and memory of the long jobs of this run.
BENCHMARKS = [
    *collect(
        "results/benchmarks/parse/{dataset}.tsv",
        dataset=sorted(
            {name for paper in PLAN.chosen() for name in PLAN.datasets(paper)}
        ),
    ),
    *dict.fromkeys(
        collect(
            "results/benchmarks/features/{row.dataset}/{row.features}.tsv",
            row=lookup(CHOSEN, within=FEATURE_SETS),
        )
    ),
    *collect(
        "results/benchmarks/fit/{fit.paper}/{fit.experiment}/{fit.dataset}/{fit.method}.tsv",
        fit=lookup(CHOSEN, within=FITS),
    ),
    *collect(
        "results/benchmarks/measure/{row.paper}/{row.measure}.tsv",
        row=lookup(CHOSEN, within=MEASURES),
    ),
]


rule page:
    """Write the pages of the report, comparison.csv of all papers, and the numbers of verdicts."""
    input:
        comparisons=collect(rules.compare.output.comparison, paper=INPUTS.papers),
        origins=collect(rules.compare.output.origins, paper=INPUTS.papers),
        causes=collect(rules.compare.output.causes, paper=INPUTS.papers),
        tables=collect(
            "results/papers/{table.paper}/tables/{table.name}.csv",
            table=INPUTS.tables,
        ),
        figures=collect(
            "results/papers/{figure.paper}/figures/{figure.name}.svg",
            figure=INPUTS.figures,
        ),
        data=collect(rules.parse.output, dataset=INPUTS.datasets),
        config=INPUTS.paper_files(*RECORDS),
        recorded=INPUTS.paper_files("recorded/run.json", "recorded/rows.csv"),
        schemas=[
            f"{SCHEMAS}/checks.schema.yaml",
            f"{SCHEMAS}/choices.schema.yaml",
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
        # Copies of the settings, records and logs that the pages link to.
        files=directory("results/report/files"),
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
        settings=unrecorded(PARAMS.page),
        code=PARAMS.code("page", data=TEMPLATES + STYLES, settings=PARAMS.page),
    message:
        "Writing results/report/index.html"
    script:
        "../scripts/page.py"


# The report of one paper, in a folder of its own.  Profiles prioritise those of the short papers.
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
        files=directory("results/papers/{paper}/report/files"),
    log:
        "logs/page/{paper}.log",
    benchmark:
        "results/benchmarks/page/{paper}.tsv"
    message:
        "Writing the report of {wildcards.paper}: results/papers/{wildcards.paper}/report/{wildcards.paper}.html"


rule accept:
    """Fail if data were corrupt or, with strict=true, not available."""
    input:
        summary=rules.page.output.summary,
        data=collect(rules.parse.output, dataset=INPUTS.datasets),
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
        settings=unrecorded(PARAMS.accept),
        code=PARAMS.code("accept", settings=PARAMS.accept),
    message:
        "Checking that all data were available and intact"
    script:
        "../scripts/accept.py"


use rule accept as accept_paper with:
    input:
        summary=rules.page_of_paper.output.summary,
        data=collect(rules.parse.output, dataset=INPUTS.datasets),
    output:
        "results/papers/{paper}/accepted.json",
    log:
        "logs/accept/{paper}.log",
    message:
        "Checking that the data of {wildcards.paper} were available and intact"


# The short papers first, with all jobs that they need: profiles/default gives this rule priority.
use rule accept_paper as accept_first with:
    wildcard_constraints:
        paper="|".join({"naive_bayes", "edcm"} & PLAN.papers.keys()) or "none",


ruleorder: accept_first > accept_paper


rule provenance:
    """Write the page on the run: commit, configuration, data, machine, and time by stage."""
    input:
        data=collect(rules.parse.output, dataset=INPUTS.datasets),
        benchmarks=BENCHMARKS,
        lock=LOCK,
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
        settings=unrecorded(PARAMS.provenance),
        code=PARAMS.code("provenance", data=TEMPLATES, settings=PARAMS.provenance),
    message:
        "Writing results/report/provenance.html"
    script:
        "../scripts/provenance.py"


rule crate:
    """Describe the folder of the report as a Workflow Run RO-Crate: ro-crate-metadata.json."""
    input:
        pages=[*rules.page.output, *rules.provenance.output],
        data=collect(rules.parse.output, dataset=INPUTS.datasets),
        benchmarks=BENCHMARKS,
        lock=LOCK,
        readme=os.path.relpath(ROOT / "workflow/report/crate.md"),
        # An edit of a file does not trigger a new copy.
        source=ancient(INPUTS.workflow_files()),
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
        settings=unrecorded(PARAMS.provenance),
        code=PARAMS.code("crate", settings=PARAMS.provenance),
    message:
        "Describing results/report as a Workflow Run RO-Crate"
    script:
        "../scripts/crate.py"


rule report:
    """Write the report of the run: results/report/index.html and comparison.csv."""
    input:
        rules.page.output,
        rules.crate.output.metadata,
    localrule: True
