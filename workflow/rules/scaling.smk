CASES = load_yaml_strict(ROOT / "config/scaling.yaml")


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
