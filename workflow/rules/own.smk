if OWN is not None:

    # The page on the methods of low cost, and that on all methods, are made by the same rules.
    PARTS = f"({FIRST})?"

    ruleorder: read_own > parse
    ruleorder: fit_search > fit_cheap > fit_likely > fit_next > fit
    ruleorder: features_own > features
    ruleorder: score_own > score

    # Methods of low cost are fitted first, and the page on them is written before costlier ones begin.
    use rule features as features_own with:
        wildcard_constraints:
            dataset=OWN.name,
        priority: 5

    use rule score as score_own with:
        wildcard_constraints:
            paper="own",
        priority: 5

    # Among them the machines, which try three kinds of features or more, have the largest share of the time.
    use rule fit as fit_search with:
        wildcard_constraints:
            paper="own",
            method=OWN_JOBS.of_cost("low", 3),
        priority: 4

    use rule fit as fit_cheap with:
        wildcard_constraints:
            paper="own",
            method=OWN_JOBS.of_cost("low"),
        priority: 3

    # Of the costlier ones those come first that try several kinds of features.
    use rule fit as fit_likely with:
        wildcard_constraints:
            paper="own",
            method=OWN_JOBS.of_cost("middle", 2),
        priority: 2

    use rule fit as fit_next with:
        wildcard_constraints:
            paper="own",
            method=OWN_JOBS.of_cost("middle"),
        priority: 1

    rule read_own:
        input:
            OWN.inputs,
        output:
            directory(f"results/datasets/{OWN.name}"),
        log:
            f"logs/parse/{OWN.name}.log",
        benchmark:
            f"results/benchmarks/parse/{OWN.name}.tsv"
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
            parsed=f"results/datasets/{OWN.name}",
            counted=f"results/features/{OWN.name}/own",
            splits=f"results/splits/{OWN.name}/own",
        output:
            f"results/own/{OWN.name}/summary.json",
        log:
            f"logs/own/{OWN.name}/summary.log",
        priority: 5
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
            parsed=f"results/datasets/{OWN.name}",
            splits=f"results/splits/{OWN.name}/own",
            views=OWN_JOBS.views,
        output:
            choice=f"results/own/{OWN.name}/{{part}}choice.json",
            predictions=f"results/own/{OWN.name}/{{part}}predictions.csv",
        log:
            f"logs/own/{OWN.name}/{{part}}choice.log",
        wildcard_constraints:
            part=PARTS,
        priority: 5
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
            summary=f"results/own/{OWN.name}/summary.json",
            choice=f"results/own/{OWN.name}/{{part}}choice.json",
        output:
            page=f"results/own/{OWN.name}/{{part}}index.html",
            scores=f"results/own/{OWN.name}/{{part}}scores.csv",
            costs=f"results/own/{OWN.name}/{{part}}costs.csv",
            trials=f"results/own/{OWN.name}/{{part}}trials.csv",
        log:
            f"logs/own/{OWN.name}/{{part}}page.log",
        wildcard_constraints:
            part=PARTS,
        priority: 5
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
            f"Writing results/own/{OWN.name}/{{wildcards.part}}index.html"
        script:
            "../scripts/own_page.py"

    rule own_model:
        input:
            parsed=f"results/datasets/{OWN.name}",
            choice=f"results/own/{OWN.name}/choice.json",
        output:
            # Snakemake puts the model back that was there before, should this fit fail.
            update(directory(f"results/models/{OWN.name}/best")),
        log:
            f"logs/models/{OWN.name}/best.log",
        conda:
            "../envs/fit.yaml"
        params:
            recipe=RECIPES.of(
                "own_model",
                modules=OWN_JOBS.modules,
                entries=OWN_JOBS.entries,
                methods=OWN_JOBS.fitted,
                views=OWN.views(),
                about=OWN.about(),
                seed=PLAN.settings["seed"],
            ),
        message:
            f"Keeping the recommended method: results/models/{OWN.name}/best"
        script:
            "../scripts/own_model.py"

    rule own_peers:
        input:
            parsed=f"results/datasets/{OWN.name}",
            splits=f"results/splits/{OWN.name}/own",
            choice=f"results/own/{OWN.name}/choice.json",
            predictions=f"results/own/{OWN.name}/predictions.csv",
            costs=f"results/own/{OWN.name}/costs.csv",
        output:
            f"results/own/{OWN.name}/peers.csv",
        log:
            f"logs/own/{OWN.name}/peers.log",
        conda:
            "../envs/bench.yaml"
        params:
            recipe=RECIPES.of(
                "own_peers",
                task=OWN.task,
                seed=PLAN.settings["seed"],
            ),
        message:
            "Tuning and testing scikit-learn's pipelines on the same split"
        script:
            "../scripts/own_peers.py"


rule own:
    """Your own data, named by --config data=my.yaml: the data as they were read, and all methods compared on them."""
    input:
        own_files,
    localrule: True
    message:
        f"Own data: results/own/{OWN.name if OWN else '<name>'}/index.html"


rule peers:
    """Scikit-learn's pipelines on your own data and its first split, beside the recommended method, with tests."""
    input:
        peers_file,
    localrule: True
    message:
        f"Peers: results/own/{OWN.name if OWN else '<name>'}/peers.csv"
