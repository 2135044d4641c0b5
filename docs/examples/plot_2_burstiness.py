"""
Burstiness: a word that occurs once occurs again
================================================

A multinomial draws each word of a document independently. Real text does not: a rare word that has occurred once is
likely to occur again in the same document. The Dirichlet compound multinomial (DCM) gives each document its own word
distribution, and therefore expects repetitions.
"""

# %%
# Both models are fitted to one group of 20 Newsgroups.
import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from textmix import DCMClassifier, WordVectorizer, datasets

news = datasets.load("newsgroups_wheel")
messages = [text for text, group in zip(news.data, news.labels, strict=True) if group == "sci.med"]
counts = WordVectorizer(min_length=2, stop_list="smart", min_df=5).fit_transform(messages).toarray()
lengths = counts.sum(axis=1)
alpha = DCMClassifier(smoothing=0.0).fit(counts, np.zeros(len(counts))).alpha_[0]
word_probability = counts.sum(axis=0) / counts.sum()
print(f"{len(counts)} documents; the sum of the DCM's parameters is {alpha.sum():.0f}")

# %%
# We use the words ranked 200 to 300 by frequency, which are neither function words nor words that occur only once. For
# each word, both models give the expected number of documents in which it occurs k times.
middle = np.argsort(-word_probability)[200:300]
repeats = np.arange(1, 11)
observed = np.array([(counts[:, middle] == k).sum() for k in repeats])
multinomial = [stats.binom.pmf(k, lengths[:, None], word_probability[middle]).sum() for k in repeats]
rest = alpha.sum() - alpha[middle]
dcm = [stats.betabinom.pmf(k, lengths[:, None], alpha[middle], rest).sum() for k in repeats]

# %%
# The multinomial predicts almost no documents with more than three occurrences of a word. The DCM agrees with the
# messages over the whole range.
figure, axes = plt.subplots()
axes.semilogy(repeats, np.maximum(observed, 0.3), "ko", label="messages")
axes.semilogy(repeats, dcm, "-s", label="DCM")
axes.semilogy(repeats, multinomial, "--^", label="multinomial")
axes.set_ylim(0.1, None)
axes.set_xlabel("occurrences of a word in a document")
axes.set_ylabel("documents, summed over 100 words")
axes.legend()
plt.show()
