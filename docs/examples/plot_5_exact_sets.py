"""
Exact sets with CBM
===================

Independent decisions per label minimise the Hamming loss. A conditional Bernoulli mixture (CBM) models the dependence
between labels and predicts the most probable *set*, which increases the subset accuracy.
"""

# %%
# The Yeast data set: each gene has up to eleven of fourteen functions.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

from textmix import BinaryRelevance, CBMClassifier, PowerSet, datasets
from textmix.metrics.multilabel import hamming_loss, subset_accuracy

yeast = datasets.load("yeast_wheel")
train, test = np.split(np.random.default_rng(0).permutation(yeast.data.shape[0])[:1400], [700])
scaler = StandardScaler().fit(yeast.data[train].toarray())
X_train, X_test = (scaler.transform(yeast.data[rows].toarray()) for rows in (train, test))
labels = yeast.target

# %%
# With one component, CBM is binary relevance. More components capture more of the dependence.
components = (1, 2, 5, 10)
models = {k: CBMClassifier(n_components=k, variance=0.01, max_iter=10, random_state=0) for k in components}
sets = {k: model.fit(X_train, labels[train]).predict(X_test) for k, model in models.items()}
baselines = {"binary relevance": BinaryRelevance(variance=0.01), "power set": PowerSet(variance=0.01)}
baseline_sets = {name: model.fit(X_train, labels[train]).predict(X_test) for name, model in baselines.items()}

# %%
# Subset accuracy increases with the number of components. The Hamming loss increases too, because the most probable set
# is not the set of the most probable labels. Which of the two matters depends on the application.
figure, panels = plt.subplots(1, 2)
measures = {"subset accuracy": subset_accuracy, "Hamming loss": hamming_loss}
for axes, (title, measure) in zip(panels, measures.items(), strict=True):
    axes.plot(components, [measure(labels[test], sets[k]) for k in components], marker="o", label="CBM")
    for (name, predicted), dash in zip(baseline_sets.items(), ("--", ":"), strict=True):
        axes.axhline(measure(labels[test], predicted), color="k", linestyle=dash, linewidth=1, label=name)
    axes.set_xlabel("number of components")
    axes.set_ylabel(title)
panels[1].legend(loc="center right")
plt.show()
