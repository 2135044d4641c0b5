"""Parametric Mixture Models (Ueda & Saito 2002)."""
