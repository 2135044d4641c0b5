"""The code of the paper naive_bayes: measures, figures, bench."""
