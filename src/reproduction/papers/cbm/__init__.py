"""The code of the paper cbm: measures, figures, bench."""
