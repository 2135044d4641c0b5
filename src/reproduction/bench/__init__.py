"""Timing of kernels beside their peers: the harness, and suites that no paper owns."""
