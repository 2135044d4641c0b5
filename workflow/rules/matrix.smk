rule matrix_table:
    """Scores, costs and scores of single trials of the matrix as csv."""
    input:
        scores=CONTEST.matrix_files(SCORE),
        timings=CONTEST.matrix_files(FIT, "timings"),
    output:
        scores=MATRIX_TABLE.path("matrix"),
        costs=MATRIX_TABLE.path("costs"),
        trials=MATRIX_TABLE.path("trials"),
    log:
        MATRIX_TABLE.log,
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
        scores=MATRIX_TABLE.path("matrix"),
        costs=MATRIX_TABLE.path("costs"),
        trials=MATRIX_TABLE.path("trials"),
        features=CONTEST.matrix_data(FEATURES),
        splits=CONTEST.matrix_data(SPLIT),
        data=collect(PARSE.path(), dataset=PLAN.matrix.spec["roles"]),
    output:
        MATRIX_PAGE.path(),
    log:
        MATRIX_PAGE.log,
    conda:
        "../envs/pages.yaml"
    params:
        recipe=RECIPES.of(
            "matrix_page",
            data=JOBS.parts("pages/templates/*"),
            titles=PAGES.titles_of(PLAN.matrix.spec["roles"]),
            tasks=PLAN.matrix.tasks,
            splits=PLAN.matrix.splits,
            seed=PLAN.settings["seed"],
            versions=versions(),
        ),
    message:
        f"Writing {MATRIX_PAGE.path()}"
    script:
        "../scripts/matrix_page.py"


rule study:
    """All methods, data sets and numbers of training documents: results/matrix/study.csv and study.html."""
    input:
        scores=CONTEST.study_files(SCORE),
        timings=CONTEST.study_files(FIT, "timings"),
        predictions=JOBS.run_files("matrix", FIT),
        folders=CONTEST.study_folders(),
    output:
        table=STUDY.path("table"),
        page=STUDY.path("page"),
    log:
        STUDY.log,
    conda:
        "../envs/pages.yaml"
    params:
        recipe=RECIPES.of(
            "study",
            data=JOBS.parts("pages/templates/*"),
            titles=PAGES.titles_of(PLAN.matrix.spec["roles"]),
            **CONTEST.study(),
        ),
    message:
        f"Writing {STUDY.path('page')}"
    script:
        "../scripts/study.py"


rule matrix:
    """Every method on every data set at hand, with the same splits and metrics: results/matrix/index.html."""
    input:
        MATRIX_PAGE.path(),
        MATRIX_TABLE.path("matrix"),
    localrule: True
    message:
        f"Matrix: {MATRIX_PAGE.path()}"
