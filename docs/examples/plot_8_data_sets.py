"""
Comparing methods on several data sets
======================================

This script compares six methods on three data sets, with one split of each.
"""

# %%
# The methods accept counts. Their parameters are not tuned.
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

from textmix import (
    AbsoluteDiscountingClassifier,
    DirichletSmoothedClassifier,
    EDCMClassifier,
    KNNClassifier,
    MultinomialClassifier,
    WordVectorizer,
    datasets,
)

methods = {
    "multinomial": MultinomialClassifier(smoothing=0.1),
    "Dirichlet-smoothed": DirichletSmoothedClassifier(mu=1000.0),
    "absolute discounting": AbsoluteDiscountingClassifier(),
    "EDCM": EDCMClassifier(),
    "logistic regression": LogisticRegression(C=0.1, max_iter=300),
    "neighbours": KNNClassifier(n_neighbors=10),
}
data = {"newsgroups_wheel": "20 Newsgroups", "r52_wheel": "Reuters R52", "imdb_wheel": "film reviews"}

# %%
# All methods use the same 1000 training and 1000 test documents of a data set.
table = np.zeros((len(methods), len(data)))
for column, name in enumerate(data):
    loaded = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(loaded.data))[:2000]
    X = WordVectorizer(min_length=2, stop_list="smart").fit_transform([loaded.data[row] for row in rows])
    y = loaded.target[rows]
    for row, method in enumerate(methods.values()):
        method.fit(X[:1000], y[:1000])
        table[row, column] = np.mean(method.predict(X[1000:]) == y[1000:])

# %%
# Accuracies on different data sets are not comparable, so ranks are averaged. The best accuracies are bold.
ranks = rankdata(-table, axis=0).mean(axis=1)
order = np.argsort(ranks)
figure, axes = plt.subplots(figsize=(6.3, 3.2))
axes.imshow(-rankdata(-table[order], axis=0), cmap="Blues", aspect="auto", alpha=0.55)
for row, column in np.ndindex(table.shape):
    best = table[order[row], column] == table[:, column].max()
    axes.text(
        column, row, f"{table[order[row], column]:.3f}", ha="center", va="center", weight="bold" if best else "normal"
    )
axes.set_xticks(range(len(data)), list(data.values()))
axes.set_yticks(range(len(methods)), [f"{list(methods)[row]}, mean rank {ranks[row]:.1f}" for row in order])
axes.grid(visible=False)
plt.show()
