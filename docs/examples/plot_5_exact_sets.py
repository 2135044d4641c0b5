"""
Exact sets with CBM
===================

Judging each label alone maximises the share of right labels. A conditional Bernoulli mixture (CBM) models how labels
depend on each other and predicts the likeliest *set*, so that more documents get exactly their labels.
"""

# %%
# Genes of yeast with up to eleven of fourteen functions each.
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
# One component is binary relevance; more components see more of the dependence.
components = (1, 2, 5, 10)
models = {k: CBMClassifier(n_components=k, variance=0.01, max_iter=10, random_state=0) for k in components}
sets = {k: model.fit(X_train, labels[train]).predict(X_test) for k, model in models.items()}
peers = {"binary relevance": BinaryRelevance(variance=0.01), "power set": PowerSet(variance=0.01)}
peer_sets = {name: model.fit(X_train, labels[train]).predict(X_test) for name, model in peers.items()}

# %%
# The share of genes with exactly the right set rises with the components. The share of wrong single labels rises too:
# the likeliest set is not the set of the likeliest labels, and one must choose what to ask for.
figure, panels = plt.subplots(1, 2)
measures = {"exact sets": subset_accuracy, "wrong labels": hamming_loss}
for axes, (title, measure) in zip(panels, measures.items(), strict=True):
    axes.plot(components, [measure(labels[test], sets[k]) for k in components], marker="o", label="CBM")
    for (name, predicted), dash in zip(peer_sets.items(), ("--", ":"), strict=True):
        axes.axhline(measure(labels[test], predicted), color="k", linestyle=dash, linewidth=1, label=name)
    axes.set_title(title)
    axes.set_xlabel("components of the mixture")
    axes.set_ylabel("share")
panels[1].legend(loc="center right")
plt.show()
