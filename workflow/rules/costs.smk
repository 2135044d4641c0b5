from reproduction.plan.graph import graph


rule costs:
    """Write time and memory of the jobs that ran in this folder into the table config/costs.csv."""
    input:
        in_a_folder,
    log:
        "logs/costs.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        nodes=lambda wildcards: graph(PLAN),
        table=str(ROOT / "config/costs.csv"),
    message:
        "Gathering time and memory of the jobs of this folder"
    script:
        "../scripts/costs.py"


rule schedule:
    """How long the run takes on 1 to 64 cores and on a cluster, simulated from measured times of its jobs."""
    input:
        in_a_folder,
    log:
        "logs/schedule.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    params:
        nodes=lambda wildcards: graph(PLAN),
        table=str(ROOT / "config/costs.csv"),
    message:
        "Simulating the schedule of the run"
    script:
        "../scripts/schedule.py"


rule spent:
    """Where the processor's time of the last run of each job went: starts, checks, compilation and work, by kind and rule."""
    input:
        in_a_folder,
    log:
        "logs/spent.log",
    localrule: True
    conda:
        "../envs/jobs.yaml"
    message:
        "Adding up where the time of the processor went"
    script:
        "../scripts/spent.py"
