"""
Calibration: how far a stated probability can be trusted
========================================================

Generative models take the words of a document as drawn independently, given the class. They are not, so that hundreds
of words count as hundreds of witnesses and the posterior of the likeliest class is almost 1.
"""

# %%
# Four classifiers on 20 Newsgroups.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from textmix import AbsoluteDiscountingClassifier, EDCMClassifier, MultinomialClassifier, WordVectorizer, datasets
from textmix.metrics.calibration import calibration_error

news = datasets.load("newsgroups_wheel")
X, y = WordVectorizer(min_length=2, stop_list="smart", min_documents=5).fit_transform(news.data), news.target
train, test = np.split(np.random.default_rng(0).permutation(len(y))[:6000], [3000])
models = {
    "multinomial": MultinomialClassifier(),
    "EDCM": EDCMClassifier(),
    "absolute discounting": AbsoluteDiscountingClassifier(),
    "logistic regression": LogisticRegression(C=0.1, max_iter=300),
}

# %%
# The documents are sorted by the stated probability of the predicted class and cut into ten equal parts. The curve of
# an honest model lies on the diagonal. The generative models state almost 1 for nine tenths of the documents; logistic
# regression with this strong penalty errs to the other side. All four are right about equally often.
figure, axes = plt.subplots(figsize=(6.3, 4.8))
axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
for (name, model), marker in zip(models.items(), "os^D", strict=True):
    proba = model.fit(X[train], y[train]).predict_proba(X[test])
    stated, right = proba.max(axis=1), model.classes_[proba.argmax(axis=1)] == y[test]
    tenths = np.array_split(np.argsort(stated), 10)
    error = calibration_error(stated, right)
    axes.plot(
        [stated[part].mean() for part in tenths],
        [right[part].mean() for part in tenths],
        marker=marker,
        label=f"{name}: right {right.mean():.2f}, calibration error {error:.2f}",
    )
axes.set_xlabel("stated probability of the predicted class")
axes.set_ylabel("share of right predictions")
figure.legend(loc="outside lower center")
plt.show()
