rule bench:
    """Time the kernels beside their peers in one run; ratios in results/bench/bench.csv."""
    input:
        BENCH.path(suite="bench"),
    message:
        f"Bench: {BENCH.path(suite='bench')}"


rule bench_suite:
    input:
        JOBS.bench_inputs,
    output:
        BENCH.path(),
    log:
        BENCH.log,
    conda:
        "../envs/bench.yaml"
    # All cores, so that no other job disturbs the clock; the suite itself runs on one.
    threads: 1024
    params:
        recipe=RECIPES.of(
            "bench",
            modules=JOBS.bench_modules,
            suite=JOBS.bench_suite,
            repeats=JOBS.bench_repeats,
        ),
    message:
        "Timing suite {wildcards.suite} beside its peers"
    script:
        "../scripts/bench.py"


rule bench_table:
    """The suites of the bench in one table; the log says which targets are met."""
    input:
        collect(BENCH.path(), suite=PLAN.suites),
    output:
        BENCH.path(suite="bench"),
    log:
        "logs/bench.log",
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of("bench_table", suites=list(PLAN.suites)),
    message:
        "Joining the suites of the bench"
    script:
        "../scripts/bench_table.py"
