SCALING = load_yaml_strict(ROOT / "config/scaling.yaml")


wildcard_constraints:
    case="|".join(SCALING),


rule scaling_case:
    input:
        JOBS.scaling_features,
    output:
        "results/scaling/{case}.csv",
    log:
        "logs/scaling/{case}.log",
    conda:
        "../envs/bench.yaml"
    # All cores, so that no other job disturbs the clock; the case itself runs on one.
    threads: 1024
    params:
        recipe=RECIPES.of(
            "scaling",
            spec=lambda wildcards: SCALING[wildcards.case],
            largest=PLAN.settings["largest"],
        ),
    message:
        "Measuring how {wildcards.case} grows"
    script:
        "../scripts/scaling.py"


rule scaling:
    """How time and memory of each stage grow with documents and labels: results/scaling/scaling.svg and slopes.csv."""
    input:
        collect("results/scaling/{case}.csv", case=SCALING),
    output:
        slopes="results/scaling/slopes.csv",
        figure="results/scaling/scaling.svg",
    log:
        "logs/scaling.log",
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of("scaling_figure"),
    message:
        "Slopes of time and memory: results/scaling/slopes.csv"
    script:
        "../scripts/scaling_figure.py"
