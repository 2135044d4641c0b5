"""
Skip-grams that express a sentiment
===================================

A skip-gram is a sequence of words with gaps: "waste time" with slop 1 also matches "waste *of* time" and "waste *my*
time". In film reviews, skip-grams are more informative than single words, and an L1 penalty selects few enough to read.
"""

# %%
# The reviews are positive or negative. The skip-grams have at most three words and at most two skipped words.
import matplotlib.pyplot as plt
import numpy as np

from textmix import PathClassifier, SkipgramVectorizer, datasets

reviews = datasets.load("imdb_wheel")
train, test = np.split(np.random.default_rng(0).permutation(len(reviews.data))[:4000], [3000])
texts, y = [text.replace("<br />", " ") for text in reviews.data], np.array(reviews.labels)
vectoriser = SkipgramVectorizer(max_n=3, max_slop=2, min_df=20, weighting="binary")
X = vectoriser.fit_transform([texts[row] for row in train])
names = vectoriser.get_feature_names_out()
print(f"{X.shape[1]} skip-grams; for example {', '.join(names[-3:])}")

# %%
# Logistic regression is fitted along a path of L1 penalties; the penalty is selected by cross-validation.
model = PathClassifier(l1_ratio=1.0, n_lambdas=6, smallest=0.005, random_state=0).fit(X, y[train])
weights = model.coef_.ravel()
correct = model.predict(vectoriser.transform([texts[row] for row in test])) == y[test]
print(f"accuracy {correct.mean():.3f} with {np.count_nonzero(weights)} skip-grams of {len(weights)}")

# %%
# The figure shows the skip-grams with the largest weights. The suffix ``~1`` means that one word may be skipped.
several = np.array([" " in name for name in names])
ends = [*np.argsort(np.where(several, weights, 0))[:10], *np.argsort(np.where(several, weights, 0))[-10:]]
figure, axes = plt.subplots(figsize=(6.3, 4.6))
axes.barh(range(len(ends)), weights[ends], color=["C1" if weights[index] < 0 else "C0" for index in ends])
axes.set_yticks(range(len(ends)), [names[index] for index in ends])
axes.set_xlabel(f"weight towards {model.classes_[1]}")
axes.grid(axis="y", visible=False)
plt.show()
