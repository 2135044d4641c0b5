rule bench:
    """Benchmark kernels and estimators against other libraries: results/bench/bench.csv, slopes.csv, bench.svg."""
    output:
        times="results/bench/bench.json",
        table="results/bench/bench.csv",
        slopes="results/bench/slopes.csv",
        figure="results/bench/bench.svg",
    log:
        "logs/bench.log",
    # All cores, so that no other job disturbs the timings; the benchmarks use one.
    threads: 1024
    params:
        folder=ROOT / "benchmarks",
    message:
        "Benchmarking kernels and estimators against other libraries"
    shell:
        "(python -m pytest {params.folder:q} --benchmark-only --benchmark-json={output.times:q} "
        "&& python {params.folder:q}/table.py {output.times:q}) > {log:q} 2>&1"
