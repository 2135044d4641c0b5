if OWN is not None:

    # The page on the methods of low cost, and that on all methods, are made by the same rules.
    PARTS = f"({FIRST})?"

    rule read_own:
        input:
            local(OWN.inputs),
        output:
            directory(PARSE.path()),
        log:
            PARSE.log,
        benchmark:
            PARSE.benchmark
        wildcard_constraints:
            dataset=OWN.name,
        priority: NEEDS.priority(PARSE)
        conda:
            "../envs/data.yaml"
        params:
            recipe=RECIPES.of(
                "read_own",
                modules=OWN.modules,
                reading=OWN.reading,
                state=OWN.state(),
            ),
        message:
            f"Reading {plain(OWN.source)}"
        script:
            "../scripts/read_own.py"

    rule own_summary:
        input:
            parsed=PARSE.path(),
            counted=FEATURES.path(features="own"),
            splits=SPLIT.path(split="own"),
        output:
            OWN_SUMMARY.path(),
        log:
            OWN_SUMMARY.log,
        wildcard_constraints:
            dataset=OWN.name,
        priority: SOON
        conda:
            "../envs/jobs.yaml"
        params:
            recipe=RECIPES.of("own_summary"),
        message:
            f"Describing the data of {plain(OWN.source)} as they were read"
        script:
            "../scripts/own_summary.py"

    rule own_choice:
        input:
            unpack(OWN_JOBS.results),
            parsed=PARSE.path(),
            splits=SPLIT.path(split="own"),
            views=OWN_JOBS.views,
        output:
            choice=OWN_CHOICE.path("choice"),
            predictions=OWN_CHOICE.path("predictions"),
        log:
            OWN_CHOICE.log,
        wildcard_constraints:
            dataset=OWN.name,
            part=PARTS,
        priority: SOON
        conda:
            "../envs/fit.yaml"
        params:
            recipe=RECIPES.of(
                "own_choice",
                modules=OWN_JOBS.modules,
                entries=OWN_JOBS.entries,
                methods=OWN_JOBS.fitted,
                metric=OWN_JOBS.metric(),
                seed=PLAN.settings["seed"],
            ),
        message:
            "Choosing a method, and looking into its predictions"
        script:
            "../scripts/own_choice.py"

    rule own_page:
        input:
            unpack(OWN_JOBS.results),
            summary=OWN_SUMMARY.path(),
            choice=OWN_CHOICE.path("choice"),
        output:
            page=OWN_PAGE.path("page"),
            scores=OWN_PAGE.path("scores"),
            costs=OWN_PAGE.path("costs"),
            trials=OWN_PAGE.path("trials"),
        log:
            OWN_PAGE.log,
        wildcard_constraints:
            dataset=OWN.name,
            part=PARTS,
        priority: SOON
        conda:
            "../envs/pages.yaml"
        resources:
            # A resource, as of the fits: no result but a time that the page shows depends on it.
            started=OWN_JOBS.started,
        params:
            recipe=RECIPES.of(
                "own_page",
                data=JOBS.parts("pages/templates/*"),
                title=PLAN.studies["own"]["title"],
                source=OWN.source,
                seconds=OWN.seconds,
                metric=OWN_JOBS.metric(),
                grids=OWN_JOBS.grids,
                methods=OWN_JOBS.methods,
                further=OWN_JOBS.further,
                seed=PLAN.settings["seed"],
                versions=versions(),
            ),
        message:
            "Writing {output.page}"
        script:
            "../scripts/own_page.py"


rule own:
    """Your own data, named by --config data=my.yaml: the data as they were read, and all methods compared on them."""
    input:
        own_files,
    localrule: True
    message:
        f"Own data: {OWN_PAGE.path(dataset=OWN.name if OWN else '<name>', part='')}"
