"""Baselines that predict label sets: binary relevance, power set, pairwise random field, chains, dependency network."""
