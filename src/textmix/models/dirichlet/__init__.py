"""Dirichlet compound multinomials: DCM, EDCM, EDCM with latent topics."""
