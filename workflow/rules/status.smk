from reproduction.plan.graph import graph


rule status:
    """Jobs that are done, started and missing, and how long the rest takes; also while a run is going on."""
    input:
        in_a_folder,
    log:
        "logs/status.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        results=TARGETS.results(),
        nodes=lambda wildcards: graph(PLAN),
        table=str(ROOT / "config/costs.csv"),
        cores=lambda wildcards: workflow.cores,
    message:
        "State of the run"
    script:
        "../scripts/status.py"
