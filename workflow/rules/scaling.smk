CASES = load_yaml_strict(ROOT / "config/scaling.yaml")
MILLION = load_yaml_strict(ROOT / "config/millions.yaml")


wildcard_constraints:
    case="|".join(CASES),


rule scaling_case:
    input:
        JOBS.scaling_features,
    output:
        SCALING.path("case"),
    log:
        SCALING.log,
    conda:
        "../envs/bench.yaml"
    # All cores, so that no other job disturbs the clock; the case itself runs on one.
    threads: 1024
    params:
        recipe=RECIPES.of(
            "scaling",
            spec=lambda wildcards: CASES[wildcards.case],
            largest=PLAN.settings["largest"],
        ),
    message:
        "Measuring how {wildcards.case} grows"
    script:
        "../scripts/scaling.py"


rule scaling:
    """How time and memory of each stage grow with documents and labels: results/scaling/scaling.svg and slopes.csv."""
    input:
        collect(SCALING.path("case"), case=CASES),
    output:
        slopes=SCALING.path("slopes"),
        figure=SCALING.path("figure"),
    log:
        "logs/scaling.log",
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of("scaling_figure"),
    message:
        f"Slopes of time and memory: {SCALING.path('slopes')}"
    script:
        "../scripts/scaling_figure.py"


rule millions_table:
    """The table of the target millions, which reckons from it: results/scaling/millions.csv."""
    input:
        FEATURES.path(
            dataset=str(PLAN.dataset("newsgroups")), features=MILLION["features"]
        ),
    output:
        MILLIONS.path(),
    log:
        MILLIONS.log,
    conda:
        "../envs/bench.yaml"
    # All cores, so that no other job disturbs the clock; each stage is a process on one.
    threads: 1024
    params:
        recipe=RECIPES.of(
            "millions",
            modules=[
                "reproduction.bench.by_blocks",
                "reproduction.bench.by_blocks_peers",
            ],
            spec={key: value for key, value in MILLION.items() if key != "features"},
            largest=PLAN.settings["largest"],
            seed=PLAN.settings["seed"],
        ),
    message:
        "Millions of documents, from a file to labels"
    script:
        "../scripts/millions.py"


rule millions:
    """Millions of made documents from a file to labels, in 4 GiB, beside other programs: results/scaling/millions.csv, and what follows for 10 and 100 million."""
    input:
        MILLIONS.path(),
    output:
        MILLIONS.path("reckoned"),
    log:
        "logs/millions_reckoned.log",
    conda:
        "../envs/bench.yaml"
    params:
        recipe=RECIPES.of("reckoning", memory_gib=MILLION["memory_gib"]),
    message:
        f"Ten and a hundred million documents on paper: {MILLIONS.path('reckoned')}"
    script:
        "../scripts/reckoning.py"
