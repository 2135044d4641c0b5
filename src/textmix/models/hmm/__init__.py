"""Hidden Markov models over sequences of words."""
