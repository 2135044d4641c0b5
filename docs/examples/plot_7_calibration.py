"""
Calibration: can a predicted probability be trusted?
====================================================

Generative models assume that the words of a document are conditionally independent given the class. Since they are not,
the evidence of hundreds of words is counted repeatedly, and the posterior of the most probable class is close to 1.
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
# The documents are sorted by the probability of the predicted class and divided into ten bins of equal size. A
# calibrated model lies on the diagonal. The generative models assign probabilities close to 1 to 90 % of the
# documents. Logistic regression with this strong penalty is underconfident. All four have similar accuracies.
figure, axes = plt.subplots(figsize=(6.3, 4.8))
axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
for (name, model), marker in zip(models.items(), "os^D", strict=True):
    proba = model.fit(X[train], y[train]).predict_proba(X[test])
    confidence = proba.max(axis=1)
    correct = model.classes_[proba.argmax(axis=1)] == y[test]
    bins = np.array_split(np.argsort(confidence), 10)
    error = calibration_error(confidence, correct)
    axes.plot(
        [confidence[rows].mean() for rows in bins],
        [correct[rows].mean() for rows in bins],
        marker=marker,
        label=f"{name}: accuracy {correct.mean():.2f}, calibration error {error:.2f}",
    )
axes.set_xlabel("probability of the predicted class")
axes.set_ylabel("proportion of correct predictions")
figure.legend(loc="outside lower center")
plt.show()
