"""Multi-label baselines: binary relevance, label powerset, pairwise CRF, classifier chains, dependency network."""
