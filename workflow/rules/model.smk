"""One fitted method to keep: results/models/<data set>/<method>, a sealed folder of arrays and JSON."""

if ASKED is not None:
    PLAN.features |= WORDS
    if OWN is not None:
        ASKED = ASKED.on(OWN.name, "own")
    with one_sentence():
        ASKED.check([*PLAN.registry, *([OWN.name] if OWN else [])], PLAN.features)

    rule keep_model:
        input:
            f"results/features/{ASKED.dataset}/{ASKED.features}",
        output:
            directory(f"results/models/{ASKED.dataset}/{ASKED.method}"),
        log:
            f"logs/models/{ASKED.dataset}/{ASKED.method}.log",
        benchmark:
            f"results/benchmarks/models/{ASKED.dataset}/{ASKED.method}.tsv"
        conda:
            "../../environment.yml"
        params:
            method=ASKED.method,
            params=dict(ASKED.params),
            search=ASKED.search,
            spec=dict(PLAN.features[ASKED.features]),
            seed=PLAN.config["seed"],
            code=(
                PLAN.code("model", PLAN.methods[ASKED.method].module)
                if PLAN.methods[ASKED.method].module.startswith("textmix.")
                else PLAN.code("model")
            ),
        message:
            f"Fitting {ASKED.method} to all documents of {ASKED.dataset}"
        script:
            "../scripts/model.py"


rule model:
    """One fitted method to keep, for: python -m textmix predict MODEL FILE."""
    input:
        lambda _: asked_model(),
    localrule: True
    message:
        "Model: python -m textmix predict {input} FILE"
