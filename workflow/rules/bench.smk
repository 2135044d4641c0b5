rule bench:
    """Time the kernels beside their peers in one run; ratios in results/bench/bench.csv."""
    input:
        "results/bench/bench.csv",
    message:
        "Bench: results/bench/bench.csv"
