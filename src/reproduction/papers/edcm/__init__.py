"""The code of the paper edcm: measures and figures."""
