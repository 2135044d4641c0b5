"""The measures of the CBM slides, on a small corpus of three labels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from reproduction.flow.measures import Repeated, run_measure
from tests.papers.cbm.conftest import SPEC


def test_methods_are_compared_document_by_document(measured, source):
    rows = {row["method"]: row for row in measured[0]["comparisons"].tables["methods"]}
    share = np.mean((source.corpus.indicators()[80:] == source.corpus.indicators()[80]).all(axis=1))
    assert rows["cbm_lr"]["subset_accuracy"] == 1.0
    assert rows["binrel_lr"]["subset_accuracy"] == share
    np.testing.assert_allclose(rows["binrel_lr"]["difference"], share - 1.0)
    np.testing.assert_allclose(rows["binrel_lr"]["sign_test"], 2.0 * 0.5 ** round(40 * (1.0 - share)))
    assert measured[0]["comparisons"].values["cbm_lr_wins"] == 1


def test_special_cases_and_search_are_exact(measured):
    values = measured[0]["special_cases"].values
    assert values["largest_difference_from_binrel"] < 1e-6
    assert values["largest_difference_from_powset"] == 0
    assert measured[0]["exact_search"].values["mismatches_with_enumeration"] == 0
    rows = measured[0]["exact_search"].tables["evaluations"]
    assert {(row["components"], row["labels"]) for row in rows} == {(1, 2), (1, 3), (3, 2), (3, 3)}


def test_the_path_of_em_has_every_iteration_of_every_run(measured):
    rows = measured[0]["em_path"].tables["path"]
    assert [(row["run"], row["iteration"]) for row in rows] == [(r, i) for r in (0, 1) for i in (1, 2, 3)]
    falls = [a["objective"] - b["objective"] for a, b in pairwise(rows) if a["run"] == b["run"]]
    assert measured[0]["em_path"].values["largest_fall"] == max(0.0, *falls)


def test_the_objective_of_em_never_decreases_with_the_settings_of_the_paper(source):
    settings = SPEC["measures"]["em_path"]["settings"]
    params = {**settings["params"], "n_components": 4, "max_iter": 12}
    settings = {"params": params, "runs": {"scene": 2}}
    measure = run_measure("cbm", "measures.em_path", {"scene": source}, settings, np.random.default_rng(1))
    final_objective = measure.tables["path"][-1]["objective"]
    assert measure.values["largest_fall"] <= 1e-9 * abs(final_objective)


def test_each_number_of_components_has_mean_and_deviation_and_baselines_are_scored(measured):
    rows, values = measured[0]["components"].tables["runs"], measured[0]["components"].values
    runs = [(row["components"], row["run"]) for row in rows if row["role"] == "scene"]
    assert runs == [(1, 0), (1, 1), (20, 0), (20, 1)]
    accuracies = [row["subset_accuracy"] for row in rows if row["components"] == 20]
    assert values["scene_k20"] == Repeated(accuracies)
    baseline = measured[0]["components"].tables["baselines"][0]
    methods = {row["method"]: row for row in measured[0]["comparisons"].tables["methods"]}
    assert baseline["method"] == "binrel_lr", "PowSet has no predictions here"
    assert baseline["subset_accuracy"] == methods["binrel_lr"]["subset_accuracy"]


def test_the_example_shows_mode_marginals_and_symmetric_correlations(measured):
    tables, values = measured[0]["illustration"].tables, measured[0]["illustration"].values
    rows = tables["correlations"]
    table = {(row["first"], row["second"]): row["correlation"] for row in rows}
    assert all(np.isclose(table[a, b], table[b, a]) for a, b in table)
    lost = [row for row in tables["labels"] if row["mode"] == 1 and row["marginal"] < 0.5]
    assert bool(lost) == bool(values["mode_holds_a_label_below_one_half"])
    assert values["probability_of_mode"] >= values["probability_of_marginal_set"] - 1e-12
