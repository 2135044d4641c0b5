"""The code of the paper naive_bayes: measures and figures."""
