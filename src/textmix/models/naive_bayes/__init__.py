"""Multinomial naive Bayes with its smoothings, and mixtures of multinomials."""
