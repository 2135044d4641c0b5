rule matrix_table:
    """Scores, costs and scores of single trials of the matrix as csv."""
    input:
        scores=CONTEST.matrix_files("results/scores/{run.name}.csv"),
        timings=CONTEST.matrix_files("results/timings/{run.name}.csv"),
    output:
        scores="results/matrix/matrix.csv",
        costs="results/matrix/costs.csv",
        trials="results/matrix/trials.csv",
    log:
        "logs/matrix/table.log",
    conda:
        "../envs/jobs.yaml"
    params:
        recipe=RECIPES.of(
            "matrix_table",
            empty=[[*cell, reason] for cell, reason in PLAN.matrix.empty.items()],
            order=PLAN.matrix.spec["roles"],
            methods=CONTEST.tabulated(),
        ),
    message:
        "Gathering the scores of all fits"
    script:
        "../scripts/matrix_table.py"


rule matrix_page:
    """The page on the matrix: every method of the registry on every data set at hand."""
    input:
        scores="results/matrix/matrix.csv",
        costs="results/matrix/costs.csv",
        trials="results/matrix/trials.csv",
        features=TARGETS.matrix_folders("features"),
        splits=TARGETS.matrix_folders("splits"),
        data=collect("results/datasets/{name}", name=PLAN.matrix.spec["roles"]),
    output:
        "results/matrix/index.html",
    log:
        "logs/matrix/page.log",
    conda:
        "../envs/pages.yaml"
    params:
        recipe=RECIPES.of(
            "matrix_page",
            data=JOBS.parts("pages/templates/*"),
            titles=JOBS.titles(PLAN.matrix.spec["roles"]),
            tasks=PLAN.matrix.tasks,
            splits=PLAN.matrix.splits,
            seed=PLAN.settings["seed"],
            versions=versions(),
        ),
    message:
        "Writing results/matrix/index.html"
    script:
        "../scripts/matrix_page.py"


rule study:
    """All methods, data sets and numbers of training documents: results/matrix/study.csv and study.html."""
    input:
        scores=CONTEST.study_files("results/scores/{run.name}.csv"),
        timings=CONTEST.study_files("results/timings/{run.name}.csv"),
        predictions=JOBS.run_files("matrix", "results/predictions/{run.name}"),
        folders=CONTEST.study_folders(),
    output:
        table="results/matrix/study.csv",
        page="results/matrix/study.html",
    log:
        "logs/matrix/study.log",
    conda:
        "../envs/pages.yaml"
    params:
        recipe=RECIPES.of(
            "study", data=JOBS.parts("pages/templates/*"), **CONTEST.study()
        ),
    message:
        "Writing results/matrix/study.html"
    script:
        "../scripts/study.py"


rule matrix:
    """Every method on every data set at hand, with the same splits and metrics: results/matrix/index.html."""
    input:
        "results/matrix/index.html",
        "results/matrix/matrix.csv",
    localrule: True
    message:
        "Matrix: results/matrix/index.html"
