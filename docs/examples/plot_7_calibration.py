"""
Calibration: can a predicted probability be trusted?
====================================================

Generative models assume that the words of a document are independent, given the class. They are not. Hundreds of words
then count as hundreds of independent witnesses, and the posterior of the most probable class is almost 1.
"""

# %%
# Four classifiers are fitted to 20 Newsgroups.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from textmix import AbsoluteDiscountingClassifier, EDCMClassifier, MultinomialClassifier, WordVectorizer, datasets
from textmix.metrics.probability import calibration_error

news = datasets.load("newsgroups_wheel")
X, y = WordVectorizer(min_length=2, stop_list="smart", min_df=5).fit_transform(news.data), news.target
train, test = np.split(np.random.default_rng(0).permutation(len(y))[:6000], [3000])
models = {
    "multinomial": MultinomialClassifier(),
    "EDCM": EDCMClassifier(),
    "absolute discounting": AbsoluteDiscountingClassifier(),
    "logistic regression": LogisticRegression(C=0.1, max_iter=300),
}

# %%
# The documents are sorted by the probability of the predicted class, and divided into ten equal parts. The curve of a
# calibrated model is on the diagonal. The generative models give almost 1 to nine tenths of the documents. Logistic
# regression with this strong penalty gives too low probabilities. All four have about the same accuracy.
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
axes.set_xlabel("probability of the predicted class")
axes.set_ylabel("share of correct predictions")
figure.legend(loc="outside lower center")
plt.show()
