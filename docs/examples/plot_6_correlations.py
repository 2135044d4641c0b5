"""
Conditional correlations
========================

Two labels may be correlated over all documents and independent given the document, or vice versa. For a conditional
Bernoulli mixture, the correlation of each pair of labels *given a document* has a closed form.
"""

# %%
# The mixture is fitted to the Yeast data set.
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
# The figure shows the correlations over all genes and the conditional correlations for the two genes with the strongest
# and the weakest correlations.
overall = np.nan_to_num(np.corrcoef(labels[train].T))
conditional = model.label_correlations(X_test)
off_diagonal = ~np.eye(conditional.shape[1], dtype=bool)
strength = np.abs(conditional[:, off_diagonal]).mean(axis=1)
matrices = {
    "all genes": overall,
    "given one gene": conditional[strength.argmax()],
    "given another gene": conditional[strength.argmin()],
}

# %%
# Positive correlations are red, negative correlations blue. The features explain much of the overall dependence; the
# remaining dependence varies between genes.
figure, panels = plt.subplots(1, 3, figsize=(6.3, 2.9))
for axes, (title, matrix) in zip(panels, matrices.items(), strict=True):
    image = axes.imshow(np.where(off_diagonal, matrix, 0), cmap="RdBu_r", vmin=-0.8, vmax=0.8)
    axes.set_title(title, fontsize=9)
    axes.grid(visible=False)
    axes.set_xticks([0, 5, 10])
    axes.set_yticks([0, 5, 10])
    axes.set_xlabel("label")
panels[0].set_ylabel("label")
figure.colorbar(image, ax=panels, shrink=0.7, label="correlation")
plt.show()
