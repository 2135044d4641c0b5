"""One fitted method, saved: results/models/<data set>/<method>, a folder of arrays and JSON with their digests."""

from dataclasses import asdict

if ASKED is not None:
    forget_backup(TARGETS.model())

    rule keep_model:
        input:
            FEATURES.path(features=ASKED.features),
        output:
            # Snakemake puts the model back that was there before, should this fit fail.
            update(directory(MODEL.path())),
        log:
            MODEL.log,
        benchmark:
            MODEL.benchmark
        wildcard_constraints:
            dataset=ASKED.dataset,
            method=ASKED.method,
        conda:
            "../envs/fit.yaml"
        params:
            recipe=RECIPES.of(
                "model",
                modules=[PLAN.methods[ASKED.method].module],
                method=asdict(PLAN.methods[ASKED.method]),
                params=ASKED.params,
                search=ASKED.search,
                spec=PLAN.features[ASKED.features],
                seed=PLAN.settings["seed"],
            ),
        message:
            "Fitting {wildcards.method} to all documents of {wildcards.dataset}"
        script:
            "../scripts/model.py"


rule model:
    """One fitted method, saved for: textmix predict MODEL FILE."""
    input:
        model_folder,
    localrule: True
    message:
        "Model: textmix predict {input} FILE"
