"""What the rules of own data and of the matrix read. No rule stands here."""


def own_results():
    """Return what the target own makes, or say how to name the data."""
    if OWN is None:
        raise WorkflowError(
            "own: name the description of your data: snakemake --cores 2 own --config data=my.yaml; "
            "an example is config/own.example.yaml"
        )
    return collect(
        "results/own/{name}/{part}",
        name=OWN.name,
        part=["index.html", "scores.csv", "costs.csv", "summary.json"],
    )


def own_runs(pattern):
    """Return the files of a pattern, one a fit of the user's data."""
    return [pattern.format(run=r) for r in PLAN.runs("own")]


MATRIX_RUNS = list(PLAN.runs("matrix"))


def matrix_files(pattern):
    """Return the files of a pattern, one a fit of the matrix."""
    return [pattern.format(run=r) for r in MATRIX_RUNS]


def matrix_data(kind):
    """Return the features or splits folder of each data set of the matrix, in order."""
    found = {r.dataset: PLAN.run_inputs(r) for r in MATRIX_RUNS}
    place = ("features", "splits").index(kind)
    return [f"results/{kind}/{data}/{inputs[place]}" for data, inputs in found.items()]
