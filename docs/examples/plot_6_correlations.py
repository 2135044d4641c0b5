"""
Conditional correlations
========================

Two labels may be correlated over all documents and independent given the text, or the other way round. A conditional
Bernoulli mixture has the correlation of each pair of labels *given this document* in closed form.
"""

# %%
# The mixture is fitted to the genes of yeast.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import StandardScaler

from textmix import CBMClassifier, datasets

yeast = datasets.load("yeast_wheel")
train, test = np.split(np.random.default_rng(0).permutation(yeast.data.shape[0])[:2000], [1200])
scaler = StandardScaler().fit(yeast.data[train].toarray())
X_train, X_test = (scaler.transform(yeast.data[rows].toarray()) for rows in (train, test))
labels = yeast.target
model = CBMClassifier(n_components=10, variance=0.01, max_iter=10, random_state=0).fit(X_train, labels[train])

# %%
# The figure shows the correlation over all genes, and the conditional correlations of two genes: the gene with the
# strongest and the gene with the weakest.
overall = np.nan_to_num(np.corrcoef(labels[train].T))
given = model.label_correlations(X_test)
away = ~np.eye(given.shape[1], dtype=bool)
strength = np.abs(given[:, away]).mean(axis=1)
shown = {
    "all genes": overall,
    "given one gene": given[strength.argmax()],
    "given another gene": given[strength.argmin()],
}

# %%
# Labels of a red pair occur together, and labels of a blue pair exclude each other. The features of the genes explain
# much of the overall dependence. The remaining dependence differs from gene to gene.
figure, panels = plt.subplots(1, 3, figsize=(6.3, 2.9))
for axes, (title, matrix) in zip(panels, shown.items(), strict=True):
    image = axes.imshow(np.where(away, matrix, 0), cmap="RdBu_r", vmin=-0.8, vmax=0.8)
    axes.set_title(title, fontsize=9)
    axes.grid(visible=False)
    axes.set_xticks([0, 5, 10])
    axes.set_yticks([0, 5, 10])
    axes.set_xlabel("label")
panels[0].set_ylabel("label")
figure.colorbar(image, ax=panels, shrink=0.7, label="correlation")
plt.show()
