"""Take what the target model is asked for out of the configuration, before the plan reads it. No rule stands here."""

from textmix.plan.methods import load_methods
from textmix.plan.model_request import USAGE, WORDS, take_request

with one_sentence():
    ASKED = take_request(
        config,
        [MAIN_CONFIG, *CONFIG_FILES],
        {name: method.task for name, method in load_methods().items()},
    )


def asked_model():
    """Return the model that is asked for, or say how to ask."""
    if ASKED is None:
        raise WorkflowError(f"model: name a data set and a method: {USAGE}")
    return f"results/models/{ASKED.dataset}/{ASKED.method}"
