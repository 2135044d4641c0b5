if OWN is not None:

    rule own_model:
        input:
            parsed=PARSE.path(),
            choice=OWN_CHOICE.path("choice", part=""),
        output:
            # Snakemake puts the model back that was there before, should this fit fail.
            update(directory(MODEL.path(method="best"))),
        log:
            "logs/model/{dataset}/best.log",
        wildcard_constraints:
            dataset=OWN.name,
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
            "Keeping the recommended method: {output}"
        script:
            "../scripts/own_model.py"

    rule own_peers:
        input:
            parsed=PARSE.path(),
            splits=SPLIT.path(split="own"),
            choice=OWN_CHOICE.path("choice", part=""),
            predictions=OWN_CHOICE.path("predictions", part=""),
            costs=OWN_PAGE.path("costs", part=""),
        output:
            OWN_PEERS.path(),
        log:
            OWN_PEERS.log,
        wildcard_constraints:
            dataset=OWN.name,
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


rule peers:
    """Scikit-learn's pipelines on your own data and its first split, beside the recommended method, with tests."""
    input:
        peers_file,
    localrule: True
    message:
        f"Peers: {OWN_PEERS.path(dataset=OWN.name if OWN else '<name>')}"
