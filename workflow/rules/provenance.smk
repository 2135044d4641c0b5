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
