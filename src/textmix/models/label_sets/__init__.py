"""Baselines that predict label sets: relevance, power set, chains, pairwise random field."""
