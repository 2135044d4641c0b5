"""The code of the paper cbm: measures and figures."""
