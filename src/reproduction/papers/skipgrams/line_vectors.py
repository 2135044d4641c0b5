"""Paragraph vectors, trained like in the paper, as features of a support vector machine (section 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches

from reproduction.flow.measures import Measure, MeasureData, Repeated, Settings, Sources, Value, only
from textmix.text import line_vectors as vectors_of_lines

#: Number of documents of a block of kernel values.
BLOCK = 500


def line_vectors(sources: Sources, settings: Settings, generator: Generator) -> Measure:
    """Measure the accuracy of an RBF SVM on line vectors, for the predefined split and for random halves.

    The vectors are trained once on all documents for all splits, because their training is unsupervised.

    Data: two labels, and the word stream, with documents in file order.
    Settings: ``order`` of the documents in the training of the vectors, ``file_order``, ``shuffled``, or
    ``file_per_part`` for a file of the training documents and a file of the test documents of the first split;
    ``vectors``, see `textmix.text.line_vectors.LineVectorSpec`; ``svm``, parameters of scikit-learn's ``SVC``;
    ``random_halves``, number of random splits.
    Result: ``<order>_given``, the accuracy on the test documents of the splits, and ``<order>_random``, on a random
    half.
    """
    source = only(sources)
    corpus = source.corpus
    files = [np.arange(corpus.n_documents)]
    if settings["order"] == "shuffled":
        files = [generator.permutation(corpus.n_documents)]
    elif settings["order"] == "file_per_part":
        files = [np.sort(source.splits.train[0]), np.sort(source.splits.test[0])]
    spec = vectors_of_lines.LineVectorSpec.from_mapping(settings["vectors"])
    vectors = vectors_of_lines.line_vectors(corpus.tokens, spec, files)  # type: ignore[arg-type]
    accuracies = []
    for number in range(len(source.splits)):
        train = source.splits.train[number]
        test = source.splits.test[number]
        accuracies.append(_accuracy(source, vectors, settings, train, test))
    halves = []
    for _ in range(settings["random_halves"]):
        permuted = generator.permutation(corpus.n_documents)
        middle = corpus.n_documents // 2
        halves.append(_accuracy(source, vectors, settings, permuted[:middle], permuted[middle:]))
    name = settings["order"]
    values: dict[str, Value] = {f"{name}_random": Repeated(halves, 1.0)}
    values[f"{name}_given"] = Repeated(accuracies, source.test_ratio) if len(accuracies) > 1 else accuracies[0]
    return Measure(values)


def _accuracy(
    source: MeasureData, vectors: np.ndarray, settings: Settings, train: np.ndarray, test: np.ndarray
) -> float:
    classes = source.corpus.classes()
    # The cache holds most rows of the kernel matrix; the solution does not depend on its size.
    model = svm.SVC(kernel="rbf", cache_size=1500, **settings["svm"])
    model.fit(vectors[train], classes[train])
    return float(np.mean(predict_in_blocks(model, vectors[test]) == classes[test]))


def predict_in_blocks(model: svm.SVC, X: np.ndarray) -> np.ndarray:
    """Predict the class of vectors (N, D) with an RBF SVM for two classes.

    LIBSVM computes one kernel value at a time; matrix products of blocks of documents are several times faster.
    """
    decisions = []
    for block in gen_batches(len(X), BLOCK):
        kernel = rbf_kernel(X[block], model.support_vectors_, gamma=model.gamma)
        decisions.append(kernel @ model.dual_coef_[0] + model.intercept_[0])
    return np.asarray(model.classes_[(np.concatenate(decisions) > 0).astype(np.int64)])
