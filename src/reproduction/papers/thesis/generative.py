"""Generative models of documents: one LDA per class, the DCM, and documents of different lengths.

Perplexity is exp(-sum_d log p(words of d in order | class of d) / sum_d n_d) over the test documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import sparse
from scipy.special import gammaln

from reproduction.flow.measures import Measure, Quantities, Settings, Sources, Value, only, seed_from
from textmix.experiment.folds import fold_numbers
from textmix.experiment.splits import Splits
from textmix.experiment.trial import Documents, Trial
from textmix.models.common.count_kernels import row_sums
from textmix.models.dirichlet.dcm import DCMClassifier
from textmix.models.dirichlet.edcm import EDCMClassifier
from textmix.models.naive_bayes.multinomial import MultinomialClassifier
from textmix.models.pmm.estimator import PMM1
from textmix.models.topics.lda import LDAClassifier, bound

#: Number of folds; one of them is the validation set for tuning.
N_FOLDS = 5


def latent_topics(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure perplexity and accuracy of one LDA per class, for several numbers of topics, and of DCM, EDCM and PMM1.

    Smoothing, or beta of the topics, is tuned by the likelihood of one of `N_FOLDS` folds of the training documents.

    Settings: ``documents``, maximum numbers of training and of test documents per trial; ``topics``, numbers of topics;
    ``betas`` and ``smoothing``, candidate values; ``particles`` of the left-to-right estimate; ``max_iter``.
    Result: ``<role>_<model>_nats``, log perplexity (nats per word) of ``multinomial``, ``dcm`` and ``lda<K>`` (LDA: by
    the left-to-right estimate, and with ``_bound`` by the variational bound); ``<role>_<model>_accuracy``;
    ``<role>_dcm_above_lda<K>``, a difference of log perplexities with its interval; and the table ``trials``.
    """
    quantities = Quantities({role: source.test_ratio for role, source in sources.items()})
    for role, source in sources.items():
        for trial in samples(source.documents(), source.splits, settings["documents"], rng):
            quantities.add(role, _trial(trial, settings, rng))
    return _measure_of(quantities, settings, sources)


def pooled_topics(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Compare the perplexities of one LDA for all classes and of one DCM per class.

    Result: ``<role>_<model>_nats`` of ``dcm`` and ``lda<K>``, their differences, and the table ``trials``.
    """
    quantities = Quantities({role: source.test_ratio for role, source in sources.items()})
    for role, source in sources.items():
        for trial in samples(source.documents(), source.splits, settings["documents"], rng):
            train = trial.train
            test = _with_known_class(trial)
            dcm = fit_most_likely(DCMClassifier, _smoothing_points(settings["smoothing"]), train)
            train_pooled = Documents(train.X, np.zeros(len(train), dtype=np.int64))
            test_pooled = Documents(test.X, np.zeros(len(test), dtype=np.int64))
            numbers = {"dcm_nats": nats(dcm, test)}
            for k in settings["topics"]:
                seed = seed_from(rng)
                _lda, lda_nats = _left_to_right(train_pooled, test_pooled, k, settings, seed)
                numbers[f"lda{k}_nats"] = lda_nats
            quantities.add(role, numbers)
    return _measure_of(quantities, settings, sources)


def _with_known_class(trial: Trial) -> Documents:
    """Select the test documents of classes with training documents."""
    is_known = np.isin(trial.test.y, trial.train.y)
    return trial.test[is_known]


def _smoothing_points(smoothing: Iterable[float]) -> list[dict[str, float]]:
    """Return the candidate parameters of `fit_most_likely`."""
    return [{"smoothing": constant} for constant in smoothing]


def _measure_of(quantities: Quantities, settings: Settings, roles: Iterable[str]) -> Measure:
    """Summarise the quantities and the differences of log perplexity between DCM and LDA."""
    pairs = {f"dcm_above_lda{k}": ("dcm_nats", f"lda{k}_nats") for k in settings["topics"]}
    values: dict[str, Value] = {**quantities.means(), **quantities.differences(pairs, list(roles))}
    return Measure(values, {"trials": quantities.rows()})


def _left_to_right(
    train: Documents, test: Documents, k: int, settings: Settings, seed: int
) -> tuple[LDAClassifier, float]:
    """Fit LDA with k topics per class and tuned beta; return the model and its left-to-right log perplexity."""
    shared = {"n_components": k, "max_iter": settings["max_iter"], "random_state": seed}
    points = [{**shared, "beta": beta} for beta in settings["betas"]]
    lda = fit_most_likely(LDAClassifier, points, train)
    estimate = lda.left_to_right_log_likelihood(test.X, test.y, settings["particles"], seed)
    return lda, -float(estimate.sum() / test.X.sum())


def _trial(trial: Trial, settings: Settings, rng: Generator) -> dict[str, float]:
    """Compute the quantities of one trial of `latent_topics`."""
    train = trial.train
    test = _with_known_class(trial)
    points = _smoothing_points(settings["smoothing"])
    numbers: dict[str, float] = {}
    for name in ("multinomial", "dcm"):
        model = fit_most_likely(MODELS[name], points, train)
        numbers[f"{name}_nats"] = nats(model, test)
        numbers[f"{name}_accuracy"] = test.accuracy(model)
    edcm = train.fitted(EDCMClassifier(smoothing=0.01))
    numbers["edcm_accuracy"] = test.accuracy(edcm)
    classes, codes = np.unique(train.y, return_inverse=True)
    indicators = np.eye(len(classes), dtype=np.int64)[codes]
    pmm = Documents(train.X, indicators).fitted(PMM1(xi=1.1))
    most_probable = np.argmax(pmm.predict_proba(test.X), axis=1)
    predicted = classes[most_probable]
    numbers["pmm1_accuracy"] = float(np.mean(predicted == test.y))
    for k in settings["topics"]:
        lda, lda_nats = _left_to_right(train, test, k, settings, seed_from(rng))
        numbers[f"lda{k}_nats"] = lda_nats
        numbers[f"lda{k}_bound_nats"] = nats(lda, test)
        numbers[f"lda{k}_accuracy"] = test.accuracy(lda)
    return numbers


def fit_most_likely(estimator_class: Any, points: Sequence[Mapping[str, Any]], train: Documents) -> Any:
    """Tune the parameters of an estimator by held-out likelihood, and refit it to all training documents.

    The validation set is the last of `N_FOLDS` folds, without documents of classes that are missing in all other folds.

    Parameters
    ----------
    estimator_class : type
        Class of the estimator.
    points : sequence of dict
        Candidate parameters.
    train : Documents
        Training documents.

    Returns
    -------
    estimator : estimator
        Fitted estimator.
    """
    validation = fold_numbers(len(train), N_FOLDS) == N_FOLDS - 1
    validation &= np.isin(train.y, train.y[~validation])
    fit_documents = train[~validation]
    held_out = train[validation]
    losses = []
    for point in points:
        model = fit_documents.fitted(estimator_class(**point))
        losses.append(nats(model, held_out))
    best = points[int(np.argmin(losses))]
    return train.fitted(estimator_class(**best))


def nats(model: Any, documents: Documents) -> float:
    """Compute the log perplexity (nats per word) of documents under the models of their classes."""
    column = np.searchsorted(model.classes_, documents.y)
    if not isinstance(model, LDAClassifier):
        logs_of_classes = model.log_likelihood(documents.X, "sequence")
        logs = logs_of_classes[np.arange(len(documents)), column]
        return -float(logs.sum() / documents.X.sum())
    logs = np.empty(len(documents))
    for code in np.unique(column):  # avoid the expensive bounds for all other classes
        is_in_class = column == code
        logs[is_in_class] = bound(documents.X[is_in_class], model.topics_[code], model.alpha)
    return -float(logs.sum() / documents.X.sum())


def samples(documents: Documents, splits: Splits, most: int, generator: Generator) -> Iterator[Trial]:
    """Yield each trial with at most ``most`` random training and test documents each, in the order of the data set."""
    for number in range(len(splits)):
        shuffled_train = generator.permutation(splits.train[number])
        shuffled_test = generator.permutation(splits.test[number])
        train = documents[np.sort(shuffled_train[:most])]
        test = documents[np.sort(shuffled_test[:most])]
        yield Trial(number, train, test)


#: Models that are tuned by likelihood; that of the EDCM is not normalised.
MODELS = {"multinomial": MultinomialClassifier, "dcm": DCMClassifier}
#: Model, metric and sign of a gain over the multinomial.
GAINS = (("dcm", "nats", -1.0), ("dcm", "accuracy", 1.0), ("edcm", "accuracy", 1.0))


def longer(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure likelihood and accuracy if 1, 2, 4 and 8 documents of a class are concatenated.

    Training and test documents are concatenated in the same way, so that all lengths contain the same words.

    Settings: ``joined``, increasing numbers of concatenated documents m, starting from 1; ``smoothing``, candidate
    values for tuning on a validation set.
    Result: ``<role>_<model>_<m>_nats``, log perplexity (nats per word) of multinomial and DCM, and
    ``<role>_<model>_<m>_accuracy``, also for the EDCM (its likelihood is not normalised);
    ``<role>_dcm_nats_growth``, ``<role>_dcm_accuracy_growth`` and ``<role>_edcm_accuracy_growth``, the increase of the
    gain over the multinomial from m = 1 to the largest m, with intervals over the splits; and the table ``trials``.
    """

    def of_length(documents: Documents, m: int) -> Documents:
        """Concatenate groups of m documents."""
        return Documents(*join(documents.X, documents.y, m))

    return _measure_by_length(sources, settings["joined"], of_length, settings["smoothing"], rng)


def thinned(sources: Sources, settings: Settings, rng: Generator) -> Measure:
    """Measure likelihood and accuracy if long documents are randomly thinned.

    Unlike concatenated documents, thinned documents have the burstiness of a single author at every length.

    Settings: ``percent``, percentages of the words to keep, increasing to 100; ``words``, minimum number of words per
    document; ``smoothing``, see `longer`.
    Result: the values and the table of `longer`, with the percentage instead of m.
    """

    def of_length(documents: Documents, percent: int) -> Documents:
        """Thin long documents and drop empty ones."""
        is_long = documents.lengths >= settings["words"]
        long_documents = documents[np.flatnonzero(is_long)]
        X = thin(long_documents.X, percent / 100.0, rng)
        thinned = Documents(X, long_documents.y)
        is_nonempty = thinned.lengths > 0
        return thinned[np.flatnonzero(is_nonempty)]

    return _measure_by_length(sources, settings["percent"], of_length, settings["smoothing"], rng)


def _measure_by_length(
    sources: Sources,
    lengths: Sequence[int],
    of_length: Callable[[Documents, int], Documents],
    smoothing: Sequence[float],
    rng: Generator,
) -> Measure:
    """Compute the measure for each document length; ``of_length`` transforms documents to a length."""
    quantities = Quantities({role: source.test_ratio for role, source in sources.items()})
    for role, source in sources.items():
        documents = source.documents()
        for trial in range(len(source.splits)):
            train = documents[rng.permutation(source.splits.train[trial])]
            test = documents[rng.permutation(source.splits.test[trial])]
            by_length = {m: (of_length(train, m), of_length(test, m)) for m in lengths}
            numbers = _numbers_by_length(by_length, smoothing)
            quantities.add(role, numbers)
    pairs = {f"{name}_{metric}_growth": (f"{name}_{metric}_growth", "") for name, metric, _sign in GAINS}
    growth = quantities.differences(pairs, list(sources))
    return Measure({**quantities.means(), **growth}, {"trials": quantities.rows()})


def _numbers_by_length(
    by_length: Mapping[int, tuple[Documents, Documents]], smoothing: Sequence[float]
) -> dict[str, float]:
    """Compute the numbers of one trial from training and test documents of each length, the shortest first."""
    points = _smoothing_points(smoothing)
    numbers: dict[str, float] = {}
    for m, (train, test) in by_length.items():
        for name in ("multinomial", "dcm"):
            model = fit_most_likely(MODELS[name], points, train)
            numbers[f"{name}_{m}_accuracy"] = test.accuracy(model)
            numbers[f"{name}_{m}_nats"] = nats(model, test)
        edcm = train.fitted(EDCMClassifier(smoothing=0.01))
        numbers[f"edcm_{m}_accuracy"] = test.accuracy(edcm)

    def gain(name: str, m: int, metric: str, sign: float) -> float:
        """Compute the gain of a model over the multinomial at length m."""
        value = numbers[f"{name}_{m}_{metric}"]
        return sign * (value - numbers[f"multinomial_{m}_{metric}"])

    least, *_, most = by_length
    for name, metric, sign in GAINS:
        growth = gain(name, most, metric, sign) - gain(name, least, metric, sign)
        numbers[f"{name}_{metric}_growth"] = growth
    return numbers


def thin(X: sparse.csr_array, proportion: float, rng: Generator) -> sparse.csr_array:
    """Keep each occurrence of a word with probability ``proportion``."""
    documents = X.copy()
    counts = rng.binomial(X.data.astype(np.int64), proportion)
    documents.data = counts.astype(X.dtype)
    documents.eliminate_zeros()
    return documents


def join(X: sparse.csr_array, y: np.ndarray, m: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Concatenate groups of m documents of the same class; return documents and classes."""
    number = np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        number[of_class] = np.arange(len(of_class)) // m
    keys = np.column_stack([y, number])
    _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    ones = np.ones(len(y), dtype=X.dtype)
    places = group.ravel(), np.arange(len(y))
    membership = sparse.csr_array((ones, places), shape=(len(first), len(y)))
    return sparse.csr_array(membership @ X), y[first]


def sparse_counts(sources: Sources, settings: Settings, _: Generator) -> Measure:
    """Measure the density of documents under a Dirichlet distribution as the smoothing of word proportions goes to 0.

    The parameters alpha are estimated as the DCM of one class. If the proportion of a word is 0, the density is
    infinite for alpha_w < 1 and 0 for alpha_w > 1. ``raised`` uses alpha + 1.

    Settings: ``smoothing``, exponents of the powers of ten added to each count, decreasing; ``label``, index of the
    class.
    Result: ``fitted_<i>`` and ``raised_<i>``, mean log density per document (nats) for the i-th smoothing; ``dcm``,
    mean log probability of the unsmoothed counts under the DCM; ``zeros``, proportion of zero counts; and the table
    ``densities``.
    """
    source = only(sources)
    train = source.first().train
    X = train[train.y == settings["label"]].X
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    X = X[:, np.flatnonzero(frequency)]
    one_class = Documents(X, np.zeros(X.shape[0], dtype=np.int64))
    alpha = one_class.fitted(DCMClassifier(smoothing=0.0)).alpha_[0]
    values = {"dcm": float(dcm_log_probabilities(X, alpha).mean())}
    n_elements = X.shape[0] * X.shape[1]
    values["zeros"] = 1.0 - X.nnz / n_elements
    table = []
    for number, exponent in enumerate(settings["smoothing"]):
        smoothing = 10.0**exponent
        for name, parameters in (("fitted", alpha), ("raised", alpha + 1.0)):
            density = float(log_densities(X, parameters, smoothing).mean())
            values[f"{name}_{number}"] = density
            table.append({"alpha": name, "smoothing": smoothing, "log_density": density})
    return Measure(values, {"densities": table})


def log_densities(X: sparse.csr_array, alpha: np.ndarray, smoothing: float) -> np.ndarray:
    r"""Compute log Dirichlet(p; alpha) of p_w = (x_w + e) / (n + e V) for counts X (N, V), float64 (N,), in nats.

    alpha (V,) and the smoothing e are positive.
    """
    lengths = row_sums(X.indptr, X.data.astype(np.float64)) + smoothing * X.shape[1]
    log_ratio = np.log(X.data + smoothing) - np.log(smoothing)
    rise = (alpha[X.indices] - 1.0) * log_ratio
    log_zero_proportion = np.log(smoothing) - np.log(lengths)
    of_zeros = np.sum(alpha - 1.0) * log_zero_proportion
    logs = of_zeros + row_sums(X.indptr, rise)
    log_normaliser = gammaln(alpha.sum()) - gammaln(alpha).sum()
    return np.asarray(log_normaliser + logs)


def dcm_log_probabilities(X: sparse.csr_array, alpha: np.ndarray) -> np.ndarray:
    """Compute the log probability of each document under a DCM with parameters alpha (V,), float64 (N,), in nats."""
    lengths = row_sums(X.indptr, X.data.astype(np.float64))
    total = alpha.sum()
    parameters = alpha[X.indices]
    words = gammaln(X.data + parameters) - gammaln(parameters) - gammaln(X.data + 1.0)
    of_lengths = gammaln(lengths + 1.0) + gammaln(total) - gammaln(total + lengths)
    return np.asarray(of_lengths + row_sums(X.indptr, words))
