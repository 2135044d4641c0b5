"""
Pipelines and grid search
=========================

Every estimator follows scikit-learn's conventions and works in a ``Pipeline`` and with ``GridSearchCV``.
"""

# %%
# The data are texts and topics, both strings.
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import textmix
from textmix import EDCMClassifier, WordVectorizer, datasets

reuters = datasets.load("r52_wheel")
train, test = np.split(np.random.default_rng(0).permutation(len(reuters.data))[:3000], [1500])
texts = {name: [reuters.data[row] for row in rows] for name, rows in (("train", train), ("test", test))}
topics = np.array(reuters.labels)

# %%
# The smoothing of the EDCM is selected by cross-validation on the training documents.
grid = {"edcmclassifier__smoothing": [0.001, 0.01, 0.1, 1.0, 10.0]}
pipeline = make_pipeline(WordVectorizer(min_df=2), EDCMClassifier())
search = GridSearchCV(pipeline, grid, cv=3).fit(texts["train"], topics[train])
print(search.best_params_, f"test accuracy {search.score(texts['test'], topics[test]):.3f}")

# %%
# The figure shows the accuracy of each fold and the mean.
folds = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
figure, axes = plt.subplots()
axes.semilogx(grid["edcmclassifier__smoothing"], folds.T, ".", color="0.6")
axes.semilogx(grid["edcmclassifier__smoothing"], folds.mean(axis=0), marker="o")
axes.set_xlabel("smoothing (multiple of the smallest parameter)")
axes.set_ylabel("cross-validation accuracy")
plt.show()

# %%
# The tuned pipeline is saved as arrays and JSON, loaded again, and applied to new texts.
with tempfile.TemporaryDirectory() as folder:
    textmix.save(search.best_estimator_, f"{folder}/topics")
    loaded = textmix.load(f"{folder}/topics")
new = ["The company raised its quarterly dividend to 12 cents a share.", "OPEC agreed to cut crude oil output."]
for label, probability in zip(loaded.predict(new), loaded.predict_proba(new).max(axis=1), strict=True):
    print(f"{label:<10} {probability:.3f}")
