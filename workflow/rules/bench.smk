rule bench:
    """Time the kernels beside their peers in one run; ratios in results/bench/bench.csv."""
    input:
        "results/bench/bench.csv",
    message:
        "Bench: results/bench/bench.csv"


rule bench_suite:
    input:
        JOBS.bench_inputs,
    output:
        "results/bench/{suite}.csv",
    log:
        "logs/bench/{suite}.log",
    conda:
        "../envs/bench.yaml"
    # All cores, so that no other job disturbs the clock; the suite itself runs on one.
    threads: 1024
    params:
        recipe=RECIPES.of("bench", modules=JOBS.bench_modules, suite=JOBS.bench_suite),
    message:
        "Timing suite {wildcards.suite} beside its peers"
    script:
        "../scripts/bench.py"


rule bench_table:
    """The suites of the bench in one table; the log says which targets are met."""
    input:
        collect("results/bench/{suite}.csv", suite=PLAN.suites),
    output:
        "results/bench/bench.csv",
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
