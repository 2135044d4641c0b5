"""The table of metrics: each row tells a wrong prediction from a right one, and a name outside it is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from textmix.core.errors import ConfigError
from textmix.experiment.scoring import Evaluation, metric_value
from textmix.metrics.registry import METRICS, check_metrics, main_metric, metrics_for, shown_metrics, tuning_metrics


@pytest.mark.parametrize("task", ["single", "multi"])
def test_a_task_has_one_main_metric_which_is_a_score_that_tuning_can_use(task):
    (main,) = [name for name in metrics_for(task) if METRICS[name].main]
    assert main == main_metric(task) == shown_metrics(task)[0]
    assert not METRICS[main].loss and main in tuning_metrics(task)
    own = {"single": {"perplexity"}, "multi": {"set_calibration_error", "selective_accuracy"}}
    assert set(metrics_for(task)) - set(tuning_metrics(task)) == {"calibration_error", *own[task]}


def _logs(sure):
    return np.log([sure] * 3)


def _shares(sure):
    return np.full(3, sure)


def _texts(sure):
    return np.array([[np.log(sure), 1.0]] * 3)


@pytest.mark.parametrize("row", METRICS.values(), ids=METRICS)
def test_a_wrong_prediction_is_worse_than_a_right_one(row):
    truth = np.array([0, 1, 1]) if "single" in row.tasks else np.eye(3, dtype=np.int8)
    wrong = truth[::-1] if truth.ndim == 2 else 1 - truth
    right, worse = (
        metric_value(
            row.name,
            Evaluation(truth, predicted, *(each(sure) for each in (_logs, _shares, _shares, _texts))),
        )
        for predicted, sure in ((truth, 0.9), (wrong, 0.5))
    )
    assert worse > right if row.loss else worse < right


def test_the_table_imports_no_numpy():
    code = "import sys, textmix.metrics.registry; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match=r"my\.yaml: metrics: 'jacard' is not allowed; did you mean 'jaccard'\?"):
        check_metrics(["jacard"], metrics_for("multi"), "my.yaml: metrics")
