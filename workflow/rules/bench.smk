rule bench:
    """Time the kernels and estimators beside their peers: results/bench/bench.csv and bench.svg."""
    output:
        "results/bench/bench.json",
    log:
        "logs/bench.log",
    # All cores, so that no other job disturbs the clock; the benchmarks run on one.
    threads: 1024
    message:
        "Timing kernels and estimators beside their peers"
    shell:
        "(python -m pytest benchmarks --benchmark-only --benchmark-json={output} "
        "&& python benchmarks/table.py {output}) > {log} 2>&1"
