"""One fitted method, saved: results/models/<data set>/<method>, a folder of arrays and JSON with their digests."""

from dataclasses import asdict

if MODEL is not None:
    forget_backup(f"results/models/{MODEL.dataset}/{MODEL.method}")

    rule keep_model:
        input:
            f"results/features/{MODEL.dataset}/{MODEL.features}",
        output:
            # Snakemake puts the model back that was there before, should this fit fail.
            update(directory(f"results/models/{MODEL.dataset}/{MODEL.method}")),
        log:
            f"logs/models/{MODEL.dataset}/{MODEL.method}.log",
        benchmark:
            f"results/benchmarks/models/{MODEL.dataset}/{MODEL.method}.tsv"
        conda:
            "../envs/fit.yaml"
        params:
            recipe=RECIPES.of(
                "model",
                modules=[PLAN.methods[MODEL.method].module],
                method=asdict(PLAN.methods[MODEL.method]),
                params=MODEL.params,
                search=MODEL.search,
                spec=PLAN.features[MODEL.features],
                seed=PLAN.settings["seed"],
            ),
        message:
            f"Fitting {MODEL.method} to all documents of {MODEL.dataset}"
        script:
            "../scripts/model.py"


rule model:
    """One fitted method, saved for: textmix predict MODEL FILE."""
    input:
        model_folder,
    localrule: True
    message:
        "Model: textmix predict {input} FILE"
