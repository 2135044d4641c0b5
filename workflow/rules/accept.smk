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
